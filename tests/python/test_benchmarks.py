# SPDX-License-Identifier: Apache-2.0
"""benchmarks/cpu: peers' files, comparison of answers, and that a wrong answer ends a run."""

import argparse
import itertools
import re
import struct
import sys

import networkx as nx
import numpy as np
import pytest

import gaspipe as gp
from conftest import REPOSITORY

sys.path.append(str(REPOSITORY / "benchmarks"))

from cpu import answers, graphs, measure, report, run
from cpu.answers import Different, Parents, Told
from cpu.measure import Cell, Side
from cpu.peer import ALGORITHMS, Failed, Program, Turn, peer_classes

# 0 - 1 - 2 and 0 - 2 with weights 7, 8 and 9; 3 is alone.
INDPTR, INDICES, WEIGHTS = [0, 2, 4, 6, 6], [1, 2, 0, 2, 0, 1], [7, 9, 7, 8, 9, 8]


@pytest.fixture
def case(tmp_path):
    arrays = (np.array(values) for values in (INDPTR, INDICES, WEIGHTS))
    graphs.save(tmp_path, *arrays, num_roots=2, seed=1)
    return graphs.Case("small", tmp_path)


def test_roots_lie_in_the_largest_component(case):
    assert set(case.roots.tolist()) <= {0, 1, 2}


def test_gapbs_files_are_as_its_reader_wants_them(case):
    head = struct.pack("<?qq5q", False, 6, 4, *INDPTR)
    assert case.file("graph.sg").read_bytes() == head + struct.pack("<6i", *INDICES)
    pairs = itertools.chain(*zip(INDICES, WEIGHTS))
    assert case.file("graph.wsg").read_bytes() == head + struct.pack("<12i", *pairs)


def test_partition_centric_files_are_words_without_the_last_offset(case):
    words = [4, 6, *INDPTR[:-1], *INDICES]
    assert case.file("graph.csr").read_bytes() == struct.pack("<12I", *words)
    assert case.file("graphw.csr").read_bytes() == struct.pack("<18I", *words, *WEIGHTS)


def test_gbbs_files_have_the_weight_before_the_target(case):
    head = [4, 6, 8 * 8 + 4 * 6, *INDPTR]
    assert case.file("graph.bin").read_bytes() == struct.pack("<8q6I", *head, *INDICES)
    head[2] += 4 * 6
    pairs = itertools.chain(*zip(WEIGHTS, INDICES))
    assert case.file("graphw.bin").read_bytes() == struct.pack("<8q12I", *head, *pairs)


def test_ligra_gets_three_files_with_one_stem(case):
    stem = case.file("ligraw")
    assert stem.with_name("ligraw.config").read_text() == "4\n"
    assert stem.with_name("ligraw.idx").read_bytes() == struct.pack("<4i", *INDPTR[:-1])
    assert stem.with_name("ligraw.adj").read_bytes() == struct.pack("<12i", *INDICES, *WEIGHTS)


def test_matrix_has_the_weights_or_none(case):
    wanted = np.array([[0, 7, 9, 0], [7, 0, 8, 0], [9, 8, 0, 0], [0, 0, 0, 0]])
    assert np.array_equal(case.matrix("int32").toarray(), wanted)
    assert np.array_equal(case.matrix().toarray(), wanted != 0)
    assert not gp.Graph(case.matrix()).is_weighted


def test_weights_are_the_same_in_both_directions(rng):
    graph = gp.generate.uniform(300, 2000, seed=int(rng.integers(1000)), symmetric=True)
    weights = graphs.with_weights(graph.indptr, graph.indices, 3, 9)
    matrix = graph.to_scipy()
    matrix = type(matrix)((weights, matrix.indices, matrix.indptr), shape=matrix.shape)
    assert (matrix != matrix.T).nnz == 0
    assert np.array_equal(np.unique(weights), np.arange(3, 10))


def test_depths_follow_the_tree(rng):
    tree = nx.random_labeled_tree(200, seed=int(rng.integers(1000)))
    parents = np.full(205, -1)
    for v, parent in nx.predecessor(tree, 17).items():
        parents[v] = parent[0] if parent else -1
    lengths = nx.single_source_shortest_path_length(tree, 17)
    assert answers.depths(parents, 17).tolist() == [lengths.get(v, -1) for v in range(205)]


def test_scipys_answers_are_those_of_the_drawing(case):
    assert answers.expected(case, "bfs", 1, False).tolist() == [1, 0, 1, -1]
    assert answers.expected(case, "sssp", 1, False).tolist() == [7, 0, 8, -1]
    assert answers.expected(case, "wcc", 1, False).tolist() == [0, 0, 0, 3]
    x = case.vector("float64")
    assert answers.expected(case, "spmv64", 1, False) == pytest.approx(
        [7 * x[1] + 9 * x[2], 7 * x[0] + 8 * x[2], 9 * x[0] + 8 * x[1], 0]
    )
    spread, lost = answers.expected(case, "pagerank", 1, False)
    assert spread.sum() == pytest.approx(1)
    assert lost[3] == pytest.approx(0.15 / 4)


def test_pageranks_that_lose_the_dangling_share_have_their_limit(case):
    spread, lost = answers.expected(case, "pagerank", 1, True)
    assert spread.sum() == pytest.approx(1)
    np.testing.assert_allclose(lost, answers.pagerank(case.matrix(), None, False), atol=1e-5)
    assert lost.sum() < 0.9


def test_right_answers_pass_in_whatever_form(case):
    bfs, wcc = (answers.expected(case, algorithm, 1, False) for algorithm in ("bfs", "wcc"))
    answers.check("bfs", bfs, np.array([1.0, 0, 1, np.inf]), 1)
    answers.check("bfs", bfs, np.array([1, 0, 1, 1.7e308]), 1)
    answers.check("bfs", bfs, Parents(np.array([1, 1, 1, -1])), 1)
    answers.check("bfs", bfs, Told(levels=[1, 2], reached=3, verified=True), 1)
    answers.check("wcc", wcc, np.array([5, 5, 5, 0]), 1)
    answers.check("wcc", wcc, Told(components=2), 1)
    for rank in answers.expected(case, "pagerank", 1, False):
        answers.check("pagerank", answers.expected(case, "pagerank", 1, False), rank.astype("float32"), 1)


@pytest.mark.parametrize(
    ("algorithm", "wrong"),
    [
        ("bfs", np.array([1, 0, 2, -1])),
        ("bfs", np.array([1, 0, 1, 0])),
        ("bfs", np.array([1, 0, 1])),
        ("bfs", Parents(np.array([1, 1, 0, -1]))),
        ("bfs", Parents(np.array([1, 1, 1, 2]))),
        ("bfs", Told(levels=[1, 1, 1])),
        ("bfs", Told(reached=4)),
        ("bfs", Told(verified=False)),
        ("sssp", np.array([7, 0, 9, -1])),
        ("wcc", np.array([0, 0, 0, 0])),
        ("wcc", np.array([0, 0, 3, 3])),
        ("wcc", Told(components=1)),
        ("pagerank", np.full(4, 0.25)),
        ("pagerank", Told(ranks={0: 0.5})),
        ("spmv64", np.zeros(4)),
    ],
)
def test_a_wrong_answer_is_different(case, algorithm, wrong):
    with pytest.raises(Different):
        answers.check(algorithm, answers.expected(case, algorithm, 1, False), wrong, 1)


def test_an_answer_that_is_not_told_is_said_to_be_unchecked(case):
    assert answers.check("bfs", answers.expected(case, "bfs", 1, False), Told(), 1) == answers.UNCHECKED


def test_a_hopeless_peer_is_noted_and_we_never_are():
    cell = Cell("kron18", "bfs", "kernel")
    first = {Side(name, ""): seconds for name, seconds in dict(gaspipe=99, fast=1, fair=3, slow=3.1).items()}
    assert [side.peer for side in measure.hopeful(cell, first, 3)] == ["gaspipe", "fast", "fair"]
    assert [side.peer for side in cell.left_out] == ["slow"]


def test_who_tells_no_answer_makes_nobody_hopeless():
    cell = Cell("kron18", "bfs", "kernel", checks={Side("silent", ""): answers.UNCHECKED})
    first = {Side("silent", ""): 0.1, Side("fast", ""): 1}
    assert measure.fastest_peer(cell, first) == 1


@pytest.mark.parametrize("best", [1, 2, 4, 16, 32, 256])
def test_the_best_delta_is_found(case, best):  # whose mean weight is 8
    class Tunable:
        delta = 1

        def turn(self, *_):
            return Turn([1 + abs(np.log2(self.delta / best))])

    assert measure.best_delta(Tunable(), case, "", 0) == best


# What the programs print, from their sources and from runs.
PRINTED = {
    "gapbs": ("Read Time: 0.1\nTrial Time:          0.02500\nAverage Time: 0.025\n", "0.02500"),
    "gbbs": ("### n: 4\n### Running Time: 0.000268\n# time per iter: 0.0003\n", "0.000268"),
    "gpop": ("number of partitions 1, size of partitions 4\nbfs, 2, graph.csr, 0.000521\n\n", "0.000521"),
    "ligra": ("Running time : 0.000207\n", "0.000207"),
    "pcpm": ("pre-processing, graph.csr, 0.5\ngraph.csr, time = 0.25\n", "0.25"),
}


@pytest.mark.parametrize("name", PRINTED)
def test_the_time_is_read_from_what_a_program_prints(name):
    text, seconds = PRINTED[name]
    assert re.findall(peer_classes()[name].timer, text, re.M) == [seconds]


def test_every_peer_has_an_option_and_says_what_it_is():
    options = run.parse(["--gapbs", "here", "--graph-tool", "there"])
    assert (options.gapbs, options.graph_tool) == ("here", "there")
    for module, kind in peer_classes().items():
        assert kind.name and kind.variants, module
        assert set(kind.variants) <= set(ALGORITHMS), module


def fake(tmp_path, lines):
    """A native peer: a shell script that prints these lines."""
    script = tmp_path / "search"
    script.write_text("#!/bin/sh\n" + "".join(f"echo '{line}'\n" for line in lines))
    script.chmod(0o755)

    class Fake(Program):
        name = "Fake"
        variants = {"bfs": ("search",)}  # noqa: RUF012
        timer = r"^seconds (\S+)"

        def options(self, case, algorithm, variant, root):
            return []

        def told(self, case, algorithm, variant, text, dump):
            return Told(levels=[int(n) for n in re.findall(r"^level (\d+)", text, re.M)])

    return Fake(str(tmp_path), 2, "1.0")


def test_a_programs_first_time_is_its_warm_up(case, tmp_path):
    turn = fake(tmp_path, ["seconds 9", "seconds 0.25", "seconds 0.5"]).turn(case, "bfs", "search", 0)
    assert turn.seconds == [0.25, 0.5]
    assert 0 < turn.peak_bytes < 100 * 2**20


def test_a_program_that_prints_no_time_has_failed(case, tmp_path):
    with pytest.raises(Failed, match="hello"):
        fake(tmp_path, ["hello"]).turn(case, "bfs", "search", 0)


def options_of(*more):
    return run.parse(["--rounds", "1", "--hopeless", "1e9", "--algorithms", "bfs,spmv64", "--threads", "2", *more])


def test_a_peer_with_a_wrong_answer_is_left_out_with_what_differs(case, tmp_path):
    peer = fake(tmp_path, ["seconds 1", "level 1", "level 3"])
    left_out = measure.measure_kernel([peer], case, "bfs", options_of()).left_out
    assert [side.peer for side in left_out] == ["Fake"]
    assert next(iter(left_out.values())).startswith("FAILED: its answer differs: levels of [1, 3]")


def test_a_run_beside_scipy_fills_every_cell(case, tmp_path):
    options = options_of("--peers", "scipy")
    peers, absent = measure.find_peers(options, options.peers)
    try:
        cells = measure.measure([*peers, fake(tmp_path, ["seconds 1", "level 1", "level 2"])], case, options)
    finally:
        for peer in peers:
            peer.close()
    assert not absent and [peer.name for peer in peers] == ["gaspipe", "SciPy"]
    assert [(cell.algorithm, cell.kind) for cell in cells] == [
        ("bfs", "kernel"), ("bfs", "whole"), ("spmv64", "kernel"), ("spmv64", "whole"),
    ]  # fmt: skip
    for cell in cells:
        named = {side.peer for side in cell.samples}
        assert named == {"gaspipe", "SciPy"} | ({"Fake"} if (cell.algorithm, cell.kind) == ("bfs", "kernel") else set())
        assert all(samples.median > 0 for samples in cell.samples.values())
        assert not any("NOT CHECKED" in text for text in cell.checks.values()) and not cell.left_out
    assert all(row.value > 0 for row in report.ratios(cells))
    assert {side.peer for side in cells[0].peaks} == {"gaspipe", "SciPy", "Fake"}


def test_a_library_says_which_graphs_are_too_large_for_it():
    class Small:
        kind = argparse.Namespace(most_edges=10)

    sides = {Side("Small", ""): Small(), Side("Program", ""): object()}
    cell = Cell("kron18", "bfs", "kernel", 11)
    measure.leave_out_large(cell, sides)
    assert [side.peer for side in sides] == ["Program"]
    assert cell.left_out[Side("Small", "")] == "left out above 1e+01 edges"


def test_who_fails_in_a_later_round_is_left_out_and_the_others_go_on():
    good, bad = Side("good", ""), Side("bad", "")

    def turn_of(side, root):
        if side == bad and root == 8:
            raise Failed("no memory")
        return Turn([root / 10])

    cell = Cell("kron18", "bfs", "kernel")
    measure.time_in_turns(cell, [bad, good], turn_of, [7, 8], options_of("--rounds", "4"))
    assert list(cell.samples) == [good] and cell.samples[good].median == 0.75
    assert cell.left_out == {bad: "FAILED: no memory"}
    measure.leave_out(cell, good, Different("1 vertex differs"))
    assert cell.left_out[good] == "FAILED: its answer differs: 1 vertex differs"
    with pytest.raises(SystemExit, match="gaspipe failed: no memory"):
        measure.leave_out(cell, Side("gaspipe", "auto"), Failed("no memory"))


def test_a_library_that_dies_is_started_again(case):
    remote = measure.Remote("scipy", peer_classes()["scipy"], None, 2, None)
    try:
        remote.load(case)
        remote._process.kill()
        remote._process.wait()
        assert remote.turn(case, "bfs", "", 1, True).seconds
        remote._pipe.close()
        with pytest.raises(Failed):
            remote._answer()
        assert remote.turn(case, "bfs", "", 1, True).seconds
    finally:
        remote.close()


def test_no_delta_is_searched_for_where_the_first_is_hopeless(case):
    tried = []

    class Slow:
        delta = 1

        def turn(self, *_):
            tried.append(self.delta)
            return Turn([2])

    assert measure.best_delta(Slow(), case, "", 0, hopeless=1.9) == tried[0]
    assert len(tried) == 1
