# SPDX-License-Identifier: Apache-2.0
"""`progress=`, a function or True for a bar, wherever something may take long."""

import sys

import numpy as np
import pytest

import gaspipe as gp
from gaspipe import _progress
from thread_ranks import on_ranks


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("progress") / "edges.txt"
    np.savetxt(path, np.random.default_rng(1).integers(0, 500, (20_000, 2)), fmt="%d")
    return path


@pytest.mark.needs("tqdm")
def test_true_shows_a_bar_which_is_gone_in_the_end(path, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(_progress, "DELAY", 0)
    graph = gp.Graph.from_file(path, progress=True)
    for work, shown in (
        (lambda: gp.Graph.from_file(path, progress=True), "reading:"),
        (lambda: gp.Graph.from_edge_list_file(path, progress=True), "reading:"),
        (lambda: gp.convert(path, tmp_path / "out.gaspipe", progress=True), "writing:"),
        (lambda: gp.pagerank(graph, progress=True), "pagerank:"),
        (lambda: gp.bfs(graph, device="emulator", progress=True), "bfs:"),
        (lambda: gp.predict("bfs", gp.generate.chain(30), progress=np.True_), "bfs:"),
    ):
        capsys.readouterr()
        work()
        bar = capsys.readouterr().err
        assert shown in bar
        assert bar.rpartition("\r")[2].strip() == ""
    capsys.readouterr()
    assert all(on_ranks(2, lambda world: gp.bfs(world.read(path), progress=True).stats.converged))
    assert "super-steps" in capsys.readouterr().err  # of rank 0
    gp.pagerank(graph, progress=False)
    gp.Graph.from_file(path, progress=False)
    assert capsys.readouterr().err == ""


def test_a_function_is_told_of_all_bytes_then_all_edges(path, tmp_path):
    size, told = path.stat().st_size, []
    gp.Graph.from_file(path, progress=lambda *what: told.append(what))
    assert told[-1] == ("reading", size, size)
    gp.convert(path, tmp_path / "out.gaspipe", progress=lambda *what: told.append(what))
    assert told[-1] == ("writing", 20_000, 20_000)

    def stop(*what):
        raise KeyError(what)

    with pytest.raises(KeyError, match="reading"):
        gp.Graph.from_file(path, progress=stop)


def test_what_cannot_be_shown_is_refused(path, monkeypatch):
    for given in (1, "yes", [print]):
        with pytest.raises(gp.InputError, match=r"progress is .*; a bool or a function"):
            gp.Graph.from_file(path, progress=given)
        with pytest.raises(gp.InputError, match="progress must be callable"):
            gp.bfs(([0], [1]), progress=given)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    for work in (lambda: gp.Graph.from_file(path, progress=True), lambda: gp.bfs(([0], [1]), progress=True)):
        with pytest.raises(gp.InputError, match="tqdm, which is missing; pip install tqdm"):
            work()
