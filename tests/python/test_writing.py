# SPDX-License-Identifier: Apache-2.0
"""Graphs to files: read back as the same graph, and as other readers see them; whole files or none."""

import bz2
import gzip
import importlib
import io
import lzma
import os
import signal
import subprocess
import sys
import textwrap
import time

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import gaspipe as gp
from zoo import ZOO

UNPACKERS = {"": bytes, ".gz": gzip.decompress, ".xz": lzma.decompress, ".bz2": bz2.decompress}
SUFFIXES = {"edge_list": ".txt", "matrix_market": ".mtx", "dimacs9": ".gr", "metis": ".graph", "npz": ".npz"}


def expected_dtype(format, weights):
    """The type that weights have after a round trip; None: no weights."""
    if weights is None or format == "npz":
        return None if weights is None else weights.dtype
    if format in ("edge_list", "dimacs9") and len(weights) == 0:
        return None
    if format == "matrix_market":
        return np.dtype(np.int64 if weights.dtype.kind == "i" else np.float64)
    if format != "metis" and weights.dtype.kind == "f":
        return np.dtype(np.float64)
    bounds = np.iinfo(np.int32)
    fits = all(bounds.min <= weight <= bounds.max for weight in weights.tolist())
    return np.dtype(np.int32 if fits else np.int64)


def assert_same(back, graph, format):
    assert back.shape == graph.shape
    np.testing.assert_array_equal(back.indptr, graph.indptr)
    np.testing.assert_array_equal(back.indices, graph.indices)
    dtype = expected_dtype(format, graph.weights)
    assert (back.weights.dtype if back.is_weighted else None) == dtype
    if dtype is not None:  # compared in float64 where that was read: nothing may be lost
        np.testing.assert_array_equal(back.weights, graph.weights.astype(dtype))
        np.testing.assert_array_equal(
            np.signbit(back.weights[graph.weights == 0]), np.signbit(graph.weights[graph.weights == 0])
        )
    assert set(back.vertex_data) == (set(graph.vertex_data) if format == "metis" else set())
    for name, values in back.vertex_data.items():
        np.testing.assert_array_equal(values, graph.vertex_data[name])


def round_trip(graph, folder, format, *, packed="", reading=None, **options):
    path = folder / f"graph{SUFFIXES[format]}{packed}"
    assert graph.to_file(path, **options) is None
    assert os.listdir(folder) == [path.name]
    assert_same(gp.Graph.from_file(path, **(reading or {})), graph, format)
    path.unlink()


def is_for_metis(matrix):
    """Whether a METIS file can hold it: symmetric, no loops, no parallel edges, weights integers above 0."""
    n = matrix.shape[0]
    sources = np.repeat(np.arange(n), np.diff(matrix.indptr))
    destinations, weights = matrix.indices.astype(np.int64), matrix.data
    forward, back = sources * n + destinations, destinations * n + sources
    in_order, back_in_order = np.argsort(forward), np.argsort(back)
    return bool(
        np.isfinite(weights).all()
        and (weights >= 1).all()
        and (weights == np.floor(weights)).all()
        and (sources != destinations).all()
        and len(np.unique(forward)) == len(forward)
        and (forward[in_order] == back[back_in_order]).all()
        and (weights[in_order] == weights[back_in_order]).all()
    )


def refusal(graph, path, **options):
    """The message of the InputError; nothing is written."""
    before = sorted(os.listdir(path.parent))
    with pytest.raises(gp.InputError) as caught:
        graph.to_file(path, **options)
    assert sorted(os.listdir(path.parent)) == before
    return str(caught.value)


@pytest.fixture
def small():
    """Unsorted rows, parallel edges, a loop, an isolated last vertex."""
    return gp.Graph(([2, 0, 0, 0, 2], [0, 3, 1, 1, 2], np.array([7, -2, 5, 5, 0])), num_vertices=5)


# Round trips


@pytest.mark.parametrize("format", SUFFIXES)
@pytest.mark.parametrize("name", ZOO)
def test_every_graph_of_the_zoo_reads_back_as_it_was(tmp_path, name, format):
    matrix = ZOO[name]()
    graph = gp.Graph(matrix)
    can_be_said = {"metis": is_for_metis(matrix), "dimacs9": graph.is_weighted}
    if can_be_said.get(format, True):
        round_trip(graph, tmp_path, format)
    else:
        assert refusal(graph, tmp_path / f"graph{SUFFIXES[format]}")


@pytest.mark.parametrize("name", ZOO)
def test_every_graph_of_the_zoo_made_symmetric_goes_to_metis_and_back(tmp_path, name):
    matrix = ZOO[name]()
    graph = gp.Graph(matrix).symmetrize().simplify()
    if graph.is_weighted and not is_for_metis(graph.to_scipy()):
        sources = np.repeat(np.arange(graph.num_vertices), graph.out_degrees())
        weights = 1 + np.minimum(sources, graph.indices) + np.maximum(sources, graph.indices).astype(np.int64) * 10**9
        graph = gp.Graph((sources, graph.indices, weights), num_vertices=graph.num_vertices)
    round_trip(graph, tmp_path, "metis")
    assert graph.num_edges == 0 or is_for_metis(graph.to_scipy())


@pytest.mark.parametrize("packed", UNPACKERS)
@pytest.mark.parametrize("format", SUFFIXES)
def test_a_packed_file_is_the_plain_one_packed(tmp_path, small, format, packed):
    graph = gp.Graph(([0, 1], [1, 0], [3, 3])) if format == "metis" else small
    (tmp_path / "plain").mkdir()
    plain, path = tmp_path / "plain" / f"g{SUFFIXES[format]}", tmp_path / f"g{SUFFIXES[format]}{packed}"
    graph.to_file(plain)
    graph.to_file(path)
    assert UNPACKERS[packed](path.read_bytes()) == plain.read_bytes()
    assert_same(gp.Graph.from_file(path), graph, format)
    written = path.read_bytes()
    time.sleep(1.1)  # where a file said its time, it would now be another
    graph.to_file(path)
    assert path.read_bytes() == written


WEIGHTS = {
    None: st.none(),
    np.int32: st.integers(-(2**31), 2**31 - 1),
    np.int64: st.integers(-(2**63), 2**63 - 1),
    np.float32: st.floats(width=32),
    np.float64: st.floats(),
}


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 9))
    dtype = draw(st.sampled_from(list(WEIGHTS)))
    entries = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), WEIGHTS[dtype]), max_size=12))
    sources, destinations, weights = map(list, zip(*entries)) if entries else ([], [], [])
    columns = (np.array(sources, np.int64), np.array(destinations, np.int64))
    return gp.Graph(columns if dtype is None else (*columns, np.array(weights, dtype)), num_vertices=n)


RANDOM = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@RANDOM
@given(graphs(), st.sampled_from(["edge_list", "matrix_market", "dimacs9", "npz"]))
# Each first line could be a header: of the edges that follow, or of none.
@example(gp.Graph(([0], [0])), "edge_list")
@example(gp.Graph(([1], [0])), "edge_list")
@example(gp.Graph(([3, 3], [1, 0]), num_vertices=9), "edge_list")
@example(gp.Graph(([], []), num_vertices=1), "edge_list")
def test_random_graphs_read_back_as_they_were(tmp_path, graph, format):
    if format != "dimacs9" or graph.is_weighted:
        round_trip(graph, tmp_path, format)


@st.composite
def undirected_graphs(draw):
    """Edges of an undirected multigraph, its rows in any order; weights equal in both directions, or none."""
    n = draw(st.integers(1, 8))
    is_simple = draw(st.booleans())
    dtype = draw(st.sampled_from([None, np.int32, np.int64, np.float32, np.float64]))
    largest = {np.int32: 2**31 - 1, np.int64: 2**63 - 1, np.float32: 2**24, np.float64: 2**53}.get(dtype, 1)
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.integers(1, largest))
    entries = draw(st.lists(ends, max_size=12))
    if is_simple:
        entries = list({(min(u, v), max(u, v)): (u, v, weight) for u, v, weight in entries if u != v}.values())
    both = draw(st.permutations(entries + [(v, u, weight) for u, v, weight in entries if u != v]))
    sources, destinations, weights = map(list, zip(*both)) if both else ([], [], [])
    columns = (np.array(sources, np.int64), np.array(destinations, np.int64))
    numbers = st.integers(0, 2**63 - 1)
    data = {}
    if draw(st.booleans()):
        ncon = draw(st.integers(1, 3))
        data["weights"] = np.array(draw(st.lists(numbers, min_size=n * ncon, max_size=n * ncon)), np.int64)
        data["weights"] = data["weights"].reshape(n, ncon)
    if is_simple and draw(st.booleans()):
        data["sizes"] = np.array(draw(st.lists(numbers, min_size=n, max_size=n)), np.int64)
    edges = columns if dtype is None else (*columns, np.array(weights, dtype))
    return gp.Graph(edges, num_vertices=n, vertex_data=data), is_simple


@RANDOM
@given(undirected_graphs())
def test_random_undirected_graphs_go_to_metis_and_back(tmp_path, case):
    graph, is_simple = case
    if is_simple:
        round_trip(graph, tmp_path, "metis")
    if "sizes" not in graph.vertex_data:
        has_more = graph.is_weighted or graph.vertex_data
        reading = {"dialect": "dimacs10"} if has_more else {}
        round_trip(graph, tmp_path, "metis", dialect="dimacs10", reading=reading)


@RANDOM
@given(graphs())
@example(gp.Graph(([0, 1, 1, 2], [1, 0, 2, 1])))
@example(gp.Graph(([0, 1, 1, 2, 2], [1, 0, 2, 0, 1])))
def test_metis_refuses_random_graphs_that_it_cannot_say_and_no_others(tmp_path, graph):
    matrix = graph.to_scipy()
    try:
        graph.to_file(tmp_path / "g.graph")
    except gp.InputError:
        assert not is_for_metis(matrix)
    else:
        assert is_for_metis(matrix)
        (tmp_path / "g.graph").unlink()


@pytest.mark.parametrize("format", ["matrix_market", "npz"])
@pytest.mark.parametrize("shape", [(2, 5), (5, 2), (1, 9), (0, 0)])
@pytest.mark.parametrize("dtype", [bool, np.float64])
def test_a_rectangular_matrix_reads_back_with_its_shape(tmp_path, format, shape, dtype):
    matrix = scipy.sparse.csr_array(np.arange(shape[0] * shape[1]).reshape(shape) % 3).astype(dtype)
    graph = gp.Graph(matrix, rectangular=True)
    round_trip(graph, tmp_path, format, reading={"rectangular": True})
    for other in ("edge_list", "metis", "dimacs9"):
        assert f"a matrix of {shape[0]} x {shape[1]}" in refusal(graph, tmp_path / "g", format=other)


def test_text_is_the_same_for_any_number_of_threads(tmp_path):
    graph = gp.generate.kronecker(14, 16, seed=3, weights=(1, 1000))
    for suffix in (".txt", ".mtx", ".gr", ".graph"):
        written = set()
        for threads in (1, 2, 3):
            graph.to_file(tmp_path / f"g{suffix}", num_threads=threads)
            written.add((tmp_path / f"g{suffix}").read_bytes())
        assert len(written) == 1
        assert_same(
            gp.Graph.from_file(tmp_path / f"g{suffix}"), graph, {".mtx": "matrix_market"}.get(suffix, "dimacs9")
        )


@pytest.mark.parametrize(
    "name",
    [
        "USA-road-d.NY.gr.xz", "cal-road.wel.gz", "chesapeake.mtx", "cnr-2000-sym.graph.xz", "cnr-2000.mtx.xz",
        "lesmis.graph", "web-NotreDame.txt.gz", "wiki-Vote.txt", "wing.graph.gz", "ldbc/example-directed",
        "ldbc/example-undirected", "olive/acyclicGraph_100", "olive/chainGraph_1K", "olive/disorderedGraph_9",
        "olive/gridGraph_15", "olive/isolatedGraph_1K", "olive/maxflowGraph_100", "olive/orderedGraph_9",
        "olive/singletonGraph_1", "olive/starGraph_1K",
    ],
)  # fmt: skip
def test_real_graphs_go_to_every_format_that_can_say_them_and_back(data_dir, tmp_path, name):
    graph = gp.Graph.from_file(data_dir / name)
    can_be_said = {"metis": is_for_metis(graph.to_scipy()), "dimacs9": graph.is_weighted}
    assert can_be_said["metis"] or not name.endswith((".graph", ".graph.xz", ".graph.gz"))
    for format in SUFFIXES:
        if can_be_said.get(format, True):
            round_trip(graph, tmp_path, format)
        else:
            assert refusal(graph, tmp_path / f"g{SUFFIXES[format]}")


# What the files say, to the letter and to other readers


def test_edge_lists_to_the_letter(tmp_path, small):
    plain = "0 3 -2\n0 1 5\n0 1 5\n2 0 7\n2 2 0\n"
    for name, options, wanted in (
        ("g.txt", {}, "5 5\n" + plain),
        ("g.el", {"header": True}, "5 5\n" + plain),
        ("g.wel", {"header": False}, plain),
        ("g.EDGES", {}, "5 5\n" + plain),
        ("g.edgelist", {}, "5 5\n" + plain),
        ("g.tsv", {}, ("5 5\n" + plain).replace(" ", "\t")),
        ("g.csv", {}, ("5 5\n" + plain).replace(" ", ",")),
        ("g", {"format": "edge_list"}, "5 5\n" + plain),
        ("g.mtx", {"format": "edge_list", "header": False}, plain),
    ):
        small.to_file(tmp_path / name, **options)
        assert (tmp_path / name).read_text() == wanted
        reading = {"format": "edge_list", "header": options.get("header")}
        back = gp.Graph.from_file(tmp_path / name, **reading)
        assert back.indices.tolist() == [3, 1, 1, 0, 2]
        assert back.num_vertices == (4 if options.get("header") is False else 5)


def test_floats_stay_floats_and_lose_nothing(tmp_path):
    weights = np.array([1, 0.1, 1e22, -0.0, np.inf, -np.inf, np.nan, 5e-324, 100000], np.float64)
    ids = np.arange(len(weights))
    gp.Graph((0 * ids, ids, weights)).to_file(tmp_path / "g.txt")
    column = [line.split()[2] for line in (tmp_path / "g.txt").read_text().splitlines()[1:]]
    assert column == ["1.0", "0.1", "1e+22", "-0.0", "inf", "-inf", "nan", "5e-324", "100000.0"] or column == [
        "1.0", "0.1", "1e+22", "-0.0", "inf", "-inf", "nan", "5e-324", "1e+05"
    ]  # fmt: skip
    assert [repr(float(text)) for text in column] == [repr(weight) for weight in weights.tolist()]
    single = np.array([0.1, 1 / 3, 16777216], np.float32)
    gp.Graph(([0, 0, 0], [0, 1, 2], single)).to_file(tmp_path / "g.txt")
    column = [line.split()[2] for line in (tmp_path / "g.txt").read_text().splitlines()[1:]]
    assert [float(text) for text in column] == single.tolist()
    assert [np.float32(text) for text in column] == list(single)


def test_metis_to_the_letter(tmp_path):
    pairs = ([0, 1, 1, 3], [1, 0, 3, 1])
    path = tmp_path / "g.metis"
    gp.Graph(pairs).to_file(path)
    assert path.read_text() == "4 2\n2\n1 4\n\n2\n"
    data = {"weights": np.array([[1, 2], [3, 4], [5, 6], [7, 0]]), "sizes": np.array([9, 8, 7, 6])}
    gp.Graph((*pairs, [5, 5, 2**40, 2**40]), vertex_data=data).to_file(path)
    assert path.read_text() == f"4 2 111 2\n9 1 2 2 5\n8 3 4 1 5 4 {2**40}\n7 5 6\n6 7 0 2 {2**40}\n"
    gp.Graph(pairs, vertex_data={"weights": np.array([1, 0, 3, 4], np.uint8)}).to_file(path)
    assert path.read_text() == "4 2 10\n1 2\n0 1 4\n3\n4 2\n"
    gp.Graph(([0, 0, 1], [0, 1, 0])).to_file(path, dialect="dimacs10")
    assert path.read_text() == "2 3 100\n1 2\n1\n"


def test_dimacs9_to_the_letter(tmp_path, small):
    small.to_file(tmp_path / "g.gr")
    assert (tmp_path / "g.gr").read_text() == "p sp 5 5\na 1 4 -2\na 1 2 5\na 1 2 5\na 3 1 7\na 3 3 0\n"


def entries_of(graph):
    """(row, column, weight) in the order they are stored; weight 1 where there is none."""
    sources = np.repeat(np.arange(graph.num_vertices), graph.out_degrees())
    weights = np.ones(graph.num_edges) if graph.weights is None else graph.weights
    return sources, graph.indices, weights


@pytest.fixture(params=[None, np.int32, np.int64, np.float32, np.float64])
def larger(request, rng):
    """Some thousand edges, parallel ones and loops among them, of every type of weight."""
    n, m = 500, 5000
    ends = (rng.integers(0, n, m), rng.integers(0, n - 1, m))
    if request.param is None:
        return gp.Graph(ends, num_vertices=n)
    dtype = np.dtype(request.param)
    weights = rng.normal(0, 1e6, m) if dtype.kind == "f" else rng.integers(*np.array([-1, 1]) * np.iinfo(dtype).max, m)
    return gp.Graph((*ends, weights.astype(dtype)), num_vertices=n)


def test_numpy_reads_the_edge_list(tmp_path, larger):
    for suffix, delimiter in ((".txt", None), (".tsv", "\t"), (".csv", ",")):
        larger.to_file(tmp_path / f"g{suffix}", header=False)
        columns = np.loadtxt(tmp_path / f"g{suffix}", dtype=str, delimiter=delimiter, unpack=True)
        assert len(columns) == 2 + larger.is_weighted
        for found, wanted in zip(columns, entries_of(larger)):
            np.testing.assert_array_equal(found.astype(wanted.dtype), wanted)


def test_networkx_reads_the_edge_list(tmp_path):
    graph = gp.Graph(ZOO["complete"]())
    graph.to_file(tmp_path / "g.wel", header=False)
    read = nx.read_weighted_edgelist(tmp_path / "g.wel", nodetype=int, create_using=nx.DiGraph)
    wanted = zip(*(column.tolist() for column in entries_of(graph)))
    assert sorted(read.edges(data="weight")) == sorted(wanted)


@pytest.mark.needs("scipy.io", "fast_matrix_market")
@pytest.mark.parametrize("library", ["scipy.io", "fast_matrix_market"])
def test_matrix_market_libraries_read_the_matrix(tmp_path, larger, library):
    mmread = importlib.import_module(library).mmread
    larger.to_file(tmp_path / "g.mtx")
    matrix = mmread(str(tmp_path / "g.mtx")).tocoo()
    assert matrix.shape == (500, 500)
    found = (matrix.row, matrix.col, matrix.data)
    for column, wanted in zip(found, entries_of(larger)):
        np.testing.assert_array_equal(column, wanted)
    field = scipy.io.mminfo(tmp_path / "g.mtx")[3:]
    kind = "pattern" if larger.weights is None else {"i": "integer", "f": "real"}[larger.weights.dtype.kind]
    assert field == ("coordinate", kind, "general")


def test_scipy_loads_the_npz(tmp_path, larger):
    larger.to_file(tmp_path / "g.npz")
    matrix = scipy.sparse.load_npz(tmp_path / "g.npz")
    assert isinstance(matrix, scipy.sparse.csr_array)
    assert matrix.shape == (500, 500)
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
    assert matrix.data.dtype == (larger.weights.dtype if larger.is_weighted else bool)
    matrix.check_format()
    np.testing.assert_array_equal(matrix.indptr, larger.indptr)
    np.testing.assert_array_equal(matrix.indices, larger.indices)
    np.testing.assert_array_equal(matrix.data, entries_of(larger)[2])


def test_metis_files_list_every_edge_at_both_ends(tmp_path, rng):
    once = gp.Graph((rng.integers(0, 300, 2000), rng.integers(0, 300, 2000)), num_vertices=310).symmetrize().simplify()
    once.to_file(tmp_path / "g.graph")
    header, *lines = (tmp_path / "g.graph").read_text().split("\n")
    assert header == f"310 {once.num_edges // 2}"
    assert lines.pop() == ""
    assert len(lines) == 310
    sources, destinations, _ = entries_of(once)
    assert [(u, int(v) - 1) for u, line in enumerate(lines) for v in line.split()] == list(
        zip(sources.tolist(), destinations.tolist())
    )


# Labels


def by_label(graph):
    """Rows as {label: [(label, weight), ...]}, rows in the order they have."""
    labels = graph.labels.tolist()
    rows = {}
    for u, v, weight in zip(*(column.tolist() for column in entries_of(graph))):
        rows.setdefault(labels[u], []).append((labels[v], repr(float(weight))))
    return rows


@RANDOM
@given(graphs(), st.data())
def test_labels_read_back_with_relabel(tmp_path, graph, data):
    n = graph.num_vertices
    numbers = st.one_of(st.integers(0, 15), st.integers(0, 2**63 - 1))
    labels = data.draw(st.lists(numbers, min_size=n, max_size=n, unique=True))
    labelled = gp.Graph._made(graph._core, np.array(labels, np.int64))
    path = tmp_path / "g.txt"
    columns = zip(*(column.tolist() for column in entries_of(graph)))
    edges = [(labels[u], labels[v]) for u, v, _ in columns]
    # The rule of edge lists: a first line is a header if it tells the lines that follow and is above their ids.
    (a, b), *later = edges or [(0, 1)]
    is_ambiguous = (
        not graph.is_weighted and 1 <= a < 2**32 and len(later) == b and all(x < a for edge in later for x in edge)
    )
    if is_ambiguous:
        assert f'the first line, "{a} {b}", would be read as a header' in refusal(labelled, path, labels=True)
        labelled.to_file(path, labels=True, header=False)
        reading = {"header": False}
    else:
        labelled.to_file(path, labels=True)
        reading = {}
    if edges:
        assert by_label(gp.Graph.from_file(path, relabel=True, **reading)) == by_label(labelled)
        labelled.to_file(path, labels=True, header=True)
        assert by_label(gp.Graph.from_file(path, relabel=True, header=True)) == by_label(labelled)
    else:
        assert path.read_text() == ""
    if path.exists():
        path.unlink()


def test_labels_are_written_only_when_asked_for(tmp_path):
    graph = gp.Graph(([30, 10], [10, 20], [5, 6]), relabel=True)
    graph.to_file(tmp_path / "g.txt")
    assert (tmp_path / "g.txt").read_text() == "3 2\n0 1 6\n2 0 5\n"
    graph.to_file(tmp_path / "g.txt", labels=True)
    assert (tmp_path / "g.txt").read_text() == "10 20 6\n30 10 5\n"
    graph.to_file(tmp_path / "g.txt", labels=True, header=True)
    assert (tmp_path / "g.txt").read_text() == "3 2\n10 20 6\n30 10 5\n"


def test_integer_nodes_of_networkx_are_labels_that_can_be_written(tmp_path):
    gp.Graph(nx.DiGraph([(7, 3), (3, 2**40)])).to_file(tmp_path / "g.txt", labels=True)
    assert (tmp_path / "g.txt").read_text() == f"7 3\n3 {2**40}\n"


@pytest.mark.parametrize(
    ("edges", "what"),
    [
        ([("a", "b")], "vertex 0 has the label 'a'"),
        ([(0, "b")], "vertex 1 has the label 'b'"),
        ([(1, 2.5)], "vertex 1 has the label 2.5"),
        ([(1, -2)], "labels go from -2 to 1"),
        ([(1, 2**63)], f"labels go from 1 to {2**63}"),
        ([(0, 1)], "this graph has no labels"),
    ],
)
def test_labels_that_are_no_ids_are_refused(tmp_path, edges, what):
    assert what in refusal(gp.Graph(nx.DiGraph(edges)), tmp_path / "g.txt", labels=True)


def test_two_vertices_of_one_label_are_refused(tmp_path, small):
    graph = gp.Graph._made(small._core, np.array([5, 1, 2, 5, 7]))
    assert "two vertices have the label 5" in refusal(graph, tmp_path / "g.txt", labels=True)


# What is refused


def test_an_unknown_name_is_refused_with_the_formats(tmp_path, small):
    for name in ("g", "g.xyz", "g.gz", "g.txt.zip", "g.graph.zst", "g.json"):
        found = refusal(small, tmp_path / name)
        assert "the name does not say the format; give format=" in found
        for known in (*SUFFIXES, ".txt", ".mtx", ".graph", ".gr", ".npz"):
            assert known in found
    for name in ("g.sg", "g.wsg.gz", "g.v"):
        assert "read, not written" in refusal(small, tmp_path / name)
    assert "allowed are 'edge_list'" in refusal(small, tmp_path / "g.txt", format="gap")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("g.mtx", {"header": True}),
        ("g.graph", {"labels": True}),
        ("g.txt", {"dialect": "metis"}),
        ("g.npz", {"header": False}),
    ],
)
def test_options_for_other_formats_are_refused(tmp_path, small, name, options):
    assert f"{next(iter(options))}= is for format" in refusal(small, tmp_path / name, **options)


def test_metis_names_the_first_edge_without_a_partner(tmp_path):
    path = tmp_path / "g.graph"
    found = refusal(gp.Graph(([0, 1, 1, 2], [1, 0, 2, 0])), path)
    assert found.startswith("edge 1 -> 2 has no edge back")
    assert "use symmetrize() or another format" in found
    assert "edge 0 -> 1 has another weight" in refusal(gp.Graph(([0, 1], [1, 0], [1, 2])), path)
    assert "edge 1 -> 0 has the weight 2.5" in refusal(gp.Graph(([0, 1], [1, 0], [1, 2.5])), path)
    assert "dialect='dimacs10'" in refusal(gp.Graph(([0], [0])), path)
    assert "dialect='dimacs10'" in refusal(gp.Graph(([0, 0, 1, 1], [1, 1, 0, 0])), path)
    assert "allowed are 'metis' and 'dimacs10'" in refusal(gp.Graph(([0, 1], [1, 0])), path, dialect="auto")


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ({"weights": [0.5, 1.5]}, 'vertex_data["weights"] has dtype float64'),
        ({"weights": [[[1]], [[2]]]}, "shape (2, 1, 1)"),
        ({"weights": [[1], [-1]]}, "vertex 1 has the weight -1"),
        ({"weights": np.array([1, 2**63], np.uint64)}, f"goes up to {2**63}"),
        ({"sizes": [[1], [2]]}, 'vertex_data["sizes"]'),
        ({"sizes": [-4, 2]}, "vertex 0 has the size -4"),
        ({"sizes": [True, False]}, 'vertex_data["sizes"] has dtype bool'),
    ],
)
def test_vertex_data_that_metis_cannot_say_are_refused(tmp_path, data, what):
    graph = gp.Graph(([0, 1], [1, 0]), vertex_data={name: np.array(values) for name, values in data.items()})
    assert what in refusal(graph, tmp_path / "g.graph")
    graph.to_file(tmp_path / "g.txt")


# Whole files or none


def test_a_folder_that_is_not_there_is_named(tmp_path, small):
    with pytest.raises(FileNotFoundError) as caught:
        small.to_file(tmp_path / "nowhere" / "g.txt")
    assert caught.value.filename == str(tmp_path / "nowhere" / "g.txt")


def test_what_is_refused_leaves_the_old_file(tmp_path, small):
    (tmp_path / "g.graph").write_text("old")
    refusal(small, tmp_path / "g.graph")
    assert (tmp_path / "g.graph").read_text() == "old"


@pytest.mark.parametrize("suffix", [".txt", ".txt.gz", ".mtx.xz", ".npz", ".npz.bz2"])
def test_a_full_device_is_an_error(tmp_path, small, suffix):
    (tmp_path / f"full{suffix}").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space"):
        small.to_file(tmp_path / f"full{suffix}")


LIMITED = """
    import resource, signal, sys
    import gaspipe as gp
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    graph = gp.generate.uniform(1000, 200_000, seed=2, weights=(1, 1 << 30))
    try:
        graph.to_file(sys.argv[1])
    except OSError as error:
        print(error.strerror)
"""


@pytest.mark.parametrize(
    ("suffix", "old"), [(".txt", None), (".txt", b"old"), (".mtx.gz", b"old"), (".npz", None), (".npz.gz", b"old")]
)
def test_no_space_half_way_leaves_what_was_there(tmp_path, suffix, old):
    path = tmp_path / f"g{suffix}"
    if old is not None:
        path.write_bytes(old)
    command = [sys.executable, "-c", textwrap.dedent(LIMITED), path]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=120, text=True)
    assert done.stdout == "File too large\n"
    assert os.listdir(tmp_path) == ([] if old is None else [path.name])
    assert old is None or path.read_bytes() == old


INTERRUPTED = """
    import signal, sys, time
    signal.signal(signal.SIGINT, signal.default_int_handler)
    import gaspipe as gp
    graph = gp.generate.kronecker(15, 16, seed=1, weights=(1, 255))
    print("ready", flush=True)
    try:
        while True:
            graph.to_file(sys.argv[1], num_threads=int(sys.argv[2]))
    except KeyboardInterrupt:
        print(time.monotonic(), flush=True)
    graph = gp.Graph(([0, 1], [1, 0]))
    graph.to_file(sys.argv[1])
"""


@pytest.mark.parametrize(("suffix", "threads"), [(".txt", 1), (".txt", 2), (".graph", 2), (".mtx.xz", 2), (".npz", 1)])
def test_interrupted_there_is_no_half_file_and_no_rest(tmp_path, suffix, threads):
    path = tmp_path / f"g{suffix}"
    path.write_bytes(b"old")
    command = [sys.executable, "-c", textwrap.dedent(INTERRUPTED), path, str(threads)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        while len(os.listdir(tmp_path)) < 2 and process.poll() is None:  # until it writes
            time.sleep(0.001)
        time.sleep(0.05)
        assert process.poll() is None, process.stderr.read()
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=120)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, errors
    seconds = float(output.split()[0]) - sent
    print(f"stopped {1e3 * seconds:.0f} ms after the signal")
    assert seconds < 5
    assert os.listdir(tmp_path) == [path.name]
    assert gp.Graph.from_file(path).num_edges == 2


def test_a_pipe_takes_the_text_as_it_is(small):
    script = "import gaspipe as gp; gp.Graph(([0, 1], [1, 0]), num_vertices=3).to_file('/dev/stdout', format={!r})"
    for format, wanted in (("edge_list", b"3 2\n0 1\n1 0\n"), ("metis", b"3 1\n2\n1\n\n")):
        done = subprocess.run([sys.executable, "-c", script.format(format)], stdout=subprocess.PIPE, check=True)
        assert done.stdout == wanted
    done = subprocess.run([sys.executable, "-c", script.format("npz")], stdout=subprocess.PIPE, check=True)
    assert scipy.sparse.load_npz(io.BytesIO(done.stdout)).toarray().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]


PEAK = """
    import resource, sys
    import gaspipe as gp
    graph = gp.generate.uniform(1 << 16, 3_000_000, seed=2, weights=(1, 1 << 30))
    gp.generate.star(70_000).to_file(sys.argv[1])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    graph.to_file(sys.argv[1], num_threads=2)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_memory_does_not_grow_with_the_graph(tmp_path):
    path = tmp_path / "g.txt"
    command = [sys.executable, "-c", textwrap.dedent(PEAK), path]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=300, text=True)
    assert path.stat().st_size > 50 << 20
    assert int(done.stdout) << 10 < 24 << 20
