# SPDX-License-Identifier: Apache-2.0
"""The Python side: the test suite under coverage.py, in every process that it starts."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from reached import REPOSITORY, Measured

PACKAGES = ("gaspipe", "_gaspipe_command", "_gaspipe_networkx")

# Tests that run none of the packages' code in this environment, or only what other tests run too, and take minutes.
LEFT_OUT = {
    "test_packaging.py": "builds packages into environments of its own",
    "test_wheels.py": "looks at wheels",
    "test_site.py": "builds the documentation",
    "test_documentation.py": "runs the blocks of the pages, which other tests are made of",
    "test_browser.py": "opens pages in Chromium",
    "test_notebooks.py": "runs the notebooks",
    "test_rtl.py": "simulates circuits",
    "test_typing.py": "runs mypy",
    "test_lint.py": "reads the kernels' sources",
    "test_hls_lint.py": "reads the kernels' sources",
    "test_headers.py": "compiles each header alone",
    "test_races.py": "builds the extension for ThreadSanitizer",
    "test_networkx_suite.py": "runs NetworkX's own tests",
    "test_imports.py": "holds what an import loads against a list, and coverage.py loads more",
}

# Single tests that hold what coverage.py or this build changes: modules, memory, times, the kind of build, files that
# other users' processes may write. Whole files are then measured without them.
LEFT_OUT_ALONE = (
    "test_card_faults.py::test_a_fork_before_the_first_use_has_the_card",
    "test_card_leaks.py::test_a_thousand_calls_leak_nothing",
    "test_completion.py::test_completing_loads_nothing_of_the_package",
    "test_degraded.py::test_a_read_only_home_without_shared_memory_is_enough",
    "test_mpi_ranks_benchmark.py::test_a_run_without_peers_has_every_row_and_names_who_is_absent",
    "test_mpi_ranks_benchmark.py::test_ranks_that_do_not_start_end_the_run_with_what_their_launcher_says",
    "test_streamed_reads.py::test_a_file_of_another_user_is_read_ahead",
)

# Prints what the tests need; run by the environment's own Python.
NEEDED = """
import sys, tomllib
settings = tomllib.load(open(sys.argv[1], "rb"))
extras = settings["project"]["optional-dependencies"]
own = ["dask", "mpi", "plot", "progress", "table", "test"]
needed = settings["project"]["dependencies"] + settings["build-system"]["requires"] + sum(map(extras.get, own), [])
print(*(name for name in needed if not name.startswith("gaspipe")), sep="\\n")
"""


def make_environment(venv: Path) -> None:
    """Make the virtual environment with what the tests need, if it is not there."""
    if (venv / "bin" / "python").exists():
        return
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    read = [venv / "bin" / "python", "-c", NEEDED, REPOSITORY / "pyproject.toml"]
    needed = subprocess.run(read, check=True, capture_output=True, text=True).stdout.splitlines()
    pip = [venv / "bin" / "python", "-m", "pip", "install", "-q", "coverage>=7.10", *needed]
    subprocess.run(pip, check=True, stdout=sys.stderr)


def settings(build: Path) -> Path:
    """Write coverage.py's settings."""
    sources = "".join(f"  {REPOSITORY / 'python' / name}\n" for name in PACKAGES)
    path = build / "coveragerc"
    path.write_text(
        f"[run]\nbranch = True\nparallel = True\ndata_file = {build / 'python' / 'data'}\n"
        "concurrency = thread, multiprocessing\npatch = _exit\n"
        "disable_warnings = no-data-collected, module-not-measured\n"
        f"source =\n{sources}"
        "[report]\nexclude_also =\n  if TYPE_CHECKING:\n  @overload\n"
    )
    return path


def run_tests(build: Path, venv: Path, arguments: list[str]) -> list[str]:
    """Run the suite; return the names of the tests that failed.

    A .pth file starts coverage.py in every process of the environment, also in those that get no environment variables.
    """
    shutil.rmtree(build / "python", ignore_errors=True)
    (build / "python").mkdir()
    rc = settings(build)
    python = (venv / "bin" / "python").absolute()
    site = "import sysconfig; print(sysconfig.get_path('purelib'))"
    folder = Path(subprocess.run([python, "-c", site], check=True, capture_output=True, text=True).stdout.strip())
    starter = folder / "gaspipe_covered.pth"
    code = f"import os, coverage; os.environ['COVERAGE_PROCESS_START'] = {str(rc)!r}; coverage.process_startup()"
    command = [python, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
    if arguments:
        command += arguments
    else:
        command += [f"--ignore=tests/python/{name}" for name in LEFT_OUT]
        command += [f"--deselect=tests/python/{name}" for name in LEFT_OUT_ALONE]
    environment = {**os.environ, "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"}
    starter.write_text(code + "\n")
    try:
        done = subprocess.run(command, cwd=REPOSITORY, env=environment, stdout=subprocess.PIPE, text=True)
    finally:
        starter.unlink()
    sys.stderr.write(done.stdout)
    return re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)


def measure(build: Path, venv: Path) -> dict[str, Measured]:
    """Return the lines and branches of every file of the packages, by its path in the repository."""
    if not (build / "python").exists():
        return {}
    coverage = [venv / "bin" / "python", "-m", "coverage"]
    rc, made = f"--rcfile={settings(build)}", build / "python.json"
    data = sorted((build / "python").glob("data*"))
    combine = [*coverage, "combine", rc, "-q", "--keep", f"--data-file={build / 'combined'}", *data]
    subprocess.run(combine, check=True, cwd=REPOSITORY, stderr=subprocess.DEVNULL)
    write = [*coverage, "json", rc, "-q", f"--data-file={build / 'combined'}", "-o", made]
    subprocess.run(write, check=True, cwd=REPOSITORY)
    measured = {}
    for name, file in json.loads(made.read_text())["files"].items():
        path = (REPOSITORY / name).resolve().relative_to(REPOSITORY)
        summary = file["summary"]
        if summary["num_statements"]:
            measured[str(path)] = Measured(
                summary["covered_lines"], file["missing_lines"], summary["covered_branches"], summary["num_branches"]
            )
    return measured
