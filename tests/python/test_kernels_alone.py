# SPDX-License-Identifier: Apache-2.0
"""Options for kernels where there are none: `execution` on the CPU, configurations that are only predicted."""

import re
import subprocess
import sys

import numpy as np
import pytest

import gaspipe as gp
from thread_ranks import on_ranks

GRAPH = gp.generate.kronecker(6, 4, seed=2)
NONE = r'execution is "{}", which says how the emulator runs kernels, and device is "cpu", which has none; use device='


@pytest.mark.parametrize("execution", ["exact", "fast", "shallow"])
def test_the_cpu_refuses_an_execution_that_it_cannot_have(execution):
    for call in (gp.bfs, gp.pagerank, gp.vertex_cover):  # the last has an accelerator of blocks
        with pytest.raises(gp.InputError, match=NONE.format(execution)):
            call(GRAPH, execution=execution)
    with pytest.raises(gp.InputError, match=NONE.format(execution)):
        gp.bfs(GRAPH, domains=2, execution=execution)
    with pytest.raises(gp.InputError, match=NONE.format(execution)):
        gp.bfs(GRAPH, device=["cpu", "cpu"], execution=execution)
    with pytest.raises(gp.InputError, match='execution is "slow"; allowed are'):
        gp.bfs(GRAPH, execution="slow")


def test_the_default_can_be_given():
    depth = gp.bfs(GRAPH, execution="auto").depth
    assert np.array_equal(depth, gp.bfs(GRAPH, device="cpu", execution="auto").depth)
    assert np.array_equal(depth, gp.bfs(GRAPH, device=["cpu", "cpu"], execution="auto").depth)


@pytest.mark.parametrize("execution", ["exact", "fast"])
def test_domains_with_kernels_take_it_beside_those_without(execution):
    wanted = gp.bfs(GRAPH).depth
    for devices in (["cpu", "emulator"], ["emulator:u250", "cpu", "cpu"]):
        result = gp.bfs(GRAPH, device=devices, execution=execution)
        assert np.array_equal(result.depth, wanted)
        found = on_ranks(
            len(devices),
            lambda world: gp.bfs(
                world.edges(*(GRAPH.to_scipy().nonzero() if world.rank == 0 else ([], []))),
                device=devices,  # noqa: B023
                execution=execution,
            ),
        )
        values = np.full(GRAPH.num_vertices, -9)
        for part in found:
            values[part.ids] = part.values
        assert np.array_equal(values, wanted)


@pytest.mark.usefixtures("empty")
def test_a_cpu_that_stands_in_for_a_card_needs_none():
    with pytest.warns(gp.DeviceFallbackWarning):
        result = gp.bfs(GRAPH, device="fpga", execution="exact")
    assert result.stats.device == "cpu"
    assert gp.bfs(GRAPH, device="auto", execution="exact").stats.device == "cpu"
    with pytest.warns(gp.DeviceFallbackWarning):
        assert np.array_equal(gp.bfs(GRAPH, device=["fpga", "cpu"], execution="exact").depth, result.depth)


@pytest.mark.parametrize(("config", "board"), [("regraph", "u280"), ("thundergp", "u250")])
def test_a_configuration_that_is_only_predicted_says_how(config, board):
    said = (
        f'config is "{config}"; it can only be predicted, for there are no kernels of it to run: gp.predict(..., '
        f'board="{board}", config="{config}"), in C++ RunOptions::prediction; allowed are "plain", "packed" and "hbm"'
    )
    for device in ("emulator", "emulator:u280", "cpu"):
        with pytest.raises(gp.InputError, match=re.escape(said)):
            gp.bfs(GRAPH, device=device, config=config)
    predicted = gp.predict("bfs", GRAPH, board=board, config=config)  # as it says
    assert predicted.stats.prediction.config == config
    with pytest.raises(gp.InputError) as error:
        gp.bfs(GRAPH, device="emulator", config="unknown")
    assert str(error.value) == 'config is "unknown"; allowed are "plain", "packed" and "hbm"'


@pytest.mark.parametrize(("config", "board"), [("regraph", "u280"), ("thundergp", "u250")])
def test_so_does_the_command_line(config, board, tmp_path):
    path = tmp_path / "edges.txt"
    path.write_text("0 1\n1 2\n")
    gaspipe = [sys.executable, "-m", "gaspipe"]
    done = subprocess.run(
        [*gaspipe, "bfs", path, "--device", "emulator", "--config", config], capture_output=True, text=True
    )
    said = re.sub(r"\s+", " ", done.stderr)
    command = f"gaspipe predict ALGORITHM GRAPH --board {board} --config {config}"
    assert done.returncode == 2 and "It can only be predicted" in said and command in said
    assert "'plain', 'packed', 'hbm'" in said
    words = command.replace("ALGORITHM", "bfs").replace("GRAPH", str(path)).split()[1:]
    assert subprocess.run([*gaspipe, *words], capture_output=True).returncode == 0
    done = subprocess.run([*gaspipe, "bfs", path, "--execution", "exact"], capture_output=True, text=True)
    assert done.returncode == 3 and re.search(NONE.format("exact"), done.stderr)
