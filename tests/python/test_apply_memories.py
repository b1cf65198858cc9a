# SPDX-License-Identifier: Apache-2.0
"""Which memories the ports of apply lead to."""

import numpy as np
import pytest

import gaspipe as gp
from gaspipe._card import kernels as _kernels


@pytest.mark.parametrize("units", [1, 2, 3, 4, 8])
def test_what_apply_has_of_no_unit_is_spread_over_the_memories(units):
    """Links and the emulator's channels agree, and no memory serves much more of apply's arrays than another."""
    design = _kernels.Design("pagerank", "fixed", 2, False, units=units)
    of = {port.name: port.unit for port in _kernels.ports(gp.get_include(), "apply", design) if port.bank == "vertices"}
    assert all(of[f"gathered_{i}"] == of[f"updated_{i}"] == i for i in range(units))
    assert of["properties"] == of["sums"]
    lines = np.bincount([unit for name, unit in of.items() if name != "sums"], minlength=units)
    assert lines.max() - lines.min() <= 1
    graph = gp.generate.rmat(12, 8, seed=1)
    parts = graph.partition(capacity=4096, compute_units=units)
    run = {"device": "emulator:u250", "execution": "exact", "partitioning": parts, "max_iter": 1, "tol": 0}
    prediction = gp.pagerank(graph, number="fixed", **run).stats.prediction
    # Gather-scatter: ids of edges in words of 16, all properties it has sources of, what it gathered. Apply: the rest.
    of_apply = lines * 4096 * 4
    ids = np.array([-(-parts.get_sub_partition(0, unit).num_edges // 16) * 128 for unit in range(units)])
    read = np.array([channel["bytes"] for channel in prediction.channels]) - of_apply - ids - 4096 * 4
    assert np.all((read > 0) & (read <= 4096 * 4 + 128))
