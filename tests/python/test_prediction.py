# SPDX-License-Identifier: Apache-2.0
"""What is derived from a prediction, from figures made by hand; expected values are worked out in the comments."""

import json

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

import gaspipe as gp
from gaspipe import _core

pytestmark = pytest.mark.filterwarnings("error", "ignore::DeprecationWarning")

# busy, waits for input, for output, for memory; cycles.
TASKS = {
    "readSources": (100, 0, 300, 600),
    "scatter": (400, 500, 100, 0),
    "gather(solved[0])": (500, 250, 0, 0),
    "gather(solved[1])": (700, 300, 0, 0),
    "pool[0][1]": (50, 950, 0, 0),
}


def tasks(figures=TASKS):
    names = ("busy", "waited_in", "waited_out", "waited_memory")
    return [{"name": name, **dict(zip(names, values))} for name, values in figures.items()]


def made(**changes):
    """Two super-steps over a graph of 1.5 million edges; the second is half sampled."""
    values = {
        "board": "u250",
        "config": "plain",
        "clock_mhz": 250.0,
        "num_units": 4,
        "launch_seconds": 5e-5,
        "step_overhead_seconds": 3e-4,
        "graph_edges": 1_500_000,
        "seconds": np.array([1e-3, 3e-3]),
        "cycles": np.array([250_000, 750_000], np.uint64),
        "edges": np.array([1_500_000, 1_000_000], np.uint64),
        "timed_edges": np.array([1_500_000, 500_000], np.uint64),
        "scatter_gather_seconds": np.array([0.8e-3, 2.5e-3]),
        "apply_seconds": np.array([0.1e-3, 0.2e-3]),
        "bytes": np.array([15_000_000, 10_000_000], np.uint64),
        "units": [{"unit": 0, "busy_seconds": 1e-3, "edges": 10, "bytes": 80}],
        "channels": [{"bytes": 25_000_000, "busy_seconds": 2e-3}],
        "streams": [
            {"name": "packed[3]", "depth": 16, "most": 12, "tokens": 100, "reader_waited": 5, "writer_waited": 7,
             "token_bytes": 64}
        ],
        "tasks": tasks(),
        "apply_streams": [],
        "apply_tasks": [],
        "pe_updates": [10, 20, 30, 40],
        "source_edges": 2_000_000,
        "source_lines": 50_000,
        "resources": {"uram": 672, "bram": 50, "luts": 0, "uram_available": 1280, "bram_available": 0,
                      "luts_available": 1_380_000},
        "peak_bytes_per_second": 62.5e9,
    }  # fmt: skip
    return gp.Prediction({**values, **changes})


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_totals_are_sums_over_super_steps():
    p = made()
    assert p.seconds == pytest.approx(4e-3)
    assert (p.cycles, p.edges_streamed) == (1_000_000, 2_500_000)
    assert len(p.steps) == 2
    assert p.steps["timed_edges"].tolist() == [1_500_000, 500_000]


def test_throughput_has_two_definitions():
    p = made()
    assert p.streamed_mteps == pytest.approx(625)  # 2.5 M / 4 ms
    assert p.graph_mteps == pytest.approx(375)  # 1.5 M / 4 ms


def test_memory_is_bytes_per_edge_and_share_of_the_peak():
    p = made()
    assert p.bytes_per_edge == pytest.approx(10)  # 25 MB / 2.5 M
    assert p.bandwidth_share == pytest.approx(0.1)  # 25 MB of 62.5 GB/s x 4 ms = 250 MB
    assert p.timed_share == pytest.approx(0.8)


def test_hits_are_edges_without_a_line_of_their_own():
    p = made()
    assert p.hit_rate == pytest.approx(0.975)  # 50,000 lines for 2 M edges
    assert made(source_lines=4_000_000).hit_rate == pytest.approx(-1)  # two lines per edge


def test_stages_are_the_busiest_tasks_of_a_name_as_shares_of_the_longest_time():
    found = {r["stage"]: tuple(r.tolist()[1:]) for r in made().stages}
    assert found == {
        "gather(solved)": (0.7, 0.3, 0.0, 0.0),
        "scatter": (0.4, 0.5, 0.1, 0.0),
        "readSources": (0.1, 0.0, 0.3, 0.6),
        "pool": (0.05, 0.95, 0.0, 0.0),
    }
    assert made().stages["stage"].tolist() == ["gather(solved)", "scatter", "readSources", "pool"]


def test_tasks_that_end_early_fill_less_than_the_time():
    shares = made(tasks=tasks({"a": (10, 0, 0, 0), "b": (20, 20, 0, 0)})).stages
    assert shares["busy"].tolist() == [0.5, 0.25]


def test_tasks_that_never_ran_are_left_out():
    assert made(tasks=tasks({"a": (10, 0, 0, 0), "read": (0, 0, 0, 0)})).stages["stage"].tolist() == ["a"]
    assert made(tasks=tasks({"read": (0, 0, 0, 0)})).limiting_stage == ""


def test_the_busiest_stage_limits():
    assert made().limiting_stage == "gather(solved)"


def test_memory_limits_where_a_task_waits_for_it_longer_than_any_is_busy():
    waiting = {**TASKS, "readTargets": (200, 0, 0, 701)}
    assert made(tasks=tasks(waiting)).limiting_stage == "memory"
    assert made(tasks=tasks({**TASKS, "readTargets": (200, 0, 0, 699)})).limiting_stage == "gather(solved)"


def test_apply_limits_where_it_adds_more_than_scatter_and_gather_take():
    assert made(apply_seconds=np.array([1e-3, 2.4e-3])).limiting_stage == "apply"
    assert made(apply_seconds=np.array([1e-3, 2.2e-3])).limiting_stage == "gather(solved)"


def test_balance_is_the_largest_over_the_mean():
    assert made().pe_load == pytest.approx(1.6)  # 40 / 25
    assert np.isnan(made(pe_updates=[0, 0]).pe_load)
    assert made().pe_updates.tolist() == [10, 20, 30, 40]


def test_streams_are_a_table():
    (stream,) = made().streams
    assert stream.tolist() == ("packed[3]", 16, 12, 100, 5, 7, 64)


def test_arrays_are_copies():
    p = made()
    p.steps["seconds"][:] = 7
    p.pe_updates[:] = 7
    assert p.seconds == pytest.approx(4e-3)
    assert p.pe_load == pytest.approx(1.6)


@pytest.mark.parametrize("shape", ["repr", "html"])
def test_shown_with_both_definitions_named(shape):
    text = repr(made()) if shape == "repr" else made()._repr_html_()
    for part in (
        "u250, plain, 4 units at 250 MHz",
        "625 MTEPS of edges streamed",
        "375 MTEPS of the graph",
        "10 bytes per edge, 10 % of the peak",
        "97.5 % of the edges found the property of their source on chip",
        "gather(solved)",
        "672 of 1,280 URAM, 50 BRAM",
        "80 % of the edges, the rest scaled",
    ):
        assert part in text
    assert "|E| / time" in text
    whole = made(timed_edges=np.array([1_500_000, 1_000_000], np.uint64))
    assert "scaled" not in repr(whole)


def test_html_is_escaped():
    assert "<b>" not in made(board="<b>mine</b>")._repr_html_()


def test_dict_is_json():
    told = json.loads(json.dumps(made().to_dict(), allow_nan=False))
    assert told["streamed_mteps"] == pytest.approx(625)
    assert told["graph_mteps"] == pytest.approx(375)
    assert told["limiting_stage"] == "gather(solved)"
    assert told["steps"][1]["edges"] == 1_000_000
    assert told["stages"][0] == {
        "stage": "gather(solved)", "busy": 0.7, "waited_in": 0.3, "waited_out": 0.0, "waited_memory": 0.0
    }  # fmt: skip
    assert told["streams"][0]["token_bytes"] == 64
    assert told["resources"]["uram_available"] == 1280


def test_nothing_timed_is_not_known():
    none = np.zeros(0)
    columns = ("seconds", "cycles", "edges", "timed_edges", "scatter_gather_seconds", "apply_seconds", "bytes")
    p = made(
        **dict.fromkeys(columns, none), tasks=[], streams=[], pe_updates=[], units=[], channels=[],
        source_edges=0, source_lines=0,
    )  # fmt: skip
    for figure in (p.streamed_mteps, p.bytes_per_edge, p.bandwidth_share, p.pe_load, p.timed_share, p.hit_rate):
        assert np.isnan(figure)
    assert p.limiting_stage == ""
    assert len(p.stages) == len(p.streams) == 0
    assert json.loads(json.dumps(p.to_dict(), allow_nan=False))["streamed_mteps"] is None
    assert "nothing" in repr(p)
    assert "nan % of the edges" not in repr(p)
    result = result_with(p)
    for kind in ("roofline", "stages", "pes"):
        result.plot(kind).figure.canvas.draw()


# In a run's stats, and drawn.


def result_with(prediction):
    result = gp.bfs(([0, 1], [1, 2]))
    result.stats.prediction = prediction
    return result


def test_runs_without_clocks_have_none():
    stats = gp.bfs(([0, 1], [1, 2])).stats
    assert stats.prediction is None
    assert np.isnan(stats.predicted_seconds)
    assert np.isnan(stats.predicted_mteps)
    for kind in ("roofline", "stages", "pes"):
        with pytest.raises(gp.InputError, match=f"kind '{kind}' is for runs with a prediction.*gp.predict"):
            gp.bfs(([0, 1], [1, 2])).plot(kind)


def test_stats_speak_of_the_prediction():
    stats = result_with(made()).stats
    assert stats.predicted_seconds == pytest.approx(4e-3)
    assert stats.predicted_mteps == pytest.approx(625)


def test_roofline_has_both_roofs_and_the_point():
    lanes = {c["name"]: c["lanes"] for c in _core.configs()}["plain"]
    ax = result_with(made()).plot("roofline")
    ax.figure.canvas.draw()
    memory, compute, point, _ = ax.lines
    x, y = memory.get_data()
    assert np.allclose(np.asarray(x) * y, 62_500)  # 62.5 GB/s
    assert set(compute.get_ydata()) == {lanes * 4 * 250.0}
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (pytest.approx(10), pytest.approx(625))
    (share,) = ax.texts
    assert share.get_text() == f"{100 * 625 / min(6250, lanes * 1000):.0f} %"
    assert ax.get_title() == "bfs on u250, plain"


def test_stages_are_stacked_shares():
    ax = result_with(made()).plot("stages")
    ax.figure.canvas.draw()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["gather(solved)", "scatter", "readSources", "pool"]
    widths = np.array([[bar.get_width() for bar in container] for container in ax.containers])
    assert widths[0] == pytest.approx([70, 40, 10, 5])
    assert widths.sum(axis=0) == pytest.approx([100, 100, 100, 100])
    assert ax.get_title() == "bfs on u250, plain: limited by gather(solved)"


def test_pes_are_bars_with_their_mean():
    ax = result_with(made()).plot("pes")
    ax.figure.canvas.draw()
    assert [bar.get_height() for bar in ax.patches] == [10, 20, 30, 40]
    assert set(ax.lines[0].get_ydata()) == {25.0}
    assert ax.get_title() == "bfs on u250, plain: the busiest PE takes 1.6 times the mean"
