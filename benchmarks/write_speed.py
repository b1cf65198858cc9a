# SPDX-License-Identifier: Apache-2.0
"""How fast an edge list is written, next to pandas and NumPy writing the same lines in the same run.

The graph is a Kronecker one with weights: int32, or float64 with as many digits as they take. Each writer gets its
columns ready made (ours the graph, the others arrays or a table), writes `source destination weight` without a header
to a file in memory if there is such a folder, and the three files are compared before anything is timed: integers byte
for byte, floating-point numbers after reading, since the writers differ in their form.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

from machine import Others, Samples, facts, load, require, save, table, wait_until_quiet


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scale", type=int, default=16, help="2**SCALE vertices")
    parser.add_argument("--edge-factor", type=int, default=16)
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of gaspipe; the others have one")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--patience", type=float, default=30, metavar="S", help="seconds to wait for idle CPUs")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    np, pd, gp = require("numpy"), require("pandas"), require("gaspipe")
    before = load()
    report: dict[str, Any] = {}
    lines = []
    in_memory = Path("/dev/shm")
    folder = in_memory if os.access(in_memory, os.W_OK) else None
    integral = gp.generate.kronecker(options.scale, options.edge_factor, seed=1, weights=(1, 255))
    sources = np.repeat(np.arange(integral.num_vertices, dtype=np.uint32), integral.out_degrees())
    decimal = np.random.default_rng(1).random(integral.num_edges)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        for kind, weights in (("int32", integral.weights), ("float64", decimal)):
            graph = gp.Graph((sources, integral.indices, weights), num_vertices=integral.num_vertices)
            columns = (sources, graph.indices, weights)
            frame = pd.DataFrame(dict(zip(("source", "destination", "weight"), columns)))
            form = ["%d", "%d", "%d" if kind == "int32" else "%.17g"]
            rows = np.rec.fromarrays(columns)
            paths = {name: str(Path(place) / f"{name}.txt") for name in ("gaspipe", "pandas", "numpy")}
            writers = {
                "gaspipe": writer(graph, paths["gaspipe"], options.threads),
                "pandas": lambda: frame.to_csv(paths["pandas"], sep=" ", header=False, index=False),  # noqa: B023
                "numpy": lambda: np.savetxt(paths["numpy"], rows, fmt=form),  # noqa: B023
            }
            if options.threads != 1:
                writers["gaspipe, 1 thread"] = writer(graph, paths["gaspipe"], 1)
            for write in writers.values():
                write()
            compare(paths, exact=kind == "int32")
            size = Path(paths["gaspipe"]).stat().st_size
            samples = {name: Samples() for name in writers}
            for _ in range(options.rounds):
                for name, write in writers.items():
                    wait_until_quiet(options.patience)
                    with Others() as others:
                        start = time.perf_counter()
                        write()
                        seconds = time.perf_counter() - start
                    samples[name].add([seconds], others.share)
            base = samples["gaspipe"].median
            for name, taken in samples.items():
                lines.append(
                    [kind, name, str(taken), f"{1e9 * taken.median / graph.num_edges:.3g}",
                     f"{size / taken.median / 1e6:.3g}", f"{taken.median / base:.2f}"]
                )  # fmt: skip
            report[kind] = samples
    print(table(["weights", "writer", "ms", "ns per edge", "MB/s", "ratio to gaspipe"], lines), end="\n\n")
    known = facts(
        gaspipe=gp.__version__,
        pandas=pd.__version__,
        threads=options.threads,
        edges=integral.num_edges,
        folder="in memory" if folder else "on disk",
        load=f"{before} before, {load()} after",
    )
    print("\n".join(f"{key}: {value}" for key, value in known.items()))
    save(options.json, {"facts": known, "seconds": report})


def writer(graph: Any, path: str, threads: int) -> Callable[[], None]:
    return lambda: graph.to_file(path, header=False, num_threads=threads)


def compare(paths: dict[str, str], *, exact: bool) -> None:
    """End the script unless all files say the same."""
    texts = {name: Path(path).read_bytes() for name, path in paths.items()}
    found = texts if exact else {name: [*map(float, text.split())] for name, text in texts.items()}
    for name in paths:
        if found[name] != found["gaspipe"]:
            sys.exit(f"write_speed.py: gaspipe and {name} write different files")


if __name__ == "__main__":
    main()
