# SPDX-License-Identifier: Apache-2.0
"""The same functors as kernels: FrontierEngine.iterate in the emulator and on the CPU, and what cannot become hooks."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph

import gaspipe as gp
from gaspipe._frontier import hooks

pytestmark = [pytest.mark.needs("g++"), pytest.mark.usefixtures("compiled_snippets")]

DEVICES = ("cpu", "emulator", "emulator:u250")
# Beside it what is no hardware, and is left out.
MAX_VALUE = r"""
#include <vector>
using Number = int;
constexpr Number kLowest{-1};
struct Sum {
  std::vector<int> seen;
  int identity() { return 0; }
  int map(int v) { seen.push_back(v); return v; }
  int reduce(int a, int b) { return a + b; }
};
Number larger(Number a, Number b) { return a > b ? a : b; }
struct Base {
  int gather(int value, EdgeCount, EdgeValue&) { return value; }
  int reduce(int a, int b) { return larger(larger(a, b), kLowest); }
};
struct MaxValue : Base {
  bool cond(int value, int accumulator, VertexId) { return accumulator > value; }
  void update(int& value, int accumulator) { value = accumulator; }
};
int all_of(Engine& engine) { return engine.getVertexCount(); }
"""
EXAMPLE = ([0, 1, 1, 2, 2, 3], [1, 0, 2, 0, 3, 2])


@pytest.mark.parametrize("device", DEVICES)
def test_the_worked_example_has_its_frontiers_on_every_device(device):
    # OLV-1, OLV-9, OLV-39: one source.
    engine = gp.FrontierEngine(gp.Graph(EXAMPLE), MAX_VALUE, vertex="i4", default=-1, name="example")
    for step in (None, 1):
        engine.vertices[:] = [1, 2, 5, 3]
        front = engine.subset(True)
        if step is None:
            done = engine.iterate("MaxValue", front, device=device)
            assert done.num_rounds == 3
            assert (done.stats is None) == (device == "cpu")
        else:
            trace = []
            while front:
                trace.append(front.vertices.tolist())
                assert engine.iterate("MaxValue", front, device=device, max_iter=1).num_rounds == 1
            assert trace == [[0, 1, 2, 3], [0, 3], [1]]
        assert engine.vertices.tolist() == [5, 5, 5, 5]
        assert front.size == 0


SSSP = r"""
struct Sssp {
  float gather(float distance, EdgeCount, const EdgeValue& weight) { return distance + weight; }
  float reduce(float a, float b) { return min(a, b); }
  bool cond(float distance, float accumulator, VertexId) { return accumulator < distance; }
  void update(float& distance, float accumulator) { distance = accumulator; }
};
"""


def test_shortest_paths_over_the_edge_values_of_the_engine():
    # OLV-23.
    rng = np.random.default_rng(3)
    matrix = sp.csr_array(
        sp.coo_array((rng.integers(1, 9, 900).astype(np.float32), rng.integers(0, 200, (2, 900))), shape=(200, 200))
    )
    engine = gp.FrontierEngine(matrix, SSSP, vertex="f4", edge="f4", default=np.inf, name="paths")
    for factor in (1, 2):
        engine.edges[:] = matrix.data * factor
        wanted = factor * scipy.sparse.csgraph.dijkstra(matrix, indices=7)
        rounds = set()
        for device in DEVICES[:2]:
            engine.vertices[:] = np.inf
            engine.vertices[7] = 0
            rounds.add(engine.iterate("Sssp", engine.subset(7), device=device).num_rounds)
            assert engine.vertices.tolist() == wanted.tolist(), device
        assert len(rounds) == 1
    assert not (engine.graph.weights != matrix.data).any()


MIXED = r"""
struct Mixed {
  Parameters parameters;
  std::uint32_t gather(std::int32_t value, EdgeCount outdegree, EdgeValue&) const {
    return static_cast<std::uint32_t>(value) * 3 + static_cast<std::uint32_t>(outdegree) * parameters.factor;
  }
  std::uint32_t reduce(std::uint32_t a, std::uint32_t b) const { return a + b; }
  bool cond(std::int32_t value, std::uint32_t accumulator, VertexId id) const {
    const bool is_given = parameters.low < 0 && parameters.none != parameters.none && parameters.far < -1e308;
    return (accumulator ^ id) % 5 != 0 && value < parameters.limit && is_given;
  }
  void update(std::int32_t& value, std::uint32_t accumulator, VertexId id) const {
    value = static_cast<std::int32_t>((accumulator + id) % 1000u) - (parameters.negative ? 500 : 0);
  }
};
"""


def test_degrees_ids_parameters_and_the_default_reach_the_hooks():
    graph = gp.generate.kronecker(8, seed=5)
    engine = gp.FrontierEngine(
        graph,
        MIXED,
        vertex="i4",
        accumulator="u4",
        default=11,  # not neutral: it counts once, as on the CPU
        parameters={
            "factor": np.uint32(7),
            "limit": 400,
            "negative": True,
            "low": -(2**63),
            "none": np.nan,
            "far": -np.inf,
        },
        name="mixed",
    )
    found = []
    for device in DEVICES[:2]:
        engine.vertices[:] = np.arange(256)
        front = engine.subset([0, 3, 77, 200])
        done = engine.iterate("Mixed", front, device=device, max_iter=4, factor=9, negative=False)
        found.append((done.num_rounds, engine.vertices.tolist(), front.vertices.tolist()))
    assert found[0] == found[1]
    assert found[0][0] > 1
    assert engine.hooks("Mixed", factor=9) is engine.hooks("Mixed", factor=np.uint32(9))
    assert engine.hooks("Mixed") is not engine.hooks("Mixed", factor=9)


def test_an_empty_front_and_no_rounds_do_nothing():
    engine = gp.FrontierEngine(gp.Graph(EXAMPLE), MAX_VALUE, vertex="i4", default=-1, name="example")
    for device in DEVICES[:2]:
        assert engine.iterate("MaxValue", engine.subset(), device=device).num_rounds == 0
        front = engine.subset(True)
        assert engine.iterate("MaxValue", front, device=device, max_iter=0).num_rounds == 0
        assert front.size == 4


def test_hooks_are_an_algorithm_that_can_be_checked():
    engine = gp.FrontierEngine(gp.Graph(EXAMPLE), MAX_VALUE, vertex="i4", default=-1, name="example")
    made = engine.hooks("MaxValue")
    assert isinstance(made, gp.Algorithm)
    assert "struct MaxValue" in made.header
    assert "push_back" not in made.header
    assert made.plan("u250").design.number == "uint64"


FAULTY = r"""
struct Whole {
  AccumValue gather(const VertexValue& v, EdgeCount, EdgeValue& e) { return AccumValue(); }
  AccumValue reduce(AccumValue a, AccumValue b) { return a; }
  bool cond(const VertexValue&, AccumValue, VertexId) { return false; }
  void update(VertexValue&, AccumValue) {}
};
struct Half {
  AccumValue gather(const VertexValue& v, EdgeCount, EdgeValue& e) { return AccumValue(); }
  AccumValue reduce(AccumValue a, AccumValue b) { return a; }
};
struct Heap : Whole {
  AccumValue reduce(AccumValue a, AccumValue b) { int* p = new int(3); delete p; return a; }
};
"""


@pytest.mark.parametrize(
    ("types", "functor", "message"),
    [
        (
            {"vertex": "i8"},
            "Whole",
            "Whole cannot become hooks: vertex is int64; a property has room for int32, uint32",
        ),
        ({"vertex": [("a", "i4")]}, "Whole", "cannot become hooks: vertex is {a}; a property has room"),
        ({"vertex": "i4", "accumulator": "f8"}, "Whole", "cannot become hooks: accumulator is float64"),
        ({"vertex": "i4", "edge": "f4"}, "Whole", "its gather takes EdgeValue&, through which it may write"),
        ({"vertex": "i4", "edge": "u2"}, "Whole", "edge is uint16; weights are float32"),
        ({"vertex": "i4"}, "Half", "Half cannot become hooks: a struct with gather, reduce, cond and update is needed"),
        ({"vertex": "i4"}, "None", "None cannot become hooks: a struct with gather"),
        ({"vertex": "i4"}, "Heap", r"hardware has no the heap \(new\)"),
    ],
)
def test_a_pair_that_cannot_become_hooks_says_why(types, functor, message):
    engine = gp.FrontierEngine(gp.Graph(EXAMPLE), FAULTY, name="faulty", **types)
    with pytest.raises(gp.InputError, match=message):
        engine.iterate(functor, engine.subset(True), device="emulator")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"device": "abacus"}, "abacus"),
        ({"max_iter": -1}, "max_iter is -1; a whole number is needed, 'auto' or None"),
        ({"max_iter": 1.5}, "max_iter is 1.5"),
        ({"speed": 3}, "'speed' is no parameter of the program and no option of device='cpu'"),
    ],
)
def test_bad_options_of_iterate_are_one_clear_error(given, message):
    engine = gp.FrontierEngine(gp.Graph(EXAMPLE), MAX_VALUE, vertex="i4", default=-1, name="example")
    with pytest.raises(gp.InputError, match=message):
        engine.iterate("MaxValue", engine.subset(True), **given)
    for device in DEVICES[:2]:
        for front in (None, [0]):
            with pytest.raises(gp.InputError, match=r"front is .*; a VertexSubset is needed"):
                engine.iterate("MaxValue", front, device=device)
        with pytest.raises(gp.InputError, match="front is a set of 9 vertices, the graph has 4"):
            engine.iterate("MaxValue", gp.VertexSubset(9), device=device)
    with pytest.raises(gp.InputError, match="Sum does not serve edge_vertex_filter"):
        engine.iterate("Sum", engine.subset(True))


def test_only_what_a_functor_needs_is_kept():
    text = (
        "int a() { return 1; }\nint b() { return a(); }\n#define C 2\nstruct D { int x; };\n"
        "struct E { D d; int f() { return b(); } };\n"
    )
    assert hooks.needed(text, "E") == text
    assert hooks.needed(text, "D").split() == ["#define", "C", "2", "struct", "D", "{", "int", "x;", "};"]
    assert hooks.needed(text, "b").count("\n") == text.count("\n")
    assert "struct" not in hooks.needed(text, "b")
    more = (
        "enum Color { kRed, kBlue };\nusing T = int;\ntemplate <class X> X twice(X x) { return 2 * x; }\n"
        "T c = kBlue;\nT f() { return twice(c); }\n"
    )
    assert hooks.needed(more, "f") == more
    assert hooks.needed(more, "T").split() == ["using", "T", "=", "int;"]


def test_degrees_that_do_not_fit_are_refused():
    with pytest.raises(gp.InputError, match="vertex 1 has 2,147,483,648 out-edges; hooks have room for 2,147,483,647"):
        hooks.words_of(np.zeros(2, np.int32), np.array([0, 2**31]), np.zeros(0, np.uint32))
