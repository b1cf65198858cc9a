# SPDX-License-Identifier: Apache-2.0
"""Whole kernels as circuits on small graphs, against the emulator and a plain loop: cases, findings, the table."""

from __future__ import annotations

import csv
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import launches
import measure
import numpy as np
from whole import Kernel, card

TABLE = measure.HERE / "kernels.csv"
MOST_DIFFERENCE = 0.02  # of cycles, between a circuit and the emulator
PINNED_MARGIN = 0.01  # of cycles, before the table has to be written anew
_CAPACITY = 1 << 12  # of the chip: a small memory, on which no cycle depends


def kernels(repository: Path = measure.REPOSITORY) -> dict[str, Kernel]:
    """Return the kernels that are simulated, by their names: widths are those of the boards but for the last one's."""

    def kernel(name: str, program: str, lanes: int, pes: int, config: str = "plain") -> Kernel:
        number, num_aux = ("fixed", 2) if program == "pagerank" else ("uint32", 0)
        design = card.Design(program, number, num_aux, program == "sssp", 2, lanes, pes, _CAPACITY, config=config)
        return Kernel(name, design, repository=repository)

    return {
        "gather_scatter_bfs_8": kernel("gather_scatter", "bfs", 8, 8),
        "gather_scatter_sssp_16": kernel("gather_scatter", "sssp", 16, 16),
        "packed_gather_scatter_sssp_16": kernel("packed_gather_scatter", "sssp", 16, 16, "packed"),
        "packed_gather_scatter_pagerank_16": kernel("packed_gather_scatter", "pagerank", 16, 16, "packed"),
        "apply_bfs": kernel("apply", "bfs", 8, 8),
        "apply_pagerank": kernel("apply", "pagerank", 8, 8),
        "gather_scatter_pagerank_8_4": kernel("gather_scatter", "pagerank", 8, 4),
    }


@dataclass(frozen=True)
class Run:
    """A launch of a kernel."""

    kernel: str
    graph: str
    bad: int  # words that differ from the emulator's
    wrong: int  # words that differ from those of a plain loop
    rtl: int  # cycles
    emulator: int

    @property
    def difference(self) -> float:
        """How many cycles more the circuit takes, as a fraction of the emulator's."""
        return self.rtl / self.emulator - 1

    def line(self) -> str:
        """Return it as a line of a report."""
        equal = "equal" if self.bad == self.wrong == 0 else "DIFFERENT"
        cycles = f"cycles {self.rtl}, emulator {self.emulator} ({100 * self.difference:+.2f} %)"
        return f"{self.kernel:34s} {self.graph:8s} words {equal}, {cycles}"


def simulate(
    name: str, kernel: Kernel, work: Path, graphs: list[str] | None = None, keep: measure.Keep | None = None
) -> list[Run]:
    """Run a kernel's circuit and the emulator on graphs, all without a list of them.

    `keep`: whether they are run, or what was found of the same is taken.
    """
    folder = work / name
    folder.mkdir(parents=True, exist_ok=True)
    design, chosen = kernel.design, {g: v for g, v in launches.graphs().items() if graphs is None or g in graphs}
    expected = {
        graph: launches.write(kernel.name, design.algorithm, v, folder / graph, pes=design.pes, capacity=_CAPACITY)
        for graph, v in chosen.items()
    }
    digest = _write_sources(kernel, folder)

    def run(graph: str) -> dict:
        program = _program(folder, digest)
        said = json.loads(measure.run([str(program), str(folder / graph)]).splitlines()[-1])
        wrong = sum(_differences(folder / graph / f"{port}.out", words) for port, words in expected[graph].items())
        return {"bad": said["bad"], "wrong": wrong, "rtl": said["rtl"], "emulator": said["emulator"]}

    def key(graph: str) -> str:
        words = [f"{port} {hashlib.sha256(words.tobytes()).hexdigest()}" for port, words in expected[graph].items()]
        inputs = sorted(file for file in (folder / graph).iterdir() if file.suffix != ".out")
        return " ".join([digest, *words, *(file.name for file in inputs), measure.digests(inputs)])

    found = {g: keep(folder / f"{g}.json", key(g), lambda g=g: run(g)) if keep else run(g) for g in chosen}
    return [Run(name, graph, **values) for graph, values in found.items()]


def _write_sources(kernel: Kernel, folder: Path) -> str:
    """Write the sources of a program, and return the digest of them and of what they include."""
    verilog, test, fifo = folder / "kernel.v", folder / "testbench.cpp", measure.HERE / "fifo.v"
    verilog.write_text(kernel.verilog(folder), encoding="utf-8")
    test.write_text(kernel.bench(), encoding="utf-8")
    texts = [f.read_text(encoding="utf-8") for f in (verilog, test, fifo, measure.HERE / "whole_bench.h")]
    return hashlib.sha256("".join([*texts, measure.headers(measure.REPOSITORY)]).encode()).hexdigest()


def _program(folder: Path, digest: str) -> Path:
    """Return the program that runs the circuit and the emulator: the one that is there if it was made of the same."""
    made = folder / "made.txt"
    if not made.exists() or made.read_text(encoding="utf-8") != digest:
        made.unlink(missing_ok=True)
        sources = [measure.HERE / "fifo.v", folder / "kernel.v", folder / "testbench.cpp"]
        measure.verilate("kernel", sources, folder / "obj", measure.REPOSITORY)
        made.write_text(digest, encoding="utf-8")
    return folder / "obj" / "Vkernel"


def _differences(file: Path, words: np.ndarray) -> int:
    written = np.fromfile(file, dtype="<u4")
    if written.size != words.size:
        return max(written.size, words.size)
    return int(np.any((written != words).reshape(-1, launches.WORD), axis=1).sum())


def read_table() -> dict[tuple[str, str], dict[str, int]]:
    """Return the cycles that are committed, by kernel and graph."""
    with TABLE.open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    return {(r["kernel"], r["graph"]): {k: int(r[k]) for k in ("rtl", "emulator")} for r in rows}


def write_table(found: list[Run]) -> None:
    """Write the table; rows of launches that were not run stay."""
    rows = read_table() if TABLE.exists() else {}
    rows |= {(r.kernel, r.graph): {"rtl": r.rtl, "emulator": r.emulator} for r in found}
    with TABLE.open("w", encoding="utf-8", newline="") as text:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["kernel", "graph", "rtl", "emulator", "percent_more"])
        for (kernel, graph), row in sorted(rows.items()):
            more = 100 * (row["rtl"] / row["emulator"] - 1)
            writer.writerow([kernel, graph, row["rtl"], row["emulator"], f"{more:.2f}"])


def findings(run: Run, table: dict[tuple[str, str], dict[str, int]]) -> list[str]:
    """Return what is wrong with a launch."""
    if run.rtl < 0:
        return ["the circuit came to no end"]
    out = [f"{run.bad} words differ from the emulator's"] if run.bad else []
    if run.wrong:
        out.append(f"{run.wrong} words differ from those of a plain loop")
    if abs(run.difference) > MOST_DIFFERENCE:
        out.append(f"{run.rtl} cycles, the emulator takes {run.emulator}")
    row = table.get((run.kernel, run.graph))
    if row is None:
        return [*out, "no row in kernels.csv: tests/rtl/run --update writes it"]
    for key, pinned in row.items():
        if abs(getattr(run, key) - pinned) > PINNED_MARGIN * pinned:
            meant = "tests/rtl/run --update if that is meant"
            out.append(f"{key}: {getattr(run, key)} cycles, kernels.csv has {pinned}: {meant}")
    return out
