# SPDX-License-Identifier: Apache-2.0
"""Names end to end: from columns of a frame to columns of a table that joins back; against NetworkX."""

import networkx as nx
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import gaspipe as gp

FRIENDS = {
    "who": ["alice", "bob", "carol", "dave", "erin"],
    "whom": ["bob", "carol", "alice", "alice", "frank"],
    "years": [1.0, 2.0, 3.0, 4.0, 5.0],
}
MAKERS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}


def rows(table):
    return {row["vertex"]: row for row in (table.to_dict("records") if isinstance(table, pd.DataFrame) else
            table.to_dicts() if isinstance(table, pl.DataFrame) else table.to_pylist())}  # fmt: skip


@pytest.mark.parametrize("library", MAKERS)
def test_answers_that_are_vertices_are_names_and_missing_where_there_is_none(library):
    frame = MAKERS[library](FRIENDS)
    graph = gp.Graph.from_table(frame, "who", "whom", "years")
    plain = nx.DiGraph()
    plain.add_weighted_edges_from(zip(*FRIENDS.values()))
    before, distance = nx.dijkstra_predecessor_and_distance(plain, "dave")
    found = rows(gp.sssp(graph, root="dave", predecessors=True).to_table(library))
    for name, row in found.items():
        assert row["distance"] == distance.get(name, float("inf"))
        wanted = before[name] or [name] if name in before else None
        assert pd.isna(row["predecessor"]) if wanted is None else [row["predecessor"]] == wanted
    parents = rows(gp.bfs(graph, root="dave", parents=True).to_table(library))
    assert {v for v, row in parents.items() if pd.isna(row["parent"])} == {"erin", "frank"}
    groups = {gp.wcc: nx.weakly_connected_components, gp.scc: nx.strongly_connected_components}
    for algorithm, of_networkx in groups.items():
        smallest = {name: min(group) for group in of_networkx(plain) for name in group}
        result = algorithm(graph)
        assert result.to_dict() == smallest
        assert {name: row["component"] for name, row in rows(result.to_table(library)).items()} == smallest
    for result in (gp.louvain(graph), gp.label_propagation(graph)):
        assert set(result.to_dict().values()) <= set(plain)
    assert result.label.dtype == "int64"  # arrays have ids


@pytest.mark.parametrize("library", MAKERS)
def test_tables_of_results_join_with_the_frame(library):
    frame = MAKERS[library](FRIENDS)
    table = gp.bfs(gp.Graph.from_table(frame, "who", "whom"), root="dave").to_table(library)
    wanted = {"alice": 1, "bob": 2, "carol": 3, "dave": 0, "erin": -1}
    if library == "pandas":
        joined = frame.merge(table, left_on="who", right_on="vertex")
        assert dict(zip(joined["who"], joined["depth"])) == wanted
    elif library == "polars":
        assert dict(frame.join(table, left_on="who", right_on="vertex").select("who", "depth").iter_rows()) == wanted
    else:
        joined = frame.join(table, "who", "vertex", join_type="inner")
        assert dict(zip(joined["who"].to_pylist(), joined["depth"].to_pylist())) == wanted


def test_numbers_as_names_keep_their_type_where_some_are_missing():
    graph = gp.Graph(([30, 10, 50], [10, 20, 60]), relabel=True)
    table = gp.bfs(graph, 30, parents=True).to_table()
    assert table["parent"].dtype == "Int64"
    assert table["parent"].dropna().tolist() == [30, 10, 30]
    assert gp.bfs(([0, 1], [1, 0]), 0, parents=True).to_table()["parent"].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: gp.bfs(g, root="alcie"), "root: there is no vertex 'alcie'; near it: 'alice'; labels are 'alice', "),
        (lambda g: gp.sssp(g, root=" ALICE"), "root: .*; near it: 'alice'; "),
        (lambda g: gp.ego(g, root="xyzzy"), "root: there is no vertex 'xyzzy'; labels are "),
        (lambda g: gp.closeness(g, vertices=["bob", "carrol"]), "vertices: .* 'carrol'; near it: 'carol'; "),
        (lambda g: gp.betweenness(g, sources=["bbo"]), "sources: .* 'bbo'; near it: 'bob'; "),
        (lambda g: gp.jaccard(g, [("bob", "Erin")]), "pairs: .* 'Erin'; near it: 'erin'; "),
        (lambda g: gp.pagerank(g, personalization={"franc": 1}), "personalization: .* 'franc'; near it: 'frank'; "),
        (lambda g: gp.bfs(g, "bob", parents=True).path_to("alic"), "vertex: .* 'alic'; near it: 'alice'; "),
        (lambda g: g.id_of("eirn"), "there is no vertex 'eirn'; near it: 'erin'; "),
        (lambda g: gp.Graph.from_table(pd.DataFrame(FRIENDS), "whoo", "whom"), "'whoo', .*; near it: 'who', 'whom'; "),
        (lambda g: gp.bfs(gp.Graph(([30], [10]), relabel=True), "30"), "no vertex '30'; near it: 30; labels are 10, "),
        (lambda g: gp.bfs(gp.Graph((["7"], ["8"])), 7), "no vertex 7; near it: '7'; labels are '7', '8'"),
    ],
)  # fmt: skip
def test_a_wrong_name_is_told_with_those_that_look_like_it(call, message):
    with pytest.raises(gp.InputError, match=message):
        call(gp.Graph.from_table(pd.DataFrame(FRIENDS), "who", "whom"))
