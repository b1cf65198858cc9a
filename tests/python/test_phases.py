# SPDX-License-Identifier: Apache-2.0
"""The phases of a run add up to its seconds: accounting, not speed."""

from __future__ import annotations

import numpy as np
import pytest

import gaspipe as gp

NAMES = ["scatter_gather", "apply", "frontier", "start", "finish", "control", "check", "checkpoint", "earlier_attempts"]


@pytest.fixture(scope="module")
def graph():
    return gp.generate.kronecker(16, seed=3, weights=(1, 100))


@pytest.fixture(scope="module")
def small():
    return gp.generate.kronecker(10, seed=3, weights=(1, 100))


def run(name, graph, **options):
    arguments = {"spmv": {"x": np.ones(graph.num_vertices)}, "closeness": {"vertices": [0, 1, 2]}}
    return getattr(gp, name)(graph, **arguments.get(name, {}), **options).stats


def assert_adds_up(stats):
    assert list(stats.phases) == NAMES
    assert all(seconds >= 0 for seconds in stats.phases.values())
    # The margin of short runs is that of one of 20 ms.
    assert sum(stats.phases.values()) == pytest.approx(stats.seconds, rel=0.05, abs=1e-3)
    steps = stats.supersteps
    assert steps["scatter_gather_seconds"].sum() == pytest.approx(stats.phases["scatter_gather"])
    assert steps["apply_seconds"].sum() == pytest.approx(stats.phases["apply"])


@pytest.mark.parametrize("method", ["auto", "gas"])
@pytest.mark.parametrize("name", gp.algorithms)
def test_phases_add_up_on_the_cpu(graph, name, method):
    assert_adds_up(run(name, graph, method=method))


@pytest.mark.parametrize("device", ["emulator", "emulator:u250"])
@pytest.mark.parametrize("name", gp.algorithms)
def test_phases_add_up_in_the_emulator(small, name, device):
    options = {"max_iter": 3} if "rank" in name else {}
    stats = run(name, small, device=device, **options)
    assert stats.device == "emulator"
    assert_adds_up(stats)


def test_phases_of_attempts_that_did_not_fit_are_told():
    centre = gp.generate.star(3000, symmetric=False).transpose()
    stats = gp.pagerank(centre, number="fixed").stats
    assert stats.attempts > 1
    assert stats.phases["earlier_attempts"] > 0
    assert_adds_up(stats)


HBM = {"device": "emulator:u280", "config": "hbm"}


@pytest.mark.parametrize(
    "how",
    [{"execution": "exact"}, {"prediction": True}, HBM, {**HBM, "weights": True}],
    ids=["exact", "timed", "hbm", "hbm-weights"],
)
def test_only_the_scale_that_fits_runs_with_clocks(how):
    """Each attempt with clocks would tell its super-steps."""
    leaves = np.arange(1, 300)
    to_centre, around = np.zeros_like(leaves), leaves % 299 + 1
    weights = np.random.default_rng(1).uniform(0.5, 2, 2 * len(leaves))
    graph = gp.Graph((np.tile(leaves, 2), np.concatenate([to_centre, around]), weights))
    seen = []
    options = {"max_iter": 4, "tol": 0, "weights": how.get("weights", False)}
    if "prediction" in how:
        result = gp.predict("pagerank", graph, number="fixed", progress=lambda *step: seen.append(step), **options)
    else:
        place = {"device": "emulator", **how}
        result = gp.pagerank(graph, number="fixed", progress=lambda *step: seen.append(step), **{**options, **place})
    fast = gp.pagerank(graph, device="emulator", execution="fast", number="fixed", **options)
    assert result.stats.attempts == fast.stats.attempts > 1
    assert result.stats.scale_bits == fast.stats.scale_bits
    assert len(seen) == result.stats.num_supersteps == 4
    assert np.array_equal(result.values, fast.values)
    np.testing.assert_allclose(result.values, gp.pagerank(graph, **options).values, atol=1e-6)
