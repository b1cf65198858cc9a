# SPDX-License-Identifier: Apache-2.0
"""What NetworkX reads of gaspipe when it is imported: names and texts only, so that nothing else of gaspipe loads.

`OFFERED` and `NOT_OFFERED` are the only lists of functions; documentation is made of them.
"""

from __future__ import annotations

from typing import Any

_ORDER = "order of the dict as NetworkX's"
_REVERSE = "not against the directions of a directed graph: the order of in-edges is not converted"

# Per function of NetworkX: the algorithm of gaspipe that answers, and what to add to NetworkX's description.
OFFERED: dict[str, tuple[str, str]] = {
    "ancestors": ("bfs", ""),
    "average_clustering": ("triangles", "weight=None; undirected, no multigraphs"),
    "average_shortest_path_length": ("multi_source", "weight=None"),
    "betweenness_centrality": ("betweenness", "weight=None, k=None, endpoints=False"),
    "bfs_edges": ("bfs", f"sort_neighbors=None; {_REVERSE}"),
    "bfs_layers": ("bfs", "from one node"),
    "bfs_predecessors": ("bfs", "sort_neighbors=None"),
    "bfs_successors": ("bfs", "sort_neighbors=None"),
    "bfs_tree": ("bfs", f"sort_neighbors=None; {_REVERSE}"),
    "closeness_centrality": ("closeness", "distance=None"),
    "clustering": ("triangles", "weight=None; undirected, no multigraphs"),
    "connected_components": ("wcc", ""),
    "core_number": ("core_numbers", "undirected"),
    "descendants": ("bfs", ""),
    "descendants_at_distance": ("bfs", ""),
    "diameter": ("diameter, multi_source", "weight=None, e=None"),
    "dijkstra_path": ("sssp", ""),
    "dijkstra_path_length": ("sssp", ""),
    "eccentricity": ("multi_source", "weight=None, sp=None"),
    "eigenvector_centrality": ("eigenvector", ""),
    "greedy_color": (
        "coloring",
        'strategy="largest_first", interchange=False; undirected, no multigraphs or self-loops',
    ),
    "has_path": ("bfs", ""),
    "is_connected": ("wcc", ""),
    "is_strongly_connected": ("scc", ""),
    "is_weakly_connected": ("wcc", ""),
    "jaccard_coefficient": ("jaccard", "ebunch= is needed; no self-loops"),
    "katz_centrality": ("katz", "beta= is a number, nstart=None"),
    "louvain_communities": ("louvain", "seed=None, undirected, no multigraphs; the same communities at every call"),
    "maximal_independent_set": ("maximal_independent_set", "nodes=None, seed=None; another set at every call"),
    "node_connected_component": ("wcc", ""),
    "number_connected_components": ("wcc", ""),
    "number_strongly_connected_components": ("scc", ""),
    "number_weakly_connected_components": ("wcc", ""),
    "pagerank": ("pagerank, weighted_pagerank, spmv", "no multigraphs; personalization=, nstart= and dangling= too"),
    "periphery": ("multi_source", "weight=None, e=None, usebounds=False"),
    "radius": ("multi_source", "weight=None, e=None, usebounds=False"),
    "shortest_path": ("bfs, sssp", f'from one node to all, method="dijkstra"; {_REVERSE}'),
    "shortest_path_length": ("bfs, sssp", f'not for all pairs, method="dijkstra"; {_REVERSE}'),
    "single_source_dijkstra": ("sssp", _ORDER),
    "single_source_dijkstra_path": ("sssp", _ORDER),
    "single_source_dijkstra_path_length": ("sssp", _ORDER),
    "single_source_shortest_path": ("bfs", _ORDER),
    "single_source_shortest_path_length": ("bfs", _ORDER),
    "single_target_shortest_path": ("bfs", _REVERSE),
    "single_target_shortest_path_length": ("bfs", _REVERSE),
    "strongly_connected_components": (
        "scc",
        "each after all that it has edges to, as in NetworkX; cycles can make another order among those not joined",
    ),
    "transitivity": ("triangles", "undirected, no multigraphs"),
    "triangles": ("triangles", "no multigraphs"),
    "weakly_connected_components": ("wcc", ""),
}

_COPIES = "returns a copy of the graph with all attributes, and copying takes the time, not the search"

# Functions for which gaspipe has a related algorithm, and why they are not answered.
NOT_OFFERED: dict[str, str] = {
    "bidirectional_dijkstra": "which of several shortest paths it returns depends on where two searches meet",
    "bidirectional_shortest_path": "which of several shortest paths it returns depends on where two searches meet",
    "center": "NetworkX answers for a tree by another method, in another order",
    "common_neighbors": "asks for one pair, which takes less time than a conversion",
    "edge_betweenness_centrality": "gaspipe's betweenness is that of vertices",
    "ego_graph": _COPIES,
    "harmonic_centrality": "gaspipe's closeness keeps sums of distances, not of their reciprocals",
    "hits": "NetworkX starts ARPACK at random; where the largest singular value is nearly multiple, answers differ",
    "k_core": _COPIES,
    "k_truss": _COPIES,
    "label_propagation_communities": "another rule for ties, so other communities",
    "min_weighted_vertex_cover": "another approximation, so another cover",
    "minimum_spanning_edges": "edges of equal weight: gaspipe and NetworkX take different ones",
    "minimum_spanning_tree": _COPIES,
    "random_walks": "not a function of NetworkX",
}


def get_info() -> dict[str, Any]:
    """Return what NetworkX lists of this backend: the entry point `networkx.backend_info`."""
    return {
        "backend_name": "gaspipe",
        "project": "gaspipe",
        "package": "gaspipe",
        "short_summary": "Multi-threaded C++ on the CPU.",
        "functions": {
            name: {"additional_docs": f"Answered by gaspipe's {algorithm}" + (f": {note}." if note else ".")}
            for name, (algorithm, note) in OFFERED.items()
        },
    }
