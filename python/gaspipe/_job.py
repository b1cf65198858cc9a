# SPDX-License-Identifier: Apache-2.0
"""Whether this process is one of an MPI job's, as launchers tell it: without an import of MPI."""

from __future__ import annotations

import contextlib
import os

# Number of ranks: Open MPI; MPICH, Intel MPI and Cray; others by PMIx; Slurm's srun, with an MPI plugin.
_SIZES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE", "SLURM_STEP_NUM_TASKS")


def job_size() -> int:
    """Return the number of ranks of the MPI job that this process is one of; 1 outside of a job."""
    for name in _SIZES:
        with contextlib.suppress(KeyError, ValueError):
            return max(1, int(os.environ[name]))
    return 1
