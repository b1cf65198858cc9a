# SPDX-License-Identifier: Apache-2.0
"""Vertices in tables of answers have the type of the table that the graph is from; tables of all results."""

import pickle

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import gaspipe as gp
from gaspipe import _description

MAKERS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}
TYPE_OF = {
    "pandas": lambda table, name: table[name].dtype,
    "polars": lambda table, name: table.schema[name].to_python() and table[name].to_numpy().dtype,
    "arrow": lambda table, name: np.dtype(table.schema.field(name).type.to_pandas_dtype()),
}


@pytest.mark.parametrize("library", MAKERS)
@pytest.mark.parametrize("dtype", ["int64", "int32", "int16", "uint32", "uint64"])
@pytest.mark.parametrize("relabel", [None, True])
def test_integers_keep_their_dtype(library, dtype, relabel):
    frame = MAKERS[library]({"from": np.array([0, 1, 4], dtype), "to": np.array([1, 0, 5], dtype)})
    graph = gp.Graph.from_table(frame, "from", "to", relabel=relabel)
    result = gp.bfs(graph, root=0, parents=True)
    table = result.to_table(library)
    assert TYPE_OF[library](table, "vertex") == dtype
    parents = pd.Series(table["parent"].to_list() if library == "polars" else table["parent"].to_numpy().tolist())
    missing = -1 if relabel is None and dtype.startswith("i") else None
    assert [None if pd.isna(v) else int(v) for v in parents[:2]] == [0, 0]
    assert {None if pd.isna(v) else int(v) for v in parents[2:]} == {missing}
    assert result.parent.dtype == "int64"  # of arrays as it was
    found = gp.wcc(graph).to_table(library)
    assert TYPE_OF[library](found, "component") == dtype
    edges = graph.to_table(library)
    assert TYPE_OF[library](edges, "source") == TYPE_OF[library](edges, "destination") == dtype


def test_columns_of_two_dtypes_have_one_that_holds_both():
    def vertex(one, other, **options):
        graph = gp.Graph.from_table(pd.DataFrame({"u": np.array([1], one), "v": np.array([2], other)}), **options)
        return gp.wcc(graph).to_table()["vertex"].dtype

    assert vertex("int32", "int64") == "int64"
    assert vertex("int64", "uint64") == "uint64"
    assert vertex("float64", "float32") == "int64"
    assert vertex("int8", "int8", num_vertices=300) == "uint32"  # which 299 does not fit
    assert gp.wcc(([0], [1])).to_table()["vertex"].dtype == "uint32"  # of arrays as it was


WORDS = ["unused", "mid", "low", "high"]
ENDS = {"who": ["low", "mid", "high", "low"], "whom": ["mid", "high", "mid", "high"]}


def categorical(ordered):
    dtype = pd.CategoricalDtype(WORDS, ordered)
    return pd.DataFrame({name: pd.Categorical(values, dtype=dtype) for name, values in ENDS.items()})


FRAMES = {
    "pandas": categorical(False),
    "pandas, ordered": categorical(True),
    "polars": pl.DataFrame(ENDS, schema=dict.fromkeys(ENDS, pl.Categorical)),
    "polars, enum": pl.DataFrame(ENDS, schema=dict.fromkeys(ENDS, pl.Enum(WORDS))),
    "arrow": pa.table({name: pa.array(values).dictionary_encode() for name, values in ENDS.items()}),
    "arrow, narrow": pa.table(
        {name: pa.array(values, pa.large_string()).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.large_string()))
         for name, values in ENDS.items()}
    ),
}  # fmt: skip


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("change", [lambda g: g, lambda g: pickle.loads(pickle.dumps(g)), gp.Graph, gp.Graph.reorder])
def test_categories_come_back_and_join(frame, change):
    graph = change(gp.Graph.from_table(frame, "who", "whom"))
    library = "pandas" if isinstance(frame, pd.DataFrame) else "polars" if isinstance(frame, pl.DataFrame) else "arrow"
    result = gp.bfs(graph, "mid", parents=True)
    table = result.to_table(library)
    kind = (lambda t, name: t.dtypes[name]) if library == "pandas" else (lambda t, name: t.schema.field(name).type)
    if library == "polars":
        kind = lambda t, name: t.schema[name]  # noqa: E731
    for column in ("vertex", "parent"):
        assert kind(table, column) == kind(frame, "who")
    plain = nx.DiGraph(list(zip(*ENDS.values())))
    wanted = dict.fromkeys(plain, -1) | nx.single_source_shortest_path_length(plain, "mid")
    assert result.to_dict() == wanted
    if library == "pandas":
        joined = frame.merge(table, left_on="who", right_on="vertex")
        assert joined["vertex"].dtype == frame["who"].dtype
        assert dict(zip(joined["who"], joined["depth"])).items() <= wanted.items()
        assert table["parent"].isna().tolist() == [wanted[v] < 0 for v in table["vertex"]]
    elif library == "polars":
        joined = frame.join(table, left_on="who", right_on="vertex")
        assert len(joined) == 4
        assert dict(joined.select("who", "depth").iter_rows()).items() <= wanted.items()
    else:
        assert dict(zip(table["vertex"].to_pylist(), table["depth"].to_pylist())) == wanted
    edges = graph.to_table(library)
    assert kind(edges, "source") == kind(frame, "who")
    again = gp.Graph.from_table(edges)
    assert set(again.labels) == set(graph.labels)


def test_categories_go_from_one_library_into_another():
    graph = gp.Graph.from_table(FRAMES["pandas, ordered"], "who", "whom")
    result = gp.wcc(graph)
    assert result.to_table("polars").schema["component"] == pl.Enum(WORDS)
    arrow = result.to_table("arrow")["vertex"].combine_chunks()
    assert (arrow.type.ordered, arrow.dictionary.to_pylist()) == (True, WORDS)
    found = gp.wcc(gp.Graph.from_table(FRAMES["polars, enum"], "who", "whom")).to_table()["vertex"].dtype
    assert found.categories.tolist() == WORDS
    numbers = pd.DataFrame({name: pd.Categorical([30, 10], categories=[10, 20, 30]) for name in ENDS})
    result = gp.wcc(gp.Graph.from_table(numbers, "who", "whom"))
    assert result.to_table("polars").schema["vertex"] == pl.Int64  # polars has no categories of numbers
    assert result.to_table()["vertex"].dtype == numbers["who"].dtype
    assert result.to_table("arrow").schema.field("vertex").type.value_type == pa.int64()


def test_columns_of_two_categories_have_those_of_both():
    def kind(one, other):
        graph = gp.Graph.from_table(pd.DataFrame({"u": one, "v": other}))
        return gp.wcc(graph).to_table()["vertex"].dtype

    one, other = pd.Categorical(["b", "a"], ordered=True), pd.Categorical(["c", "a"], ordered=True)
    assert kind(one, other) == pd.api.types.union_categoricals([one, other], ignore_order=True).dtype
    assert kind(one.as_unordered(), other.as_unordered()) == pd.CategoricalDtype(["a", "b", "c"])
    assert kind(one, ["c", "a"]) == pd.Series(["c"]).dtype


@pytest.fixture(scope="module")
def network():
    return nx.relabel_nodes(nx.gnp_random_graph(12, 0.15, seed=3, directed=True), dict(enumerate("abcdefghijkl")))


@pytest.mark.parametrize("library", MAKERS)
def test_many_sources_are_a_long_table(network, library):
    result = gp.multi_source(network, ["c", "a"])
    wanted = {
        source: dict.fromkeys(network, -1) | nx.single_source_shortest_path_length(network, source) for source in "ca"
    }
    assert result.to_dict() == wanted
    rows = pl.DataFrame(result.to_table(library)).rows()
    assert rows == [(source, v, wanted[source][v]) for source in "ca" for v in network]
    plain = gp.multi_source(([0, 1], [1, 2])).to_table()
    assert plain.columns.tolist() == ["source", "vertex", "depth"]
    assert plain["depth"].tolist() == [0, 1, 2, -1, 0, 1, -1, -1, 0]


def test_walks_are_a_long_table_up_to_their_ends(network):
    result = gp.random_walks(network, ["c", "a"], length=6, num_walks=3, seed=2)
    names = list(network)
    wanted = {i: [names[v] for v in walk if v >= 0] for i, walk in enumerate(result.walks.tolist())}
    assert any(len(walk) < 7 for walk in wanted.values())
    assert result.to_dict() == wanted
    table = result.to_table()
    assert table.groupby("walk")["vertex"].agg(list).to_dict() == wanted
    assert table.groupby("walk")["step"].agg(list).to_dict() == {i: [*range(len(walk))] for i, walk in wanted.items()}


GIVEN = {"vertex": "a", "vertices": ["a", "b"], "pairs": [("a", "b")], "vector": np.ones(12)}


@pytest.mark.parametrize("name", [*gp.algorithms, *gp.cpu_algorithms])
def test_every_result_has_a_table_and_a_dict(network, name):
    edges = pd.DataFrame([(u, v, 1) for u, v in network.edges], columns=["u", "v", "w"])
    graph = gp.Graph.from_table(edges)
    parameters = _description.built_in()[name].parameters
    result = getattr(gp, name)(graph, **{p.name: GIVEN[p.kind] for p in parameters if p.kind in GIVEN})
    table, by_name = result.to_table(), result.to_dict()
    assert len(table)
    assert len(by_name)
    names = [table[column] for column in ("source", "target", "vertex") if column in table]
    assert all(set(column) <= set(graph.labels) for column in names)
    assert name == "random_walks" or set(next(iter(by_name))) <= set(graph.labels)  # walks go by number
