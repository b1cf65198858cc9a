# SPDX-License-Identifier: Apache-2.0
"""Algorithms of the user's own on the command line, and the command for the cache."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp
from command import gaspipe, start
from gaspipe.cli import own

FILE = """
import gaspipe as gp

far = gp.Algorithm(
    "my_reach", gather="a | b", initial="v == root", parameters={"root": gp.Parameter(0, doc="Where to start.")},
    field="reached", doc="Whether a vertex is reached from a root.")
other = gp.Algorithm("my_sum", gather="a + b", inputs={"gain": None}, apply="acc * gain", until=("steps", 1), initial=2)
"""
MATRIX = sp.csr_array(([1, 1, 1], ([0, 1, 3], [1, 2, 4])), shape=(5, 5))


@pytest.fixture(autouse=True)
def clean(compiled_snippets, monkeypatch):
    monkeypatch.setattr(own, "_loaded", {})
    yield
    for name in ("my_reach", "my_sum", "my_near"):
        if name in gp.algorithms:
            gp.unregister(name)


@pytest.fixture
def files(tmp_path):
    script, graph = tmp_path / "mine.py", tmp_path / "graph.npz"
    script.write_text(FILE)
    sp.save_npz(graph, sp.csr_matrix(MATRIX))
    return script, graph


def test_a_file_names_its_algorithms(files, tmp_path):
    script, graph = files
    out = tmp_path / "reached.npy"
    shown = gaspipe(f"{script}::my_reach", graph, "--root", 1, "--out", out).stdout
    assert np.load(out).tolist() == [0, 1, 1, 0, 0]
    told = shown.partition("In Python: ")[2].splitlines()[0]
    before, _, call = told.rpartition("; ")
    namespace = {"gp": gp}
    exec(before, namespace)
    assert eval(call, namespace).tolist() == [0, 1, 1, 0, 0]
    assert "Where to start." in gaspipe(f"{script}::my_reach", "--help").stdout


def test_weights_that_do_not_fit_name_a_remedy_that_there_is(tmp_path):
    script, graph = tmp_path / "mine.py", tmp_path / "graph.npz"
    text = 'import gaspipe as gp\nnear = gp.Algorithm("my_near", scatter="src + edge", gather="min(a, b)"{more})\n'
    script.write_text(text.format(more=""))
    sp.save_npz(graph, sp.csr_matrix(MATRIX * 0.5))
    error = gaspipe(f"{script}::my_near", graph, code=3).stderr
    assert "weight 0.5 (edge 0) does not fit uint32" in error
    assert "edge_prop=" in error


def test_arrays_come_from_files(files, tmp_path):
    script, graph = files
    gain = tmp_path / "gain.npy"
    np.save(gain, np.arange(5))
    out = tmp_path / "sum.npy"
    gaspipe(f"{script}::my_sum", graph, "--gain", gain, "--out", out)
    assert np.load(out).tolist() == [0, 2, 4, 0, 8]
    assert "my_sum needs gain=" in gaspipe(f"{script}::my_sum", graph, code=3).stderr


def test_the_environment_lists_files(files, monkeypatch):
    script, graph = files
    monkeypatch.setenv("GASPIPE_ALGORITHMS", str(script))
    assert "my_reach" in gaspipe("--help").stdout
    described = {a["name"]: a for a in json.loads(gaspipe("algorithms", "--json").stdout)}
    assert described["my_reach"]["field"] == "reached"
    found = json.loads(gaspipe("my-reach", graph, "--root", 3, "--json").stdout)
    assert found["algorithm"] == "my_reach"


def test_registered_algorithms_are_commands_of_their_process(files):
    _, graph = files
    gp.register(gp.Algorithm("my_reach", gather="a | b", initial="v == 3", field="reached"))
    assert "my_reach" in gaspipe("my_reach", graph).stdout


def test_a_process_of_its_own_finds_a_file(files):
    script, graph = files
    child = start(f"{script}::my_reach", graph, "--out", "-")
    out, error = child.communicate(timeout=120)
    assert out.split() == [b"1", b"1", b"1", b"0", b"0"], error


@pytest.mark.parametrize(
    ("text", "called", "message"),
    [
        (FILE, "mine.py::nothing", "has no gp.Algorithm 'nothing'; it has my_reach, my_sum"),
        (FILE, "mine.py", "has 2 algorithms (my_reach, my_sum); say which"),
        ("x = 1", "mine.py", "has 0 algorithms (none)"),
        ("x = 1\ny = x + z\n", "mine.py", "mine.py:2: NameError"),
        ("x = (", "mine.py", "SyntaxError"),
        ('import gaspipe as gp\ngp.Algorithm("x")', "mine.py", "x has no gatherFunc"),
        (None, "mine.py", "there is no file"),
        ('import gaspipe as gp\na = gp.Algorithm("bfs", gather="a")', "mine.py", "gp.bfs is a part of gaspipe"),
    ],
)
def test_bad_files_are_errors(tmp_path, monkeypatch, text, called, message):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / "mine.py").write_text(text)
    assert message in gaspipe(called, "graph.txt", code=3).stderr


ORACLE = """
import gaspipe as gp
import numpy as np

def reached(graph, root):
    "Worked out by hand."
    if root == 3:
        raise KeyError("no such root")
    return np.array([0, 1, 1, 0, root == 2])

far = gp.Algorithm(
    "my_reach", gather="a | b", initial="v == root", parameters={"root": 0}, field="reached", oracle=reached)
"""


def test_answers_are_verified_with_the_oracle(files):
    script, graph = files
    assert (
        "my_reach has nothing to be compared with" in gaspipe(f"{script}::my_reach", graph, "--verify", code=3).stderr
    )
    own._loaded.clear()
    script.write_text(ORACLE)
    shown = gaspipe(f"{script}::my_reach", graph, "--root", 1, "--verify").stdout
    assert "every value agrees with plain Python (the oracle reached())" in shown
    shown = gaspipe(f"{script}::my_reach", graph, "--root", 2, "--verify", code=1).stdout
    assert "DIFFERS from plain Python (the oracle reached()): vertex 1: reached 0, expected 1; 2 of 5 differ" in shown
    shown = gaspipe(f"{script}::my_reach", graph, "--root", 3, "--verify", code=3).stderr
    assert "the oracle of my_reach failed: KeyError: 'no such root' (" in shown
    assert f"{script}:8)" in shown
    found = json.loads(gaspipe(f"{script}::my_reach", graph, "--root", 1, "--verify", "--json").stdout)
    assert found["verified"]["agrees"]
    assert found["parameters"] == {"root": 1, "max_iter": "auto"}


@pytest.mark.parametrize("name", ["top", "file", "json", "threads", "undirected", "help"])
def test_parameters_that_are_options_already_are_refused(files, name):
    script, graph = files
    script.write_text(f"import gaspipe as gp\nx = gp.Algorithm('my_sum', gather='a', parameters={{{name!r}: 1}})")
    error = gaspipe(f"{script}::my_sum", graph, code=3).stderr
    assert f"my_sum has a parameter '{name}', and the command has its own --{name}" in error
    gaspipe("bfs", "--help")  # others go on


def test_a_compiler_s_messages_keep_their_lines(files, users_compiler):
    script, graph = files
    script.write_text('import gaspipe as gp\nmy_sum = gp.Algorithm("my_sum", scatter="src + egde", gather="a + b")\n')
    lines = gaspipe(f"{script}::my_sum", graph, code=3).stderr.splitlines()
    at = lines.index("Error: my_sum does not compile:")
    assert lines[at + 1].startswith("my_sum.scatter:1:7: error: ")
    assert "src + egde" in lines[at + 2]


def test_a_bad_file_of_the_environment_is_said_to_come_from_there(files, tmp_path, monkeypatch):
    _, graph = files
    (tmp_path / "wrong.py").write_text("x = 1 / 0")
    (tmp_path / "own.txt").write_text("x = 1")
    faults = {
        str(tmp_path / "own.txt"): "does not end in .py",
        str(tmp_path / "nothing.py"): "there is no file",
        "nothing.py": "give a path from the root on",
        str(tmp_path / "wrong.py"): "ZeroDivisionError",
    }
    for path, message in faults.items():
        monkeypatch.setenv("GASPIPE_ALGORITHMS", path)
        error = gaspipe("bfs", graph, code=3).stderr
        assert f"GASPIPE_ALGORITHMS names {path}: " in error
        assert message in error


def test_the_cache_is_shown_and_cleared(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    gp.Algorithm("kept", gather="a + b").compile()
    shown = gaspipe("cache").stdout
    assert str(tmp_path) in shown
    assert "1 compiled snippets" in shown
    assert "kept" in shown
    assert json.loads(gaspipe("cache", "--json").stdout)["algorithms"] == ["kept"]
    assert "Deleted 1 compiled snippet\n" in gaspipe("cache", "--clear").stdout
    assert gp.cache.info().num_libraries == 0
