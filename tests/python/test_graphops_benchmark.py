# SPDX-License-Identifier: Apache-2.0
"""benchmarks/graphops.py: its graph, counts of bytes, what it calls equal bandwidth, and a small run of all of it."""

import re
import subprocess
import sys

import numpy as np
import pytest

import gaspipe as gp
from conftest import REPOSITORY

sys.path.append(str(REPOSITORY / "benchmarks"))

import graphops

pytestmark = pytest.mark.usefixtures("compiled_snippets")


@pytest.fixture(scope="module")
def edges():
    return graphops.draw(400, 5000, 1.2)


@pytest.fixture(scope="module")
def rows(edges):
    sources, destinations = edges
    return graphops.rows_of(destinations, sources, 400)


def test_the_graph_has_its_size_and_uneven_degrees(edges):
    sources, destinations = edges
    assert len(sources) == len(destinations) == 5000
    assert (np.diff(sources.astype(int)) >= 0).all()
    in_degrees = np.bincount(destinations, minlength=400)
    assert in_degrees.max() > 5 * in_degrees.mean()
    alike = np.bincount(graphops.draw(400, 5000, 0.0)[1], minlength=400)
    assert alike.max() < 3 * alike.mean()


def test_rows_are_those_of_in_edges(edges, rows):
    offsets, others = rows
    pairs = sorted(zip(edges[1].tolist(), edges[0].tolist()))
    owners = np.repeat(np.arange(400), np.diff(offsets).astype(int))
    assert sorted(zip(owners.tolist(), others.tolist())) == pairs


def test_blocks_are_counted_set_by_set(rows):
    offsets = rows[0].astype(int)
    for size in (16, 32):
        counted = sum(len({e // size for e in range(a, b)}) for a, b in zip(offsets, offsets[1:]))
        assert graphops.num_blocks(rows[0], size) == counted


def test_the_published_formats_bound_what_can_be_reached():
    # 64 vertices with 32 elements each, from a burst's start: two packets a set; 4 bursts of vertices together.
    offsets = np.arange(65, dtype=np.uint64) * 32
    bound = graphops.published_bound(offsets, 1)
    assert bound == pytest.approx(64 * 32 / (64 * 2 / 150))
    assert graphops.published_bound(offsets, 4) == pytest.approx(64 * 32 / (64 * 4 / 150))


@pytest.mark.parametrize("algorithm", list(graphops.PUBLISHED))
def test_chains_are_those_of_the_accelerators(algorithm, rows):
    # Ports of 64 bytes at 150 MHz never move more than 9.6 GB/s; SpMV reads twice as much along edges.
    run = graphops.run_chain(algorithm, "how", 150, 1, rows)
    lines = 64 * graphops.num_blocks(rows[0], 16) / 5000
    assert run.bytes_per_edge["elements"] == pytest.approx(lines)
    assert ("weights" in run.bytes_per_edge) == (algorithm == "spmv")
    assert run.mteps * lines <= 9600
    slow = graphops.run_chain(algorithm, "how", 150, 8, rows)
    assert slow.mteps < run.mteps


def test_equal_bandwidth_is_counted_by_ports_and_by_memory():
    ports = np.array([("a", 0), ("b", 0), ("c", 3)], [("name", "U8"), ("bank", "i4")])
    run = graphops.OnBoard("pagerank", 0, 0, 1, ports, 250)
    memory = gp.Board("u250")["memory"]
    ways = graphops.ways_to_count(run, memory)
    # Two ports of 16 GB/s at a bank that delivers 18, one at another; 4 banks of 19.2.
    expected = [(38.4, 18 + 16), (14.4, 16), (38.4, 76.8)]
    assert [tuple(round(x / 1e9, 3) for x in way) for way in ways.values()] == expected


def test_the_whole_report_on_a_small_graph(tmp_path):
    out = tmp_path / "graphops.md"
    script = REPOSITORY / "benchmarks" / "graphops.py"
    done = subprocess.run(
        [sys.executable, str(script), "--shrink", "500", "--out", str(out)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    text = out.read_text(encoding="utf-8")
    assert "Graph: 3,265 vertices, 61,245 edges" in text
    for port in ("offsets", "replicas", "gathered", "updated", "targets", "set", "next_set"):
        assert re.search(rf"\| {port} +\| \d +\| +[\d.]+", text), port
    assert len(re.findall(r"\| +(?:yes|NO) +\|", text)) == 9  # of which three are of the speed of the emulation
    assert text.count("| 139 ") >= 3 and text.count("| 128 ") >= 3
