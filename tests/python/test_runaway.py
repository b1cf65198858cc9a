# SPDX-License-Identifier: Apache-2.0
"""Runs without end: limits by default, statistics that stay small, and a word before a run of days."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gaspipe as gp
import snippets
from gaspipe import _cost

FLIP = r"""
struct Flip {
  int gather(int value, EdgeCount, EdgeValue&) { return value; }
  int reduce(int a, int b) { return max(a, b); }
  bool cond(int, int, VertexId) { return true; }
  void update(int& value, int) { value = 1 - value; }
};
"""


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_rounds_of_a_frontier_program_that_never_rests_end_at_a_limit(device):
    ring = gp.Graph((np.arange(3), np.array([1, 2, 0])))
    engine = gp.FrontierEngine(ring, FLIP, vertex="i4", name="flip")
    limit = 4 * 3 + 10_000
    message = rf"Flip: the set is not empty after {limit} rounds, the default limit for 3 vertices.*None: no limit"
    front = engine.subset(True)
    with pytest.warns(gp.NotConvergedWarning, match=message) as caught:
        assert engine.iterate("Flip", front, device=device).num_rounds == limit
    assert caught[0].filename == __file__
    assert len(front) == 3
    with warnings.catch_warnings():  # the caller's own limit is no news
        warnings.simplefilter("error")
        assert engine.iterate("Flip", front, device=device, max_iter=10_013).num_rounds == 10_013
    assert engine.vertices.tolist() == [(limit + 10_013) % 2] * 3


def test_statistics_of_a_run_of_many_super_steps_are_bounded_and_their_totals_are_right():
    graph, steps = gp.generate.chain(3), 70_000
    count = gp.Algorithm("count", scatter="src", gather="max(a, b)", apply="old + 1", initial="0", until="no_active")
    for how in ({}, {"domains": 2}):
        with pytest.warns(gp.NotConvergedWarning, match="in 70000 super-steps"):
            stats = count(graph, max_iter=steps, num_threads=1, **how).stats
        assert stats.num_supersteps == steps
        assert stats.edges_streamed >= steps * graph.num_edges
        assert stats.supersteps["step"].tolist() == [*range(32_768), *range(steps - 32_768, steps)]
        for domain in stats.domains:
            assert len(domain.supersteps) == 32_768


def test_a_limit_is_lifted_by_none():
    graph = gp.generate.chain(50)
    hops = snippets.one_line()
    assert hops._arguments.resolved(graph, {"root": 0, "max_iter": None})["max_iter"] == 2**31 - 1
    np.testing.assert_array_equal(hops(graph, max_iter=None).values, hops(graph).values)


def test_a_run_of_days_is_told_before_it_starts(monkeypatch):
    graph = gp.Graph((np.arange(99), np.arange(1, 100)))
    kind = {"max_iter": 2, "tol": 0, "num_threads": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gp.pagerank(graph, **kind)
        gp.pagerank(graph, **kind, device="emulator:u250")
    twice = gp.Algorithm("twice", gather="a + b", initial="1", until=("steps", 5))
    with pytest.raises(gp.InputError, match="max_iter"):
        twice(graph, max_iter=None)
    monkeypatch.setattr(_cost, "_EDGES_PER_SECOND", {"cpu": 1e-4, "fast": 1e-4, "exact": 1e-4})
    hours = 2 * 99 / 1e-4 / 3600
    told = rf"pagerank will take {hours:.0f} hours or more: 2 super-steps of 99 edges on 'emulator:u250' with 1 thread"
    with pytest.warns(gp.LongRunWarning, match=told + '; give a smaller max_iter=, or execution="fast"') as caught:
        gp.pagerank(graph, **kind, device="emulator:u250")
    assert caught[0].filename == __file__
    with pytest.warns(gp.LongRunWarning, match="bfs will take 275 hours or more: 1 super-step of 99 edges"):
        gp.bfs(graph, num_threads=1)
    with pytest.warns(gp.LongRunWarning, match="twice will take .* 5 super-steps of 99 edges on 'cpu'") as caught:
        twice(graph, num_threads=1)
    assert caught[0].filename == __file__
