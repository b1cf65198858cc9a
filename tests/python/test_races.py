# SPDX-License-Identifier: Apache-2.0
"""Threads: a part of benchmarks/races.py under ThreadSanitizer, and Python threads that share a graph.

Answers are held against SciPy and NetworkX.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import gaspipe as gp
import races
from conftest import REPOSITORY
from race_calls import calls


@pytest.mark.needs("tsan")
def test_the_worker_team_has_no_races(tmp_path):
    """With 1 to 8 threads, three callers at once and delays; a race that is there on purpose is told."""
    program = tmp_path / "workers"
    sources = [REPOSITORY / path for path in ("tests/races/workers.cpp", "cpp/src/team.cpp", "cpp/src/workers.cpp")]
    flags = ["-std=c++17", "-O1", "-g", "-fsanitize=thread", "-fopenmp", f"-I{REPOSITORY / 'cpp/include'}"]
    subprocess.run([races.clang(), *flags, f"-I{REPOSITORY}", *sources, "-o", program], check=True)
    delays = races.build_delays(tmp_path)

    def run(seed, *arguments):
        environment = {**os.environ, "LD_PRELOAD": str(delays), "GASPIPE_DELAY_SEED": str(seed)}
        return subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, timeout=300)

    for seed in range(4):
        done = run(seed)
        assert (done.stdout, done.stderr, done.returncode) == ("right\n", "", 0)
    assert "ThreadSanitizer: data race" in run(0, "race").stderr


def test_every_algorithm_is_looked_at(tmp_path):
    assert {name for name in (*gp.algorithms, *gp.cpu_algorithms) if hasattr(gp, name)} <= calls(tmp_path, 2).keys()


def matrix_of(rng, n):
    """A matrix without parallel edges and loops, with weights of 1 to 9."""
    has_edge = (rng.random((n, n)) < 0.03) & ~np.eye(n, dtype=bool)
    return sp.csr_array(np.where(has_edge, rng.integers(1, 10, (n, n)), 0).astype(np.int32))


def smallest_ids(labels):
    """Components by their smallest vertex."""
    first = {label: v for v, label in reversed(list(enumerate(labels)))}
    return [first[label] for label in labels]


def answers(a):
    """What must come of each call, by other implementations."""
    n = a.shape[0]
    hops = csgraph.shortest_path(a, unweighted=True, indices=0)
    ones = sp.csr_array((np.ones(a.nnz), a.indices, a.indptr), shape=a.shape)
    undirected = nx.Graph(sp.csr_array(ones + ones.T))
    rank = nx.pagerank(nx.DiGraph(ones), tol=1e-12 / n, max_iter=500)
    strong = csgraph.connected_components(a, connection="strong")[1]
    weak = csgraph.connected_components(a, directed=False)[1]
    return {
        "bfs": np.where(np.isinf(hops), -1, hops),
        "sssp": csgraph.dijkstra(a, indices=0),
        "wcc": smallest_ids(weak),
        "scc": smallest_ids(strong),
        "spmv": a @ np.arange(n, dtype=float),
        "pagerank": [rank[v] for v in range(n)],
        "core_numbers": [nx.core_number(undirected)[v] for v in range(n)],
        "transpose": sp.csr_array(a.T).indices,
        "out_degrees": np.diff(a.indptr),
        "partition": a.nnz,
    }


def work_on(graph):
    """All kinds of first calls on a graph, by the names of their answers."""
    x = np.arange(graph.num_vertices, dtype=float)
    functions = {
        "bfs": lambda **how: gp.bfs(graph, **how).depth,
        "sssp": lambda **how: np.where((d := gp.sssp(graph, **how).distance) < 0, np.inf, d),
        "wcc": lambda **how: gp.wcc(graph, **how).component,
        "spmv": lambda **how: gp.spmv(graph, x, **how).values,
        "pagerank": lambda **how: gp.pagerank(graph, tol=1e-12, max_iter=500, **how).rank,
    }
    options = ({}, {"num_threads": 2}, {"domains": 3}, {"method": "gas"})
    return [
        *((name, functools.partial(function, **how)) for name, function in functions.items() for how in options),
        ("scc", lambda: gp.scc(graph).component),
        ("core_numbers", lambda: gp.core_numbers(graph).values),
        ("transpose", lambda: graph.transpose().indices),
        ("out_degrees", graph.out_degrees),
        ("partition", lambda: graph.partition(capacity=64).num_edges),
    ]


def test_python_threads_share_a_graph(rng):
    """All first calls on a graph, which fill its caches, at once; then all of them again, in another order."""
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(4):
            a = matrix_of(rng, 200)
            expected, work = answers(a), work_on(gp.Graph(a))
            together = threading.Barrier(len(work))

            def once(each, together=together):
                name, call = each
                together.wait(60)
                return name, call()

            with ThreadPoolExecutor(len(work)) as pool:
                for order in (work, [work[i] for i in rng.permutation(len(work))]):
                    for name, found in pool.map(once, order):
                        np.testing.assert_allclose(found, expected[name], rtol=1e-6, atol=1e-9, err_msg=name)
    finally:
        sys.setswitchinterval(switch)
