# SPDX-License-Identifier: Apache-2.0
"""A test without its tool is skipped at home and fails in CI; all other reasons to skip are listed here."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tools

HERE = Path(__file__).resolve().parent

# What no installation mends: the system, the user's rights, data that are not the repository's.
REASONS = {
    "root, to be another user": "root only may run a process as another user",
    "a file system that tells what it caches": "done.stderr",
    "a folder of data": "there is no folder {folder}; set GASPIPE_DATA to where the graphs are",
    "a file system": "this file system wants names that are text",
    "Debian's packages": "not a Debian: nothing to hold the libraries against",
    "NumPy 2": "copy= of asarray is NumPy 2's",
    "NumPy 2's strings": "comes with NumPy 2",
    "POSIX": "needs fork",
    "POSIX's pipes": "needs named pipes",
    "Linux's names": "file names are bytes on Linux",
    "Linux's limits": "the limit on memory is Linux's",
    "Linux's groups of processes": "control groups are Linux's",
    "a group of its own": "no control group can be made here",
    "Linux's devices": "the device files are Linux's",
    "a user who may not read all": "root may read every file",
    "a user who may not write all": "root may write everywhere",
    "namespaces": "bubblewrap cannot make a sandbox here",
    "root": "only root can make files of others",
}


def run_without_clang(folder, ci):
    """A test that needs clang, where PATH has nothing."""
    environment = {name: value for name, value in os.environ.items() if name != "CI" and not name.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_hls_lint.py"]
    return subprocess.run(
        [*command, "-k", "test_syntax_trees_of_instances"],
        cwd=HERE,
        env={**environment, "PATH": str(folder), **({"CI": ci} if ci else {})},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize("ci", ["", "false"])
def test_a_missing_tool_skips_a_test_at_home(tmp_path, ci):
    done = run_without_clang(tmp_path, ci)
    assert done.returncode == 0, done.stdout
    assert "1 skipped" in done.stdout
    assert "clang++ is not installed (Debian: clang)" in done.stdout


def test_a_missing_tool_is_a_failure_in_ci(tmp_path):
    done = run_without_clang(tmp_path, "true")
    assert done.returncode == 1, done.stdout
    assert "1 error" in done.stdout
    assert "clang++ is not installed (Debian: clang); CI has to have it" in done.stdout


def test_tools_are_found_and_missed():
    assert tools.missing("numpy") == ""
    assert "no_such_module is not installed" in tools.missing("no_such_module")
    assert "no_such_module.part is not installed" in tools.missing("no_such_module.part")


def test_other_reasons_to_skip_are_listed():
    found = set()
    for path in HERE.glob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
            assert not name.endswith("importorskip"), f"{path.name}: use @pytest.mark.needs, which fails in CI"
            if name == "pytest.mark.skipif":
                found.update(ast.literal_eval(k.value) for k in call.keywords if k.arg == "reason")
            elif name == "pytest.skip" and path.name != "tools.py":
                found.add(ast.unparse(call.args[0]).removeprefix("f").strip("'\""))
    assert found == set(REASONS.values())
