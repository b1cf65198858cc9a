# SPDX-License-Identifier: Apache-2.0
"""Writes the docstring of an algorithm's function."""

from __future__ import annotations

from collections.abc import Sequence

from .._description import Description, Parameter, Paths
from .options import offered_options
from .options import rows as option_rows
from .text import wrap

_DOC_TYPES = {
    "vertex": "vertex",
    "integer": "int",
    "limit": 'int, "auto" or None',
    "real": "float",
    "flag": "bool",
    "array": "array of float, shape (num_vertices,), or dict, optional",
    "vector": "array of numbers, shape (graph.shape[1],), or dict",
    "vertices": "array of vertices, optional",
    "pairs": "array of vertices, shape (number of pairs, 2), optional",
    "values": "array of numbers, shape (num_vertices,), or dict",
    "any": "object",
}
# How vertices are named, and numbers by vertex.
_DOC_VERTICES = {
    "vertex": "Where the graph has labels, a label; `gp.index(3)` is the id 3 there too.",
    "vertices": "Where the graph has labels, labels; `gp.index([3, 5])` are ids there too.",
    "pairs": "Where the graph has labels, labels; `gp.index([3, 5])` are ids there too, as a pair.",
    "array": "A dict {vertex: number} says 0 for others; an array is in the order of ids, which is that of labels.",
    "vector": "A dict {vertex: number} says 0 for others, where the matrix is square.",
    "values": "A dict {vertex: number} has all vertices.",
}


_GRAPH = (
    "graph : Graph, or anything Graph() takes",
    "SciPy sparse array or matrix (`A[i, j]` is the edge i -> j), edge arrays `(src, dst[, weight])`, NetworkX graph.",
)

_PHASES = (
    "progress : callable or bool, optional",
    "Called as `progress(phase, done, total)` ten times a second and when a phase has ended; `total` is None where it "
    "is not known. True shows a bar (pip install tqdm).",
)


def docstring(
    algorithm: Description, parameters: Sequence[Parameter], offer: Paths | None, offers_precision: bool, answer: str
) -> str:
    """Return the text; `parameters` are in the order of the signature, `answer` is the class of the results."""
    cited = algorithm.reference  # custom algorithms may cite nothing
    parts = [algorithm.summary + (" [1]_" if cited else ""), ""]
    if algorithm.details:
        parts += [wrap(algorithm.details), ""]
    rows = [
        _GRAPH,
        *map(_parameter, parameters),
        *([] if offer is None else [(f"{offer.option} : bool, default False", offer.doc)]),
        *_numbers(algorithm, offers_precision),
        *option_rows(offered_options(algorithm)),
        *([] if algorithm.is_pipeline else [_PHASES]),
    ]
    parts += ["Parameters", "----------", *_listed(rows), "", "Returns", "-------", answer, *_values(algorithm)]
    errors = [("InputError", "If an argument is out of its range, or the graph cannot be used.")]
    if len(algorithm.instances) > 1:
        errors.append(("CapacityError", "If no number format holds the answer."))
    if algorithm.has_blocks:
        errors.append(
            ("CapacityError", "If the card, or the board that the emulator stands for, does not hold the graph.")
        )
    if algorithm.is_pipeline or algorithm.kernels or algorithm.has_blocks:
        errors.append(("DeviceError", "If the device cannot be used and `fallback` is false."))
    parts += ["", "Raises", "------", *_listed(errors)]
    if cited:
        parts += ["", "References", "----------", ".. [1] " + wrap(cited, " " * 7).lstrip()]
    return "\n".join(parts)


def _listed(rows: list[tuple[str, str]]) -> list[str]:
    return [line for head, text in rows for line in (head, wrap(text, "    "))]


def _parameter(p: Parameter) -> tuple[str, str]:
    default = "" if p.default is None else f", default {p.default!r}"
    if p.default is None and p.kind in ("integer", "real"):
        default = ", optional"
    text = f"{p.doc} {p.allowed()}".rstrip() + " " + _DOC_VERTICES.get(p.kind, "")
    return f"{p.name} : {_DOC_TYPES[p.kind]}{default}", text.rstrip()


def _numbers(algorithm: Description, offers_precision: bool) -> list[tuple[str, str]]:
    """Rows of the number format, where there is a choice."""
    rows = []
    numbers = algorithm.numbers
    if len(numbers) > 1:
        listed = ", ".join(f'"{n}"' for n in numbers)
        weighted = any(i.reads_weights and not i.transition_probabilities for i in algorithm.instances)
        chosen = "follows the weights" if weighted else f'is "{numbers[0]}"'
        if any(p.kind == "vector" for p in algorithm.parameters):
            chosen = "follows the dtypes"
        rows.append((f'number : {{"auto", {listed}}}', f'Number format of the computation; "auto" {chosen}.'))
    if offers_precision:
        rows.append(('precision : {"double", "single"}, optional', 'Another way to say number="float64" or "float32".'))
    return rows


def _shape(dimensions: tuple[str, ...]) -> str:
    return f"({', '.join(dimensions)}{',' * (len(dimensions) == 1)}) " if dimensions else ""


def _values(algorithm: Description) -> list[str]:
    """Paragraphs about the answer."""
    timing = [] if algorithm.fields else ["`stats.seconds`: engine time in s, preparation apart."]
    return [wrap(text, "    ") for text in [*answers(algorithm), *timing]]


def answers(algorithm: Description) -> list[str]:
    """A sentence about each answer: name, shape, dtype, and what it is."""
    if algorithm.fields:
        texts = [f"{_shape(f.shape)}{f.dtype}; {f.doc}." for f in algorithm.fields]
        names = [f"`{f.name}`" + (" (also `values`)" if f is algorithm.fields[0] else "") for f in algorithm.fields]
        return [f"{name}: {text}" for name, text in zip(names, texts)]
    # Values belong to the vertices that edges lead to.
    size = "num_vertices"
    if algorithm.rectangular:
        size = "graph.shape[0]" if algorithm.view == "reverse" else "graph.shape[1]"
    # A dtype that follows the weights is told by the header's own text.
    types = {i.value_type for i in algorithm.instances}
    shape = f"({size},) {types.pop()}" if len(types) == 1 else f"({size},)"
    return [f"`{algorithm.field}` (also `values`): {shape}; {algorithm.field_doc}."]
