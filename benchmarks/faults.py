# SPDX-License-Identifier: Apache-2.0
"""Every call that public functions make to the system fails once: what comes of it.

A library that is loaded before Python (tests/faults/fail_nth.cpp) lets the n-th request for memory, map of memory,
open, read, write, fsync, close, thread or process fail, for every n of every call of tests/python/faulty_calls.py.
Right is an error that says so (MemoryError or CapacityError; OSError with the file's name) or the answer; nothing
left: no memory, no open file, no file; and a right answer of the next call. Bar: every one right. Allocations of 24
bytes by `new` are left out: those of pybind11's own registers end the process.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from machine import table

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path.insert(0, str(TESTS / "python"))

KINDS = {
    "memory": "allocation",
    "map": "mmap",
    "open": "open",
    "read": "read, pread",
    "write": "write, pwrite",
    "sync": "fsync, fdatasync",
    "close": "close",
    "thread": "thread creation",
    "process": "fork, execve",
}
FILES = (
    "from_file",
    "to_file",
    "save",
    "load",
    "streamed",
    "convert",
    "checkpoint",
    "report",
    "on ranks",
)  # in calls that use some
COMPILED = ("Algorithm", "FrontierEngine", "Chain.run", "Algorithm.compile")


@dataclass
class Tried:
    """What came of the faults of one kind in one call."""

    kind: str
    call: str
    failed: int = 0
    errors: int = 0
    answers: int = 0
    wrong: list[str] = field(default_factory=list)


def library(folder: Path) -> Path:
    """Compile the library that fails calls."""
    made = folder / "fail_nth.so"
    command = [os.environ.get("CXX", "g++"), "-std=c++17", "-O2", "-shared", "-fPIC", "-o", made]
    subprocess.run([*command, TESTS / "faults" / "fail_nth.cpp", "-ldl"], check=True)
    return made


def tried(made: Path, kind: str, call: str, every: int = 1, most: int = 10**9, timeout: float = 3600) -> Tried:
    """Fail one call of `every`, but `most` in all, each in turn; a process that is ended by that is started again."""
    found, first = Tried(kind, call), 1
    while True:
        with tempfile.TemporaryDirectory(prefix="gaspipe_faults_") as folder:
            # Threads are kept: the first that is asked for is that of the call.
            threads = "1" if kind == "thread" else "2"
            own = {"LD_PRELOAD": str(made), "OMP_NUM_THREADS": threads, "XDG_CACHE_HOME": folder}
            environment = {**os.environ, **own}
            command = [sys.executable, TESTS / "python" / "faults.py", folder, kind, call]
            command += ["--from", str(first), "--every", str(every), "--most", str(most)]
            try:
                done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout)
                output, errors, status = done.stdout, done.stderr, done.returncode
            except subprocess.TimeoutExpired as late:
                output, errors, status = (late.stdout or b"").decode(), "it did not end in time", 1
        at = 0
        for line in output.splitlines():
            said = json.loads(line)
            at = said.get("at", at)
            if "wrong" in said:
                found.wrong.append(f"{said['n']}: {said['wrong']}")
            found.failed += said.get("failed", 0)
            found.errors += said.get("outcome") == "error"
            found.answers += said.get("outcome") == "answer"
        if status == 0 and kind == "thread" and '"failed"' in output and first < most:
            first += every  # one in a process
            continue
        if status == 0:
            return found
        last = (errors.strip().splitlines() or [""])[-1]
        found.failed += at > 0
        found.wrong.append(f"{at}: the process ended with status {status}: {last}")
        if at == 0:
            return found
        first = at + every


def names() -> list[str]:
    """All calls."""
    from faulty_calls import calls

    with tempfile.TemporaryDirectory() as folder:
        return [*calls(Path(folder)), *COMPILED]


def is_of(kind: str, call: str) -> bool:
    """Whether a call may make calls of a kind: compilers are processes, and those that use files say so."""
    if kind == "process" or call == "Algorithm.compile":
        return kind == "process" and call == "Algorithm.compile"
    return kind in ("memory", "thread") or any(word in call for word in FILES)


def report(all_tried: list[Tried], seconds: float, most: int) -> str:
    """Return the table, and what was wrong."""
    rows = []
    for kind, what in KINDS.items():
        of_kind = [t for t in all_tried if t.kind == kind]
        failed, wrong = sum(t.failed for t in of_kind), sum(len(t.wrong) for t in of_kind)
        errors, answers = sum(t.errors for t in of_kind), sum(t.answers for t in of_kind)
        rows.append(
            [what, str(sum(t.failed > 0 for t in of_kind)), *(f"{n:,}" for n in (failed, errors, answers, wrong))]
        )
    heads = ["what fails", "calls with some", "faults", "told by an error", "right answer nevertheless", "wrong"]
    lines = [table(heads, rows), "", f"{seconds:,.0f} s; at most {most:,} faults of a kind in a call."]
    lines += [""] * any(t.wrong for t in all_tried)
    lines += [f"- {t.call}, {KINDS[t.kind]} {wrong}" for t in all_tried for wrong in t.wrong]
    return "\n".join(lines)


def main() -> None:
    """Run all, or what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--call", action="append", metavar="NAME")
    parser.add_argument("--every", type=int, default=1, help="every K-th call only")
    parser.add_argument("--most", type=int, default=10**9, help="faults of a kind in a call; more are sampled")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--markdown", type=Path)
    given = parser.parse_args()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        made = library(Path(folder))
        asked = [(kind, call) for kind in given.kind or KINDS for call in given.call or names() if is_of(kind, call)]
        with ThreadPoolExecutor(given.jobs) as pool:

            def run(each: tuple[str, str]) -> Tried:
                found = tried(made, *each, every=given.every, most=given.most)
                print(f"{found.kind}: {found.call}, {found.failed} faults, {len(found.wrong)} wrong", file=sys.stderr)
                return found

            all_tried = list(pool.map(run, asked))
    text = report(all_tried, time.monotonic() - start, given.most)
    print(text)
    if given.markdown:
        head = " ".join(__doc__.split("\n\n", 1)[1].split())
        given.markdown.write_text(f"# Faults\n\nWritten by `benchmarks/faults.py`. {head}\n\n{text}\n")
    sys.exit(any(t.wrong for t in all_tried))


if __name__ == "__main__":
    main()
