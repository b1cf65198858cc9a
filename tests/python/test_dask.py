# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: F811  (fixtures are imported by name)
"""Ranks on the workers of a Dask cluster: answers as SciPy's, NetworkX's and one process's."""

import gc
import os
from pathlib import Path

import numpy as np
import pytest

import gaspipe as gp
from dask_cluster import (  # noqa: F401  (fixtures)
    OPTIONS,
    client,
    num_inboxes,
    num_objects,
    process_of,
    wait_until,
    world,
)
from mpi_jobs import finish, start
from spread_graphs import N, as_distances, components, distances, graphs, hops, ranks_of  # noqa: F401  (a fixture)

pytestmark = [pytest.mark.needs(tool) for tool in ("distributed", "pandas", "pyarrow")]

HERE = Path(__file__).parent


def test_answers_are_those_of_others_and_of_one_process(world, graphs):
    folder, integers, _ = graphs
    whole = gp.Graph(integers)
    for strategy in ("balanced", "mix"):
        graph = world.read(folder / "int.txt", strategy=strategy)
        assert (graph.num_vertices, graph.num_edges, graph.is_weighted) == (N, integers.nnz, True)
        assert graph.shape == (N, N)
        assert sum(graph.num_own) == N
        result = gp.bfs(graph, root=3)
        assert result.stats.num_supersteps == gp.bfs(whole, root=3, method="gas").stats.num_supersteps
        assert [domain.rank for domain in result.stats.domains] == [0, 1, 2]
        assert len(result) == N
        depth = result.gather()
        assert isinstance(depth, gp.Result)
        assert depth.depth.dtype == result.dtype == gp.bfs(whole).depth.dtype
        np.testing.assert_array_equal(depth.depth, hops(integers, 3))
        found = gp.sssp(graph, root=3).gather().distance
        np.testing.assert_array_equal(as_distances(found), distances(integers, 3))
        np.testing.assert_array_equal(found, gp.sssp(whole, root=3).distance)
        np.testing.assert_array_equal(gp.wcc(graph).gather().values, components(integers))
        found = gp.pagerank(graph, tol=1e-10, max_iter=200).gather().rank
        np.testing.assert_allclose(found, ranks_of(integers, False), atol=1e-9)
        found = gp.pagerank(graph, tol=0, max_iter=20, number="fixed").gather().values
        np.testing.assert_array_equal(found, gp.pagerank(whole, tol=0, max_iter=20, number="fixed").values)
        x = np.load(folder / "x.npy")
        np.testing.assert_allclose(gp.spmv(graph, x).gather().values, integers @ x, rtol=1e-12)


def test_files_are_read_in_parts(world, graphs, monkeypatch):
    folder, integers, floats = graphs
    monkeypatch.chdir(folder)
    for name in ("int.txt", "rows.parquet", "matrix.npz"):  # by ranges of bytes, by row groups, by rank 0
        found = gp.sssp(world.read(name), root=3).gather().distance
        np.testing.assert_array_equal(as_distances(found), distances(integers, 3))
    found = gp.sssp(world.load(path="saved.gaspipe", strategy="hash"), root=3).gather().distance
    np.testing.assert_array_equal(as_distances(found), distances(integers, 3))
    found = gp.sssp(world.read("float.csv")).gather().distance
    np.testing.assert_allclose(found, distances(floats, 0), rtol=1e-12)
    graph = world.read("packed.txt.gz", undirected=True)
    np.testing.assert_array_equal(gp.bfs(graph).gather().depth, hops(integers + integers.T, 0))


def test_generators_make_the_graphs_of_one_process(world):
    graph = world.generate.kronecker(scale=6, edge_factor=4, seed=7, weights=(1, 9))
    whole = gp.generate.kronecker(scale=6, edge_factor=4, seed=7, weights=(1, 9))
    np.testing.assert_array_equal(gp.sssp(graph, root=1).gather().values, gp.sssp(whole, root=1).values)
    graph, whole = (make.uniform(50, 300, seed=3) for make in (world.generate, gp.generate))
    np.testing.assert_array_equal(gp.bfs(graph).gather().values, gp.bfs(whole).values)


def by_squares(ids, size):
    return ids * ids % size


def test_runs_go_on_from_a_checkpoint_and_functions_give_vertices_to_ranks(world, graphs, tmp_path, monkeypatch):
    folder, integers, _ = graphs
    monkeypatch.chdir(tmp_path)
    graph = world.read(folder / "int.txt", strategy=by_squares)
    assert (graph.strategy, graph.num_own) == ("by_squares", np.bincount(np.arange(N) ** 2 % 3, minlength=3).tolist())
    limits = {"number": "float64", "tol": 0}
    gp.pagerank(graph, max_iter=20, checkpoint="kept", every=8, **limits)
    found = gp.pagerank(world.read(folder / "int.txt"), max_iter=200, resume="kept", **limits)
    assert found.stats.resumed_at == 16
    np.testing.assert_allclose(found.gather().rank, ranks_of(integers, False), atol=1e-9)
    with pytest.raises(gp.InputError, match="algorithm is pagerank; this one's is wcc"):
        gp.wcc(graph, resume="kept")


def test_large_boxes_arrive_whole(world):
    graph, whole = (make.uniform(200_000, 400_000, seed=2) for make in (world.generate, gp.generate))
    np.testing.assert_array_equal(gp.wcc(graph).gather().values, gp.wcc(whole).values)
    assert max(domain.bytes_sent for domain in gp.wcc(graph).stats.domains) > 1 << 17
    sizes = world.run(lambda world: [len(text) for text in world.gather(b"x" * 3_000_000 * world.rank)])
    assert sizes == [[0, 3_000_000, 6_000_000]] * 3


def test_dask_dataframes_become_graphs(client, world, graphs):
    import dask
    import dask.dataframe
    import pandas as pd

    folder, integers, _ = graphs
    rows, columns = integers.nonzero()
    table = pd.DataFrame({"a": rows, "b": columns, "w": integers.data})
    names = {"source": "a", "destination": "b", "weight": "w"}
    lazy = dask.dataframe.from_pandas(table, npartitions=7)
    persisted = lazy.persist()
    from_files = dask.dataframe.read_parquet(folder / "rows.parquet", split_row_groups=1)
    parts = [dask.delayed(lambda i: table[i::4])(i) for i in range(4)]
    for given, more in ((lazy, names), (persisted, names), (from_files, {}), (parts, names)):
        graph = world.table(given, **more)
        assert (graph.num_vertices, graph.num_edges) == (N, integers.nnz)
        found = gp.sssp(graph, root=3).gather().distance
        np.testing.assert_array_equal(as_distances(found), distances(integers, 3))
    assert sum(client.run(num_inboxes).values()) == 0
    empty = world.table([dask.delayed(table)[:0]], num_vertices=4, **names)
    np.testing.assert_array_equal(gp.wcc(empty).gather().values, [0, 1, 2, 3])
    graph = world.table(lazy, undirected=True, strategy="mix", num_vertices=N + 1, **names)
    np.testing.assert_array_equal(gp.bfs(graph).gather().depth[:N], hops(integers + integers.T, 0))


def test_a_table_stays_on_the_workers_that_have_it(client, world):
    import pandas as pd

    here = [client.submit(pd.DataFrame, {"a": [i], "b": [i + 1]}, workers=[w]) for i, w in enumerate(world.workers)]
    before = transferred(client)
    graph = world.table(here, source="a", destination="b")
    assert transferred(client) == before
    np.testing.assert_array_equal(gp.bfs(graph).gather().depth, [0, 1, 2, 3])


def transferred(client):
    """Transfers of data between workers so far."""
    return sum(client.run(lambda dask_worker: dask_worker.state.transfer_incoming_count_total).values())


def test_errors_of_tables_name_the_partition_and_leave_nothing(client, world):
    import dask
    import pandas as pd

    good, bad = pd.DataFrame({"a": [0], "b": [1]}), pd.DataFrame({"a": ["x"], "b": ["y"]})
    parts = [dask.delayed(good), dask.delayed(bad)]
    with pytest.raises(gp.InputError, match="partition 1 of the table: "):
        world.table(parts, source="a", destination="b")
    with pytest.raises(gp.InputError, match=r"partition 0 of the table: .*'c'"):
        world.table(parts, source="c", destination="b")
    with pytest.raises(gp.InputError, match="the table is a DataFrame; a Dask dataframe is needed"):
        world.table(good)
    with pytest.raises(ZeroDivisionError):
        world.table([dask.delayed(lambda: 1 / 0)()])
    assert sum(client.run(num_inboxes).values()) == 0


def test_edge_arrays_are_shared_out(world, graphs):
    integers = graphs[1]
    graph = world.edges(*integers.nonzero(), integers.data)
    found = gp.sssp(graph, root=3).gather().distance
    np.testing.assert_array_equal(as_distances(found), distances(integers, 3))
    graph = world.edges([0, 1], [1, 0])  # fewer vertices than ranks
    np.testing.assert_array_equal(gp.bfs(graph, root=1).gather().depth, [1, 0])
    with pytest.raises(gp.InputError, match=r"destinations\[1\] is -1"):
        world.edges([0, 1], [1, -1])


def test_answers_go_to_files(world, graphs, tmp_path, monkeypatch):
    from pyarrow import parquet

    folder, integers, _ = graphs
    monkeypatch.chdir(tmp_path)
    for strategy in ("balanced", "mix"):
        result = gp.bfs(world.read(folder / "int.txt", strategy=strategy), root=3)
        result.to_npy(f"{strategy}.npy")
        result.to_parquet(tmp_path / f"{strategy}.parquet")
        np.testing.assert_array_equal(np.load(tmp_path / f"{strategy}.npy"), hops(integers, 3))
        table = parquet.read_table(tmp_path / f"{strategy}.parquet")
        np.testing.assert_array_equal(table["vertex"], np.arange(N))
        np.testing.assert_array_equal(table["depth"], hops(integers, 3))
        assert len(list((tmp_path / f"{strategy}.parquet").iterdir())) == 3
        with pytest.raises(gp.InputError, match="is there already"):
            result.to_parquet(tmp_path / f"{strategy}.parquet")
    with pytest.raises(FileNotFoundError):
        result.to_npy(tmp_path / "absent" / "x.npy")
    assert not list(tmp_path.glob(".gaspipe*"))


def test_a_custom_algorithm_is_compiled_where_it_runs(world, graphs, compiled_snippets):
    integers = graphs[1]
    widest = gp.Algorithm(
        "widest",
        prop="uint32",
        scatter="min(src, edge)",
        gather="max(a, b)",
        initial="v == root ? 0xffffffff : 0",
        parameters={"root": 0},
    )
    whole = widest(gp.Graph(integers), root=3)  # also: the library is loaded here when the algorithm travels
    graph = world.edges(*integers.nonzero(), integers.data)
    np.testing.assert_array_equal(widest(graph, root=3).gather().values, whole.values)


def test_functions_run_on_every_rank(world, graphs):
    folder, integers, _ = graphs
    assert world.run(lambda world, a, b: (world.rank, world.size, a + b), 1, b=2) == [(0, 3, 3), (1, 3, 3), (2, 3, 3)]
    assert len(set(world.run(process_of)) | {os.getpid()}) == 4
    graph = world.run(lambda world, path: world.read(path), str(folder / "int.txt"))
    result = world.run(lambda world, given: gp.bfs(given["graph"], root=3), {"graph": graph})
    np.testing.assert_array_equal(result.gather().depth, hops(integers, 3))
    reached = world.run(lambda world, result: int((result.depth >= 0).sum()), result)
    assert sum(reached) == (hops(integers, 3) >= 0).sum()


def test_parts_are_dropped_with_their_handles(client, world):
    gc.collect()
    wait_until(lambda: sum(client.run(num_objects).values()) == 0)
    graph = world.generate.uniform(50, 300)
    result = gp.bfs(graph)
    assert client.run(num_objects) == dict.fromkeys(world.workers, 2)
    del graph
    gc.collect()
    wait_until(lambda: client.run(num_objects) == dict.fromkeys(world.workers, 1))
    assert result.gather().depth[0] == 0
    del result
    gc.collect()
    wait_until(lambda: sum(client.run(num_objects).values()) == 0)


# Errors that end nothing.


def test_errors_of_all_ranks_are_one_error(world, graphs):
    folder = graphs[0]
    graph = world.read(folder / "int.txt")
    for call, kind, text in (
        (lambda: gp.bfs(graph, root=N), gp.InputError, "root is 90; the graph's 90 vertices allow 0 to 89"),
        (lambda: world.read(folder / "bad.txt"), gp.GraphFormatError, "seven"),
        (lambda: world.read(folder / "absent.txt"), FileNotFoundError, "absent.txt"),
        (lambda: world.read(folder / "int.txt", strategy="nearest"), gp.InputError, "strategy is 'nearest'"),
        (lambda: world.generate.kronecker(scale=99), gp.InputError, "scale is 99"),
        (lambda: gp.bfs(graph, device="fpga:7", fallback=False), gp.Error, "'fpga:7' cannot be used"),
        (lambda: gp.bfs(graph, device=["cpu"] * 2), gp.InputError, "a list of 2, for 3 ranks"),
        (lambda: gp.bfs(graph, domains=2), gp.InputError, "domains="),
        (lambda: gp.bfs(graph, progress=print), gp.InputError, "progress="),
        (lambda: gp.triangles(graph), gp.InputError, "spread over Dask workers"),
        (lambda: graph.symmetrize(), gp.InputError, "spread over Dask workers"),
        (lambda: np.asarray(gp.bfs(graph)), gp.InputError, r"gather\(\)"),
        (lambda: gp.bfs(graph).depth, AttributeError, r"r\.gather\(\)\.depth"),
        (lambda: world.run(lambda world, g: None if world.rank else g, graph), gp.InputError, "on some ranks"),
        (lambda: world.run(lambda world, other: other, world), gp.InputError, "a DaskWorld is among the arguments"),
    ):
        with pytest.raises(kind, match=text):
            call()
    with pytest.warns(gp.NotConvergedWarning, match="pagerank did not converge in 2 super-steps") as warned:
        gp.pagerank(graph, max_iter=2)
    assert warned[0].filename == __file__
    assert gp.bfs(graph).gather().depth[0] == 0


# Other clusters.


def test_workers_may_be_threads_of_one_process():
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, processes=False, **OPTIONS) as cluster, Client(cluster) as near:
        world = gp.distributed.dask(near)
        graph = world.generate.uniform(50, 300, seed=3)
        found = gp.bfs(graph).gather().values
    with pytest.raises(gp.RankError, match="the client was closed; this world has ended"):
        gp.bfs(graph)
    world.close()
    np.testing.assert_array_equal(found, gp.bfs(gp.generate.uniform(50, 300, seed=3)).values)


@pytest.mark.needs("cryptography")
def test_ranks_exchange_by_tls_where_the_cluster_does(client):
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, security=True, protocol="tls://", **OPTIONS) as cluster, Client(cluster) as secure:
        with gp.distributed.dask(secure) as world:
            protocols = world.run(lambda world: type(next(iter(world.communicator._links._comms.values()))).__name__)
            assert protocols == ["TLS", "TLS"]
            graph = world.generate.uniform(50, 300, seed=3)
            found = gp.bfs(graph).gather().values
        np.testing.assert_array_equal(found, gp.bfs(gp.generate.uniform(50, 300, seed=3)).values)


@pytest.mark.needs("mpi4py", "mpi", "dask_mpi")
def test_dask_mpi_starts_the_cluster(graphs, tmp_path):
    folder, integers, _ = graphs
    program = HERE / "dask_mpi_program.py"
    code, output, errors = finish(start(4, program, folder / "int.txt", tmp_path / "answers.npz"))
    assert code == 0, output + errors
    found = np.load(tmp_path / "answers.npz")
    assert found["size"] == 2
    np.testing.assert_array_equal(found["depth"], hops(integers, 3))
