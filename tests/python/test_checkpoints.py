# SPDX-License-Identifier: Apache-2.0
"""Checkpoints: runs that go on elsewhere, to the answer of a run that never stopped."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import gaspipe as gp
from command import environment, gaspipe
from mpi_jobs import finish, start
from streams import AMPLE

N = 600


@pytest.fixture(scope="module")
def roads():
    """Many super-steps for every search: a ring with some chords, and weights."""
    rng = np.random.default_rng(5)
    ring = np.arange(N)
    sources = np.concatenate([ring, rng.integers(0, N, 40)])
    targets = np.concatenate([(ring + 1) % N, rng.integers(0, N, 40)])
    weights = rng.integers(1, 9, sources.size).astype(np.float32)
    return sp.csr_matrix((weights, (sources, targets)), shape=(N, N))


class Stop(Exception):
    """Ends a run."""


def stop_after(steps):
    def progress(step, *_):
        if step + 1 >= steps:
            raise Stop

    return progress


CALLS = {
    "bfs": ("bfs", {"root": 3}),
    "sssp": ("sssp", {"root": 3}),
    "wcc": ("wcc", {"method": "gas"}),
    "pagerank": ("pagerank", {"number": "float64", "tol": 0, "max_iter": 90}),
    "pagerank, fixed": ("pagerank", {"number": "fixed", "tol": 0, "max_iter": 60}),
    "weighted": ("pagerank", {"weights": True, "number": "float64", "tol": 0, "max_iter": 60}),
    "article rank": ("article_rank", {"number": "float64", "tol": 0, "max_iter": 60}),
    "closeness": ("closeness", {"vertices": list(range(256))}),  # in passes
}


def answer_of_others(name, graph):
    """Independent answers, where there are some."""
    if name == "bfs":
        levels = nx.single_source_shortest_path_length(nx.from_scipy_sparse_array(graph, create_using=nx.DiGraph), 3)
        return np.array([levels.get(v, -1) for v in range(N)])
    if name == "sssp":
        return csgraph.dijkstra(graph, indices=3)
    return None


@pytest.mark.parametrize("there", [{}, {"domains": 3}, {"domains": 4, "num_threads": 4}], ids=["whole", "3", "4"])
@pytest.mark.parametrize("here", [{}, {"domains": 2}, {"domains": 3}], ids=["whole", "2", "3"])
@pytest.mark.parametrize("name", CALLS)
def test_a_run_goes_on_in_any_number_of_domains(name, here, there, roads, tmp_path):
    function, arguments = CALLS[name]
    g = gp.Graph(roads)
    run = getattr(gp, function)
    whole = run(g, **arguments, **there)
    with pytest.raises(Stop):
        run(
            g,
            **arguments,
            **here,
            checkpoint=tmp_path / "kept",
            every=7,
            progress=stop_after(400 if name == "closeness" else 30),
        )
    assert [each.name for each in (tmp_path / "kept").iterdir()] == [f"superstep-{28:012}"] or name == "closeness"
    again = run(g, **arguments, **there, resume=tmp_path / "kept")
    assert again.stats.resumed_at >= 7
    if again.values.dtype.kind in "iu" or here == there:
        assert again.values.tobytes() == whole.values.tobytes()
    else:
        np.testing.assert_allclose(again.values, whole.values, rtol=1e-6)
    if (other := answer_of_others(name, roads)) is not None:
        np.testing.assert_allclose(again.values, other, rtol=1e-5)
    if name not in ("closeness", "sssp"):  # buckets begin anew, with all vertices that have a distance
        assert again.stats.resumed_at + again.stats.num_supersteps == whole.stats.num_supersteps


@pytest.mark.parametrize("devices", [["emulator", "cpu"], ["emulator", "emulator"], "emulator"], ids=str)
def test_devices_go_on_where_the_cpu_was_and_the_other_way(devices, roads, tmp_path):
    g = gp.Graph(roads)
    whole = gp.bfs(g, root=3)
    for here, there in ((devices, "cpu"), ("cpu", devices)):
        folder = tmp_path / str(here)
        with pytest.raises(Stop):
            gp.bfs(g, root=3, device=here, checkpoint=folder, every=10, progress=stop_after(25))
        again = gp.bfs(g, root=3, device=there, resume=folder)
        assert (again.stats.resumed_at, again.depth.tolist()) == (20, whole.depth.tolist())


def test_own_hooks_go_on(roads, tmp_path):
    widest = gp.Algorithm(
        "widest_path_that_goes_on", scatter="min(src, edge)", gather="max(a, b)", apply="max(acc, old)",
        initial="v == root ? 0xffffffff : 0", parameters={"root": 0}, field="width",
    )  # fmt: skip
    g = gp.Graph(roads.astype(np.int64))
    whole = widest(g, root=3)
    with pytest.raises(Stop):
        widest(g, root=3, checkpoint=tmp_path, every=5, progress=stop_after(12))
    for options in ({}, {"domains": 3}, {"device": "emulator"}):
        again = widest(g, root=3, resume=tmp_path, **options)
        assert (again.stats.resumed_at, again.width.tolist()) == (10, whole.width.tolist())


def test_a_graph_on_disk_goes_on(roads, tmp_path):
    gp.Graph(roads).save(tmp_path / "whole.gaspipe")
    gp.convert(tmp_path / "whole.gaspipe", tmp_path / "roads.gaspipe", memory=AMPLE)
    g = gp.Graph.load(tmp_path / "roads.gaspipe", memory=AMPLE)
    with pytest.raises(Stop):
        gp.sssp(g, root=3, checkpoint=tmp_path / "kept", every=10, progress=stop_after(15))
    again = gp.sssp(g, root=3, resume=tmp_path / "kept")
    assert again.stats.resumed_at == 10
    np.testing.assert_allclose(again.distance, csgraph.dijkstra(roads, indices=3), rtol=1e-5)


def test_limits_may_be_other_ones(roads, tmp_path):
    few, many = ({"number": "float64", "tol": 0, "max_iter": n} for n in (20, 35))
    gp.pagerank(roads, **few, checkpoint=tmp_path, every=10)
    again = gp.pagerank(roads, **many, resume=tmp_path)
    assert (again.stats.resumed_at, again.stats.num_supersteps) == (10, 25)
    assert again.values.tobytes() == gp.pagerank(roads, **many).values.tobytes()
    assert again.stats.phases["checkpoint"] == 0


def test_checkpoints_of_a_run_that_goes_on_count_from_its_beginning(roads, tmp_path):
    for stop in (12, 23, 34):
        with pytest.raises(Stop):
            gp.bfs(roads, root=3, checkpoint=tmp_path, every=10, progress=stop_after(11),
                   **({"resume": tmp_path} if stop > 12 else {}))  # fmt: skip
        assert [each.name for each in tmp_path.iterdir()] == [f"superstep-{stop // 10 * 10:012}"]
    assert (gp.bfs(roads, root=3, resume=tmp_path).depth == gp.bfs(roads, root=3).depth).all()


@pytest.mark.parametrize("option", ["checkpoint", "resume"])
@pytest.mark.parametrize("folder", [3, True, ["kept"], "", b"", "a\0b", "a\ud800"])
def test_what_names_no_folder_is_refused(roads, tmp_path, monkeypatch, option, folder):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(gp.InputError) as raised:
        gp.bfs(roads, root=3, **{option: folder})
    assert str(raised.value) == f"{option} is {folder!r}; the path of a folder is needed"
    assert not list(tmp_path.iterdir())


def test_what_is_wrong_is_said(roads, tmp_path):
    kept = tmp_path / "kept"
    with pytest.raises(Stop):
        gp.bfs(roads, root=3, checkpoint=kept, every=4, progress=stop_after(9))
    part = kept / f"superstep-{8:012}" / "part-0-of-1"
    with pytest.raises(gp.InputError, match="every is 3, of checkpoints; give checkpoint="):
        gp.bfs(roads, root=3, every=3)
    with pytest.raises(gp.InputError, match="every is 0"):
        gp.bfs(roads, root=3, checkpoint=kept, every=0)
    with pytest.raises(FileNotFoundError, match="reading a checkpoint"):
        gp.bfs(roads, root=3, resume=tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(gp.InputError, match="there is no checkpoint in"):
        gp.bfs(roads, root=3, resume=tmp_path / "empty")
    with pytest.raises(gp.InputError, match="algorithm is bfs; this one's is wcc"):
        gp.wcc(roads, resume=kept)
    with pytest.raises(gp.InputError, match="a run with other arguments"):
        gp.bfs(roads, root=4, resume=kept)
    with pytest.raises(gp.InputError, match="number of edges is"):
        gp.bfs(sp.eye(N, format="csr"), root=3, resume=kept)
    moved = roads.tocoo()
    rows = (moved.row + 1) % N
    with pytest.raises(gp.InputError, match="another graph"):
        gp.bfs(sp.csr_matrix((moved.data, (np.sort(rows)[::-1], moved.col)), shape=(N, N)), root=3, resume=kept)
    with pytest.raises(gp.InputError, match='method="local_store" cannot go on'):
        gp.bfs(roads, root=3, method="local_store", resume=kept)
    with pytest.raises(OSError, match="writing a checkpoint"):
        gp.bfs(roads, root=3, checkpoint=part)
    whole = part.read_bytes()
    for what, data in {
        "is damaged": whole[:-1],
        "head is not": whole[:20] + b"x" + whole[21:],
        "damaged": whole[:500] + bytes([whole[500] ^ 1]) + whole[501:],
        "no checkpoint of gaspipe": b"something else",
        "is no checkpoint": b"",
        "of format 9": whole[:8] + b"\x09" + whole[9:],
    }.items():
        part.write_bytes(data)
        with pytest.raises(gp.InputError, match=what):
            gp.bfs(roads, root=3, resume=kept)
    part.unlink()
    with pytest.raises(gp.InputError, match="has no first part"):
        gp.bfs(roads, root=3, resume=kept)


def test_other_edges_or_weights_are_another_graph(roads, tmp_path):
    heavier, moved = roads.copy(), roads.copy()
    heavier.data[3] += 1
    row = moved.indices[moved.indptr[3] : moved.indptr[4]]
    row[:] = [v for v in range(7, N) if v not in row][: len(row)]
    without = roads.astype(bool)
    sources, targets, weights = (each[::-1] for each in sp.find(roads))
    in_another_order = gp.Graph((sources, targets, weights), num_vertices=N)
    assert not np.array_equal(in_another_order.indices, gp.Graph(roads).indices)
    for stop, how in ((9, {}), (19, {"domains": 3})):
        with pytest.raises(Stop):
            gp.sssp(roads, root=3, number="float32", checkpoint=tmp_path, every=4, progress=stop_after(stop), **how)
        for other in (heavier, moved, without):
            for options in ({}, {"domains": 2}):
                with pytest.raises(gp.InputError, match=r"another graph, .* with the same edges and weights"):
                    gp.sssp(other, root=3, number="float32", resume=tmp_path, **options)
        wanted = gp.sssp(roads, root=3, number="float32").distance
        for same in (roads, in_another_order):
            assert (gp.sssp(same, root=3, number="float32", resume=tmp_path).distance == wanted).all()


def test_weights_that_are_not_read_may_differ(roads, tmp_path):
    with pytest.raises(Stop):
        gp.bfs(roads, root=3, checkpoint=tmp_path, every=4, progress=stop_after(9))
    assert (gp.bfs(roads.astype(bool), root=3, resume=tmp_path).depth == gp.bfs(roads, root=3).depth).all()


def test_a_run_that_is_as_long_as_max_iter_does_not_go_on(roads, tmp_path):
    gp.pagerank(roads, tol=0, max_iter=10, checkpoint=tmp_path, every=1)
    for most in (3, 9):
        with pytest.raises(gp.InputError, match=f"taken 9 super-steps; max_iter is {most}, and must be more"):
            gp.pagerank(roads, tol=0, max_iter=most, resume=tmp_path)
    assert gp.pagerank(roads, tol=0, max_iter=10, resume=tmp_path).stats.num_supersteps == 1


def test_another_number_format_is_refused(roads, tmp_path):
    gp.pagerank(roads, number="float32", tol=0, max_iter=9, checkpoint=tmp_path, every=4)
    with pytest.raises(gp.InputError, match='has number="float32"; here it would be float64; give number='):
        gp.pagerank(roads, number="float64", tol=0, max_iter=9, resume=tmp_path)


def test_a_part_of_another_checkpoint_is_refused(roads, tmp_path):
    for folder, steps in ((tmp_path / "a", 5), (tmp_path / "b", 7)):
        with pytest.raises(Stop):
            gp.bfs(roads, root=3, domains=2, checkpoint=folder, every=steps, progress=stop_after(9))
    name = "part-1-of-2"
    (tmp_path / "a" / f"superstep-{5:012}" / name).write_bytes(
        (tmp_path / "b" / f"superstep-{7:012}" / name).read_bytes()
    )
    with pytest.raises(gp.InputError, match="part-1-of-2 is damaged"):
        gp.bfs(roads, root=3, resume=tmp_path / "a")


def test_a_run_that_is_killed_leaves_the_last_checkpoint(roads, tmp_path):
    sp.save_npz(tmp_path / "roads.npz", roads)
    kept = tmp_path / "kept"
    code = (
        "import sys, time, gaspipe as gp, scipy.sparse as sp\n"
        f"g = sp.load_npz({str(tmp_path / 'roads.npz')!r})\n"
        f"gp.pagerank(g, tol=0, max_iter=10**9, number='float64', domains=2, checkpoint={str(kept)!r}, every=1)\n"
    )
    job = subprocess.Popen([sys.executable, "-c", code], env=environment())
    end = time.monotonic() + 60
    while not any(each.name > f"superstep-{20:012}" for each in kept.glob("superstep-*")):
        assert time.monotonic() < end and job.poll() is None
        time.sleep(0.01)
    job.send_signal(signal.SIGKILL)
    job.wait()
    names = [each.name for each in kept.glob("superstep-*")]
    assert 1 <= len(names) <= 2  # that before is removed after
    again = gp.pagerank(roads, tol=0, max_iter=2000, number="float64", resume=kept, checkpoint=kept, every=10**6)
    assert again.stats.resumed_at == max(int(name.split("-")[1]) for name in names)
    np.testing.assert_allclose(
        again.values, gp.pagerank(roads, tol=1e-12, max_iter=2000, number="float64").values, rtol=1e-9
    )
    assert not list(kept.glob(".*"))  # what the killed run has left


def test_a_folder_that_fills_up_leaves_nothing_half_written(roads, tmp_path):
    code = (
        "import resource, signal, sys, gaspipe as gp, scipy.sparse as sp\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"g = gp.Graph(sp.load_npz({str(tmp_path / 'roads.npz')!r}))\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (900, 900))\n"
        f"gp.bfs(g, root=3, domains=2, checkpoint={str(tmp_path / 'kept')!r}, every=2)\n"
    )
    sp.save_npz(tmp_path / "roads.npz", roads)
    run = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, timeout=60)
    assert "OSError: [Errno 27] File too large (writing a checkpoint)" in run.stderr, run.stderr
    assert list((tmp_path / "kept").iterdir()) == []


def test_the_command_line_keeps_and_goes_on(roads, tmp_path):
    gp.Graph(roads).save(tmp_path / "roads.gaspipe")
    file, kept = str(tmp_path / "roads.gaspipe"), str(tmp_path / "kept")
    gaspipe("bfs", file, "--root", "3", "--checkpoint", kept, "--every", "50", "--out", str(tmp_path / "a.npy"))
    assert len(list(Path(kept).iterdir())) == 1
    gaspipe("bfs", file, "--root", "3", "--resume", kept, "--out", str(tmp_path / "b.npy"))
    assert (np.load(tmp_path / "a.npy") == np.load(tmp_path / "b.npy")).all()


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.needs("mpi4py")
@pytest.mark.needs("mpi")
def test_ranks_go_on_where_others_were_killed(size, roads, tmp_path):
    gp.Graph(roads).save(tmp_path / "roads.gaspipe")
    kept = tmp_path / "kept"
    line = ["-m", "gaspipe", "pagerank", tmp_path / "roads.gaspipe", "--number", "float64", "--tol", "0"]
    job = start(3, *line, "--max-iter", 10**9, "--checkpoint", kept, "--every", "5")
    end = time.monotonic() + 60
    while not list(kept.glob("superstep-*")):
        assert time.monotonic() < end and job.poll() is None
        time.sleep(0.01)
    os.killpg(job.pid, signal.SIGKILL)
    code, _, _ = finish(job)
    assert code != 0
    line += ["--max-iter", 3000, "--resume", kept, "--out", tmp_path / "rank.npy", "--json"]
    code, output, errors = finish(start(size, *line))
    assert code == 0, errors
    assert json.loads(output)["stats"]["resumed_at"] % 5 == 0
    whole = gp.pagerank(roads, number="float64", tol=1e-13, max_iter=3000)
    np.testing.assert_allclose(np.load(tmp_path / "rank.npy"), whole.values, rtol=1e-9)


@pytest.mark.needs("mpi4py")
@pytest.mark.needs("mpi")
def test_ranks_without_a_checkpoint_say_so_once(roads, tmp_path):
    gp.Graph(roads).save(tmp_path / "roads.gaspipe")
    line = ["-m", "gaspipe", "bfs", tmp_path / "roads.gaspipe", "--resume", tmp_path]
    code, _, errors = finish(start(3, *line))
    assert code != 0
    assert errors.count("there is no checkpoint in") == 1, errors
