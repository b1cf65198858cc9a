# SPDX-License-Identifier: Apache-2.0
"""A rank of gaspipe that does what the benchmark asks of it: `mpiexec -n 2 python rank.py SOCKET`.

Every rank has a connection of its own, and sleeps while it waits there: a wait in MPI would take the CPU from the peer
whose turn it is.
"""

from __future__ import annotations

import sys
import time
from multiprocessing.connection import Client
from typing import Any

import mpi4py
import numpy as np
from mpi4py import MPI

import gaspipe as gp

PARTS = ("computing", "exchanging", "waiting")
PATH_VERTICES = 2000


class Rank:
    """What runs in the process. All ranks get the same requests; rank 0 answers."""

    def __init__(self, world: gp.distributed.World) -> None:
        self.world = world
        self.graph: Any = None

    def version(self) -> str:
        return f"mpi4py {mpi4py.__version__}, {MPI.Get_library_version().splitlines()[0].strip()}"

    def load(self, path: str) -> int:
        self.graph = self.world.load(path)
        return int(self.graph.num_edges)

    def run(self, function: str, arguments: dict[str, Any], times: int, answer: str) -> dict[str, Any]:
        """Run `times` times; the answer of the last one goes to a file, unless that has no name."""
        seconds = []
        for _ in range(times):
            result = getattr(gp, function)(self.graph, **arguments)
            seconds.append(result.stats.seconds)
        if answer:
            result.to_npy(answer)
        domains = result.stats.domains
        return {
            "seconds": seconds,
            "bytes": sum(domain.bytes_sent for domain in domains),
            "parts": {part: sum(float(d.supersteps[f"{part}_seconds"].sum()) for d in domains) for part in PARTS},
        }

    def overhead(self) -> dict[str, float]:
        """Microseconds of a super-step with next to nothing to do, and of what MPI takes for an exchange of nothing.

        The graph is a path for each rank, so that no edge is cut and every box is empty.
        """
        comm, size = MPI.COMM_WORLD, self.world.size
        ids = np.arange(PATH_VERTICES * size - 1) if self.world.rank == 0 else np.zeros(0, np.int64)
        ids = ids[(ids + 1) % PATH_VERTICES != 0]
        graph = self.world.edges(ids, ids + 1, num_vertices=PATH_VERTICES * size)
        comm.Barrier()
        search = gp.bfs(graph, 0)
        comm.Barrier()
        ranks = gp.pagerank(graph, tol=0, max_iter=PATH_VERTICES)
        found: dict[str, float] = {"bytes": 0}
        for name, result in (("bfs", search), ("pagerank", ranks)):
            steps = result.stats.domains[0].supersteps
            found[name] = 1e6 * result.stats.seconds / result.stats.num_supersteps
            exchange = steps["exchanging_seconds"] + steps["waiting_seconds"]
            found[f"{name} exchange"] = 1e6 * float(np.median(exchange))
            found["bytes"] += sum(domain.bytes_sent for domain in result.stats.domains)
        bare = self._bare()
        return {**found, "bare": 1e6 * float(bare.mean()), "bare median": 1e6 * float(np.median(bare))}

    def _bare(self) -> Any:
        """Seconds of each exchange of counts, and of nothing."""
        comm, size = MPI.COMM_WORLD, self.world.size
        counts, coming = np.zeros(size, np.int64), np.empty(size, np.int64)
        nothing, places = np.zeros(0, np.uint8), np.zeros(size, np.int64)
        seconds = np.empty(PATH_VERTICES)
        comm.Barrier()
        before = time.perf_counter()
        for i in range(PATH_VERTICES):
            comm.Alltoall(counts, coming)
            comm.Alltoallv([nothing, (counts, places), MPI.BYTE], [nothing, (coming, places), MPI.BYTE])
            now = time.perf_counter()
            seconds[i], before = now - before, now
        return seconds


def main() -> None:
    with gp.distributed.mpi(num_threads=1) as world, Client(sys.argv[1], family="AF_UNIX") as pipe:
        rank = Rank(world)
        pipe.send(world.rank)
        while True:
            try:
                method, *arguments = pipe.recv()
            except EOFError:  # the benchmark has ended
                return
            answer = getattr(rank, method)(*arguments)
            if world.rank == 0:
                pipe.send(answer)


if __name__ == "__main__":
    main()
