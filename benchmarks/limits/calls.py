# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C in every phase, and 10^5 calls in one process."""

from __future__ import annotations

import os
import resource
import signal
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Callable

import numpy as np

from limits.line import Line
from limits.shapes import LENGTH


def interrupts(gp: Any) -> Iterator[Line]:
    """Seconds from SIGINT to KeyboardInterrupt, the worst of several moments; 0 where the call was over before."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background would ignore it
    rng = np.random.default_rng(1)
    row = gp.generate.chain(LENGTH)
    large = gp.generate.kronecker(18, 16, seed=1, weights=(1, 255))
    one_way = gp.generate.kronecker(18, 16, seed=1, symmetric=False)
    small = gp.generate.kronecker(14, 16, seed=1)
    ends = tuple(rng.integers(0, 1 << 22, (2, 1 << 25), np.int32))
    pairs = rng.integers(0, large.num_vertices, (1 << 20, 2))
    large.to_file("large.txt")
    large.save("large.gaspipe", blocks=True)
    large.save("rows.gaspipe")
    engine = frontier_engine(gp, small, "")
    stored = gp.Graph.load("large.gaspipe", memory="1 GB")
    for device in ("emulator", "emulator:u250"):  # compiled when first used
        gp.bfs(gp.generate.chain(3), 0, device=device)
    todo: dict[str, Callable[[], Any]] = {
        "generate.kronecker": lambda: gp.generate.kronecker(21, 16),
        "Graph of edges": lambda: gp.Graph(ends),
        "symmetrize": lambda: gp.Graph(ends, directed=False),
        "from_file": lambda: gp.Graph.from_file("large.txt"),
        "to_file": lambda: large.to_file("again.txt"),
        "save": lambda: [large.save("again.gaspipe") for _ in range(9)],
        "save, blocks": lambda: large.save("again.gaspipe", blocks=True),
        "load": lambda: [gp.Graph.load("rows.gaspipe", mmap=False) for _ in range(99)],
        "convert": lambda: gp.convert("large.txt", "again.gaspipe", memory="256 MB"),
        "bfs, 10^7 super-steps": lambda: gp.bfs(row, 0),
        "bfs, method='gas'": lambda: gp.bfs(row, 0, method="gas"),
        "bfs, method='local_store'": lambda: [gp.bfs(large, 0, method="local_store") for _ in range(999)],
        "bfs, domains=2": lambda: gp.bfs(row, 0, domains=2),
        "bfs, streamed": lambda: [gp.bfs(stored, 0) for _ in range(99)],
        "bfs, emulated": lambda: [gp.bfs(large, 0, device="emulator") for _ in range(99)],
        "bfs, predicted": lambda: [gp.bfs(large, 0, device="emulator:u250") for _ in range(99)],
        "sssp": lambda: gp.sssp(row, 0),
        "pagerank": lambda: gp.pagerank(large, tol=0, max_iter=10**5),
        "pagerank, streamed": lambda: gp.pagerank(stored, tol=0, max_iter=10**5),
        "wcc": lambda: gp.wcc(gp.generate.chain(LENGTH), method="gas"),
        "closeness": lambda: gp.closeness(large),
        "betweenness": lambda: gp.betweenness(large),
        "multi_source": lambda: gp.multi_source(large, range(2000)),
        "diameter": lambda: [gp.diameter(row) for _ in range(99)],
        "scc": lambda: [gp.scc(one_way) for _ in range(999)],
        "core_numbers": lambda: [gp.core_numbers(large) for _ in range(999)],
        "coloring": lambda: [gp.coloring(large) for _ in range(999)],
        "maximal_independent_set": lambda: [gp.maximal_independent_set(large) for _ in range(9999)],
        "minimum_spanning_forest": lambda: [gp.minimum_spanning_forest(large) for _ in range(999)],
        "triangles": lambda: [gp.triangles(large) for _ in range(99)],
        "k_truss": lambda: gp.k_truss(large, k=4),
        "louvain": lambda: [gp.louvain(large) for _ in range(99)],
        "label_propagation": lambda: gp.label_propagation(large, max_iter=10**4),
        "hits": lambda: gp.hits(large, tol=0, max_iter=10**5),
        "jaccard": lambda: [gp.jaccard(large, pairs) for _ in range(99)],
        "random_walks": lambda: [gp.random_walks(large, length=100) for _ in range(99)],
        "FrontierEngine, its compiler": lambda: frontier_engine(gp, small, str(time.time())),
        "FrontierEngine": lambda: [engine.run("search") for _ in range(99_999)],
    }
    for name, call in todo.items():
        yield Line(name, partial(worst_seconds_to_stop, call), lambda got: got < 1)


def worst_seconds_to_stop(call: Callable[[], object]) -> float:
    return max(seconds_to_stop(call, moment) for moment in (0.02, 0.2, 0.7))


def frontier_engine(gp: Any, graph: Any, comment: str) -> Any:
    from frontier import SOURCE

    return gp.FrontierEngine(graph, f"// {comment}\n{SOURCE}", vertex="i4", parameters={"root": 0}, name="search")


def seconds_to_stop(call: Callable[[], object], moment: float) -> float:
    """How long `call` goes on after SIGINT `moment` seconds into it; 0 where it was over before."""
    sent = [float("inf")]

    def send() -> None:
        sent[0] = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(moment, send)
    timer.start()
    try:
        call()
        timer.cancel()
        timer.join()
        return 0.0
    except KeyboardInterrupt:
        return time.perf_counter() - sent[0]


def calls(gp: Any) -> Iterator[Line]:
    """10^5 calls: what the process has more of afterwards."""
    g = gp.generate.grid(5, 5, weights=(1, 9))

    def one(i: int) -> None:
        try:
            [gp.bfs, gp.sssp, gp.scc, gp.coloring, gp.betweenness, gp.pagerank][i % 6](g, **{"num_threads": 1 + i % 3})
            if i % 10 == 0:
                gp.bfs(g, 25)  # no such vertex
        except gp.Error:
            pass

    def state() -> Any:
        resident = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
        return np.array([resident, *(len(os.listdir(f"/proc/self/{kind}")) for kind in ("fd", "task"))])

    def more() -> list[int]:
        for i in range(1000):
            one(i)
        before = state()
        for i in range(100_000):
            one(i)
        return (state() - before).tolist()

    yield Line("bytes, files and threads more", more, lambda got: got[0] < 4 << 20 and got[1:] == [0, 0])
