# SPDX-License-Identifier: Apache-2.0
"""Jobs of MPI's launcher. Ranks share this machine, whatever the number of its processors."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from command import environment


def mpiexec(*arguments):
    """Start of a command line: the launcher of the MPI that mpi4py finds."""
    beside = Path(sys.executable).parent / "mpiexec"
    launcher = str(beside) if beside.exists() else "mpiexec"
    return [launcher, *arguments]


def start(size, *command, launcher=(), **more):
    variables = environment() | {
        "OMP_NUM_THREADS": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    variables |= {
        "OMPI_MCA_rmaps_base_oversubscribe": "true",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    line = [*mpiexec(*launcher, "-n", str(size)), sys.executable, *map(str, command)]
    return subprocess.Popen(
        line, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, **more,
    )  # fmt: skip


def finish(job, timeout=60):
    """Exit code, output and errors of a job; one that hangs is ended, and fails the test."""
    try:
        output, errors = job.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        output, errors = job.communicate()
        pytest.fail(f"the job does not end:\n{output}\n{errors}")
    return job.returncode, output, errors
