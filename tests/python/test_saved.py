# SPDX-License-Identifier: Apache-2.0
"""Gaspipe's own file: what comes back is what was saved, and damage is found before it does harm."""

import copy
import os

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import gaspipe as gp
import zoo
from gaspipe._formats.gaspipe import labels as json_labels
from saved_files import assert_same, labelled, typed
from streams import AMPLE

# Round trips


@pytest.mark.parametrize("options", [{}, {"mmap": False}, {"verify": False}, {"mmap": False, "verify": False}])
@pytest.mark.parametrize("name", zoo.ZOO)
def test_the_zoo_comes_back(tmp_path, name, options):
    graph = gp.Graph(zoo.ZOO[name]())
    graph.save(tmp_path / "graph.gaspipe")
    assert_same(graph, gp.Graph.load(tmp_path / "graph.gaspipe", **options))
    assert_same(graph, gp.Graph.from_file(tmp_path / "graph.gaspipe"))
    assert os.listdir(tmp_path) == ["graph.gaspipe"]


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64, bool])
@pytest.mark.parametrize("shape", [(5, 5), (3, 7), (7, 3), (1, 4)])
def test_weights_and_shapes_come_back(tmp_path, rng, dtype, shape):
    dense = (rng.integers(0, 2, shape) * rng.integers(1, 9, shape)).astype(dtype)
    graph = gp.Graph(sp.csr_array(dense), rectangular=True)
    graph.save(tmp_path / "graph")
    loaded = gp.Graph.load(tmp_path / "graph")
    assert_same(graph, loaded)
    assert loaded.to_scipy().toarray().tolist() == dense.tolist()
    if shape[0] == shape[1]:
        assert_same(graph, gp.Graph.from_file(tmp_path / "graph"))
    else:
        assert_same(graph, gp.Graph.from_file(tmp_path / "graph", rectangular=True))
        with pytest.raises(gp.InputError, match=r"rows and .* columns.*square"):
            gp.Graph.from_file(tmp_path / "graph")


@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize("shape", [(3, 0), (0, 3), (0, 0)])
def test_matrices_without_rows_or_columns_come_back(tmp_path, shape, blocks):
    graph, path = gp.Graph(sp.csr_array(shape), rectangular=True), tmp_path / "graph.gaspipe"
    graph.save(path, blocks=blocks)
    assert_same(graph, gp.Graph.load(path))
    assert_same(graph, gp.Graph.load(path, mmap=False))
    assert_same(graph, gp.Graph.from_file(path, rectangular=True))
    gp.convert(path, tmp_path / "again.gaspipe", rectangular=True)
    assert gp.Graph.load(tmp_path / "again.gaspipe").shape == shape
    with pytest.raises(gp.InputError, match=r"graph\.gaspipe: .*(square|no vertices)"):
        gp.Graph.from_file(path)
    with pytest.raises(gp.InputError, match=r"graph\.gaspipe: .*(square|no vertices)"):
        gp.convert(path, tmp_path / "other.gaspipe")


def test_matrices_without_rows_or_columns_run_in_their_file(tmp_path):
    for shape in ((3, 0), (0, 3)):
        gp.Graph(sp.csr_array(shape), rectangular=True).save(
            tmp_path / "graph", blocks=True, views=("forward", "reverse")
        )
        streamed = gp.Graph.load(tmp_path / "graph", memory=AMPLE)
        assert gp.spmv(streamed, np.ones(shape[1])).product.tolist() == [0] * shape[0]
    gp.Graph(sp.csr_array((0, 0)), rectangular=True).save(tmp_path / "graph", blocks=True)
    with pytest.raises(gp.InputError, match="a matrix of 0 x 0 has no edges to leave in the file"):
        gp.Graph.load(tmp_path / "graph", memory=AMPLE)


def test_offsets_of_64_bits_come_back(tmp_path):
    graph = gp.Graph._made(
        gp._core.Graph.from_csr(3, 3, np.array([0, 1, 1, 2], np.uint64), np.array([1, 0], np.uint32), None, False, 0)
    )
    assert graph.indptr.dtype == np.uint64
    graph.save(tmp_path / "graph")
    assert_same(graph, gp.Graph.load(tmp_path / "graph"))


@pytest.mark.parametrize(
    "labels",
    [
        np.array([5, -7, 2**62]),
        np.array([5, 7, 2**64 - 1], np.uint64),
        np.array([1, 2, 3], np.int8),
        np.array([1, 2, 3], ">i4"),
        np.array([0.5, np.nan, -0.0]),
        np.array([True, False]),
        np.array([1 + 2j, 3]),
        np.array(["a", "Ünïcode \U0001f600", ""]),
        np.array([b"a", b"bc"]),
        np.array(["2024-01-01", "NaT"], "datetime64[ns]"),
        np.array([1, 2], "timedelta64[25s]"),
        np.arange(20)[::5],
    ],
    ids=lambda labels: labels.dtype.str,
)
def test_labels_in_arrays_come_back(tmp_path, labels):
    graph = labelled(labels)
    graph.save(tmp_path / "graph")
    loaded = gp.Graph.load(tmp_path / "graph").labels
    assert loaded.dtype == labels.dtype.newbyteorder("=")
    assert loaded.tobytes() == np.ascontiguousarray(labels, loaded.dtype).tobytes()


OBJECTS = [
    "text", "", "\0", '"\\\n', "é\U0001f600", "\ud83d", "\ud83d\ude00", 0, 1, -1, 2**63, 2**64, -(2**200), 10**5000,
    True, False, None, 0.0, -0.0, 1.0, 1e300, 5e-324, 0.1, float("nan"), float("inf"), float("-inf"), (), (1, "a"),
    ((1, 2.0), (None, (True, float("nan")))),
]  # fmt: skip


@pytest.mark.parametrize(
    "labels", [OBJECTS, [o for o in OBJECTS if o == "text"], [0, 1.0, "2", True], [(0, 1), (1, 0)]]
)
def test_labels_that_are_objects_come_back_with_their_types(tmp_path, labels):
    graph = labelled(labels)
    graph.save(tmp_path / "graph")
    loaded = gp.Graph.load(tmp_path / "graph")
    assert loaded.labels.dtype == object
    # repr would refuse the digits of 10**5000
    assert [typed(label) if label != 10**5000 else label for label in loaded.labels] == [
        typed(label) if label != 10**5000 else label for label in labels
    ]


nested = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4).map(tuple),
    max_leaves=10,
)


@settings(max_examples=200, deadline=None)
@given(st.lists(nested, min_size=1, max_size=20))
def test_any_such_labels_come_back(tmp_path_factory, labels):
    content = np.frombuffer(json_labels.labels_to_json(labels), np.uint8)
    loaded = json_labels.labels_from_json(content, len(labels), "file")
    assert list(map(typed, loaded)) == list(map(typed, labels))


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        (b"bytes", "bytes"),
        ([1], "list"),
        ({"float": "nan"}, "dict"),
        (frozenset(), "frozenset"),
        (np.int64(3), r"numpy\.int64"),
        (np.float64(3), r"numpy\.float64"),
        (Text("a"), r"test_saved\.Text"),
        ((1, (2, b"x")), "bytes"),
        (1j, "complex"),
    ],
    ids=str,
)
def test_other_labels_are_refused_by_name_vertex_and_type(tmp_path, label, kind):
    with pytest.raises(gp.InputError, match=rf"vertex 2 is a {kind};.*tuples"):
        labelled(["a", "b", label]).save(tmp_path / "graph")
    assert os.listdir(tmp_path) == []


def test_labels_in_records_are_refused(tmp_path):
    with pytest.raises(gp.InputError, match="labels of dtype"):
        labelled(np.zeros(2, [("a", "i4"), ("b", "O")])).save(tmp_path / "graph")
    with pytest.raises(gp.InputError, match=r"float128|longdouble"):
        labelled(np.zeros(2, np.longdouble)).save(tmp_path / "graph")


def test_data_of_vertices_come_back(tmp_path):
    data = {
        "weights": np.arange(12).reshape(4, 3),
        "é": np.array([0.5, 1, 2, np.nan], np.float32),
        "flags": np.array([True, False, True, True]),
        "none": np.zeros((4, 0)),
        "columns": np.asfortranarray(np.arange(8, dtype=np.uint16).reshape(4, 2)),
        "deep": np.arange(24, dtype=">i8").reshape(4, 2, 3),
    }
    graph = gp.Graph(([0, 1], [1, 3]), vertex_data=data)
    graph.save(tmp_path / "graph")
    for options in ({}, {"mmap": False}):
        loaded = gp.Graph.load(tmp_path / "graph", **options).vertex_data
        assert list(loaded) == list(data)
        for name, values in data.items():
            np.testing.assert_array_equal(loaded[name], values)
            assert loaded[name].dtype == values.dtype.newbyteorder("=")


def test_networkx_names_and_algorithms_on_a_loaded_graph(tmp_path):
    import networkx as nx

    graph = gp.Graph(nx.grid_2d_graph(4, 3))
    graph.save(tmp_path / "graph")
    loaded = gp.Graph.load(tmp_path / "graph")
    assert loaded.id_of((3, 2)) == graph.id_of((3, 2))
    wanted = nx.single_source_shortest_path_length(nx.grid_2d_graph(4, 3), (0, 0))
    assert gp.bfs(loaded, (0, 0)).to_dict() == wanted
    assert_same(loaded, copy.deepcopy(loaded))
    assert_same(loaded.transpose().transpose(), graph.transpose().transpose())
