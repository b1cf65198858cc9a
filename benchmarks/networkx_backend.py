# SPDX-License-Identifier: Apache-2.0
"""NetworkX with backend="gaspipe" beside NetworkX alone: the same call, the conversion of the graph included.

Graphs are Kronecker graphs as dicts of NetworkX. Before a call with the backend the cache of the graph is cleared,
so that every call converts; the column "kept" has the same call with the conversion of the one before. Answers are
compared before times count. All sides run in turn. Bar: PageRank on 10^6 edges at least 10 times as fast.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from typing import Any, Callable

from machine import facts, load, require, save, table

BAR = 10.0
BAR_CALL = "pagerank"


def made(nx: Any, gp: Any, scale: int, degree: int, num_edges: int | None, directed: bool, weights: bool) -> Any:
    """A Kronecker graph with at most `num_edges` edges, none of them parallel or loops."""
    np = require("numpy")
    graph = gp.generate.kronecker(scale, degree, seed=1).simplify()
    sources = np.repeat(np.arange(graph.num_vertices), graph.out_degrees())
    ends = np.asarray(graph.indices)
    pairs = np.column_stack([sources, ends])[sources != ends]
    pairs = pairs if directed else pairs[pairs[:, 0] < pairs[:, 1]]
    rng = np.random.default_rng(1)
    pairs = rng.permutation(pairs)[:num_edges].tolist()
    G = nx.DiGraph() if directed else nx.Graph()
    G.add_nodes_from(range(graph.num_vertices))
    if weights:
        drawn = rng.integers(1, 1000, len(pairs)).tolist()
        G.add_weighted_edges_from((u, v, w) for (u, v), w in zip(pairs, drawn))
    else:
        G.add_edges_from(pairs)
    return G


def is_same(found: Any, expected: Any) -> bool:
    if isinstance(expected, dict):
        return list(found) == list(expected) and all(
            math.isclose(found[node], value, rel_tol=1e-6, abs_tol=1e-12) for node, value in expected.items()
        )
    return {frozenset(part) for part in found} == {frozenset(part) for part in expected}


def measured(call: Callable[..., Any], G: Any, rounds: int, name: str) -> dict[str, list[float]]:
    seconds: dict[str, list[float]] = {"networkx": [], "gaspipe": [], "kept": []}
    for turn in range(rounds):
        answers = {}
        for side, times in seconds.items():
            if side != "kept":
                G.__networkx_cache__.clear()
            start = time.perf_counter()
            answers[side] = call(G, backend="networkx" if side == "networkx" else "gaspipe")
            times.append(time.perf_counter() - start)
        if turn == 0 and not is_same(answers["gaspipe"], answers["networkx"]):
            sys.exit(f"networkx_backend.py: {name} has another answer with the backend")
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--only", metavar="NAME", help="one call")
    options = parser.parse_args()
    before = load()
    nx, gp = require("networkx"), require("gaspipe")
    if "gaspipe" not in nx.utils.backends.backends:
        sys.exit("networkx_backend.py: NetworkX does not find the backend; install gaspipe with pip")
    nx.config.warnings_to_ignore.add("cache")

    def listed(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda G, **backend: list(function(G, **backend))

    def from_hub(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda G, **backend: function(G, max(G, key=G.degree), **backend)

    million, hundred, few = (17, 16, 1_000_000), (14, 16, 100_000), (10, 16, 10_000)
    plans = {
        ("directed", True, False, million): {
            "pagerank": nx.pagerank,
            "single_source_shortest_path_length": from_hub(nx.single_source_shortest_path_length),
            "strongly_connected_components": listed(nx.strongly_connected_components),
        },
        ("directed, weights", True, True, million): {
            "pagerank, weights": nx.pagerank,
            "single_source_dijkstra_path_length": from_hub(nx.single_source_dijkstra_path_length),
        },
        ("undirected", False, False, million): {
            "connected_components": listed(nx.connected_components),
            "core_number": nx.core_number,
        },
        ("undirected", False, False, hundred): {
            "triangles": nx.triangles,
            "clustering": nx.clustering,
        },
        ("undirected", False, False, few): {
            "closeness_centrality": nx.closeness_centrality,
            "betweenness_centrality": nx.betweenness_centrality,
        },
    }
    rows, report = [], {}
    for (kind, directed, weights, (scale, degree, most)), calls in plans.items():
        asked = {name: call for name, call in calls.items() if options.only in (None, name)}
        if not asked:
            continue
        G = made(nx, gp, scale, degree, most, directed, weights)
        for name, call in asked.items():
            seconds = report[name] = measured(call, G, options.rounds, name)
            own, ours, kept = (statistics.median(times) for times in seconds.values())
            bar = ("yes" if own / ours >= BAR else "NO") if name == BAR_CALL else ""
            shown = [f"{own:.3g}", f"{ours:.3g}", f"{own / ours:.3g}", f"{kept:.3g}", f"{own / kept:.3g}"]
            rows.append([name, f"{kind}, {G.number_of_edges():,}", *shown, bar])
    head = ["call", "graph, edges", "NetworkX, s", "gaspipe, s", "times as fast", "kept, s", "times", f">= {BAR:.0f}"]
    print(table(head, rows), end="\n\n")
    known = facts(
        gaspipe=gp.__version__, networkx=nx.__version__, rounds=options.rounds, load=f"{before} before, {load()} after"
    )
    print("\n".join(f"{key}: {value}" for key, value in known.items()))
    save(options.json, {"facts": known, "seconds": report})


if __name__ == "__main__":
    main()
