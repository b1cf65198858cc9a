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
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from cpu import ablation, graphs, limits, report, scaling
from cpu.measure import find_peers, measure
from cpu.peer import ALGORITHMS, Absent, peer_classes
from machine import facts, load, require, save


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
    parser.add_argument("--rounds", type=int, default=3, help="rounds of alternation, a start vertex each (default: 3)")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument(
        "--smaller", type=int, default=0, metavar="N", help="generated graphs smaller by 2**N, for trials"
    )
    parser.add_argument(
        "--patience", type=float, default=0, metavar="S", help="wait up to S s for idle CPUs, each time"
    )
    parser.add_argument(
        "--hopeless", type=float, default=3, metavar="X", help="peers X times slower than the fastest are timed once"
    )
    parser.add_argument("--no-whole", dest="whole", action="store_false", help="no whole calls")
    parser.add_argument("--no-memory", dest="memory", action="store_false", help="no peak memory of libraries")
    parser.add_argument(
        "--scaling", action="store_true", help="time per edge, Kronecker 18 to 22, beside --peers (gapbs)"
    )
    parser.add_argument(
        "--prepared", action="store_true", help="kernels alone, ours on graphs relabeled by Graph.prepare() before"
    )
    parser.add_argument("--ablation", action="store_true", help="what each technique of the engine gives")
    parser.add_argument("--quick", action="store_true", help="small graphs, two rounds: does everything still run?")
    parser.add_argument("--folder", metavar="DIR", help="for graphs and peers' files (default: temporary)")
    parser.add_argument("--json", metavar="FILE", help="write all samples")
    parser.add_argument("--png", metavar="FILE", help="draw the ratios")
    parser.add_argument("--short", metavar="FILE", help="write one page for a reader in a hurry (Markdown)")
    options = parser.parse_args(arguments)
    if options.quick:
        options.graphs = options.graphs or "kron18,grid1000"
        options.rounds, options.smaller = min(options.rounds, 2), options.smaller or 4
    if options.scaling:
        options.graphs = options.graphs or ",".join(f"kron{scale}" for scale in range(18, 23))
        options.algorithms = options.algorithms or "bfs,sssp,pagerank,wcc"
        options.peers, options.hopeless = options.peers or "gapbs", float("inf")
    if options.ablation:
        options.peers = "gaspipe"
    if options.prepared:
        options.graphs = options.graphs or "kron18,kron20,urand20"
        options.whole = options.memory = False
    options.algorithms = options.algorithms.split(",") if options.algorithms else list(ALGORITHMS)
    options.peers = options.peers.split(",") if options.peers else None
    options.graphs = (options.graphs or ",".join(graphs.GRAPHS)).split(",")
    unknown = {name for name in options.graphs if not graphs.is_known(name)}
    unknown |= set(options.algorithms) - set(ALGORITHMS) | set(options.peers or ()) - set(kinds) - {"gaspipe"}
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    return options


def cases(options: argparse.Namespace, gp: Any, folder: str) -> Iterator[graphs.Case]:
    """Make one graph after the other; a graph's files are gone when the next one is made."""
    for name in options.graphs:
        if not graphs.is_available(name, options.data):
            print(f"{name}: ABSENT (no file of it in --data)\n")
            continue
        with tempfile.TemporaryDirectory(dir=folder) as place:
            graphs.make(gp, name, place, options.data, max(options.rounds, 1), options.smaller)
            case, started = graphs.Case(name, place), time.perf_counter()
            print(f"{name}: {case.num_vertices} vertices, {case.num_edges} stored edges\n", flush=True)
            yield case
            print(f"{name} took {(time.perf_counter() - started) / 60:.1f} minutes\n", flush=True)


def main_tables(options: argparse.Namespace, peers: list[Any], all_cases: Iterator[graphs.Case]) -> dict[str, Any]:
    cells: list[Any] = []
    sizes: dict[str, tuple[int, int, float]] = {}
    try:
        machine: limits.Machine | None = limits.Machine(options.threads)
    except Absent as reason:
        machine = None
        print(f"Bounds: ABSENT ({reason})\n")
    for case in all_cases:
        sizes[case.name] = case.num_vertices, case.num_edges, machine.gather_rate(case) if machine else 0.0
        found = measure(peers, case, options)
        print(f"{report.all_times(found)}\n", flush=True)
        cells += found
    rows = report.ratios(cells)
    for kind in ("kernel", "whole"):
        of_kind = [row for row in rows if row.cell.kind == kind]
        if of_kind:
            verdict = report.verdict_of_prepared(of_kind) if options.prepared else report.verdict(of_kind)
            print(f"{report.ratio_table(of_kind)}\n\n{report.overview(of_kind)}\n\n{verdict}\n")
    if options.memory:
        print(report.memory_table(cell for cell in cells if cell.kind == "kernel"), end="\n\n")
    known = machine.limits() if machine else {}
    if known:
        print(f"{limits.limits_table(known)}\n\n{limits.bounds_table(cells, known, sizes)}\n")
    if options.png:
        report.plot(rows, options.png)
    return {"sizes": sizes, "ratios": report.to_json(rows), "rows": rows, "limits": known, "cells": cells}


def scaling_tables(options: argparse.Namespace, peers: list[Any], all_cases: Iterator[graphs.Case]) -> dict[str, Any]:
    cells: list[Any] = []
    prepared = []
    options.whole = options.memory = False
    for case in all_cases:
        cells += measure(peers, case, options)
        prepared.append((case.name, case.num_edges, *peers[0].call("ask", "prepare")))
    print(f"{report.all_times(cells)}\n\n{scaling.scaling_table(cells, prepared)}\n")
    return {"cells": cells, "prepared": prepared}


def ablation_tables(options: argparse.Namespace, peers: list[Any], all_cases: Iterator[graphs.Case]) -> dict[str, Any]:
    rows: list[Any] = []
    gp = require("gaspipe")
    for case in all_cases:
        for algorithm in options.algorithms:
            rows += ablation.ablate(gp, case, algorithm, options)
        rows += ablation.ablate_pages(peers[0], case, options)
    print(f"{ablation.ablation_table(rows)}\n")
    return {"ablation": [{**row._asdict(), "gain": row.gain} for row in rows]}


def main() -> None:
    options = parse()
    started, before = time.perf_counter(), load()
    os.environ["OMP_NUM_THREADS"] = str(options.threads)  # read when the extension is loaded
    os.environ["GASPIPE_PREPARES"] = str(int(options.prepared))  # for our worker
    gp = require("gaspipe")
    peers, absent = find_peers(options, options.peers)
    versions = {peer.name: peer.version for peer in peers}
    print(report.reasons(absent, versions), end="\n\n", flush=True)
    tables = scaling_tables if options.scaling else ablation_tables if options.ablation else main_tables
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        found = tables(options, peers, cases(options, gp, folder))
    for peer in peers:
        getattr(peer, "close", lambda: None)()
    minutes = (time.perf_counter() - started) / 60
    known = facts(threads=options.threads, load=f"{before} before, {load()} after", minutes=round(minutes, 1))
    print("\n".join(f"{key}: {value}" for key, value in known.items()))
    rows = found.pop("rows", [])
    if options.short:
        Path(options.short).write_text(report.in_short(rows, known, versions))
    save(options.json, {"facts": known, "versions": versions, "absent": absent, **found})


if __name__ == "__main__":
    main()
