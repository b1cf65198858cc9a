# SPDX-License-Identifier: Apache-2.0
"""Graphs whose edges stay in their file (Graph.load(path, memory=...)), beside memory, the disk and GridGraph.

A Kronecker graph. Warm: the file is in the system's cache; a super-step of PageRank beside the one in memory. Cold:
the cache is told to drop the file before every run; megabytes of edges a second of PageRank, beside a plain reader of
the same file, several reads in flight. What the budget leaves keeps blocks, so less comes from the disk than is
computed on. GridGraph (--gridgraph DIR) and GraphChi (--graphchi DIR) run on the same edges with the same budget,
cold and warm (stream_peers.py); they tell their time, ours is `stats.seconds`. Our runs are in processes of their
own: the peak of memory is the process's. Bars: a warm step 2.0 times one in memory; 0.8 of the reader; 1.0 beside
each of the others.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from machine import facts, load, require, save, table
from stream_peers import GraphChi, GridGraph

np, gp = require("numpy"), require("gaspipe")
num_bytes = require("gaspipe._memory").num_bytes
STEPS, READ, IN_FLIGHT = 10, 1 << 20, 4
CHILD = """
import json, re, sys, gaspipe as gp
path, memory, algorithm, arguments = json.loads(sys.argv[1])
graph = gp.Graph.load(path, memory=memory)
result = getattr(gp, algorithm)(graph, **arguments)
peak = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) * 1024
stats = result.stats
steps = stats.supersteps["scatter_gather_seconds"] + stats.supersteps["apply_seconds"]
print(json.dumps({"seconds": stats.seconds, "step": sorted(steps)[len(steps) // 2], "peak": peak, **stats.stream}))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scale", type=int, default=21, help="2**SCALE vertices")
    parser.add_argument("--edge-factor", type=int, default=16)
    parser.add_argument("--memory", default="512 MB", help="budget of a process (default: %(default)s)")
    parser.add_argument("--gridgraph", metavar="DIR")
    parser.add_argument("--graphchi", metavar="DIR")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", metavar="DIR", help="for files (default: temporary)")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    before = load()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        found = measure(Path(folder), options)
    for name, rows in found["tables"].items():
        print(f"\n{name}\n" + table(rows[0], rows[1:]))
    known = facts(gaspipe=gp.__version__, load_before=before)
    for key, value in known.items():
        print(f"{key}: {value}")
    save(options.json, {**known, "samples": found["samples"]})


def measure(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    graph = gp.generate.kronecker(options.scale, options.edge_factor, seed=3)
    path = folder / "graph.gaspipe"
    graph.save(path, blocks=True)
    megabytes = round(num_bytes(options.memory) / 2**20)
    peers = [
        kind(place, folder, megabytes)
        for kind, place in ((GridGraph, options.gridgraph), (GraphChi, options.graphchi))
        if place
    ]
    for peer in peers:
        peer.convert(graph)
    in_memory = statistics.median(step_of(graph) for _ in range(options.rounds))
    num_edges, root = graph.num_edges, int(np.argmax(graph.out_degrees()))
    file_bytes = path.stat().st_size
    del graph
    questions: dict[str, dict[str, Any]] = {
        "pagerank": {"tol": 0, "max_iter": STEPS, "number": "float32"},
        "bfs": {"root": root},
        "wcc": {},
    }
    samples: dict[str, list[Any]] = {}
    for _ in range(options.rounds):
        for is_cold in (True, False):
            temperature = "cold" if is_cold else "warm"
            if is_cold:
                drop(path)
                samples.setdefault("reader cold", []).append(file_bytes / read_all(path))
            for algorithm, arguments in questions.items():
                prepare(path, is_cold)
                samples.setdefault(f"{algorithm} {temperature}", []).append(
                    ours(path, options.memory, algorithm, arguments)
                )
                for peer in peers:
                    for file in peer.files():
                        prepare(file, is_cold)
                    if (seconds := peer.seconds(algorithm, STEPS, root)) is not None:
                        name = f"{algorithm} {temperature} {type(peer).__name__}"
                        samples.setdefault(name, []).append(seconds)
    names = [type(peer).__name__ for peer in peers]
    return {"samples": samples, "tables": tables(samples, in_memory, num_edges, file_bytes, list(questions), names)}


def tables(
    samples: dict[str, list[Any]],
    in_memory: float,
    num_edges: int,
    file_bytes: int,
    algorithms: list[str],
    peers: list[str],
) -> dict[str, list[list[str]]]:
    def median(name: str, key: str) -> float:
        return float(statistics.median(sample[key] for sample in samples[name]))

    reader = statistics.median(samples["reader cold"])
    rate, from_disk = (
        statistics.median(s[key] / s["seconds"] for s in samples["pagerank cold"])
        for key in ("bytes_read", "bytes_from_disk")
    )
    step = median("pagerank warm", "step")
    head = [
        ["what", "value", "bar"],
        ["edges", f"{num_edges:,}", ""],
        ["bytes of the file an edge", f"{file_bytes / num_edges:.2f}", ""],
        ["PageRank step in memory [ms]", f"{1e3 * in_memory:.1f}", ""],
        ["PageRank step, warm [ms]", f"{1e3 * step:.1f}", ""],
        ["warm / memory", f"{step / in_memory:.2f}", "<= 2.0"],
        ["reader, cold [MB/s]", f"{reader / 1e6:,.0f}", ""],
        ["PageRank, cold [MB/s of edges]", f"{rate / 1e6:,.0f}", ""],
        ["PageRank, cold [MB/s from the disk]", f"{from_disk / 1e6:,.0f}", ""],
        ["PageRank / reader", f"{rate / reader:.2f}", ">= 0.8"],
    ]
    rows = [["algorithm", "file", "ours [s]", "peak [MB]", *(f"{peer} [s] (/ ours)" for peer in peers)]]
    for algorithm in algorithms:
        for temperature in ("cold", "warm"):
            name = f"{algorithm} {temperature}"
            seconds, peak = median(name, "seconds"), max(sample["peak"] for sample in samples[name])
            row = [algorithm, temperature, f"{seconds:.2f}", f"{peak / 1e6:,.0f}"]
            for peer in peers:
                theirs = samples.get(f"{name} {peer}")
                other = statistics.median(theirs) if theirs else None
                row.append("" if other is None else f"{other:.2f} ({other / seconds:.2f})")
            rows.append(row)
    return {"One machine, one disk": head, "Beside others": rows}


def step_of(graph: Any) -> float:
    stats = gp.pagerank(graph, tol=0, max_iter=STEPS, number="float32").stats
    return float(np.median(stats.supersteps["scatter_gather_seconds"] + stats.supersteps["apply_seconds"]))


def ours(path: Path, memory: str, algorithm: str, arguments: dict[str, Any]) -> dict[str, Any]:
    command = [sys.executable, "-c", CHILD, json.dumps([str(path), memory, algorithm, arguments])]
    found: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return found


# The disk.


def drop(path: Path) -> None:
    """Let the system forget what its cache has of a file."""
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(descriptor)


def prepare(path: Path, is_cold: bool) -> None:
    """Have the file in the system's cache, or not."""
    if is_cold:
        drop(path)
    else:
        touch(path)


def touch(path: Path) -> None:
    with open(path, "rb") as file:
        while file.read(READ):
            pass


def read_all(path: Path) -> float:
    """Seconds to read the file past the cache."""
    size = path.stat().st_size // READ * READ
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECT)
    buffers = [memoryview(np.empty(READ + 4096, np.uint8))[:] for _ in range(IN_FLIGHT)]
    aligned = [buffer[-np.frombuffer(buffer, np.uint8).ctypes.data % 4096 :][:READ] for buffer in buffers]

    def read(worker: int) -> None:
        for at in range(worker * READ, size, IN_FLIGHT * READ):
            os.preadv(descriptor, [aligned[worker]], at)

    start = time.perf_counter()
    with ThreadPoolExecutor(IN_FLIGHT) as pool:
        list(pool.map(read, range(IN_FLIGHT)))
    os.close(descriptor)
    return (time.perf_counter() - start) * path.stat().st_size / max(size, 1)


if __name__ == "__main__":
    main()
