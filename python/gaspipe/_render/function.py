# SPDX-License-Identifier: Apache-2.0
"""Writes the Python function of an algorithm."""

from __future__ import annotations

import textwrap

from .._description import PATHS, Description, Parameter
from .docstring import docstring
from .options import offered_options

_TYPES = {
    "vertex": "Hashable",
    "integer": "int",
    "limit": "int | str | None",
    "real": "float",
    "flag": "bool",
    "array": "ArrayLike | Mapping[Any, float] | None",
    "vector": "ArrayLike | Mapping[Any, float]",
    "vertices": "Iterable[Hashable] | Index | None",
    "pairs": "Iterable[Iterable[Hashable] | Index] | None",
    "values": "ArrayLike | Mapping[Any, float] | None",
    "any": "object",
}


def render_function(algorithm: Description, answer: str = "") -> str:
    """Return the source of one algorithm's function, docstring included; `answer` is the class of its results."""
    parameters = algorithm.parameters
    numbers = algorithm.numbers
    offers_precision = {"float32", "float64"} <= set(numbers) and all(
        not i.reads_weights or i.transition_probabilities for i in algorithm.instances
    )
    # The graph comes first, then what makes the question (a vertex, vertices, a vector); all else by keyword.
    leading = [p for p in parameters if p.kind in ("vertex", "vertices", "pairs", "vector")][:1]
    keywords = [p for p in parameters if p not in leading]
    offer = PATHS.get(algorithm.name) if answer else None  # not of a user's own algorithm of that name
    signature = ["graph: GraphLike", *(_declared(p) for p in leading), "*", *(_declared(p) for p in keywords)]
    passed = []
    if offer is not None:
        signature.append(f"{offer.option}: bool = False")
        passed.append(f"paths={offer.option}")
    if len(numbers) > 1:
        signature.append("number: str = 'auto'")
        passed.append("number=number")
    if offers_precision:
        signature.append("precision: str | None = None")
        passed.append("precision=precision")
    offered = offered_options(algorithm)
    signature += [f"{option.name}: {option.annotation} = {option.default!r}" for option in offered]
    passed += [f"{option.name}={option.name}" for option in offered]
    if not algorithm.is_pipeline:
        signature.append("progress: Phases | bool | None = None")
        passed.append("progress=progress")
    arguments = ", ".join(f"{p.name!r}: {p.name}" for p in parameters)
    lines = [f"def {algorithm.name}("]
    lines += [f"    {part}," for part in signature]
    lines.append(f") -> {answer or 'Result'}:")
    doc = docstring(algorithm, leading + keywords, offer, offers_precision, answer or "Result")
    lines.append(textwrap.indent(_literal(f"{doc}\n"), "    ", lambda line: bool(line.strip())))
    if algorithm.is_pipeline:
        lines.append("    return call(")
        lines.append(f"        {algorithm.name!r}, {algorithm.field!r}, graph, {{{arguments}}},")
    else:
        lines.append("    return call_cpu(")
        lines.append(f"        {algorithm.name!r}, graph, {{{arguments}}},")
    if algorithm.rectangular:
        passed.insert(0, "rectangular=True")
    if answer:
        passed.insert(0, f"answer={answer}")
    lines.append(f"        {', '.join(passed)},")
    lines.append("    )")
    return "\n".join(lines)


def _literal(doc: str) -> str:
    """Write a docstring as a literal: as it reads where that means the same, else escaped."""
    is_plain = '"""' not in doc and all(line.isprintable() for line in doc.split("\n"))
    return f'r"""{doc}"""' if is_plain else repr(doc)


def _declared(parameter: Parameter) -> str:
    if parameter.kind == "vector":
        return f"{parameter.name}: {_TYPES['vector']}"
    kind = _TYPES[parameter.kind]
    if parameter.default is None and kind in ("int", "float"):
        kind += " | None"
    return f"{parameter.name}: {kind} = {parameter.default!r}"
