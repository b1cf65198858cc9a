# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: F811  (fixtures are imported by name)
"""Ranks of MPI jobs: answers as in one process and as SciPy's and NetworkX's, and what happens when ranks fail.

What the ranks do is in ranks.py. Ranks share this machine, whatever the number of its processors.
"""

import contextlib
import os
import pickle
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp
from mpi_jobs import finish, mpiexec, start
from spread_graphs import N, as_distances, components, distances, graphs, hops, ranks_of  # noqa: F401  (a fixture)

pytestmark = [pytest.mark.needs(tool) for tool in ("mpi4py", "mpi", "pyarrow")]

HERE = Path(__file__).parent


def run(size, scenario, folder, **more):
    code, output, errors = finish(start(size, HERE / "ranks.py", scenario, folder, **more))
    assert code == 0, output + errors
    return dict(np.load(folder / "answers.npz")) if (folder / "answers.npz").exists() else {}


@pytest.fixture(scope="module")
def answers_on(graphs):
    """What the scenario "answers" finds on so many ranks; each number of them runs once."""
    found = {}

    def on(size):
        if size not in found:
            found[size] = run(size, "answers", graphs[0])
        return found[size]

    return on


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_answers_are_those_of_others_and_of_one_process(size, graphs, answers_on):
    folder, integers, floats = graphs
    found = answers_on(size)
    whole = gp.Graph(integers)
    for strategy in ("balanced", "mix"):
        assert found[f"size {strategy}"].tolist() == [N, integers.nnz]
        np.testing.assert_array_equal(found[f"bfs {strategy}"], hops(integers, 3))
        np.testing.assert_array_equal(as_distances(found[f"sssp int {strategy}"]), distances(integers, 3))
        np.testing.assert_array_equal(found[f"wcc {strategy}"], components(integers))
        np.testing.assert_allclose(found[f"pagerank {strategy}"], ranks_of(integers, False), atol=1e-9)
        np.testing.assert_allclose(found[f"weighted {strategy}"], ranks_of(integers, True), atol=1e-9)
        fixed = gp.pagerank(whole, tol=0, max_iter=20, number="fixed").values
        np.testing.assert_array_equal(found[f"pagerank fixed {strategy}"], fixed)
        np.testing.assert_allclose(found[f"closeness {strategy}"], gp.closeness(whole, vertices=[1, 5, 7]).values)
        np.testing.assert_allclose(found[f"spmv {strategy}"], integers @ np.load(folder / "x.npy"), rtol=1e-12)
    np.testing.assert_allclose(found["sssp float"], distances(floats, 0), rtol=1e-12)
    assert found["size plain"].tolist() == [N + 3, integers.nnz]
    np.testing.assert_array_equal(found["bfs plain"][:N], hops(integers, 0))
    assert (found["bfs plain"][N:] == -1).all()
    expected = gp.article_rank(
        sp.csr_array((np.ones(integers.nnz), integers.nonzero()), (N + 3, N + 3)), tol=1e-10, max_iter=200
    )
    np.testing.assert_allclose(found["article_rank plain"], expected.values, atol=1e-9)
    both = integers + integers.T
    assert found["size undirected"].tolist() == [N, both.nnz]
    np.testing.assert_array_equal(found["bfs packed"], hops(both, 0))
    for way in ("saved", "parquet", "npz"):
        np.testing.assert_array_equal(as_distances(found[f"sssp {way}"]), distances(integers, 3))


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_generators_make_the_graphs_of_one_process(size, answers_on):
    found = answers_on(size)
    kronecker = gp.generate.kronecker(scale=6, edge_factor=4, seed=7, weights=(1, 9))
    assert found["size kronecker"].tolist() == [kronecker.num_vertices, kronecker.num_edges]
    np.testing.assert_array_equal(found["sssp kronecker"], gp.sssp(kronecker, root=1).values)
    uniform = gp.generate.uniform(50, 300, seed=3)
    assert found["size uniform"].tolist() == [50, 300]
    np.testing.assert_array_equal(found["bfs uniform"], gp.bfs(uniform).values)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_custom_algorithms_files_and_graphs_that_are_hardly_there(size, graphs, tmp_path):
    folder, integers, _ = graphs
    for name in ("int.txt", "bad.txt"):
        os.link(folder / name, tmp_path / name)
    found = run(size, "custom", tmp_path)
    widths = {3: np.inf}  # the widest path, by a search that takes the widest edge first
    graph = nx.from_scipy_sparse_array(integers, create_using=nx.DiGraph)
    changed = True
    while changed:
        changed = False
        for i, j, data in graph.edges(data=True):
            width = min(widths.get(i, 0), data["weight"])
            if width > widths.get(j, 0):
                widths[j], changed = width, True
    expected = [0xFFFFFFFF if v == 3 else widths.get(v, 0) for v in range(N)]
    np.testing.assert_array_equal(found["widest"], expected)
    from pyarrow import parquet

    for strategy in ("balanced", "mix"):
        written = np.load(tmp_path / f"{strategy}.npy")
        np.testing.assert_array_equal(written, hops(integers, 3))
        assert written.dtype == gp.bfs(gp.Graph(integers)).values.dtype
        parts = sorted((tmp_path / f"{strategy}.parquet").iterdir())
        assert [part.name for part in parts] == [f"part-{rank:05d}.parquet" for rank in range(size)]
        table = parquet.read_table(tmp_path / f"{strategy}.parquet")
        np.testing.assert_array_equal(table["vertex"], np.arange(N))
        np.testing.assert_array_equal(table["depth"], written)
    assert not list(tmp_path.glob(".gaspipe*"))
    np.testing.assert_array_equal(found["bfs none"], [0, -1, -1, -1])
    np.testing.assert_array_equal(found["wcc none"], [0, 1, 2, 3])
    np.testing.assert_allclose(found["pagerank none"], [0.25] * 4)
    np.testing.assert_array_equal(found["bfs two"], [1, 0])
    np.testing.assert_array_equal(found["bfs again"], [0, 1])


def test_long_messages_travel_in_pieces(graphs, tmp_path):
    folder, integers, _ = graphs
    os.link(folder / "int.txt", tmp_path / "int.txt")
    found = run(3, "pieces", tmp_path)
    np.testing.assert_array_equal(as_distances(found["sssp"]), distances(integers, 3))
    np.testing.assert_array_equal(found["wcc"], gp.wcc(gp.Graph(integers)).values)


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(gp.InputError, match=r"needs mpi4py.*pip install mpi4py"), gp.distributed.mpi():
        pass
    with pytest.raises(gp.InputError, match="no communicator 'pigeons'; known are dask, mpi"):
        gp.distributed.open_world("pigeons")
    with pytest.raises(gp.InputError, match="'mpi' already"):
        gp.distributed.register("mpi", gp.distributed.mpi)
    monkeypatch.undo()
    with pytest.raises(gp.InputError, match="timeout is 0"), gp.distributed.open_world("mpi", timeout=0):
        pass


def test_ranks_that_differ_say_in_what(graphs, tmp_path):
    folder = graphs[0]
    for name in ("int.txt", "float.csv"):
        os.link(folder / name, tmp_path / name)
    run(3, "mismatch", tmp_path)
    said = pickle.loads((tmp_path / "said.pickle").read_bytes())
    expected = [
        r"InputError: rank 1 of 3 and rank 0 differ in the argument root: 3 on rank 0 and 4 on rank 1",
        r"InputError: rank 1 of 3 and rank 0 differ in the algorithm: bfs on rank 0 and wcc on rank 1",
        r"InputError: .* option number: float64 on rank 0 and float32 on rank 1",
        r"InputError: .* hooks of the algorithm: not the same content",
        r"InputError: .* file's size: \d+ on rank 0 and \d+ on rank 1",
        r"InputError: .* strategy: hash on rank 0 and mix on rank 1",
        r"InputError: .* argument x: not the same content",
        r"RankError: rank 1 of 3 cannot go on: InputError: .*sources have",
    ]
    for rank, of_rank in enumerate(said):
        assert len(of_rank) == len(expected)
        for text, pattern in zip(of_rank, expected):
            if rank == 1 and pattern.startswith("RankError"):
                pattern = "InputError: sources have"
            assert re.match(pattern, text), f"rank {rank}: {text}"


def test_a_rank_that_raises_ends_the_others(tmp_path):
    begin = time.monotonic()
    code, _output, errors = finish(start(3, HERE / "ranks.py", "raises", tmp_path))
    assert code != 0
    assert time.monotonic() - begin < 20
    assert "ValueError: the third step of rank 1" in errors, errors
    for rank in (0, 2):
        said = (tmp_path / f"said{rank}").read_text()
        assert re.match(r"rank 1 of 3 \(process \d+ on .*\) has stopped: ValueError: the third step of rank 1", said)


def test_a_rank_that_leaves_ends_the_others(tmp_path):
    code, _output, _errors = finish(start(3, HERE / "ranks.py", "leaves", tmp_path))
    assert code != 0
    for rank in (0, 2):
        said = (tmp_path / f"said{rank}").read_text()
        assert re.match(r"rank 1 of 3 \(process .*\) has stopped: InputError: only here", said), said


def wait_for(*files):
    end = time.monotonic() + 40
    while not all(file.exists() for file in files):
        assert time.monotonic() < end
        time.sleep(0.05)


def lose(signal_number, tmp_path, limit, victim=1):
    """What the others say of a rank that gets a signal in the middle of its runs, and the errors of the job."""
    # MPICH's launcher ends a job at once where a process dies; without that the ranks' own words are seen.
    keeps = (
        ["-disable-auto-cleanup"]
        if "HYDRA" in subprocess.run(mpiexec("--version"), capture_output=True, text=True).stdout
        else []
    )
    job = start(3, HERE / "ranks.py", "lost", tmp_path, 4, launcher=keeps)
    try:
        pids = [tmp_path / f"pid{rank}" for rank in range(3)]
        wait_for(*pids, tmp_path / "runs")
        os.kill(int(pids[victim].read_text()), signal_number)
        begin = time.monotonic()
        others = [int(pids[rank].read_text()) for rank in range(3) if rank != victim]
        while any(is_alive(pid) for pid in others):
            assert time.monotonic() - begin < limit
            time.sleep(0.05)
    finally:
        for file in pids:
            if file.exists():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(file.read_text()), signal.SIGKILL)
    code, _output, errors = finish(job)
    assert code != 0
    said = [re.search(rf"^gaspipe: rank {rank} of 3 ends: (.*)$", errors, re.M) for rank in range(3) if rank != victim]
    return [found[1] for found in said if found], errors


def is_alive(pid):
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@pytest.mark.parametrize("victim", [0, 1])
def test_a_rank_that_is_killed_is_named(victim, tmp_path):
    # A launcher may end the others before these have a word: three jobs, for that is rare. test_watch.py has ranks
    # without a launcher.
    for attempt in range(3):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        said, errors = lose(signal.SIGKILL, folder, 10, victim)
        if "gaspipe:" in errors:
            break
    assert re.search(rf"^gaspipe: .*rank {victim} of 3 \(process \d+ on .*\) has died", errors, re.M), errors
    for text in said:
        assert re.match(rf"rank {victim} of 3 \(process \d+ on .*\) has died", text), text


def test_a_rank_that_hangs_is_named(tmp_path):
    said, errors = lose(signal.SIGSTOP, tmp_path, 10)
    assert said, errors
    for text in said:
        assert re.match(r"rank 1 of 3 \(process \d+ on .*\) has given no sign of life for \d+ s", text), text


def test_ctrl_c_on_one_rank_ends_all(tmp_path):
    # The others may end first, and the launcher ends this one before it has a word: three jobs, for that is rare.
    for attempt in range(3):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        said, errors = lose(signal.SIGINT, folder, 10)
        for text in said:
            assert re.match(r"rank 1 of 3 \(process .*\) has stopped: KeyboardInterrupt", text), text
        if "rank 1 of 3 was interrupted" in errors:
            return
    raise AssertionError(errors)


def command(size, *arguments, code=0):
    found, output, errors = finish(start(size, "-m", "gaspipe", *arguments))
    assert found == code, output + errors
    assert "Traceback" not in errors
    return output, errors


def test_the_command_line_runs_on_ranks(graphs, tmp_path):
    folder, integers, _ = graphs
    files = ("--out", tmp_path / "depth.npy", "--report", tmp_path / "run.html")
    output, _ = command(2, "bfs", folder / "int.txt", "--root", "3", *files)
    assert output.count("bfs from root 3") == 1
    assert f"{N} vertices, {integers.nnz} edges" in output
    assert "on 2 ranks" in output
    np.testing.assert_array_equal(np.load(tmp_path / "depth.npy"), hops(integers, 3))
    assert output.count("run.html: a report to open in a browser") == 1
    assert "1 (cpu)</th>" in (tmp_path / "run.html").read_text(encoding="utf-8")  # a row for every rank
    output, _ = command(3, "sssp", folder / "int.txt", "--root", "3", "--out", "-")
    np.testing.assert_array_equal(as_distances(np.array(output.split(), float)), distances(integers, 3))


def test_the_command_line_says_once_what_is_wrong(graphs, tmp_path):
    folder = graphs[0]
    _, errors = command(2, "bfs", folder / "bad.txt", code=3)
    assert errors.count("Error:") == 1
    assert "seven" in errors
    _, errors = command(2, "triangles", folder / "int.txt", code=2)
    assert errors.count("one process") == 1
    _, errors = command(2, "bfs", tmp_path / "absent.txt", code=3)
    assert errors.count("No such file") == 1
