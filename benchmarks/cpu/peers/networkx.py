# SPDX-License-Identifier: Apache-2.0
"""NetworkX, in Python itself (its PageRank is SciPy's power iteration). Left out above a million edges."""

from __future__ import annotations

from typing import Any, Callable, ClassVar

import numpy as np

from cpu.answers import DAMPING, TOL, Answer
from cpu.peer import Library


class Peer(Library):
    name = "NetworkX"
    home = "https://networkx.org"
    module = "networkx"
    whole: ClassVar = {"bfs": "", "sssp": "", "pagerank": "", "wcc": ""}
    variants: ClassVar = {"bfs": ("",), "sssp": ("",), "wcc": ("",)}
    most_edges = 1_000_000  # the graph of a larger one alone takes longer than all others together

    def build(self, case: Any, algorithm: str) -> Any:
        return self.library.from_scipy_sparse_array(case.matrix(np.int32))

    def kernel(self, graph: Any, algorithm: str, variant: str, argument: Any) -> Callable[[], Answer]:
        nx, n = self.library, len(graph)
        if algorithm == "wcc":
            components = list(nx.connected_components(graph))
            return lambda: _by_vertex(((v, i) for i, component in enumerate(components) for v in component), n)
        if algorithm == "pagerank":
            ranks = nx.pagerank(graph, alpha=DAMPING, tol=TOL / n, weight=None, max_iter=1000)
            return lambda: _by_vertex(ranks.items(), n)
        search = nx.single_source_shortest_path_length if algorithm == "bfs" else nx.single_source_dijkstra_path_length
        lengths = search(graph, argument)
        return lambda: _by_vertex(lengths.items(), n)

    def call(self, matrix: Any, algorithm: str, variant: str, argument: Any) -> Answer:
        return self.kernel(self.library.from_scipy_sparse_array(matrix), algorithm, variant, argument)()


def _by_vertex(values: Any, n: int) -> Any:
    answer = np.full(n, -1.0)
    vertices, found = zip(*values)
    answer[list(vertices)] = found
    return answer
