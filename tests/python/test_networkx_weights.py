# SPDX-License-Identifier: Apache-2.0
"""Weights out of NetworkX's dicts: what the core reads is what Python's loop does, or it leaves them to that."""

import math

import networkx as nx
import numpy as np
import pytest

from gaspipe import _core
from gaspipe._networkx.convert import convert_from_nx


class Number(int):
    """No plain int."""


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([1, -5, 2**63 - 1, -(2**63), 0], np.int64),
        ([0.5, math.inf, -0.0, math.nan, 1e300], np.float64),
        ([1, 2.5], None),
        ([2.5, 1], None),
        ([1, 2**63], None),
        ([1, True], None),
        ([np.float64(0.5), 0.5], None),
        ([1, Number(2)], None),
        (["1", 2], None),
        ([None], None),
    ],
)
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_plain_numbers_are_read_in_the_order_of_the_dicts(values, dtype, kind):
    G = kind()
    rng = np.random.default_rng(1)
    for k, (u, v) in enumerate(rng.integers(0, 40, (300, 2)).tolist()):
        G.add_edge(str(u), v, heavy=values[k % len(values)], other=3)
    wanted = [edge["heavy"] for row in G._adj.values() for edge in row.values()]
    found = _core.edge_attribute(G._adj, "heavy", 7)
    if dtype is None:
        assert found is None
        return
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(convert_from_nx(G, {"heavy": 7}).weights, wanted)
    # What an edge has not is the default, if that is of the same type.
    assert (_core.edge_attribute(G._adj, "light", 7) == 7).all()
    assert _core.edge_attribute(G._adj, "light", None) is None
    del G.edges[next(iter(G.edges))]["heavy"]
    found = _core.edge_attribute(G._adj, "heavy", dtype(7).item())
    np.testing.assert_array_equal(found, [edge.get("heavy", 7) for row in G._adj.values() for edge in row.values()])


def test_what_is_no_plain_dict_is_left_to_python():
    class Edge(dict):
        """With a way of its own to be read."""

        def get(self, key, default=None):
            return 9

    class Graph(nx.Graph):
        edge_attr_dict_factory = Edge

    G = Graph([(0, 1), (1, 2)])
    assert _core.edge_attribute(G._adj, "weight", 1) is None
    assert _core.edge_attribute({0: [1]}, "weight", 1) is None
    assert _core.edge_attribute({}, "weight", 1) is None
    G.edges[0, 1]["weight"] = 2  # or NetworkX's default holds for all
    assert convert_from_nx(G, {"weight": 1}).weights.tolist() == [9] * 4
