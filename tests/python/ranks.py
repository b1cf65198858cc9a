# SPDX-License-Identifier: Apache-2.0
"""What ranks do in the tests of gaspipe.distributed: `mpiexec -n 3 python ranks.py SCENARIO FOLDER`.

Rank 0 writes what it has gathered to FOLDER/answers.npz; test_distributed.py compares.
"""

import fcntl
import json
import os
import pickle
import signal
import sys
import warnings

import numpy as np

import gaspipe as gp
import gaspipe.distributed._mpi
from gaspipe._card import driver
from gaspipe._card.lock import lock_path

WIDEST = dict(
    prop="uint32",
    scatter="min(src, edge)",
    gather="max(a, b)",
    initial="v == root ? 0xffffffff : 0",
    parameters={"root": 0},
)


def graph_files(folder):
    return {name: os.path.join(folder, name) for name in ("int.txt", "float.csv", "plain.txt", "packed.txt.gz")}


def answers(world, folder):
    """Every algorithm, on graphs read in every way."""
    found = {}

    def keep(name, result):
        whole = result.gather(root=0)
        assert (whole is None) == (world.rank != 0)
        if whole is not None:
            found[name] = whole.values
        assert len(result.values) == len(result.ids) == graph.num_own
        domains = result.stats.domains
        assert [domain.rank for domain in domains] == list(range(world.size))
        assert sum(domain.num_vertices for domain in domains) == graph.num_vertices
        assert all(len(domain.supersteps) == result.stats.num_supersteps for domain in domains)
        assert sum(d.bytes_sent for d in domains) == sum(d.bytes_received for d in domains)

    files = graph_files(folder)
    x = np.load(os.path.join(folder, "x.npy"))
    for strategy in ("balanced", "mix"):
        graph = world.read(files["int.txt"], strategy=strategy)
        found[f"size {strategy}"] = np.array([graph.num_vertices, graph.num_edges])
        keep(f"bfs {strategy}", gp.bfs(graph, root=3))
        keep(f"sssp int {strategy}", gp.sssp(graph, root=3))
        keep(f"wcc {strategy}", gp.wcc(graph))
        keep(f"pagerank {strategy}", gp.pagerank(graph, tol=1e-10, max_iter=200))
        keep(f"pagerank fixed {strategy}", gp.pagerank(graph, tol=0, max_iter=20, number="fixed"))
        keep(f"weighted {strategy}", gp.pagerank(graph, weights=True, tol=1e-10, max_iter=200))
        keep(f"closeness {strategy}", gp.closeness(graph, vertices=[1, 5, 7]))
        keep(f"spmv {strategy}", gp.spmv(graph, x))
    graph = world.read(files["float.csv"])
    keep("sssp float", gp.sssp(graph, root=0))
    graph = world.read(files["plain.txt"])  # without weights, with a header
    found["size plain"] = np.array([graph.num_vertices, graph.num_edges])
    keep("bfs plain", gp.bfs(graph))
    keep("article_rank plain", gp.article_rank(graph, tol=1e-10, max_iter=200))
    graph = world.read(files["packed.txt.gz"], undirected=True)
    found["size undirected"] = np.array([graph.num_vertices, graph.num_edges])
    keep("bfs packed", gp.bfs(graph))
    graph = world.load(os.path.join(folder, "saved.gaspipe"), strategy="hash")
    keep("sssp saved", gp.sssp(graph, root=3))
    graph = world.read(os.path.join(folder, "rows.parquet"))
    keep("sssp parquet", gp.sssp(graph, root=3))
    graph = world.read(os.path.join(folder, "matrix.npz"))
    keep("sssp npz", gp.sssp(graph, root=3))
    graph = world.generate.kronecker(scale=6, edge_factor=4, seed=7, weights=(1, 9))
    found["size kronecker"] = np.array([graph.num_vertices, graph.num_edges])
    keep("sssp kronecker", gp.sssp(graph, root=1))
    graph = world.generate.uniform(50, 300, seed=3)
    found["size uniform"] = np.array([graph.num_vertices, graph.num_edges])
    keep("bfs uniform", gp.bfs(graph))
    if world.rank == 0:
        np.savez(os.path.join(folder, "answers.npz"), **found)


def custom(world, folder):
    """A custom algorithm, answers to files, and graphs that are hardly there."""
    found = {}
    graph = world.read(graph_files(folder)["int.txt"])
    result = gp.Algorithm("widest", **WIDEST)(graph, root=3)
    everywhere = result.gather()
    assert (everywhere.values[result.ids] == result.values).all()
    found["widest"] = everywhere.values
    for strategy in ("balanced", "mix"):
        graph = world.read(graph_files(folder)["int.txt"], strategy=strategy)
        result = gp.bfs(graph, root=3)
        result.to_npy(os.path.join(folder, f"{strategy}.npy"))
        result.to_parquet(os.path.join(folder, f"{strategy}.parquet"))
    # More ranks than vertices, and no edges.
    none = np.zeros(0, np.int64)
    graph = world.edges(none, none, num_vertices=4)
    found["bfs none"] = gp.bfs(graph).gather().values
    found["wcc none"] = gp.wcc(graph).gather().values
    found["pagerank none"] = gp.pagerank(graph).gather().values
    ends = ([0, 1], [1, 0]) if world.rank == world.size - 1 else (none, none)
    graph = world.edges(*ends)
    found["bfs two"] = gp.bfs(graph, root=1).gather().values
    # Errors that all ranks have leave the world as it was.
    for call in (
        lambda: gp.bfs(graph, root=2),
        lambda: gp.bfs(graph, root=world.rank % 2) if world.size > 1 else gp.bfs(graph, root=-1),
        lambda: gp.triangles(graph),
        lambda: graph.symmetrize(),
        lambda: gp.bfs(graph, domains=2),
        lambda: gp.bfs(graph, device="fpga", fallback=False),
        lambda: world.read(os.path.join(folder, "bad.txt")),
        lambda: world.read(os.path.join(folder, "absent.txt")),
        lambda: world.edges([0], [1], strategy="nearest"),
        lambda: world.edges([0], [-1]),
    ):
        try:
            call()
        except (gp.Error, OSError):
            pass
        else:
            raise AssertionError("no error")
    found["bfs again"] = gp.bfs(graph, root=0).gather().values
    if world.rank == 0:
        np.savez(os.path.join(folder, "answers.npz"), **found)


def pieces(world, folder):
    """Boxes and words that are longer than one message may be."""
    gp.distributed._mpi._PIECE = 100
    graph = world.read(graph_files(folder)["int.txt"])
    found = {"sssp": gp.sssp(graph, root=3).gather(root=0), "wcc": gp.wcc(graph).gather(root=0)}
    longest = max(len(text) for text in world.gather(b"x" * 1000 * (world.rank + 1)))
    assert longest == 1000 * world.size
    if world.rank == 0:
        np.savez(os.path.join(folder, "answers.npz"), **{name: result.values for name, result in found.items()})


def mismatch(world, folder):
    """Ranks that do not mean the same: what they say is written for the test."""
    said = []
    graph = world.read(graph_files(folder)["int.txt"])
    odd = world.rank == 1
    calls = [
        lambda: gp.bfs(graph, root=4 if odd else 3),
        lambda: gp.wcc(graph) if odd else gp.bfs(graph),
        lambda: gp.pagerank(graph, number="float32" if odd else "float64"),
        lambda: gp.Algorithm("a", gather="min(a, b)" if odd else "max(a, b)", prop="uint32", initial="v")(graph),
        lambda: world.read(graph_files(folder)["float.csv" if odd else "int.txt"], format="edge_list"),
        lambda: world.read(graph_files(folder)["int.txt"], strategy="mix" if odd else "hash"),
        lambda: gp.spmv(graph, np.full(graph.num_vertices, 2.0 if odd else 1.0)),
        lambda: world.edges("none" if odd else [0], [1]),
    ]
    for call in calls:
        try:
            call()
        except gp.Error as error:
            said.append(f"{type(error).__name__}: {error}")
    assert gp.bfs(graph, root=3).gather().values[3] == 0
    everything = [pickle.loads(text) for text in world.gather(pickle.dumps(said))]
    if world.rank == 0:
        with open(os.path.join(folder, "said.pickle"), "wb") as file:
            pickle.dump(everything, file)


def _long_run(world, folder):
    graph = world.generate.kronecker(scale=12, edge_factor=8)
    if world.rank == 0:
        with open(os.path.join(folder, "runs"), "w") as file:
            file.write("yes")
    for _ in range(10_000):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            gp.pagerank(graph, tol=0, max_iter=10)


def _write(folder, name, text):
    """A file that is whole when it is there."""
    with open(os.path.join(folder, f"{name}.part"), "w") as file:
        file.write(text)
    os.rename(os.path.join(folder, f"{name}.part"), os.path.join(folder, name))


def _write_pid(world, folder):
    _write(folder, f"pid{world.rank}", str(os.getpid()))


def lost(world, folder):
    """Ranks run until one of them is lost; the others say what they get."""
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # with which MPICH's launcher tells of a process that has died
    _write_pid(world, folder)
    try:
        _long_run(world, folder)
    except gp.RankError as error:
        _write(folder, f"said{world.rank}", str(error))
        raise


def raises(world, folder):
    """A rank fails in the middle of a run."""

    def progress(step, active, edges):
        if world.rank == 1 and step == 3:
            raise ValueError("the third step of rank 1")

    graph = world.generate.kronecker(scale=6)
    try:
        gp.pagerank(graph, tol=0, max_iter=50, progress=progress)
    except gp.RankError as error:
        _write(folder, f"said{world.rank}", str(error))
        raise


def cards(world, folder):
    """Three ranks that see two emulated cards: what each gets of every call is written for the test."""
    with open(os.path.join(folder, f"variables{world.rank}.json")) as file:
        os.environ.update(json.load(file))  # before XRT is loaded
    graph = world.read(os.path.join(folder, "edges.txt"), num_vertices=900)
    found, said = {}, []

    def ask(device, algorithm=gp.bfs, **given):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                result = algorithm(graph, **given, device=device)
            except gp.Error as error:
                said.append(f"{type(error).__name__}: {error}")
                return
        stats = result.stats
        said.append(([d.device for d in stats.domains], stats.number, stats.bytes_to_card, stats.edge_bytes_uploaded))
        said[-1] += ([str(each.message) for each in warned],)
        found[str(len(said) - 1)] = result.gather().values

    two = ["fpga", "cpu", "fpga:u250"]
    ask(two, root=5, fallback=False)
    ask(two, root=5, fallback=False)  # the edges are there
    ask(["cpu", "fpga:1", "emulator"], gp.pagerank, max_iter=20, tol=0, fallback=False)
    ask("auto", root=5)
    ask("fpga", root=5)
    ask(["fpga:1", "cpu", "fpga:1"], root=5)
    ask(["fpga", "cpu", "cpu"] if world.rank == 1 else ["cpu", "cpu", "fpga"], root=5)
    ask(["fpga:0", "cpu"], root=5)
    gp.release_devices()
    world.barrier()
    with open(lock_path(next(card for card in driver.cards() if card.index == 1)), "w") as file:
        if world.rank == 2:
            fcntl.flock(file, fcntl.LOCK_EX)
        world.barrier()
        ask(two, root=5, fallback=False)
        ask(two, root=5)
    world.barrier()
    ask(two, root=5, fallback=False)
    everything = [pickle.loads(text) for text in world.gather(pickle.dumps(said))]
    if world.rank == 0:
        np.savez(os.path.join(folder, "answers.npz"), **found)
        with open(os.path.join(folder, "said.pickle"), "wb") as file:
            pickle.dump(everything, file)


def leaves(world, folder):
    """A rank ends by itself while the others go on."""
    if world.rank == 1:
        raise gp.InputError("only here")
    try:
        world.barrier()
    except gp.RankError as error:
        _write(folder, f"said{world.rank}", str(error))
        raise


if __name__ == "__main__":
    scenario, where = sys.argv[1:3]
    timeout = float(sys.argv[3]) if len(sys.argv) > 3 else 10.0
    with gp.distributed.mpi(timeout=timeout) as world:
        globals()[scenario](world, where)
