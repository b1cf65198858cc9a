# SPDX-License-Identifier: Apache-2.0
"""What a frontier program in C++ lacks, the compiler says in one message."""

import pytest

import kept
from conftest import REPOSITORY

GATHER = "int gather(int, gaspipe::EdgeCount, gaspipe::NoValue&) const { return 1; }\n"
REDUCE = "int reduce(int a, int b) const { return a + b; }\n"
COND = "bool cond(int, int, gaspipe::VertexId) const { return true; }\n"
UPDATE = "void update(int& value, int accumulator) const { value = accumulator; }\n"

SOURCE = """
#include <string>
#include "gaspipe/frontier.h"
struct F {{ {members} }};
void f(gaspipe::FrontierEngine<{types}>& engine, gaspipe::VertexSubset& set) {{ {call}; }}
"""
WORDS = "int, gaspipe::NoValue, int"


def errors(members, call, types=WORDS):
    """The first line of every error of a program."""
    command = ["g++", "-x", "c++", "-std=c++17", "-fsyntax-only", "-I", str(REPOSITORY), "-I"]
    source = SOURCE.format(members=members, call=call, types=types)
    include = REPOSITORY / "cpp" / "include"
    run = kept.compiled([*command, include, "-"], include, source)
    return [line for line in run.stderr.splitlines() if " error: " in line]


@pytest.mark.needs("g++")
@pytest.mark.parametrize(
    ("members", "call", "lacks"),
    [
        (REDUCE, "engine.edgeFilter(set, set, F())", "AccumValue gather(const VertexValue& source"),
        ("int gather(int) const;" + REDUCE, "engine.edgeMap(set, F())", "AccumValue gather("),
        (GATHER, "engine.edgeFilter(set, set, F())", "AccumValue reduce(AccumValue a, AccumValue b), a pure function"),
        (GATHER + "void reduce(int& a, int b) const;", "engine.edgeMap(set, F())", "AccumValue reduce("),
        (UPDATE, "engine.vertexFilter(set, set, F())", "bool cond(const VertexValue& value, AccumValue accumulator"),
        (COND, "engine.vertexFilter(set, set, F())", "void update(VertexValue& value, AccumValue accumulator)"),
        (GATHER + REDUCE + COND, "engine.edgeVertexFilter(set, set, F())", "void update("),
        ("", "engine.vertexMap(set, F())", "vertexMap needs a function (VertexValue& value, AccumValue accumulator)"),
    ],
)
def test_a_functor_that_lacks_a_function_is_told_so_once(members, call, lacks):
    found = errors(members, call)
    assert len(found) == 1
    assert lacks in found[0]


@pytest.mark.needs("g++")
def test_a_whole_functor_compiles():
    assert errors(GATHER + REDUCE + COND + UPDATE, "engine.edgeVertexFilter(set, set, F())") == []


@pytest.mark.needs("g++")
@pytest.mark.parametrize("types", ["std::string, int, int", "int, std::string, int", "int, int, std::string"])
def test_values_that_own_memory_are_refused(types):
    found = errors("", "engine.getVertexCount()", types)
    assert "the values of a FrontierEngine are plain structs (trivially copyable)" in found[0]
