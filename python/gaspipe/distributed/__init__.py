# SPDX-License-Identifier: Apache-2.0
"""Graphs spread over processes: every rank has a part, and no process holds the whole graph.

    import gaspipe as gp
    with gp.distributed.mpi() as world:              # mpiexec -n 8 python program.py
        graph = world.read("web.txt")                # every rank reads its part, and sends edges to their owners
        result = gp.pagerank(graph)                  # all ranks call it together
        whole = result.gather(root=0)                # a Result on rank 0, None on the others

All ranks of an MPI job make the same calls in the same order. Ranks can be workers of a Dask cluster as well; then one
program, the client's, makes the calls:

    with gp.distributed.dask(client) as world:       # client: a dask.distributed.Client
        graph = world.table(dataframe)               # a Dask dataframe, whose partitions go to the ranks' workers
        result = gp.pagerank(graph)                  # the answer stays on the workers
        whole = result.gather()

Algorithms of hooks, built-in or custom, run unchanged.
`predict` says what a program would take on ranks and a network that are not here.
"""

from .._job import job_size
from ._dask import DaskGraph, DaskResult, DaskWorld, dask
from ._graph import DistributedGraph
from ._mpi import mpi
from ._predict import (
    KroneckerModel,
    Network,
    RanksPrediction,
    UniformModel,
    add_network,
    measure_network,
    networks,
    predict,
)
from ._registry import Communicator, communicators, open_world, register
from ._result import DistributedResult
from ._world import World

__all__ = [
    "Communicator",
    "DaskGraph",
    "DaskResult",
    "DaskWorld",
    "DistributedGraph",
    "DistributedResult",
    "KroneckerModel",
    "Network",
    "RanksPrediction",
    "UniformModel",
    "World",
    "add_network",
    "communicators",
    "dask",
    "job_size",
    "measure_network",
    "mpi",
    "networks",
    "open_world",
    "predict",
    "register",
]
