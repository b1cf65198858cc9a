# SPDX-License-Identifier: Apache-2.0
"""Makes random whole calls and holds their answers against plain ones.

A case is a random graph of up to 40 vertices (loops, parallel edges, weights of five kinds), one of all algorithms,
its parameters and options: threads, method, partitions, domains, a file whose edges stay there, the emulator with
clocks or without. tests/reference has the plain answers, which share no code with the engine. Hypothesis draws the
cases and makes one that fails small. Bar: none fails.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from machine import table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "python"))

BATCH = 500  # cases that one seed of hypothesis draws


def main() -> None:
    """Do what the command line says."""
    from hypothesis import HealthCheck, given, seed, settings

    from random_calls import ALGORITHMS, calls

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first batch")
    parser.add_argument("--algorithm", action="append", choices=ALGORITHMS, metavar="NAME")
    parser.add_argument(
        "--emulated", action="append", default=[], metavar="NAME", help="algorithms that run in the emulator too"
    )
    parser.add_argument("--markdown", type=Path)
    given_options = parser.parse_args()
    strategy = calls(tuple(given_options.algorithm or ALGORITHMS), tuple(given_options.emulated))
    counts: Counter[str] = Counter()
    start, failed, number = time.monotonic(), [], given_options.seed
    while (before := sum(counts.values())) < given_options.cases:

        @seed(number)
        @settings(
            max_examples=min(BATCH, given_options.cases - before),
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            print_blob=False,
        )
        @given(strategy)
        def holds(call):
            call.check(counts)

        try:
            holds()
        except Exception:
            failed.append(f"seed {number}:\n{traceback.format_exc(limit=-2)}")
            print(failed[-1], file=sys.stderr)
        number += 1
        print(f"{sum(counts.values()):,} cases, {len(failed)} batches failed", file=sys.stderr, flush=True)
        if sum(counts.values()) == before and not failed:
            sys.exit("no case was drawn")
        rows = [[what, f"{count:,}"] for what, count in sorted(counts.items())]
        rows.append(["all", f"{sum(counts.values()):,}"])
        last = f"{time.monotonic() - start:,.0f} s, seeds {given_options.seed} to {number - 1}; {len(failed)} failed."
        text = "\n".join([table(["how", "cases"], rows), "", last, *failed])
        if given_options.markdown:
            head = " ".join(__doc__.split("\n\n", 1)[1].split())
            page = f"# Random calls\n\nWritten by `benchmarks/differential.py`. {head}\n\n{text}\n"
            given_options.markdown.write_text(page)
    print(text)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
