# SPDX-License-Identifier: Apache-2.0
"""LDBC Graphalytics: its six algorithms on its example graphs and on generated ones, every answer validated.

Graphs have the scale that the benchmark gives a size: log10(vertices + edges), 6.5 to 7 is 2XS, 7 to 7.5 XS, 7.5 to
8 S. Generated ones are Kronecker graphs, undirected, with real weights; their edges count once. Answers are
validated by the benchmark's rules against the published ones, or against SciPy, NumPy and igraph. Times are means of
the runs: loading (a .gaspipe file mapped and read), processing (engine time with preparation), makespan (from the call
of Python to the answer). EVPS is edges and vertices per second of processing.

Specification: A. Iosup et al., "The LDBC Graphalytics Benchmark", 2023, arXiv:2011.15028.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from machine import facts, load, require, save, table

np, sp, gp = require("numpy"), require("scipy.sparse", "scipy"), require("gaspipe")
csgraph = require("scipy.sparse.csgraph", "scipy")

EXAMPLES = Path(__file__).parents[1] / "tests" / "data" / "ldbc"
EPSILON = 1e-4
SIZES = ((6.5, "3XS"), (7.0, "2XS"), (7.5, "XS"), (8.0, "S"), (8.5, "M"), (9.0, "L"), (math.inf, "XL"))


class Problem(NamedTuple):
    """A graph, the benchmark's parameters for it, and where right answers come from."""

    name: str
    graph: Any
    num_edges: int  # as the benchmark counts them: of an undirected graph each once
    parameters: dict[str, dict[str, Any]]
    expected: Callable[[str], Any]  # by algorithm


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--scale", type=int, action="append", default=[], help="of a generated graph, 2**SCALE vertices"
    )
    parser.add_argument("--edge-factor", type=int, default=16)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    before = load()
    problems = [example(name) for name in ("example-directed", "example-undirected")]
    problems += [generated(scale, options.edge_factor) for scale in options.scale]
    rows, report = [], []
    for problem in problems:
        seconds = loading_seconds(problem.graph)
        for algorithm, run in ALGORITHMS.items():
            measured = measure(problem, algorithm, run, options)
            report.append({"graph": problem.name, "algorithm": algorithm, "loading": seconds, **measured})
            rows.append(row(problem, algorithm, seconds, measured))
            print(" ".join(rows[-1]), flush=True)
    head = ["graph", "scale", "algorithm", "loading ms", "processing ms", "makespan ms", "spread", "kEVPS", "valid"]
    print("\n" + table(head, rows) + "\n")
    known = facts(gaspipe=gp.__version__, load_before=before, runs=options.runs)
    for key, value in known.items():
        print(f"{key}: {value}")
    save(options.json, {**known, "samples": report})
    if any(not r["valid"] for r in report):
        sys.exit("an answer is not valid")


def scale_of(problem: Problem) -> str:
    scale = math.log10(problem.graph.num_vertices + problem.num_edges)
    return f"{scale:.1f} {next(size for most, size in SIZES if scale < most)}"


def row(problem: Problem, algorithm: str, loading: float, found: dict[str, Any]) -> list[str]:
    work = problem.num_edges + problem.graph.num_vertices
    return [
        problem.name,
        scale_of(problem),
        algorithm,
        f"{1e3 * loading:.3g}",
        f"{1e3 * np.mean(found['processing']):.3g}",
        f"{1e3 * np.mean(found['makespan']):.3g}",
        f"{100 * np.std(found['processing']) / np.mean(found['processing']):.0f} %",
        f"{work / np.mean(found['processing']) / 1e3:,.0f}",
        "yes" if found["valid"] else "NO",
    ]


def measure(problem: Problem, algorithm: str, run: Callable[..., Any], options: argparse.Namespace) -> dict[str, Any]:
    processing, makespan = [], []
    for _ in range(options.runs):
        problem.graph.clear_cache()
        start = time.perf_counter()
        result = run(problem.graph, options.threads, **problem.parameters[algorithm])
        makespan.append(time.perf_counter() - start)
        processing.append(result.stats.seconds + result.stats.prepare_seconds)
    valid = RULES[algorithm](result.values, problem.expected(algorithm), problem.graph)
    return {"processing": processing, "makespan": makespan, "valid": bool(valid)}


def loading_seconds(graph: Any) -> float:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.gaspipe"
        graph.save(path)
        start = time.perf_counter()
        loaded = gp.Graph.load(path)
        loaded.indices.sum()  # reads it all
        return time.perf_counter() - start


# The benchmark's algorithms.

ALGORITHMS: dict[str, Callable[..., Any]] = {
    "BFS": lambda graph, threads, root: gp.bfs(graph, root, num_threads=threads),
    "PR": lambda graph, threads, steps, damping: gp.pagerank(
        graph, damping=damping, tol=0, max_iter=steps, num_threads=threads
    ),
    "WCC": lambda graph, threads: gp.wcc(graph, num_threads=threads),
    "CDLP": lambda graph, threads, steps: gp.label_propagation(graph, max_iter=steps, num_threads=threads),
    "LCC": lambda graph, threads: gp.clustering(graph, num_threads=threads),
    "SSSP": lambda graph, threads, root: gp.sssp(graph, root, num_threads=threads),
}


# Its rules of validation.


def is_same(values: Any, wanted: Any, graph: Any) -> bool:
    return np.array_equal(values, wanted)


def is_same_partition(values: Any, wanted: Any, graph: Any) -> bool:
    pairs = np.unique(np.stack([np.asarray(values, np.int64), np.asarray(wanted, np.int64)]), axis=1).shape[1]
    return pairs == len(np.unique(values)) == len(np.unique(wanted))


def is_near(values: Any, wanted: Any, graph: Any) -> bool:
    finite = np.isfinite(wanted)
    if not np.array_equal(finite, np.isfinite(values)):
        return False
    return bool((np.abs(values[finite] - wanted[finite]) <= EPSILON * wanted[finite]).all())


RULES = {"BFS": is_same, "CDLP": is_same, "WCC": is_same_partition, "PR": is_near, "LCC": is_near, "SSSP": is_near}


# Graphs and right answers.


def example(name: str) -> Problem:
    def lines(file: str) -> list[list[str]]:
        return [line.split() for line in (EXAMPLES / file).read_text().splitlines()]

    told = dict(
        (part.strip() for part in line.split("=", 1))
        for line in (EXAMPLES / f"{name}.properties").read_text().splitlines()
        if "=" in line and not line.startswith("#")
    )
    told = {key.removeprefix(f"graph.{name}."): value for key, value in told.items()}
    edges = np.array(lines(f"{name}.e"), float)
    ends = edges[:, :2].astype(np.int64).T
    if told["directed"] == "false":
        ends, weights = np.hstack([ends, ends[::-1]]), np.tile(edges[:, 2], 2)
    else:
        weights = edges[:, 2]
    graph = gp.Graph((*ends, weights), relabel=True)
    ids = {int(label): v for v, label in enumerate(graph.labels)}

    def expected(algorithm: str) -> Any:
        values = np.zeros(graph.num_vertices)
        for label, value in lines(f"{name}-{algorithm}"):
            values[ids[int(label)]] = ids[int(value)] if algorithm == "CDLP" else float(value)
        if algorithm == "BFS":
            values[values == float(2**63 - 1)] = -1
        return values.astype(np.int64) if algorithm in ("BFS", "CDLP", "WCC") else values

    parameters: dict[str, dict[str, Any]] = {
        "BFS": {"root": int(told["bfs.source-vertex"])},
        "PR": {"steps": int(told["pr.num-iterations"]), "damping": float(told["pr.damping-factor"])},
        "WCC": {},
        "CDLP": {"steps": int(told["cdlp.max-iterations"])},
        "LCC": {},
        "SSSP": {"root": int(told["sssp.source-vertex"])},
    }
    return Problem(name, graph, len(edges), parameters, expected)


def generated(scale: int, edge_factor: int) -> Problem:
    plain = gp.generate.kronecker(scale, edge_factor, seed=7, weights=(1, 255))
    matrix = plain.to_scipy()
    matrix = sp.csr_array((matrix.data / 256.0, matrix.indices, matrix.indptr), shape=matrix.shape)
    graph = gp.Graph(matrix)
    root = int(np.argmax(graph.out_degrees()))
    steps, damping = 10, 0.85
    parameters: dict[str, dict[str, Any]] = {
        "BFS": {"root": root},
        "PR": {"steps": steps, "damping": damping},
        "WCC": {},
        "CDLP": {"steps": steps},
        "LCC": {},
        "SSSP": {"root": root},
    }
    answers: dict[str, Callable[[], Any]] = {
        "BFS": lambda: hops(matrix, root),
        "PR": lambda: ranks(matrix, steps, damping),
        "WCC": lambda: csgraph.connected_components(matrix, directed=False)[1],
        "CDLP": lambda: labels(matrix, steps),
        "LCC": lambda: np.array(upper(matrix).transitivity_local_undirected(mode="zero")),
        "SSSP": lambda: np.array(upper(matrix).distances(source=root, weights="weight")[0]),
    }
    return Problem(f"kronecker{scale}", graph, graph.num_edges // 2, parameters, lambda name: answers[name]())


def hops(matrix: Any, root: int) -> Any:
    order, before = csgraph.breadth_first_order(matrix, root)
    depth = np.full(matrix.shape[0], -1, np.int64)
    depth[root] = 0
    for v in order[1:]:
        depth[v] = depth[before[v]] + 1
    return depth


def ranks(matrix: Any, steps: int, damping: float) -> Any:
    n = matrix.shape[0]
    ones = sp.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)
    degree = np.diff(matrix.indptr)
    ends, transposed = degree == 0, ones.T.tocsr()
    rank = np.full(n, 1 / n)
    for _ in range(steps):
        sent = np.divide(rank, degree, out=np.zeros(n), where=~ends)
        rank = (1 - damping + damping * rank[ends].sum()) / n + damping * (transposed @ sent)
    return rank


def upper(matrix: Any) -> Any:
    """An undirected graph of igraph."""
    edges = sp.triu(matrix, format="coo")
    graph = require("igraph").Graph(n=matrix.shape[0], edges=np.column_stack([edges.row, edges.col]))
    graph.es["weight"] = edges.data
    return graph


def labels(matrix: Any, steps: int) -> Any:
    """Votes sorted by vertex and label, counted as runs."""
    n = matrix.shape[0]
    receivers = np.repeat(np.arange(n, dtype=np.int64), np.diff(matrix.indptr))
    found = np.arange(n)
    for _ in range(steps):
        votes = np.sort(receivers * n + found[matrix.indices])
        starts = np.flatnonzero(np.diff(votes, prepend=-1))
        counts = np.diff(starts, append=len(votes))
        at, label = np.divmod(votes[starts], n)
        best = np.lexsort((label, -counts, at))  # the first of every vertex: most votes, then the smallest
        first = best[np.flatnonzero(np.diff(at[best], prepend=-1))]
        found = found.copy()
        found[at[first]] = label[first]
    return found


if __name__ == "__main__":
    main()
