# SPDX-License-Identifier: Apache-2.0
"""Graphs spread over processes: every rank has a part, and no process holds the whole graph.

    import gaspipe as gp
    with gp.distributed.mpi() as world:              # mpiexec -n 8 python program.py
        graph = world.read("web.txt")                # every rank reads its part, and sends edges to their owners
        result = gp.pagerank(graph)                  # all ranks call it together
        whole = result.gather(root=0)                # a Result on rank 0, None on the others

All ranks make the same calls in the same order. Algorithms of hooks, built-in or custom, run unchanged.
`predict` says what a program would take on ranks and a network that are not here.
"""

from .._job import job_size
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
    "DistributedGraph",
    "DistributedResult",
    "KroneckerModel",
    "Network",
    "RanksPrediction",
    "UniformModel",
    "World",
    "add_network",
    "communicators",
    "job_size",
    "measure_network",
    "mpi",
    "networks",
    "open_world",
    "predict",
    "register",
]
