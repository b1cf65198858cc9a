# SPDX-License-Identifier: Apache-2.0
"""benchmarks/hbm.py: published figures as published, and its models on cases that can be counted by hand."""

import sys
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest

import gaspipe as gp
from conftest import REPOSITORY

sys.path.append(str(REPOSITORY / "benchmarks"))

import hbm


def test_published_figures_are_those_of_the_table():
    text = (REPOSITORY / "benchmarks" / "results" / "hbm.md").read_text(encoding="utf-8")
    assert hbm.REGRAPH_SHAPE == {"R19": 10874.5, "R21": 12296.5, "R24": 9721.35, "G23": 12217.0}
    assert [cell[2] for cell in hbm.SCALABFS.values()] == [10.3, 14.5, 19.7]
    assert (hbm.SCALABFS2_GTEPS, hbm.SERPENS_GTEPS) == (56.92, 30.204)
    for figure in ("10874", "12296", "10.3", "14.5", "19.7", "56.92", "30.204"):
        assert figure in text


def test_a_search_reads_what_its_levels_need():
    # A star of 20 leaves, two of them with a leaf of their own: levels of 1, 20 and 2 vertices.
    star = nx.star_graph(20)
    star.add_edges_from([(1, 21), (2, 22)])
    ends = np.array(star.edges)
    graph = gp.Graph((np.concatenate([ends[:, 0], ends[:, 1]]), np.concatenate([ends[:, 1], ends[:, 0]])))
    depth, degrees = hbm.depths(graph)
    assert np.bincount(depth).tolist() == [1, 20, 2]
    assert degrees.tolist() == [d for _, d in sorted(star.degree)]
    # Pushed: 20 neighbors in three granules of 32 bytes and one for where they begin. Then 2 vertices pull a neighbor
    # each, where pushing would read 20 lists. At last nothing is left to reach, and pulling reads nothing.
    edges, num_bytes = hbm.search_traffic(depth, degrees, 32)
    assert edges == 20 + 2
    assert num_bytes == 4 * 32 + 2 * 64 + 23 * 64


def test_serpens_is_bound_by_words_or_by_one_row():
    channels, mhz = 2, 100.0  # 16 PEs, below the clock at which memory is too slow
    rows = np.repeat(np.arange(16), 50)
    columns = np.tile(np.arange(50), 16)
    vectors = 8192 / 16 + 2 * 16 / 16
    cycles, streamed = hbm.serpens_cycles(rows, columns, 16, 8192, channels, mhz)
    assert streamed == 800 / 16 + vectors
    assert cycles == 10 * 50 + vectors  # each PE has one row: a sum every 10 cycles
    rows = np.arange(800) % 400
    cycles, streamed = hbm.serpens_cycles(rows, np.arange(800) % 7, 400, 8192, channels, mhz)
    assert cycles == streamed == 800 / 16 + 8192 / 16 + 2 * 400 / 16
    fast, _ = hbm.serpens_cycles(rows, np.arange(800) % 7, 400, 8192, channels, 400.0)
    assert fast == pytest.approx(50 * 64 * 400e6 / hbm.HBM_BYTES_PER_SECOND + 8192 / 16 + 50)


def test_values_of_a_matrix_cost_their_bytes(monkeypatch):
    monkeypatch.setitem(hbm.SCALABFS, "small", (13, 16, 0.0, 0.0))
    lines = hbm.spmv(SimpleNamespace(graphs=[], searches=["small"])).splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("| small")]
    assert [row[2] for row in cells] == ["none", "int32", "float32", "float64"]
    alone, num_bytes = ([float(row[column]) for row in cells] for column in (4, 7))
    assert alone[0] > alone[1] >= alone[2] > alone[3] > 0
    assert num_bytes[1] - num_bytes[0] == pytest.approx(4, abs=0.3)
    assert num_bytes[2] == num_bytes[1]
    assert num_bytes[3] - num_bytes[2] > 4  # and twice the properties
    assert [float(row[5]) for row in cells] == pytest.approx([rate / 30.204 for rate in alone], abs=0.01)
