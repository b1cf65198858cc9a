# SPDX-License-Identifier: Apache-2.0
"""`gp.predict`: the answer is the CPU's, figures obey their definitions, and what cannot be predicted is refused."""

import json
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp
from command import environment
from conftest import REPOSITORY
from gaspipe import _core

CONFIGS = [c["name"] for c in _core.configs() if not c["is_for_hbm"]]
every_config = pytest.mark.parametrize("config", CONFIGS)


@pytest.fixture(scope="module")
def graph():
    return gp.generate.kronecker(11, 8, seed=3, symmetric=False, weights=(1, 9))


@pytest.fixture(scope="module")
def large():
    """Several partitions where capacities are of 32,768 vertices."""
    return gp.generate.kronecker(17, 8, seed=3, symmetric=False)


def figures(prediction):
    return json.dumps(prediction.to_dict(), sort_keys=True)


@every_config
@pytest.mark.parametrize("algorithm", ["bfs", "sssp", "wcc", "pagerank", "spmv"])
def test_answers_are_the_cpus(algorithm, config, graph):
    how = {
        "pagerank": {"number": "fixed", "max_iter": 5, "tol": 0},
        "spmv": {"x": np.arange(graph.num_vertices, dtype=np.int32), "number": "int32"},
    }.get(algorithm, {})
    predicted = gp.predict(algorithm, graph, config=config, **how)
    plain = getattr(gp, algorithm)(graph, method="gas", **how)
    assert np.array_equal(predicted.values, plain.values)
    stats, p = predicted.stats, predicted.stats.prediction
    assert (stats.device, stats.board, p.board, p.config) == ("emulator", "u250", "u250", config)
    assert len(p.steps) == stats.num_supersteps == plain.stats.num_supersteps
    assert p.graph_edges == stats.num_edges


@every_config
def test_figures_obey_their_definitions(config, graph):
    p = gp.predict("sssp", graph, config=config).stats.prediction
    steps = p.steps
    assert p.seconds == pytest.approx(steps["seconds"].sum())
    assert (steps["seconds"] > 0).all()
    assert steps["cycles"] == pytest.approx(steps["seconds"] * p.clock_mhz * 1e6, abs=1)
    assert p.streamed_mteps * p.seconds * 1e6 == pytest.approx(steps["edges"].sum())
    assert p.graph_mteps * p.seconds * 1e6 == pytest.approx(graph.num_edges)
    # Of so small a graph every edge is streamed, once it is seen that it goes on: the host works beside that.
    host = np.full(len(steps), p.step_overhead_seconds)
    if config != "thundergp":
        host[2:] = np.maximum(host[2:] - steps["scatter_gather_seconds"][2:], 0)
        assert (steps["edges"][2:] == graph.num_edges).all()
    assert steps["seconds"] == pytest.approx(steps["scatter_gather_seconds"] + steps["apply_seconds"] + host)
    assert sum(channel["bytes"] for channel in p.channels) == steps["bytes"].sum()
    assert sum(unit["edges"] for unit in p.units) == p.edges_streamed
    assert (steps["timed_edges"] == steps["edges"]).all()
    assert p.timed_share == 1
    assert 0 < p.bandwidth_share <= 1
    assert p.bytes_per_edge > 4
    assert p.pe_load >= 1
    assert 0 < p.pe_updates.sum() <= p.edges_streamed
    shares = [p.stages[f] for f in ("busy", "waited_in", "waited_out", "waited_memory")]
    assert 0 < sum(shares).max() <= 1 + 1e-9
    assert p.limiting_stage in {"memory", "apply", *p.stages["stage"]}
    assert (p.streams["most"] <= p.streams["depth"]).all()
    # Apply runs over all vertices in every super-step: words of 16 properties, of which each unit gets all.
    words = len(steps) * -(-graph.num_vertices // 16)
    tokens = {str(s["name"]): s["tokens"] for s in p.apply_streams}
    assert tokens["sources"] == tokens["applied"] == words
    assert [tokens[f"copies[{unit}]"] for unit in range(p.num_units)] == [words] * p.num_units
    assert (p.apply_streams["most"] <= p.apply_streams["depth"]).all()
    shares = [p.apply_stages[f] for f in ("busy", "waited_in", "waited_out", "waited_memory")]
    assert 0 < sum(shares).max() <= 1 + 1e-9
    assert p.apply_cycles > words
    for what in ("uram", "bram"):
        assert 0 < p.resources[what] <= p.resources[f"{what}_available"]


@every_config
def test_hits_are_the_edges_whose_line_is_there(config, large):
    found = gp.predict("pagerank", large, config=config, number="fixed", max_iter=1, tol=0).stats
    p = found.prediction
    parts = large.partition(capacity=found.capacity, compute_units=found.compute_units, partitioner=found.partitioner)
    # A line is 16 properties of 4 bytes, and each unit reads its own.
    lines = sum(len({int(v) // 16 for v in sub.encode()[0]}) for part in parts for sub in part)
    assert p.source_edges == large.num_edges
    if config == "thundergp":  # whole blocks of lines, and some ahead
        assert lines < p.source_lines < 3 * lines
    else:
        assert p.source_lines == lines
    assert p.hit_rate == 1 - p.source_lines / large.num_edges


def test_tasks_of_one_function_are_told_apart_by_what_they_read(graph):
    stages = set(gp.predict("sssp", graph).stats.prediction.stages["stage"])
    assert {"burstRead(sources)", "burstRead(destinations)"} <= stages


@every_config
def test_predictions_are_the_same_in_every_run_and_for_any_number_of_threads(config, graph):
    found = {figures(gp.predict("bfs", graph, config=config, num_threads=n).stats.prediction) for n in (1, 2, 1)}
    assert len(found) == 1


def test_plain_prediction_is_that_of_an_exact_run(graph):
    exact = gp.bfs(graph, device="emulator:u250").stats
    timed = gp.predict("bfs", graph, board="u250").stats
    assert exact.execution == "exact"
    assert exact.prediction.config == "plain"
    assert exact.predicted_cycles == exact.prediction.cycles == timed.predicted_cycles
    assert gp.bfs(graph, device="emulator").stats.prediction is None


@every_config
def test_sampled_time_is_near_that_of_all_edges(config, large):
    how = {"config": config, "number": "fixed", "max_iter": 2, "tol": 0}
    full = gp.predict("pagerank", large, **how)
    sampled = gp.predict("pagerank", large, sample_edges=large.num_edges // 2, **how)
    assert np.array_equal(full.values, sampled.values)
    assert sampled.stats.prediction.timed_share < 1 or full.stats.prediction.num_units == 1
    assert sampled.stats.prediction.seconds == pytest.approx(full.stats.prediction.seconds, rel=0.1)
    assert sampled.stats.prediction.edges_streamed == full.stats.prediction.edges_streamed


def test_packed_streams_fewer_bytes_and_passes_over_what_is_inactive(large):
    found = {config: gp.predict("bfs", large, root=5, config=config).stats.prediction for config in CONFIGS}
    assert found["packed"].edges_streamed <= found["plain"].edges_streamed
    ranks = {c: gp.predict("pagerank", large, max_iter=1, number="fixed", config=c, clock_mhz=250) for c in CONFIGS}
    ranks = {config: result.stats.prediction for config, result in ranks.items()}
    assert ranks["packed"].bytes_per_edge < ranks["plain"].bytes_per_edge
    assert ranks["packed"].seconds < ranks["thundergp"].seconds


# Boards, clocks, depths.


def test_boards_may_be_names_files_dicts_and_boards(graph, tmp_path):
    path = tmp_path / "mine.json"
    path.write_text('{"base": "u280", "name": "mine", "clock_mhz": 90}')
    ways = (
        path,
        str(path),
        {"base": "u280", "name": "mine", "clock_mhz": 90},
        gp.Board("u280", name="mine", clock_mhz=90),
    )
    found = [gp.predict("bfs", graph, board=board).stats.prediction for board in ways]
    assert {(p.board, p.clock_mhz) for p in found} == {("mine", 90.0)}
    assert len(set(map(figures, found))) == 1
    for name in _core.boards():
        assert gp.predict("bfs", graph, board=name).stats.prediction.board == name
        same = gp.predict("bfs", graph, board=gp.Board(name)).stats.prediction
        assert same.cycles == gp.predict("bfs", graph, board=name).stats.prediction.cycles


def test_a_faster_clock_and_memory_take_no_longer(large):
    how = {"number": "fixed", "max_iter": 1, "tol": 0}

    def seconds(board, clock_mhz):
        return gp.predict("pagerank", large, board=board, clock_mhz=clock_mhz, **how).stats.prediction.seconds

    slow_memory = {"base": "u250", "memory": {"peak_bytes_per_second": 2e9, "latency_ns": 1000}}
    assert seconds("u250", 300) < seconds("u250", 150)
    assert seconds("u250", 300) < 0.5 * seconds(slow_memory, 300)
    limited = gp.predict("pagerank", large, board=slow_memory, **how).stats.prediction
    assert limited.limiting_stage == "memory"
    assert limited.bandwidth_share > 0.5


def test_overheads_are_the_boards(graph):
    def prediction(**changes):
        return gp.predict("bfs", graph, board=gp.Board("u250", **changes)).stats.prediction

    base, late = prediction(step_us=100), prediction(step_us=1100)
    assert late.seconds - base.seconds == pytest.approx(1e-3 * len(base.steps))
    slow = prediction(launch_us=5050, step_us=100)
    quick = prediction(launch_us=50, step_us=100)
    assert slow.seconds - quick.seconds >= 5e-3 * len(base.steps)


@pytest.mark.parametrize("board", ["u250", "u280"])
def test_the_hosts_time_lies_beside_a_gather_that_needs_nothing_of_it(board, graph):
    """Where every edge is streamed, the next super-step begins before the sums of the last are read."""

    def seconds(algorithm, config, step_us, **how):
        result = gp.predict(algorithm, graph, board=gp.Board(board, step_us=step_us), config=config, **how)
        return result.stats.prediction.steps["seconds"]

    for config in [c["name"] for c in _core.configs() if board == "u280" or not c["is_for_hbm"]]:
        ranks = {"number": "fixed", "max_iter": 4, "tol": 0}
        alone, less_than_a_launch, long = (seconds("pagerank", config, us, **ranks) for us in (1e-3, 20, 20_000))
        assert less_than_a_launch[0] == pytest.approx(alone[0] + 20e-6, abs=2e-9)
        if config in ("thundergp", "regraph"):  # their hosts wait
            assert less_than_a_launch[1:] == pytest.approx(alone[1:] + 20e-6, abs=2e-9)
            assert long == pytest.approx(alone + 20e-3, abs=2e-9)
        else:  # apply waits for what it is told, if that comes later than what was gathered
            assert less_than_a_launch[1:] == pytest.approx(alone[1:], abs=2e-9)
            assert ((long[1:] >= 20e-3) & (long[1:] < 20e-3 + alone[1:])).all()
        if config in ("thundergp", "regraph"):
            continue
        # What can be passed over is known when the sums are: it is where it takes longer than the host.
        for clock_mhz, skip_idle, waits in ((1, True, True), (1, False, False), (200, True, False)):
            how = {"root": 3, "clock_mhz": clock_mhz, "skip_idle": skip_idle}
            levels = [seconds("bfs", config, us, **how) for us in (10, 20)]
            late = levels[1] - levels[0]
            assert late[:2] == pytest.approx(10e-6, abs=2e-9)
            assert late[2:] == pytest.approx(10e-6 if waits else 0, abs=2e-9)


def test_pes_of_packed_kernels_have_about_as_many_edges():
    """A hub in 16 has one PE's place in every line; within their lines vertices change places."""
    rng = np.random.default_rng(3)
    hubs = rng.permutation(16 * 64)[:64] * 16 + 5
    targets = np.where(rng.random(200_000) < 0.5, rng.choice(hubs, 200_000), rng.integers(0, 16 * 1024, 200_000))
    graph = gp.Graph((rng.integers(0, 16 * 1024, 200_000), targets), num_vertices=16 * 1024)
    how = {"number": "fixed", "max_iter": 2, "tol": 0}
    found = {c: gp.predict("pagerank", graph, config=c, **how) for c in ("packed", "packed-all")}
    assert np.array_equal(found["packed"].values, gp.pagerank(graph, **how).values)
    of = {config: result.stats.prediction for config, result in found.items()}
    assert of["packed-all"].pe_load > 5
    assert of["packed"].pe_load < 1.1
    assert of["packed"].steps["scatter_gather_seconds"].sum() < of["packed-all"].steps["scatter_gather_seconds"].sum()


def test_the_published_pipeline_has_its_published_clocks(graph):
    for board, algorithm, clock in (("u250", "bfs", 250), ("u250", "sssp", 251), ("vcu1525", "bfs", 241)):
        p = gp.predict(algorithm, graph, board=board, config="thundergp").stats.prediction
        assert p.clock_mhz == clock
    assert gp.predict("sssp", graph, config="thundergp", clock_mhz=123.5).stats.prediction.clock_mhz == 123.5


def kernel_clocks():
    """The clocks that the recurrences allow, by kernel and lanes."""
    text = (REPOSITORY / "hls" / "kernel" / "clocks.h").read_text(encoding="utf-8")
    return {(k, int(lanes)): int(mhz) for k, lanes, mhz in re.findall(r'\{"(\w+)", (\d+), (\d+), "\w+"\}', text)}


def test_the_clock_is_the_lower_of_the_board_s_and_the_kernels(graph):
    for config, kernel in (("plain", ("gather_scatter", 8)), ("packed", ("packed_gather_scatter", 16))):
        most = kernel_clocks()[kernel]
        for board in (20, 90, 250, 900):
            p = gp.predict("bfs", graph, board=gp.Board("u250", clock_mhz=board), config=config).stats.prediction
            assert p.clock_mhz == min(board, most)
        asked = gp.predict("bfs", graph, config=config, clock_mhz=900).stats.prediction
        assert asked.clock_mhz == 900


def test_depths_of_streams_may_be_set(large):
    how = {"number": "fixed", "max_iter": 1, "tol": 0}
    declared = gp.predict("pagerank", large, **how).stats.prediction
    shallow = gp.predict("pagerank", large, fifo_depths={"listed": 2}, **how).stats.prediction
    depths = {s["name"]: s["depth"] for s in shallow.streams if s["name"].startswith("listed[")}
    assert len(depths) > 1
    assert set(depths.values()) == {2}
    assert shallow.cycles > declared.cycles


# Algorithms.


def test_algorithms_may_be_names_functions_and_ones_own(graph, compiled_snippets):
    widest = gp.Algorithm(
        "widest_predicted",
        scatter="min(src, edge)",
        gather="max(a, b)",
        initial="v == root ? 0xffffffff : 0",
        parameters={"root": 0},
    )
    by_name, by_function = (gp.predict(a, graph, root=2).stats.prediction for a in ("bfs", gp.bfs))
    assert figures(by_name) == figures(by_function)
    wanted = widest(graph, root=2)
    found = [gp.predict(widest, graph, root=2)]
    gp.register(widest)
    try:
        found += [gp.predict("widest_predicted", graph, root=2), gp.predict(gp.widest_predicted, graph, root=2)]
    finally:
        gp.unregister("widest_predicted")
    for result in found:
        assert np.array_equal(result.values, wanted.values)
        assert figures(result.stats.prediction) == figures(found[0].stats.prediction)


def test_rectangular_products_are_predicted():
    dense = np.random.default_rng(2).integers(-3, 4, (40, 90))
    result = gp.predict("spmv", sp.csr_array(dense), x=np.arange(90))
    assert np.array_equal(result.product, dense @ np.arange(90))
    assert result.stats.prediction.edges_streamed == np.count_nonzero(dense)


def test_progress_is_told(graph):
    told = []
    result = gp.predict("bfs", graph, progress=lambda *step: told.append(step))
    assert len(told) == result.stats.num_supersteps


def test_the_smallest_graphs_are_predicted():
    for edges in (([], []), ([0], [0]), ([0], [1])):
        for config in CONFIGS:
            p = gp.predict("bfs", gp.Graph(edges, num_vertices=2), config=config).stats.prediction
            assert p.seconds > 0
            assert p.graph_edges == len(edges[0])
            repr(p)


# What is refused.


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"algorithm": "bfz"}, "algorithm is 'bfz'; allowed are 'article_rank', 'bfs'"),
        ({"algorithm": len}, "algorithm is <built-in function len>; allowed are 'article_rank'"),
        ({"config": "fast"}, 'config is "fast"; allowed are "plain", '),
        ({"config": 3}, "config is 3; allowed are 'plain', "),
        ({"rot": 3}, "bfs has no parameter 'rot'; it has root"),
        ({"algorithm": "spmv"}, "spmv needs x="),
        ({"clock_mhz": -1}, "clock_mhz is -1; a number above 0 is needed"),
        ({"clock_mhz": "fast"}, "clock_mhz is 'fast'; a number above 0 is needed"),
        ({"clock_mhz": float("nan")}, "clock_mhz is nan; a number above 0"),
        ({"sample_edges": 0}, "sample_edges is 0; allowed are 1 to"),
        ({"sample_edges": 1.5}, "sample_edges is 1.5; a whole number of at least 1"),
        ({"fifo_depths": {"listed": 0}}, r"fifo_depths\['listed'\] is 0; allowed are 1 to"),
        ({"fifo_depths": {"listed": 1 << 40}}, r"fifo_depths\['listed'\] is 1099511627776; allowed are 1 to"),
        ({"fifo_depths": [3]}, r"fifo_depths is \[3\]; depths by the names of streams"),
        ({"fifo_depths": {"nix": 3}}, "fifo_depths has 'nix'; streams of config 'plain' are 'read_sources', "),
        ({"number": "float16"}, "number"),
        ({"board": "u9"}, "there is no board 'u9'"),
        ({"board": {"base": "u250", "memory": {"num_banks": 0}}}, "memory.num_banks is 0"),
        ({"root": -1}, "root"),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, dict) else "",
)
def test_wrong_questions_are_refused(how, message, graph):
    how = {"algorithm": "bfs", **how}
    with pytest.raises(gp.InputError, match=message):
        gp.predict(how.pop("algorithm"), graph, **how)


@every_config
def test_kernels_over_the_boards_blocks_are_refused(config, graph):
    small = gp.Board("u250", name="small", slrs=[{"uram": 8, "bram": 9}])
    with pytest.raises(gp.CapacityError, match=r"(URAM|BRAM).*small"):
        gp.predict("bfs", graph, board=small, config=config)


@every_config
def test_graphs_over_the_boards_memory_are_refused(config, large):
    small = gp.Board("u250", name="small", memory={"bytes_per_bank": 1 << 20})
    with pytest.raises(gp.CapacityError, match=r"small would hold .* its memory has 1048576"):
        gp.predict("bfs", large, board=small, config=config)


@pytest.mark.slow
def test_ctrl_c_stops_a_prediction_soon():
    script = (
        "import gaspipe as gp\n"
        "graph = gp.generate.kronecker(18, 16)\n"
        "print('ready', flush=True)\n"
        "gp.predict('pagerank', graph, tol=0, max_iter=10**6, config='thundergp', number='fixed', num_threads=2)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    _, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    assert time.monotonic() - start < 10
