# SPDX-License-Identifier: Apache-2.0
"""Ranks that are lost, as the others see it: processes without MPI, whose launchers end jobs in ways of their own."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command import environment

PROGRAM = Path(__file__).parent / "watched_rank.py"


@contextlib.contextmanager
def started(folder, size, *more):
    (folder / "go on").touch()
    line = [sys.executable, str(PROGRAM)]
    ranks = [
        subprocess.Popen([*line, str(rank), str(size), str(folder), *more], env=environment(), stderr=subprocess.PIPE)
        for rank in range(size)
    ]
    try:
        wait_for(*(folder / f"pid{rank}" for rank in range(size)))
        yield ranks
    finally:
        for rank in ranks:
            rank.kill()
            rank.communicate()


def wait_for(*files, seconds=20):
    end = time.monotonic() + seconds
    while not all(file.exists() for file in files):
        assert time.monotonic() < end, [file.name for file in files if not file.exists()]
        time.sleep(0.02)


@pytest.mark.parametrize("victim", [0, 1, 3])
@pytest.mark.parametrize(("number", "what"), [(signal.SIGKILL, "has died"), (signal.SIGSTOP, "no sign of life for")])
def test_all_others_are_told_which_rank_is_lost(victim, number, what, tmp_path):
    with started(tmp_path, 4) as ranks:
        os.kill(ranks[victim].pid, number)
        others = [tmp_path / f"said{rank}" for rank in range(4) if rank != victim]
        wait_for(*others, seconds=8)
        for file in others:
            assert re.match(rf"rank {victim} of 4 \(process {ranks[victim].pid} on .*\) .*{what}", file.read_text())


def test_ranks_that_leave_are_not_lost(tmp_path):
    with started(tmp_path, 3) as ranks:
        (tmp_path / "go on").unlink()
        assert [rank.wait(10) for rank in ranks] == [0, 0, 0]
        assert not list(tmp_path.glob("said*"))


def test_a_process_that_does_not_notice_is_ended(tmp_path):
    with started(tmp_path, 3, "stuck") as ranks:
        ranks[1].kill()
        for rank in (0, 2):
            assert ranks[rank].wait(8) == 1
            errors = ranks[rank].stderr.read().decode()
            assert re.search(rf"gaspipe: rank {rank} of 3 ends: rank 1 of 3 \(process .*\) has died", errors)
