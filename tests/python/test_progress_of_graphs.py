# SPDX-License-Identifier: Apache-2.0
"""`progress=` of the methods of gp.Graph that make another graph, or take long on a large one."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph

import gaspipe as gp
from gaspipe import _progress


def fresh():
    """A skewed graph with self-loops and parallel edges, which has kept nothing of earlier calls."""
    return gp.generate.rmat(10, 8, seed=4, weights=(1, 9))


GRAPH = fresh()
N, M = GRAPH.num_vertices, GRAPH.num_edges
SOURCES = np.repeat(np.arange(N), np.diff(GRAPH.indptr.astype(np.int64)))
NO_LOOPS = int((GRAPH.indices != SOURCES).sum())
MOST_OUT = int(np.bincount(SOURCES, minlength=N).max())
_, _PARTS = scipy.sparse.csgraph.connected_components(
    sp.csr_array((np.ones(M), (SOURCES, GRAPH.indices)), shape=(N, N)), directed=False
)
IN_LARGEST = int((_PARTS[SOURCES] == np.bincount(_PARTS).argmax()).sum())  # edges
SORTED = {"counting": M, "sorting": M, "rows": N}
PUT_IN_ORDER = {"counting": N, "sorting": N}

# Of every call its phases, in their order, and how much there is of each.
CALLS = {
    "transpose": (lambda g, **how: g.transpose(**how), SORTED),
    "symmetrize": (lambda g, **how: g.symmetrize(**how), {**SORTED, "merging": N, "moving": N}),
    "simplify": (lambda g, **how: g.simplify(**how), {"merging": N, "moving": N}),
    "loops": (lambda g, **how: g.simplify(parallel_edges=True, **how), {"choosing": M, "copying": NO_LOOPS}),
    "component": (
        lambda g, **how: g.largest_component(**how),
        {"looking": N, "joining": M, **PUT_IN_ORDER, "rows": 2, "choosing": M, "copying": IN_LARGEST},
    ),
    "degree": (
        lambda g, **how: g.reorder(**how),
        {**PUT_IN_ORDER, "rows": MOST_OUT + 1, "choosing": M, "copying": M},
    ),
    "hub": (lambda g, **how: g.reorder("hub", **how), {**PUT_IN_ORDER, "rows": 8, "choosing": M, "copying": M}),
    "permutation": (lambda g, **how: g.reorder(np.arange(N)[::-1], **how), {"choosing": M, "copying": M}),
    "prepare": (lambda g, **how: g.prepare(**how), {"degrees": N, "placing": N, "relabeling": M}),
    "partition": (lambda g, **how: g.partition(capacity=100, **how), {"counting": M, "filling": M}),
    "in": (lambda g, **how: g.degree_histogram("in", **how), {"edges": M, "vertices": N}),
    "out": (lambda g, **how: g.degree_histogram(**how), {"vertices": N}),
}


def comparable(answer):
    """What a call has made, as arrays."""
    if isinstance(answer, gp.Graph):
        return [answer.indptr, answer.indices, answer.weights, *([] if answer.labels is None else [answer.labels])]
    if isinstance(answer, gp.Partitioning):
        return [ends for part in answer for sub in part for ends in sub.encode()]
    return [np.asarray(each) for each in answer if not isinstance(each, float)]  # seconds differ


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("threads", [1, 3])
def test_phases_follow_each_other_and_each_is_told_to_its_end(name, threads):
    call, phases = CALLS[name]
    told = []
    answer = call(fresh(), num_threads=threads, progress=lambda *what: told.append(what))
    assert list(dict.fromkeys(phase for phase, _, _ in told)) == list(phases)
    for phase, total in phases.items():
        of_phase = [what for what in told if what[0] == phase]
        assert {what[2] for what in of_phase} == {total}
        done = [what[1] for what in of_phase]
        assert done == sorted(done) and done[-1] == total
    for given, wanted in zip(comparable(answer), comparable(call(fresh(), num_threads=threads))):
        np.testing.assert_array_equal(given, wanted)


@pytest.mark.parametrize("name", CALLS)
def test_an_error_of_the_function_ends_the_call_and_leaves_the_graph_as_it_was(name):
    call, phases = CALLS[name]
    graph = fresh()
    for last in phases:

        def stop(phase, done, total, last=last):
            if phase == last:
                raise KeyError(phase)

        with pytest.raises(KeyError, match=last):
            call(graph, progress=stop)
    for given, wanted in zip(comparable(call(graph)), comparable(call(fresh()))):
        np.testing.assert_array_equal(given, wanted)


@pytest.mark.parametrize("name", CALLS)
def test_what_is_neither_a_function_nor_a_bool_is_refused(name):
    with pytest.raises(gp.InputError, match=r"progress is 'yes'; a bool or a function, progress\(what, done, total\)"):
        CALLS[name][0](fresh(), progress="yes")


@pytest.mark.needs("tqdm")
@pytest.mark.parametrize("name", CALLS)
def test_true_shows_a_bar_of_every_phase_and_takes_it_away(name, monkeypatch, capsys):
    monkeypatch.setattr(_progress, "DELAY", 0)
    call, phases = CALLS[name]
    call(fresh(), progress=False)
    assert capsys.readouterr().err == ""
    call(fresh(), progress=True)
    shown = capsys.readouterr().err
    assert [phase for phase in phases if phase not in shown] == []
    assert shown.rpartition("\r")[2].strip() == ""


def test_nothing_is_told_of_what_a_graph_has_already():
    for name in ("transpose", "prepare", "partition"):
        call, graph, told = CALLS[name][0], fresh(), []
        call(graph)
        call(graph, progress=lambda *what: told.append(what))  # noqa: B023
        assert told == []


def test_a_graph_whose_relabeling_does_not_pay_is_only_looked_at():
    told = []
    assert not gp.generate.grid(30, 30).prepare(progress=lambda *what: told.append(what)).is_relabeled
    assert told[-1] == ("degrees", 900, 900)


def test_steps_are_no_phases_of_other_calls():
    """An algorithm that needs edges in both directions goes on telling of its own phases."""
    told = []
    gp.triangles(fresh(), progress=lambda *what: told.append(what[0]))
    assert set(told) == {"preparing", "vertices"}
