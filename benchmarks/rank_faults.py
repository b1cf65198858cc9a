# SPDX-License-Identifier: Apache-2.0
"""What happens to a job of three ranks in which one fails: seconds until all have ended, and what they say.

Every fault is brought about on rank 1 (benchmarks/ranks/fault.py), in the middle of a run where it can be. Bar: 10 s
from the fault to the end of the last rank, with an error that names the rank, or what differs on it.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from machine import table

FAULTS = {
    "killed": "killed (SIGKILL)",
    "hangs": "stopped (SIGSTOP)",
    "out_of_memory": "out of memory (RLIMIT_DATA)",
    "raises": "an exception in its callback",
    "leaves": "an exception between calls",
    "other_argument": "another argument",
    "other_algorithm": "another algorithm",
    "other_version": "another version of gaspipe",
    "other_file": "another file of the same name",
}
BAR = 10.0
HERE = Path(__file__).resolve().parent
HEADS = ["rank 1", "s until all ranks ended", "a survivor says"]


def is_alive(pid: int) -> bool:
    try:
        return not re.search(r"^State:\t[ZX]", Path(f"/proc/{pid}/status").read_text(), re.M)
    except OSError:
        return False


def launcher() -> list[str]:
    beside = Path(sys.executable).parent / "mpiexec"
    command = [str(beside) if beside.exists() else "mpiexec"]
    # MPICH's launcher ends a job at once where a process dies; without that the ranks' own words are seen.
    if "HYDRA" in subprocess.run([*command, "--version"], capture_output=True, text=True).stdout:
        command.append("-disable-auto-cleanup")
    return [*command, "-n", "3"]


def seen(fault: str) -> tuple[float, str]:
    """Seconds from the fault until no rank but a stopped one is there, and what another rank says."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = [*launcher(), sys.executable, str(HERE / "ranks" / "fault.py"), fault, name]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        job = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, start_new_session=True,
        )  # fmt: skip
        try:
            files = [folder / f"pid{rank}" for rank in range(3)]
            limit = time.monotonic() + 60
            while not (all(f.exists() and f.read_text() for f in files) and (folder / "at").exists()):
                if time.monotonic() > limit or job.poll() is not None:
                    sys.exit(f"{fault}: the job has not begun\n{job.communicate(timeout=5)[0]}")
                time.sleep(0.01)
            pids = [int(file.read_text()) for file in files]
            if fault == "hangs":
                del pids[1]
            while any(map(is_alive, pids)) and time.monotonic() < limit:
                time.sleep(0.01)
            seconds = time.time() - float((folder / "at").read_text())
            if any(map(is_alive, pids)):
                sys.exit(f"{fault}: ranks are left after {seconds:.0f} s")
        finally:
            for file in folder.glob("pid*"):
                with contextlib.suppress(ProcessLookupError, ValueError):
                    os.kill(int(file.read_text()), signal.SIGKILL)
        text = job.communicate(timeout=30)[0]
    said = [found[1] for rank in (0, 2) if (found := re.search(rf"^gaspipe: rank {rank} of 3 ends: (.*)$", text, re.M))]
    said += re.findall(r"^gaspipe(?:\._core)?\.(?:\w+: .*)$", text, re.M)
    first = said[0].partition("; all ranks must make")[0] if said else text[-300:]
    return seconds, re.sub(r"process \d+ on [\w.-]+", "process ... on ...", first)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--markdown", metavar="FILE", help="write the table here, too")
    options = parser.parse_args()
    rows = []
    for fault, text in FAULTS.items():
        seconds, said = seen(fault)
        rows.append([text, f"{seconds:.2f}", said.replace("|", "\\|")])
        print(" | ".join(rows[-1]), file=sys.stderr)
    shown = table(HEADS, rows)
    print(shown)
    if options.markdown:
        head = "# Faults of ranks\n\nWritten by `benchmarks/rank_faults.py`. " + " ".join(
            (__doc__ or "").split("\n\n")[1].split()
        )
        Path(options.markdown).write_text(f"{head}\n\n{shown}\n", encoding="utf-8")
    return 0 if all(float(row[1]) <= BAR for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
