# SPDX-License-Identifier: Apache-2.0
"""Custom algorithms that declare final_once_set on an array of PEs that push or pull, beside SciPy and plain loops."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp
import references
import zoo
from command import gaspipe
from searches import hops
from snippets import STRUCT_BFS

pytestmark = pytest.mark.usefixtures("compiled_snippets")
NEVER = 2**32 - 1
SEARCH = {"method": "direction_optimizing", "device": "emulator:u280"}
TRAITS = {"idempotent": True, "final_once_set": True}
SMALL = sorted(set(zoo.ZOO) - zoo.LARGE)

levels = gp.Algorithm("levels", STRUCT_BFS, initial=lambda graph, starts=(0,): from_all(graph.num_vertices, starts))
# What is left of 1 where every edge halves it.
halves = gp.Algorithm(
    "halves", scatter="src * 0.5", gather="max(a, b)", apply="old != 0 ? old : acc", prop="float64",
    active="update != 0", is_source="prop != 0", initial="v == root ? 1.0 : 0.0", parameters={"root": 0}, **TRAITS,
)  # fmt: skip
# Levels to which walls (the mask) do not lead, up to `most`; those with fewer than `relays` out-edges do not pass on.
WALL, LAST, LEVEL = 1 << 31, 1 << 30, (1 << 30) - 1
guarded = gp.Algorithm(
    "guarded",
    scatter=f"(src & {WALL}u) || (src & {LAST}u) || src == {LEVEL}u ? prop_t({LEVEL}) : src + 1",
    gather="min(a, b)",
    apply=f"""
      if (old != {LEVEL}u || acc > prop_t(most)) return old;
      extra += 1;
      return degree < prop_t(relays) ? acc | {LAST}u : acc;
    """,
    identity=LEVEL, active=f"update != {LEVEL}u", is_source=f"prop != {LEVEL}u",
    initial=lambda graph, start: start, parameters={"most": LEVEL - 1, "relays": 0}, **TRAITS,
)  # fmt: skip


# Levels up to `most`; what is reached behind them gets `beyond`, and does not send.
FAR = 2 * 10**9
limited = gp.Algorithm(
    "limited", scatter="src + 1", gather="min(a, b)",
    apply=f"old != {FAR} ? old : acc > prop_t(most) ? prop_t(beyond) : acc",
    identity=FAR, active="update < 1000000", is_source="prop < 1000000",
    initial=f"v == root ? 0 : {FAR}", parameters={"root": 0, "most": 2, "beyond": FAR}, **TRAITS,
)  # fmt: skip


def from_all(num_vertices, starts):
    values = np.full(num_vertices, NEVER, np.uint32)
    values[list(starts)] = 0
    return values


def nearest(matrix, starts):
    """Levels from the nearest of several, by SciPy from one after the other."""
    found = np.array([hops(matrix, start).astype(np.uint32) for start in starts])
    return found.min(axis=0)  # -1 is the largest


def plain(matrix, start, most, relays):
    """`guarded`, by a loop."""
    rows = sp.csr_array(matrix)
    ends = [rows.indices[rows.indptr[v] : rows.indptr[v + 1]] for v in range(rows.shape[0])]
    values = start.copy()
    front = [v for v in range(len(ends)) if values[v] < LEVEL]
    level = 0
    while front and level < most:
        level += 1
        found = sorted({int(w) for v in front for w in ends[v] if values[w] == LEVEL})
        values[found] = level
        front = [v for v in found if len(ends[v]) >= relays]
        stay = [v for v in found if len(ends[v]) < relays]
        values[stay] |= LAST
    return values


@pytest.mark.parametrize("name", SMALL)
def test_levels_from_several_vertices_are_those_of_scipy(name):
    matrix = references.matrix(name)
    n = matrix.shape[0]
    for starts in ([n // 2], sorted({0, n // 3, n - 1})):
        wanted = nearest(matrix, starts)
        for options in ({"execution": "exact"}, {"execution": "fast", "workers": 2}, {"execution": "shallow"}):
            np.testing.assert_array_equal(levels(matrix, starts=starts, **SEARCH, **options).values, wanted)
    assert not levels(matrix, starts=range(n), **SEARCH).values.any()
    without = levels(matrix, starts=(), **SEARCH)
    assert (without.values == NEVER).all()
    assert without.stats.edges_streamed == 0


def test_levels_are_pulled_and_have_a_profile(rng):
    matrix = gp.generate.kronecker(12, seed=3).to_scipy()
    starts = sorted(rng.choice(matrix.shape[0], 5, replace=False).tolist())
    wanted = nearest(matrix, starts)
    told = []
    result = levels(matrix, starts=starts, **SEARCH, progress=lambda *step: told.append(step))
    cpu = levels(matrix, starts=starts)
    np.testing.assert_array_equal(result.values, wanted)
    stats, profile = result.stats, result.stats.pe_array
    assert (stats.method, stats.execution, stats.board, stats.num_supersteps) == (
        "direction_optimizing", "exact", "u280", cpu.stats.num_supersteps,
    )  # fmt: skip
    assert profile.level_pulled.any()
    assert not profile.level_pulled.all()
    assert stats.edges_streamed < matrix.nnz / 2
    assert [step for step, _, _ in told] == list(range(stats.num_supersteps))
    assert sum(edges for _, _, edges in told) == stats.edges_streamed
    # The parent of every vertex is one of the level before.
    reached = np.flatnonzero(wanted != NEVER)
    assert (profile.parent[wanted == NEVER] == -1).all()
    np.testing.assert_array_equal(profile.parent[starts], starts)
    found = reached[wanted[reached] > 0]
    assert (wanted[profile.parent[found]] + 1 == wanted[found]).all()
    assert (matrix[profile.parent[found], found] != 0).all()
    # The host launches every level.
    prediction = stats.prediction
    around = prediction.launch_seconds + prediction.step_overhead_seconds
    assert stats.predicted_seconds == pytest.approx(profile.kernel_seconds + len(profile.level_cycles) * around)


@pytest.mark.parametrize("view", ["forward", "reverse", "undirected"])
def test_all_views_are_walked(view, rng):
    matrix = sp.csr_array(sp.random_array((400, 400), density=0.006, rng=rng) != 0)
    walked = {"forward": matrix, "reverse": matrix.T, "undirected": matrix + matrix.T}[view]
    own = gp.Algorithm(
        f"levels_{view}", STRUCT_BFS, view=view, initial=lambda graph: from_all(graph.num_vertices, (3, 200))
    )
    np.testing.assert_array_equal(own(matrix, **SEARCH).values, nearest(sp.csr_array(walked), (3, 200)))


def test_properties_may_be_floats():
    graph = gp.generate.kronecker(9, seed=2)
    depth = hops(graph.to_scipy(), 4)
    result = halves(graph, root=4, **SEARCH)
    assert result.values.dtype == np.float64
    np.testing.assert_array_equal(result.values, np.where(depth < 0, 0, 0.5 ** depth.astype(float)))


@pytest.mark.parametrize("kind", ["kronecker", "grid"])
@pytest.mark.parametrize(("most", "relays"), [(LEVEL - 1, 0), (2, 0), (LEVEL - 1, 3), (4, 5)])
def test_vertices_that_do_not_pass_on_are_no_part_of_the_frontier(kind, most, relays, rng):
    graph = gp.generate.kronecker(9, seed=7) if kind == "kronecker" else gp.generate.grid(20, 25)
    matrix, n = graph.to_scipy(), graph.num_vertices
    start = np.full(n, LEVEL, np.uint32)
    start[rng.random(n) < 0.2] = WALL | 5
    start[np.argsort(-graph.out_degrees(), kind="stable")[[0, 7]]] = 0
    wanted = plain(matrix, start, most, relays)
    assert len(np.unique(wanted)) > 3
    for options in ({"execution": "exact"}, {"execution": "fast", "workers": 4}):
        result = guarded(graph, start=start, most=most, relays=relays, **SEARCH, **options)
        np.testing.assert_array_equal(result.values, wanted)
    # What was reached, by the parents; walls and what lies beyond `most` were looked at in vain.
    reached = (wanted & LEVEL != LEVEL) & (wanted & WALL == 0)
    passes_on = reached & (wanted & LAST == 0)
    assert set(np.flatnonzero(result.stats.pe_array.parent >= 0)) == set(np.flatnonzero(passes_on))


@pytest.mark.parametrize("beyond", [FAR, FAR // 2])
@pytest.mark.parametrize("most", [1, 2, 90])
def test_levels_whose_vertices_are_alike_end_where_these_do_not_send(most, beyond):
    graph = gp.generate.kronecker(10, seed=5)
    depth = hops(graph.to_scipy(), 9)
    assert 3 <= depth.max() < 90
    wanted = np.where((depth >= 0) & (depth <= most), depth, FAR)
    wanted[depth == most + 1] = beyond
    result = limited(graph, root=9, most=most, beyond=beyond, **SEARCH)
    np.testing.assert_array_equal(result.values, wanted.astype(np.uint32))
    assert result.stats.num_supersteps == limited(graph, root=9, most=most, beyond=beyond).stats.num_supersteps
    np.testing.assert_array_equal(result.stats.pe_array.parent >= 0, (depth >= 0) & (depth <= most))


def test_graphs_without_edges():
    for n in (1, 40):
        result = levels(sp.csr_array((n, n)), **SEARCH)
        assert result.values.tolist() == [0] + [NEVER] * (n - 1)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"device": "cpu"}, 'device is "cpu"; .* runs in the emulator .*method="auto" pushes or pulls as well'),
        ({"workers": 3}, "workers is 3; .* is a kernel of 2, 4 or 8 PEs"),
        ({"workers": 4, "method": "auto"}, "workers is 4; it is for methods with workers"),
        ({"domains": 2}, "has workers, not domains; omit domains="),
        ({"config": "hbm"}, 'config is "hbm"; method="direction_optimizing" .* has one kernel'),
        ({"execution": "quick"}, 'execution is "quick"; allowed are "auto", "fast", "exact" and "shallow"'),
        ({"skip_idle": False}, "skip_idle is False"),
        ({"checkpoint": "somewhere"}, "checkpoint is given"),
    ],
)
def test_options_that_do_not_go_with_it_are_told(options, says):
    with pytest.raises(gp.InputError, match=says):
        levels(gp.generate.chain(20), **{**SEARCH, **options})


def test_programs_that_are_no_searches_are_told():
    chain = gp.generate.chain(20, weights=(1, 9))
    adds = gp.Algorithm("adds", gather="a + b", until=("steps", 1))
    with pytest.raises(gp.InputError, match=r"custom algorithms that declare kFinalOnceSet"):
        adds(chain, **SEARCH)
    always = gp.Algorithm("always", gather="max(a, b)", apply="max(acc, old)", **TRAITS)
    with pytest.raises(gp.InputError, match="always has no isActive, so all vertices send"):
        always(chain, **SEARCH)
    once = gp.Algorithm("once", gather="max(a, b)", active="update != 0", final_once_set=True)
    with pytest.raises(gp.InputError, match="once does not declare kIdempotent besides kFinalOnceSet"):
        once(chain, **SEARCH)
    weighs = gp.Algorithm(
        "weighs", scatter="src + edge", gather="min(a, b)", identity=NEVER, active=f"update != {NEVER}u",
        initial=NEVER, **TRAITS,
    )  # fmt: skip
    with pytest.raises(gp.InputError, match="weighs reads the weights of this graph, which the PEs do not have"):
        weighs(chain, **SEARCH)


@pytest.fixture
def file(tmp_path):
    script = tmp_path / "mine.py"
    script.write_text(
        "import gaspipe as gp\n"
        'mine = gp.Algorithm("mine", scatter="src * 0.5", gather="max(a, b)", prop="float64",\n'
        '    apply="old != 0 ? old : acc", active="update != 0", is_source="prop != 0", idempotent=True,\n'
        '    final_once_set=True, initial="v == root ? 1.0 : 0.0", parameters={"root": 3})\n'
    )
    yield script
    gp.unregister("mine")


def test_the_command_line_searches(file, tmp_path):
    graph, out = tmp_path / "graph.mtx", tmp_path / "values.npy"
    made = gp.generate.kronecker(8, seed=1)
    made.to_file(graph)
    command = (f"{file}::mine", graph, "--method", "direction_optimizing", "--device", "emulator:u280")
    told = json.loads(gaspipe(*command, "--workers", 4, "--out", out, "--json").stdout)
    assert told["stats"]["method"] == "direction_optimizing"
    depth = hops(made.to_scipy(), 3)
    np.testing.assert_array_equal(np.load(out), np.where(depth < 0, 0, 0.5 ** depth.astype(float)))
    assert "direction_optimizing: in the emulator" in " ".join(gaspipe(f"{file}::mine", "--help").stdout.split())
