# SPDX-License-Identifier: Apache-2.0
"""`progress=` of gp.FrontierEngine: calls of programs in C++, and rounds of `iterate`."""

import numpy as np
import pytest

import gaspipe as gp
from frontier_program import EDGE, FUNCTORS, SEARCH, VERTEX, levels_of, random_matrix
from gaspipe import _progress

pytestmark = [pytest.mark.needs("g++"), pytest.mark.usefixtures("compiled_snippets")]

SOURCE = FUNCTORS + SEARCH
MATRIX = random_matrix(400, 1500, 3)
LEVELS = np.array(levels_of(MATRIX, 0))
ROUNDS = int(LEVELS.max()) + 1


def engine_of(matrix=MATRIX, **options):
    values = {"vertex": VERTEX, "edge": EDGE, "accumulator": "f8", "default": 1e300}
    parameters = {"root": 0, "bias": 0.0, "scale": 1.0}
    return gp.FrontierEngine(matrix, SOURCE, **values, parameters=parameters, **options)


def rounds_of(engine, **options):
    """What is told of a search by `iterate`."""
    front = engine.subset(0)
    engine.vertex_map(engine.subset(True), "start")
    engine.vertex_map(front, "mark")
    return engine.iterate("Bfs", front, **options)


def test_a_program_is_told_of_by_its_calls():
    told, lines = [], []
    engine = engine_of(
        progress=lambda *what: told.append(what), log=lambda *line: lines.append(line), log_level="warning"
    )
    engine.vertex_map(engine.subset(True), "start")
    assert told == []  # a loop in Python has its own
    for _ in range(2):  # each run begins at 1
        assert engine.run("search") == ROUNDS
        assert told == [("calls", i + 1, None) for i in range(2 + 2 * ROUNDS)]
        told.clear()
    assert lines == []
    assert engine.vertices["level"].tolist() == LEVELS.tolist()


def test_the_log_is_as_it_is_without_progress():
    lines = {}
    for progress in (None, False, lambda *what: None):
        said = lines.setdefault(progress, [])
        engine = engine_of(
            progress=progress,
            log=lambda level, text, said=said: said.append((level, text.split(":")[0])),
            log_level="debug",
        )
        engine.run("search")
    assert len(set(map(tuple, lines.values()))) == 1
    assert len(lines[None]) == 2 + 2 * ROUNDS


def test_an_error_of_the_function_ends_the_program():
    def stop(what, done, total):
        if done == 3:
            raise KeyError(what)

    engine = engine_of(progress=stop)
    with pytest.raises(KeyError, match="calls"):
        engine.run("search")
    assert [call for call in engine.calls["call"]] == []


def test_rounds_are_told_of_with_their_sets_and_edges():
    degrees = np.diff(MATRIX.indptr)
    wanted = [(i, int((i + 1 == LEVELS).sum()), int(degrees[i == LEVELS].sum())) for i in range(ROUNDS)]
    for options in ({}, {"domains": 3}):
        told = []
        assert rounds_of(engine_of(**options), progress=lambda *what: told.append(what)).num_rounds == ROUNDS  # noqa: B023
        assert told == wanted

    def stop(step, vertices, edges):
        if step == 1:
            raise KeyError(step)

    with pytest.raises(KeyError, match="1"):
        rounds_of(engine_of(), progress=stop)


def test_what_is_neither_a_function_nor_a_bool_is_refused():
    with pytest.raises(gp.InputError, match=r"progress is 1; a bool or a function, progress\(what, done, total\)"):
        engine_of(progress=1)
    with pytest.raises(gp.InputError, match=r"progress is 1; a bool or a function, progress\(round, vertices, edges\)"):
        rounds_of(engine_of(), progress=1)
    with pytest.raises(gp.InputError, match="a parameter cannot be called 'progress'"):
        gp.FrontierEngine(MATRIX, SOURCE, vertex=VERTEX, parameters={"progress": 1})


@pytest.mark.needs("tqdm")
def test_true_shows_a_bar_which_is_gone_in_the_end(monkeypatch, capsys):
    monkeypatch.setattr(_progress, "DELAY", 0)
    for work, shown in (
        (lambda: engine_of(progress=True).run("search"), "calls"),
        (lambda: rounds_of(engine_of(), progress=True), "super-steps"),
    ):
        capsys.readouterr()
        work()
        bar = capsys.readouterr().err
        assert shown in bar
        assert bar.rpartition("\r")[2].strip() == ""
    engine_of(progress=False).run("search")
    rounds_of(engine_of(), progress=False)
    assert capsys.readouterr().err == ""
