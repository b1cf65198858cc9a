# SPDX-License-Identifier: Apache-2.0
"""Vertices are named as users name them, wherever one is named; the right answers are NetworkX's."""

import copy
import datetime
import json
import pickle
import re

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import gaspipe as gp
from command import gaspipe
from gaspipe.testing import assert_devices_agree

NAMES = {
    "from one": lambda v: v + 1,
    "backwards": lambda v: 9 - v,
    "negative": lambda v: 3 * v - 20,
    "strings": lambda v: f"station {v}",
    "digits": lambda v: f"{v:03}",
    "pairs": lambda v: divmod(v, 3),
    "floats": lambda v: v / 4,
    "mixed": lambda v: [v, f"{v}", (v, "x"), frozenset([v]), -v - 0.5][v % 5],
    "numpy": lambda v: np.int64(v * 7 + 1),
    "days": lambda v: datetime.date(2024, 1, 1 + v),
}


@pytest.fixture(params=NAMES)
def source(request):
    """A directed NetworkX graph of ten nodes with weights; not all can be reached from everywhere."""
    plain = nx.gnm_random_graph(10, 22, seed=4, directed=True)
    graph = nx.relabel_nodes(plain, NAMES[request.param])
    for k, (u, v) in enumerate(graph.edges):
        graph[u][v]["weight"] = 1 + k * 7 % 5
    return graph


def reached(answer):
    return {vertex: value for vertex, value in answer.to_dict().items() if value >= 0}


def test_the_answers_of_the_issue():
    assert gp.bfs(nx.path_graph([1, 2, 3, 4]), root=1).to_dict() == {1: 0, 2: 1, 3: 2, 4: 3}
    assert gp.bfs(nx.path_graph([1, 2, 3, 4]), 4).depth.tolist() == [3, 2, 1, 0]


@pytest.mark.parametrize("dtype", [None, object])
@pytest.mark.parametrize("options", [{}, {"relabel": True}])
def test_strings_name_the_ends_of_edges(dtype, options):
    ends = np.array(["oslo", "rome", "bergen", "rome"], dtype), np.array(["rome", "bergen", "oslo", "oslo"], dtype)
    graph = gp.Graph((*ends, [4, 3, 2, 9]), **options)
    plain = nx.DiGraph()
    plain.add_weighted_edges_from(zip(*(end.tolist() for end in ends), [4, 3, 2, 9]))
    assert graph.labels.tolist() == sorted(plain)
    for city in plain:
        assert gp.sssp(graph, city).to_dict() == nx.single_source_dijkstra_path_length(plain, city)
    assert gp.bfs((["b", "a"], ["c", "b"]), "a").to_dict() == {"a": 0, "b": 1, "c": 2}


@pytest.mark.parametrize(
    ("ends", "options", "text"),
    [
        ((["a"], [1]), {}, "sources have dtype <U1 and destinations int64; both are integers, or both strings"),
        (([b"a"], [b"b"]), {}, "dtype |S1; vertex ids are integers, or strings"),
        ((["a", None], ["b", "c"]), {}, "dtype object; vertex ids are integers, or strings"),
        ((["a"], ["b"]), {"num_vertices": 4}, "num_vertices is 4, but strings call the vertices; omit num_vertices="),
        (([1], [2]), {"num_vertices": 4, "relabel": True}, "num_vertices is 4, but relabel=True counts"),
    ],
)
def test_ends_that_cannot_be_named_so_are_refused(ends, options, text):
    with pytest.raises(gp.InputError) as error:
        gp.Graph(ends, **options)
    assert text in str(error.value)


@pytest.mark.skipif(not hasattr(getattr(np, "dtypes", None), "StringDType"), reason="comes with NumPy 2")
def test_strings_of_numpys_own_type_are_names():
    made = np.dtypes.StringDType()
    graph = gp.Graph((np.array(["oslo", "rome"], made), np.array(["rome", "bergen"], made)))
    assert graph.labels.tolist() == ["bergen", "oslo", "rome"]
    assert graph.ids_of(np.array(["rome", "oslo"], made)).tolist() == [2, 1]
    has_none = np.array(["oslo", None], np.dtypes.StringDType(na_object=None))
    with pytest.raises(gp.InputError, match="vertex ids are integers, or strings"):
        gp.Graph((has_none, has_none))


def test_roots_are_nodes(source):
    graph = gp.Graph(source)
    for node in source:
        assert reached(gp.bfs(source, root=node)) == nx.single_source_shortest_path_length(source, node)
        assert reached(gp.sssp(graph, node)) == nx.single_source_dijkstra_path_length(source, node)


def test_indices_are_positions_among_the_labels(source):
    graph = gp.Graph(source)
    for v, node in enumerate(source):
        assert np.array_equal(gp.bfs(graph, gp.index(v)).depth, gp.bfs(graph, node).depth)
    spread = gp.closeness(graph, vertices=gp.index([0, 3])).closeness
    assert np.flatnonzero(~np.isnan(spread)).tolist() == [0, 3]


def test_vertices_are_nodes(source):
    wanted = nx.closeness_centrality(source)
    nodes = list(source)
    for some in ([nodes[7], nodes[2]], nodes[:1], [gp.index(3), nodes[4]], set(nodes[:3]), nodes, []):
        found = gp.closeness(source, vertices=some).to_dict()
        asked = {nodes[v.value] if isinstance(v, gp.Index) else v for v in some}
        assert {vertex for vertex, value in found.items() if not np.isnan(value)} == asked
        assert {vertex: found[vertex] for vertex in asked} == pytest.approx({v: wanted[v] for v in asked})


def test_personalization_goes_by_node(source):
    graph = gp.Graph(source)
    nodes = list(source)
    weights = {nodes[6]: 2.0, nodes[1]: 1}
    wanted = nx.pagerank(source, personalization=weights, weight=None, tol=1e-13, max_iter=1000)
    found = gp.pagerank(graph, personalization=weights, tol=1e-13, max_iter=500)
    in_order = gp.pagerank(graph, personalization=[weights.get(v, 0) for v in graph.labels], tol=1e-13, max_iter=500)
    assert found.rank.tobytes() == in_order.rank.tobytes()
    assert found.to_dict() == pytest.approx(wanted, abs=1e-9)
    mixed = {gp.index(6): 2.0, nodes[1]: np.float32(1)}
    assert gp.pagerank(graph, personalization=mixed, tol=1e-13, max_iter=500).rank.tobytes() == found.rank.tobytes()


def test_a_dict_is_a_vector_of_spmv_too():
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([("a", "b", 2), ("b", "c", 3), ("a", "c", 5)])
    matrix = nx.to_scipy_sparse_array(graph)
    found = gp.spmv(graph, {"c": 7, "b": 1})
    assert found.to_dict() == dict(zip(graph, (matrix @ np.array([0, 1, 7])).tolist()))
    assert found.product.dtype == np.int64


def test_a_dict_of_ids_is_a_personalization_where_there_are_no_labels():
    matrix = sp.csr_array((np.ones(4, bool), ([0, 1, 2, 3], [1, 2, 3, 0])))
    wanted = nx.pagerank(nx.DiGraph(matrix), personalization={2: 1, 0: 3}, tol=1e-12, max_iter=1000)
    for weights in ({2: 1, 0: 3}, {np.uint8(2): 1, gp.index(0): 3}):
        found = gp.pagerank(matrix, personalization=weights, tol=1e-13, max_iter=500).to_dict()
        assert found == pytest.approx(wanted, abs=1e-9)


def test_answers_are_personalizations_in_the_order_of_labels(source):
    graph = gp.Graph(source)
    rank = gp.pagerank(graph)
    assert np.array_equal(
        gp.pagerank(graph, personalization=rank.to_dict()).rank, gp.pagerank(graph, personalization=rank).rank
    )


# Numbers that are equal are one label, whatever their type.


@pytest.mark.parametrize("kind", [int, np.int8, np.int64, np.uint64, np.array, float, np.float32])
@pytest.mark.parametrize("make", [nx.path_graph, lambda nodes: gp.Graph((nodes[:-1], nodes[1:]), relabel=True)])
def test_numbers_of_other_types_are_the_same_label(make, kind):
    graph = make([3, 50, 60, 100])
    assert gp.bfs(graph, kind(50)).to_dict()[100] == 2


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.int64, np.uint64])
def test_integer_labels_are_found_by_arrays_of_every_type(rng, dtype):
    labels = rng.permutation(100)[:40]
    graph = gp.Graph((labels[:-1], labels[1:]), relabel=True).reorder(rng.permutation(40))
    assert graph.ids_of(labels[:9].astype(dtype)).tolist() == [graph.labels.tolist().index(v) for v in labels[:9]]
    assert graph.ids_of(map(int, labels)).tolist() == [graph.id_of(v) for v in labels.tolist()]
    assert graph.labels[graph.ids_of(labels)].tolist() == labels.tolist()
    absent = next(v for v in range(100) if v not in labels)
    with pytest.raises(gp.InputError, match=f"labels: there is no vertex {absent}; labels are "):
        graph.ids_of(np.array([labels[0], absent, labels[1]], dtype))


@pytest.mark.parametrize("label", [2**63, -(2**63), 2**64, -1, 1.5, float("nan"), float("inf"), "5", True, None, (5,)])
@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_integer_labels_refuse_what_is_none_of_them(dtype, label):
    graph = gp.Graph((np.array([5, 2**53], dtype), np.array([2**53 + 1, 1], dtype)), relabel=True)
    assert graph.labels.dtype == dtype
    with pytest.raises(gp.InputError, match="there is no vertex"):
        gp.bfs(graph, label)
    for many in ([5, label], np.array([5, label], object)):
        with pytest.raises(gp.InputError, match="vertices: there is no vertex"):
            gp.closeness(graph, vertices=many)
    assert [graph.id_of(v) for v in (1, 5, 2**53, 2**53 + 1)] == [0, 1, 2, 3]
    assert graph.ids_of(np.array([2**53 + 1, 2**53], np.uint64)).tolist() == [3, 2]


def test_bools_are_no_numbers():
    assert reached(gp.bfs(nx.path_graph([False, True, 2]), True)) == {False: 1, True: 0, 2: 1}
    for graph, root in ((nx.path_graph([0, 1, "x"]), True), (nx.path_graph([False, True, "x"]), 1)):
        with pytest.raises(gp.InputError, match=f"root: there is no vertex {root}; labels are "):
            gp.bfs(graph, root)


def test_times_are_labels_and_numbers_are_none_of_them():
    days = pd.DataFrame({"u": pd.to_datetime(["1970-01-01", "2024-03-02"]), "v": pd.to_datetime(["2024-03-02"] * 2)})
    for root in (datetime.datetime(1970, 1, 1), np.datetime64("1970-01-01"), pd.Timestamp("1970-01-01"), "1970-01-01"):
        assert gp.bfs(days, root).depth.tolist() == [0, 1]
    with pytest.raises(gp.InputError, match=r"root: there is no vertex 0; .* gp.index\(0\) is the vertex "):
        gp.bfs(days)


# What is wrong is one error that says what to do.


def test_the_default_is_the_label_0_and_nothing_else():
    assert reached(gp.bfs(nx.DiGraph([(5, 0), (0, 7)]))) == {0: 0, 7: 1}
    message = r"root: there is no vertex 0; labels are 1, 2, 3, 4, \.\.\.; gp.index\(0\) is the vertex 1$"
    for call in (gp.bfs, gp.sssp):
        with pytest.raises(gp.InputError, match=message):
            call(nx.path_graph([1, 2, 3, 4, 5]))
        with pytest.raises(gp.InputError, match=message):
            call(nx.path_graph([1, 2, 3, 4, 5]), root=np.int32(0))
    with pytest.raises(
        gp.InputError, match=r"root: there is no vertex 0; labels are 'a', 'b'; gp.index\(0\) is .*'a'$"
    ):
        gp.bfs(nx.path_graph(["a", "b"]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"root": "c"}, r"root: there is no vertex 'c'; labels are 'a', 'b'$"),
        ({"root": 1}, r"root: there is no vertex 1; labels are 'a', 'b'; gp.index\(1\) is the vertex 'b'$"),
        ({"root": 2}, r"root: there is no vertex 2; labels are 'a', 'b'$"),
        ({"root": ["a"]}, r"root: there is no vertex \['a'\]; "),
        ({"root": np.array(["a"])}, "root: there is no vertex array"),
        ({"root": None}, "root: there is no vertex None; "),
        ({"root": gp.index(2)}, "root is 2; the graph's 2 vertices allow 0 to 1"),
        ({"root": gp.index(-1)}, "root is -1; "),
        ({"root": gp.index([1])}, r"root has gp.index\(\[1\]\) where one vertex is needed"),
        ({"vertices": "ab"}, "vertices is 'ab'; a list or an array of vertices is needed"),
        ({"vertices": 1}, "vertices is 1; a list or an array of vertices is needed"),
        ({"vertices": ["a", "c"]}, "vertices: there is no vertex 'c'; "),
        ({"vertices": [0]}, r"vertices: there is no vertex 0; labels .*; gp.index\(0\) is the vertex 'a'"),
        ({"vertices": [["a"]]}, r"vertices: there is no vertex \['a'\]; "),
        ({"vertices": [gp.index([0, 1])]}, r"vertices has gp.index\(\[0, 1\]\) where one vertex is needed"),
        ({"vertices": np.array([["a"]])}, "vertices has 2 dimensions; one is needed"),
        ({"vertices": gp.index([0, 2])}, r"vertices\[1\] is 2; "),
        ({"personalization": {"c": 1}}, "personalization: there is no vertex 'c'; "),
        ({"personalization": {gp.index(2): 1}}, r"there is no vertex gp.index\(2\); indices are 0 to 1"),
        ({"personalization": {gp.index(-1): 1}}, r"there is no vertex gp.index\(-1\); indices are 0 to 1"),
        ({"personalization": {"a": 1, gp.index(0): 2}}, r"has a vertex twice, by its label and as gp.index\(\)"),
        ({"personalization": {"a": "much"}}, "personalization has the value 'much'; a real number"),
        ({"personalization": {"a": 1j}}, "personalization has the value 1j; a real number"),
        ({"personalization": {"a": [1, 2], "b": 3}}, r"personalization has the value \[1, 2\]; a real number"),
        ({"personalization": {}}, "personalization sums to 0"),
        ({"personalization": {"a": -1}}, r"personalization\[0\] is -1"),
    ],
    ids=str,
)
def test_vertices_that_are_none_are_refused(arguments, message):
    call = {"root": gp.bfs, "vertices": gp.closeness, "personalization": gp.pagerank}[next(iter(arguments))]
    with pytest.raises(gp.InputError, match=message):
        call(nx.path_graph(["a", "b"]), **arguments)


@pytest.mark.parametrize("names", [["a", "b", "c"], [10, 20, 30]], ids=["strings", "integers"])
def test_ids_of_labels_are_checked_as_arguments_are(names):
    graph = gp.Graph((names[:2], names[1:]), relabel=True)
    wanted = [2, 0]
    some = [names[2], names[0]]
    for given in (some, tuple(some), iter(some), dict.fromkeys(some), np.array(some), pd.Series(some)):
        assert graph.ids_of(given).tolist() == wanted
    for given in (gp.index(wanted), [gp.index(2), names[0]], [gp.index(v) for v in wanted]):
        assert graph.ids_of(given).tolist() == wanted
    assert graph.ids_of([]).tolist() == graph.ids_of(gp.index([])).tolist() == []
    assert [graph.id_of(gp.index(v)) for v in range(3)] == [graph.id_of(name) for name in names] == [0, 1, 2]
    refused = {
        "there is no vertex gp.index(77); indices are 0 to 2": [gp.index([0, 77]), [names[0], gp.index(77)]],
        "there is no vertex gp.index(-1); indices are 0 to 2": [gp.index([-1]), [gp.index(-1)]],
        "labels is gp.index(0); a list or an array": [gp.index(0)],
        "labels has gp.index([0, 1]) where one vertex is needed": [[gp.index([0, 1])]],
        "labels is 0; a list or an array": [0],
        "labels is 'a'; a list or an array": ["a"],
        "labels has 2 dimensions; one is needed": [np.array([some]), pd.DataFrame({"label": some})],
        "labels has 0 dimensions; one is needed": [np.array(names[0])],
        "there is no vertex 'x'": [["x"], np.array(["x"])],
    }
    for text, several in refused.items():
        for given in several:
            with pytest.raises(gp.InputError, match=re.escape(text)):
                graph.ids_of(given)
    for vertex in (gp.index(3), gp.index(-1), gp.index([0])):
        with pytest.raises(gp.InputError, match=re.escape(f"there is no vertex {vertex!r}; indices are 0 to 2")):
            graph.id_of(vertex)


def test_indices_of_ids_of_are_not_those_that_were_given():
    given = gp.index([1, 0])
    found = gp.Graph((["a"], ["b"])).ids_of(given)
    found[0] = 0
    assert given == gp.index([1, 0])


def test_ids_that_are_none_are_refused_in_dicts_and_lists():
    graph = gp.Graph(([0, 1], [1, 0]))
    for vertex in (2, -1, 2**70, "0", 0.5, True, None, gp.index(5)):
        with pytest.raises(gp.InputError, match=r"personalization: there is no vertex .* its vertices are 0 to 1"):
            gp.pagerank(graph, personalization={0: 1, vertex: 1})
    assert gp.closeness(graph, vertices=[gp.index(1), 0]).closeness.tolist() == [1, 1]
    assert gp.bfs(graph, gp.index(np.uint8(1))).depth.tolist() == [1, 0]


# gp.index itself.


def test_an_index_is_a_value():
    one, many = gp.index(np.int16(3)), gp.index(range(4))
    assert (one, many) == (gp.index(3), gp.index([0, 1, 2, 3]))
    assert one != gp.index(4) and one != 3 and many != gp.index([0, 1]) and one != gp.index([3])
    assert len({one, gp.index(3), many, gp.index(range(4))}) == 2
    assert (repr(one), repr(many)) == ("gp.index(3)", "gp.index([0, 1, 2, 3])")
    assert isinstance(one, gp.Index) and type(one.value) is int and many.value.dtype == np.int64
    for value in (one, many):
        assert pickle.loads(pickle.dumps(value)) == copy.deepcopy(value) == gp.index(value) == value
    with pytest.raises(AttributeError):
        one.value = 4
    with pytest.raises(ValueError, match="read-only"):
        many.value[0] = 4
    values = gp.bfs(nx.path_graph("abcd"), "a")
    assert values[one] == 3 and values[many].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "value", [True, 1.0, "a", None, [1.5], [[1]], [[1], [1, 2]], [True], ["a"], [1, "a"], 2**64, [2**63], {}]
)
def test_an_index_is_of_integers(value):
    with pytest.raises(gp.InputError, match=r"gp.index\(\) is given "):
        gp.index(value)


# Other ways in.


def test_graphs_derived_of_a_graph_keep_the_names():
    source = nx.gnm_random_graph(60, 70, seed=2)
    source = nx.relabel_nodes(source, {v: f"v{v}" for v in source})
    component = source.subgraph(max(nx.connected_components(source), key=len))
    node = next(iter(component))
    wanted = nx.single_source_shortest_path_length(component, node)
    graph = gp.Graph(source)
    for shaped in (graph.largest_component(), graph.reorder(), graph.transpose(), graph.symmetrize(), graph.simplify()):
        assert reached(gp.bfs(shaped, node)) == wanted
        assert reached(gp.bfs(pickle.loads(pickle.dumps(shaped)), node)) == wanted
    plain = gp.generate.uniform(300, 250, seed=3)
    largest = plain.largest_component().reorder("hub")
    root = int(largest.labels[5])
    assert np.array_equal(gp.bfs(largest, root).depth, gp.bfs(plain, root).depth[largest.labels])


def test_tables_of_names_are_asked_by_name():
    table = pd.DataFrame({"from": ["oslo", "rome", "bonn"], "to": ["rome", "bonn", "bari"], "km": [2, 3, 4]})
    assert gp.sssp(table, root="rome").to_dict() == {"bari": 7, "bonn": 3, "oslo": -1, "rome": 0}
    found = gp.closeness(table, vertices=table["to"].unique()).to_dict()
    wanted = nx.closeness_centrality(nx.from_pandas_edgelist(table, "from", "to", create_using=nx.DiGraph))
    assert {k: v for k, v in found.items() if k != "oslo"} == pytest.approx(
        {k: v for k, v in wanted.items() if k != "oslo"}
    )
    assert gp.closeness(table, vertices=table["to"]).to_dict()["bari"] == pytest.approx(wanted["bari"])


def test_accelerators_predictions_and_comparisons_take_names():
    source = nx.gnm_random_graph(40, 90, seed=1)
    source = nx.relabel_nodes(source, {v: f"v{v}" for v in source})
    wanted = nx.single_source_shortest_path_length(source, "v7")
    graph = gp.Graph(source)
    with gp.Accelerator("bfs", device="emulator") as accelerator:
        accelerator.acceleratorDataLoad(graph)
        with pytest.raises(gp.InputError, match="root: there is no vertex 0; "):
            accelerator.acceleratorDataPreprocess()
        accelerator.acceleratorDataPreprocess(root="v7")
        while accelerator.acceleratorSuperStep():
            pass
        assert reached(accelerator.result()) == wanted
        assert type(accelerator.result()) is type(gp.bfs(graph, "v7"))
    assert reached(gp.predict("bfs", graph, root="v7")) == wanted
    assert reached(assert_devices_agree(gp.bfs, graph, root="v7")["emulator"]) == wanted
    some = {"v3": 1, "v9": 2}
    devices = assert_devices_agree("pagerank", graph, personalization=some, tolerance=1e-6)
    assert devices["cpu"].to_dict() == pytest.approx(nx.pagerank(source, personalization=some, tol=1e-9), abs=1e-5)


def test_devices_that_differ_are_told_by_name():
    def wrong_at_c(graph, device, fallback, **arguments):
        result = gp.bfs(graph, device=device, **arguments)
        result.values[2] += device == "emulator"
        return result

    with pytest.raises(AssertionError, match="vertex 'c' is 2, not 1; 1 differ"):
        assert_devices_agree(wrong_at_c, nx.path_graph("abc"), root="b")


@pytest.fixture
def nearest(compiled_snippets):
    """Algorithm of hooks: hops from a vertex, whose callable sees it as an id; a gain for each vertex of the answer."""
    seen = []

    def initial(graph, root=0):
        seen.append(root)
        return np.where(np.arange(graph.num_vertices) == root, 0, 1000)

    algorithm = gp.Algorithm(
        "nearest", scatter="src + 1", gather="min(a, b)", apply="min(acc, old) + zero", identity=1000,
        initial=initial, inputs={"zero": {"a": 0, "b": 0, "c": 0, "d": 0}}, until=("steps", 4),
        parameters={"root": 0, "other": gp.Parameter(0, vertex=True)},
    )  # fmt: skip
    algorithm.seen = seen
    return algorithm


def test_algorithms_of_users_take_names_and_dicts(nearest):
    source = nx.DiGraph([("d", "c"), ("c", "a"), ("a", "b")])
    graph = gp.Graph(source)
    wanted = {v: 1000 for v in source} | nx.single_source_shortest_path_length(source, "c")
    assert {v: min(n, 1000) for v, n in nearest(source, root="c", other="b").to_dict().items()} == wanted
    assert nearest.seen == [graph.id_of("c")]
    with pytest.raises(gp.InputError, match=r"other: there is no vertex 0; labels are 'd', 'c', 'a', 'b'; gp.index"):
        nearest(graph, "c")
    given = {"zero": {"a": 0, "b": 10, "c": 0, gp.index(0): 0}, "other": gp.index(3)}
    # Every step adds the gain of b to what it has.
    assert nearest(graph, "c", **given).to_dict()["a"] == 1
    assert nearest(graph, "c", **given).to_dict()["b"] == 12
    with pytest.raises(gp.InputError, match="zero of nearest has no number for the vertex 'd'; one for every vertex"):
        nearest(graph, "c", other="a", zero={"a": 0, "b": 0, "c": 0})
    with pytest.raises(gp.InputError, match="zero of nearest: there is no vertex 'x'; labels are "):
        nearest(graph, "c", other="a", zero={"x": 0})
    with gp.Accelerator(nearest, device="cpu") as accelerator:
        accelerator.acceleratorDataLoad(graph)
        accelerator.acceleratorDataPreprocess(root="c", other="c")
        while accelerator.acceleratorSuperStep():
            pass
        assert accelerator.result().to_dict() == nearest(graph, "c", other="c").to_dict()
    assert nearest.check(graph, devices=("cpu",), root="c", other="d", timeout=None).num_graphs == 1


# The command line.


@pytest.fixture
def stations(tmp_path):
    """A graph file with labels that look like this and that."""
    source = nx.DiGraph()
    nodes = ["New York", "007", "7", 7, (2, 3), 2.5, "a,b", True]
    nx.add_path(source, nodes)
    path = tmp_path / "stations.gaspipe"
    gp.Graph(source).save(path)
    return source, path


def test_the_command_line_names_vertices_as_they_are_written(stations, tmp_path):
    source, path = stations
    for text, node in (("New York", "New York"), ("007", "007"), ("7", 7), ("(2, 3)", (2, 3)), ("2.5", 2.5)):
        told = json.loads(gaspipe("bfs", path, "--root", text, "--top", 99, "--verify", "--json").stdout)
        wanted = nx.single_source_shortest_path_length(source, node)
        assert {row["vertex"]: row["depth"] for row in told["top"]} == {
            "(2, 3)" if v == (2, 3) else v: n for v, n in wanted.items()
        }
        assert told["verified"]["agrees"]
        assert told["parameters"]["root"] == ("(2, 3)" if node == (2, 3) else node)
    (tmp_path / "some.txt").write_text("New York\r\n\n a,b\n(2, 3)\n")
    for given in (f"@{tmp_path / 'some.txt'}", "007,7"):
        gaspipe("closeness", path, "--vertices", given, "--verify", "--out", tmp_path / "c.npy")
        wanted = nx.closeness_centrality(source)
        asked = ["New York", "a,b", (2, 3)] if given[0] == "@" else ["007", 7]
        expected = [wanted[v] if v in asked else np.nan for v in source]
        np.testing.assert_allclose(np.load(tmp_path / "c.npy"), expected)


def test_the_command_line_refuses_vertices_that_are_not_there(stations):
    _, path = stations
    for arguments, wanted in (
        (["bfs", path], "root: there is no vertex 0; labels are 'New York', '007', '7', 7, ..."),
        (["bfs", path, "--root", "8"], "root: there is no vertex 8; labels are "),
        (["bfs", path, "--root", "new york"], "root: there is no vertex 'new york'; near it: 'New York'; labels are "),
        (["closeness", path, "--vertices", "007,x"], "vertices: there is no vertex 'x'; labels are "),
        (["predict", "bfs", path, "--root", "x"], "root: there is no vertex 'x'; labels are "),
    ):
        error = gaspipe(*arguments, code=3).stderr
        assert error.count("\n") == 1
        assert wanted in error


def test_the_python_call_that_is_shown_names_vertices_too(stations, tmp_path):
    _, path = stations
    for command, options in (
        ("bfs", ["--root", "(2, 3)"]), ("sssp", ["--root", "New York"]), ("closeness", ["--vertices", "007,2.5"]),
    ):  # fmt: skip
        text = gaspipe(command, path, *options, "--out", tmp_path / "a.npy").stdout
        code = next(line for line in text.splitlines() if line.startswith("In Python: "))[len("In Python: ") :]
        assert "graph" not in code.replace("gp.Graph", "")
        np.testing.assert_array_equal(eval(code, {"gp": gp, "np": np}), np.load(tmp_path / "a.npy"))


def test_the_command_line_names_vertices_by_their_time(tmp_path):
    days = pd.DataFrame({"u": pd.to_datetime(["1970-01-01", "2024-03-02"]), "v": pd.to_datetime(["2024-03-02"] * 2)})
    gp.Graph(days).save(tmp_path / "days.gaspipe")
    asked = ["bfs", tmp_path / "days.gaspipe", "--root", "1970-01-01"]
    told = json.loads(gaspipe(*asked, "--out", tmp_path / "d.csv", "--json").stdout)
    assert told["top"][0]["vertex"].startswith("2024-03-02")
    rows = [line.split(",") for line in (tmp_path / "d.csv").read_text().splitlines()]
    assert [(vertex[:10], depth) for vertex, depth in rows[1:]] == [("1970-01-01", "0"), ("2024-03-02", "1")]
    assert gaspipe(*asked[:2], "--root", rows[2][0], "--top", 0).exit_code == 0
