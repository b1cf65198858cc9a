# SPDX-License-Identifier: Apache-2.0
"""Words completed as shells ask for it, and what completing loads."""

import json
import os
import subprocess
import sys

import pytest

import gaspipe as gp
from command import environment, gaspipe
from gaspipe import _core, _formats

RUN = "import sys; sys.argv[0] = 'gaspipe'; from _gaspipe_command import main; main()"
NAMES = ["bash", "zsh", "fish"]


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    """Variables of a shell whose user has a cache folder of its own, with the names in it."""
    folder = tmp_path_factory.mktemp("cache")
    variables = {**environment(), "XDG_CACHE_HOME": str(folder)}
    variables.pop("GASPIPE_ALGORITHMS", None)
    made = ask(variables, "gaspipe zz")
    assert made == ["file,zz"]
    assert len(list((folder / "gaspipe").glob("completion-*.json"))) == 1
    return variables


def ask(variables, line, shell="bash", code=RUN):
    """Values that a line may go on with, as shells ask: its words and the index of the last one.

    Bash, and no other shell, takes ":" and "=" for words of their own.
    """
    text = line.replace(":", " : ").replace("=", " = ") if shell == "bash" else line
    words = text.split()
    at = len(words) if line.endswith(" ") else len(words) - 1
    given = {"COMP_WORDS": text.strip(), "COMP_CWORD": str(at), "_GASPIPE_COMPLETE": f"{shell}_complete"}
    if shell == "fish":
        given["COMP_CWORD"] = "" if line.endswith(" ") else words[-1]
    done = subprocess.run([sys.executable, "-c", code], env={**variables, **given}, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    rows = done.stdout.splitlines()
    return rows[1::3] if shell == "zsh" else [row.partition("\t")[0].removeprefix("plain,") for row in rows]


def test_commands_options_and_values_are_completed(shell):
    assert ask(shell, "gaspipe ")[: len(gp.algorithms)] == list(gp.algorithms)
    assert ask(shell, "gaspipe pager") == ["pagerank"]
    assert ask(shell, "gaspipe generate gr") == ["grid"]
    assert ask(shell, "gaspipe predict --board u250 pa") == ["pagerank"]
    assert ask(shell, "gaspipe predict --board u28") == [b for b in _core.boards() if b.startswith("u28")]
    assert "--damping" in ask(shell, "gaspipe pagerank web.txt --da")
    assert ask(shell, "gaspipe bfs web.txt --format ") == list(_formats.known())
    assert ask(shell, "gaspipe bfs web.txt --device fp") == ["fpga"]
    assert ask(shell, "gaspipe bfs web.txt --device=cp") == ["cpu"]
    boards = [board for board in _core.boards() if board.startswith("u2")]
    assert ask(shell, "gaspipe bfs web.txt --device emulator:u2") == boards  # bash keeps what is before the colon
    assert ask(shell, "gaspipe build --board u250 pag") == ["pagerank"]
    assert ask(shell, "gaspipe completion ") == NAMES
    for file in ("gaspipe bfs we", "gaspipe bfs web.txt --out de", "gaspipe my.p", "gaspipe my.py::x we"):
        assert ask(shell, file)[0].startswith("file,"), file
    assert ask(shell, "gaspipe build --out o")[0].startswith("dir,")
    assert "--device" in ask(shell, "gaspipe my.py::x --de")
    for other in ("zsh", "fish"):
        assert ask(shell, "gaspipe pager", other) == ["pagerank"]
        assert "emulator:u250" in ask(shell, "gaspipe bfs web.txt --device emu", other)


def test_completing_loads_nothing_of_the_package(shell):
    code = f"import atexit, sys; atexit.register(lambda: print(*sorted(sys.modules))); {RUN}"
    loaded = ask(shell, "gaspipe pager", code=code)[-1].split()
    assert {"_gaspipe_command", "click"} <= set(loaded)
    assert not {"gaspipe", "gaspipe._core", "numpy", "subprocess"} & set(loaded)


def test_names_follow_the_files_that_they_come_from(shell, tmp_path):
    mine = tmp_path / "mine.py"
    text = 'import gaspipe as gp\nx = gp.Algorithm("NAME", gather="min")\n'
    mine.write_text("raise ValueError\n")
    own = {**shell, "GASPIPE_ALGORITHMS": str(mine)}
    assert ask(own, "gaspipe pager") == ["pagerank"]  # whatever the file is
    folder = os.path.join(shell["XDG_CACHE_HOME"], "gaspipe")
    kept = [os.path.join(folder, name) for name in os.listdir(folder)]
    assert len(kept) == 2
    for path in kept:
        with open(path, "w") as file:
            file.write(text)  # damaged: made again
    assert ask(shell, "gaspipe pager") == ["pagerank"]
    with open(kept[0]) as one, open(kept[1]) as other:
        assert sum(file.read().startswith("{") for file in (one, other)) == 1
    nowhere = {**shell, "XDG_CACHE_HOME": "/proc/none"}
    assert ask(nowhere, "gaspipe pager") == ["pagerank"]


def test_scripts_are_click_s(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for name in NAMES:
        assert f"_GASPIPE_COMPLETE={name}_complete" in gaspipe("completion", name).stdout
    (kept,) = (tmp_path / "gaspipe").iterdir()
    assert "bfs" in json.loads(kept.read_text())["names"]["commands"]
    assert "'tcsh' is not one of" in gaspipe("completion", "tcsh", code=2).stderr
    assert "~/.bashrc" in gaspipe("completion", "--help").stdout


def test_a_real_bash_completes(shell, tmp_path):
    program = tmp_path / "gaspipe"
    program.write_text(f"#!{sys.executable}\n{RUN}\n")
    program.chmod(0o755)
    script = (
        'eval "$(gaspipe completion bash)"; COMP_WORDS=(gaspipe bfs web.txt --device emulator : u25); COMP_CWORD=6; '
        '_gaspipe_completion gaspipe; echo "${COMPREPLY[*]}"; complete -p gaspipe'
    )
    variables = {**shell, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "--norc", "-c", script], env=variables, capture_output=True, text=True)
    assert done.stdout.splitlines()[0].split() == [b for b in _core.boards() if b.startswith("u25")], done.stderr
    assert "_gaspipe_completion" in done.stdout
