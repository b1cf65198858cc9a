# SPDX-License-Identifier: Apache-2.0
"""Predictions of runs on ranks beside runs: MPI ranks in network namespaces with limited latency and bandwidth.

Every namespace stands for a machine (ranks/namespaces.py). What the model takes from measurements: the time of an edge
on one rank, and what software adds to an exchange and a message, from a job without limits. Latency and bandwidth are
the limits that were set, so that nothing is fitted to the runs that are compared. Needs root, MPICH and mpi4py.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from machine import facts, load, require, save, table
from ranks.namespaces import Limits, Namespaces, namespaces, why_not

gp = require("gaspipe")
np = require("numpy")
EDGE_FACTOR = 16
LATENCIES = (0.0, 100e-6, 1e-3)
RATES = (100_000_000, 1_000_000_000)
STEPS = {"tol": 0, "max_iter": 8}
NETWORKS = ("10GbE", "100GbE", "ib-hdr")
MACHINES = (64, 256, 1024, 4096)


def launcher() -> str:
    beside = Path(sys.executable).parent / "mpiexec"
    return str(beside) if beside.exists() else "mpiexec"


def job(size: int, limits: Limits, runs: list[Any], files: dict[int, str], rounds: int) -> dict[str, Any]:
    """What ranks find in namespaces with these limits."""
    with tempfile.TemporaryDirectory() as folder, namespaces(size, limits) as made:
        out = Path(folder) / "found.json"
        asked = json.dumps({"runs": runs, "files": files, "rounds": rounds, "out": str(out)})
        script = Path(folder) / "rank.sh"  # the launchers between take no quotes
        script.write_text(f"#!/bin/sh\nexec {sys.executable} {Path(__file__).parent / 'ranks' / 'job.py'} '{asked}'\n")
        script.chmod(0o755)
        line = made.command(launcher(), [str(script)])
        env = os.environ | Namespaces.environment() | {"OMP_NUM_THREADS": "1"}
        done = subprocess.run(line, env=env, capture_output=True, text=True, timeout=300)
        if done.returncode != 0 or not out.exists():
            sys.exit(f"{size} ranks, {limits}: the job ended with {done.returncode}\n{done.stdout}{done.stderr}")
        return json.loads(out.read_text())


def network_of(limits: Limits, unlimited: dict[str, Any]) -> Any:
    """Constants from what was set, and from software in a job without limits."""
    return gp.distributed.Network(
        f"{1e6 * limits.seconds:.0f} us, {limits.bits_per_second / 1e6:.0f} Mbit/s",
        unlimited["latency_seconds"] + limits.seconds,
        limits.bytes_per_second,
        unlimited["message_seconds"],
        unlimited["step_seconds"],
    )


def compared(found: dict[str, Any], predicted: Any) -> dict[str, Any]:
    """Errors of a prediction, super-step by super-step."""
    measured, steps = np.array(found["seconds"]), predicted.supersteps
    if len(measured) != len(steps):
        sys.exit(f"{predicted.program}: {len(measured)} super-steps ran, {len(steps)} were predicted")
    return {
        "measured": float(measured.mean()),
        "predicted": float(steps["seconds"].mean()),
        "errors": (steps["seconds"] / measured - 1).tolist(),
        "error": float(steps["seconds"].sum() / measured.sum() - 1),
        "parts": {part: float(np.mean(values)) for part, values in found["parts"].items()},
        "predicted_parts": [float(steps[part].mean()) for part in ("compute_seconds", "exchange_seconds")],
        "bytes": [float(sum(found["bytes"])), predicted.bytes_sent],
        "memory": [found["resident_bytes"], predicted.memory_bytes],
    }


def validate(options: argparse.Namespace, folder: Path) -> list[dict[str, Any]]:
    graphs = {scale: gp.generate.kronecker(scale, EDGE_FACTOR) for scale in options.scales}
    runs, files = [], {}
    for scale, graph in graphs.items():
        files[scale] = str(folder / f"{scale}.gaspipe")
        graph.save(files[scale])
        root = int(np.argmax(np.diff(graph.indptr)))
        runs += [(scale, "pagerank", STEPS), (scale, "bfs", {"root": root})]
    cells = []
    for size in options.ranks:
        unlimited = job(size, Limits(0.0, 0), [], {}, 1)["network"]
        slower = max(1.0, size / (os.cpu_count() or 1))
        predictions = [
            gp.distributed.predict(program, graphs[scale], size, ranks_per_core=slower, **arguments)
            for scale, program, arguments in runs
        ]
        for limits in (Limits(latency, rate) for latency in options.latencies for rate in options.rates):
            network = network_of(limits, unlimited)
            found = job(size, limits, runs, files, options.rounds)
            for (scale, program, _), ran, prediction in zip(runs, found["runs"], predictions):
                cell = {"scale": scale, "program": program, "ranks": size, "network": network.name}
                cell |= compared(ran, prediction.on_network(network)) | {"constants": found["network"]}
                cells.append(cell)
                print(" ".join(row(cell)), file=sys.stderr)
    return cells


HEADS = [
    *("program", "kron", "ranks", "latency, bandwidth", "measured [ms/step]", "predicted [ms/step]", "error"),
    *("super-steps: median error", "largest"),
]


def row(cell: dict[str, Any]) -> list[str]:
    sizes = sorted(cell["errors"], key=abs)
    return [
        *(cell["program"], str(cell["scale"]), str(cell["ranks"]), cell["network"]),
        *(f"{1e3 * cell['measured']:.3g}", f"{1e3 * cell['predicted']:.3g}", f"{cell['error']:+.0%}"),
        *(f"{statistics.median(map(abs, sizes)):.0%}", f"{sizes[-1]:+.0%}"),
    ]


def summary(cells: list[dict[str, Any]]) -> str:
    lines = []
    for name, chosen in (
        ("all", cells),
        *((program, [c for c in cells if c["program"] == program]) for program in ("pagerank", "bfs")),
        *((f"{n} ranks", [c for c in cells if c["ranks"] == n]) for n in sorted({c["ranks"] for c in cells})),
        *((name, [c for c in cells if c["network"] == name]) for name in dict.fromkeys(c["network"] for c in cells)),
    ):
        runs, steps = [abs(c["error"]) for c in chosen], [abs(e) for c in chosen for e in c["errors"]]
        lines.append(
            [name, str(len(runs)), f"{statistics.median(runs):.0%}", f"{max(runs):.0%}"]
            + [str(len(steps)), f"{statistics.median(steps):.0%}", f"{max(steps):.0%}"]
        )
    heads = ["", "runs", "median error", "largest", "super-steps", "median error", "largest"]
    return table(heads, lines)


def bandwidths(cells: list[dict[str, Any]]) -> str:
    """What ranks measured of each limited network, MB/s."""
    by_network: dict[str, list[float]] = {}
    for cell in cells:
        by_network.setdefault(cell["network"], []).append(cell["constants"]["bytes_per_second"] / 1e6)
    return "; ".join(f"{name}: {statistics.median(found):.0f}" for name, found in by_network.items())


def machines(sample_scale: int, threads: int) -> str:
    """2^36 edges on many machines, predicted."""
    model = gp.distributed.KroneckerModel(31, EDGE_FACTOR, sample_scale)
    root = int(np.argmax(np.diff(model.sample().indptr)))
    lines = []
    for program, arguments in (("pagerank", STEPS), ("bfs", {"root": root})):
        found = gp.distributed.predict(program, model, MACHINES, num_threads=threads, **arguments)
        for network in NETWORKS:
            for p in (each.on_network(network) for each in found):
                times = 1 if program == "bfs" else p.num_supersteps  # an edge counts
                step_ms = 1e3 * p.seconds / p.num_supersteps
                line = [
                    program,
                    network,
                    str(p.ranks),
                    f"{p.seconds:.3g}",
                    f"{step_ms:,.0f}",
                    f"{p.exchange_share:.0%}",
                ]
                line += [
                    f"{p.bytes_sent / p.num_supersteps / 1e9:,.0f}",
                    f"{p.num_edges * times / p.seconds / 1e9:,.1f}",
                ]
                lines.append([*line, f"{p.speedup:.0f}", f"{p.memory_bytes / 1e9:.1f}"])
    heads = ["program", "network", "machines", "predicted [s]", "predicted [ms/step]", "exchanging", "GB sent a step"]
    return table([*heads, "GTEPS", "speedup", "GB a machine"], lines)


def markdown(cells: list[dict[str, Any]], big: str, options: argparse.Namespace) -> str:
    exact = sum(c["bytes"][0] == c["bytes"][1] for c in cells)
    largest = max(options.scales)
    memory = sorted(c["memory"][1] / c["memory"][0] for c in cells if c["scale"] == largest and c["memory"][0] > 0)
    machine = facts()
    method = "../README.md#predictions-of-runs-on-ranks"
    return f"""# Runs on ranks, predicted

Printed by `python benchmarks/predict_ranks.py --out FILE`; [what it compares]({method}).
{machine["cpu"]}, {machine["cpus"]} cores, {machine["date"]}; load (1, 5, 15 minutes, the job's own included) {load()}.

## Predicted beside measured

MPI ranks in network namespaces of one machine, one thread each, Kronecker graphs with edge factor {EDGE_FACTOR}.
Latency and bandwidth are what was set: tc's tbf limits the bandwidth, and a relay holds every frame up, as this
kernel has no netem. Median of {options.rounds} runs, super-step by super-step. Error: predicted / measured - 1; that of
the whole run, then of its super-steps. Ranks that share cores compute slower; the model is told so. It is not told
that ranks and relay share cores, nor that the relay moves 0.3 GB a second at most, of all ranks together.

{summary(cells)}

The bytes in boxes are those predicted in {exact} of {len(cells)} runs. Memory of a rank on Kronecker {largest},
predicted / resident: {memory[0]:.2f} to {memory[-1]:.2f}; what is resident has buffers of MPI and what reading the
file has left. Bandwidth that `measure_network` finds in these jobs, in MB/s, which the model was not told:
{bandwidths(cells)}.

{table(HEADS, map(row, cells))}

## 2^36 edges, predicted

Nothing here was run. `gp.distributed.KroneckerModel(31)`: 2^31 vertices, 2^36 edges (each stored once in both
directions), ranges of vertices with equal edges; one rank a machine, which computes as fast as this machine with
{options.threads} threads on Kronecker {options.sample_scale}. PageRank: {STEPS["max_iter"]} super-steps; BFS from the
vertex with most edges. GTEPS: edges a second, for PageRank in each super-step. The speedup is that over one such
machine, had it the memory.

{big}

What limits: every rank has the degrees of all vertices (8 bytes each from 2^32 edges on), so that memory falls to no
less than 17 GB a machine; a rank has a message for each other one, whose time grows with the machines while bytes fall;
and on fast networks searches spend the exchange on writing and reading boxes of changes, which a rank does in one
thread. The network is taken to carry what all machines send at once.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scales", type=int, nargs="+", default=[16, 18], metavar="N")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4], metavar="N")
    parser.add_argument("--latencies", type=float, nargs="+", default=LATENCIES, metavar="SECONDS")
    parser.add_argument("--rates", type=int, nargs="+", default=RATES, metavar="BITS")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sample-scale", type=int, default=20, help="of the graph that the 2^36 edges are like")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of a machine in the table of 2^36 edges")
    parser.add_argument("--out", metavar="FILE", help="Markdown to write")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    reason = why_not()
    if reason:
        sys.exit(f"predict_ranks.py: {reason}")
    require("mpi4py", "mpi4py and mpich")
    with tempfile.TemporaryDirectory() as folder:
        cells = validate(options, Path(folder))
    text = markdown(cells, machines(options.sample_scale, options.threads), options)
    print(text)
    if options.out:
        Path(options.out).write_text(text)
    if options.json:
        save(options.json, facts(load=load(), cells=cells))
    return 0


if __name__ == "__main__":
    sys.exit(main())
