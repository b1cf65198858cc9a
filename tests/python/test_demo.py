# SPDX-License-Identifier: Apache-2.0
"""The command line, and the demo: it shows three right answers, and it notices a wrong one."""

import numpy as np
import pytest
from click.testing import CliRunner

import gaspipe as gp
from gaspipe import cli, demo

ALGORITHMS = ("bfs", "sssp", "pagerank")


@pytest.fixture(scope="module")
def roads():
    return gp.roads_ny()


@pytest.fixture(autouse=True)
def read_once(monkeypatch, roads):
    monkeypatch.setattr(gp, "roads_ny", lambda: roads)
    monkeypatch.setattr(demo, "REPEATS", 1)


def test_bundled_graph_is_the_published_one(roads):
    assert (roads.num_vertices, roads.num_edges) == (264_346, 730_100)
    assert roads.weights.dtype == np.int32
    assert roads.weights.min() > 0
    matrix = roads.to_scipy()
    assert (matrix != matrix.T).nnz == 0


def test_demo_shows_a_table_in_which_all_answers_agree():
    result = CliRunner().invoke(cli.main, ["demo"])
    assert result.exit_code == 0, result.output
    assert "All answers agree" in result.output
    assert "264,346 crossings" in result.output
    for name in ALGORITHMS:
        row = next(line for line in result.output.splitlines() if line.startswith(name))
        assert "equal" in row or "L1 " in row
    assert max(map(len, result.output.splitlines())) <= 120


@pytest.mark.parametrize("name", ALGORITHMS)
def test_demo_notices_a_wrong_answer(monkeypatch, name):
    right = getattr(gp, name)

    def wrong(*args, **options):
        result = right(*args, **options)
        result.values[1234] += 1
        return result

    monkeypatch.setattr(gp, name, wrong)
    result = CliRunner().invoke(cli.main, ["demo"])
    assert result.exit_code == 1
    assert "Some answers differ" in result.output
    row = next(line for line in result.output.splitlines() if line.startswith(name))
    assert "DIFFERS" in row


def test_demo_works_without_scipy(monkeypatch):
    monkeypatch.setattr(demo, "_peer", demo._Python)
    result = CliRunner().invoke(cli.main, ["demo"])
    assert result.exit_code == 0, result.output
    assert "textbook Python" in result.output


def test_command_tells_its_version_and_help():
    result = CliRunner().invoke(cli.main, ["--version"])
    assert result.output.startswith(f"gaspipe, version {gp.__version__}\n")
    assert "demo" in CliRunner().invoke(cli.main, ["-h"]).output
    assert CliRunner().invoke(cli.main, ["dance"]).exit_code == 2
