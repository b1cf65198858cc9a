# SPDX-License-Identifier: Apache-2.0
"""`directed=` wherever a graph is read or made, against NetworkX and SciPy; and what a pipe of CSV is told."""

import subprocess
import sys
from collections import Counter

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import gaspipe as gp
from command import environment
from thread_ranks import on_ranks

# One edge twice, one in both directions, and a self-loop.
EDGES = [(0, 1, 5), (0, 1, 7), (1, 2, 6), (2, 1, 4), (3, 3, 9), (4, 0, 2)]
ENDS = tuple(np.array(column) for column in zip(*EDGES))


def edges_of(graph):
    weights = [1] * graph.num_edges if graph.weights is None else graph.weights.tolist()
    sources = np.repeat(np.arange(graph.num_vertices), graph.out_degrees()).tolist()
    return Counter(zip(sources, graph.indices.tolist(), weights))


def wanted(directed=False):
    """NetworkX's edges, each in both directions where the graph is undirected."""
    plain = (nx.MultiDiGraph if directed else nx.MultiGraph)()
    plain.add_weighted_edges_from(EDGES)
    return Counter(
        (u, v, w) for u in plain for _, v, w in (plain.to_directed() if not directed else plain).edges(u, "weight")
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("directed")
    lines = [f"{u} {v} {w}\n" for u, v, w in EDGES]
    (folder / "edges.txt").write_text("".join(lines))
    (folder / "edges.csv").write_text("from,to,weight\n" + "".join(line.replace(" ", ",") for line in lines))
    arcs = "".join(f"a {u + 1} {v + 1} {w}\n" for u, v, w in EDGES)
    (folder / "edges.gr").write_text(f"p sp 5 {len(EDGES)}\n{arcs}")
    table = pd.DataFrame(EDGES, columns=["source", "target", "weight"])
    table.to_parquet(folder / "edges.parquet")
    return folder


@pytest.mark.parametrize("name", ["edges.txt", "edges.csv", "edges.gr", "edges.parquet"])
def test_rows_of_files_are_edges_in_both_directions(folder, name, tmp_path):
    path = folder / name
    assert edges_of(gp.Graph.from_file(path, directed=False)) == wanted()
    assert edges_of(gp.Graph.from_file(path, directed=True)) == wanted(directed=True)
    gp.convert(path, tmp_path / "out.gaspipe", directed=False)
    assert edges_of(gp.Graph.load(tmp_path / "out.gaspipe")) == wanted()
    with pytest.raises(gp.InputError, match="directed is 'no'; a bool is needed"):
        gp.Graph.from_file(path, directed="no")
    if name != "edges.csv":  # which ranks do not read by default columns
        for found in on_ranks(
            2, lambda world: (world.read(path, directed=False).num_edges, world.read(path).num_edges)
        ):
            assert found == (sum(wanted().values()), len(EDGES))


def test_arrays_tables_and_matrices():
    table = pd.DataFrame(EDGES, columns=["u", "v", "weight"])
    named = table.assign(u=table["u"].map(str), v=table["v"].map(str))
    for given in (ENDS, table, named):
        assert edges_of(gp.Graph(given, directed=False)) == wanted()
        assert edges_of(gp.Graph(given, directed=True)) == edges_of(gp.Graph(given)) == wanted(directed=True)
    names = np.array(list("abcde"))
    assert edges_of(gp.Graph((names[ENDS[0]], names[ENDS[1]], ENDS[2]), directed=False)) == wanted()
    matrix = sp.csr_array((ENDS[2][1:].astype(float), (ENDS[0][1:], ENDS[1][1:])), shape=(5, 5))
    found = gp.Graph(matrix, directed=False)
    either = sp.csgraph.dijkstra(matrix, directed=False)
    np.testing.assert_array_equal(np.vstack([gp.sssp(found, v).values for v in range(5)]), either)
    assert edges_of(gp.Graph.from_table(table, "u", "v", directed=False)) == wanted()

    def work(world):
        own = slice(world.rank, None, world.size)
        of_arrays = world.edges(*(column[own] for column in ENDS), directed=False)
        return of_arrays.num_edges, world.table(table.iloc[own], directed=False).num_edges

    assert on_ranks(2, work) == [(sum(wanted().values()),) * 2] * 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: gp.Graph(nx.path_graph(3), directed=True), "this NetworkX graph is undirected; use data.to_directed"),
        (lambda: gp.Graph(nx.DiGraph([(0, 1)]), directed=False), "graph is directed; use data.to_undirected"),
        (lambda: gp.Graph(gp.generate.chain(3), directed=False), "of a Graph use symmetrize"),
        (lambda: gp.Graph(sp.eye_array(3, format="csr"), copy=False, directed=False), "directed=False needs copy=True"),
        (lambda: gp.Graph(ENDS, directed=1), "directed is 1; a bool is needed"),
        (lambda: gp.Graph.from_table(pd.DataFrame({"u": [0], "v": [1]}), directed="no"), "directed is 'no'"),
    ],
)
def test_what_says_its_direction_itself_has_to_agree(make, message):
    with pytest.raises(gp.InputError, match=message):
        make()
    assert gp.Graph(nx.path_graph(3), directed=False).num_edges == 4


def test_files_that_say_it_themselves_have_to_agree(tmp_path):
    nx.write_graphml(nx.path_graph(3), tmp_path / "path.graphml")
    assert gp.Graph.from_file(tmp_path / "path.graphml", directed=False).num_edges == 4
    header = b"\1" + np.array([1, 2], "<i8").tobytes()
    rows = np.array([0, 1, 1], "<i8").tobytes() + np.array([1], "<i4").tobytes()
    (tmp_path / "one.sg").write_bytes(header + 2 * rows)
    assert gp.Graph.from_file(tmp_path / "one.sg", directed=True).num_edges == 1
    gp.Graph(ENDS).to_file(tmp_path / "edges.npz")
    for name, directed, message in (
        ("path.graphml", True, "directed=True, but .*path.graphml says False"),
        ("one.sg", False, "directed=False, but .*one.sg says True"),
        ("edges.npz", False, "read as 'npz'; symmetrize"),
    ):
        with pytest.raises(gp.InputError, match=message):
            gp.Graph.from_file(tmp_path / name, directed=directed)


def test_ids_too_large_for_a_file_are_told_what_from_file_has(tmp_path):
    (tmp_path / "far.csv").write_text("from,to\n1,4000000000\n")
    with pytest.raises(gp.InputError, match=r"far.csv: .*; use relabel=True, or, if that is meant, give Graph or"):
        gp.Graph.from_file(tmp_path / "far.csv")


def test_a_pipe_of_csv_is_told_of_its_format(folder):
    def ask(*options):
        command = [sys.executable, "-m", "gaspipe", "bfs", "-", *options]
        text = (folder / "edges.csv").read_bytes()
        return subprocess.run(command, input=text, capture_output=True, env=environment(), timeout=60, check=False)

    failed = ask()
    assert failed.returncode == 3
    assert b'found "from,to' in failed.stderr
    assert b"--format" in failed.stderr
    assert b"csv" in failed.stderr
    assert b"5 vertices, 11 edges" in ask("--format", "csv", "--not-directed").stdout
