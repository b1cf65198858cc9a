# SPDX-License-Identifier: Apache-2.0
"""Looks for races: every call that works on several threads, under ThreadSanitizer.

The extension is built once with Clang and `-fsanitize=thread` (build/races), and loaded by an ordinary Python behind
the sanitizer's runtime. tests/python/race_calls.py makes every call with 1 to 8 threads, and with other seeds of a
library that delays threads where they meet (tests/races/delay.cpp): at the clock, at futexes and where loops open.
Answers are held against those of one thread. Gaspipe's threads are a team of its own, which meets at atomic variables,
so ThreadSanitizer sees all of it. OpenMP's runtime (Debian's libomp, whose tool Archer tells ThreadSanitizer of its
synchronisation) only says how many threads there are. Bar: no race, no other answer, no suppression.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from machine import table

REPOSITORY = Path(__file__).resolve().parents[1]
BUILD = REPOSITORY / "build" / "races"
PACKAGE = BUILD / "package"
PROGRAM = REPOSITORY / "tests" / "python" / "race_calls.py"


class Tried(NamedTuple):
    """What came of one process."""

    threads: int
    seed: int
    right: int
    wrong: list[str]
    races: list[str]  # as ThreadSanitizer tells them


def clang() -> str:
    """Path of the Clang that has ThreadSanitizer; "" where there is none."""
    return next((path for v in ("-16", "-19", "-18", "-17", "-15", "") if (path := shutil.which(f"clang++{v}"))), "")


def runtime() -> str:
    """Path of its shared runtime; "" where there is none."""
    if not clang():
        return ""
    command = [clang(), "-print-file-name=libclang_rt.tsan-x86_64.so"]
    path = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    return path if os.path.isabs(path) else ""


def missing() -> str:
    """Why races cannot be looked for here; empty if they can."""
    if runtime():
        return ""
    what = f"{clang()} has no shared runtime of ThreadSanitizer" if clang() else "clang++ is not installed"
    return f"{what} (Debian: clang-16 libclang-rt-16-dev libomp-16-dev)"


def build_delays(folder: Path) -> Path:
    """Build the library that delays threads."""
    made = folder / "delay.so"
    source = REPOSITORY / "tests" / "races" / "delay.cpp"
    command = [clang(), "-std=c++17", "-O2", "-fPIC", "-shared", "-o", made, source, "-ldl"]
    subprocess.run(command, check=True)
    return made


def build() -> None:
    """Build the extension, and a package around it that an installed one does not win over."""
    import pybind11

    cmake = BUILD / "cmake"
    options = ["-DGASPIPE_BUILD_PYTHON=ON", "-DGASPIPE_KERNELS=on-demand", "-DGASPIPE_SANITIZE=thread"]
    options += ["-DGASPIPE_XRT=OFF", "-DCMAKE_BUILD_TYPE=Release", f"-DPython_EXECUTABLE={sys.executable}"]
    options += [f"-Dpybind11_DIR={pybind11.get_cmake_dir()}"]
    if shutil.which("ccache"):
        options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    environment = {**os.environ, "CXX": clang()}
    configure = ["cmake", "-S", REPOSITORY, "-B", cmake, "-G", "Ninja", *options]
    subprocess.run(configure, check=True, env=environment, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", cmake, "_core", "gaspipe_built_py"], check=True, stdout=sys.stderr)
    build_delays(BUILD)

    gaspipe, python = PACKAGE / "gaspipe", REPOSITORY / "python"
    shutil.rmtree(PACKAGE, ignore_errors=True)
    (gaspipe / "include").mkdir(parents=True)
    bindings = cmake / "cpp" / "bindings"
    (core,) = bindings.glob("_core.*.so")
    (gaspipe / "include" / "hls").symlink_to(REPOSITORY / "hls")
    (gaspipe / "include" / "gaspipe").symlink_to(REPOSITORY / "cpp" / "include" / "gaspipe")
    for path in (*(python / "gaspipe").iterdir(), core, bindings / "_built.py"):
        (gaspipe / path.name).symlink_to(path)
    writer = REPOSITORY / "cpp" / "bindings" / "write_algorithms.py"
    write = [sys.executable, "-B", writer, core, python / "gaspipe", gaspipe / "_algorithms.py"]
    subprocess.run(write, check=True, env={**os.environ, "LD_PRELOAD": runtime()})


def tried(threads: int, seed: int, names: list[str], timeout: float = 3600) -> Tried:
    """Make the calls in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="gaspipe_races_") as folder:
        environment = {
            **os.environ,
            "LD_PRELOAD": f"{runtime()} {BUILD / 'delay.so'}",
            "PYTHONPATH": f"{PACKAGE}:{PROGRAM.parent}:{sysconfig.get_path('purelib')}",
            "CXX": f"{clang()} -O1 -fsanitize=thread",  # of functors
            "XDG_CACHE_HOME": str(BUILD),
            "GASPIPE_DELAY_SEED": str(seed),
            "OMP_NUM_THREADS": str(threads),
            "TSAN_OPTIONS": "exitcode=0 halt_on_error=0",
        }
        # -S: an editable install's import hook would win.
        command = [sys.executable, "-S", PROGRAM, folder, str(threads), *names]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout)
    lines = [line for line in done.stdout.splitlines() if ": " in line]
    wrong = [line for line in lines if not line.endswith(": right")]
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or [""])[-1]
        wrong.append(f"the process ended with status {done.returncode} after {lines[-1:]}: {last}")
    races = re.findall(r"WARNING: ThreadSanitizer: (?:.*\n)+?SUMMARY: .*", done.stderr)
    return Tried(threads, seed, len(lines) - len([w for w in wrong if w in lines]), wrong, races)


def report(all_tried: list[Tried], seconds: float) -> str:
    """Return the table, and what was wrong."""
    rows = []
    for threads in sorted({t.threads for t in all_tried}):
        of = [t for t in all_tried if t.threads == threads]
        calls, wrong, races = sum(t.right for t in of), sum(len(t.wrong) for t in of), sum(len(t.races) for t in of)
        rows.append([str(threads), str(len(of)), f"{calls:,}", str(wrong), str(races)])
    heads = ["threads", "seeds of delays", "calls with a right answer", "wrong", "races"]
    lines = [table(heads, rows), "", f"{len(all_tried)} configurations, {seconds:,.0f} s."]
    for t in all_tried:
        lines += [f"- {t.threads} threads, seed {t.seed}: {what}" for what in t.wrong]
        lines += [f"- {t.threads} threads, seed {t.seed}: {race.splitlines()[-1]}" for race in t.races]
    return "\n".join(lines)


def main() -> None:
    """Run all, or what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, action="append", help="1 to 8 if not given")
    parser.add_argument("--seed", type=int, action="append", help="of delays; 0 is without any; 0 to 2 if not given")
    parser.add_argument("--call", action="append", default=[], metavar="NAME")
    parser.add_argument("--log", type=Path, help="where whole reports go")
    parser.add_argument("--markdown", type=Path)
    given = parser.parse_args()
    if reason := missing():
        sys.exit(reason)
    build()
    start, all_tried = time.monotonic(), []
    for threads in given.threads or range(1, 9):
        for seed in given.seed or range(3):
            found = tried(threads, seed, given.call)
            all_tried.append(found)
            counts = f"{found.right} right, {len(found.wrong)} wrong, {len(found.races)} races"
            print(f"{threads} threads, seed {seed}: {counts}", file=sys.stderr, flush=True)
            if given.log:
                given.log.write_text("\n\n".join(race for t in all_tried for race in t.races))
            text = report(all_tried, time.monotonic() - start)
            if given.markdown:
                head = " ".join(__doc__.split("\n\n", 1)[1].split())
                given.markdown.write_text(f"# Races\n\nWritten by `benchmarks/races.py`. {head}\n\n{text}\n")
    print(text)
    sys.exit(any(t.wrong or t.races for t in all_tried))


if __name__ == "__main__":
    main()
