# SPDX-License-Identifier: Apache-2.0
"""Graphs made of NetworkX's: edges, weights, and nodes as labels."""

import re

import networkx as nx
import pandas as pd
import pytest
import scipy.sparse as sp

import gaspipe as gp
from small_matrices import edges_of


def test_networkx_nodes_in_order_need_no_labels():
    graph = gp.Graph(nx.path_graph(4, create_using=nx.DiGraph))
    assert graph.labels is None
    assert edges_of(graph) == [(0, 1, None), (1, 2, None), (2, 3, None)]


def test_networkx_undirected_edges_go_both_ways_and_loops_once():
    source = nx.Graph([(0, 1), (1, 2), (2, 2)])
    assert sorted(edges_of(gp.Graph(source))) == [(0, 1, None), (1, 0, None), (1, 2, None), (2, 1, None), (2, 2, None)]


def test_networkx_parallel_edges_are_kept():
    source = nx.MultiDiGraph()
    source.add_weighted_edges_from([(0, 1, 5), (0, 1, 3), (1, 0, 2)])
    assert sorted(edges_of(gp.Graph(source))) == [(0, 1, 3), (0, 1, 5), (1, 0, 2)]
    undirected = nx.MultiGraph([(0, 1), (0, 1)])
    assert sorted(edges_of(gp.Graph(undirected))) == [(0, 1, None)] * 2 + [(1, 0, None)] * 2


def test_networkx_weights_come_from_the_named_attribute():
    source = nx.DiGraph()
    source.add_edge(0, 1, weight=2.5, toll=7)
    source.add_edge(1, 2)
    assert edges_of(gp.Graph(source)) == [(0, 1, 2.5), (1, 2, 1.0)]
    assert edges_of(gp.Graph(source, weight="toll")) == [(0, 1, 7), (1, 2, 1)]
    assert gp.Graph(source, weight="nothing").weights is None


@pytest.mark.parametrize("weight", [False, True, 5, ["x"]])
def test_the_attribute_with_the_weights_has_a_string_for_its_name(weight):
    with pytest.raises(gp.InputError, match=re.escape(f"weight is {weight!r}; the name of an edge attribute is")):
        gp.Graph(nx.path_graph(3), weight=weight)


@pytest.mark.parametrize("made", [nx.Graph, nx.MultiDiGraph, sp.csr_array, pd.DataFrame, gp.Graph])
def test_a_class_is_no_graph(made):
    with pytest.raises(gp.InputError, match=f"; {made.__name__} is a class, give an object of it"):
        gp.Graph(made)


@pytest.mark.parametrize(
    "nodes",
    [
        ["b", "a", "c"], [0.0, 1.0, 2.0], [False, True, 2], [1, 2, 3], [2, 1, 0], [(0, 0), (0, 1), (1, 0)],
        ["x", 5, (1, 2)], [frozenset([1]), frozenset([2]), "z"],
    ],
    ids=["names", "floats", "bools", "from one", "backwards", "pairs", "mixed", "sets"],
)  # fmt: skip
def test_networkx_nodes_become_labels(nodes):
    source = nx.DiGraph()
    source.add_nodes_from(nodes)
    source.add_edge(nodes[0], nodes[1])
    graph = gp.Graph(source)
    assert list(graph.labels) == nodes
    assert [graph.id_of(node) for node in nodes] == [0, 1, 2]
    assert gp.bfs(graph, nodes[0]).to_dict() == {nodes[0]: 0, nodes[1]: 1, nodes[2]: -1}


def test_networkx_grid_with_pairs_as_nodes_is_taken():
    source = nx.grid_2d_graph(3, 4)
    graph = gp.Graph(source)
    assert graph.id_of((2, 3)) == list(source.nodes).index((2, 3))
