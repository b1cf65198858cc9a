# SPDX-License-Identifier: Apache-2.0
"""Designs for boards with HBM: ReGraph's estimates from NumPy, what a plan has to add up to, and what is refused."""

import functools

import numpy as np
import pytest

import gaspipe as gp
from gaspipe import _core
from gaspipe._card import boards as _boards
from gaspipe._card import kernels as _kernels
from gaspipe._card import placing as _placing
from gaspipe._predict import configs_for

READ = functools.partial(_kernels.read_text, gp.get_include())
DESIGNS = [c["name"] for c in _core.configs() if c["is_for_hbm"]]


@pytest.fixture(scope="module")
def graph():
    return gp.generate.kronecker(15, 16, seed=3, symmetric=False, weights=(1, 9))


def predicted(algorithm, graph, config, board="u280", **how):
    return gp.predict(algorithm, graph, board=board, config=config, **how).stats.prediction


def blocks_of(units):
    """URAM of so many pipelines of 16 lanes or PEs, as a build counts it."""
    return _placing.uram_blocks_of_kinds(READ, units, 16, 16, 4, 1 << 18)


def kernels_cycles(p):
    """Cycles of a super-step without launch and host."""
    step = p.steps["seconds"][0] - p.step_overhead_seconds - p.launch_seconds
    return step * p.clock_mhz * 1e6


def ordered(graph):
    """Sources and targets by falling in-degree (else as they were), edges by source."""
    targets = np.asarray(graph.indices)
    sources = np.repeat(np.arange(graph.num_vertices), np.diff(np.asarray(graph.indptr).astype(np.int64)))
    vertices = np.argsort(-np.bincount(targets, minlength=graph.num_vertices), kind="stable")
    number = np.empty_like(vertices)
    number[vertices] = np.arange(len(vertices))
    order = np.argsort(number[sources], kind="stable")
    return number[sources][order], number[targets][order]


def little(sources):
    """ReGraph's estimate for its Little pipelines, after each window of 64 edges."""
    at = sources[64::64]
    return np.cumsum(np.maximum(np.diff(at, prepend=0) // 10, 8))


def big(sources):
    """ReGraph's estimate for its Big pipelines, after the first edge of each window of 4,096."""
    lines = sources >> 4
    apart = np.diff(lines, prepend=0)
    requests = np.cumsum(np.where(apart > 0, np.maximum(apart / 16, 1), 0))[::4096]
    cycles = 0
    found = []
    for request in np.diff(requests, prepend=0):
        cycles = int(cycles + request + 512)
        found.append(cycles)
    return np.array(found)


def slices(cycles, marks, edges, parts):
    """Cycles of the slices of a partition that is cut where its estimate is an equal share."""
    ends = []
    for i in range(1, parts):
        k = int(np.searchsorted(cycles, cycles[-1] / parts * i))
        ends.append(cycles[k] if k < len(cycles) and marks[k] < edges else cycles[-1])
    return np.diff([0, *ends, cycles[-1]])


def test_regraphs_step_is_its_own_estimate(graph):
    p = predicted("pagerank", graph, "regraph", number="fixed", max_iter=3, tol=0)
    sources, _ = ordered(graph)  # one partition: dense or sparse, whichever is sooner done
    flush = 65536 // 2
    found = []
    for estimate, window, pipelines in ((little, 64, 11), (big, 4096, 3)):
        cycles = estimate(sources)
        marks = np.arange(len(cycles)) * window + (window if estimate is little else 0)
        found.append(slices(cycles, marks, len(sources), pipelines).max() + flush)
    apply = graph.num_vertices / 16
    assert kernels_cycles(p) == pytest.approx(min(found) + apply, rel=0.01)
    assert p.steps["seconds"] == pytest.approx(p.steps["seconds"][0])
    assert p.num_units == 14
    assert p.resources["uram"] == 14 * 64


@pytest.mark.parametrize("config", DESIGNS)
def test_answers_and_edges_are_those_of_the_plain_kernels(config, graph):
    unweighted = gp.Graph((np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr)), graph.indices))
    for algorithm, how in (("bfs", {"root": 3}), ("wcc", {})):
        result = gp.predict(algorithm, unweighted, board="u280", config=config, skip_idle=False, **how)
        plain = getattr(gp, algorithm)(unweighted, method="gas", **how)
        assert np.array_equal(result.values, plain.values)
        p = result.stats.prediction
        assert len(p.steps) == plain.stats.num_supersteps
        edges = p.steps["edges"][0]
        assert edges == sum(unit["edges"] for unit in p.units) / len(p.steps)
        assert edges == p.graph_edges == plain.stats.num_edges
        assert (p.config, p.board, p.num_units, p.timed_share) == (config, "u280", 14, 1)
        assert p.limiting_stage.partition(" ")[0] in ("dense", "sparse", "apply")
        assert sum(c["bytes"] for c in p.channels) == pytest.approx(p.steps["bytes"].sum())
        assert 0 < p.bandwidth_share < 1


def test_hbm_is_bound_by_its_edges_lines_and_flushes(graph):
    for algorithm, weight_words, interval in (("pagerank", 1, 1), ("sssp", 2, 1)):
        how = {"number": "fixed", "max_iter": 1} if algorithm == "pagerank" else {"root": 0}
        p = predicted(algorithm, graph, "hbm", **how)
        words = graph.num_edges / 16 * weight_words * interval
        # One pipeline does not end before its equal share of the edges of its kind, and all end before one of them
        # would alone.
        assert words / 14 < kernels_cycles(p) < words + graph.num_vertices
        assert p.bytes_per_edge > 4 * weight_words
    whole, floating = (
        kernels_cycles(predicted("pagerank", graph, "hbm", number=number, max_iter=1))
        for number in ("fixed", "float32")
    )
    # A word of 16 edges a cycle; with floating-point numbers lanes wait now and then for their last update of a row.
    assert whole < floating < 1.2 * whole
    assert whole < kernels_cycles(predicted("pagerank", graph, "regraph", number="fixed", max_iter=1))


def test_boards_say_which_designs_they_may_have():
    assert DESIGNS == ["regraph", "hbm"]
    assert configs_for("u250") == ["plain", "thundergp", "packed"]
    assert configs_for("u280") == configs_for({"base": "u55c"}) == ["plain", "thundergp", "packed", *DESIGNS]


@pytest.mark.parametrize("board", ["u280", "u55c", "u50"])
def test_a_board_has_as_many_pipelines_as_a_build_could_place(board, graph):
    """By the placement of `gaspipe build`, which is other code, without its limit of AXI ports."""
    found = _boards.read(board)
    fitting = [
        units
        for units in range(2, _placing.most_units(READ, found) + 1)
        if _placing.place(found, units, blocks_of(units)) is not None
    ]
    p = predicted("pagerank", graph, "hbm", board=board, number="fixed", max_iter=1)
    assert p.num_units == max(fitting) == {"u280": 14, "u55c": 14, "u50": 10}[board]
    dense = sum(blocks == 64 for blocks in blocks_of(p.num_units))
    # FIFOs of apply: its inputs, which are three with PageRank's two, are words of 64 bytes, as is what it writes.
    bram = 34 * dense + 26 * (p.num_units - dense) + 8 * (2 * p.num_units + 1 + 2)
    assert (p.resources["uram"], p.resources["bram"]) == (sum(blocks_of(p.num_units)), bram)
    assert len(p.channels) == 2 * p.num_units + 4
    assert sum(unit["edges"] for unit in p.units) == graph.num_edges


def test_channels_regions_and_wide_properties_decide_how_many_pipelines_there_are(graph):
    for banks in range(8, 36, 3):
        p = predicted("bfs", graph, "hbm", board=gp.Board("u280", memory={"num_banks": banks}))
        assert p.num_units == min(14, (banks - 4) // 2)
        assert p.resources["uram"] == sum(blocks_of(p.num_units)), "dense and sparse ones as a build has them"
    # A region's blocks of which 90 % may be used: 64 for a dense pipeline, 32 for a sparse one; of BRAM 34 and 26, and
    # 8 * (2 * pipelines + 1) for apply.
    for regions, pipelines in (
        ([(200, 672)] * 3, 8),  # two dense ones and a sparse one each: the ninth would be a dense one
        ([(72, 672), (36, 672)], 2),
        ([(160, 112)], 2),
        ([(1000, 760)], 14),
        ([(1000, 672)], 12),
        ([(1000, 278)], 5),
        ([(1000, 277)], 4),
        ([(1000, 112)], 2),
    ):
        described = [{"uram": uram, "bram": bram} for uram, bram in regions]
        p = predicted("bfs", graph, "hbm", board=gp.Board("u280", slrs=described))
        assert p.num_units == pipelines, regions
    for number in ("float32", "float64"):
        assert predicted("pagerank", graph, "hbm", board="u50", number=number, max_iter=1).num_units == 10


def test_what_does_not_fit_is_refused_with_the_count(graph):
    def refused(wanted, board="u280", config="hbm", algorithm="bfs", **how):
        with pytest.raises(gp.CapacityError, match=wanted):
            predicted(algorithm, graph, config, board=board, **how)

    refused(r"needs at least 8 pseudo-channels of HBM; u250 has 4 banks of DDR; use \"packed\"", board="u250")
    refused("needs 29 pseudo-channels of HBM; u250 has 4", board="u250", config="regraph")
    few = gp.Board("u280", memory={"num_banks": 16})
    refused(
        r"14 pipelines with 2 pseudo-channels each and 1 for apply; u280\* has 16, enough for 7",
        board=few,
        config="regraph",
    )
    refused("takes 896 blocks of URAM; u50 has 640", board="u50", config="regraph")
    refused('"regraph" has no weights', config="regraph", algorithm="sssp")
    refused('"regraph" has properties of 32 bits', config="regraph", algorithm="pagerank", number="float64")
    regions = [{"uram": 200, "bram": 672}] * 3
    too_small = [{"uram": 70, "bram": 672}, {"uram": 320, "bram": 30}]
    refused(
        r"needs room for 2 pipelines and apply, each in one region. .* one takes 64, 34 and about \d+, the other 32, "
        r"26 and about \d+, apply 0, 40 and about \d+; the regions of u280\* have 70, 672 and an unknown number; 320, "
        r"30 and an unknown number, of whose blocks 90 % may be used; use \"packed\"",
        board=gp.Board("u280", slrs=too_small),
    )
    none = gp.Board("u280", memory={"num_banks": 7})
    refused(r"needs at least 8 pseudo-channels of HBM, for 2 pipelines and apply; u280\* has 7; use", board=none)
    refused(r"takes 896 blocks of URAM; u280\* has 600", board=gp.Board("u280", slrs=regions), config="regraph")
    small = gp.Board("u280", memory={"bytes_per_bank": 1 << 20})
    large = gp.generate.kronecker(16, 64, seed=1, symmetric=False)
    with pytest.raises(
        gp.CapacityError, match=r"a pipeline's edges take \d+ bytes.* has 1048576; with all 14 pipelines"
    ):
        predicted("bfs", large, "hbm", board=small)
    many = gp.Graph(([0], [300_000]))
    with pytest.raises(gp.CapacityError, match="enough for 262144 vertices"):
        predicted("bfs", many, "hbm", board=small)
    with pytest.raises(gp.CapacityError, match="enough for 131072 vertices"):  # old and new ones
        predicted("bfs", many, "regraph", board=small)


def test_assumptions_cost_what_intervals_say(graph):
    def cycles(**assumed):
        return kernels_cycles(
            predicted("pagerank", graph, "hbm", number="fixed", max_iter=1, tol=0, clock_mhz=200, assume=assumed)
        )

    words = graph.num_edges / 16 / 11  # of one partition, on 11 pipelines
    plain = cycles()
    assert cycles(uram_latency=1) == cycles(uram_latency=3, decoder_interval=1) == plain
    # A row comes again after five updates; reading in 4 cycles, adding in 1 and writing in 1 is more.
    for slower in ({"uram_latency": 4}, {"decoder_interval": 2}, {"uram_latency": 4, "decoder_interval": 2}):
        assert cycles(**slower) - plain == pytest.approx(words, rel=0.02)
    for wrong, said in (
        ({"uram_latency": 5}, "'uram_latency'\\] is 5; allowed are 1 to 4"),
        ({"decoder_interval": 0}, "'decoder_interval'\\] is 0; allowed are 1"),
        ({"latency": 1}, "assume has 'latency'; allowed are 'uram_latency', 'decoder_interval'"),
        ([2], r"assume is \[2\]"),
    ):
        with pytest.raises(gp.InputError, match=said):
            predicted("bfs", graph, "hbm", assume=wrong)
    for config in ("packed", "regraph"):
        with pytest.raises(gp.InputError, match=f"assume changes the estimates of config .hbm.; kernels of '{config}'"):
            predicted("bfs", graph, config, assume={"uram_latency": 4})
