# SPDX-License-Identifier: Apache-2.0
"""Writes and compiles the library of a frontier program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _compile, _core
from .._own.cpp import Text
from .dtypes import declared
from .functors import Functor, Source

_NAMESPACE = "gaspipe::frontier_program"


@dataclass
class Program:
    """All that decides a library.

    Attributes
    ----------
    name, file_name : str
        Of the program, and what compilers call its source.
    source : Source
        What the user wrote.
    vertex, edge, accumulator, parameters : dtype
        Types of the values; None for edges or parameters that there are none of.

    """

    name: str
    file_name: str
    text: str
    source: Source
    vertex: np.dtype[Any]
    edge: np.dtype[Any] | None
    accumulator: np.dtype[Any]
    parameters: np.dtype[Any] | None
    _library: _core.FrontierProgram | None = field(default=None, repr=False)

    def path(self) -> str:
        """Path of the library, compiled if need be; CompileError with the compiler's messages."""
        text = library_source(self)
        return _compile.library(self.name, {"gaspipe.cpp": str(text)}, {**text.quoted, self.file_name: self.text})

    def library(self) -> _core.FrontierProgram:
        """Return the library, loaded."""
        if self._library is None:
            self._library = _core.FrontierProgram(self.path(), self.name)
        return self._library


# What a struct must offer where it has members of these names, and what compilers say where it does not.
_MEMBERS = [
    (
        "!HasGather<F>::value || Offer<Types, F>::kGathers",
        "::gather: AccumValue gather(const VertexValue& source, EdgeCount outdegree, EdgeValue& edge) is needed",
    ),
    (
        "!HasGather<F>::value || !HasReduce<F>::value || Offer<Types, F>::kReduces",
        "::reduce: AccumValue reduce(AccumValue a, AccumValue b) is needed, a pure function that returns what the two "
        "are together",
    ),
    (
        "!HasGather<F>::value || HasReduce<F>::value",
        " has gather and no reduce: AccumValue reduce(AccumValue a, AccumValue b) is needed",
    ),
    (
        "!HasCond<F>::value || !HasUpdate<F>::value || Offer<Types, F>::kAsks",
        "::cond: bool cond(const VertexValue& value, AccumValue accumulator, VertexId id) is needed",
    ),
    (
        "!HasCond<F>::value || !HasUpdate<F>::value || Offer<Types, F>::kUpdates",
        "::update: void update(VertexValue& value, AccumValue accumulator) is needed, with or without a VertexId as "
        "the third argument",
    ),
    (
        "!HasCond<F>::value || HasUpdate<F>::value",
        " has cond and no update: void update(VertexValue& value, AccumValue accumulator) is needed",
    ),
    (
        "HasGather<F>::value || !HasMap<F>::value || !HasReduce<F>::value || Offer<Types, F>::kSums",
        ": for vertex_reduce T identity(), T map(const VertexValue& value), with or without a VertexId as the second "
        "argument, and T reduce(T a, T b) are needed",
    ),
]


def library_source(program: Program) -> Text:
    """Return the text of the library's one source file."""
    text = Text("gaspipe.cpp")
    text.add(
        "// SPDX-License-Identifier: Apache-2.0",
        f"// Written by gaspipe around the source {program.file_name}.",
        "#include <cmath>",
        "#include <cstdint>",
        '#include "gaspipe/frontier/library.h"',
        '#include "hls/snippet.h"',
    )
    for line, include in program.source.includes:
        text.quote(line, program.file_name, include)
    text.add(f"namespace {_NAMESPACE}::{program.name} {{")
    text.add(*declared("VertexValue", program.vertex), *declared("AccumValue", program.accumulator))
    if program.edge is None:
        text.add("using EdgeValue = ::gaspipe::frontier::NoValue;")
    else:
        text.add(*declared("EdgeValue", program.edge))
    text.add(*(["struct Parameters {};"] if program.parameters is None else declared("Parameters", program.parameters)))
    text.add(
        "using Engine = ::gaspipe::frontier::Loops<VertexValue, EdgeValue, AccumValue>;",
        "namespace user {",
        "using namespace ::gaspipe;",
        "using namespace ::gaspipe::snippet;",
    )
    text.quote(1, program.file_name, program.source.text)
    text.add(
        "}  // namespace user",
        "using namespace ::gaspipe::frontier;",
        "struct Types {",
        "  using Vertex = VertexValue;",
        "  using Edge = EdgeValue;",
        "  using Accum = AccumValue;",
        "  using Parameters = ::" + f"{_NAMESPACE}::{program.name}::Parameters;",
        "};",
    )
    functors = program.source.functors
    for functor in functors:
        _add_functor(text, program, functor)
    names = ", ".join(f'"{f.name}"' for f in functors)
    types = "".join(f", Called_{f.name}" for f in functors)
    text.add(
        f"}}  // namespace {_NAMESPACE}::{program.name}",
        'extern "C" __attribute__((visibility("default")))',
        f"const gaspipe::abi::FrontierTable* gaspipe_frontier_{program.name}() {{",
        f"  using namespace {_NAMESPACE}::{program.name};",
        f'  return frontier_table<Types{types}>("{program.name}", {{{names}}});',
        "}",
    )
    return text


def _add_functor(text: Text, program: Program, functor: Functor) -> None:
    """Add the name under which the table calls it: a struct itself, a function as a struct that calls it."""
    called = f"Called_{functor.name}"
    if not functor.is_struct:
        text.add(
            f"struct {called} {{",
            "  template <class... A>",
            f"  auto operator()(A&&... a) const -> decltype(user::{functor.name}(std::forward<A>(a)...)) {{",
            f"    return user::{functor.name}(std::forward<A>(a)...);",
            "  }",
            "};",
        )
        return
    text.add(f"using {called} = user::{functor.name};")
    for condition, message in _MEMBERS:
        for_this = condition.replace("<F>", f"<{called}>").replace(", F>", f", {called}>")
        text.quote(functor.line, program.file_name, f'static_assert({for_this}, "{functor.name}{message}");')
