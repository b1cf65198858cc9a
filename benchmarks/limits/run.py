# SPDX-License-Identifier: Apache-2.0
"""Graphs at the limits of numbers and of memory, Ctrl-C in every phase, and 10^5 calls in one process.

Each part runs in a process of its own, which may have `--memory` of its own. Answers are held against closed forms or
NumPy; right is such an answer, or one error that says what is missing. Bar: every line right; Ctrl-C ends a call
within 1 s.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np

from limits.calls import calls, interrupts
from limits.numbers import edges, stored, vertices
from limits.shapes import path, star
from machine import facts, load, require, table

PARTS = {part.__name__: part for part in (path, star, edges, stored, vertices, interrupts, calls)}


def run(name: str, memory: int, calls_with: str) -> None:
    """One part, a line of JSON for each of its calls whose name has that text."""
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    gp = require("gaspipe")
    warnings.simplefilter("ignore", gp.NotConvergedWarning)
    for text, call, is_right in PARTS[name](gp):
        if calls_with not in text:
            continue
        start, cpu = time.perf_counter(), time.process_time()
        try:
            got = call()
            kept = got if np.ndim(got) == 0 or isinstance(got, list) else "as expected"
            verdict, right = (kept, True) if is_right(got) else (f"WRONG: {got}", False)
        except (gp.Error, MemoryError) as error:
            verdict, right = f"{type(error).__name__}: {error}", True
        seconds = time.perf_counter() - start, time.process_time() - cpu
        own = int(Path("/proc/self/status").read_text().split("RssAnon:")[1].split()[0]) << 10
        print(json.dumps([text, *seconds, own, str(verdict), bool(right)]), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default=",".join(PARTS), help="parts, of %(default)s")
    parser.add_argument("--calls", default="", metavar="TEXT", help="those whose name has this text")
    parser.add_argument("--memory", type=float, default=9, metavar="GB", help="of each process (default: 9)")
    parser.add_argument("--folder", metavar="DIR", help="for up to 30 GB of files (default: temporary)")
    parser.add_argument("--markdown", metavar="FILE", help="write the tables")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        return run(options.part, int(options.memory * 1e9), options.calls)
    text = [f"# Limits\n\n`benchmarks/limits/run.py --memory {options.memory:g}`, load {load()}; {json.dumps(facts())}"]
    all_right = True
    for name in options.only.split(","):
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            command = [sys.executable, str(Path(__file__).resolve()), "--part", name, "--memory", str(options.memory)]
            command += ["--calls", options.calls]
            rows = []
            with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as done:
                for line in done.stdout or ():
                    rows.append(json.loads(line))
                    print(line, end="", file=sys.stderr, flush=True)
        if done.returncode != 0:
            rows.append(["the process", 0, 0, 0, f"WRONG: it ended with status {done.returncode}", False])
        all_right = all_right and all(row[-1] for row in rows)
        head = ["call", "s", "CPU s", "own memory, MB", "what came of it"]
        cells = [[r[0], f"{r[1]:.2f}", f"{r[2]:.2f}", f"{r[3] / 1e6:.0f}", r[4][:200]] for r in rows]
        text.append(f"## {name}\n\n{' '.join((PARTS[name].__doc__ or '').split())}\n\n{table(head, cells)}")
        print(text[-1], end="\n\n", flush=True)
    if options.markdown:
        Path(options.markdown).write_text("\n\n".join(text) + "\n")
    sys.exit(not all_right)


if __name__ == "__main__":
    main()
