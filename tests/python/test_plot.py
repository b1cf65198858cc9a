# SPDX-License-Identifier: Apache-2.0
"""What plots draw, read back from the artists, against NumPy, SciPy and NetworkX; no pictures are compared."""

import subprocess
import sys
from collections import Counter

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph as csgraph

import gaspipe as gp
import zoo
from gaspipe import Result, Stats
from tools import whole


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture
def shown(monkeypatch):
    """Fails the test if a window would open."""
    monkeypatch.setattr(plt, "show", lambda *a, **k: pytest.fail("plt.show() was called"))


def made(values, field="value", algorithm="mine", **steps):
    """A result as a user's algorithm would give it."""
    edges = steps.get("edges", np.zeros(0, np.uint64))
    columns = {
        "step": np.arange(len(edges)), "num_supersteps": len(edges), "edges_streamed": int(edges.sum()),
        "kind": np.zeros(0, int), "active_vertices": np.zeros(0, np.uint64), "edges": np.zeros(0, np.uint64),
        "scatter_gather_seconds": np.zeros(0), "apply_seconds": np.zeros(0), **steps,
    }  # fmt: skip
    stats = {"device": "cpu", "seconds": 0.5, "converged": True, "num_edges": 0, "method": "auto", "number": "x"}
    return Result(algorithm, field, np.asarray(values), Stats({**columns, **stats}))


def bars(ax):
    """{middle: height} of the bars; outlines count as bars of width one."""
    drawn = {p.get_x() + p.get_width() / 2: p.get_height() for p in ax.patches if isinstance(p, plt.Rectangle)}
    for values, edges, _ in stairs(ax):
        drawn.update(zip((edges[1:] + edges[:-1]) / 2, values))
    return {round(x, 6): height for x, height in drawn.items()}


def stairs(ax):
    return [p.get_data() for p in steppatches(ax)]


def texts(ax):
    return ax.get_title(), ax.get_xlabel(), ax.get_ylabel()


def render(ax):
    """Everything is really drawn, without a warning (which fails the test), and can be read."""
    ax.figure.canvas.draw()
    check_readable(ax.figure)
    return ax


def check_readable(figure):
    """All text lies inside the figure and ticks beside each other; an axis of numbers has a label."""
    hidden, rows = set(), []
    for axis in [axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis) if axis.get_visible()]:
        drawn = axis._update_ticks()  # the others stand outside of the axes, and are not drawn
        ticks = [*axis.majorTicks, *axis.minorTicks]
        hidden |= {label for tick in ticks if tick not in drawn for label in (tick.label1, tick.label2)}
        labels = [label for tick in drawn for label in (tick.label1, tick.label2)]
        rows.append((axis.axis_name, [label for label in labels if label.get_visible() and label.get_text()]))
        assert axis.get_label().get_text() or not rows[-1][1] or rows[-1][1][0].get_text()[0].isalpha()
    for text in figure.findobj(matplotlib.text.Text):
        if text in hidden or not text.get_visible() or not text.get_text().strip():
            continue
        box = text.get_window_extent()
        assert box.x0 >= -0.5, text
        assert box.y0 >= -0.5, text
        assert box.x1 <= figure.bbox.width + 0.5, text
        assert box.y1 <= figure.bbox.height + 0.5, text
    for name, labels in rows:
        ends = sorted(getattr(label.get_window_extent(), f"interval{name}").tolist() for label in labels)
        for before, after in zip(ends, ends[1:]):
            assert before[1] <= after[0] + 0.5, [label.get_text() for label in labels]
    for ax in figure.axes:
        check_legend(ax)


def check_legend(ax):
    """A legend stands below the axes and its labels, and names every line, bar and outline that is drawn."""
    legend = ax.get_legend()
    if legend is None:
        return
    named = {text.get_text() for text in legend.get_texts()}
    same = [a for a in ax.figure.axes if a.bbox.bounds == ax.bbox.bounds]
    drawn = [*(artist for a in same for artist in (*a.lines, *a.containers)), *steppatches(ax)]
    assert drawn
    assert {artist.get_label() for artist in drawn} == named
    assert legend.get_window_extent().y1 <= ax.xaxis.get_tightbbox().y0 + 1


def steppatches(ax):
    return [p for p in ax.patches if isinstance(p, matplotlib.patches.StepPatch)]


# Deprecations are matplotlib's own affair.
pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.filterwarnings("ignore::DeprecationWarning")]


def test_depths_are_bars_of_vertices_per_level(shown):
    matrix = zoo.ZOO["uniform"]()
    result = gp.bfs(matrix, 3)
    ax = render(result.plot())
    lengths = csgraph.shortest_path(matrix, unweighted=True, indices=3)
    wanted = Counter(lengths[np.isfinite(lengths)].astype(int).tolist())
    assert bars(ax) == wanted
    unreached = int(np.isinf(lengths).sum())
    assert unreached > 0
    title, x, y = texts(ax)
    assert title == f"bfs: depth of 700 vertices, {unreached} unreached"
    assert (x, y) == ("depth [hops]", "vertices")
    labels = [t.get_text() for t in ax.texts]
    assert labels == [f"{wanted[level]:,}" for level in sorted(wanted)] or len(wanted) > 15


def test_many_levels_are_one_outline():
    ax = render(gp.bfs(zoo.ZOO["long_chain"]()).plot())
    assert bars(ax) == {level: 1 for level in range(500)}
    assert len(ax.patches) == 1
    assert "unreached" not in ax.get_title()


def test_levels_without_vertices_are_gaps():
    assert bars(render(made(np.array([5, 2, 2, -1, 5, 5], np.int32)).plot())) == {2: 2, 3: 0, 4: 0, 5: 3}
    far = made(np.array([0, 2**31 - 1, 2**31 - 1], np.int32)).plot()  # no array of 2**31 levels
    assert bars(render(far)) == {0: 1, 2**31 - 1: 2}


@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_distances_are_a_histogram_of_the_reached(rng, dtype):
    pairs = np.unique(rng.integers(0, 700 * 700, 1500))  # SciPy would add parallel edges up
    weights = rng.integers(1, 1000, len(pairs)) if dtype == np.int32 else rng.random(len(pairs))
    matrix = zoo.matrix_of(700, pairs // 700, pairs % 700, weights.astype(dtype))
    root = int(np.bincount(pairs // 700).argmax())
    lengths = csgraph.dijkstra(sp.csr_array(matrix.astype(float)), indices=root)
    reached = lengths[np.isfinite(lengths)]
    assert 300 < len(reached) < 700
    ax = render(gp.sssp(matrix, root).plot())
    ((counts, edges, _),) = stairs(ax)
    assert 40 < len(counts) <= 50
    assert np.allclose(np.diff(edges), edges[1] - edges[0])
    inside = np.clip(reached, edges[0], edges[-1])  # sums may differ in the last bit
    assert np.abs(inside - reached).max() < 1e-12
    assert counts.tolist() == np.histogram(inside, edges)[0].tolist()
    if dtype == np.int32:
        assert np.all(edges % 1 == 0.5)
    assert f"{700 - len(reached)} unreached" in ax.get_title()
    assert ax.get_xlabel() == "distance [sum of weights]"
    assert ax.get_ylabel().startswith("vertices per bin of ")


@pytest.mark.parametrize(
    "values",
    [
        np.array([7, 7, 7]),
        np.array([0, 2**62, 2**63 - 1]),
        np.array([-(2**63), 2**63 - 1]),
        np.array([2**64 - 1, 0], np.uint64),
        np.arange(50),
        np.arange(51),
        np.arange(-5, 100_000, 7),
        np.array([1.5, 1.5]),
        np.array([0.0, 0.0]),
        np.array([-1e306, 1e306]),
        np.array([-1, 5e-324]),
        np.array([-1.0, np.nextafter(-1.0, 0)]),
        np.array([-1.0, np.inf, np.nan, -np.inf, 3.0]),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:.*overflow.*:RuntimeWarning:matplotlib")
def test_histograms_hold_every_finite_value(values):
    ax = made(values, "weight").plot("histogram")
    finite = values[np.isfinite(values)]
    ((counts, edges, _),) = stairs(ax)
    assert counts.sum() == len(finite)
    assert len(counts) <= 50
    assert np.all(np.diff(edges) > 0)
    if len(finite) < len(values):
        assert f"{len(values) - len(finite)} without a value" in ax.get_title()
    if np.abs(finite.astype(float)).max() < 1e18:
        render(ax)


def test_components_are_sizes_from_the_largest_on():
    matrix = zoo.matrix_of(40, [0, 1, 2, 5, 6, 10, 12, 14, 16], [1, 2, 3, 6, 7, 11, 13, 15, 17])
    ax = render(gp.wcc(matrix).plot())
    network = nx.from_scipy_sparse_array(matrix)
    sizes = sorted((len(c) for c in nx.connected_components(network)), reverse=True)
    (line,) = ax.lines
    x, y = line.get_data()
    assert [sizes[int(i) - 1] for i in x] == y.tolist()
    assert np.interp(np.arange(len(sizes)), x - 1, y).tolist() == sizes  # what is left out lies on the line
    assert len(x) < len(sizes)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert f"{len(sizes)} components of 40 vertices" in ax.get_title()
    assert f"{100 * sizes[0] / 40:.3g}%" in ax.get_title()
    assert texts(ax)[1:] == ("component, from the largest on", "size [vertices]")


@pytest.mark.parametrize(
    "sizes", [[9], [5, 3], [4] * 15, [123_456, 45_678, 1], [100_000 + 1000 * k for k in range(15)]], ids=len
)
def test_few_components_are_bars_with_their_sizes(sizes):
    ax = render(made(np.repeat(np.arange(len(sizes)), sizes), "component").plot())
    assert bars(ax) == dict(enumerate(sorted(sizes, reverse=True), 1))
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "linear")
    labels = [text.get_text() for text in ax.texts]
    assert len(labels) == len(sizes)
    if len(sizes) < 4:
        assert labels == [f"{size:,}" for size in sorted(sizes, reverse=True)]


@pytest.mark.parametrize(("turn", "name"), enumerate(["single_vertex", "no_edges", "complete", "kronecker"]))
def test_plots_can_be_read(turn, name):
    """Every algorithm on every graph, by one half of its kinds or the other in turn; all with GASPIPE_WHOLE=1."""
    matrix = zoo.ZOO[name]()
    for place, algorithm in enumerate(("bfs", "wcc", "pagerank", "sssp", "closeness", "article_rank", "spmv")):
        arguments = [np.ones(matrix.shape[1])] if algorithm == "spmv" else []
        result = getattr(gp, algorithm)(matrix, *arguments)
        kinds = [None, "supersteps"] + ["histogram", "distribution"] * (algorithm in ("sssp", "spmv"))
        for kind in kinds if whole() else kinds[(turn + place) % 2 :: 2]:
            render(result.plot(kind))
            plt.close("all")
    render(gp.Graph(matrix).plot_degrees())


@pytest.mark.parametrize(
    ("values", "field"),
    [
        (np.full(9, -1, np.int32), "depth"),
        (np.full(9, -1), "distance"),
        (np.full(9, np.inf), "distance"),
        (np.full(9, np.nan), "closeness"),
        (np.zeros(0, np.int32), "depth"),
        (np.zeros(0, np.int64), "component"),
        (np.zeros(0), "rank"),
    ],
)
def test_nothing_to_draw_is_said(values, field):
    ax = render(made(values, field).plot())
    (text,) = ax.texts
    assert text.get_text().startswith("no vert")
    assert not ax.patches
    assert "no super-steps" in render(made(values, field).plot("supersteps")).texts[0].get_text()


@pytest.mark.parametrize("kind", ["levels", "histogram", "components", "distribution", "supersteps"])
def test_long_names_take_more_lines(kind):
    name = "W" * 70
    ax = render(made(np.arange(30, dtype=np.int32) // 3, f"{name}_field", name, **STEPS).plot(kind))
    assert ax.get_title().replace("\n", "").startswith(f"{name}: ")


@pytest.mark.parametrize("size", [(4, 3), (12, 2.5)])
def test_figures_of_other_sizes_have_room_for_text_too(size):
    _, ax = plt.subplots(figsize=size, layout="constrained")
    render(made([1.0], **STEPS).plot("supersteps", ax=ax))


def test_axes_side_by_side_have_room_for_text_too():
    _, (one, other) = plt.subplots(1, 2, figsize=(8, 3.5), layout="constrained")
    gp.wcc(zoo.ZOO["complete"]()).plot("supersteps", ax=one)
    render(gp.predict("bfs", zoo.ZOO["kronecker"](), board="u250").plot("pes", ax=other))


@pytest.mark.parametrize("config", ["plain", "thundergp", "packed"])
def test_plots_of_predictions_can_be_read(config):
    for name in ("kronecker", "no_edges"):
        result = gp.predict("sssp", zoo.ZOO[name](), board="u250", config=config)
        for kind in ("roofline", "stages", "pes", "supersteps"):
            ax = render(result.plot(kind))
            has_edges = result.stats.prediction.edges_streamed > 0
            assert has_edges or kind not in ("roofline", "pes") or ax.texts[0].get_text().startswith("no ")
            assert ax.get_legend() is not None or not has_edges
            plt.close("all")
        assert result.plot("supersteps").get_ylabel().startswith("time of the emulation [")


def test_the_mean_of_the_pes_is_labelled():
    result = gp.predict("bfs", zoo.ZOO["kronecker"](), board="u250")
    updates = result.stats.prediction.pe_updates
    (line,) = result.plot("pes").lines
    assert set(line.get_ydata()) == {updates.mean()}
    label, number = line.get_label().split(": ")
    assert label == "mean"
    assert float(number.replace(",", "")) == pytest.approx(updates.mean(), rel=5e-3)


@pytest.mark.parametrize("field", ["rank", "score"])
def test_distributions_of_less_than_a_decade_are_linear(field):
    ax = render(made(np.linspace(0.2, 0.25, 8), field).plot())
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "linear")
    ax = render(made(np.linspace(0.2, 0.25, 80), field).plot())
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "log")


def test_closeness_is_a_histogram_on_linear_axes():
    matrix = zoo.ZOO["kronecker"]()
    ax = render(gp.closeness(matrix, vertices=np.arange(100)).plot())
    ((counts, _, _),) = stairs(ax)
    assert counts.sum() == 100
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "linear")
    assert texts(ax)[:2] == ("closeness: closeness of 512 vertices, 412 without a value", "closeness [1/hops]")


def test_ranks_are_the_fraction_of_vertices_of_at_least_each():
    matrix = zoo.ZOO["kronecker"]()
    result = gp.pagerank(matrix)
    ax = render(result.plot())
    (line,) = ax.lines
    x, y = line.get_data()
    for value, fraction in zip(x, y):
        assert fraction == pytest.approx(np.mean(result.values >= value), abs=1e-12)
    assert set(x) == set(result.values)
    assert line.get_drawstyle() == "steps-pre"
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert texts(ax) == ("pagerank: rank of 512 vertices", "rank", "fraction of vertices of at least this rank")


def test_distributions_of_many_values_keep_points_that_are_true(rng):
    values = np.concatenate([rng.pareto(1, 100_000), np.zeros(500), [np.inf, np.nan]])
    ax = render(made(values, "score").plot())
    (line,) = ax.lines
    x, y = line.get_data()
    assert 5_000 < len(x) <= 20_000
    positive = np.sort(values[np.isfinite(values) & (values > 0)])
    fractions = (len(positive) - np.searchsorted(positive, x)) / len(values)
    assert y == pytest.approx(fractions, rel=1e-12)
    assert (x[0], x[-1]) == (positive[0], positive[-1])
    assert set(positive[-100:]) <= set(x)
    assert "502 not positive" in ax.get_title()


STEPS = {
    "kind": np.array([1, 0, 2, 1]),
    "active_vertices": np.array([1, 10, 500, 0], np.uint64),
    "edges": np.array([5, 7000, 7000, 3], np.uint64),
    "scatter_gather_seconds": np.array([0.001, 0.5, 0.25, 0.002]),
    "apply_seconds": np.array([0.003, 0.125, 0.0, 0.001]),
}


def test_supersteps_show_times_stacked_counts_and_pushes():
    ax = render(made([1.0], **STEPS).plot("supersteps"))
    rectangles = [p for p in ax.patches if isinstance(p, plt.Rectangle)]
    low, high = rectangles[:4], rectangles[4:]
    assert [p.get_height() for p in low] == [1, 500, 250, 2]
    assert [p.get_height() for p in high] == [3, 125, 0, 1]
    assert [p.get_y() for p in high] == [1, 500, 250, 2]
    assert [round(p.get_x() + p.get_width() / 2, 9) for p in low] == [0, 1, 2, 3]
    pushed, pulled = ax.lines
    assert pushed.get_xdata().tolist() == [0, 3]
    assert pulled.get_xdata().tolist() == [2]
    (other,) = (a for a in ax.figure.axes if a is not ax)
    lines = {line.get_label(): line.get_data() for line in other.lines}
    assert lines["edges streamed"][1].tolist() == [5, 7000, 7000, 3]
    assert lines["active vertices"][1].tolist() == [1, 10, 500, 0]
    assert other.get_yscale() == "log"
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["scatter-gather", "apply", "edges streamed", "active vertices", "pushed", "pulled"]
    assert texts(ax) == ("mine: 4 super-steps in 500 ms on cpu", "super-step", "time [ms]")
    assert other.get_ylabel() == "edges, vertices"
    assert ax.get_ylim()[0] == 0


@pytest.mark.parametrize("name", ["long_chain", "kronecker"])
def test_supersteps_of_a_run_are_those_of_its_stats(name):
    result = gp.bfs(zoo.ZOO[name]())
    steps = result.stats.supersteps
    ax = render(result.plot("supersteps"))
    (other,) = (a for a in ax.figure.axes if a is not ax)
    lines = {line.get_label(): line.get_ydata().tolist() for line in other.lines}
    assert lines["edges streamed"] == steps["edges"].tolist()
    assert lines["active vertices"] == steps["active_vertices"].tolist()
    if len(steps) > 200:
        unit = {"us": 1e6, "ms": 1e3, "s": 1}[ax.get_ylabel().split("[")[1].split("]")[0]]
        (low, _, base), *rest = stairs(ax)
        assert low == pytest.approx(unit * steps["scatter_gather_seconds"])
        assert not base.any()
        assert len(rest) == steps["apply_seconds"].any()
        for high, _, base in rest:
            assert high - base == pytest.approx(unit * steps["apply_seconds"], abs=1e-9)
            assert base.tolist() == low.tolist()
    marked = [line.get_xdata().tolist() for line in ax.lines if line.get_label() in ("pushed", "pulled")]
    assert marked == [
        np.flatnonzero(steps["kind"] == kind).tolist() for kind in ("push", "pull") if kind in steps["kind"]
    ]


class SomeSteps:
    """The statistics of a run that kept the records of some super-steps."""

    device, converged, seconds, prediction = "cpu", True, 2.5, None

    def __init__(self, index):
        rng = np.random.default_rng(len(index))
        self.num_supersteps = int(index[-1]) + 1
        names = ("step", *STEPS)
        dtypes = (np.int64, "U10", np.uint64, np.uint64, float, float)
        self.supersteps = np.zeros(len(index), list(zip(names, dtypes)))
        self.supersteps["step"] = index
        self.supersteps["kind"] = rng.choice(["gas", "push", "pull"], len(index))
        for name in names[2:]:
            self.supersteps[name] = rng.integers(1, 1000, len(index)) * (1e-6 if name.endswith("seconds") else 1)


def some(*ranges):
    result = made([1.0])
    result.stats = SomeSteps(np.concatenate([np.arange(*r) for r in ranges]))
    return result


def named_ticks(ax):
    """{position: super-step} of the ticks of x."""
    return {at: int(label.get_text().replace(",", "")) for at, label in zip(ax.get_xticks(), ax.get_xticklabels())}


@pytest.mark.parametrize(
    "ranges",
    [
        ((0, 5), (8, 13)), ((0, 100), (101, 200)), ((0, 50), (123_406, 123_456)), ((0, 20), (5000, 5300)),
        ((0, 300), (10**12 - 300, 10**12)), ((0, 5), (80, 85), (1000, 1005)), ((0, 1), (9, 10)), ((7, 9),),
    ],
)  # fmt: skip
def test_super_steps_without_records_are_a_gap(ranges):
    result = some(*ranges)
    steps = result.stats.supersteps
    ax = render(result.plot("supersteps"))
    (other,) = (a for a in ax.figure.axes if a is not ax)
    lines = {line.get_label(): line.get_data() for line in other.lines}
    x, y = lines["edges streamed"]
    breaks = np.isnan(x)
    assert breaks.sum() == len(ranges) - 1
    assert np.isnan(y[breaks]).all()
    assert y[~breaks].tolist() == steps["edges"].tolist()
    at = x[~breaks]
    # Inside a range a super-step is as wide as any other; a tick has the number of the super-step at its place.
    assert set(np.diff(at)[np.diff(steps["step"]) == 1]) <= {1}
    assert np.all(np.diff(at)[np.diff(steps["step"]) > 1] >= 2)
    assert at[0] == steps["step"][0]
    step_at = dict(zip(at.tolist(), steps["step"].tolist()))
    named = named_ticks(ax)
    assert all(step_at[place] == step for place, step in named.items() if len(ranges) > 1 or place in step_at)
    for low, high in ranges:
        assert any(low <= step < high for step in named.values())
    # A gap of 10**12 super-steps takes no more room than the records.
    assert at[-1] - at[0] < 2 * len(steps)
    missing = [f"{after[0] - before[1]:,}" for before, after in zip(ranges, ranges[1:])]
    told = [text.get_text().split()[0] for text in ax.texts]
    assert told == missing or (told == [] and len(steps) > 100)
    assert f"{int(steps['step'][-1]) + 1:,} super-steps in 2.5 s" in ax.get_title()


def test_thousands_of_super_steps_are_means():
    result = some((0, 2501))
    steps = result.stats.supersteps
    ax = render(result.plot("supersteps"))
    (other,) = (a for a in ax.figure.axes if a is not ax)
    lines = {line.get_label(): line.get_data() for line in other.lines}
    x, y = lines["active vertices"]
    assert len(x) == 417  # groups of 6, the last one of 5
    for at, mean in zip(x, y):
        first = round(at - 2.5) if at < 2496 else 2496
        assert mean == pytest.approx(steps["active_vertices"][first : first + 6].astype(float).mean())
    (low, edges, _), (high, _, _) = stairs(ax)
    widths = np.diff(edges)
    assert set(widths[:-1]) == {6}
    assert widths[-1] == 5
    unit = {"us": 1e6, "ms": 1e3}[ax.get_ylabel().split("[")[1].split("]")[0]]
    assert np.sum(low * widths) == pytest.approx(unit * steps["scatter_gather_seconds"].sum())
    assert np.sum((high - low) * widths) == pytest.approx(unit * steps["apply_seconds"].sum())
    assert "(means of 6 super-steps)" in ax.get_ylabel()
    assert "(means of 6 super-steps)" in other.get_ylabel()
    assert "means" not in render(some((0, 1000)).plot("supersteps")).get_ylabel()


def test_bars_of_time_end_below_the_top():
    steps = {**STEPS, "apply_seconds": np.zeros(4)}
    ax = render(made([1.0], **steps).plot("supersteps"))
    assert ax.get_ylim()[1] > 1.02 * max(patch.get_height() for patch in ax.patches)
    assert "apply" not in [text.get_text() for text in ax.get_legend().get_texts()]


def test_a_run_that_did_not_converge_says_so():
    with pytest.warns(gp.NotConvergedWarning):
        result = gp.pagerank(zoo.ZOO["kronecker"](), max_iter=2)
    assert "not converged" in result.plot("supersteps").get_title()


@pytest.mark.parametrize(
    ("values", "field", "kind"),
    [
        (np.array([0, 1, -1], np.int32), "hops", "levels"),
        (np.array([0, 1, -1]), "hops", "histogram"),
        (np.array([0.5, 0.25, 0.0]), "score", "distribution"),
        (np.array([0.5, 0.5]), "score", "histogram"),
        (np.array([0.5, 0.25]), "closeness", "histogram"),
        (np.array([0.5, 0.25]), "rank", "distribution"),
        (np.array([0.5, -1.0]), "score", "histogram"),
        (np.array([0.5, 1.5]), "depth", "histogram"),
        (np.array([0.5, 1.5]), "component", "histogram"),
        (np.array([0.5, 1.5]), "distance", "histogram"),
        (np.array([5, 5]), "component", "components"),
        (np.array([np.nan, np.nan]), "score", "histogram"),
    ],
)
def test_other_answers_are_drawn_by_what_they_are_like(values, field, kind, monkeypatch):
    from gaspipe._plot import kinds

    called = []
    for name in list(kinds._PLOTS):
        monkeypatch.setitem(kinds._PLOTS, name, lambda result, ax, name=name: called.append(name))
    made(values, field).plot()
    assert called == [kind]
    monkeypatch.undo()
    render(made(values, field).plot())


def test_minus_one_is_a_value_where_it_does_not_mean_unreached():
    ((counts, edges, _),) = stairs(made(np.array([-1, -1, 4]), "product").plot())
    assert counts.sum() == 3
    ((counts, edges, _),) = stairs(made(np.array([-1, -1, 4]), "distance").plot())
    assert counts.sum() == 1
    assert edges[0] < 4 < edges[-1]


def test_axes_that_are_given_are_drawn_on_and_returned(shown):
    figure, (one, other) = plt.subplots(1, 2)
    result = gp.bfs(zoo.ZOO["grid"]())
    assert result.plot(ax=other) is other
    assert not one.patches
    assert other.patches
    assert gp.Graph(zoo.ZOO["grid"]()).plot_degrees(ax=one) is one
    assert plt.get_fignums() == [figure.number]
    assert result.plot().figure is not figure


def test_wrong_kinds_and_axes_are_refused():
    result = gp.pagerank(zoo.ZOO["grid"]())
    with pytest.raises(gp.InputError, match=r"'pie'; allowed are 'levels', 'histogram', .*'supersteps'"):
        result.plot("pie")
    for kind in ("levels", "components"):
        with pytest.raises(gp.InputError, match=f"'{kind}' is for integers; rank is float64"):
            result.plot(kind)
    with pytest.raises(gp.InputError, match="ax is a int; a matplotlib Axes"):
        result.plot(ax=3)
    with pytest.raises(gp.InputError, match="direction"):
        gp.Graph(zoo.ZOO["grid"]()).plot_degrees("up")
    assert plt.get_fignums() == []


@pytest.mark.parametrize("direction", ["out", "in"])
def test_degrees_are_bars_of_widths_that_double(direction):
    matrix = zoo.ZOO["dangling_heavy"]()
    entries = getattr(matrix.tocoo(), {"out": "row", "in": "col"}[direction])
    degrees = np.bincount(entries, minlength=300)
    ax = render(gp.Graph(matrix).plot_degrees(direction))
    for patch in ax.patches:
        low, high = patch.get_x(), patch.get_x() + patch.get_width()
        assert high == 2 * low
        assert patch.get_height() == np.sum((degrees >= low) & (degrees < high))
    assert sum(patch.get_height() for patch in ax.patches) == np.sum(degrees > 0)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert f"{np.sum(degrees == 0)} of degree 0" in ax.get_title()
    assert ax.get_xlabel() == f"{direction}-degree [edges]"


def test_pictures_without_a_display_and_without_matplotlib(tmp_path):
    script = """
import sys
import gaspipe as gp
assert "matplotlib" not in sys.modules
result = gp.bfs(([0, 1], [1, 2]))
if sys.argv[1] == "without":
    sys.modules["matplotlib"] = sys.modules["matplotlib.axes"] = None
    try:
        result.plot()
    except gp.InputError as error:
        print(error)
else:
    result.plot().figure.savefig(sys.argv[1])
"""
    command = [sys.executable, "-c", script]
    environment = {"MPLBACKEND": "Agg", "PYTHONPATH": ":".join(filter(None, sys.path)), "HOME": str(tmp_path)}
    run = {"capture_output": True, "text": True, "timeout": 120, "check": False, "env": environment}
    done = subprocess.run([*command, "without"], **run)
    assert (done.returncode, done.stderr) == (0, "")
    assert "pip install matplotlib" in done.stdout
    done = subprocess.run([*command, str(tmp_path / "depth.png")], **run)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "depth.png").read_bytes().startswith(b"\x89PNG")
