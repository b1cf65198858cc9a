# SPDX-License-Identifier: Apache-2.0
"""What every benchmark here needs: facts of the machine, the CPU share of other processes, medians, tables."""

from __future__ import annotations

import json
import os
import platform
import re
import resource
import statistics
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Callable

MOST_DISTURBED = 0.08  # share of all CPUs that other processes may take before a sample is set aside


def require(module: str, package: str = "") -> Any:
    """Import a module, or end with a sentence."""
    try:
        return __import__(module, fromlist=["_"])
    except ImportError as error:
        sys.exit(f"{Path(sys.argv[0]).name}: cannot import {module} ({error}); install {package or module}")


def cpu_model() -> str:
    try:
        return re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())[1]
    except (OSError, TypeError):
        return platform.processor() or platform.machine()


def compiler_of(binary: str | os.PathLike[str]) -> str:
    """Name the compiler that an ELF file says it was made by."""
    found = set(re.findall(rb"(?:GCC: \([^)]*\) [\d.]+|clang version [\d.]+)", Path(binary).read_bytes()))
    return ", ".join(sorted(name.decode() for name in found)) or "unknown compiler"


def facts(**more: Any) -> dict[str, Any]:
    """Return the machine and the versions, plus what the caller adds."""
    return {
        "cpu": cpu_model(),
        "cpus": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": require("numpy").__version__,
        "date": time.strftime("%Y-%m-%d"),
        **more,
    }


def load() -> str:
    return " ".join(f"{value:.2f}" for value in os.getloadavg())


class Others:
    """Share of the CPUs that other processes took while a block ran, 0 to 1 (0 where /proc does not tell)."""

    def __enter__(self) -> Others:
        self.share = 0.0
        self._start = self._now()
        return self

    def __exit__(self, *_: object) -> None:
        busy, own, wall = (after - before for before, after in zip(self._start, self._now()))
        if wall > 0:
            self.share = max(0.0, (busy - own) / (wall * (os.cpu_count() or 1)))

    @staticmethod
    def _now() -> tuple[float, float, float]:
        own = 0.0
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
            usage = resource.getrusage(who)
            own += usage.ru_utime + usage.ru_stime
        try:
            columns = Path("/proc/stat").read_text().splitlines()[0].split()[1:9]
            user, nice, system, _idle, _waiting, *interrupts_and_stolen = map(int, columns)
        except (OSError, ValueError):
            return own, own, time.perf_counter()
        ticks = user + nice + system + sum(interrupts_and_stolen)
        return ticks / os.sysconf("SC_CLK_TCK"), own, time.perf_counter()


def wait_until_quiet(patience: float) -> None:
    """Wait while others are busy, for at most `patience` seconds."""
    end = time.perf_counter() + patience
    while time.perf_counter() < end:
        with Others() as others:
            time.sleep(0.3)
        if others.share <= MOST_DISTURBED / 2:
            return


class Samples:
    """Times of one thing, in seconds; disturbed rounds count only where too few others are left."""

    def __init__(self) -> None:
        self.quiet: list[list[float]] = []
        self.disturbed: list[list[float]] = []

    def add(self, seconds: list[float], others: float) -> None:
        (self.quiet if others <= MOST_DISTURBED else self.disturbed).append(seconds)

    @property
    def num_quiet_rounds(self) -> int:
        return len(self.quiet)

    @property
    def used(self) -> list[float]:
        rounds = self.quiet if self._enough else self.quiet + self.disturbed
        return sorted(seconds for one in rounds for seconds in one)

    @property
    def _enough(self) -> bool:
        return len(self.quiet) >= max(1, len(self.disturbed) // 2)

    @property
    def median(self) -> float:
        return statistics.median(self.used)

    def __str__(self) -> str:
        """Median in ms and the range of the middle half; starred if disturbed rounds had to be used."""
        values = self.used
        low, high = values[len(values) // 4], values[3 * len(values) // 4]
        return f"{1e3 * self.median:.4g} ({1e3 * low:.4g}-{1e3 * high:.4g})" + ("" if self._enough else "*")

    def to_json(self) -> dict[str, Any]:
        return {"median": self.median, "quiet_rounds": self.quiet, "disturbed_rounds": self.disturbed}


def alternate(
    rounds: int, patience: float, sides: dict[Any, Callable[[int], tuple[list[float], float]]]
) -> dict[Any, Samples]:
    """Time all sides in turn; up to twice as many rounds where others took CPU time.

    A side is called with the number of the round; it returns seconds and the share that others took meanwhile.
    """
    samples = {side: Samples() for side in sides}
    for i in range(2 * rounds):
        if i >= rounds and all(s.num_quiet_rounds >= rounds for s in samples.values()):
            break
        for side, run in sides.items():
            wait_until_quiet(patience)
            samples[side].add(*run(i))
    return samples


def resident_bytes(field: str) -> int:
    """VmRSS, resident now, or VmHWM, the most it has been."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return 1024 * int(line.split()[1])
    raise OSError(f"/proc/self/status has no {field}")


def reset_peak() -> bool:
    """Let VmHWM start again from what is resident now; not every system permits it."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table, padded so that it reads well in a terminal too."""
    lines = [list(head), *(list(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    text = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in lines]
    text.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(text)


def save(path: str | None, report: dict[str, Any]) -> None:
    if path:
        Path(path).write_text(json.dumps(report, indent=1, default=lambda value: value.to_json()) + "\n")
        print(f"\nwritten to {path}")
