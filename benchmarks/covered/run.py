# SPDX-License-Identifier: Apache-2.0
"""Lines and branches that the tests reach: of cpp/ and hls/ by Clang's counters, of python/ by coverage.py.

The library, the C++ tests and the extension are built once with Clang's source-based coverage (build/coverage), with
the emulator's kernels built in; both test suites run; what their processes counted is merged. A line of a template
counts as reached if any instance reaches it. Files below 95 % are listed, and every line that no test reaches with its
reason from reasons.csv. The command fails where a total is below 95 %, or where a line that is missed in a file below
95 % has no reason.

A template that nothing instantiates has no lines here; files without any are listed.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

import native_lines
import python_lines
import reached

BUILD = reached.REPOSITORY / "build" / "coverage"
STEPS = ("build", "cpp", "python", "report")


def main() -> None:
    """Run all steps, or those that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--step", action="append", choices=STEPS, help="all, in this order, if not given")
    parser.add_argument("--optimize", default="1", choices=["0", "1"], help="-O of the build: 0 builds twice as fast")
    parser.add_argument("--venv", type=Path, default=BUILD / "venv", help="virtual environment; made where missing")
    parser.add_argument("--markdown", type=Path, help="where the report goes besides the terminal")
    parser.add_argument("pytest", nargs="*", help="after --: arguments for pytest in place of the whole suite")
    asked = parser.parse_args()
    steps = asked.step or STEPS
    start = time.monotonic()
    BUILD.mkdir(parents=True, exist_ok=True)
    failed: list[str] = []
    if "build" in steps:
        python_lines.make_environment(asked.venv)
        native_lines.build(BUILD, asked.venv, asked.optimize)
    if "cpp" in steps:
        failed += native_lines.run_tests(BUILD, asked.venv)
    if "python" in steps:
        failed += python_lines.run_tests(BUILD, asked.venv, asked.pytest)
    if "report" not in steps:
        sys.exit(f"failed: {', '.join(failed)}" if failed else 0)
    files = native_lines.measure(BUILD)
    files.update(python_lines.measure(BUILD, asked.venv))
    text, faults = reached.write(files, failed)
    print(text)
    print(f"{time.monotonic() - start:,.0f} s, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    if asked.markdown:
        asked.markdown.write_text(
            f"# Coverage\n\nWritten by `benchmarks/covered/run.py`. {' '.join(__doc__.split())}\n\n{text}\n"
        )
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
