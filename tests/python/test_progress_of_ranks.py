# SPDX-License-Identifier: Apache-2.0
"""`progress=` of graphs that ranks make of edges and tables."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp
from gaspipe import _progress
from thread_ranks import on_ranks

N, M = 300, 4000
EDGES = np.random.default_rng(5).integers(0, N, (2, M))
HALVES = [EDGES[:, :2500], EDGES[:, 2500:]]
SENT = ("checking", "owners", "sending")
SORTED = ("counting", "sorting", "rows")
TAKEN = ("ghosts", "numbering", *SORTED, *SORTED, "comparing")  # by source, then by destination
MERGED = (*TAKEN[:-1], "merging", "moving", "comparing")


def of_edges(world, **options):
    return world.edges(*HALVES[world.rank], **options)


def of_table(world, **options):
    import pandas

    sources, targets = HALVES[world.rank]
    return world.table(pandas.DataFrame({"source": sources, "destination": targets}), **options)


MADE = [pytest.param(of_edges, id="edges"), pytest.param(of_table, id="table", marks=pytest.mark.needs("pandas"))]


@pytest.mark.parametrize("make", MADE)
@pytest.mark.parametrize("undirected", [False, True])
def test_every_rank_is_told_of_its_own_edges(make, undirected):
    def work(world):
        told = []
        graph = make(world, undirected=undirected, progress=lambda *what: told.append(what))
        return told, graph.num_edges, graph.own_ids, gp.bfs(graph).values

    found = on_ranks(2, work)
    whole = sp.csr_array((np.ones(M), tuple(EDGES)), shape=(N, N))
    for rank, (told, num_edges, own, depth) in enumerate(found):
        runs = [list(run) for _, run in itertools.groupby(told, lambda what: what[0])]
        assert tuple(run[0][0] for run in runs) == SENT + (MERGED if undirected else TAKEN)
        for run in runs:
            assert len({total for _, _, total in run}) == 1
            done = [what[1] for what in run]
            assert done == sorted(done) and done[-1] == run[0][2]
        totals = {phase: total for phase, _, total in told}
        mine = HALVES[rank]
        sent = mine.shape[1] + (int((mine[0] != mine[1]).sum()) if undirected else 0)
        assert [totals[phase] for phase in SENT] == [sent] * 3
        ends = np.concatenate([EDGES, EDGES[::-1, EDGES[0] != EDGES[1]]], axis=1) if undirected else EDGES
        assert totals["ghosts"] == totals["sorting"] == np.isin(ends[1], own).sum()
        if not undirected:
            assert num_edges == M
        np.testing.assert_array_equal(depth, gp.bfs(whole + whole.T if undirected else whole).values[own])


@pytest.mark.parametrize("make", MADE)
def test_an_error_of_a_ranks_function_is_its_own_and_ends_the_others(make):
    def work(world):
        def stop(phase, done, total):
            if world.rank == 1 and phase == "sending":
                raise KeyError(phase)

        return make(world, progress=stop)

    # The ranks are threads, and the one that is ended is so at its barrier: an error of the test's communicator.
    first, second = on_ranks(2, work)
    assert isinstance(first, Exception)
    assert isinstance(second, KeyError) and second.args == ("sending",)


@pytest.mark.parametrize("make", MADE)
def test_what_is_neither_a_function_nor_a_bool_is_refused_by_all_ranks_and_they_go_on(make):
    def work(world):
        with pytest.raises(gp.InputError, match=r"progress is 3; a bool or a function") as error:
            make(world, progress=3)
        with pytest.raises(gp.InputError if world.rank else gp.RankError, match="progress is 'no'"):
            make(world, progress="no" if world.rank else None)
        return str(error.value), make(world).num_edges

    assert [num_edges for _, num_edges in on_ranks(2, work)] == [M, M]


@pytest.mark.needs("tqdm")
@pytest.mark.parametrize("make", MADE)
def test_true_shows_a_bar_of_rank_0(make, monkeypatch, capsys):
    monkeypatch.setattr(_progress, "DELAY", 0)
    assert [graph.num_edges for graph in on_ranks(2, lambda world: make(world, progress=bool(world.rank)))] == [M, M]
    assert capsys.readouterr().err == ""
    for yes in (True, np.True_):
        on_ranks(2, lambda world: make(world, progress=yes))  # noqa: B023
        shown = capsys.readouterr().err
        assert "sending" in shown and "rows" in shown
        assert shown.rpartition("\r")[2].strip() == ""
