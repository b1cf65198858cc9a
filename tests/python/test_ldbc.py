# SPDX-License-Identifier: Apache-2.0
"""The example graphs of LDBC Graphalytics and their published answers, by the benchmark's own rules.

BFS and CDLP must match exactly, WCC as a partition; LCC, PR and SSSP within 1e-4 of the expected value, relative, and
infinite where that is.
"""

import math

import numpy as np
import pytest

import gaspipe as gp
import zoo

UNREACHED = 9223372036854775807
GRAPHS = ("example-directed", "example-undirected")
METHODS = ("auto", "gas")


def lines(name):
    return [line.split() for line in (zoo.LDBC / name).read_text().splitlines()]


def properties(name):
    text = (zoo.LDBC / f"{name}.properties").read_text()
    pairs = [line.split("=") for line in text.splitlines() if "=" in line and not line.startswith("#")]
    return {key.strip().removeprefix(f"graph.{name}."): value.strip() for key, value in pairs}


def load(name):
    """Graph with the file's ids as labels, and its properties."""
    about = properties(name)
    edges = lines(f"{name}.e")
    sources, destinations = ([int(edge[k]) for edge in edges] for k in (0, 1))
    weights = [float(edge[2]) for edge in edges]
    if about["directed"] == "false":
        sources, destinations, weights = sources + destinations, destinations + sources, weights + weights
    graph = gp.Graph((sources, destinations, weights), relabel=True)
    assert graph.labels.tolist() == [int(line[0]) for line in lines(f"{name}.v")]
    assert graph.num_vertices == int(about["meta.vertices"])
    assert len(edges) == int(about["meta.edges"])
    return graph, about


def published(name, algorithm, read):
    return {int(vertex): read(value) for vertex, value in lines(f"{name}-{algorithm}")}


def assert_within_rule(result, wanted):
    actual = result.to_dict()
    assert actual.keys() == wanted.keys()
    for vertex, value in wanted.items():
        if math.isinf(value):
            assert math.isinf(actual[vertex]), vertex
        else:
            assert abs(value - actual[vertex]) <= 1e-4 * value, vertex


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", GRAPHS)
def test_bfs_matches_the_published_depths(name, method):
    graph, about = load(name)
    result = gp.bfs(graph, int(about["bfs.source-vertex"]), method=method)
    depths = {v: UNREACHED if depth == -1 else depth for v, depth in result.to_dict().items()}
    assert depths == published(name, "BFS", int)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("number", ["float64", "float32", "fixed"])
@pytest.mark.parametrize("name", GRAPHS)
def test_pagerank_matches_the_published_ranks(name, number, method):
    graph, about = load(name)
    damping, steps = float(about["pr.damping-factor"]), int(about["pr.num-iterations"])
    result = gp.pagerank(graph, damping=damping, tol=0, max_iter=steps, number=number, method=method)
    assert result.stats.num_supersteps == steps
    assert_within_rule(result, published(name, "PR", float))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("number", ["auto", "float64", "float32"])
@pytest.mark.parametrize("name", GRAPHS)
def test_sssp_matches_the_published_distances(name, number, method):
    graph, about = load(name)
    result = gp.sssp(graph, int(about["sssp.source-vertex"]), number=number, method=method)
    assert_within_rule(result, published(name, "SSSP", float))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", GRAPHS)
def test_wcc_matches_the_published_components(name, method):
    graph, _ = load(name)
    actual, wanted = gp.wcc(graph, method=method).to_dict(), published(name, "WCC", int)
    # One label of ours to each of theirs, and back.
    pairs = {(actual[v], wanted[v]) for v in wanted}
    assert actual.keys() == wanted.keys()
    assert len(pairs) == len(set(actual.values())) == len(set(wanted.values()))


@pytest.mark.parametrize("name", GRAPHS)
def test_label_propagation_matches_the_published_labels(name):
    graph, about = load(name)
    found = gp.label_propagation(graph, max_iter=int(about["cdlp.max-iterations"]))
    assert found.to_dict() == published(name, "CDLP", int)


@pytest.mark.parametrize("name", GRAPHS)
def test_clustering_matches_the_published_coefficients(name):
    graph, _ = load(name)
    assert_within_rule(gp.clustering(graph), published(name, "LCC", float))


@pytest.mark.parametrize("name", GRAPHS)
def test_zoo_holds_the_same_graph(name):
    graph, _ = load(name)
    matrix = zoo.ZOO[name.replace("example-", "ldbc_")]()
    assert np.array_equal(graph.to_scipy().toarray(), matrix.toarray())
