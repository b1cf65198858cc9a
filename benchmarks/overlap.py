# SPDX-License-Identifier: Apache-2.0
"""PageRank on MPI ranks with boxes that travel while ranks compute (overlap="on") beside ranks that wait ("off").

Ranks are in network namespaces with limited latency and bandwidth (ranks/namespaces.py), one thread each; both ways run
in one job, in alternation. Needs root, MPICH and mpi4py.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from machine import facts, load, save, table
from predict_ranks import EDGE_FACTOR, gp, job
from ranks.namespaces import Limits, why_not

HEADS = ["latency, bandwidth", "off [ms/step]", "on [ms/step]", "off / on", "of it computing [%]", "MB a step"]


def compare(limits: Limits, files: dict[int, str], scale: int, size: int, repeats: int) -> dict[str, Any]:
    """Medians of both ways."""
    ways = ("off", "on")
    runs = [(scale, "pagerank", {"tol": 0, "max_iter": 8, "overlap": way}) for _ in range(repeats) for way in ways]
    found = job(size, limits, runs, files, 2)["runs"]
    ms = {
        way: statistics.median(1e3 * statistics.mean(ran["seconds"]) for ran in found[i::2])
        for i, way in enumerate(ways)
    }
    computing = statistics.median(1e3 * statistics.mean(ran["parts"]["computing_seconds"]) for ran in found[::2])
    return {
        "network": f"{1e6 * limits.seconds:.0f} us, {limits.bits_per_second / 1e6:.0f} Mbit/s",
        **ms,
        "computing": computing / ms["off"],
        "bytes": statistics.mean(found[0]["bytes"]),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scale", type=int, default=18, help="of the Kronecker graph, 2^scale vertices (default 18)")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--latencies", type=float, nargs="+", default=[0.0, 1e-4, 1e-3], metavar="S")
    parser.add_argument("--rates", type=int, nargs="+", default=[200_000_000, 1_000_000_000], metavar="BITS")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    if reason := why_not():
        sys.exit(reason)
    cells = []
    with tempfile.TemporaryDirectory() as folder:
        graph = gp.generate.kronecker(options.scale, EDGE_FACTOR)
        files = {options.scale: str(Path(folder) / "graph.gaspipe")}
        graph.save(files[options.scale])
        for limits in (Limits(latency, rate) for latency in options.latencies for rate in options.rates):
            cells.append(compare(limits, files, options.scale, options.ranks, options.repeats))
    print(f"Kronecker {options.scale}, {options.ranks} ranks, load {load()}\n")
    rows = [
        [c["network"], f"{c['off']:.2f}", f"{c['on']:.2f}", f"{c['off'] / c['on']:.2f}"]
        + [f"{100 * c['computing']:.0f}", f"{c['bytes'] / 1e6:.2f}"]
        for c in cells
    ]
    print(table(HEADS, rows))
    if options.json:
        save(options.json, facts(cells=cells))
    return 0


if __name__ == "__main__":
    sys.exit(main())
