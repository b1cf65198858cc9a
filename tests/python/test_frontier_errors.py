# SPDX-License-Identifier: Apache-2.0
"""What gp.FrontierEngine and gp.VertexSubset refuse, and in which words; faults in functors; laws of reduce."""

import importlib
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp

pytestmark = [pytest.mark.needs("g++"), pytest.mark.usefixtures("compiled_snippets")]

CHAIN = gp.generate.chain(4)
MAP = "void f(int& v, int) { v = 1; }\n"


def engine_of(source=MAP, graph=CHAIN, **options):
    return gp.FrontierEngine(graph, source, **{"vertex": "i4", **options})


FAULTS = [
    (
        "struct A {\n  int gather(int) { return 1; }\n  int reduce(int a, int b) { return a; }\n};",
        "A::gather: AccumValue gather(",
    ),
    (
        "struct B { int gather(int, EdgeCount, EdgeValue&); void reduce(int& a, int b) {} };",
        "B::reduce: AccumValue reduce(",
    ),
    ("struct C { int gather(int, EdgeCount, EdgeValue&) { return 1; } };", "C has gather and no reduce"),
    (
        "struct D { bool cond(int); void update(int&, int); };",
        "D::cond: bool cond(const VertexValue& value, AccumValue",
    ),
    ("struct E { bool cond(int, int, VertexId); void update(int); };", "E::update: void update(VertexValue& value"),
    ("struct F { bool cond(int, int, VertexId); };", "F has cond and no update"),
    ("struct G { int map(int); int reduce(int, int); };", "G: for vertex_reduce T identity(), T map("),
    ("void h(int& v, int) { v = nothing; }", "'nothing' was not declared in this scope"),
]


def test_functors_with_wrong_signatures_are_messages_at_their_lines(users_compiler):
    source = "#include <string>\n" + "\n".join(text for text, _ in FAULTS)
    with pytest.raises(gp.CompileError) as raised:
        engine_of(source)
    for text, message in FAULTS:
        line = source[: source.index(text)].count("\n") + 1
        places = [told for told in raised.value.log.splitlines() if message in told]
        assert len(places) == 1, message
        assert places[0].startswith(f"program.cpp:{line}:"), places
    assert "program.cpp:" in str(raised.value).split("error:")[0]


@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (0, 0)])
def test_matrices_that_are_not_square_are_refused(shape):
    matrix = gp.Graph(sp.csr_array(shape), rectangular=True)
    with pytest.raises(gp.InputError, match=r"frontier program needs (a square matrix|at least 1 vertex); this"):
        engine_of(graph=matrix)
    engine = engine_of()
    with pytest.raises(gp.InputError, match="a frontier program needs"):
        engine.read_graph(matrix)
    assert engine.graph is CHAIN


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "int run(Engine& engine) { engine.edgeMap(VertexSubset(), 3); return 1; }",
            "this functor lacks AccumValue gather",
        ),
        ("const char* run(Engine&) { return 0; }", "a program or a vertexReduce returns a number or nothing"),
    ],
)
def test_faults_inside_drivers_are_told(source, message):
    with pytest.raises(gp.CompileError, match=message):
        engine_of(source)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"vertex": object}, "vertex is object, a pointer to a Python object; allowed are bool, integers of 8"),
        ({"vertex": [("a", "i4"), ("next", "O")]}, r"vertex\['next'\] is object, a pointer"),
        ({"vertex": "U5"}, "vertex is <U5; allowed are bool"),
        ({"vertex": "f2"}, "vertex is float16; allowed"),
        ({"vertex": "c16"}, "vertex is complex128; allowed"),
        ({"vertex": "M8[s]"}, "vertex is datetime64"),
        ({"vertex": ">i4"}, "vertex is '>i4', of the other byte order; use '<i4'"),
        ({"vertex": []}, "vertex is a struct without fields"),
        ({"vertex": "i4, i9"}, "vertex is 'i4, i9', which is no dtype"),
        ({"vertex": ("i4", (3,))}, r"VertexValue is an array of \(3,\); put it into a struct"),
        ({"vertex": [("class", "i4")]}, "a field of vertex is 'class', which Python or C\\+\\+ needs itself"),
        ({"vertex": [("two words", "i4")]}, "a field of vertex is 'two words'; letters, digits and _"),
        ({"accumulator": "O"}, "accumulator is object"),
        ({"vertex": None}, "vertex is None; allowed are bool, integers"),
        ({"default": 1.5}, "default is 1.5, which does not fit int32"),
        ({"default": np.nan}, "default is nan, which does not fit int32"),
        ({"accumulator": "f4", "default": 1e300}, r"default is 1e\+300, which does not fit float32"),
        (
            {"accumulator": [("a", "i4"), ("b", "u1")], "default": (1.5, 2)},
            r"default\['a'\] is 1.5, which does not fit",
        ),
        (
            {"accumulator": [("a", "i4"), ("b", "u1")], "default": (1, 300)},
            r"default\['b'\] is 300, which does not fit",
        ),
        ({"accumulator": [("a", "i4", 2)], "default": ((1, 2, 3),)}, r"default\['a'\] is \(1, 2, 3\), which is no"),
        ({"default": 2**31}, "default is 2147483648"),
        ({"default": "x"}, "default is 'x', which is no int32"),
        (
            {"accumulator": [("a", "i4"), ("b", "f4")], "default": 3},
            "default is 3; a tuple with a value for each of a, b",
        ),
        ({"parameters": {"a": "x"}}, r"parameters\['a'\] is 'x'; a bool, an int, a float or a NumPy number"),
        ({"parameters": [1]}, r"parameters is \[1\]; a dict"),
        ({"parameters": {"src": 1}}, "a parameter cannot be called 'src'; calls take that name themselves"),
        ({"parameters": {"int": 1}}, "a field of parameters is 'int'"),
        ({"direction": "up"}, "direction is 'up'; allowed are 'auto', 'push', 'pull'"),
        ({"group": 3}, "group is 3; use 1, 2, 4, 8, 16 or 32"),
        ({"group": 1.0}, "group is 1.0; an integer is needed"),
        ({"scan": 1}, "scan is 1; a bool is needed"),
        ({"log": 3}, "log is 3; a callable"),
        ({"log_level": "all"}, "log_level is 'all'; allowed are 'error'"),
        ({"num_threads": 0}, "num_threads is 0"),
        ({"name": "not one"}, "name is 'not one'; letters"),
        ({"source": 3}, "source is of type int; C\\+\\+ text or a path"),
        ({"source": "struct VertexValue { int a; };"}, "program.cpp:1: VertexValue is declared already"),
        ({"source": "void f() {"}, "program.cpp:1: this '{' is never closed"),
        ({"graph": 3}, "int"),
    ],
)
def test_bad_arguments_are_one_clear_error(arguments, message):
    with pytest.raises(gp.InputError, match=message):
        engine_of(**{"source": MAP, **arguments})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, 3), "vertex 3 is not in a set of 3 vertices; use 0 to 2"),
        ((3, [-1, 2]), "vertex -1 is not in a set of 3"),
        ((0, [1]), "vertex 1 is not in a set of 0 vertices; give the set the graph's number of vertices"),
        ((3, [0.5]), "vertices has dtype float64; ids are needed"),
        ((3, [[1, 2]]), "vertices has 2 dimensions"),
        ((3, "12"), "vertices is '12'; ids are needed"),
        ((3, [1, [2]]), "vertices cannot be read as an array of ids"),
        ((-1,), "capacity is -1; allowed are 0 to"),
        ((2.0,), "capacity is 2.0; a number of vertices"),
        ((True,), "capacity is True; a number of vertices"),
    ],
)
def test_bad_sets_are_one_clear_error(arguments, message):
    with pytest.raises(gp.InputError, match=message):
        gp.VertexSubset(*arguments)


PAIR = MAP + (
    "struct Pair {\n  int gather(int v, EdgeCount, EdgeValue&) { return v; }\n"
    "  int reduce(int a, int b) { return a + b; }\n};\n"
    "struct Wrong : Pair { int reduce(int a, int b) { return 2 * a - b; } };\n"
    "struct Grouped : Pair { int reduce(int a, int b) { return a * b + a + b + (a & b & 4); } };\n"
    "struct Lowest : Pair { int reduce(int a, int b) { return min(a, b); } };\n"
    "struct Average : Pair { int reduce(int a, int b) { return (a + b) / 2; } };\n"
    "#include <stdexcept>\n"
    'void throws(int&, int, VertexId v) { if (v == 2) throw std::runtime_error("vertex two"); }\n'
    "void throws_other(int&, int) { throw 3; }\n"
    "void spins(int&, int) { volatile int i = 0; while (i >= 0) i = 1; }\n"
    "struct Crash : Pair { int reduce(int a, int b) { volatile int zero = 0; return a / zero + b; } };\n"
    "int endless(Engine& engine) { VertexSubset all(engine.getVertexCount(), true);\n"
    "  for (;;) engine.vertexMap(all, f); }\n"
)


@pytest.fixture(scope="module")
def pair():
    return engine_of(PAIR)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda e: e.edge_filter(None, e.subset(0), "f"),
            "f does not serve edge_filter, which needs a struct with gather",
        ),
        (
            lambda e: e.vertex_map(e.subset(0), "Pair"),
            "Pair does not serve vertex_map.* it serves edge_filter, edge_map",
        ),
        (lambda e: e.vertex_map(e.subset(0), "g"), "functor is 'g'; vertex_map needs .* there is f, throws"),
        (lambda e: e.vertex_map(e.subset(0), 3), "functor is 3; vertex_map needs"),
        (lambda e: e.vertex_map([0], "f"), r"src is \[0\]; a VertexSubset is needed, see FrontierEngine.subset"),
        (lambda e: e.vertex_map(None, "f"), "src is None; a VertexSubset"),
        (lambda e: e.vertex_map(gp.VertexSubset(7), "f"), "src is a set of 7 vertices, the graph has 4; make it with"),
        (lambda e: e.edge_filter([1], e.subset(0), "Pair"), r"dst is \[1\]; a VertexSubset or None is needed"),
        (lambda e: e.vertex_map(e.subset(0), "f", damping=1), "'damping' is no parameter; program has none"),
        (lambda e: e.subset(4), "vertex 4 is not in a set of 4 vertices; use 0 to 3"),
        (lambda e: e.edges, "the edges of program have no values; give edge="),
        (lambda e: e.vertex_reduce("Pair"), "Pair does not serve vertex_reduce"),
        (lambda e: e.run("f"), "f does not serve run, which needs a function of Engine&"),
        (lambda e: e.check("f"), "functor is 'f'; with gather and reduce there are Pair, Wrong"),
        (lambda e: e.check(num_cases=0), "num_cases is 0; a whole number >= 1 is needed"),
        (lambda e: e.check(timeout=np.inf), "timeout is inf; seconds above 0 and up to"),
    ],
)
def test_bad_calls_are_one_clear_error(pair, call, message):
    with pytest.raises(gp.InputError, match=message):
        call(pair)


def test_a_wrong_parameter_is_one_clear_error():
    engine = engine_of(parameters={"damping": 0.5, "steps": 3})
    for given, message in [
        ({"speed": 1}, "'speed' is no parameter; there are damping, steps"),
        ({"steps": 1.5}, "steps is 1.5, which does not fit int64"),
        ({"damping": "x"}, "damping is 'x', which is no float64"),
    ]:
        with pytest.raises(gp.InputError, match=message):
            engine.vertex_map(engine.subset(0), "f", **given)


def test_a_set_of_another_graph_is_refused(pair):
    other = engine_of(PAIR, gp.generate.star(4))
    mine = other.subset([1])
    other.vertex_map(mine, "f")
    with pytest.raises(gp.InputError, match="src is a set of another graph's vertices; make it with FrontierEngine"):
        pair.vertex_map(mine, "f")
    # Another engine of the same graph may use it.
    third = engine_of(PAIR)
    some = pair.subset([1])
    pair.vertex_map(some, "f")
    third.vertex_map(some, "f")
    assert third.vertices.tolist() == [0, 1, 0, 0]


def test_what_a_functor_throws_is_an_error_and_the_engine_goes_on(pair):
    everything = pair.subset(True)
    for name, text in (("throws", "vertex two"), ("throws_other", "an exception that is no std::exception")):
        with pytest.raises(gp.Error, match=f"program: the program threw an exception: {text}"):
            pair.vertex_map(everything, name)
    pair.vertex_map(everything, "f")
    assert pair.vertices.tolist() == [1, 1, 1, 1]


def test_the_engine_takes_one_call_at_a_time():
    calls = []

    def log(level, text):
        with pytest.raises(gp.InputError, match="this engine is at work, in another thread or in its own log"):
            engine.vertex_map(engine.subset(True), "f")
        for look in (lambda: len(front), lambda: front.vertices, lambda: 0 in front, lambda: engine.accumulators):
            with pytest.raises(gp.InputError, match="this engine is at work"):
                look()
        calls.append(text)

    engine = engine_of(log=log, log_level="debug")
    front = engine.subset(0)
    engine.vertex_map(front, "f")
    assert len(calls) == 1
    assert len(front) == 1


def test_what_the_log_raises_comes_out_of_the_call():
    def log(level, text):
        raise LookupError("no log today")

    engine = engine_of(log=log, log_level="debug")
    with pytest.raises(LookupError, match="no log today"):
        engine.vertex_map(engine.subset(0), "f")


@pytest.mark.parametrize(
    ("functor", "law"),
    [
        ("Wrong", r"Wrong.reduce is not commutative: reduce\(a, b\) is -?\d+, reduce\(b, a\) is -?\d+, with a = "),
        ("Grouped", r"Grouped.reduce is not associative"),
        ("Average", r"Average.reduce is not associative"),
        ("Lowest", r"Lowest.reduce has another identity than the default accumulator: reduce\(default, a\) is -?\d+"),
    ],
)
def test_check_finds_a_reduce_that_depends_on_the_order(pair, functor, law):
    # OLV-8, OLV-14.
    with pytest.raises(gp.CheckError, match=law):
        pair.check(functor, timeout=None)


def test_check_accepts_what_is_right(pair):
    found = pair.check("Pair")
    assert (found.functors, found.num_cases) == (("Pair",), 1000)


def test_check_accepts_sums_of_floats_and_structs():
    source = (
        "struct Sum { AccumValue gather(const VertexValue& v, EdgeCount d, const EdgeValue& e) {\n"
        "    return {v.x[0] * e / d, v.n.count}; }\n"
        "  AccumValue reduce(AccumValue a, AccumValue b) { return {a.sum + b.sum, max(a.most, b.most)}; } };\n"
    )
    vertex = [("x", "f8", (2,)), ("n", [("count", "u2")])]
    types = {"vertex": vertex, "edge": "f4", "accumulator": [("sum", "f8"), ("most", "i4")]}
    engine = gp.FrontierEngine(CHAIN, source, **types)
    assert engine.check(timeout=None).num_cases == 1000
    engine.vertices["x"] = np.arange(8).reshape(4, 2)
    engine.vertices["n"]["count"] = 5
    engine.edge_map(engine.subset(True), "Sum")
    # 0 - 1 - 2 - 3, symmetric: x is 0, 2, 4, 6.
    assert engine.accumulators.tolist() == [(1.0, 5), (2.0, 5), (7.0, 5), (2.0, 5)]


def test_check_survives_a_crash_in_another_process(pair):
    with pytest.raises(gp.CrashError, match=r"program.check\(\) crashed \(SIG"):
        pair.check("Crash")


@pytest.mark.parametrize("call", ['engine.run("endless")', 'engine.vertex_map(engine.subset(True), "many")'])
def test_an_interrupt_ends_a_long_call(call, compiled_snippets):
    code = f"""
import gaspipe as gp
source = {PAIR!r} + "void many(int& v, int) {{ for (volatile int i = 0; i < 3000; i = i + 1) v += i; }}"
engine = gp.FrontierEngine(gp.generate.chain(1 << 20), source, vertex="i4")
engine.vertex_map(engine.subset(0), "f")
print("ready", flush=True)
try:
    while True:
        {call}
except KeyboardInterrupt:
    engine.vertex_map(engine.subset(0), "f")
    print("ended", engine.vertices[0])
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    timer = threading.Timer(0.3, os.kill, (process.pid, signal.SIGINT))
    timer.start()
    out, err = process.communicate(timeout=60)
    assert out == "ended 1\n", err


def test_a_file_is_named_in_messages(tmp_path):
    path = tmp_path / "mine.cpp"
    path.write_text("void f(int& v, int) {\n  v = x;\n}\n")
    with pytest.raises(gp.CompileError, match=r"mine\.cpp:2:"):
        gp.FrontierEngine(CHAIN, path, vertex="i4")
    with pytest.raises(FileNotFoundError):
        gp.FrontierEngine(CHAIN, tmp_path / "none.cpp", vertex="i4")
    path.write_bytes(b"// caf\xe9\n")
    with pytest.raises(gp.InputError, match=r"mine\.cpp is not UTF-8"):
        gp.FrontierEngine(CHAIN, path, vertex="i4")


def test_a_second_engine_compiles_nothing(monkeypatch):
    engine_of()
    monkeypatch.setattr(importlib.import_module("gaspipe._compile.library"), "run_compiler", None)
    assert engine_of().num_vertices == 4
