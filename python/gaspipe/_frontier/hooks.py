# SPDX-License-Identifier: Apache-2.0
"""A struct of gather, reduce, cond and update as six hooks, for the emulator and for cards.

A property has the vertex's value in bits 0 to 31, its out-degree in 32 to 62, and bit 63 says whether it is in the set.
An update has what was gathered in bits 0 to 31, and bit 32 says that there is something.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._core import InputError
from .._own import Algorithm
from .._own.snippet import closing, plain
from .dtypes import declared, shown

if TYPE_CHECKING:
    from .library import Program

READS_EDGES = 7  # bit of a functor whose gather only reads the edge's value (frontier/offer.h)
_NEEDED = ("edge_filter", "vertex_filter")
_WORDS = {"int32", "uint32", "float32"}
_WEIGHTS = {"int32", "uint32", "int64", "float32", "float64"}
_ACTIVE = np.uint64(1 << 63)
_MOST_DEGREE = 2**31 - 1

_HOOKS = """struct Hooks {{
  using Property = std::uint64_t;
  using Update = std::uint64_t;
  using EdgeProperty = edge_prop_t;
  using Aux = std::uint64_t;
  static constexpr Update kIdentity = 0;
  static constexpr int kAux = 1;
  static constexpr bool kReadsEdgeProperty = {reads_edges};
  static VertexValue value_of(Property property) {{
    return from_bits<VertexValue>(static_cast<std::uint32_t>(property));
  }}
  static AccumValue accumulator_of(Update update) {{
    return from_bits<AccumValue>(static_cast<std::uint32_t>(update));
  }}
  static Update update_of(AccumValue accumulator) {{ return std::uint64_t(1) << 32 | to_bits(accumulator); }}
  static {functor} functor() {{
    {functor} made{{}};
    {set_parameters}
    return made;
  }}
  static bool isSource(Property property) {{ return property >> 63 != 0; }}
  static bool isActive(Update update) {{ return update >> 32 != 0; }}
  static Property preprocessProperty(Property property) {{ return property; }}
  static Update scatterFunc(Property property, EdgeProperty weight) {{
    if (!isSource(property)) return kIdentity;
    {edge}
    return update_of(functor().gather(value_of(property), EdgeCount(property << 1 >> 33), edge));
  }}
  static Update gatherFunc(Update a, Update b) {{
    if (!isActive(a)) return b;
    if (!isActive(b)) return a;
    return update_of(functor().reduce(accumulator_of(a), accumulator_of(b)));
  }}
  static Update updateMergeInRAWSolver(Update a, Update b) {{ return gatherFunc(a, b); }}
  static Update applyMerge(Update a, Update b) {{ return gatherFunc(a, b); }}
  static Property applyFunc(Update update, Property property, Aux id, unsigned& extra, unsigned) {{
    const Property degree = property << 1 >> 33 << 32;
    VertexValue value = value_of(property);
    if (!isActive(update)) return degree | to_bits(value);
    const AccumValue start = from_bits<AccumValue>({default});
    const AccumValue accumulator = functor().reduce(start, accumulator_of(update));
    if (!functor().cond(value, accumulator, VertexId(id))) return degree | to_bits(value);
    updated(functor(), value, accumulator, VertexId(id), 0);
    extra += 1;
    return std::uint64_t(1) << 63 | degree | to_bits(value);
  }}
  template <class F>
  static auto updated(F f, VertexValue& value, AccumValue accumulator, VertexId id, int)
      -> decltype(f.update(value, accumulator, id)) {{
    f.update(value, accumulator, id);
  }}
  template <class F>
  static void updated(F f, VertexValue& value, AccumValue accumulator, VertexId, long) {{
    f.update(value, accumulator);
  }}
}};
"""


def make(
    program: Program, functor: str, calls: int, default: NDArray[Any], parameters: NDArray[Any] | None
) -> Algorithm:
    """Return the functor as an algorithm; InputError that says why it cannot be one."""
    found = next((f for f in program.source.functors if f.name == functor), None)
    if found is None or not (calls >> 0 & 1 and calls >> 2 & 1):
        raise InputError(
            f"{functor} cannot become hooks: a struct with gather, reduce, cond and update is needed"
            + ("" if found is None else ", one function of those is missing")
        )
    for what, dtype in (("vertex", program.vertex), ("accumulator", program.accumulator)):
        if str(dtype) not in _WORDS:
            raise InputError(
                f"{functor} cannot become hooks: {what} is {shown(dtype)}; a property has room for int32, uint32 or "
                "float32 beside the out-degree"
            )
    edge = program.edge
    if edge is not None and str(edge) not in _WEIGHTS:
        raise InputError(
            f"{functor} cannot become hooks: edge is {shown(edge)}; weights are {', '.join(sorted(_WEIGHTS))}"
        )
    if edge is not None and not calls >> READS_EDGES & 1:
        raise InputError(
            f"{functor} cannot become hooks: its gather takes EdgeValue&, through which it may write, and kernels only "
            "read edges; take const EdgeValue&"
        )
    types = [*declared("VertexValue", program.vertex), *declared("AccumValue", program.accumulator)]
    types += ["struct EdgeValue {};"] if edge is None else declared("EdgeValue", edge)
    types += ["struct Parameters {};"] if program.parameters is None else declared("Parameters", program.parameters)
    text = needed(program.text, functor)
    hooks = _HOOKS.format(
        functor=functor,
        reads_edges=str(edge is not None).lower(),
        edge="const EdgeValue edge = weight;" if edge is not None else "EdgeValue edge; (void)weight;",
        default=f"{default.reshape(1).view(np.uint32)[0]}u",
        set_parameters=_set_parameters(text, functor, parameters),
    )
    return Algorithm(
        f"{program.name}_{functor}",
        _snippet(text, types) + hooks,
        prop="uint64",
        edge_prop=None if edge is None else str(edge),
        inputs={"vertex_id": "v"},
        doc=f"{functor} of the frontier program {program.name}.",
    )


def _snippet(text: str, types: list[str]) -> str:
    """Types, the text with its lines where they were, and its includes, which may stand anywhere."""
    includes = re.findall(r"^[ \t]*#[ \t]*include.*$", text, re.MULTILINE)
    text = re.sub(r"^[ \t]*#[ \t]*include.*$", "", text, flags=re.MULTILINE)
    between = "\n" if text.lstrip(" \t").startswith("#") else " "
    return "\n".join(
        [f"{' '.join(types)}{between}{text}", "#include <cmath>", '#include "hls/module/bits.h"', *includes, ""]
    )


def _set_parameters(text: str, functor: str, parameters: NDArray[Any] | None) -> str:
    """Statements that give a functor its parameters, as constants."""
    takes = parameters is not None and re.search(r"\bParameters\s+parameters\b", plain(text)) is not None
    if not takes or parameters is None or parameters.dtype.names is None:
        return ""
    return " ".join(f"made.parameters.{name} = {_literal(parameters[name])};" for name in parameters.dtype.names)


def _literal(value: NDArray[Any]) -> str:
    number = value.item()
    if isinstance(number, bool):
        return str(number).lower()
    if isinstance(number, float):
        return (
            f"{number.hex()}"
            if np.isfinite(number)
            else ("NAN" if np.isnan(number) else f"{'-' * (number < 0)}INFINITY")
        )
    if number < 0:
        return f"-{-(number + 1)} - 1"  # the lowest has no literal
    return f"{number}{'u' * (number >= 2**63)}"


def words_of(values: NDArray[Any], degrees: NDArray[Any], front: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """Return properties of values, of which some are in the set; InputError for a degree that does not fit."""
    if degrees.size and int(degrees.max()) > _MOST_DEGREE:
        v = int(degrees.argmax())
        raise InputError(
            f"vertex {v} has {degrees[v]:,} out-edges; hooks have room for {_MOST_DEGREE:,}, device='cpu' for all"
        )
    words = values.view(np.uint32).astype(np.uint64) | degrees.astype(np.uint64) << np.uint64(32)
    words[front] |= _ACTIVE
    return words


def values_of(words: NDArray[np.uint64], dtype: np.dtype[Any]) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """Return the values of properties, and the vertices in the set."""
    values = (words & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(dtype)
    return values, np.flatnonzero(words & _ACTIVE).astype(np.uint32)


def needed(text: str, functor: str) -> str:
    """Return the text with all but what a functor needs blanked: other functors may be no hardware."""
    code = plain(text)
    is_code = np.ones(len(text), bool)
    for found in re.finditer(r"^[ \t]*#(?:\\\n|[^\n])*", code, re.MULTILINE):
        is_code[found.start() : found.end()] = False
    code = "".join(c if c == "\n" or is_code[j] else " " for j, c in enumerate(code))
    items = _items(code)
    kept: set[int] = set()
    ahead = {functor}
    seen: set[str] = set()
    while ahead:
        word = ahead.pop()
        seen.add(word)
        for i, (start, end, names) in enumerate(items):
            if word in names and i not in kept:
                kept.add(i)
                ahead |= set(re.findall(r"[A-Za-z_]\w*", code[start:end])) - seen
    letters = list(text)
    for i, (start, end, _) in enumerate(items):
        if i not in kept:
            letters[start:end] = [" " if c != "\n" and is_code[j] else c for j, c in enumerate(text[start:end], start)]
    return "".join(letters)


# What ends with a semicolon after its braces: types, and constants in braces.
_TYPE = re.compile(r"\b(?:struct|class|union|enum)\s+\w*[^()]*$|=\s*$")
_CONSTANT = re.compile(r"^[^(]*\b(?:constexpr|const)\b[^(]*$")


def _items(code: str) -> list[tuple[int, int, set[str]]]:
    """What stands outside of all braces: where each declaration starts and ends, and the names that it declares."""
    items, start, i = [], 0, 0
    while i < len(code):
        if code[i] == "{":
            head = code[start:i]
            i = closing(code, i) + 1
            if _TYPE.search(head) or _CONSTANT.search(head):
                end = code.find(";", i)
                i = len(code) if end < 0 else end + 1
        elif code[i] == ";":
            i += 1
        else:
            i += 1
            continue
        items.append((start, i, _declared_names(code[start:i])))
        start = i
    return items


def _declared_names(item: str) -> set[str]:
    head = re.sub(r"\btemplate\s*<[^{}]*?>\s*(?=struct|class|[\w:]+\s)", "", item, count=1)
    if re.match(r"\s*enum\b", head):
        return set(re.findall(r"[A-Za-z_]\w*", head))
    named = re.match(r"\s*(?:struct|class|union)\s+(\w+)", head)
    if named:
        return {named[1]}
    if re.match(r"\s*namespace\b", head):
        return set(re.findall(r"[A-Za-z_]\w*", head))
    named = re.match(r"\s*using\s+(\w+)\s*=", head) or re.match(r"\s*typedef\b[^;]*?(\w+)\s*;", head)
    if named:
        return {named[1]}
    before = re.split(r"[({=;]", head, maxsplit=1)[0]
    words = re.findall(r"[A-Za-z_]\w*", before)
    return set(words[-1:])
