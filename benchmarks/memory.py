# SPDX-License-Identifier: Apache-2.0
"""Peak memory of a run on the CPU, next to the size of its graph.

Every run has a process of its own. It loads a saved CSR, hands it to gaspipe without a copy, runs one algorithm and
reads the kernel's high-water mark of resident memory, less what interpreter, NumPy and SciPy took before. The CSR
itself, the import of gaspipe, partitions, the run's buffers and the answer all count. Bar: at most 2.5 times the CSR.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from machine import facts, require, reset_peak, resident_bytes, save, table

ALGORITHMS = ("pagerank", "bfs", "sssp")
BAR = 2.5


def child(folder: str, algorithm: str, weighted: bool) -> dict[str, Any]:
    """One measurement, in a fresh process."""
    np, sparse = require("numpy"), require("scipy.sparse", "scipy")
    was_reset = reset_peak()
    baseline = resident_bytes("VmRSS")
    indptr, indices = (np.load(Path(folder, f"{name}.npy")) for name in ("indptr", "indices"))
    # SciPy must have data where a graph has no weights: a bool matrix, mapped and never read, so it takes no memory.
    data = np.load(Path(folder, "weights.npy")) if weighted else np.load(Path(folder, "ones.npy"), mmap_mode="r")
    matrix = sparse.csr_array((data, indices, indptr), shape=(len(indptr) - 1,) * 2)
    gp = require("gaspipe")
    graph = gp.Graph(matrix, copy=None)
    more = {"tol": 0, "max_iter": 5} if algorithm == "pagerank" else {"root": int(graph.out_degrees().argmax())}
    loaded = resident_bytes("VmRSS")
    result = getattr(gp, algorithm)(graph, **more)
    peak = resident_bytes("VmHWM") - baseline
    csr = graph.indptr.nbytes + graph.indices.nbytes + (graph.weights.nbytes if weighted else 0)
    return {
        "algorithm": algorithm,
        "weights": "int32" if weighted else "none",
        "number": result.stats.number,
        "csr_bytes": csr,
        "before_run_bytes": loaded - baseline,
        "peak_bytes": peak,
        "ratio": peak / csr,
        "peak_was_reset": was_reset,
    }


def write_graph(folder: str, scale: int, edge_factor: int) -> str:
    """Save a Kronecker graph as SciPy would hold it: int32 indices, and weights or ones."""
    np, gp = require("numpy"), require("gaspipe")
    graph = gp.generate.kronecker(scale, edge_factor, weights=(1, 255))
    arrays = {
        "indptr": graph.indptr.astype(np.int32 if graph.num_edges < 2**31 else np.int64),
        "indices": graph.indices.view(np.int32),
        "weights": graph.weights,
        "ones": np.ones(graph.num_edges, bool),
    }
    for name, array in arrays.items():
        np.save(Path(folder, f"{name}.npy"), array)
    return f"{graph.num_vertices} vertices, {graph.num_edges} stored edges"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--edge-factor", type=int, default=16)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        folder, algorithm, weighted = options.child
        print(json.dumps(child(folder, algorithm, weighted == "weighted")))
        return
    records = []
    with tempfile.TemporaryDirectory() as folder:
        size = write_graph(folder, options.scale, options.edge_factor)
        print(f"Kronecker {options.scale}, edge factor {options.edge_factor}: {size}\n")
        for kind in ("unweighted", "weighted"):
            for algorithm in ALGORITHMS:
                command = [sys.executable, __file__, "--child", folder, algorithm, kind]
                done = subprocess.run(command, capture_output=True, text=True)
                if done.returncode:
                    sys.exit(f"memory.py: {algorithm} on the {kind} graph failed: {done.stderr[-500:]}")
                records.append(json.loads(done.stdout))
    rows = [
        [r["algorithm"], r["weights"], r["number"], *(f"{r[key] / 2**20:.0f}" for key in ("csr_bytes", "peak_bytes"))]
        + [f"{r['ratio']:.2f}", "yes" if r["ratio"] <= BAR else "NO"]
        for r in records
    ]
    print(table(["run", "weights", "number", "CSR MiB", "peak MiB", "peak / CSR", f"<= {BAR}"], rows))
    if not all(r["peak_was_reset"] for r in records):
        print("\n/proc/self/clear_refs is not writable here: importing NumPy and SciPy may count in the peak.")
    known = facts(gaspipe=require("gaspipe").__version__)
    print("\n" + "\n".join(f"{key}: {value}" for key, value in known.items()))
    save(options.json, {"facts": known, "records": records})


if __name__ == "__main__":
    main()
