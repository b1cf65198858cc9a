# SPDX-License-Identifier: Apache-2.0
"""Fuzzes what reads files and text, one fuzzer at a time: executions, what was found, and which lines were reached.

C++ readers run under libFuzzer (tests/fuzz/*_fuzz.cpp): with the address and undefined-behaviour sanitizers, which
Clang builds once in build/fuzz, or by --light without the former, in build/fuzz_light: undefined behaviour still ends
the program, and so does an index that the standard library finds wrong. --replay runs under the sanitizers what the
light build has kept. What is written in Python runs under atheris where that is installed, else on random changes of
the seeds (tests/fuzz/python_targets.py), and counts as without. Text readers are held against plain ones, and what has
checksums is given right ones. Executions add up in build/fuzz/executions.json over calls; where that is missing, from
those of the table on (9.9 million were counted so, on other machines). Those a second are of CPU time, in the last 100
runs. What was found and mended: docs/trust.md; "found" is what these runs found besides. Bar: nothing.
"""

from __future__ import annotations

import argparse
import fcntl
import importlib.util
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from machine import table

REPOSITORY = Path(__file__).resolve().parents[1]
FUZZ = REPOSITORY / "tests" / "fuzz"
BUILD = REPOSITORY / "build" / "fuzz"
LIGHT = REPOSITORY / "build" / "fuzz_light"
RESULTS = REPOSITORY / "benchmarks" / "results" / "fuzz.md"
COVERAGE = REPOSITORY / "build" / "fuzz_coverage"
COUNTS = BUILD / "executions.json"
LONGEST = {"blocks": 512, "boxes": 1024, "checkpoint": 512, "xclbin": 1024}  # inputs, in bytes; texts have 2048
SHORT = (64, 128, 256)  # of most runs without sanitizers
KEPT_RUNS = 100
WITH, WITHOUT, REACHED = "with sanitizers", "without", "reached by its corpus"
READERS = {  # sources whose lines count
    "edge_list": ("graph/edge_list.cpp", "graph/edge_block.cpp", "graph/join_blocks.h", "graph/scan.h"),
    "dimacs9": ("graph/edge_list.cpp", "graph/edge_block.cpp"),
    "matrix_market": ("graph/matrix_market.cpp", "graph/edge_list.cpp", "graph/edge_block.cpp"),
    "metis": ("graph/metis.cpp",),
    "blocks": ("stream/edge_blocks.cpp", "stream/block_rows.cpp", "stream/stored_edges.cpp"),
    "boxes": ("domain/exchange_changed.cpp",),
    "checkpoint": ("run/checkpoint.cpp", "run/checkpoint_file.h"),
    "xclbin": ("backend/card/xclbin_file.cpp", "backend/card/emconfig.cpp"),
}
PYTHON = FUZZ / "python_targets.py"


def version() -> str:
    """Suffix of the Clang that has libFuzzer: "-16", or "" for that without one."""
    return next((v for v in ("-16", "-19", "-18", "-17", "") if shutil.which(f"clang++{v}")), "none")


def build(folder: Path, names: list[str], flags: str = "") -> None:
    """Build fuzzers, once."""
    clang = shutil.which(f"clang++{version()}")
    if clang is None:
        sys.exit("libFuzzer comes with Clang, which is missing (Debian: clang-16 libclang-rt-16-dev libomp-16-dev)")
    options = ["-DGASPIPE_BUILD_PYTHON=OFF", "-DGASPIPE_BUILD_FUZZERS=ON", f"-DCMAKE_CXX_FLAGS={flags}"]
    options.append(f"-DGASPIPE_FUZZ_LIGHT={'OFF' if folder == BUILD else 'ON'}")
    if shutil.which("ccache"):
        options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    environment = {**os.environ, "CXX": clang}
    configure = ["cmake", "-S", REPOSITORY, "-B", folder, "-G", "Ninja", *options]
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "build.lock", "w") as lock:  # of several such programs
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(configure, check=True, env=environment, stdout=subprocess.DEVNULL)
        subprocess.run(["ninja", "-C", folder, *(f"fuzz_{name}" for name in names)], check=True, stdout=sys.stderr)


def command(name: str, corpora: list[Path], folder: Path = BUILD) -> list[str]:
    """Command of a fuzzer; corpora are folders, the first takes what is new."""
    if name not in READERS:
        return [sys.executable, str(PYTHON), name, *map(str, corpora)]
    longest = LONGEST.get(name, 2048)
    quick: list[str] = []
    if folder == LIGHT:
        quick = ["-entropic=0", "-detect_leaks=0"]
        longest = random.choice(SHORT) if random.random() < 0.8 else longest
    # Long times: this machine may stop for minutes, which is no fault of a reader.
    limits = [f"-max_len={longest}", "-malloc_limit_mb=64", "-timeout=300", "-report_slow_units=300"]
    words = [] if name in LONGEST else [f"-dict={FUZZ / 'text.dict'}"]
    return [str(folder / "tests" / "fuzz" / f"fuzz_{name}"), *limits, *quick, *words, *map(str, corpora)]


def run(name: str, options: list[str], threads: int, folder: Path) -> tuple[int, float, list[str]]:
    """Fuzz for a while: executions, seconds of CPU time, and what was found."""
    grown = BUILD / "corpus" / name
    grown.mkdir(parents=True, exist_ok=True)
    found = BUILD / "found" / f"{name}_{os.getpid()}"
    found.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "GASPIPE_FUZZ_THREADS": str(threads)}
    environment.update(ASAN_OPTIONS="detect_leaks=1", PYTHONPATH=str(FUZZ))
    options = [*options, "-print_final_stats=1", f"-artifact_prefix={found}/"]
    corpora = [grown, *([FUZZ / "corpus" / name] if (FUZZ / "corpus" / name).is_dir() else [])]
    before, start = set(found.iterdir()), cpu_seconds()
    with tempfile.TemporaryDirectory() as temporary:  # Python's fuzzers keep their files there
        done = subprocess.run(
            [*command(name, corpora, folder), *options],
            env={**environment, "TMPDIR": temporary},
            capture_output=True,
            text=True,
            errors="replace",
        )
    said = done.stdout + done.stderr
    executions = re.findall(r"stat::number_of_executed_units:\s*(\d+)", said)
    faults = [str(path) for path in sorted(set(found.iterdir()) - before)]
    if done.returncode != 0 and not faults:
        faults = [said[-2000:]]
    return int(executions[-1]) if executions else 0, cpu_seconds() - start, faults


def cpu_seconds() -> float:
    """CPU time of the programs that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def covered_lines(names: list[str]) -> dict[str, str]:
    """Lines of their readers that the corpora of the C++ fuzzers reach, by a build that counts them."""
    build(COVERAGE, names, "-fprofile-instr-generate -fcoverage-mapping")
    suffix, found = version(), {}
    for name in names:
        profile = COVERAGE / f"{name}.profraw"
        corpora = [folder for folder in (BUILD / "corpus" / name, FUZZ / "corpus" / name) if folder.is_dir()]
        environment = {**os.environ, "LLVM_PROFILE_FILE": str(profile)}
        replay = [*command(name, corpora, COVERAGE), "-runs=0"]
        subprocess.run(replay, env=environment, check=True, capture_output=True)
        merged = profile.with_suffix(".profdata")
        subprocess.run([f"llvm-profdata{suffix}", "merge", "-o", merged, profile], check=True)
        sources = [REPOSITORY / "cpp" / "src" / source for source in READERS[name]]
        report = [f"llvm-cov{suffix}", "export", "-summary-only", f"-instr-profile={merged}"]
        told = [*report, COVERAGE / "tests" / "fuzz" / f"fuzz_{name}", *sources]
        done = subprocess.run(told, check=True, capture_output=True, text=True)
        lines = json.loads(done.stdout)["data"][0]["totals"]["lines"]
        found[name] = f"{lines['covered']} of {lines['count']} lines ({lines['percent']:.0f} %)"
    return found


def nothing() -> dict[str, Any]:
    """Return what is known of a fuzzer that has not run."""
    return {"with": 0, "without": 0, "found": 0, "runs": {}, "reached": ""}


def told_before() -> dict[str, Any]:
    """Return what the table says, for counts to go on from."""
    before: dict[str, Any] = {}
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    for name, *cells in rows[2:]:
        numbers = dict(zip(rows[0][1:], cells))
        of = before.setdefault(name, nothing())
        for head, count in ((WITH, "with"), (WITHOUT, "without"), ("found", "found")):
            of[count] = int(numbers.get(head, "0").replace(",", "") or 0)
        of["reached"] = numbers.get(REACHED, "")
    before.pop("all", None)
    return before


def counts(change: Callable[[dict[str, Any]], None] | None = None) -> dict[str, Any]:
    """Return what was done so far, by fuzzer; with a change that no other process and no end harms."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "executions.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        so_far: dict[str, Any] = json.loads(COUNTS.read_text()) if COUNTS.exists() else told_before()
        if change is not None:
            change(so_far)
            new = COUNTS.with_suffix(".new")
            new.write_text(json.dumps(so_far, indent=1))
            new.replace(COUNTS)
    return so_far


def count(name: str, kind: str, executions: int, seconds: float, found: int) -> None:
    """Add a run."""

    def change(so_far: dict[str, Any]) -> None:
        of = so_far.setdefault(name, nothing())
        of[kind] += executions
        of["found"] += found
        runs = of["runs"].setdefault(kind, [])
        runs.append([executions, round(seconds, 2)])
        del runs[:-KEPT_RUNS]

    counts(change)


def keep_reached(reached: dict[str, str]) -> None:
    """Keep what corpora reach, for the next table."""

    def change(so_far: dict[str, Any]) -> None:
        for name, lines in reached.items():
            so_far.setdefault(name, nothing())["reached"] = lines

    counts(change)


def report(names: list[str]) -> str:
    """Return the table."""
    so_far, rows, totals = counts(), [], [0, 0, 0]
    for name in names:
        of = so_far.get(name, nothing())
        speeds = []
        for kind in ("with", "without"):
            runs = of["runs"].get(kind, [])
            seconds = sum(run[1] for run in runs)
            speeds.append(f"{sum(run[0] for run in runs) / seconds:,.0f}" if seconds > 0 else "")
        numbers = [of["with"], of["without"], of["found"]]
        totals = [total + number for total, number in zip(totals, numbers)]
        executed = [f"{number:,}" for number in numbers]
        rows.append([name, executed[0], executed[1], *speeds, of["reached"], executed[2]])
    rows.append(["all", f"{totals[0]:,}", f"{totals[1]:,}", "", "", "", f"{totals[2]:,}"])
    return table(["fuzzer", WITH, WITHOUT, "a second with", "a second without", REACHED, "found"], rows)


def main() -> None:
    """Do what the command line says."""
    specification = importlib.util.spec_from_file_location("python_targets", PYTHON)
    assert specification is not None and specification.loader is not None
    sys.path.insert(0, str(FUZZ))
    targets = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(targets)
    every = [*READERS, *targets.TARGETS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="FUZZER", help=f"of {', '.join(every)}; all if none is named")
    parser.add_argument("--seconds", type=float, default=60, help="of each fuzzer in a round")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="no run begins later")
    parser.add_argument("--threads", type=int, default=1, help="at most, of a reader: more are slower, and meet more")
    parser.add_argument("--light", action="store_true", help="C++ without the address sanitizer")
    parser.add_argument("--replay", action="store_true", help="run what the corpora have, once, instead of changes")
    parser.add_argument("--coverage", action="store_true", help="build again, to count lines that the corpora reach")
    parser.add_argument("--markdown", type=Path)
    given = parser.parse_args()
    names = given.names or ([*READERS] if given.light or given.replay else every)
    if unknown := [name for name in names if name not in every]:
        parser.error(f"there is no fuzzer {unknown[0]!r}; there are {', '.join(every)}")
    in_cpp = [name for name in names if name in READERS]
    folder, end = LIGHT if given.light else BUILD, time.monotonic() + 60 * given.minutes
    if in_cpp and given.rounds:
        build(folder, in_cpp)
    faults: dict[str, list[str]] = {}
    for _ in range(given.rounds):
        for name in random.sample(names, len(names)) if given.rounds > 1 else names:
            if time.monotonic() > end:
                break
            options = ["-runs=0"] if given.replay else [f"-max_total_time={given.seconds:.0f}"]
            executions, seconds, found = run(name, options, given.threads, folder)
            count(name, "without" if given.light or name not in READERS else "with", executions, seconds, len(found))
            faults.setdefault(name, []).extend(found)
            print(
                f"{name}: {executions:,} executions in {seconds:.0f} s, {len(found)} found", file=sys.stderr, flush=True
            )
    reached = covered_lines(in_cpp) if given.coverage and in_cpp else {}
    if given.coverage:
        for name in names:
            if name in targets.TARGETS:
                corpora = [BUILD / "corpus" / name, FUZZ / "corpus" / name]
                reached[name] = targets.covered_lines(name, corpora)
    keep_reached(reached)
    text = report(every)
    print(text)
    for name, found in faults.items():
        print(*(f"{name}: {each}" for each in found), sep="\n")
    if given.markdown:
        head = " ".join(__doc__.split("\n\n", 1)[1].split())
        given.markdown.write_text(f"# Fuzzing\n\nWritten by `benchmarks/fuzz.py`. {head}\n\n{text}\n")
    sys.exit(any(faults.values()))


if __name__ == "__main__":
    main()
