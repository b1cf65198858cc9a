# SPDX-License-Identifier: Apache-2.0
"""What a gaspipe was built from and with: `gp.build_info()`, `gaspipe --version`, and the step of the build."""

import json
import platform
import re
import subprocess
import sys

import pytest

import gaspipe as gp
from command import environment, gaspipe
from conftest import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "cpp" / "bindings"))
import write_built


def git(folder, *words):
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    return subprocess.run(["git", "-C", folder, *identity, *words], check=True, capture_output=True, text=True).stdout


def test_version_tells_the_build_to_people_and_programs():
    info = gp.build_info()
    told = gaspipe("--version").stdout.splitlines()
    assert told[0] == f"gaspipe, version {gp.__version__}"
    rows = dict(line.split(maxsplit=1) for line in told[1:])
    assert list(rows) == ["commit", "compiler", "OpenMP", "XRT", "liburing", "kernels", "Python"]
    assert rows["Python"] == info["python"] == platform.python_version()
    assert rows["compiler"].startswith(f"{info['compiler']}, C++17")
    assert re.match(r"[A-Za-z]+ \d+\.", info["compiler"])
    assert rows["commit"] == "unknown" or re.fullmatch("[0-9a-f]{12}(, with changes)?", rows["commit"])
    assert json.loads(gaspipe("--version", "--json").stdout) == info
    assert json.loads(gaspipe("--json", "--version").stdout) == info
    assert "give it after the command" in gaspipe("--json", "demo", code=2).stderr


def test_the_commit_is_that_of_the_checkout_and_changes_are_told(tmp_path):
    assert write_built.commit_of(str(tmp_path)) == (None, False)
    git(tmp_path, "init", "-q")
    file, output = tmp_path / "file", tmp_path / "_built.py"
    file.write_text("1")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "-qm", "one")
    commit = git(tmp_path, "rev-parse", "HEAD").strip()
    assert write_built.commit_of(str(tmp_path)) == (commit, False)
    (tmp_path / "unpacked").mkdir()  # below another project's checkout
    assert write_built.commit_of(str(tmp_path / "unpacked")) == (None, False)
    header = tmp_path / "version.h"
    header.write_text('#define XRT_DRIVER_VERSION "2.16.204,abc"\n')
    write_built.main(str(tmp_path), str(output), "flags=-O2 -g=3", f"xrt={header}", "liburing=")
    time = output.stat().st_mtime_ns
    write_built.main(str(tmp_path), str(output), "flags=-O2 -g=3", f"xrt={header}", "liburing=")
    assert output.stat().st_mtime_ns == time  # nothing depends on it anew
    names = {}
    exec(output.read_text(), names)
    wanted = {"commit": commit, "has_changes": False, "flags": "-O2 -g=3", "xrt": "2.16.204", "liburing": None}
    assert names["BUILT"] == wanted
    file.write_text("2")
    assert write_built.commit_of(str(tmp_path)) == (commit, True)


def test_without_git_the_commit_is_unknown(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert write_built.commit_of(str(REPOSITORY)) == (None, False)


@pytest.mark.parametrize(("words", "code"), [(["--help"], 0), (["bfs"], 2)])
def test_run_as_a_module_it_is_the_same_command(words, code):
    command = [sys.executable, "-m", "gaspipe", *words]
    done = subprocess.run(command, capture_output=True, text=True, env=environment())
    called = " ".join(words[:1]) if code else ""
    assert done.returncode == code
    assert (done.stdout or done.stderr).startswith(f"Usage: python -m gaspipe {called}".rstrip())
    expected = gaspipe(*words, code=code)
    same = [(done.stdout, expected.stdout), (done.stderr, expected.stderr)]
    for ours, theirs in same:
        normal = [" ".join(text.replace("python -m gaspipe", "gaspipe").split()) for text in (ours, theirs)]
        assert normal[0] == normal[1]
