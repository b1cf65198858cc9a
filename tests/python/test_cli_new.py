# SPDX-License-Identifier: Apache-2.0
"""gaspipe new: the files it writes work as they are, and it never writes over anything or half a file."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import gaspipe as gp
from command import environment, gaspipe
from gaspipe.cli import new

FORMS = ["functions", "struct", "lines"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in ("my_widest", "my_algorithm"):
        if name in gp.algorithms:
            gp.unregister(name)


def run(path):
    return subprocess.run(
        [sys.executable, path], env=environment(), capture_output=True, text=True, timeout=500, check=False
    )


def without_check(path):
    """Leave out what compiles for the emulator, which one test alone does."""
    text = path.read_text()
    assert text.count(".check()") == 1
    path.write_text(text.replace(".check()", ".check(devices=('cpu',))"))


def undirected_widths(matrix, root):
    """Widest paths of an undirected graph are those of its maximum spanning tree."""
    tree = -csgraph.minimum_spanning_tree(-matrix)
    tree = tree + tree.T
    order, parents = csgraph.breadth_first_order(tree, root, directed=False)
    width = np.zeros(matrix.shape[0], np.int64)
    width[root] = 2**32 - 1
    for v in order[1:]:
        width[v] = min(width[parents[v]], tree[parents[v], v])
    return width


@pytest.mark.parametrize("form", FORMS)
def test_what_is_written_works_as_it_is(folder, form, rng, compiled_snippets):
    shown = gaspipe("new", "my_widest", "--form", form).stdout
    script = folder / "my_widest.py"
    assert "gaspipe my_widest.py::my_widest FILE --root 0" in shown
    assert "my_algorithm" not in script.read_text()
    if form != "functions":
        without_check(script)
    done = run(script)
    assert done.returncode == 0, done.stderr
    assert "5          2          4          3]" in done.stdout
    devices = "('cpu', 'emulator')" if form == "functions" else "('cpu',)"
    assert f"devices={devices}" in done.stdout

    n = 200
    matrix = sp.coo_array((rng.integers(1, 100, 500), rng.integers(0, n, (2, 500))), shape=(n, n)).tocsr()
    matrix = matrix.maximum(matrix.T)
    sp.save_npz(folder / "graph.npz", matrix)
    gaspipe("my_widest.py::my_widest", "graph.npz", "--root", 3, "--out", "width.npy")
    np.testing.assert_array_equal(np.load("width.npy"), undirected_widths(matrix, 3))
    gaspipe("my_widest.py::my_widest", "graph.npz", "--root", 3, "--at-least", 50, "--out", "width.npy")
    matrix.data[matrix.data < 50] = 0
    matrix.eliminate_zeros()
    np.testing.assert_array_equal(np.load("width.npy"), undirected_widths(matrix, 3))


@pytest.mark.parametrize("form", FORMS)
def test_what_is_written_is_formatted(folder, form):
    gaspipe("new", "my_algorithm", "--form", form)
    for command in (["check", "--select", "E,F,I,UP,B,D,SIM", "--ignore", "D203,D213"], ["format", "--diff"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--isolated", "--line-length", "120", "my_algorithm.py"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_out_says_where_and_form_how(folder):
    (folder / "mine").mkdir()
    gaspipe("new", "my-widest", "--form", "lines", "--out", "mine/all.py")
    assert os.listdir(folder) == ["mine"]
    assert os.listdir("mine") == ["all.py"]
    assert 'gather="max(a, b)"' in (folder / "mine" / "all.py").read_text()
    assert "Where to start" not in gaspipe("mine/all.py::my_widest", "--help").stdout
    assert "Edges narrower than this are of no use." in gaspipe("mine/all.py::my_widest", "--help").stdout


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("2fast", "name is '2fast'; letters, digits and _"),
        ("a b", "name is 'a b'; letters"),
        ("größe", "letters, digits and _"),
        ("class", "which Python or C++ needs itself"),
        ("template", "which Python or C++ needs itself"),
        ("bfs", "gp.bfs is a part of gaspipe"),
        ("Graph", "gp.Graph is a part of gaspipe"),
        ("info", "a command of gaspipe"),
        ("gp", "which the file needs itself"),
        ("max", "which the file needs itself"),
        ("HOOKS", "which the file needs itself"),
        ("root", "a parameter cannot be called 'root'"),
        ("at_least", "a parameter cannot be called 'at_least'"),
        ("numpy", "numpy.py would hide the module numpy"),
        ("random", "random.py would hide the module random"),
    ],
)
def test_names_that_cannot_be_are_refused(folder, name, message):
    assert message in gaspipe("new", name, code=3).stderr
    assert os.listdir(folder) == []


def test_a_module_s_name_will_do_in_a_file_called_otherwise(folder):
    gaspipe("new", "statistics", "--out", "own_statistics.py")
    assert gp.Algorithm.__name__ in (folder / "own_statistics.py").read_text()


def test_a_file_that_is_there_stays(folder):
    path = folder / "my_algorithm.py"
    path.write_text("precious = 1\n")
    assert "my_algorithm.py is there already" in gaspipe("new", "my_algorithm", code=3).stderr
    assert path.read_text() == "precious = 1\n"
    gaspipe("new", "my_algorithm", "--force")
    assert "gp.Algorithm" in path.read_text()
    gaspipe("new", "my_algorithm", "--force", "--form", "lines")  # nor does the old file count as a module
    (folder / "leads_nowhere.py").symlink_to("nothing")
    assert "is there already" in gaspipe("new", "my_algorithm", "--out", "leads_nowhere.py", code=3).stderr


@pytest.mark.parametrize(
    ("out", "message"),
    [("mine.txt", "ends in .py"), ("no/mine.py", "no such directory"), ("folder.py", "Is a directory")],
)
def test_places_that_cannot_be_are_refused(folder, out, message):
    (folder / "folder.py").mkdir()
    assert message in gaspipe("new", "my_algorithm", "--out", out, "--force", code=3).stderr
    assert os.listdir(folder) == ["folder.py"]
    assert os.listdir("folder.py") == []


def test_a_file_is_whole_or_not_there(folder, monkeypatch):
    def full(source, target):
        raise OSError(28, "No space left on device", target)

    monkeypatch.setattr(os, "replace", full)
    assert "No space left" in gaspipe("new", "my_algorithm", code=3).stderr
    assert os.listdir(folder) == []


def test_forms_are_those_that_have_a_template():
    templates = os.path.join(os.path.dirname(gp.__file__), "templates")
    assert sorted(os.listdir(templates)) == sorted(f"{form}.py.in" for form in new.FORMS)


def test_help_lists_it():
    assert "Start an algorithm of your own." in gaspipe("--help").stdout
    assert "gaspipe new my_algorithm" in gaspipe("new", "--help").stdout
    assert "'lines'" in gaspipe("new", "x", "--form", "rhyme", code=2).stderr
