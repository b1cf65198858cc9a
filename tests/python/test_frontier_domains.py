# SPDX-License-Identifier: Apache-2.0
"""gp.FrontierEngine over domains and over ranks: the same calls, and the answers of SciPy and NumPy."""

import os
import signal
import threading

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph

import gaspipe as gp
from frontier_program import EDGE, FUNCTORS, VERTEX, bfs, levels_of, random_matrix
from thread_ranks import on_ranks

pytestmark = [pytest.mark.needs("g++"), pytest.mark.usefixtures("compiled_snippets")]

SOURCE = (
    "#include <stdexcept>\n"
    + FUNCTORS
    + r"""
struct Even : Bfs {
  bool cond(const VertexValue& value, double, VertexId id) { return value.level < 0 && id % 2 == 0; }
};
struct Throws {
  Parameters parameters;
  void operator()(VertexValue&, double, VertexId id) {
    if (id == static_cast<VertexId>(parameters.bias)) throw std::runtime_error("no such luck");
  }
};
struct Slow {
  void operator()(VertexValue& value, double) {
    for (volatile int i = 0; i < 300000; ++i) continue;
    value.part = 9;
  }
};
int driver(Engine&) { return 1; }
"""
)


def engine_of(graph, **options):
    return gp.FrontierEngine(
        graph,
        SOURCE,
        vertex=VERTEX,
        edge=EDGE,
        accumulator="f8",
        default=options.pop("default", 1e300),
        parameters={"root": 0, "bias": 0.0, "scale": 1.0},
        name="parts",
        **options,
    )


MATRIX = random_matrix(400, 1500, 3)


@pytest.fixture(scope="module")
def graph():
    return gp.Graph(MATRIX)


@pytest.mark.parametrize(
    ("domains", "options"),
    [
        (1, {}),
        (2, {"direction": "pull"}),
        (3, {"direction": "push", "scan": False}),
        (("hash", 4), {"num_threads": 5}),
        (("mix", 8), {"direction": "pull"}),
        (lambda ids, size: ids % size, {}),
        (("apart", 3), {}),
    ],
)
@pytest.mark.parametrize("call", ["both", "Search"])
def test_a_search_finds_the_levels_of_scipy(graph, domains, options, call):
    # OLV-12, OLV-30, OLV-32.
    if callable(domains):
        domains = graph.domains(5, domains)
    elif isinstance(domains, tuple):
        strategy, size = domains
        domains = graph.domains(size, combine=False) if strategy == "apart" else graph.domains(size, strategy)
    engine = engine_of(graph, domains=domains, **options)
    for root in (0, 17):
        wanted = levels_of(MATRIX, root)
        sizes = bfs(engine, root, call)
        assert engine.vertices["level"].tolist() == wanted
        assert sizes == [wanted.count(level) for level in range(max(wanted) + 1)]
    assert set(engine.vertices["part"].tolist()) == {7}
    assert engine.seconds > 0


@pytest.mark.parametrize("domains", [2, 5])
@pytest.mark.parametrize("direction", ["push", "pull"])
def test_gather_gets_degrees_and_values_of_edges_of_the_whole_graph(graph, domains, direction):
    engine = engine_of(graph, domains=graph.domains(domains, "mix"), default=0.0, direction=direction)
    rng = np.random.default_rng(1)
    weight, rank = rng.random(graph.num_edges, np.float32), rng.random(graph.num_vertices, np.float32)
    engine.edges["weight"] = weight  # a view that is let go before the call
    engine.vertices["rank"] = rank
    some = np.flatnonzero(rng.random(graph.num_vertices) < 0.4)
    for vertices in (True, some):
        front = engine.subset(vertices)
        reached = engine.edge_filter(None, front, "Spread", bias=0.5)
        degrees = np.diff(graph.indptr)
        sources = np.repeat(np.arange(graph.num_vertices), degrees)
        is_front = np.ones(graph.num_vertices, bool) if vertices is True else np.isin(np.arange(400), some)
        sent = np.where(is_front[sources], rank[sources] * weight.astype(float) / degrees[sources] + 0.5, 0)
        wanted = np.bincount(graph.indices, sent, graph.num_vertices)
        np.testing.assert_allclose(engine.accumulators, wanted, rtol=1e-6)
        assert np.array_equal(reached.vertices, np.unique(graph.indices[is_front[sources]]))
        assert not engine.accumulators.flags.writeable
    engine.edge_map(engine.subset(some), "Touch")
    assert np.array_equal(engine.edges["seen"], is_front[sources])
    assert np.array_equal(engine.edges["weight"], weight)


def test_weights_start_as_those_of_the_graph(graph):
    source = """
    struct Shortest {
      double gather(const double& distance, EdgeCount, double& weight) { return distance + weight; }
      double reduce(double a, double b) { return min(a, b); }
      bool cond(const double& distance, double found, VertexId) { return found < distance; }
      void update(double& distance, double found) { distance = found; }
    };
    """
    engine = gp.FrontierEngine(graph, source, vertex="f8", edge="f8", default=np.inf, name="shortest", domains=3)
    assert np.array_equal(engine.edges, graph.weights)
    engine.vertices[:] = np.inf
    engine.vertices[4] = 0
    front = engine.subset(4)
    assert engine.iterate("Shortest", front).num_rounds > 3
    assert not front
    assert np.array_equal(engine.vertices, scipy.sparse.csgraph.dijkstra(MATRIX, indices=4))


def test_functors_see_ids_of_the_whole_graph(graph):
    engine = engine_of(graph, domains=graph.domains(4, "hash"))
    bfs(engine, 0)
    wanted = np.array(levels_of(MATRIX, 0))
    assert engine.vertex_reduce("Levels") == (wanted >= 0).sum()
    assert engine.vertex_reduce("Farthest") == (wanted + np.arange(400) / 1e6).max()
    assert engine.vertex_reduce("Farthest", engine.subset([3, 9])) == max(wanted[3] + 3e-6, wanted[9] + 9e-6)
    assert engine.vertex_reduce("Levels", engine.subset()) == 0
    engine.vertex_map(engine.subset([2, 399, 5]), "number")
    assert [engine.vertices["part"][v] for v in (2, 399, 5, 6)] == [2, 399, 5, 7]
    engine.vertex_map(engine.subset(True), "start")
    found = engine.vertex_filter(None, engine.subset(True), "Even")
    assert np.array_equal(found.vertices, np.arange(0, 400, 2))
    seen = []
    engine.vertex_transform(lambda v, value: seen.append((v, int(value["part"]))))
    assert seen == [(v, 7) for v in range(400)]  # OLV-16


def test_views_are_written_by_both_sides_while_they_are_held(graph):
    engine = engine_of(graph, domains=3)
    view = engine.vertices
    engine.vertex_map(engine.subset(True), "start")
    assert (view["part"] == 7).all()
    view["level"] = np.arange(400) % 2 - 1  # -1 and 0
    assert engine.vertices is view
    assert engine.vertex_reduce("Levels") == 200
    assert (view["level"] == np.arange(400) % 2 - 1).all()
    part = view["part"][10:12]
    del view
    engine.vertex_map(engine.subset([10]), "number")
    assert part.tolist() == [10, 7]


def test_sets_have_two_forms_and_stay_with_their_graph(graph):
    engine = engine_of(graph, domains=3)
    engine.vertex_map(engine.subset(True), "start")
    for vertices in ([5, 399, 0], True, False):
        front = engine.subset(vertices)
        made = engine.vertex_filter(None, front, "Even")
        wanted = np.intersect1d(front.vertices, np.arange(0, 400, 2))
        assert np.array_equal(made.vertices, wanted)
        assert len(made) == made.size == len(wanted) == engine.getWorkqueueSize()
        for v in (0, 5, 399):
            assert (v in made) == (v in wanted)
        assert 400 not in made
        for to in ("to_bitmap", "to_queue"):
            getattr(made, to)()
            assert made.is_bitmap == (to == "to_bitmap")
            assert np.array_equal(made.vertices, wanted)
        engine.vertex_map(engine.subset(True), "start")
        made.clear()
        assert len(made) == 0 and not made.vertices.size
    other = engine_of(gp.Graph(random_matrix(400, 100, 1)), domains=2)
    used = engine.vertex_filter(None, engine.subset([1, 2]), "Even")
    with pytest.raises(gp.InputError, match="another graph's vertices"):
        other.vertex_map(used, "start")
    alone = engine_of(graph)
    alone.vertex_map(alone.subset(True), "start")
    assert np.array_equal(alone.vertex_filter(None, used, "Even").vertices, [2])


def test_labels_graphs_without_edges_and_more_domains_than_vertices():
    named = gp.Graph((["a", "b", "c"], ["b", "c", "d"]))
    engine = engine_of(named, domains=8)
    assert bfs(engine, "a") == [1, 1, 1, 1]
    empty = engine_of(sp.csr_array((3, 3)), domains=2)
    assert bfs(empty, 1) == [1]
    assert empty.vertices["level"].tolist() == [-1, 0, -1]


def test_boards_and_domains_together(graph):
    source = """
    struct Nearest {
      int gather(int level, EdgeCount, EdgeValue&) { return level + 1; }
      int reduce(int a, int b) { return min(a, b); }
      bool cond(int level, int, VertexId) { return level < 0; }
      void update(int& level, int accumulator) { level = accumulator; }
    };
    """
    engine = gp.FrontierEngine(graph, source, vertex="i4", default=2**31 - 1, name="nearest", domains=2)
    engine.vertices[:] = -1
    engine.vertices[17] = 0
    done = engine.iterate("Nearest", engine.subset(17), device="emulator")
    assert len(done.stats.domains) == 2
    assert np.array_equal(engine.vertices, np.array(levels_of(MATRIX, 17)))


def test_errors_say_what_to_do(graph):
    other = gp.Graph(random_matrix(50, 100, 2))
    for domains, text in [
        (0, "0 domains"),
        (True, "domains is True"),
        ("many", "domains is 'many'"),
        (other.domains(2), "those of another graph"),
        (graph.domains(2, view="reverse"), "of the reverse view"),
    ]:
        with pytest.raises(gp.InputError, match=text):
            engine_of(graph, domains=domains)
    for num_threads in (0, -1, "two"):
        with pytest.raises(gp.InputError, match="num_threads is"):
            engine_of(graph, domains=2, num_threads=num_threads)
    engine = engine_of(graph, domains=2)
    with pytest.raises(gp.InputError, match="sees one domain"):
        engine.run("driver")
    with pytest.raises(gp.InputError, match="Bfs does not serve vertex_map"):
        engine.vertex_map(engine.subset(True), "Bfs")
    with pytest.raises(gp.InputError, match="combine=False"):
        _ = engine_of(graph, domains=graph.domains(3, combine=False)).edges


def test_an_exception_of_one_domain_is_the_calls(graph):
    engine = engine_of(graph, domains=4)
    bfs(engine, 0)
    with pytest.raises(gp.Error, match="no such luck"):
        engine.vertex_map(engine.subset(True), "Throws", bias=399)
    assert sum(bfs(engine, 0)) == np.sum(np.array(levels_of(MATRIX, 0)) >= 0)


def test_the_log_has_a_line_for_every_call(graph):
    lines = []
    engine = engine_of(graph, domains=3, log=lambda level, text: lines.append((level, text)), log_level="debug")
    engine.vertex_filter(None, engine.subset([2]), "Even")
    assert len(lines) == 1 and lines[0][0] == "debug"
    assert lines[0][1].startswith("vertex_filter: 1 vertices -> 0 vertices, 3 domains, ")


def test_ctrl_c_ends_a_call_and_the_engine_goes_on(graph):
    engine = engine_of(graph, domains=2, num_threads=2)
    threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        while True:
            engine.vertex_map(engine.subset(True), "Slow")
    assert sum(bfs(engine, 0)) == np.sum(np.array(levels_of(MATRIX, 0)) >= 0)


def spread_graph(world):
    coo = MATRIX.tocoo()
    own = slice(world.rank, None, world.size)
    return world.edges(coo.row[own], coo.col[own], num_vertices=400, strategy="mix")


@pytest.mark.parametrize("size", [1, 3])
def test_ranks_make_the_same_calls(size):
    def work(world):
        spread = spread_graph(world)
        engine = engine_of(spread)
        sizes = bfs(engine, 17)
        searched = bfs(engine, 17, "Search")
        farthest, number = engine.vertex_reduce("Farthest"), engine.vertex_reduce("Levels")
        levels = engine.vertices["level"].copy()
        front = engine.subset([0, 17])
        last = engine.vertex_filter(None, engine.subset(True), "Even")
        return (
            spread.own_ids,
            levels,
            sizes,
            searched,
            farthest,
            number,
            len(front),
            [v for v in last.vertices.tolist() if v in last],
        )

    found = on_ranks(size, work)
    wanted = np.array(levels_of(MATRIX, 17))
    level = np.full(400, -9)
    for own, values, sizes, searched, farthest, number, count, _ in found:
        level[own] = values
        assert sizes == searched == np.bincount(wanted[wanted >= 0]).tolist()
        assert farthest == (wanted + np.arange(400) / 1e6).max()
        assert (number, count) == ((wanted >= 0).sum(), 2)
    assert np.array_equal(level, wanted)
    assert sorted(v for each in found for v in each[-1]) == [v for v in range(0, 400, 2) if wanted[v] < 0] != []


def test_ranks_that_differ_and_functors_that_throw_end_all_ranks():
    def other_functor(world):
        engine = engine_of(spread_graph(world))
        engine.vertex_map(engine.subset(True), "start" if world.rank else "mark")

    for error in on_ranks(2, other_functor):
        assert isinstance(error, gp.InputError) and "differ in the call" in str(error)

    def throws(world):
        engine = engine_of(spread_graph(world))
        engine.vertex_map(engine.subset(True), "Throws", bias=399)
        engine.vertex_reduce("Levels")

    errors = on_ranks(2, throws)
    assert sorted("no such luck" in str(error) for error in errors) == [False, True] or all(
        "no such luck" in str(error) for error in errors
    )
    assert all(isinstance(error, (gp.Error, threading.BrokenBarrierError)) for error in errors)

    def refused(world):
        engine = engine_of(spread_graph(world))
        found = []
        for call in (
            lambda: engine_of(engine.graph, num_threads=0),
            lambda: engine.edges,
            lambda: engine.run("driver"),
            lambda: engine.iterate("Bfs", engine.subset(0), device="emulator"),
            lambda: engine_of(engine.graph, domains=2),
        ):
            with pytest.raises(gp.InputError) as caught:
                call()
            found.append(str(caught.value))
        return found

    for texts in on_ranks(2, refused):
        assert "num_threads is 0" in texts[0]
        assert "lie with the ranks" in texts[1]
        assert "sees one domain" in texts[2]
        assert "on ranks frontier programs run on 'cpu'" in texts[3]
        assert "each rank of this one is a domain already" in texts[4]
