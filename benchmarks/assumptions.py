# SPDX-License-Identifier: Apache-2.0
"""What assumptions that no synthesis has confirmed would cost: latency of URAM, interval of the decoder, clock.

The packed kernel is compiled anew from its source with another latency or interval, and runs in the emulator; the
design for HBM is estimated. `--library` is libgaspipe.a of a build of this tree (build/dev/cpp/libgaspipe.a).
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent))

import gaspipe as gp
from machine import table

ROOT = Path(__file__).resolve().parents[1]
CLOCKS = (200, 250, 300)
LATENCIES, INTERVALS = (3, 4), (1, 2)  # below 3 the interval of gatherRows stays 1, and nothing else depends on it
AS_WRITTEN = (3, 1)
PROGRAM = """
#include <cstdio>
#include <cstdlib>
#include "gaspipe/generate.h"
#include "gaspipe/run.h"
using namespace gaspipe;
int main(int, char** argv) {
  Workers workers(1);
  const EdgeList edges = kronecker_edges(std::atoi(argv[1]), std::atoi(argv[2]), 1, workers);
  const Graph graph(build_csr(edges, edges.num_vertices, workers));
  for (const char* board : {"u250", "u280"}) {
    for (const double mhz : {200.0, 250.0, 300.0}) {
      RunOptions options;
      options.device = std::string("emulator:") + board;
      options.number = "fixed";
      options.prediction.emplace();
      options.prediction->config = "packed";
      options.prediction->clock_mhz = mhz;
      const Result result = run(find_program("pagerank"), graph, {{"max_iter", std::int64_t(1)}}, options);
      const Prediction& prediction = *result.stats.prediction;
      const StepPrediction& step = prediction.steps[0];
      const double seconds = step.seconds - prediction.step_overhead_seconds;
      std::printf("%s %g %.17g\\n", board, mhz, static_cast<double>(step.edges) / seconds / 1e6);
    }
  }
}
"""


def changed(folder: Path, latency: int, interval: int) -> None:
    """Copy what the packed kernel is timed from into a folder, and change it there."""
    for name in ("hls", "cpp/src/predict"):
        shutil.copytree(ROOT / name, folder / name)
    for where, old, new in (
        ("hls/module/latency.h", "kMemoryRead = 3", f"kMemoryRead = {latency}"),
        ("hls/module/sub_partition.h", "GASPIPE_PIPELINE(1)", f"GASPIPE_PIPELINE({interval})"),
    ):
        text = (folder / where).read_text(encoding="utf-8")
        at = text.find("void decodeEdges(") if "sub_partition" in where else 0
        found = text.find(old, at)
        if at < 0 or found < 0:
            sys.exit(f"{where} has no {old!r} to change; this script does not fit the kernels any more")
        (folder / where).write_text(text[:found] + new + text[found + len(old) :], encoding="utf-8")


def packed(args: argparse.Namespace, latency: int, interval: int) -> dict[tuple[str, int], float]:
    """Million edges a second of the packed kernel, by board and clock."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        changed(folder, latency, interval)
        (folder / "main.cpp").write_text(PROGRAM, encoding="utf-8")
        sources = [folder / "main.cpp", folder / "cpp/src/predict/built/packed.cpp"]
        includes = [f"-I{path}" for path in (folder, ROOT / "cpp/include", ROOT)]
        library = ["-Wl,--start-group", args.library, "-Wl,--end-group", "-ldl", "-lpthread", *args.link]
        subprocess.run(
            ["g++", "-std=c++17", "-O1", "-fopenmp", *includes, *sources, *library, "-o", folder / "main"], check=True
        )
        run = [folder / "main", str(args.scale), str(args.edge_factor)]
        lines = subprocess.run(run, check=True, capture_output=True, text=True).stdout.splitlines()
    return {(board, int(float(mhz))): float(rate) for board, mhz, rate in (line.split() for line in lines)}


def estimated(graph: gp.Graph, latency: int, interval: int) -> dict[tuple[str, int], float]:
    """Million edges a second of the design for HBM."""
    rates = {}
    for mhz in CLOCKS:
        p = gp.predict(
            "pagerank", graph, board="u280", config="hbm", clock_mhz=mhz, number="fixed", max_iter=1, tol=0,
            assume={"uram_latency": latency, "decoder_interval": interval},
        ).stats.prediction  # fmt: skip
        rates["u280", mhz] = graph.num_edges / (p.seconds - p.step_overhead_seconds) / 1e6
    return rates


def main() -> None:
    """Print what every combination costs, beside the kernels as they are written, at the clock of the row."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, type=Path, metavar="FILE", help="libgaspipe.a of a build")
    parser.add_argument(
        "--link", nargs="*", default=["-luring"], metavar="-lNAME", help="what that library needs (default: -luring)"
    )
    parser.add_argument("--scale", type=int, default=18, help="Kronecker graph (default: 18)")
    parser.add_argument("--edge-factor", type=int, default=32, help="its edges per vertex (default: 32)")
    parser.add_argument("--out", metavar="FILE", help="write the table")
    parser.add_argument("--json", metavar="FILE", help="write all figures")
    args = parser.parse_args()
    graph = gp.generate.kronecker(args.scale, args.edge_factor, 1, symmetric=False)
    variants = [(latency, interval) for latency in LATENCIES for interval in INTERVALS]
    with ThreadPoolExecutor() as pool:
        of_packed = list(pool.map(lambda variant: packed(args, *variant), variants))
    rates = {}
    for variant, found in zip(variants, of_packed):
        for design, others in (("", found), ("hbm ", estimated(graph, *variant))):
            rates.update({(design + board, mhz, *variant): rate for (board, mhz), rate in others.items()})
    designs = {"u250": "packed on U250", "u280": "packed on U280", "hbm u280": "hbm on U280"}
    rows = []
    for mhz in CLOCKS:
        for latency in LATENCIES:
            for interval in INTERVALS:
                cells = []
                for design in designs:
                    rate, base = rates[design, mhz, latency, interval], rates[(design, mhz, *AS_WRITTEN)]
                    first = rates[(design, CLOCKS[0], *AS_WRITTEN)]
                    cells.append(f"{rate:.0f} ({100 * (rate / base - 1):+.0f} %, {rate / first:.2f})")
                shown = "1 to 3" if latency == AS_WRITTEN[0] else f"{latency}"
                rows.append([f"{mhz}", shown, f"{interval}", *cells])
    text = table(["MHz", "URAM latency", "decoder's interval", *designs.values()], rows)
    print(f"\nMTEPS (beside the kernels as written at this clock; beside those at {CLOCKS[0]} MHz)\n\n{text}")
    if args.out:
        Path(args.out).write_text(text + "\n", encoding="utf-8")
    if args.json:
        named = [dict(zip(("design", "mhz", "latency", "interval"), key), mteps=rate) for key, rate in rates.items()]
        Path(args.json).write_text(json.dumps(named, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
