# SPDX-License-Identifier: Apache-2.0
"""How fast the emulator runs accelerators of GraphOps' blocks, beside the gather-scatter kernels; for graphops.py."""

from __future__ import annotations

from typing import Any

from machine import require, table

gp = require("gaspipe")
np = require("numpy")

LEAST_HOST_SPEED = 0.5  # of the gather-scatter kernels' edges per second


def host_speed(graph: Any, board: str, repeat: int) -> str:
    """Edges per second of a thread of this machine, with every task, stream and clock: blocks beside gather-scatter.

    Both are called in turn, and the fastest of `repeat` calls counts. An edge counts as often as it is streamed.
    """
    root = int(np.argmax(graph.out_degrees()))
    rows = []
    for algorithm, arguments in (
        ("pagerank", {"number": "fixed", "tol": 0, "max_iter": 1}),
        ("bfs", {"root": root}),
        ("sssp", {"root": root}),
    ):
        rates = {"gas": 0.0, "graphops": 0.0}
        seconds = dict.fromkeys(rates, np.inf)
        for _ in range(repeat):
            for design in rates:
                stats = getattr(gp, algorithm)(
                    graph, device=f"emulator:{board}", design=design, execution="exact", num_threads=1, **arguments
                ).stats
                rates[design] = max(rates[design], stats.edges_streamed / stats.seconds / 1e6)
                seconds[design] = min(seconds[design], stats.seconds)
        ratio = rates["graphops"] / rates["gas"]
        rows.append(
            [
                algorithm,
                f"{rates['gas']:.2f}",
                f"{rates['graphops']:.2f}",
                f"{ratio:.2f}",
                "yes" if ratio >= LEAST_HOST_SPEED else "NO",
                *(f"{seconds[design]:.2f}" for design in rates),
            ]
        )
    heads = ["algorithm", "gather-scatter, M edges/s", "blocks, M edges/s", "ratio", f"at least {LEAST_HOST_SPEED}"]
    return table([*heads, "gather-scatter, s", "blocks, s"], rows)
