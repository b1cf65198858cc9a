# SPDX-License-Identifier: Apache-2.0
"""Fuzzes what reads files and text, one fuzzer at a time: executions, what was found, and which lines were reached.

C++ readers run under libFuzzer with the address and undefined-behaviour sanitizers (tests/fuzz/*_fuzz.cpp; Clang builds
them once, in build/fuzz); what is written in Python runs under atheris where that is installed, else on random changes
of the seeds (tests/fuzz/python_targets.py). Text readers are held against plain ones, and what has checksums is given
right ones. Executions add up in build/fuzz/executions.json over calls. Bar: nothing found.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from machine import table

REPOSITORY = Path(__file__).resolve().parents[1]
FUZZ = REPOSITORY / "tests" / "fuzz"
BUILD = REPOSITORY / "build" / "fuzz"
COVERAGE = REPOSITORY / "build" / "fuzz_coverage"
COUNTS = BUILD / "executions.json"
LONGEST = {"blocks": 512, "checkpoint": 512, "xclbin": 1024}  # inputs, in bytes; texts have 2048
READERS = {  # sources whose lines count
    "edge_list": ("graph/edge_list.cpp", "graph/edge_block.cpp", "graph/join_blocks.h", "graph/scan.h"),
    "dimacs9": ("graph/edge_list.cpp", "graph/edge_block.cpp"),
    "matrix_market": ("graph/matrix_market.cpp", "graph/edge_list.cpp", "graph/edge_block.cpp"),
    "metis": ("graph/metis.cpp",),
    "blocks": ("stream/edge_blocks.cpp", "stream/block_rows.cpp", "stream/stored_edges.cpp"),
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
    if shutil.which("ccache"):
        options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    environment = {**os.environ, "CXX": clang}
    configure = ["cmake", "-S", REPOSITORY, "-B", folder, "-G", "Ninja", *options]
    subprocess.run(configure, check=True, env=environment, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", folder, *(f"fuzz_{name}" for name in names)], check=True, stdout=sys.stderr)


def command(name: str, corpora: list[Path], folder: Path = BUILD) -> list[str]:
    """Command of a fuzzer; corpora are folders, the first takes what is new."""
    if name not in READERS:
        return [sys.executable, str(PYTHON), name, *map(str, corpora)]
    # Long times: this machine may stop for minutes, which is no fault of a reader.
    limits = [f"-max_len={LONGEST.get(name, 2048)}", "-malloc_limit_mb=64", "-timeout=300", "-report_slow_units=300"]
    words = [] if name in LONGEST else [f"-dict={FUZZ / 'text.dict'}"]
    return [str(folder / "tests" / "fuzz" / f"fuzz_{name}"), *limits, *words, *map(str, corpora)]


def run(name: str, seconds: float, threads: int) -> tuple[int, list[str]]:
    """Fuzz for a while: executions, and what was found."""
    grown = BUILD / "corpus" / name
    grown.mkdir(parents=True, exist_ok=True)
    found = BUILD / "found" / name
    found.mkdir(parents=True, exist_ok=True)
    before = set(found.iterdir())
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "GASPIPE_FUZZ_THREADS": str(threads)}
    environment.update(ASAN_OPTIONS="detect_leaks=1", PYTHONPATH=str(FUZZ))
    options = [f"-max_total_time={seconds:.0f}", "-print_final_stats=1", f"-artifact_prefix={found}/"]
    corpora = [grown, *([FUZZ / "corpus" / name] if (FUZZ / "corpus" / name).is_dir() else [])]
    with tempfile.TemporaryDirectory() as folder:  # Python's fuzzers keep their files there
        done = subprocess.run(
            [*command(name, corpora), *options], env={**environment, "TMPDIR": folder}, capture_output=True, text=True
        )
    said = done.stdout + done.stderr
    executions = re.findall(r"stat::number_of_executed_units:\s*(\d+)", said)
    faults = [str(path) for path in sorted(set(found.iterdir()) - before)]
    if done.returncode != 0 and not faults:
        faults = [said[-2000:]]
    return int(executions[-1]) if executions else 0, faults


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


def counts() -> dict[str, dict[str, int]]:
    """Executions so far, by fuzzer."""
    return json.loads(COUNTS.read_text()) if COUNTS.exists() else {}


def report(names: list[str], covered: dict[str, str], faults: dict[str, list[str]]) -> str:
    """Return the table."""
    so_far, rows = counts(), []
    for name in names:
        of = so_far.get(name, {"executions": 0})
        rows.append([name, f"{of['executions']:,}", covered.get(name, ""), str(len(faults.get(name, [])))])
    total = sum(so_far.get(name, {"executions": 0})["executions"] for name in names)
    rows.append(["all", f"{total:,}", "", str(sum(map(len, faults.values())))])
    heads = ["fuzzer", "executions", "reached by its corpus", "found in the last run"]
    return table(heads, rows)


def main() -> None:
    """Do what the command line says."""
    specification = importlib.util.spec_from_file_location("python_targets", PYTHON)
    assert specification is not None and specification.loader is not None
    targets = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(targets)
    every = [*READERS, *targets.TARGETS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="FUZZER", help=f"of {', '.join(every)}; all if none is named")
    parser.add_argument("--seconds", type=float, default=60, help="of each fuzzer in a round")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, help="at most, of a reader: more are slower, and meet more")
    parser.add_argument("--coverage", action="store_true", help="build again, to count lines that the corpora reach")
    parser.add_argument("--markdown", type=Path)
    given = parser.parse_args()
    names = given.names or every
    if unknown := [name for name in names if name not in every]:
        parser.error(f"there is no fuzzer {unknown[0]!r}; there are {', '.join(every)}")
    in_cpp = [name for name in names if name in READERS]
    if in_cpp and given.rounds:
        build(BUILD, in_cpp)
    faults: dict[str, list[str]] = {}
    for _ in range(given.rounds):
        for name in names:
            executions, found = run(name, given.seconds, given.threads)
            so_far = counts()
            so_far.setdefault(name, {"executions": 0})["executions"] += executions
            COUNTS.write_text(json.dumps(so_far, indent=1))
            faults.setdefault(name, []).extend(found)
            print(f"{name}: {executions:,} executions, {len(found)} found", file=sys.stderr, flush=True)
    covered = covered_lines(in_cpp) if given.coverage and in_cpp else {}
    if given.coverage:
        for name in names:
            if name in targets.TARGETS:
                covered[name] = targets.covered_lines(name, [BUILD / "corpus" / name])
    text = report(names, covered, faults)
    print(text)
    for name, found in faults.items():
        print(*(f"{name}: {each}" for each in found), sep="\n")
    if given.markdown:
        head = " ".join(__doc__.split("\n\n", 1)[1].split())
        given.markdown.write_text(f"# Fuzzing\n\nWritten by `benchmarks/fuzz.py`. {head}\n\n{text}\n")
    sys.exit(any(faults.values()))


if __name__ == "__main__":
    main()
