# SPDX-License-Identifier: Apache-2.0
"""gp.FrontierEngine: programs of the seed against SciPy and plain Python, values, sets, parameters and drivers."""

import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp
from frontier_program import EDGE, FUNCTORS, SEARCH, VERTEX, bfs, levels_of, random_matrix

pytestmark = [pytest.mark.needs("g++"), pytest.mark.usefixtures("compiled_snippets")]

SOURCE = (
    FUNCTORS
    + SEARCH
    + r"""
void nothing(Engine&) {}
double half(Engine& engine) { return engine.getVertexCount() / 2.0; }
void fails(Engine& engine) { engine.vertexMap(VertexSubset(engine.getVertexCount() + 1, true), start); }
int helper() { return 3; }
"""
)
BIG = 1e300


def engine_of(graph, **options):
    return gp.FrontierEngine(
        graph,
        SOURCE,
        vertex=VERTEX,
        edge=EDGE,
        accumulator="f8",
        default=options.pop("default", BIG),
        parameters={"root": 0, "bias": 0.0, "scale": 1.0},
        name="shared",
        **options,
    )


@pytest.mark.parametrize(
    "options", [{}, {"num_threads": 3}, {"direction": "push", "scan": False}, {"direction": "pull"}]
)
@pytest.mark.parametrize("call", ["both", "Bfs", "Search"])
def test_a_search_finds_the_levels_of_scipy(call, options):
    # OLV-2, OLV-3, OLV-5, OLV-33.
    matrix = random_matrix(400, 1500, 3)
    engine = engine_of(matrix, **options)
    for root in (0, 17):
        wanted = levels_of(matrix, root)
        sizes = bfs(engine, root, call)
        assert engine.vertices["level"].tolist() == wanted
        assert sizes == [wanted.count(level) for level in range(max(wanted) + 1)]
    assert set(engine.vertices["part"].tolist()) == {7}


def test_a_search_starts_anew_while_a_view_is_held():
    matrix = random_matrix(400, 1500, 5)
    engine = engine_of(matrix)
    for held in (engine.vertices, engine.vertices["level"], engine.vertices[3:]):
        bfs(engine, 0, "Search")
        assert engine.vertices["level"].tolist() == levels_of(matrix, 0)
        del held
    # What is written between two calls is seen by the second.
    chain = engine_of(gp.generate.chain(6))
    levels = chain.vertices["level"]
    chain.vertex_map(chain.subset(True), "start")
    chain.vertex_map(chain.subset(0), "mark")
    front = chain.edge_vertex_filter(None, chain.subset(0), "Search")
    levels[2] = 50
    assert chain.edge_vertex_filter(None, front, "Search").size == 0
    levels[2] = -1
    assert chain.edge_vertex_filter(None, front, "Search").vertices.tolist() == [2]


def test_values_are_views_that_both_sides_write():
    # OLV-16, OLV-34.
    engine = engine_of(gp.generate.chain(5))
    assert engine.vertices.dtype == VERTEX
    assert not engine.vertices["rank"].any()
    engine.vertices["rank"] = [1, 2, 3, 4, 5]
    engine.vertex_map(engine.subset([1, 3]), "number")
    assert engine.vertices["part"].tolist() == [0, 1, 0, 3, 0]
    assert engine.vertices["rank"].tolist() == [1, 2, 3, 4, 5]
    seen = []
    engine.vertex_transform(lambda v, value: seen.append((v, value["part"].item())))
    assert seen == [(0, 0), (1, 1), (2, 0), (3, 3), (4, 0)]
    with pytest.raises(ValueError, match="read-only"):
        engine.accumulators[0] = 1
    vertices = engine.vertices
    del engine  # the view keeps what it shows
    assert vertices["part"].tolist() == [0, 1, 0, 3, 0]


def test_gather_gets_degrees_and_edge_values_and_writes_them():
    # OLV-4, OLV-7: sums of rank / outdegree * weight are a product with the matrix.
    matrix = random_matrix(60, 400, 8)
    engine = engine_of(matrix, default=0.0)
    rng = np.random.default_rng(1)
    engine.vertices["rank"] = rank = rng.integers(0, 100, 60).astype(np.float32)
    engine.edges["weight"] = matrix.data
    degrees = np.diff(matrix.indptr)
    reached = engine.edge_filter(None, engine.subset(True), "Spread")
    assert reached.vertices.tolist() == np.unique(matrix.indices).tolist()
    shares = rank.astype(np.float64) / np.maximum(degrees, 1)
    np.testing.assert_allclose(engine.accumulators, matrix.T @ shares, rtol=1e-12)
    engine.edge_map(engine.subset(True), "Spread", bias=1.0)
    more = np.bincount(matrix.indices, minlength=60)
    np.testing.assert_allclose(engine.accumulators, matrix.T @ shares + more, rtol=1e-12)
    engine.vertex_map(engine.subset(True), "Spread", scale=2.0)
    np.testing.assert_allclose(engine.vertices["rank"], 2 * (matrix.T @ shares + more), rtol=1e-6)
    some = [3, 4, 50]
    engine.edge_map(engine.subset(some), "Touch")
    sources = np.repeat(np.arange(60), degrees)
    assert engine.edges["seen"].tolist() == np.isin(sources, some).astype(int).tolist()
    assert engine.edges["weight"].tolist() == matrix.data.tolist()


def test_edges_start_as_the_weights_of_the_graph():
    matrix = random_matrix(30, 100, 2)
    source = (
        "struct F { double gather(int, EdgeCount, EdgeValue& e) { return e; }"
        " double reduce(double a, double b) { return a + b; } };"
    )
    engine = gp.FrontierEngine(matrix, source, vertex="i4", edge="f8", accumulator="f8", name="weights")
    assert engine.edges.tolist() == matrix.data.tolist()
    engine.edge_map(engine.subset(True), "F")
    np.testing.assert_allclose(engine.accumulators, matrix.sum(axis=0))
    engine.read_graph(sp.csr_array(matrix.astype(bool)))
    assert set(engine.edges.tolist()) == {1.0}
    with pytest.raises(gp.InputError, match=r"weight 0\.5 \(edge 0\) does not fit int32"):
        gp.FrontierEngine(
            sp.csr_array([[0, 0.5], [0, 0]]), source, vertex="i4", edge="i4", accumulator="f8", name="weights"
        )


def test_drivers_and_reductions_return_numbers():
    # OLV-15, OLV-39.
    matrix = random_matrix(400, 1500, 3)
    engine = engine_of(matrix)
    wanted = levels_of(matrix, 9)
    assert engine.run("search", root=9) == max(wanted) + 1
    assert engine.vertices["level"].tolist() == wanted
    assert engine.vertex_reduce("Levels") == sum(level >= 0 for level in wanted)
    chosen = [5, 300, 9]
    assert engine.vertex_reduce("Levels", engine.subset(chosen)) == sum(wanted[v] >= 0 for v in chosen)
    assert engine.vertex_reduce("Farthest") == max(level + v / 1e6 for v, level in enumerate(wanted))
    assert engine.run("nothing") is None
    assert engine.run("half") == 200.0
    with pytest.raises(gp.InputError, match="the source set is of 401 vertices, the graph has 400"):
        engine.run("fails")


def test_both_spellings_are_the_same_calls():
    engine = engine_of(gp.generate.chain(5))
    for snake, camel in [
        ("edge_filter", "edgeFilter"),
        ("edge_map", "edgeMap"),
        ("vertex_filter", "vertexFilter"),
        ("vertex_map", "vertexMap"),
        ("edge_vertex_filter", "edgeVertexFilter"),
        ("vertex_reduce", "vertexReduce"),
        ("vertex_transform", "vertexTransform"),
        ("read_graph", "readGraph"),
    ]:
        assert getattr(type(engine), snake) is getattr(type(engine), camel)
    assert engine.getVertexCount() == engine.num_vertices == 5
    assert engine.num_edges == 8
    engine.vertexMap(engine.subset(True), "start")
    assert engine.allVerticesInactive()
    engine.edgeFilter(None, engine.subset([0, 2]), "Bfs")
    assert engine.getWorkqueueSize() == 2
    engine.clearWorkqueue()
    assert engine.allVerticesInactive()


def test_functors_say_what_they_serve():
    engine = engine_of(gp.generate.chain(3))
    assert engine.functors["Bfs"] == ("edge_filter", "edge_map", "vertex_filter", "edge_vertex_filter")
    assert engine.functors["Spread"] == ("edge_filter", "edge_map", "vertex_map")
    assert engine.functors["Levels"] == ("vertex_reduce",)
    assert engine.functors["search"] == ("run",)
    assert "helper" not in engine.functors
    assert "3 vertices of {level, rank, part}, 4 edges of {weight, seen}, accumulators of float64)" in repr(engine)
    assert engine.seconds >= 0


def test_answers_do_not_depend_on_threads():
    # OLV-8.
    graph = gp.generate.kronecker(11, seed=4)
    answers = []
    for threads in (1, 2, 3):
        engine = engine_of(graph, num_threads=threads)
        sizes = bfs(engine, 0)
        answers.append((sizes, engine.vertices["level"].tolist(), engine.accumulators.tolist()))
    assert answers[0] == answers[1] == answers[2]


def test_the_log_tells_of_every_call():
    # OLV-36.
    lines = []
    engine = engine_of(gp.generate.chain(4), log=lambda level, text: lines.append((level, text)), log_level="debug")
    engine.edge_filter(None, engine.subset([0, 1]), "Bfs")
    assert [level for level, _ in lines] == ["debug"]
    assert lines[0][1].startswith("edgeFilter, push: 2 vertices, 3 edges -> 3 vertices, ")
    quiet = []
    engine = engine_of(gp.generate.chain(4), log=lambda *line: quiet.append(line))
    engine.edge_filter(None, engine.subset(0), "Bfs")
    assert quiet == []


def test_sets_have_two_forms_and_the_same_vertices():
    # OLV-10, OLV-11.
    for engine in (None, engine_of(gp.generate.chain(9))):
        for given, wanted in [
            (None, []),
            (False, []),
            (True, list(range(9))),
            (4, [4]),
            ([7, 2, 2], [2, 7]),
            (np.array([3], np.uint8), [3]),
            ({1, 5}, [1, 5]),
            (gp.index([8, 0]), [0, 8]),
        ]:
            subset = gp.VertexSubset(9, given)
            if engine is not None:
                engine.vertex_map(subset, "start")
            assert subset.is_bitmap == isinstance(given, bool)
            for form in (subset.to_bitmap, subset.to_queue, subset.to_bitmap):
                form()
                assert subset.vertices.tolist() == list(subset) == wanted
                assert (len(subset), subset.size, bool(subset), subset.capacity) == (
                    len(wanted),
                    len(wanted),
                    bool(wanted),
                    9,
                )
                assert all((v in subset) == (v in wanted) for v in range(-1, 11))
            assert subset == gp.VertexSubset(9, wanted)
            assert subset != gp.VertexSubset(10, wanted)
            assert "x" not in subset
            subset.clear()
            assert subset.vertices.tolist() == []
            assert subset.is_bitmap


def test_a_set_prints_itself(capsys):
    gp.VertexSubset(9, [3, 5]).print()
    gp.VertexSubset(4, True).print()
    gp.VertexSubset(4, 1).print()
    out = capsys.readouterr().out
    assert (
        out == "queue of 2 vertices below 9: 3 5\nbitmap of 4 vertices below 4: 0 1 2 3\nqueue of 1 vertex below 4: 1\n"
    )
    assert repr(gp.VertexSubset(9, [3, 5])) == "VertexSubset(9, [3, 5], queue)"


def test_every_form_of_source_and_destination_gives_the_same_set():
    # OLV-10.
    matrix = random_matrix(100, 300, 4)
    wanted = np.unique(matrix[[3, 40, 70]].indices).tolist()
    engine = engine_of(matrix)
    for source in (gp.VertexSubset(100, [3, 40, 70]), gp.VertexSubset(100, [70, 40, 3])):
        for target in (gp.VertexSubset(), gp.VertexSubset(100, True), gp.VertexSubset(100, [1]), source):
            assert engine.edge_filter(target, source, "Bfs") is target
            assert target.vertices.tolist() == wanted
            source = gp.VertexSubset(100, [3, 40, 70])
            source.to_bitmap()


def test_sets_of_a_labeled_graph_take_labels():
    graph = gp.Graph((["b", "c", "d"], ["c", "d", "a"]), relabel=True)
    engine = engine_of(graph)
    labels = graph.labels.tolist()
    assert engine.subset("c").vertices.tolist() == [labels.index("c")]
    assert sorted(engine.subset(["a", "d"])) == sorted(map(labels.index, "ad"))
    assert engine.subset(gp.index(1)).vertices.tolist() == [1]
    with pytest.raises(gp.InputError, match="there is no vertex 'z'"):
        engine.subset("z")
    assert bfs(engine, "b") == [1, 1, 1, 1]


def test_graphs_without_edges_or_with_one_vertex():
    # OLV-38.
    for n in (1, 5):
        engine = engine_of(sp.csr_array((n, n)))
        assert bfs(engine, 0) == [1]
        assert engine.edge_filter(None, engine.subset(True), "Touch").size == 0
        assert engine.edges.shape == (0,)
        assert engine.vertices["level"].tolist() == [0] + [-1] * (n - 1)


def test_another_graph_takes_the_place_of_the_first():
    # OLV-12, OLV-13.
    engine = engine_of(gp.generate.chain(5))
    before = engine.subset([1, 2])
    engine.vertex_map(before, "mark")
    same_size = gp.generate.star(5)
    engine.read_graph(same_size)
    assert engine.getVertexCount() == 5
    assert engine.num_edges == same_size.num_edges
    with pytest.raises(gp.InputError, match="src is a set of another graph's vertices"):
        engine.vertex_map(before, "mark")
    assert bfs(engine, 0) == [1, 4]
