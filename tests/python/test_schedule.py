# SPDX-License-Identifier: Apache-2.0
"""Schedulers as the core takes them: by name, or as three functions."""

from __future__ import annotations

import numpy as np
import pytest

import gaspipe as gp
from gaspipe import _core


def graph_and_partitioning():
    graph = gp.generate.uniform(500, 5000, seed=3)
    return graph, graph.partition(capacity=128, compute_units=3)


def bfs(graph, partitioning, device="emulator", **options):
    own = options.pop("scheduler", None)
    if isinstance(own, str):
        options["scheduler"], own = own, None
    record = _core.RunOptions(device=device, num_threads=1, partitioning=partitioning, **options)
    return _core.run("bfs", graph._core, {}, record.replace(own_scheduler=own))[0]


def in_order(parts):
    return range(len(parts))


def test_every_named_scheduler_gives_the_same_answer():
    graph, partitioning = graph_and_partitioning()
    assert _core.schedulers() == ["equal_cycles", "in_order", "longest_first"]
    expected = np.asarray(gp.bfs(graph))
    for name in _core.schedulers():
        np.testing.assert_array_equal(bfs(graph, partitioning, scheduler=name), expected)


def test_a_scheduler_in_python_sees_partitions_and_decides():
    graph, partitioning = graph_and_partitioning()
    seen = []

    def init(parts):
        assert isinstance(parts, gp.Partitioning)
        seen.append(("init", len(parts)))

    def arrange_sub_partitions(part):
        assert isinstance(part, _core.Partition)
        seen.append(("units", part.index, part.num_edges))
        return np.array([2, 0, 1])

    def arrange_partitions(parts):
        seen.append(("order", sum(part.num_edges for part in parts)))
        return tuple(reversed(range(len(parts))))

    values = bfs(graph, partitioning, scheduler=(init, arrange_sub_partitions, arrange_partitions))
    np.testing.assert_array_equal(values, np.asarray(gp.bfs(graph)))
    expected = [("units", part.index, part.num_edges) for part in partitioning]
    assert seen == [("init", 4), *expected, ("order", 5000)]


@pytest.mark.parametrize(
    ("scheduler", "message"),
    [
        ("fastest", 'there is no scheduler "fastest"; known are equal_cycles, in_order, longest_first'),
        (7, "scheduler is 7; a name or a tuple of three functions"),
        ((in_order, in_order), "three functions, found 2"),
        ((in_order, in_order, "in_order"), "three functions, found 'in_order'"),
        ((in_order, lambda part: [0, 1], in_order), "returned 2 ids"),
        ((in_order, lambda part: [0, 1, 1], in_order), "returned 1 twice"),
        ((in_order, lambda part: [0, 1, -1], in_order), "arrange_sub_partitions returned an id below 0"),
        ((in_order, lambda part: None, in_order), "arrange_sub_partitions must return integers, found None"),
        ((in_order, in_order, lambda parts: [0.5]), "arrange_partitions must return integers"),
        ((in_order, in_order, lambda parts: [0]), "returned 1 ids as the order of the partitions; 4 are needed"),
    ],
)
def test_a_bad_scheduler_is_refused(scheduler, message):
    graph, partitioning = graph_and_partitioning()
    with pytest.raises(gp.InputError) as caught:
        bfs(graph, partitioning, scheduler=scheduler)
    assert message in str(caught.value)


@pytest.mark.parametrize("scheduler", ["longest_first", "equal_cycles"])
def test_a_scheduler_where_there_are_no_kernels_is_refused(scheduler):
    graph, _ = graph_and_partitioning()
    with pytest.raises(gp.InputError, match=r"a scheduler orders the kernels .*device is \W+cpu.*device=\W+emulator"):
        gp.bfs(graph, device="cpu", scheduler=scheduler)
    with pytest.raises(gp.InputError, match="there is no scheduler"):
        gp.bfs(graph, device="cpu", scheduler="fastest")
    gp.bfs(graph, device="cpu", scheduler="in_order")


def test_a_cpu_that_stands_in_for_a_card_orders_nothing(empty):
    graph, _ = graph_and_partitioning()
    expected = gp.bfs(graph)
    assert np.array_equal(gp.bfs(graph, device="auto", scheduler="longest_first"), expected)
    with pytest.warns(gp.DeviceFallbackWarning):
        found = gp.bfs(graph, device="fpga", scheduler="longest_first", fallback=True)
    assert found.stats.device == "cpu"
    assert np.array_equal(found, expected)
    with pytest.raises(gp.InputError, match="there is no scheduler"):
        gp.bfs(graph, device="auto", scheduler="fastest")


@pytest.mark.parametrize("part", [0, 1, 2])
def test_an_exception_of_a_scheduler_comes_through(part):
    graph, partitioning = graph_and_partitioning()
    functions = [in_order, in_order, in_order]

    def fails(parts):
        raise KeyError("mine")

    functions[part] = fails
    with pytest.raises(KeyError, match="mine"):
        bfs(graph, partitioning, scheduler=tuple(functions))


def test_a_card_needs_a_drivers_capsule():
    with pytest.raises(gp.InputError, match=r"a capsule named gaspipe\.CardDriver\.1 is needed, found 'driver'"):
        _core.LoadedCard(
            "driver",
            0,
            "x.xclbin",
            "bfs",
            "uint32",
            "u250",
            "plain",
            False,
            8,
            1 << 18,
            "gather",
            "apply",
            ["k1"],
            "a1",
            250,
            "",
            0,
        )


def test_device_fpga_needs_a_card():
    graph, partitioning = graph_and_partitioning()
    with pytest.raises(gp.DeviceError, match="none was given"):
        bfs(graph, partitioning, device="fpga")
