# SPDX-License-Identifier: Apache-2.0
"""Tables of edges in and out, against NetworkX, SciPy and the tables' own libraries."""

import contextlib
import datetime
import decimal
import re
import subprocess
import sys
import uuid
from collections import Counter

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import gaspipe as gp
import zoo


class Stream:
    """Speaks Arrow and nothing else."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


class Interchange:
    """Speaks the dataframe protocol and nothing else."""

    def __init__(self, table):
        self._table = table

    def __dataframe__(self, *arguments, **options):
        return self._table.__dataframe__(*arguments, **options)


def chunked(columns):
    """A table whose columns come in several pieces, one of them empty."""
    table = pa.table(columns)
    half = len(table) // 2
    return pa.concat_tables([table.slice(0, half), table.slice(half, 0), table.slice(half)])


def dictionaries(columns):
    """Chunks with dictionaries of their own for what is text."""
    parts = []
    for first in range(0, len(next(iter(columns.values()))), 3):
        part = pa.table({name: pa.array(values[first : first + 3]) for name, values in columns.items()})
        encoded = [c.dictionary_encode() if pa.types.is_string(c.type) else c for c in part.columns]
        parts.append(pa.table(dict(zip(columns, encoded))))
    return pa.concat_tables(parts)


LIBRARIES = {
    "pandas": pd.DataFrame,
    "pandas nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "pandas arrow": lambda columns: pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "pyarrow in chunks": chunked,
    "pyarrow dictionaries": dictionaries,
    **({"stream": lambda columns: Stream(pa.table(columns))} if hasattr(pa.Table, "__arrow_c_stream__") else {}),
    "interchange": lambda columns: Interchange(pa.table(columns)),
}
every_library = pytest.mark.parametrize("make", LIBRARIES.values(), ids=LIBRARIES.keys())


def edges(graph):
    """Counter of (source, destination[, weight]) with labels for ids."""
    names = np.arange(graph.num_vertices) if graph.labels is None else graph.labels
    columns = [names[np.repeat(np.arange(graph.num_vertices), graph.out_degrees())], names[graph.indices]]
    columns += [graph.weights] if graph.is_weighted else []
    return Counter(zip(*(column.tolist() for column in columns)))


def refusal(table, error=gp.InputError, **options):
    with pytest.raises(error) as caught:
        gp.Graph.from_table(table, **options)
    return str(caught.value)


NUMBERS = {"source": [3, 0, 1, 1, 5, 5, 2], "destination": [0, 1, 1, 3, 2, 2, 5], "weight": [1, 2, 3, 4, 5, 6, 7]}
TEXTS = {
    "from": ["london", "oslo", "bern", "bern", "rome", "", "bern"],
    "to": ["oslo", "bern", "bern", "Zürich", "bern", "bern", "rome"],
    "w": [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5],
}


# Reading


@every_library
def test_ids_and_weights_are_read(make):
    graph = gp.Graph.from_table(make(NUMBERS))
    assert graph.labels is None
    assert graph.num_vertices == 6
    assert graph.weights.dtype == np.int64
    assert edges(graph) == Counter(zip(*NUMBERS.values()))
    assert edges(gp.Graph(make(NUMBERS))) == edges(graph)


@every_library
def test_names_become_labels_in_ascending_order(make):
    graph = gp.Graph.from_table(make(TEXTS))
    assert graph.labels.tolist() == sorted({*TEXTS["from"], *TEXTS["to"]})
    assert graph.labels.dtype == object
    assert {type(label) for label in graph.labels} == {str}
    assert edges(graph) == Counter(zip(*TEXTS.values()))
    directed = nx.DiGraph()
    directed.add_weighted_edges_from(zip(*TEXTS.values()))
    wanted = nx.single_source_dijkstra_path_length(directed, "london")
    found = gp.sssp(make(TEXTS), root="london").to_dict()
    assert {name: distance for name, distance in found.items() if np.isfinite(distance)} == wanted


@every_library
def test_undirected_edges_count_in_both_directions_and_loops_once(make):
    for columns in (NUMBERS, TEXTS):
        rows = list(zip(*columns.values()))
        wanted = Counter(rows) + Counter((v, u, w) for u, v, w in rows if u != v)
        assert edges(gp.Graph.from_table(make(columns), directed=False)) == wanted


@every_library
@pytest.mark.parametrize("name", ["kronecker", "self_loops", "uniform", "bundle_of_parallel_edges"])
def test_the_zoo_as_tables(make, name):
    matrix = zoo.ZOO[name]()
    coo = matrix.tocoo()
    table = make({"u": coo.row.tolist(), "v": coo.col.tolist(), "value": coo.data.tolist()})
    graph = gp.Graph.from_table(table, num_vertices=matrix.shape[0])
    assert edges(graph) == Counter(zip(coo.row.tolist(), coo.col.tolist(), coo.data.tolist()))


@every_library
def test_relabel_numbers_the_ids_that_occur(make):
    columns = {"src": [10**12, 7, -5], "dst": [7, -5, -5]}
    graph = gp.Graph.from_table(make(columns), relabel=True)
    assert graph.labels.tolist() == [-5, 7, 10**12]
    assert edges(graph) == Counter(zip(*columns.values()))
    assert edges(gp.Graph(make(columns), relabel=True)) == edges(graph)
    assert "relabel=True" in refusal(make({"src": [10**9], "dst": [7]}))
    assert "relabel=False" in refusal(make(TEXTS), relabel=False)


@every_library
def test_the_number_of_vertices_can_be_given_for_ids_only(make):
    assert gp.Graph.from_table(make(NUMBERS), num_vertices=10).num_vertices == 10
    assert gp.Graph(make(NUMBERS), num_vertices=10).num_vertices == 10
    assert "num_vertices" in refusal(make(TEXTS), num_vertices=10)
    assert "3 vertices" in refusal(make(NUMBERS), num_vertices=3)


# Which columns


@pytest.mark.parametrize(
    ("names", "options", "wanted"),
    [
        ("source destination", {}, "01"),
        ("destination source", {}, "10"),
        ("SRC Dst W", {}, "012"),
        ("w to from", {}, "210"),
        ("value v extra u", {}, "310"),
        ("u v weight value w", {}, "012"),
        ("a b", {}, "01"),
        ("a b c", {}, "012"),
        ("a source destination c", {}, "12"),
        ("source destination cost", {}, "012"),
        ("a b c d", {"source": "d", "destination": "b"}, "31"),
        ("a b c d", {"source": "d", "destination": "b", "weight": "a"}, "310"),
        ("a b c", {"weight": False}, "01"),
        ("u v w", {"weight": False}, "01"),
        ("u v w", {"weight": "w"}, "012"),
        ("u v w", {"source": "v", "destination": "u"}, "102"),
        ("u v w x", {"weight": "x"}, "013"),
        ("from to source target", {"source": "from", "destination": "to"}, "01"),
        ("source target from to", {}, "01"),
        ("a v", {}, "01"),
        ("u b", {}, "01"),
    ],
)
def test_columns_are_found_by_name_then_by_place(names, options, wanted):
    names = names.split()
    columns = {name: [i, i + 10] for i, name in enumerate(names)}
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        graph = gp.Graph.from_table(make(columns), **options)
        values = list(columns.values())
        assert edges(graph) == Counter(zip(*(values[int(i)] for i in wanted)))


@pytest.mark.parametrize(
    ("names", "options", "wanted"),
    [
        ("a b c d", {}, "which column is the source; give source=.*'a', 'b', 'c', 'd'"),
        ("source b c d", {}, "which column is the destination; give destination=.*'source', 'b'"),
        ("a", {}, "which column is the source"),
        ("b u", {}, "which column is the destination"),
        ("u v", {"source": "x"}, "source is 'x', and there is no column of that name; the columns are 'u', 'v'"),
        ("u v", {"weight": "x"}, "weight is 'x'"),
        ("u v", {"weight": True}, "weight is True"),
        ("u v w", {"source": "v"}, "which column is the destination"),
        ("u v", {"source": "u", "destination": "u"}, "one column cannot be two things"),
        ("u U v", {}, "2 columns are called 'u'; give source="),
    ],
)
def test_columns_that_cannot_be_told_apart_are_listed(names, options, wanted):
    columns = {name: [0, 1] for name in names.split()}
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        assert re.search(wanted, refusal(make(columns), **options))


def test_pandas_columns_need_no_strings_for_names():
    frame = pd.DataFrame([[0, 1, 5], [1, 2, 6]])
    assert edges(gp.Graph(frame)) == {(0, 1, 5): 1, (1, 2, 6): 1}
    assert edges(gp.Graph.from_table(frame, source=1, destination=0, weight=False)) == {(1, 0): 1, (2, 1): 1}
    assert "2 columns" in refusal(pd.DataFrame([[0, 1, 2]], columns=["a", "a", "b"]), source="a", destination="b")
    indexed = pd.DataFrame({"u": [0, 1], "v": [1, 2]}, index=["x", "x"])
    assert edges(gp.Graph(indexed)) == {(0, 1): 1, (1, 2): 1}


def test_numpys_names_of_columns_are_pythons():
    table = pd.DataFrame({"w": [7], "u": [1], "v": [0]})
    assert gp.Graph.from_table(table, np.str_("u"), np.str_("v")).weights.tolist() == [7]
    table.columns = pd.Index([np.str_("a"), np.str_("b"), 5], dtype=object)
    assert gp.Graph.from_table(table, "a", "b", np.int64(5)).weights.tolist() == [0]
    for name in (np.bool_(True), np.float64(5), np.datetime64(5, "ns")):
        with pytest.raises(gp.InputError, match="there is no column of that name"):
            gp.Graph.from_table(table, "a", "b", name)


def test_a_class_is_no_table():
    with pytest.raises(gp.InputError, match="DataFrame is a class, not a table of edges; give an object of it"):
        gp.Graph.from_table(pd.DataFrame)


def test_the_weight_column_of_graph_is_the_keyword_that_networkx_has():
    frame = pd.DataFrame({"u": [0], "v": [1], "weight": [5], "cost": [7]})
    assert gp.Graph(frame).weights.tolist() == [5]
    assert gp.Graph(frame, weight="cost").weights.tolist() == [7]


# What values


def times(unit):
    return np.array(["2024-03-01", "2023-01-01", "2024-03-01"], f"datetime64[{unit}]")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_times_become_labels(make, unit):
    a = times(unit)
    graph = gp.Graph(make({"u": a, "v": a[[1, 1, 2]]}))
    assert graph.labels.dtype.kind == "M"
    assert graph.labels.astype("datetime64[D]").astype(str).tolist() == ["2023-01-01", "2024-03-01"]
    assert graph.id_of(np.datetime64("2024-03-01")) == 1
    assert graph.id_of(datetime.datetime(2024, 3, 1)) == 1
    assert graph.id_of(pd.Timestamp("2023-01-01")) == 0
    for missing in (np.datetime64("2025-01-01"), "nonsense"):
        with pytest.raises(gp.InputError, match="no vertex"):
            graph.id_of(missing)
    assert graph.indices.tolist() == [0, 0, 1]


def test_times_of_a_zone_keep_it():
    zoned = pd.to_datetime(["2024-03-01", "2023-01-01"]).tz_localize("UTC")
    for table in (
        pd.DataFrame({"u": zoned, "v": zoned[::-1]}),
        pa.table({"u": pa.array(zoned.to_pydatetime()), "v": pa.array(zoned[::-1].to_pydatetime())}),
    ):
        labels = gp.Graph(table).labels
        assert labels.tolist() == sorted(zoned)
        assert all(label.tzinfo is not None for label in labels)


def test_uuids_become_labels():
    ids = [uuid.UUID(int=i) for i in (5, 2**127, 9)]
    frame = pd.DataFrame({"u": ids, "v": ids[1:] + ids[:1]})
    graph = gp.Graph(frame)
    assert graph.labels.tolist() == sorted(ids)
    assert edges(graph) == Counter(zip(frame["u"], frame["v"]))
    raw = pa.array([i.bytes for i in ids], pa.binary(16))
    graph = gp.Graph(pa.table({"u": raw, "v": raw.take(pa.array([1, 2, 0]))}))
    assert graph.labels.tolist() == [i.bytes for i in sorted(ids)]
    if hasattr(pa, "uuid"):
        typed = pa.ExtensionArray.from_storage(pa.uuid(), raw)
        assert gp.Graph(pa.table({"u": typed, "v": typed})).labels.tolist() == sorted(ids)


@pytest.mark.parametrize("ordered", [False, True])
def test_categories_become_labels_and_unused_ones_do_not(ordered):
    one = pd.Categorical(["b", "a", "b"], categories=["c", "b", "a"], ordered=ordered)
    other = pd.Categorical(["d", "b", "b"], categories=["b", "d", "e"], ordered=ordered)
    wanted = Counter([("b", "d"), ("a", "b"), ("b", "b")])
    frame = pd.DataFrame({"u": one, "v": other})
    table = pa.table({"u": pa.array(one), "v": pa.array(other)})
    mixed = pd.DataFrame({"u": one, "v": ["d", "b", "b"]})
    for given in (frame, table, mixed):
        graph = gp.Graph(given)
        assert graph.labels.tolist() == ["a", "b", "d"]
        assert edges(graph) == wanted


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["z", "d", "b", "a"])])
def test_categories_of_polars_become_labels(kind):
    frame = pl.DataFrame(
        {"u": pl.Series(["b", "a", "b"]).cast(kind), "v": pl.Series(["d", "b", "b"]).cast(kind), "w": [1, 2, 3]}
    )
    graph = gp.Graph(frame)
    assert graph.labels.tolist() == ["a", "b", "d"]
    assert edges(graph) == Counter([("b", "d", 1), ("a", "b", 2), ("b", "b", 3)])


def test_categories_of_numbers_go_with_numbers():
    frame = pd.DataFrame({"u": pd.Categorical([30, 10]), "v": [10, 20]})
    table = pa.table({"u": pa.array([30, 10]).dictionary_encode(), "v": pa.array([10, 20], pa.int32())})
    for given in (frame, table):
        graph = gp.Graph(given)
        assert graph.labels.tolist() == [10, 20, 30]
        assert edges(graph) == {(30, 10): 1, (10, 20): 1}


def test_dictionaries_with_repeated_values_are_one_name():
    pieces = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3]), pa.array(["a", "b", "a", "c"]))
    graph = gp.Graph(pa.table({"u": pieces, "v": pieces.take(pa.array([1, 2, 3, 0]))}))
    assert graph.labels.tolist() == ["a", "b", "c"]
    assert edges(graph) == Counter([("a", "b"), ("b", "a"), ("a", "c"), ("c", "a")])


def test_names_that_cannot_be_compared_stay_in_order_of_appearance():
    frame = pd.DataFrame({"u": ["b", 5, (1, 2)], "v": ["a", "b", 5]}, dtype=object)
    graph = gp.Graph(frame)
    assert graph.labels.tolist() == ["b", 5, (1, 2), "a"]
    assert edges(graph) == Counter(zip(frame["u"], frame["v"]))
    assert "hashable" in refusal(pd.DataFrame({"u": [[1]], "v": [[2]]}))


def test_large_ids_of_any_width():
    for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
        for make in (pd.DataFrame, pl.DataFrame, pa.table):
            table = make({"u": np.array([0, 100], dtype), "v": np.array([100, 7], dtype)})
            assert edges(gp.Graph(table)) == {(0, 100): 1, (100, 7): 1}
    table = pa.table({"u": np.array([2**63 + 1, 2**63 + 2], np.uint64), "v": np.array([2, 1], np.int64)})
    graph = gp.Graph(table, relabel=True)
    assert graph.labels.tolist() == [1, 2, 2**63 + 1, 2**63 + 2]
    assert edges(gp.Graph.from_table(table, relabel=True, directed=False)) == {
        (2**63 + 1, 2): 1, (2**63 + 2, 1): 1, (2, 2**63 + 1): 1, (1, 2**63 + 2): 1,
    }  # fmt: skip
    assert re_search("3 vertices allow 0 to 2", refusal(make({"u": [-1], "v": [0]}), num_vertices=3))


def re_search(pattern, text):
    return re.search(pattern, text) or pytest.fail(f"{text!r} has no {pattern!r}")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_floats_are_ids_where_they_are_whole(make):
    graph = gp.Graph(make({"u": [0.0, 3.0], "v": np.array([1, 2], np.float32)}))
    assert edges(graph) == {(0, 1): 1, (3, 2): 1}
    for wrong, shown in ((1.5, "1.5"), (np.inf, "inf"), (2.0**53 + 2, "9007199254740994")):
        message = refusal(make({"u": [0.0, wrong], "v": [1, 2]}))
        assert "'u'" in message
        assert "row 1" in message
        assert shown in message
    assert "null in row 1" in refusal(make({"u": [0.0, np.nan], "v": [1, 2]}))


def test_decimals_are_ids_where_they_are_whole():
    values = [decimal.Decimal(3), decimal.Decimal(0)]
    assert edges(gp.Graph(pa.table({"u": values, "v": [1, 2]}))) == {(3, 1): 1, (0, 2): 1}
    assert "'u'" in refusal(pa.table({"u": [decimal.Decimal("1.5")], "v": [1]}))
    weighted = gp.Graph(pa.table({"u": [0, 1], "v": [1, 2], "w": [decimal.Decimal("1.5"), decimal.Decimal(2)]}))
    assert weighted.weights.tolist() == [1.5, 2.0]


MAKERS = {
    "pandas": pd.DataFrame,
    "pandas nullable": lambda columns: pd.DataFrame({k: pd.array(v) for k, v in columns.items()}),
    "pandas arrow": lambda columns: pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow"),
    "pandas category": lambda columns: pd.DataFrame(columns).astype("category"),
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "pyarrow in chunks": chunked,
    "pyarrow dictionaries": dictionaries,
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
@pytest.mark.parametrize("column", ["u", "v"])
@pytest.mark.parametrize("values", [[4, 3, 2, None, 0], ["a", "b", "c", None, "e"]], ids=["ids", "names"])
def test_nulls_among_ids_are_refused_by_column_and_row(make, column, values):
    columns = {"u": [v or values[0] for v in values], "v": [v or values[0] for v in values]}
    columns[column] = values
    message = refusal(make(columns))
    assert f"column {column!r} has a null in row 3" in message


@pytest.mark.parametrize("make", [m for n, m in MAKERS.items() if "cat" not in n and "dict" not in n])
@pytest.mark.parametrize("values", [[1, 2, None, 3], [0.5, None, 1.5, 2.5]])
def test_nulls_among_weights_are_refused_by_column_and_row(make, values):
    message = refusal(make({"u": [0, 1, 2, 3], "v": [1, 2, 3, 0], "cost": values}))
    assert f"column 'cost' has a null in row {values.index(None)}" in message


def test_nulls_in_a_dictionary_and_nan_are_nulls():
    hidden = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None]))
    assert "'u' has a null in row 1" in refusal(pa.table({"u": hidden, "v": ["a", "b"]}))
    narrow = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), pa.array(["a", None]))
    later = pa.chunked_array([pa.array(["c", "c"]).dictionary_encode(), narrow])
    assert "'u' has a null in row 3" in refusal(pa.table({"u": later, "v": ["a", "b", "c", "d"]}))
    unused = pa.chunked_array([pa.array(["c", "c"]).dictionary_encode(), narrow.slice(0, 1)])
    graph = gp.Graph(pa.table({"u": unused, "v": ["a", "b", "c"]}))
    assert edges(graph) == Counter([("c", "a"), ("c", "b"), ("a", "c")])
    assert "'v' has a null in row 0" in refusal(pa.table({"u": [1, 2], "v": pa.nulls(2)}))
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        assert "'w' has a null in row 1" in refusal(make({"u": [0, 1], "v": [1, 2], "w": [0.5, np.nan]}))
    masked = gp.Graph(pd.DataFrame({"u": [0, 1], "v": [1, 2], "x": [None, 1]}), weight=False)
    assert masked.weights is None


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_of_no_use_are_refused_by_name_and_type(make):
    edges_of = {"u": [0, 1], "v": [1, 0]}
    assert re_search("'w' holds values of (dtype|type) .*weight=False", refusal(make({**edges_of, "w": ["a", "b"]})))
    assert gp.Graph.from_table(make({**edges_of, "w": ["a", "b"]}), weight=False).weights is None
    assert re_search("'u' holds values of .*bool", refusal(make({"u": [True, False], "v": [1, 0]})))
    assert re_search("'u'.*'v'.*same type", refusal(make({"u": ["a", "b"], "v": [1, 0]})))
    assert re_search("'u'.*'v'.*same type", refusal(make({"u": ["a", "b"], "v": times("us")[:2]})))
    assert gp.Graph(make({**edges_of, "w": [True, True]})).weights is None
    assert gp.Graph(make({**edges_of, "w": [True, False]})).weights.tolist() == [1, 0]
    assert refusal(make({"u": [[1], [2]], "v": [[1], [3]]}))
    assert "num_vertices=" in refusal(make({"u": np.zeros(0, int), "v": np.zeros(0, int)}))
    assert gp.Graph(make({"u": np.zeros(0, int), "v": np.zeros(0, int)}), num_vertices=4).num_vertices == 4
    assert "column" in refusal(make({}))


def test_no_rows_of_names_are_no_vertices():
    for make in (pd.DataFrame, pl.DataFrame):
        empty = make({"u": ["a"], "v": ["b"]})[:0]
        assert "no vertices" in refusal(empty)
    assert "no vertices" in refusal(pa.table({"u": pa.array([], pa.string()), "v": pa.array([], pa.large_string())}))


TEXT_TYPES = {
    "string": pa.array,
    "large string": lambda values: pa.array(values, pa.large_string()),
    "dictionary": lambda values: pa.array(values).dictionary_encode(),
    "large dictionary": lambda values: pa.array(values, pa.large_string()).dictionary_encode(),
    **({"view": lambda values: pa.array(values, pa.string_view())} if hasattr(pa, "string_view") else {}),
}


@pytest.mark.parametrize("one", TEXT_TYPES.values(), ids=TEXT_TYPES.keys())
@pytest.mark.parametrize("other", TEXT_TYPES.values(), ids=TEXT_TYPES.keys())
def test_texts_of_different_types_go_together(one, other):
    table = pa.table({"u": one(["a", "c"]), "v": other(["b", "a"])})
    assert edges(gp.Graph(table)) == {("a", "b"): 1, ("c", "a"): 1}


def test_times_of_different_units_and_kinds():
    finer = pa.table({"u": pa.array([1], pa.timestamp("us")), "v": pa.array([1], pa.timestamp("ns"))})
    for table in (finer, finer.rename_columns(["v", "u"])):
        assert gp.Graph(table).labels.tolist() == [1, 1000]  # ns
    days = pa.table({"u": pa.array([1], pa.date32()), "v": pa.array([2], pa.date32())})
    assert gp.Graph(days).labels.tolist() == [datetime.date(1970, 1, 2), datetime.date(1970, 1, 3)]
    assert gp.Graph(days).id_of(datetime.date(1970, 1, 3)) == 1
    zoned = pd.to_datetime(["2020-01-01"]).tz_localize("UTC")
    for table in (
        days.set_column(1, "v", [pa.array([1], pa.timestamp("ns"))]),
        pa.table({"u": pa.array([1], pa.timestamp("us", "UTC")), "v": pa.array([1000], pa.timestamp("us"))}),
        pd.DataFrame({"u": zoned, "v": zoned.tz_localize(None)}),
    ):
        assert "same type" in refusal(table)


def test_rarer_columns():
    sparse = pd.DataFrame({"u": pd.arrays.SparseArray([0, 5]), "v": [1, 2], "w": pd.arrays.SparseArray([0.0, 1.5])})
    assert edges(gp.Graph(sparse)) == {(0, 1, 0.0): 1, (5, 2, 1.5): 1}
    half = pa.table({"u": np.array([1, 2], np.float16), "v": [1, 2]})
    assert edges(gp.Graph(half)) == {(1, 1): 1, (2, 2): 1}
    objects = pl.DataFrame({"u": [object()], "v": [object()], "a": [0], "b": [1]})
    assert "'u' holds Python objects" in refusal(objects)
    assert edges(gp.Graph.from_table(objects, source="a", destination="b")) == {(0, 1): 1}
    pairs = [(0, 1), (1, 2)]
    assert gp.Graph(pd.DataFrame({"u": pairs, "v": pairs[::-1]})).labels.tolist() == pairs
    spans = pa.table({"u": pa.array([datetime.timedelta(2)]), "v": pa.array([datetime.timedelta(1)])})
    assert gp.Graph(spans).id_of(datetime.timedelta(2)) == 1


def test_series_and_arrays_are_no_tables():
    for given in (pd.Series([1, 2]), pl.Series([1, 2]), pa.chunked_array([[1, 2]]), 5, None):
        with pytest.raises(gp.InputError):
            gp.Graph.from_table(given)
        with pytest.raises(gp.InputError):
            gp.Graph(given)
    with pytest.raises(gp.InputError, match="table of edges"):
        gp.Graph(object())


def test_many_names_in_random_order(rng):
    words = np.array([f"name {i:x}" for i in rng.integers(0, 1 << 40, 5000)], object)
    columns = {"u": rng.choice(words, 20_000), "v": rng.choice(words, 20_000)}
    wanted = Counter(zip(columns["u"], columns["v"]))
    names = sorted({*columns["u"], *columns["v"]})
    for make in (pd.DataFrame, pl.DataFrame, pa.table, chunked):
        graph = gp.Graph(make(columns))
        assert graph.labels.tolist() == names
        assert edges(graph) == wanted


def test_tables_need_no_library_that_they_are_not_from():
    script = """
import sys
for missing in sys.argv[1].split():
    sys.modules[missing] = None
import gaspipe as gp
assert not {"pandas", "polars", "pyarrow"} & {name for name, module in sys.modules.items() if module is not None}
import pandas as pd
graph = gp.Graph(pd.DataFrame({"u": ["a", "b"], "v": ["b", "c"]}))
assert graph.labels.tolist() == ["a", "b", "c"], graph.labels
assert graph.to_table()["source"].tolist() == ["a", "b"]
class Table:
    def __arrow_c_stream__(self, requested_schema=None):
        raise AssertionError
for use in (lambda: gp.Graph(Table()), lambda: graph.to_table("arrow"), lambda: graph.to_table("polars")):
    try:
        use()
    except gp.InputError as error:
        print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, "polars pyarrow"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    messages = done.stdout.splitlines()
    assert len(messages) == 3
    assert "pip install pyarrow" in messages[0]
    assert "pip install pyarrow" in messages[1]
    assert "pip install polars" in messages[2]


# Writing


def rows_of(table):
    """Rows of any of the tables, as plain Python."""
    if isinstance(table, pd.DataFrame):
        return list(zip(*(table[name].tolist() for name in table.columns)))
    if isinstance(table, pl.DataFrame):
        return table.rows()
    return list(zip(*(column.to_pylist() for column in table.columns)))


KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.Table}


@pytest.mark.parametrize("library", KINDS)
@pytest.mark.parametrize(
    "name", ["uniform", "weights_of_64_bits", "self_loops", "no_edges", "path", "two_vertices_one_edge"]
)
def test_edges_come_out_as_they_went_in(library, name):
    matrix = zoo.ZOO[name]()
    graph, coo = gp.Graph(matrix), matrix.tocoo()
    table = graph.to_table(library)
    assert isinstance(table, KINDS[library])
    columns = [coo.row.tolist(), coo.col.tolist()]
    names = ["source", "destination"]
    if graph.is_weighted:
        columns.append(coo.data.tolist())
        names.append("weight")
    assert list(table.column_names if library == "arrow" else table.columns) == names
    assert rows_of(table) == list(zip(*columns))
    if graph.num_edges:
        back = gp.Graph.from_table(table, num_vertices=graph.num_vertices)
        assert back.indices.tolist() == graph.indices.tolist()
        assert back.indptr.tolist() == graph.indptr.tolist()
        assert (back.weights is None) == (graph.weights is None)
        assert back.weights is None or back.weights.dtype == graph.weights.dtype


@pytest.mark.parametrize("library", KINDS)
def test_labels_come_out_as_they_went_in(library):
    graph = gp.Graph(pd.DataFrame(TEXTS))
    table = graph.to_table(library)
    assert Counter(rows_of(table)) == Counter(zip(*TEXTS.values()))
    assert edges(gp.Graph(table)) == edges(graph)
    at = times("us")
    graph = gp.Graph(pd.DataFrame({"u": at, "v": at[::-1]}))
    back = gp.Graph(graph.to_table(library))
    assert back.labels.astype("M8[us]").tolist() == graph.labels.astype("M8[us]").tolist()
    assert back.indices.tolist() == graph.indices.tolist()
    numbered = gp.Graph(([10**12, 7], [7, 7]), relabel=True)
    assert Counter(rows_of(numbered.to_table(library))) == {(10**12, 7): 1, (7, 7): 1}


def test_labels_of_several_types_fit_pandas_alone():
    network = nx.Graph([("a", 1), (1, (2, 3))])
    graph = gp.Graph(network)
    assert set(rows_of(graph.to_table())) == {("a", 1), (1, "a"), (1, (2, 3)), ((2, 3), 1)}
    for library in ("polars", "arrow"):
        with pytest.raises(gp.InputError, match=r"several types \(int, str, tuple\).*pandas"):
            graph.to_table(library)
    with pytest.raises(gp.InputError, match="library is 'excel'; allowed are 'pandas', 'polars', 'arrow'"):
        graph.to_table("excel")
    graph = gp.Graph(nx.path_graph([2**70, 1]))
    assert set(rows_of(graph.to_table())) == {(2**70, 1), (1, 2**70)}
    with pytest.raises(gp.InputError, match="pandas"):
        graph.to_table("arrow")


def test_tables_share_the_graphs_memory_where_they_can():
    graph = gp.Graph(zoo.ZOO["kronecker"]())
    table = graph.to_table("arrow")
    assert np.shares_memory(table["destination"].chunk(0).to_numpy(), graph.indices)
    assert np.shares_memory(table["weight"].chunk(0).to_numpy(), graph.weights)
    frame = graph.to_table()
    assert np.shares_memory(frame["weight"].to_numpy(), graph.weights)
    before = graph.weights.tolist()
    with contextlib.suppress(ValueError):  # read-only
        frame.loc[0, "weight"] = -1
    assert graph.weights.tolist() == before


@pytest.mark.parametrize("library", KINDS)
def test_results_come_out_as_tables(library):
    table = gp.bfs(([0, 1], [1, 2]), num_threads=1).to_table(library)
    assert list(table.column_names if library == "arrow" else table.columns) == ["vertex", "depth"]
    assert rows_of(table) == [(0, 0), (1, 1), (2, 2)]
    result = gp.pagerank(pd.DataFrame(TEXTS))
    network = nx.MultiDiGraph()
    network.add_edges_from(zip(TEXTS["from"], TEXTS["to"]))
    wanted = nx.pagerank(network, tol=1e-12, max_iter=1000)
    rows = dict(rows_of(gp.pagerank(pd.DataFrame(TEXTS), tol=1e-13, max_iter=1000).to_table(library)))
    assert rows == pytest.approx(wanted, abs=1e-9)
    with pytest.raises(gp.InputError, match="library is"):
        result.to_table("numpy")


def test_result_tables_join_with_tables_of_vertices():
    frame = pd.DataFrame(TEXTS)
    depth = gp.bfs(frame, root="london").to_table()
    merged = pd.DataFrame({"city": ["oslo", "rome"]}).merge(depth, left_on="city", right_on="vertex")
    assert merged["depth"].tolist() == [1, 3]


# Queries


def test_a_lazy_frame_is_collected():
    query = pl.DataFrame(TEXTS).lazy().filter(pl.col("w") > 1)
    wanted = Counter(row for row in zip(*TEXTS.values()) if row[2] > 1)
    assert edges(gp.Graph.from_table(query)) == edges(gp.Graph(query)) == wanted
    assert "cannot collect the LazyFrame" in refusal(query.select("missing"))
