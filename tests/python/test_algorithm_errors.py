# SPDX-License-Identifier: Apache-2.0
"""gp.Algorithm: hooks, parameters and names that are wrong have an error that says so; others have none."""

import numpy as np
import pytest

import gaspipe as gp
import snippets
from test_algorithm import both, random_matrix

pytestmark = pytest.mark.usefixtures("compiled_snippets")


@pytest.mark.parametrize("name", ["bfs", "Graph", "cache", "cli", "testing"])
def test_names_of_the_package_are_taken(name):
    with pytest.raises(gp.InputError, match=f"gp.{name} is a part of gaspipe"):
        gp.register(gp.Algorithm(name, gather="a + b"))


@both
def test_bad_roots_are_refused(rng, device):
    for make in (snippets.widest, snippets.active_bit):
        for root in (-1, 300):
            with pytest.raises(gp.InputError, match="root is"):
                make()(random_matrix(rng), root=root, device=device)


def bad(name="bad", source=None, **more):
    more.setdefault("gather", None if source else "a + b")
    return gp.Algorithm(name, source, **more)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(name="2fast"), "name is '2fast'"),
        (dict(name="class"), "Python or C\\+\\+ needs"),
        (dict(name="template"), "Python or C\\+\\+ needs"),
        *((dict(name=name), "Python or C\\+\\+ needs") for name in ("xor", "NULL", "Hooks", "Context", "VertexId")),
        (dict(gather=None), "has no gatherFunc"),
        (dict(gather="max(a, b"), r"gather is 'max\(a, b'; its '\(' is never closed"),
        (dict(scatter="src) + (edge"), r"scatter is 'src\) \+ \(edge'; its '\)' closes nothing"),
        (dict(initial="(v]"), r"initial is '\(v\]'; its '\]' closes nothing"),
        (dict(source="hooks/mine.h"), r"source is 'hooks/mine.h', which is no C\+\+; for a file"),
        (
            dict(source="\ninline prop_t scatterFunc(prop_t a, prop_t b) { return a; }"),
            "no gatherFunc.*found scatterFunc",
        ),
        (
            dict(source="\n\ninline prop_t gatherFunc(prop_t a) { return a; }"),
            r"bad\.h:3: gatherFunc takes 1 parameter;",
        ),
        (dict(source="prop_t gatherFunc(prop_t a, prop_t b) { return a;"), r"bad\.h:1: this '\{' is never closed"),
        (dict(source="}"), r"bad\.h:1: a '\}' closes nothing"),
        (
            dict(source="prop_t gatherFunc(prop_t a, prop_t b) { return a; }", gather="a"),
            r"gather= and bad\.h:1 both define",
        ),
        (
            dict(
                source="prop_t gatherFunc(prop_t a, prop_t b) { return a; }\n"
                "prop_t updateDestination(prop_t a, prop_t b) { return a; }"
            ),
            r"bad\.h:2: updateDestination defines gatherFunc again; line 1",
        ),
        *(
            (
                dict(source=f"prop_t gatherFunc(prop_t a, prop_t b) {{ return a; }}\nint {name}() {{ return 0; }}"),
                rf"bad\.h:2: {name} is no hook; is it {hook}\?",
            )
            for name, hook in [
                ("scaterFunc", "scatterFunc"),
                ("applyfunc", "applyFunc"),
                ("preprocessProperties", "preprocessProperty"),
                ("updateCalculations", "updateCalculation"),
                ("isactive", "isActive"),
            ]
        ),
        (dict(prop="uint8"), "prop is 'uint8'; allowed are uint32"),
        (dict(prop="complex128"), "allowed are uint32"),
        (dict(edge_prop=gp.fixed()), "edge_prop"),
        (dict(until="never"), "until is 'never'"),
        (dict(until=("steps", 0)), "until is"),
        (dict(until=("tol", -1)), "until is"),
        (dict(view="sideways"), "view is 'sideways'"),
        (dict(initial=None), "initial is None"),
        (dict(initial="1; 2"), "initial is"),
        (dict(parameters={"graph": 1}), "'graph'"),
        (dict(parameters={"x": "text"}), "parameter x has the default 'text'"),
        (dict(parameters={"x": gp.Parameter(1.0, 3, 2)}), "nothing lies between"),
        (dict(identity=-1), "identity is -1"),
        (dict(field="stats"), "field is 'stats'"),
        (dict(source=3, gather="a"), "source is of type int"),
        (dict(scatter=""), "scatter is ''"),
        (dict(until=np.arange(2)), "until is array"),
        (dict(until=("steps", np.nan)), r"until is \('steps', nan\)"),
        (dict(until=("steps", np.inf)), r"until is \('steps', inf\)"),
        (dict(identity=np.nan), "identity is nan"),
        (dict(identity=-np.inf), "identity is -inf"),
        (dict(parameters=["root"]), r"parameters is \['root'\]; a dict"),
        (dict(inputs=["degree"]), r"inputs is \['degree'\]; a dict"),
        (dict(parameters={"k": gp.Parameter(0, low=3)}), "parameter k has the default 0; allowed are 3 to 2147483647"),
        (
            dict(parameters={"k": 2**31}),
            "parameter k has the default 2147483648; allowed are -2147483648 to 2147483647",
        ),
        (dict(parameters={"k": gp.Parameter(2.0, 0, 1)}), r"parameter k has the default 2.0; allowed are 0.0 to 1.0"),
        (dict(doc=None), "doc is None; text"),
        (dict(field=None), "field is None"),
        (dict(timeout="10"), "timeout is '10'"),
        *((dict(timeout=t), rf"timeout is {t}; seconds above 0 and up to 1000000") for t in (True, np.inf, 1e7)),
        (dict(identity=10**30), "identity is 10{30}, which is no uint32$"),
        (dict(identity=np.int64(-1)), r"identity is .*-1\)?, which is no uint32"),
        (dict(prop="float64", identity=10**400), "identity is an integer of 1329 bits"),
        *(
            (dict(parameters={"k": given}), f"parameter k {message}")
            for given, message in [
                (gp.Parameter(1, high=2**32), "has high=4294967296; allowed are -2147483648 to 2147483647, and None"),
                (gp.Parameter(1, low=-(2**40)), "has low=-1099511627776; allowed are -2147483648"),
                (gp.Parameter(0.5, high=np.inf), "has high=inf; allowed are finite numbers, and None for no bound"),
                (gp.Parameter(1, low="a"), "has low='a'; allowed are"),
                (gp.Parameter(1, vertex=True, high=2), "is a vertex and has high=2; omit it"),
                (gp.Parameter(1.5, vertex=True), r"is a vertex and has the default 1\.5; give an integer"),
            ]
        ),
    ],
)
def test_what_makes_no_algorithm_is_refused(arguments, message):
    with pytest.raises(gp.InputError, match=message):
        bad(**arguments)


def test_the_parameter_that_is_arg_must_be_clear():
    apply = "inline prop_t applyFunc(prop_t t, prop_t s, prop_t, unsigned int &extra, unsigned int arg) { return arg; }"
    source = "inline prop_t gatherFunc(prop_t a, prop_t b) { return a + b; }\n" + apply
    with pytest.raises(gp.InputError, match=r"bad\.h:2: which parameter is arg\?"):
        bad(source=source, parameters={"x": 1, "y": 2})
    assert "static_cast<typename Traits<Hooks>::Arg>" in bad(source=source, parameters={"x": 1}).header


def test_callables_must_take_a_graph_and_return_an_array(rng):
    matrix = random_matrix(rng)
    with pytest.raises(gp.InputError, match="does not take a graph"):
        bad(initial=lambda: 0)
    for wrong, message in ((lambda g: None, "returned None"), (lambda g: np.full(300, -1), r"initial\[0\].*is -1")):
        with pytest.raises(gp.InputError, match=message):
            gp.Algorithm("sum_up", gather="a + b", initial=wrong, until=("steps", 1))(matrix)


def test_brackets_in_text_and_comments_do_not_count():
    gp.Algorithm("brackets", gather="a + b /* ( */ + (')' - ')')", initial="v // {")


def test_comments_do_not_decide_what_hooks_do():
    apply = "return max(acc, old);  // extra, degree"
    d = bad(scatter="src  // any edge", gather="max(a, b)", apply=apply).definition
    assert (d.reads_weights, d.counts_extra, d.inputs) == (False, False, [])
    for body in ("max(acc, old)  // keep; the max", "max(acc, old) /* return it */"):
        assert "extra += next != old;" in bad(apply=body).header
    source = "inline prop_t applyFunc(prop_t t, prop_t s, prop_t, unsigned &extra, unsigned k) { return k; }"
    assert bad(source=source, gather="a + b", initial="0  // not x", parameters={"x": 1}).definition.arg == "x"


@pytest.mark.parametrize(("identity", "text"), [(10**30, "1e+30"), (2**70, repr(2.0**70)), (2**63, f"{2**63}u")])
def test_an_integer_that_cpp_has_no_type_for_is_written_as_a_real_number(identity, text):
    assert bad(prop="float64", identity=identity).definition.identity == text


@pytest.mark.parametrize(("option", "value"), [("weighted", "x"), ("units", True), ("clock_mhz", 1.5)])
def test_options_of_a_build_of_another_type_are_refused(tmp_path, option, value):
    with pytest.raises(gp.InputError, match=f"{option} is {value!r}; a (bool|whole number) is needed"):
        snippets.widest().build("u250", tmp_path / "built", **{option: value})


def test_a_check_without_an_end_is_refused():
    with pytest.raises(gp.InputError, match="timeout is inf; seconds"):
        snippets.widest().check(timeout=np.inf)


def test_a_hook_that_may_end_without_a_value_does_not_compile(rng):
    algorithm = gp.Algorithm("bad", gather="if (a > b) return a;")
    with pytest.raises(gp.CompileError, match=r"bad\.program\.h:\d+:\d+: error: .*return"):
        algorithm(random_matrix(rng))


def test_helpers_may_be_called_nearly_as_a_hook_that_is_there():
    helper = "inline prop_t gatherFunc2(prop_t a, prop_t b) { return a; }\n"
    gp.Algorithm("helped", helper + "inline prop_t gatherFunc(prop_t a, prop_t b) { return gatherFunc2(a, b); }")
    gp.Algorithm("helped", "inline prop_t gatherFunc(prop_t a, prop_t b) { return scaterFunc(a); }")  # called only


THROWS = r"""
#include <stdexcept>
inline prop_t gatherFunc(prop_t a, prop_t b) {
  if (b == 1) throw 3;
  if (b == 2) throw std::runtime_error("too large");
  if (b == 3) throw std::out_of_range("outside");
  return a;
}
"""


def test_what_a_hook_throws_is_an_error(rng):
    how = {"initial": "kind", "parameters": {"kind": 0}, "until": ("steps", 2)}
    algorithm, tried = (gp.Algorithm("thrower", THROWS, **how, timeout=timeout) for timeout in (None, 60))
    matrix = random_matrix(rng)
    for kind, text in ((1, ""), (2, ": too large"), (3, ": outside")):
        for threads in (1, 2):
            with pytest.raises(gp.CrashError, match=f"a hook of thrower threw an exception{text}$"):
                algorithm(matrix, kind=kind, num_threads=threads)
    with pytest.raises(gp.CrashError, match="threw an exception: too large"):
        tried(matrix, kind=2)

    def progress(*_):
        raise RuntimeError("of the caller")

    with pytest.raises(RuntimeError, match="of the caller"):
        algorithm(matrix, progress=progress)
