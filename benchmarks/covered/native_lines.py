# SPDX-License-Identifier: Apache-2.0
"""The C++ side: an instrumented build, its tests, and the lines and branches that Clang's counters say were reached."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from reached import REPOSITORY, Measured

FOLDERS = ("cpp", "hls")


def tool(name: str) -> str:
    """Path of one of LLVM's tools, all of one version; ends where it is missing."""
    versions = (v for v in ("-16", "-19", "-18", "-17", "-15") if shutil.which(f"clang++{v}"))
    found = next((path for v in versions if (path := shutil.which(f"{name}{v}"))), None)
    return found or sys.exit(f"{name} of clang++'s version is not installed (Debian: clang-16 llvm-16)")


def profiles(build: Path) -> Path:
    """Return the folder of what processes counted.

    Each merges its counters into one of a few files per program (%4m), so that thousands of processes need little room.
    """
    return build / "profiles"


def build(folder: Path, venv: Path, optimize: str) -> None:
    """Build tests and extension, and install it into the virtual environment.

    The name of the profiles is built in: tests start processes with an empty environment, in folders of their own.
    """
    flags = f"-O{optimize} -DNDEBUG -fcoverage-mapping -fprofile-instr-generate={profiles(folder) / '%4m.profraw'}"
    defines = {
        "GASPIPE_BUILD_TESTS": "ON",
        "GASPIPE_KERNELS": "built",
        "GASPIPE_UNITY": "ON",
        "CMAKE_CXX_FLAGS_COVERAGE": flags,
    }
    options = ["-Ccmake.build-type=Coverage", f"-Cbuild-dir={folder / 'cmake'}"]
    options += [f"-Ccmake.define.{name}={value}" for name, value in defines.items()]
    environment = {**os.environ, "CXX": tool("clang++")}
    environment.setdefault("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count()))
    if shutil.which("ccache"):
        environment.setdefault("CMAKE_CXX_COMPILER_LAUNCHER", "ccache")
    pip = [venv / "bin" / "python", "-m", "pip", "install", "-q", "--no-build-isolation", "--no-deps", *options]
    subprocess.run([*pip, "-e", REPOSITORY], check=True, env=environment, stdout=sys.stderr)


def run_tests(folder: Path, venv: Path) -> list[str]:
    """Run the C++ tests; return the names of those that failed. What is installed is tested by CI alone."""
    shutil.rmtree(profiles(folder), ignore_errors=True)
    ctest = [venv / "bin" / "ctest", "--test-dir", folder / "cmake", "-j", "2", "-E", "^Install"]
    done = subprocess.run([*ctest, "--output-on-failure"], stdout=subprocess.PIPE, text=True)
    sys.stderr.write(done.stdout)
    return sorted(set(re.findall(r"\[  FAILED  \] (\S+?)(?: \(| *$)", done.stdout, re.MULTILINE)))


def objects(folder: Path) -> list[Path]:
    """List the programs and libraries that were run."""
    cmake = folder / "cmake"
    found = [p for p in (cmake / "tests").glob("gaspipe_*") if p.is_file() and os.access(p, os.X_OK)]
    found += [p for p in (cmake / "cpp" / "examples").glob("*") if p.is_file() and os.access(p, os.X_OK)]
    return found + sorted((cmake / "cpp" / "bindings").rglob("*.so"))


def merged(folder: Path) -> Path:
    """Merge what all processes counted; profiles of processes that were killed while they wrote are left out."""
    made = folder / "all.profdata"
    raw = sorted(profiles(folder).glob("*.profraw"))
    if not raw:
        sys.exit(f"{profiles(folder)} has no profiles; run the steps build, cpp and python first")
    command = [tool("llvm-profdata"), "merge", "-sparse", "-failure-mode=all", "-o", made, *raw]
    subprocess.run(command, check=True)
    return made


def lines_of(segments: list[list]) -> dict[int, int]:
    """Return how often each line with code ran, by the rules of llvm-cov.

    That is the most of the regions that start in the line and of the one that it lies in.
    """
    counts: dict[int, int] = {}
    by_line: dict[int, list[list]] = {}
    for segment in segments:
        by_line.setdefault(segment[0], []).append(segment)
    around = None
    for line in range(segments[0][0], segments[-1][0] + 1) if segments else ():
        here = by_line.get(line, [])
        starts = [s for s in here if s[3] and s[4] and not s[5]]  # has a count, is a region's entry, is no gap
        skipped = bool(here) and not here[0][3] and here[0][4]
        if not skipped and ((around and around[3]) or starts):
            count = around[2] if around and around[3] else 0
            counts[line] = max([count, *(s[2] for s in starts)])
        if here:
            around = here[-1]
    return counts


def export(profile: Path, program: Path) -> dict:
    """Return what llvm-cov says of one program."""
    command = [tool("llvm-cov"), "export", "-skip-functions", "-skip-expansions", f"-instr-profile={profile}", program]
    command += [REPOSITORY / name for name in FOLDERS]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def measure(folder: Path) -> dict[str, Measured]:
    """Return the lines and branches of every file that was compiled, by its path in the repository."""
    profile = merged(folder)
    lines: dict[str, dict[int, int]] = {}
    branches: dict[str, dict[tuple, int]] = {}
    for program in objects(folder):
        for file in export(profile, program)["data"][0]["files"]:
            path = Path(file["filename"]).resolve()
            if not path.is_relative_to(REPOSITORY):
                continue
            name = str(path.relative_to(REPOSITORY))
            all_lines = lines.setdefault(name, {})
            for line, count in lines_of(file["segments"]).items():
                all_lines[line] = max(count, all_lines.get(line, 0))
            ways = branches.setdefault(name, {})
            for branch in file.get("branches", []):
                for way, count in ((True, branch[4]), (False, branch[5])):
                    place = (*branch[:4], way)
                    ways[place] = max(count, ways.get(place, 0))
    return {
        name: Measured(
            sum(map(bool, counts.values())),
            sorted(line for line, count in counts.items() if not count),
            sum(map(bool, branches[name].values())),
            len(branches[name]),
        )
        for name, counts in lines.items()
        if counts and name.startswith(FOLDERS)
    }
