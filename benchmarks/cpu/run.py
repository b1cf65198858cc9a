# SPDX-License-Identifier: Apache-2.0
"""Gaspipe on the CPU beside every peer that is found, on the same graphs, in one run; see ../README.md.

Peers are found through an option of their name, `--gapbs DIR`: where a program was built, or where Python should look
besides; without it on the PATH, or where Python looks anyway. Nothing of theirs is in this repository.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).resolve().parents[1])

from cpu import graphs, report  # noqa: E402
from cpu.measure import find_peers, measure  # noqa: E402
from cpu.peer import ALGORITHMS, peer_classes  # noqa: E402
from machine import facts, load, require, save  # noqa: E402


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    kinds = {module: kind for module, kind in peer_classes().items() if module != "gaspipe"}
    for module, kind in kinds.items():
        parser.add_argument(f"--{module.replace('_', '-')}", dest=module, metavar="DIR", help=kind.name)
    parser.add_argument(
        "--built", action="append", default=[], metavar="PEER=TEXT", help="commit and flags of a peer, for the report"
    )
    parser.add_argument("--data", metavar="DIR", help="where cnr-2000-sym.graph.xz and USA-road-d.NY.gr.xz lie")
    parser.add_argument("--graphs", metavar="NAME,...", help=f"default: {','.join(graphs.GRAPHS)}")
    parser.add_argument("--algorithms", metavar="NAME,...", help=f"default: {','.join(ALGORITHMS)}")
    parser.add_argument("--peers", metavar="NAME,...", help=f"default: all that are found of {','.join(kinds)}")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of alternation, a start vertex each (default: 5)")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument(
        "--smaller", type=int, default=0, metavar="N", help="generated graphs smaller by 2**N, for trials"
    )
    parser.add_argument(
        "--patience", type=float, default=0, metavar="S", help="wait up to S s for idle CPUs, each time"
    )
    parser.add_argument("--no-whole", dest="whole", action="store_false", help="no whole calls")
    parser.add_argument("--no-memory", dest="memory", action="store_false", help="no peak memory of libraries")
    parser.add_argument("--quick", action="store_true", help="small graphs, two rounds: does everything still run?")
    parser.add_argument("--folder", metavar="DIR", help="for graphs and peers' files (default: temporary)")
    parser.add_argument("--json", metavar="FILE", help="write all samples")
    parser.add_argument("--png", metavar="FILE", help="draw the ratios")
    options = parser.parse_args(arguments)
    if options.quick:
        options.graphs = options.graphs or "kron18,grid1000"
        options.rounds, options.smaller = min(options.rounds, 2), options.smaller or 4
    options.algorithms = options.algorithms.split(",") if options.algorithms else list(ALGORITHMS)
    options.peers = options.peers.split(",") if options.peers else None
    unknown = set(options.algorithms) - set(ALGORITHMS) | set(options.peers or ()) - set(kinds)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    options.graphs = (options.graphs or ",".join(graphs.GRAPHS)).split(",")
    return options


def main() -> None:
    options = parse()
    started = time.perf_counter()
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    gp = require("gaspipe")
    peers, absent = find_peers(options, options.peers)
    versions = {peer.name: peer.version for peer in peers}
    print(report.reasons(absent, versions), end="\n\n", flush=True)
    cells: list[Any] = []
    sizes: dict[str, str] = {}
    before = load()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for name in options.graphs:
            if not graphs.is_available(name, options.data):
                print(f"{name}: ABSENT (no file of it in --data)\n")
                continue
            graphs.make(gp, name, Path(folder, name), options.data, max(options.rounds, 1), options.smaller)
            case = graphs.Case(name, Path(folder, name))
            sizes[name] = f"{case.num_vertices} vertices, {case.num_edges} stored edges"
            found = measure(peers, case, options)
            print(f"{name}: {sizes[name]}\n\n{report.all_times(found)}\n", flush=True)
            cells += found
    for peer in peers:
        getattr(peer, "close", lambda: None)()
    rows = report.ratios(cells)
    for kind in ("kernel", "whole"):
        of_kind = [row for row in rows if row.cell.kind == kind]
        if of_kind:
            print(f"{report.ratio_table(of_kind)}\n\n{report.overview(of_kind)}\n\n{report.verdict(of_kind)}\n")
    if options.memory:
        print(report.memory_table(cell for cell in cells if cell.kind == "kernel"), end="\n\n")
    known = facts(
        threads=options.threads, load=f"{before} before, {load()} after", minutes=(time.perf_counter() - started) / 60
    )
    print("\n".join(f"{key}: {value}" for key, value in known.items()))
    if options.png:
        report.plot(rows, options.png)
    whole = {"facts": known, "graphs": sizes, "versions": versions, "absent": absent, "ratios": report.to_json(rows)}
    save(options.json, {**whole, "cells": cells})


if __name__ == "__main__":
    main()
