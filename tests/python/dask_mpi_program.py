# SPDX-License-Identifier: Apache-2.0
"""A program of dask-mpi: `mpiexec -n 4 python dask_mpi_program.py FILE OUT` has a scheduler, a client and two workers.

The process of the client goes on behind `initialize`; the others do not return from it.
"""

import sys

import numpy as np
from dask_mpi import initialize
from distributed import Client

import gaspipe as gp

if __name__ == "__main__":
    initialize(nthreads=1, nanny=False, dashboard=False, exit=True)
    file, out = sys.argv[1:]
    with Client() as client:
        client.wait_for_workers(2, timeout=30)
        with gp.distributed.dask(client) as world:
            graph = world.read(file)
            np.savez(out, size=world.size, depth=gp.bfs(graph, root=3).gather().depth)
