# SPDX-License-Identifier: Apache-2.0
"""The Python function of a custom algorithm: its docstring is text, its names are the author's own."""

import inspect
import re

import numpy as np
import pytest

import gaspipe as gp
from gaspipe import _call
from gaspipe._own.names import taken


@pytest.mark.parametrize(
    "text",
    [
        'ends""" + open("/nowhere") + """',
        '"""',
        'it\'s "quoted"',
        "back\\slash \\",
        "\\N{nothing} \\x",
        "null \0 and \x1b",
        "a lone \udc80",
        "{braces} %s",
    ],
)
def test_docstrings_are_text(text):
    """Both where the algorithm says what it does, and of a parameter."""
    shown = " ".join(text.split())
    found = gp.Algorithm("told", gather="a", doc=text, parameters={"x": gp.Parameter(1, doc=text)}).__doc__
    assert found.startswith(shown)
    assert f"\n    {shown} -2147483648 <= x" in inspect.cleandoc(found).replace("\n    -2147483648", " -2147483648")


def test_a_docstring_of_many_lines_is_one_text():
    found = gp.Algorithm("told", gather="a", doc="What it is.\n\n   And   more.").__doc__
    assert found.startswith("What it is.\n\n")
    assert "And more." in found


CALL = inspect.signature(_call.call).parameters.values()


@pytest.mark.parametrize("name", ["graph", "call", *(p.name for p in CALL if p.kind == p.KEYWORD_ONLY)])
@pytest.mark.parametrize("what", ["parameters", "inputs"])
def test_names_that_calls_take_are_refused(name, what):
    with pytest.raises(gp.InputError, match=f"cannot be called '{name}'; that name is taken"):
        gp.Algorithm("named", gather="a", **{what: {name: 1}})


@pytest.mark.parametrize("name", ["v", "edge", "sums", "visit", "each", "scatterFunc", "Number", "max_iter", "named"])
def test_names_of_the_generated_text_are_refused(name):
    with pytest.raises(gp.InputError, match=f"cannot be called '{name}'; that name is taken"):
        gp.Algorithm("named", gather="a", parameters={name: 1})


def test_an_algorithm_cannot_be_called_as_what_its_function_calls():
    with pytest.raises(gp.InputError, match="name is 'call'"):
        gp.Algorithm("call", gather="a")


def attributes():
    result = gp.Result("x", "depth", np.zeros(1), None)
    return [name for name in dir(result) if not name.startswith("_") and name != "depth"]


@pytest.mark.parametrize("field", [*attributes(), "vertex", "class", "no field", "", 3])
def test_fields_that_a_result_has_are_refused(field):
    with pytest.raises(gp.InputError, match="field is"):
        gp.Algorithm("named", gather="a", field=field)


def test_every_name_that_is_left_compiles(compiled_snippets):
    names = ["value", "aux", "arg", "until", "finish", "k", "bits", "seed", "parameters", "num_edges", "name", "labels"]
    assert not taken() & set(names)
    parameters = {name: i for i, name in enumerate(names)}
    algorithm = gp.Algorithm(
        "sum_of_all", gather="a + b", apply=" + ".join(names), inputs={"w": "seed"}, parameters=parameters,
        until=("steps", 1)
    )  # fmt: skip
    assert algorithm(gp.generate.chain(2), seed=100).values.tolist() == [sum(range(12)) - 7 + 100] * 2


def test_any_object_may_be_a_default():
    class Odd:
        def __repr__(self):
            return "1; raise SystemExit"

    odd, array, share = Odd(), np.arange(3), np.float64(0.5)

    def initial(graph, odd=odd, array=array, share=share, root=0):
        assert odd is not None
        return np.full(graph.num_vertices, array[2])

    algorithm = gp.Algorithm("defaults", gather="a + b", initial=initial, until=("steps", 1))
    found = inspect.signature(algorithm.function).parameters
    assert found["odd"].default is odd
    assert found["array"].default is array
    assert found["share"].default == 0.5
    assert type(found["share"].default) is float


@pytest.mark.parametrize("algorithm", [*gp.algorithms, *gp.cpu_algorithms])
def test_results_say_what_they_are(algorithm):
    cls = getattr(gp, "".join(word.capitalize() for word in algorithm.split("_")) + "Result")
    text = inspect.cleandoc(cls.__doc__)
    told = dict(re.findall(r"^- `(\w+)`(.*)", text, re.MULTILINE))
    assert set(told) == set(cls.__annotations__) - {"values"}
    for name, annotation in cls.__annotations__.items():
        dtype = re.search(r"np\.(\w+)", annotation)
        if name != "values" and dtype:
            assert dtype[1] in told[name]
    assert not re.search(r"\b(above|below)\b(?! 0)", text)  # where other texts stand in the function's
    summary = inspect.getdoc(getattr(gp, algorithm)).split("\n\n")[0].partition(" [1]_")[0]
    assert " ".join(summary.split()) in " ".join(text.split())
