# SPDX-License-Identifier: Apache-2.0
"""What a rank does: measures the network, runs programs on saved graphs, and counts.

    mpiexec ... python job.py '{"runs": [[16, "pagerank", {}]], "files": {"16": FILE}, "rounds": 5, "out": FILE}'

Rank 0 writes to `out`: the network's constants, and of every run seconds and bytes by super-step.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import gaspipe as gp

_PARTS = ("computing_seconds", "exchanging_seconds", "waiting_seconds")


def rss() -> int:
    """Bytes of this process that are resident."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def measured(graph: Any, program: str, arguments: dict[str, Any], rounds: int) -> dict[str, Any]:
    """Median time of every super-step in several runs; and bytes."""
    call = getattr(gp, program)
    call(graph, **arguments)  # makes what the engine needs
    seconds = []
    for _ in range(rounds):
        domains = call(graph, **arguments).stats.domains
        # The mean of the ranks: one that begins an exchange early waits for the others, and they do not in the next.
        seconds.append(np.mean([sum(d.supersteps[part] for part in _PARTS) for d in domains], axis=0))
    return {
        "seconds": np.median(seconds, axis=0).tolist(),
        "bytes": np.sum([d.supersteps["bytes_sent"] for d in domains], axis=0).tolist(),
        "parts": {part: np.mean([d.supersteps[part] for d in domains], axis=0).tolist() for part in _PARTS},
    }


def main() -> None:
    asked = json.loads(sys.argv[1])
    warnings.simplefilter("ignore", gp.NotConvergedWarning)
    with gp.distributed.mpi(num_threads=1, timeout=60) as world:
        network = gp.distributed.measure_network(world)
        graphs: dict[int, Any] = {}
        before = rss()
        found = []
        for scale, program, arguments in asked["runs"]:
            if scale not in graphs:
                graphs = {scale: world.load(asked["files"][str(scale)])}
            found.append(measured(graphs[scale], program, arguments, asked["rounds"]))
            largest = max(int(text) for text in world.gather(str(rss() - before).encode()))
            found[-1]["resident_bytes"] = largest
        if world.rank == 0:
            report = {"network": dataclasses.asdict(network), "runs": found}
            Path(asked["out"]).write_text(json.dumps(report))


if __name__ == "__main__":
    main()
