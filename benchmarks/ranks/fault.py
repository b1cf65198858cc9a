# SPDX-License-Identifier: Apache-2.0
"""A rank of a job in which something goes wrong: `mpiexec -n 3 python fault.py FAULT FOLDER`.

Every rank writes its process number to FOLDER/pid<rank>; what goes wrong does so on rank 1, which writes the time to
FOLDER/at first.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import gaspipe as gp

STEP = 20  # in which rank 1 fails


def now(folder: Path) -> None:
    (folder / "at").write_text(str(time.time()))


def runs(world: Any, folder: Path, fail: Any) -> None:
    """Rank 1 calls `fail` in the middle of a long run."""

    def progress(step: int, active: int, edges: int) -> None:
        if world.rank == 1 and step == STEP:
            now(folder)
            fail()

    gp.pagerank(world.generate.kronecker(scale=10), tol=0, max_iter=10**7, progress=progress)


def killed(world: Any, folder: Path) -> None:
    runs(world, folder, lambda: os.kill(os.getpid(), signal.SIGKILL))


def hangs(world: Any, folder: Path) -> None:
    runs(world, folder, lambda: os.kill(os.getpid(), signal.SIGSTOP))


def out_of_memory(world: Any, folder: Path) -> None:
    def fail() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (1 << 20, resource.RLIM_INFINITY))
        np.ones(1 << 28)

    runs(world, folder, fail)


def raises(world: Any, folder: Path) -> None:
    def fail() -> None:
        raise ValueError("step 20 of rank 1")

    runs(world, folder, fail)


def leaves(world: Any, folder: Path) -> None:
    graph = world.generate.kronecker(scale=10)
    if world.rank == 1:
        now(folder)
        raise KeyError("rank 1 had enough")
    gp.bfs(graph)


def other_argument(world: Any, folder: Path) -> None:
    graph = world.generate.kronecker(scale=10)
    now(folder)
    gp.bfs(graph, root=7 if world.rank == 1 else 3)


def other_algorithm(world: Any, folder: Path) -> None:
    graph = world.generate.kronecker(scale=10)
    now(folder)
    gp.wcc(graph) if world.rank == 1 else gp.bfs(graph)


def other_version(world: Any, folder: Path) -> None:
    graph = world.generate.kronecker(scale=10)
    now(folder)
    if world.rank == 1:
        gp._core.__version__ = "0.0.9"
    gp.bfs(graph)


def other_file(world: Any, folder: Path) -> None:
    own = folder / f"machine{world.rank}"
    own.mkdir()
    (own / "web.txt").write_text("0 1\n1 2\n" + "2 0\n" * (world.rank != 1))
    os.chdir(own)
    now(folder)
    world.read("web.txt")


if __name__ == "__main__":
    fault, where = sys.argv[1], Path(sys.argv[2])
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # with which MPICH's launcher tells of a process that has died
    with gp.distributed.mpi() as this:
        (where / f"pid{this.rank}").write_text(str(os.getpid()))
        this.barrier()
        globals()[fault](this, where)
