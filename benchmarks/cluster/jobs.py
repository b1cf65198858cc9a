# SPDX-License-Identifier: Apache-2.0
"""Processes that live as long as a benchmark: how they are started, what CPU time they take, how they end."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

from machine import Others

END_SECONDS = 10


class Job:
    """A command and all that it starts; ends with it."""

    def __init__(self, command: list[str], log: Path, **more: Any) -> None:
        self.log = log
        with log.open("wb") as errors:
            self.process = subprocess.Popen(command, stderr=errors, start_new_session=True, **more)

    def errors(self) -> str:
        """Last of what it wrote to its standard error."""
        return self.log.read_text(errors="replace")[-1500:].strip()

    def end(self) -> None:
        """Wait for its end; what is left of it is ended by force."""
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()


def cpu_seconds_below(root: int) -> float:
    """CPU time of all processes that a process has started, and of theirs; those that have ended included."""
    children: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        pid = int(entry.name)
        children.setdefault(int(fields[1]), []).append(pid)
        ticks[pid] = sum(map(int, fields[11:15]))  # its own, and of children that have ended
    found, below = 0, list(children.get(root, []))
    while below:
        pid = below.pop()
        found += ticks[pid]
        below += children.get(pid, [])
    return found / os.sysconf("SC_CLK_TCK")


class OthersThanJobs(Others):
    """As `Others`, where this process's jobs that still run are not the others."""

    @staticmethod
    def _now() -> tuple[float, float, float]:
        busy, own, wall = Others._now()
        return busy, own + cpu_seconds_below(os.getpid()), wall
