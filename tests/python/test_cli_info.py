# SPDX-License-Identifier: Apache-2.0
"""`gaspipe info`: what it counts, and how it shows that."""

import json

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp
from command import gaspipe, random_matrix


@pytest.mark.parametrize("seed", range(4))
def test_info_counts_what_networkx_counts(tmp_path, seed):
    rng = np.random.default_rng(seed)
    n, m = 60, (30, 80, 300, 1500)[seed]
    pairs = rng.integers(0, n, (m, 2)).tolist() + [[n - 1, 0], [3, 3]]
    path = tmp_path / "g.txt"
    path.write_text("".join(f"{u} {v}\n" for u, v in pairs))
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(map(tuple, pairs))
    told = json.loads(gaspipe("info", path, "--json").stdout)
    components = list(nx.weakly_connected_components(graph))
    simple = nx.DiGraph(graph)
    assert (told["num_vertices"], told["num_edges"]) == (n, m + 2)
    assert told["self_loops"] == nx.number_of_selfloops(graph)
    assert told["parallel_edges"] == graph.number_of_edges() - simple.number_of_edges()
    assert told["dangling_vertices"] == sum(d == 0 for _, d in graph.out_degree())
    assert told["max_out_degree"] == max(d for _, d in graph.out_degree())
    assert told["weak_components"] == len(components)
    assert told["largest_component"] == max(map(len, components))
    assert told["is_symmetric"] is False
    assert told["weights"] is told["weights_min"] is None
    for direction, degrees in (("out", graph.out_degree()), ("in", graph.in_degree())):
        bits = [int(d).bit_length() for _, d in degrees]
        assert [b["vertices"] for b in told[f"{direction}_degrees"]] == [bits.count(k) for k in range(max(bits) + 1)]


@pytest.mark.parametrize(
    ("rows", "is_symmetric", "has_symmetric_edges"),
    [
        ("0 1 5\n1 0 5\n2 2 1\n", True, True),
        ("0 1 5\n1 0 6\n", False, True),
        ("0 1 5\n1 2 5\n", False, False),
        ("0 1 5\n0 1 7\n1 0 5\n", True, True),
    ],
)
def test_info_tells_symmetry_of_edges_and_weights(tmp_path, rows, is_symmetric, has_symmetric_edges):
    (tmp_path / "g.txt").write_text(rows)
    told = json.loads(gaspipe("info", tmp_path / "g.txt", "--json").stdout)
    assert (told["is_symmetric"], told["is_pattern_symmetric"]) == (is_symmetric, has_symmetric_edges)
    weights = [int(row.split()[2]) for row in rows.splitlines()]
    assert (told["weights"], told["weights_min"], told["weights_max"]) == ("int32", min(weights), max(weights))


def test_info_counts_self_loops_across_slices(tmp_path, monkeypatch):
    from gaspipe.cli import info

    rng = np.random.default_rng(1)
    pairs = rng.integers(0, 30, (500, 2))
    graph = gp.Graph((pairs[:, 0], pairs[:, 1]))
    for size in (1, 7, 100, 10_000):
        monkeypatch.setattr(info, "_SLICE", size)
        assert info._count_self_loops(graph) == (pairs[:, 0] == pairs[:, 1]).sum()


def test_info_shows_format_and_bars_that_fit_the_terminal(tmp_path, monkeypatch):
    sp.save_npz(tmp_path / "m.npz", random_matrix(40, 40, seed=2))
    for columns in (60, 90):
        monkeypatch.setenv("COLUMNS", str(columns))
        text = gaspipe("info", tmp_path / "m.npz").stdout
        assert "(npz, read in" in text
        bars = [line for line in text.splitlines() if "#" in line]
        assert columns - 8 <= max(map(len, bars)) <= columns


def test_info_takes_matrices_that_are_not_square(tmp_path):
    matrix = random_matrix(20, 33, seed=3)
    sp.save_npz(tmp_path / "m.npz", matrix)
    told = json.loads(gaspipe("info", tmp_path / "m.npz", "--json").stdout)
    assert told["shape"] == [20, 33]
    assert told["dangling_vertices"] == int((np.diff(matrix.indptr) == 0).sum())
    assert sum(b["vertices"] for b in told["out_degrees"]) == 20
    assert sum(b["vertices"] for b in told["in_degrees"]) == 33
    assert "weak_components" not in told
    assert "20 x 33" in gaspipe("info", tmp_path / "m.npz").stdout


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_info_takes_matrices_without_rows_or_columns(tmp_path, shape):
    path = tmp_path / "m.npz"
    sp.save_npz(path, sp.csr_array(shape))
    told = json.loads(gaspipe("info", path, "--json").stdout)
    assert (told["shape"], told["mean_degree"], told["dangling_vertices"]) == ([*shape], 0, shape[0])
    assert "mean 0" in gaspipe("info", path).stdout


def test_info_of_a_long_path_is_quick(tmp_path):
    (tmp_path / "chain.txt").write_text("".join(f"{v} {v + 1}\n" for v in range(200_000)))
    assert json.loads(gaspipe("info", tmp_path / "chain.txt", "--json").stdout)["weak_components"] == 1
