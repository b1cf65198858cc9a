# SPDX-License-Identifier: Apache-2.0
"""Options for kernels where there are none: configurations that are only predicted."""

import re
import subprocess
import sys

import pytest

import gaspipe as gp

GRAPH = gp.generate.kronecker(6, 4, seed=2)


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
