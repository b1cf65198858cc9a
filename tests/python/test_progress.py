# SPDX-License-Identifier: Apache-2.0
"""`progress=`, a function or True for a bar, wherever something may take long."""

import gzip
import sys
import threading

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
        (lambda: graph.save(tmp_path / "out.gaspipe", progress=True), "saving:"),
        (lambda: gp.Graph.load(tmp_path / "out.gaspipe", progress=True), "reading:"),
        (lambda: graph.to_file(tmp_path / "out.txt", progress=True), "saving:"),
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


@pytest.mark.parametrize("name", ["out.gaspipe", "out.txt", "out.mtx", "out.gr", "out.npz", "out.txt.gz"])
def test_writers_tell_of_all_bytes_and_leave_nothing_when_they_are_stopped(tmp_path, name):
    graph, path, told = gp.generate.kronecker(14, weights=(1, 9)), tmp_path / name, []
    graph.to_file(path, progress=lambda *what: told.append(what))
    done = [bytes_done for _, bytes_done, _ in told]
    assert {(phase, total) for phase, _, total in told} == {("saving", None)} and done == sorted(done)
    written = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
    assert done[-1] == len(written)
    path.unlink()

    def stop(*what):
        raise KeyError(what)

    with pytest.raises(KeyError, match="saving"):
        graph.to_file(path, progress=stop)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("blocks", [False, True])
def test_save_and_load_tell_of_all_of_a_file(tmp_path, blocks):
    graph, path, told = gp.generate.kronecker(15, weights=(1, 9)), tmp_path / "out.gaspipe", []
    graph.save(path, blocks=blocks, progress=lambda *what: told.append(what))
    size = path.stat().st_size
    assert told[-1] == (("writing", graph.num_edges, graph.num_edges) if blocks else ("saving", size, size))
    for options in ({}, {"mmap": False}, {"num_threads": 1}):
        told.clear()
        again = gp.Graph.load(path, **options, progress=lambda *what: told.append(what))
        assert (again.indices == graph.indices).all()
        done = [bytes_done for _, bytes_done, _ in told]
        assert done == sorted(done) and told[-1] == ("reading", size, size)

    def stop(*what):
        raise KeyError(what)

    with pytest.raises(KeyError):
        gp.Graph.load(path, progress=stop)
    with pytest.raises(KeyError):
        graph.save(tmp_path / "other.gaspipe", blocks=blocks, progress=stop)
    assert list(tmp_path.iterdir()) == [path]


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


def test_an_error_of_the_function_is_not_taken_for_an_end(tmp_path):
    path = tmp_path / "out.gaspipe"
    gp.generate.kronecker(16).save(path)
    with pytest.raises(IndexError):
        gp.Graph.load(path, num_threads=1, progress=lambda *what: [].pop())


def test_ranks_tell_of_a_saved_graph(tmp_path):
    path = tmp_path / "out.gaspipe"
    gp.generate.kronecker(12).save(path)

    def load(world):
        told = []
        world.load(path, progress=lambda *what: told.append(what))
        return told[-1]

    size = path.stat().st_size // 2
    assert all(phase == "reading" and 0 < done <= total == size for phase, done, total in on_ranks(2, load))


def test_ranks_tell_of_the_bytes_that_they_read(path):
    size = path.stat().st_size

    def read(world, as_text):
        told = []
        file = path if as_text else zipped
        graph = world.read(file, progress=lambda *what: told.append(what))
        return told, graph.num_edges

    zipped = path.with_suffix(".txt.gz")
    with gzip.open(zipped, "wb") as file:
        file.write(path.read_bytes())
    for told, _ in on_ranks(2, lambda world: read(world, True)):
        assert told
        assert all(what == "reading" and done <= total for what, done, total in told)
        assert abs(told[-1][1] - size / 2) < 100  # cut at a line
    first, second = (told for told, _ in on_ranks(2, lambda world: read(world, False)))
    assert first[-1] == ("reading", zipped.stat().st_size, zipped.stat().st_size)
    assert second == []  # rank 0 reads a compressed file for all


# Calls without super-steps: each names its phases. The last is what takes long, and how much of it there is.
GRAPH = gp.generate.kronecker(8, 8, seed=3)
PHASES = {
    "betweenness": ("searches", GRAPH.num_vertices),
    "clustering": ("vertices", GRAPH.num_vertices),
    "coloring": ("vertices", GRAPH.num_vertices),
    "common_neighbors": ("vertices", GRAPH.num_vertices),
    "conductance": ("vertices", GRAPH.num_vertices),
    "core_numbers": ("vertices", GRAPH.num_vertices),
    "diameter": ("searches", None),
    "ego": ("hops", 1),
    "eigenvector": ("steps", 100),
    "hits": ("steps", 100),
    "jaccard": ("vertices", GRAPH.num_vertices),
    "k_truss": ("edges", GRAPH.num_edges // 2),
    "katz": ("steps", 1000),
    "khop": ("hops", 2),
    "label_propagation": ("steps", 10),
    "louvain": ("rounds", None),
    "maximal_independent_set": ("vertices", GRAPH.num_vertices),
    "minimum_spanning_forest": ("vertices", GRAPH.num_vertices),
    "multi_source": ("searches", GRAPH.num_vertices),
    "random_walks": ("walks", GRAPH.num_vertices),
    "triangles": ("vertices", GRAPH.num_vertices),
    "vertex_cover": ("edges", GRAPH.num_edges),
}
ARGUMENTS = {"ego": {"root": 1}, "conductance": {"members": [1]}, "katz": {"alpha": 1e-3}}


@pytest.mark.parametrize("name", gp.cpu_algorithms)
@pytest.mark.parametrize("threads", [1, 2])
def test_phases_of_algorithms_of_the_cpu(name, threads):
    graph, told = GRAPH, []
    if name == "scc":  # of a symmetric graph it is another algorithm
        graph = gp.generate.uniform(300, 1000, seed=2)
    arguments = ARGUMENTS.get(name, {})
    call = getattr(gp, name)
    result = call(graph, **arguments, num_threads=threads, progress=lambda *what: told.append(what))
    plain = call(graph, **arguments, num_threads=threads)
    assert np.array_equal(result.values, plain.values)
    assert told[0] == ("preparing", 0, None)
    phase, total = PHASES.get(name, ("vertices", graph.num_vertices))
    assert (told[-1][0], told[-1][2]) == (phase, total)
    done = [what[1] for what in told if what[0] == phase]
    assert done == sorted(done)
    if total is not None and phase not in ("steps", "hops"):  # those may end before
        assert done[-1] == total
    else:
        assert done[-1] >= 1


@pytest.mark.parametrize(
    ("make", "edges"),
    [
        (lambda **how: gp.generate.kronecker(6, 4, symmetric=False, **how), 4 << 6),
        (lambda **how: gp.generate.rmat(6, 4, **how), 4 << 6),
        (lambda **how: gp.generate.uniform(50, 200, **how), 200),
        (lambda **how: gp.generate.grid(5, 7, **how), 2 * (4 * 7 + 5 * 6)),
        (lambda **how: gp.generate.star(9, **how), 16),
        (lambda **how: gp.generate.chain(9, **how), 16),
        (lambda **how: gp.generate.complete(9, **how), 72),
        (lambda **how: gp.generate.acyclic(9, **how), 36),
    ],
)
def test_phases_of_generators(make, edges):
    told = []
    graph = make(progress=lambda *what: told.append(what), weights=(1, 5))
    assert ("edges", edges, edges) in told
    assert told[-1] == ("weights", told[-1][2], told[-1][2])
    assert (graph.to_scipy() != make(weights=(1, 5)).to_scipy()).nnz == 0


def test_a_call_reports_while_it_goes_on_and_stops_where_that_raises():
    graph, told, callers = gp.generate.kronecker(13), [], set()

    def stop(*what):
        told.append(what)
        callers.add(threading.get_ident())
        if what[0] == "searches" and what[1] > 0:
            raise KeyError(what)

    with pytest.raises(KeyError, match="searches"):
        gp.betweenness(graph, progress=stop)  # takes many seconds
    assert callers == {threading.get_ident()}
    assert 0 < told[-1][1] < told[-1][2] == graph.num_vertices
    with pytest.raises(gp.InputError, match=r"progress is 1; a bool or a function"):
        gp.triangles(graph, progress=1)
    assert gp.triangles(graph, progress=False).total == gp.triangles(graph).total


@pytest.mark.needs("tqdm")
def test_true_shows_a_bar_of_each_phase(monkeypatch, capsys):
    monkeypatch.setattr(_progress, "DELAY", 0)
    gp.triangles(GRAPH, progress=True)
    shown = capsys.readouterr().err
    assert "triangles:" in shown
    assert "preparing" in shown
    assert "vertices" in shown
    assert shown.rpartition("\r")[2].strip() == ""
    gp.generate.kronecker(4, progress=True)
    assert "kronecker:" in capsys.readouterr().err
