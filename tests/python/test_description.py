# SPDX-License-Identifier: Apache-2.0
"""The record that functions, commands and builds are made from."""

import dataclasses

import pytest

import gaspipe as gp
from gaspipe import _core, _description
from gaspipe._description import HIGHEST, Parameter


def fields(record):
    return {field.name for field in dataclasses.fields(record)}


def test_the_core_says_all_of_a_record_and_nothing_else():
    for row in _core.algorithms():
        assert set(row) == fields(_description.Description) - {"kernel_header"}
        assert all(set(parameter) == fields(Parameter) for parameter in row["parameters"])
        assert all(set(instance) == fields(_description.Instance) for instance in row["instances"])


def test_built_in_algorithms_are_described_once_and_for_all():
    found = _description.algorithms()
    assert found is _description.algorithms()
    assert tuple(found) == gp.algorithms[: len(found)]
    with pytest.raises(dataclasses.FrozenInstanceError):
        found["bfs"].name = "dfs"


def test_a_description_answers_by_number_format_and_by_parameter():
    sssp, pagerank = (_description.algorithms()[name] for name in ("sssp", "pagerank"))
    assert sssp.defaults == {"root": 0}
    assert pagerank.numbers == ["float64", "float32", "fixed"]
    assert pagerank.instance("fixed").fixed_point and not pagerank.instance("float64").fixed_point
    assert sssp.instance("uint32").reads_weights and not pagerank.instance("fixed").reads_weights
    with pytest.raises(StopIteration):
        sssp.instance("fixed")


def test_a_custom_algorithm_is_described_likewise():
    algorithm = gp.Algorithm(
        "reach", prop="float32", scatter="src * edge", gather="a + b", initial="v == root", inputs={"w": None},
        parameters={"root": 2, "share": gp.Parameter(0.5, low=0, high=1, doc="A share.")}, until=("tol", 1e-3),
        doc="What it is. More of it."
    )  # fmt: skip
    found = algorithm.description
    assert (found.name, found.summary, found.details) == ("reach", "What it is.", "More of it.")
    kinds = {p.name: p.kind for p in found.parameters}
    assert kinds == {"root": "vertex", "share": "real", "w": "values", "tol": "real", "max_iter": "limit"}
    assert [found.defaults[name] for name in ("root", "share", "tol", "max_iter")] == [2, 0.5, 1e-3, 100]
    assert found.instances == (
        _description.Instance("float32", "float32", "float32", "float32", False, False, False, 1),
    )
    assert "struct Hooks" in found.kernel_header and "struct Program" not in found.kernel_header
    assert not _description.algorithms()["bfs"].kernel_header


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        ({}, ""),
        ({"low": 0.0}, "0 <= x."),
        ({"low": 0.0, "open_low": True}, "0 < x."),
        ({"high": 2.5}, "x <= 2.5."),
        ({"low": -1.0, "high": 1.0, "open_high": True}, "-1 <= x < 1."),
        ({"low": 1.0, "high": HIGHEST}, "1 <= x."),
    ],
)
def test_limits_are_said_in_a_formula(limits, text):
    assert Parameter("x", "", "real", 0.0, **limits).allowed() == text


def test_entries_and_vertices_have_limits_of_their_own():
    assert Parameter("x", "", "array", None, low=0.0).allowed() == "0 <= each entry."
    assert Parameter("x", "", "vertices", None).allowed() == "0 <= each entry < graph.num_vertices."
    assert Parameter("x", "", "vertex", 0).allowed() == "0 <= x < graph.num_vertices."
    assert Parameter("x", "", "flag", False, low=0.0).allowed() == ""
