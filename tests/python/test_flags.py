# SPDX-License-Identifier: Apache-2.0
"""Arguments that are bools take nothing else: a text such as "no" would count as true."""

import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import gaspipe as gp

MATRIX = sp.csr_array(np.triu(np.ones((4, 4), np.int32)))
GRAPH = gp.Graph(MATRIX)
GRID = gp.generate.grid(2, 3)
TABLE = pd.DataFrame({"u": [0, 1], "v": [1, 2]})


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("flags")
    (folder / "edges.txt").write_text("0 1\n1 2\n")
    GRAPH.save(folder / "saved.gaspipe")
    return folder


CALLS = {
    "copy": lambda value, _: gp.Graph(MATRIX, copy=value),
    "directed": lambda value, _: gp.Graph(MATRIX, directed=value),
    "rectangular": lambda value, _: gp.Graph(MATRIX, rectangular=value),
    "relabel": lambda value, _: gp.Graph(([0], [1]), relabel=value),
    "relabel of a file": lambda value, files: gp.Graph.from_edge_list_file(files / "edges.txt", relabel=value),
    "header of a file": lambda value, files: gp.Graph.from_file(files / "edges.txt", header=value),
    "rectangular of a file": lambda value, files: gp.Graph.from_file(files / "edges.txt", rectangular=value),
    "header of a new file": lambda value, files: GRAPH.to_file(files / "new.txt", header=value),
    "labels of a new file": lambda value, files: GRAPH.to_file(files / "new.txt", labels=value),
    "mmap": lambda value, files: gp.Graph.load(files / "saved.gaspipe", mmap=value),
    "verify": lambda value, files: gp.Graph.load(files / "saved.gaspipe", verify=value),
    "self_loops": lambda value, _: GRAPH.simplify(self_loops=value),
    "parallel_edges": lambda value, _: GRAPH.simplify(parallel_edges=value),
    "combine": lambda value, _: GRAPH.domains(2, combine=value),
    "symmetric": lambda value, _: gp.generate.kronecker(3, symmetric=value),
    "permute": lambda value, _: gp.generate.rmat(3, permute=value),
    "parents": lambda value, _: gp.bfs(GRID, parents=value),
    "normalized": lambda value, _: gp.betweenness(GRID, normalized=value),
    "skip_idle": lambda value, _: gp.bfs(GRID, device="emulator", skip_idle=value),
    "fallback": lambda value, _: gp.bfs(GRID, fallback=value),
    "hide_latency": lambda value, _: gp.bfs(GRID, hide_latency=value),
    "refine": lambda value, _: gp.louvain(GRID, refine=value),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("value", ["no", 1, np.array([True])])
def test_what_is_no_bool_is_refused(call, value, files):
    name = call.split()[0]
    with pytest.raises(gp.InputError, match=re.escape(f"{name} is {value!r}; a bool is needed")):
        CALLS[call](value, files)
    assert not (files / "new.txt").exists()


@pytest.mark.parametrize("call", [call for call in CALLS if " file" not in call or call == "relabel of a file"])
def test_numpys_bools_are_bools(call, files):
    CALLS[call](np.True_, files)


@pytest.mark.parametrize("table", [TABLE, TABLE.astype(str)], ids=["ids", "names"])
def test_the_direction_of_a_table_is_a_bool(table):
    with pytest.raises(gp.InputError, match="directed is None; a bool is needed"):
        gp.Graph.from_table(table, directed=None)
    assert gp.Graph.from_table(table, directed=np.True_).num_edges == 2
    assert gp.Graph.from_table(table, directed=np.False_).num_edges == 4


def test_numpys_false_is_false():
    assert gp.Graph(([0, 1], [1, 2]), directed=np.False_).num_edges == 4
    with pytest.raises(gp.InputError, match="no vertex ids; without relabel=False"):
        gp.Graph.from_table(TABLE.astype(str), relabel=np.False_)


@pytest.mark.parametrize("name", ["fallback", "skip_idle", "parents"])
def test_none_is_no_bool(name):
    with pytest.raises(gp.InputError, match=f"{name} is None; a bool is needed"):
        gp.bfs(GRID, **{name: None})
