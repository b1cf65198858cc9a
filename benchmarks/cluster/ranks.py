# SPDX-License-Identifier: Apache-2.0
"""gaspipe's MPI ranks, as the benchmark sees them."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from cluster.jobs import Job
from cpu.peer import Absent

START_SECONDS, ANSWER_SECONDS = 60, 300  # a job that takes longer has failed
# Open MPI: it starts no more ranks than there are cores, and none for root, unless it is told to. Others ignore these.
OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "true",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}


def tool_of_mpi(name: str, given: str | None = None) -> str:
    """Path of a program of the MPI that mpi4py loads: the one beside Python, else the one on the PATH."""
    beside = Path(sys.executable).parent / name
    found = given or (str(beside) if beside.exists() else shutil.which(name))
    if found is None:
        raise Absent(f"no {name}; pip install mpich, or Debian's mpich")
    return found


class Ranks:
    """A job of ranks that lives until `close`; it takes no CPU time between requests."""

    def __init__(self, size: int, scratch: Path, mpiexec: str) -> None:
        self.size = size
        address = scratch / f"ranks{size}"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(address))
            listener.listen(size)
            listener.settimeout(1)
            program = str(Path(__file__).with_name("rank.py"))
            self.job = Job(
                [mpiexec, "-n", str(size), sys.executable, program, str(address)],
                scratch / f"ranks{size}.log",
                env={**os.environ, **OPEN_MPI, "OMP_NUM_THREADS": "1"},
                stdin=subprocess.DEVNULL,
            )
            pipes = dict(self._accept(listener) for _ in range(size))
        self.pipes = [pipes[rank] for rank in range(size)]

    def _accept(self, listener: socket.socket) -> tuple[int, Connection]:
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                connected, _ = listener.accept()
                break
            except socket.timeout:
                if self.job.process.poll() is not None or time.monotonic() > end:
                    self.job.end()
                    sys.exit(f"{self.size} ranks do not start: {self.job.errors()}")
        pipe = Connection(connected.detach())
        return pipe.recv(), pipe

    def ask(self, *request: Any) -> Any:
        """Have all ranks call a method of `rank.Rank`; what rank 0 returns."""
        try:
            for pipe in self.pipes:
                pipe.send(request)
            if not self.pipes[0].poll(ANSWER_SECONDS):
                raise TimeoutError(f"no answer within {ANSWER_SECONDS} s")
            return self.pipes[0].recv()
        except (EOFError, OSError) as error:
            self.close()
            sys.exit(f"{self.size} ranks, {request[0]}: {error or 'they have ended'}; {self.job.errors()}")

    def close(self) -> None:
        for pipe in self.pipes:
            pipe.close()
        self.job.end()
