# SPDX-License-Identifier: Apache-2.0
"""`gaspipe.testing`: a comparison of devices that cannot compare one with itself, and that finds what differs."""

import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp
from gaspipe._result import Result
from gaspipe.testing import assert_devices_agree


@pytest.fixture(scope="module")
def graph():
    return gp.generate.uniform(300, 2000, seed=4)


@pytest.mark.parametrize("algorithm", ["bfs", gp.bfs])
def test_answers_come_by_device(graph, algorithm):
    answers = assert_devices_agree(algorithm, graph, ["cpu", "emulator", "emulator:u250"], root=3)
    assert list(answers) == ["cpu", "emulator", "emulator:u250"]
    assert [answer.stats.device for answer in answers.values()] == ["cpu", "emulator", "emulator"]
    assert [answer.stats.board for answer in answers.values()][-1] == "u250"
    for answer in answers.values():
        np.testing.assert_array_equal(answer.depth, gp.bfs(graph, root=3).depth)


def test_what_a_graph_is_made_of_serves():
    matrix = sp.csr_array(np.arange(800.0).reshape(40, 20) % 5 - 2)
    answers = assert_devices_agree(gp.spmv, matrix, x=np.ones(20))
    np.testing.assert_allclose(answers["emulator"].values, matrix @ np.ones(20))


def test_all_compute_in_the_format_that_the_last_chooses(graph):
    options = {"emulator": {"number": "fixed"}}
    answers = assert_devices_agree(gp.pagerank, graph, ["cpu", "emulator"], options=options)
    assert {answer.stats.number for answer in answers.values()} == {"fixed"}
    assert answers["cpu"].values.tobytes() == answers["emulator"].values.tobytes()


def test_options_are_for_one_device(graph):
    answers = assert_devices_agree(gp.bfs, graph, options={"emulator": {"execution": "shallow"}})
    assert [answer.stats.execution for answer in answers.values()] == ["", "shallow"]


def changed(where, change):
    """BFS whose answer on one device is another."""

    def bfs(graph, device, fallback, **arguments):
        result = gp.bfs(graph, device=device, fallback=fallback, **arguments)
        if device == where:
            values = change(result.values.copy())
            return Result("bfs", "depth", values, result.stats)
        return result

    return bfs


def one_more(values):
    values[17] += 1
    return values


@pytest.mark.parametrize("where", ["cpu", "emulator"])
def test_a_single_value_that_differs_is_found(graph, where):
    with pytest.raises(AssertionError, match=r"bfs on emulator differs from cpu: .*17"):
        assert_devices_agree(changed(where, one_more), graph)


@pytest.mark.parametrize(
    "change", [lambda values: values.astype(np.int64), lambda values: values[:-1]], ids=["dtype", "shape"]
)
def test_another_dtype_or_shape_is_found(graph, change):
    with pytest.raises(AssertionError, match="bfs on emulator differs from cpu"):
        assert_devices_agree(changed("emulator", change), graph)


def test_a_third_device_that_differs_is_found(graph):
    with pytest.raises(AssertionError, match="bfs on emulator:u50 differs from cpu"):
        assert_devices_agree(changed("emulator:u50", one_more), graph, ["cpu", "emulator", "emulator:u50"])


def test_floats_agree_within_the_tolerance_only(graph):
    def nearly(graph, device, fallback, number="float32"):
        result = gp.pagerank(graph, device=device, fallback=fallback, number=number)
        if device == "emulator":
            return Result("pagerank", "rank", result.values * (1 + 1e-5), result.stats)
        return result

    assert_devices_agree(nearly, graph)
    with pytest.raises(AssertionError, match="pagerank on emulator differs from cpu"):
        assert_devices_agree(nearly, graph, tolerance=1e-6)


def test_a_device_that_another_stands_in_for_is_found(graph):
    def always_cpu(graph, device, fallback):
        return gp.bfs(graph)

    with pytest.raises(AssertionError, match=r"asked for device='emulator', but stats.device is 'cpu'"):
        assert_devices_agree(always_cpu, graph)


def test_another_number_format_is_found(graph):
    options = {"cpu": {"number": "float32"}, "emulator": {"number": "fixed"}}
    with pytest.raises(AssertionError, match="cpu computed in float32, scale 0, emulator in fixed, scale"):
        assert_devices_agree(gp.pagerank, graph, options=options)


@pytest.mark.usefixtures("empty")
def test_a_card_that_is_not_there_is_an_error_not_a_fallback(graph):
    with pytest.raises(gp.DeviceError, match="device='fpga' cannot be used"):
        assert_devices_agree(gp.bfs, graph, ["cpu", "fpga"])


@pytest.mark.parametrize(
    ("devices", "arguments", "message"),
    [
        (["cpu"], {}, "two or more different ones are compared"),
        ([], {}, "two or more different ones are compared"),
        (["cpu", "cpu"], {}, "two or more different ones are compared"),
        ("cpu", {}, "two or more different ones are compared"),
        (["cpu", "auto"], {}, "devices has 'auto', which may be any device"),
        (["cpu", "emulator"], {"fallback": True}, "device= and fallback= are not given here"),
        (["cpu", "emulator"], {"device": "cpu"}, "device= and fallback= are not given here"),
        (["cpu", "emulator"], {"options": {"fpga": {}}}, "options are for the devices that are compared"),
        (["cpu", "emulator"], {"options": {"cpu": {"fallback": True}}}, "device= and fallback= are not given here"),
        (["cpu", "gpu"], {}, "device is 'gpu'; allowed are"),
    ],
)
def test_what_compares_nothing_is_refused(graph, devices, arguments, message):
    with pytest.raises(gp.InputError, match=message):
        assert_devices_agree(gp.bfs, graph, devices, **arguments)


def test_an_algorithm_that_is_not_known_is_refused(graph):
    with pytest.raises(gp.InputError, match="algorithm is 'dance'; known are article_rank, bfs"):
        assert_devices_agree("dance", graph)
