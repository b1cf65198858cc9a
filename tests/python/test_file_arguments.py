# SPDX-License-Identifier: Apache-2.0
"""Arguments of reading and writing files: what is of another kind is refused in a sentence, what is alike is taken."""

import os

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import gaspipe as gp


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = pd.DataFrame({"source": [0, 1], "target": [2, 0]})
    table.to_csv("t.csv", index=False)
    table.to_parquet("t.parquet")
    (tmp_path / "g.graph").write_text("2 1\n2\n1\n")
    (tmp_path / "g.txt").write_text("0 1\n1 2\n")
    (tmp_path / "l.v").write_text("3\n4\n")
    (tmp_path / "l.e").write_text("4 3\n")


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
@pytest.mark.parametrize("columns", [5, "ab", {"source", "target"}, [["source"], ["target"]], ["source"], []])
def test_columns_are_two_or_three_names_in_order(folder, name, columns):
    with pytest.raises(gp.InputError, match=r"^columns is .*; give two or three names"):
        gp.Graph.from_file(name, columns=columns)


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Index])
def test_columns_may_be_any_sequence(folder, name, kind):
    graph = gp.Graph.from_file(name, columns=kind(["target", "source"]))
    assert graph.to_table().to_numpy().tolist() == [[0, 1], [2, 0]]


@pytest.mark.parametrize("dialect", [5, "dimacs9", "auto", ["metis"]])
def test_dialects_are_names(folder, dialect):
    message = r"^dialect is .*; allowed are 'metis' and 'dimacs10'$"
    with pytest.raises(gp.InputError, match=message):
        gp.Graph.from_file("g.graph", dialect=dialect)
    with pytest.raises(gp.InputError, match=message):
        gp.Graph.from_file("g.graph").to_file("h.graph", dialect=dialect)


@pytest.mark.parametrize("views", [5, None, "forward"])
def test_views_are_sequences(folder, views):
    graph = gp.Graph(sp.eye_array(3, format="csr"))
    for write in (
        lambda: graph.save("v.gaspipe", blocks=True, views=views),
        lambda: gp.convert(graph, "v.gaspipe", views=views),
    ):
        with pytest.raises(
            gp.InputError, match=r"^views is .*; a sequence of names is needed, such as \('forward',\)$"
        ):
            write()
    with pytest.raises(gp.InputError, match="views= is for blocks=True"):
        graph.save("v.gaspipe", views=views)


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "g.graph", "g.txt"])
def test_paths_may_be_bytes(folder, name):
    read = gp.Graph.from_file(os.fsencode(name))
    wanted = gp.Graph.from_file(name)
    assert np.array_equal(read.indices, wanted.indices) and read.shape == wanted.shape


@pytest.mark.parametrize("name", ["l", "l.v", "l.e"])
def test_paths_of_several_files_may_be_bytes(folder, name):
    graph = gp.Graph.from_file(os.fsencode(name), format="ldbc", directed=True)
    assert graph.to_table().to_numpy().tolist() == [[4, 3]]
