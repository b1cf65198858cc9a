# SPDX-License-Identifier: Apache-2.0
"""Edges that ranks hand over, and what they read together, against one process; ranks are threads here."""

import gzip
import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import gaspipe as gp
from gaspipe.distributed._reading import read_pieces
from thread_ranks import on_ranks


def edges_of(graph):
    sources = np.repeat(np.arange(graph.num_vertices), graph.out_degrees())
    weights = np.ones(graph.num_edges) if graph.weights is None else graph.weights
    return sorted(zip(sources.tolist(), graph.indices.tolist(), weights.tolist()))


def read(size, path, **options):
    """Number of vertices, or None, and all edges that the ranks have read; or what they raise."""
    given = {"format": None, "header": None, "columns": (None, None, None), **options}
    found = on_ranks(
        size, lambda world: read_pieces(world, path, given["format"], given["header"], given["columns"], 1)
    )
    for error in found:
        if isinstance(error, BaseException):
            return found
    edges = []
    for pieces in found:
        for sources, targets, weights in pieces.edges:
            values = np.ones(len(sources)) if weights is None else weights
            edges += zip(sources.tolist(), targets.tolist(), values.tolist())
    assert len({pieces.num_vertices for pieces in found}) == 1
    return found[0].num_vertices, sorted(edges)


def same_as_one_process(path, sizes=(1, 2, 3, 7), **options):
    whole = gp.Graph.from_file(path, **options)
    for size in sizes:
        num_vertices, edges = read(size, path, **options)
        assert edges == edges_of(whole)
        largest = max((max(i, j) for i, j, _ in edges), default=0)
        assert (num_vertices or largest + 1) == whole.num_vertices


@pytest.mark.parametrize(
    "text",
    [
        "0 1\n1 2\n2 0\n",
        "0 1\n1 2\n2 0",
        "# a comment\n\n0 1\r\n1 2\r\n% another\r\n2 0\r\n",
        "4 3\n0 1\n1 2\n2 0\n",  # a header
        "# first\n\n4 3\n0 1\n1 2\n2 0\n",
        "2 3\n0 1\n1 2\n2 0\n",  # no header: the id 2 is too large for one
        "4 2\n0 1\n1 2\n2 0\n",  # no header: three edges follow
        "3 4\n",  # an edge
        "5 0\n",  # a header, and no edges
        "0,1,5\n1, 2,7\n2 ,0,9\n",
        "0\t1\t0.5\n1\t2\t1e3\n2\t0\tnan\n".replace("nan", "4"),
        "0 1 1\n1 2 3000000000\n2 0 7\n",  # int32 here, int64 there
        "0 1 1\n1 2 0.25\n2 0 7\n0 2 9\n",  # integers here, decimals there
    ],
)
def test_plain_text_is_read_as_by_one_process(text, tmp_path):
    path = tmp_path / "edges.txt"
    path.write_bytes(text.encode())
    same_as_one_process(path)


def test_long_lines_and_random_cuts(tmp_path):
    rng = np.random.default_rng(3)
    path = tmp_path / "edges.txt"
    for trial in range(8):
        count = int(rng.integers(1, 60))
        lines = []
        for i, j in rng.integers(0, 1000, (count, 2)).tolist():
            lines += ["#" + "x" * int(rng.integers(0, 300))] * int(rng.integers(0, 2)) + [f"{i}  {j}"]
        if trial % 2:
            lines.insert(0, f"1000 {count}")
        path.write_text("\n".join(lines) + "\n" * (trial % 3))
        same_as_one_process(path, sizes=(2, 5, 11))


@pytest.mark.parametrize("header", [True, False])
def test_a_header_can_be_stated(header, tmp_path):
    path = tmp_path / "edges.txt"
    path.write_text("3 3\n0 1\n1 2\n2 0\n")
    same_as_one_process(path, header=header)


@pytest.mark.parametrize(
    ("text", "header", "said"),
    [
        ("0 1\n1 two\n2 0\n", None, 'found "1 two"'),
        ("0 1\n1 2\n2 0 5\n", None, None),  # columns differ, and perhaps between ranks
        ("9 9\n0 1\n", True, "its header says 9 vertices and 9 edges; found 1 edges"),
        ("0 1 4\n", True, "no header"),
        ("# nothing\n", None, "no edges"),
        ("7 7\n0 1 5\n1 2 6\n", None, "2 columns"),
    ],
)
def test_bad_text_is_an_error_on_all_ranks(text, header, said, tmp_path):
    path = tmp_path / "edges.txt"
    path.write_text(text)
    with pytest.raises(gp.GraphFormatError):
        gp.Graph.from_file(path, header=header)
    for size in (1, 3):
        found = on_ranks(size, lambda world: world.read(path, header=header))
        assert all(isinstance(error, gp.Error) for error in found), found
        if said is not None:
            assert any(said in str(error) for error in found), found


@pytest.mark.parametrize("kind", ["txt.gz", "mtx", "gr", "npz", "gaspipe", "graph"])
def test_other_formats_are_read_as_by_one_process(kind, tmp_path):
    rng = np.random.default_rng(7)
    graph = gp.Graph((rng.integers(0, 40, 200), rng.integers(0, 40, 200), rng.integers(1, 9, 200)))
    if kind == "graph":
        graph = gp.generate.kronecker(scale=5, edge_factor=4, weights=(1, 9))  # undirected, without loops
    path = tmp_path / f"edges.{kind}"
    graph.to_file(path)
    same_as_one_process(path)


def test_compressed_text_is_shared_out(tmp_path):
    path = tmp_path / "edges.txt.gz"
    with gzip.open(path, "wt") as file:
        file.writelines(f"{i} {i + 1}\n" for i in range(100))
    found = on_ranks(4, lambda world: read_pieces(world, path, None, None, (None, None, None), 1))
    counts = [sum(len(piece[0]) for piece in pieces.edges) for pieces in found]
    assert counts == [25, 25, 25, 25]
    (tmp_path / "cut.txt.gz").write_bytes(path.read_bytes()[:80])
    for error in on_ranks(2, lambda world: world.read(tmp_path / "cut.txt.gz")):
        assert isinstance(error, gp.Error)
        assert "damaged or cut short" in str(error)


@pytest.mark.needs("pyarrow")
def test_row_groups_and_folders_of_parquet(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(9)
    ends, weights = rng.integers(0, 50, (2, 300)), rng.random(300)
    table = pa.table({"a": ends[0], "b": ends[1], "w": weights})
    (tmp_path / "parts.parquet").mkdir()
    parquet.write_table(table[:170], tmp_path / "parts.parquet" / "0.parquet", row_group_size=33)
    parquet.write_table(table[170:], tmp_path / "parts.parquet" / "1.parquet")
    for size in (1, 3):
        _, edges = read(size, tmp_path / "parts.parquet", columns=("a", "b", "w"))
        assert edges == sorted(zip(*ends.tolist(), weights.tolist()))
    names = pa.table({"source": ["x"], "target": ["y"]})
    parquet.write_table(names, tmp_path / "names.parquet")
    for error in on_ranks(2, lambda world: world.read(tmp_path / "names.parquet")):
        assert isinstance(error, gp.Error)
        assert "no vertex ids" in str(error)


def test_tables_and_arrays():
    rng = np.random.default_rng(11)
    ends = rng.integers(0, 30, (2, 100))
    whole = gp.bfs(gp.Graph(tuple(ends), num_vertices=30)).values

    def work(world):
        own = ends[:, world.rank :: world.size]
        of_table = world.table(pd.DataFrame({"source": own[0], "target": own[1]}), num_vertices=30)
        of_arrays = world.edges(own[0].astype(np.uint64), own[1].tolist(), num_vertices=30, strategy="mix")
        return gp.bfs(of_table).gather().values, gp.bfs(of_arrays).gather().values

    for size in (1, 4):
        for found in on_ranks(size, work):
            for values in found:
                np.testing.assert_array_equal(values, whole)


def test_errors_leave_a_world_in_step():
    def work(world):
        said = []
        for call in (
            lambda: world.edges([0], [1], [1.0] if world.rank == 0 else [1.0, 2.0]),
            lambda: world.edges([0], [1], strategy=["hash", "mix"][world.rank]),
            lambda: world.edges([0], [1], num_vertices=2.5),
            lambda: world.edges([0], [4], num_vertices=world.rank + 4),
            lambda: world.edges([0], [4], num_vertices=4),
            lambda: world.edges([0], [1], None if world.rank else [2.5]),
            lambda: world.generate.kronecker(scale=40),
            lambda: world.generate.uniform(10, 10, weights=(1, 2)),
            lambda: world.generate.uniform(10, 10, seed=world.rank),
        ):
            with pytest.raises(gp.Error) as error:
                call()
            said.append(str(error.value))
        graph = world.edges([0], [1])
        with pytest.raises(gp.InputError, match="spread over 2 ranks"):
            gp.triangles(graph)
        with pytest.raises(gp.InputError, match="spread over 2 ranks"):
            graph.indices  # noqa: B018
        with pytest.raises(gp.InputError, match="domains= is for a graph in one process"):
            gp.bfs(graph, domains=2)
        assert "2 ranks" in repr(graph)
        return said, gp.bfs(graph).gather(root=1)

    (said, nothing), (of_1, result) = on_ranks(2, work)
    assert nothing is None
    assert result.values.tolist() == [0, 1]
    assert "rank 1 of 2 cannot go on: InputError: there are 1 edges and 2 weights" in said[0]
    assert "strategy: hash on rank 0 and mix on rank 1" in said[1]
    assert "num_vertices is 2.5" in said[2]
    assert "num_vertices: 4 on rank 0 and 5 on rank 1" in said[3]
    assert "a destination is 4; 4 vertices allow 0 to 3" in said[4]
    assert "edges with weights (rank 0 has some) and edges without (rank 1)" in said[5]
    assert "scale is 40" in said[6]
    assert "symmetric=True" in said[7]
    assert "seed: 0 on rank 0 and 1 on rank 1" in said[8]
    assert of_1[1:] == said[1:]


def test_what_needs_the_edges_says_where_they_are():
    def work(world):
        graph = world.edges([0, 1, 2, 3], [1, 2, 3, 0], [1.0, 2, 3, 4])
        wrapped = gp.Graph(graph)  # no way around
        calls = [lambda g=g, name=name: getattr(gp, name)(g) for g in (graph, wrapped) for name in gp.cpu_algorithms]
        for name in gp.algorithms:
            x = {"x": np.ones(4)} if name == "spmv" else {}
            for how in ({}, {"device": "emulator"}, {"method": "gas"}, {"domains": 2}):
                calls.append(lambda name=name, given={**x, **how}: getattr(gp, name)(wrapped, **given))
        calls += [lambda g=g: g.partition() for g in (graph, wrapped)]
        calls += [lambda g=g: g.transpose() for g in (graph, wrapped)]
        for call in calls:
            with pytest.raises(gp.InputError, match=f"spread over {world.size} rank"):
                call()
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(graph)
        for given in ({"method": "local_store"}, {"parents": True}, {"device": ["cpu"] * 3}, {"device": []}):
            with pytest.raises(gp.InputError):
                gp.bfs(graph, **given)
        of_emulator = gp.sssp(graph, device="emulator").gather()
        assert of_emulator.stats.device == "emulator"
        return of_emulator.values.tolist()

    for size in (1, 2):
        assert on_ranks(size, work) == [[0, 1, 3, 6]] * size


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_function_gives_vertices_to_ranks(size, tmp_path):
    rng = np.random.default_rng(3)
    sources, targets = rng.integers(0, 70, (2, 300))
    np.savetxt(tmp_path / "edges.txt", np.column_stack([sources, targets]), fmt="%d")
    n = int(max(sources.max(), targets.max())) + 1
    matrix = sp.csr_matrix((np.ones(300), (sources, targets)), shape=(n, n))
    wanted = csgraph.dijkstra(matrix, indices=4, unweighted=True)

    def by_digits(ids, ranks):
        return (ids // 10 + ids % 10) % ranks

    def work(world):
        graphs = [
            world.read(tmp_path / "edges.txt", strategy=by_digits),
            world.edges(sources[world.rank :: world.size], targets[world.rank :: world.size], strategy=by_digits),
            world.generate.kronecker(6, strategy=by_digits),
        ]
        owned = [graph.own_ids.tolist() for graph in graphs]
        found = [gp.bfs(graph, root=4).gather(root=0) for graph in graphs]
        return owned, [None if each is None else each.values for each in found], [graph.strategy for graph in graphs]

    found = on_ranks(size, work)
    for rank, (owned, _, names) in enumerate(found):
        assert names == ["by_digits"] * 3
        for ids, count in zip(owned, (n, n, 64)):
            assert ids == [v for v in range(count) if (v // 10 + v % 10) % size == rank]
    for depth in found[0][1][:2]:
        np.testing.assert_array_equal(np.where(depth < 0, np.inf, depth), wanted)
    np.testing.assert_array_equal(found[0][1][2], gp.bfs(gp.generate.kronecker(6), root=4).values)


def test_functions_that_give_vertices_to_no_rank_are_refused():
    def work(world):
        said, calls = [], itertools.count()
        for strategy in (
            lambda ids, size: ids,
            lambda ids, size: ids[:2],
            lambda ids, size: (ids + next(calls)) % size,
            lambda ids, size: (ids + world.rank) % size,
            lambda ids, size: 1 / 0 if world.rank == 1 else ids % size,
        ):
            with pytest.raises((gp.InputError, gp.RankError, ZeroDivisionError)) as error:
                world.edges([0, 1, 2], [1, 2, 3], strategy=strategy)
            said.append(str(error.value))
        return said, gp.bfs(world.edges([0], [1])).gather().values.tolist()

    (said, values), (other, _) = on_ranks(2, work)
    assert values == [0, 1]
    assert "gave vertex 2 to domain 2; 2 domains are 0 to 1" in said[0]
    assert "returned an array of shape (2,)" in said[1]
    assert "every rank must get the same answer" in said[2]
    assert "ranks that the strategy gives vertices to: not the same content" in said[3]
    assert other[3] == said[3]
    assert "rank 1 of 2 cannot go on: ZeroDivisionError" in said[4]
