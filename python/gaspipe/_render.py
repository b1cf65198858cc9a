# SPDX-License-Identifier: Apache-2.0
"""Writes an algorithm's Python function from the description in its C++ header.

Used by the build for the built-in algorithms (`python _render.py <_core extension> <output>` makes `_algorithms.py`),
so it imports nothing but the standard library.
"""

from __future__ import annotations

import textwrap
from typing import Any

_WIDTH = 116
_TYPES = {
    "vertex": "Hashable",
    "integer": "int",
    "real": "float",
    "flag": "bool",
    "array": "ArrayLike | Mapping[Any, float] | None",
    "vector": "ArrayLike | Mapping[Any, float]",
    "vertices": "Iterable[Hashable] | Index | None",
    "values": "ArrayLike | Mapping[Any, float] | None",
    "any": "object",
}
_DOC_TYPES = {
    "vertex": "vertex",
    "integer": "int",
    "real": "float",
    "flag": "bool",
    "array": "array of float, shape (num_vertices,), or dict, optional",
    "vector": "array of numbers, shape (graph.shape[1],), or dict",
    "vertices": "array of vertices, optional",
    "values": "array of numbers, shape (num_vertices,), or dict",
    "any": "object",
}
# How vertices are named, and numbers by vertex.
_DOC_VERTICES = {
    "vertex": "Where the graph has labels, a label; `gp.index(3)` is the id 3 there too.",
    "vertices": "Where the graph has labels, labels; `gp.index([3, 5])` are ids there too.",
    "array": "A dict {vertex: number} says 0 for others; an array is in the order of ids, which is that of labels.",
    "vector": "A dict {vertex: number} says 0 for others, where the matrix is square.",
    "values": "A dict {vertex: number} has all vertices.",
}

_HOW = (
    "device",
    "xclbin",
    "execution",
    "method",
    "num_threads",
    "partitioning",
    "scheduler",
    "progress",
    "fallback",
)

_HEADER = '''# SPDX-License-Identifier: Apache-2.0
"""The algorithms, and what they return. Written by the build from the headers in hls/algorithm; do not edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._call import Progress, call
from ._core import Partitioning
from ._result import Result

if TYPE_CHECKING:
    import os
    from collections.abc import Hashable, Iterable, Mapping

    from numpy.typing import ArrayLike

    from ._vertices import Index
    from .graph import GraphLike
'''


def render_module(algorithms: list[dict[str, Any]]) -> str:
    """Return the source of a module with a class of results and a function per algorithm."""
    names = [a["name"] for a in algorithms]
    classes = {a["name"]: class_name(a) for a in algorithms}
    parts = [
        _HEADER + f"\n__all__ = {_listed([*names, *classes.values()])}\nalgorithms = {_listed(names, '()')}",
        *(render_class(a) for a in algorithms),
        "results: dict[str, Any] = {\n"
        + "".join(f"    {name!r}: {result},\n" for name, result in classes.items())
        + "}",
        *(render_function(a, classes[a["name"]]) for a in algorithms),
    ]
    return "\n\n\n".join(parts) + "\n"


def _listed(names: list[str], brackets: str = "[]") -> str:
    return "\n".join([brackets[0], *(f"    {name!r}," for name in names), brackets[1]])


def class_name(algorithm: dict[str, Any]) -> str:
    """Name of the class of an algorithm's results: ArticleRankResult."""
    return "".join(word.capitalize() for word in str(algorithm["name"]).split("_")) + "Result"


def render_class(algorithm: dict[str, Any]) -> str:
    """Return the source of the class of an algorithm's results, with the type of the answer."""
    types = {i["value_type"] for i in algorithm["instances"]}
    array = f"NDArray[np.{types.pop()}]" if len(types) == 1 else "NDArray[Any]"
    doc = f"The :class:`Result` of `{algorithm['name']}`: `{algorithm['field']}`, {algorithm['field_doc']}."
    return "\n".join(
        [
            f"class {class_name(algorithm)}(Result):",
            textwrap.indent(f'r"""{_wrap(doc)}"""', "    "),
            "",
            f"    values: {array}",
            f"    {algorithm['field']}: {array}",
        ]
    )


def render_function(algorithm: dict[str, Any], answer: str = "") -> str:
    """Return the source of one algorithm's function, docstring included; `answer` is the class of its results."""
    parameters = algorithm["parameters"]
    numbers = [i["number"] for i in algorithm["instances"]]
    offers_precision = {"float32", "float64"} <= set(numbers) and all(
        i["edge_type"] == "none" or i["transition_probabilities"] for i in algorithm["instances"]
    )
    # The graph comes first, then what makes the question (a vertex, vertices, a vector); all else by keyword.
    leading = [p for p in parameters if p["kind"] in ("vertex", "vertices", "vector")][:1]
    keywords = [p for p in parameters if p not in leading]
    signature = ["graph: GraphLike", *(_declared(p) for p in leading), "*", *(_declared(p) for p in keywords)]
    passed = []
    if len(numbers) > 1:
        signature.append("number: str = 'auto'")
        passed.append("number=number")
    if offers_precision:
        signature.append("precision: str | None = None")
        passed.append("precision=precision")
    signature += [
        "device: str = 'cpu'",
        "xclbin: str | os.PathLike[str] | None = None",
        "execution: str = 'auto'",
        "method: str = 'auto'",
        "num_threads: int | None = None",
        "partitioning: Partitioning | None = None",
        "scheduler: str = 'in_order'",
        "progress: Progress | None = None",
        "fallback: bool = True",
    ]
    passed += [f"{name}={name}" for name in _HOW]
    arguments = ", ".join(f"{p['name']!r}: {p['name']}" for p in parameters)
    lines = [f"def {algorithm['name']}("]
    lines += [f"    {part}," for part in signature]
    lines.append(f") -> {answer or 'Result'}:")
    doc = _docstring(algorithm, leading + keywords, numbers, offers_precision, answer or "Result")
    lines.append(textwrap.indent(_literal(f"{doc}\n"), "    ", lambda line: bool(line.strip())))
    lines.append("    return call(")
    lines.append(f"        {algorithm['name']!r}, {algorithm['field']!r}, graph, {{{arguments}}},")
    if algorithm["rectangular"]:
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


def _declared(parameter: dict[str, Any]) -> str:
    if parameter["kind"] == "vector":
        return f"{parameter['name']}: {_TYPES['vector']}"
    kind = _TYPES[parameter["kind"]]
    if parameter["default"] is None and kind in ("int", "float"):
        kind += " | None"
    return f"{parameter['name']}: {kind} = {parameter['default']!r}"


def _number(value: float) -> str:
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _allowed(parameter: dict[str, Any]) -> str:
    name = "each entry" if parameter["kind"] in ("array", "vertices") else parameter["name"]
    if parameter["kind"] in ("vertex", "vertices"):
        return f"0 <= {name} < graph.num_vertices."
    if parameter["kind"] in ("flag", "vector", "values", "any"):
        return ""
    text = f"{_number(parameter['low'])} {'<' if parameter['open_low'] else '<='} {name}"
    if parameter["low"] < -1e300:
        if parameter["high"] > 1e300:
            return ""
        return f"{name} {'<' if parameter['open_high'] else '<='} {_number(parameter['high'])}."
    if parameter["high"] < 1e300:
        text += f" {'<' if parameter['open_high'] else '<='} {_number(parameter['high'])}"
    return text + "."


def _wrap(text: str, indent: str = "") -> str:
    return textwrap.fill(text, _WIDTH - 4, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def _docstring(
    algorithm: dict[str, Any],
    parameters: list[dict[str, Any]],
    numbers: list[str],
    offers_precision: bool,
    answer: str,
) -> str:
    # A dtype that follows the weights is told by the header's own text.
    types = {i["value_type"] for i in algorithm["instances"]}
    dtype = types.pop() if len(types) == 1 else ""
    cited = algorithm["reference"]  # those of users need not cite anything
    parts = [algorithm["summary"] + (" [1]_" if cited else ""), ""]
    if algorithm["details"]:
        parts += [_wrap(algorithm["details"]), ""]
    weighted = any(i["edge_type"] != "none" and not i["transition_probabilities"] for i in algorithm["instances"])
    rows = [
        (
            "graph : Graph, or anything Graph() takes",
            "SciPy sparse array or matrix (`A[i, j]` is the edge i -> j), edge arrays `(src, dst[, weight])`, "
            "NetworkX graph.",
        )
    ]
    for p in parameters:
        default = "" if p["default"] is None else f", default {p['default']!r}"
        if p["default"] is None and p["kind"] in ("integer", "real"):
            default = ", optional"
        text = f"{p['doc']} {_allowed(p)}".rstrip() + " " + _DOC_VERTICES.get(p["kind"], "")
        rows.append((f"{p['name']} : {_DOC_TYPES[p['kind']]}{default}", text.rstrip()))
    if len(numbers) > 1:
        listed = ", ".join(f'"{n}"' for n in numbers)
        chosen = "follows the weights" if weighted else f'is "{numbers[0]}"'
        if any(p["kind"] == "vector" for p in parameters):
            chosen = "follows the dtypes"
        rows.append((f'number : {{"auto", {listed}}}', f'Number format of the computation; "auto" {chosen}.'))
    if offers_precision:
        rows.append(('precision : {"double", "single"}, optional', 'Another way to say number="float64" or "float32".'))
    rows += [
        (
            'device : {"cpu", "emulator", "fpga", "auto"}, or with a board: "emulator:u250", or a card: "fpga:1"',
            "Where to run; `result.stats.device` says what really ran, `gaspipe.devices()` lists what there is. An "
            "automatic number format is on a card that of the CPU if there are such kernels; else, for doubles, fixed "
            "point or floats.",
        ),
        (
            "xclbin : path, optional",
            "Kernels for a card: an .xclbin file, or a folder with some. By default those of the environment variable "
            "GASPIPE_XCLBIN and of the user's data folder, gaspipe/xclbin.",
        ),
        (
            'execution : {"auto", "fast", "exact", "shallow"}',
            'How the emulator runs the kernels: "fast" block by block; "exact" with every task and bounded stream of '
            'the hardware, and clocks, which predict cycles; "shallow" likewise, with streams as shallow as the design '
            'declares legal. "auto" is exact where a board is named, else fast. The answer is the same bits.',
        ),
        ('method : {"auto", "gas"}', '"gas" runs the plain pipeline in every super-step; the answer is the same.'),
        ("num_threads : int, optional", "Threads to use; by default as OpenMP is set, and one on a small graph."),
        (
            "partitioning : Partitioning, optional",
            "From `Graph.partition()`: stream partitions of its configuration; what is pushed or pulled needs none.",
        ),
        (
            "scheduler : str",
            "Order of the kernels of an emulator or a card; the answer is the same bits. An InputError where device is "
            '"cpu", which has none; a CPU that stands in for a card needs none.',
        ),
        ("progress : callable, optional", "Called as `progress(step, active_vertices, edges)` after every super-step."),
        ("fallback : bool", "Whether the CPU may stand in for a card that cannot be used (with a warning)."),
    ]
    parts += ["Parameters", "----------"]
    for head, text in rows:
        parts += [head, _wrap(text, "    ")]
    # Values belong to the vertices that edges lead to.
    size = (
        ("graph.shape[0]" if algorithm["view"] == "reverse" else "graph.shape[1]")
        if algorithm["rectangular"]
        else "num_vertices"
    )
    shape = f"({size},){' ' + dtype if dtype else ''}"
    values = f"`{algorithm['field']}` (also `values`): {shape}; {algorithm['field_doc']}."
    errors = [("InputError", "If an argument is out of its range, or the graph cannot be used.")]
    if len(numbers) > 1:
        errors.append(("CapacityError", "If no number format holds the answer."))
    errors.append(("DeviceError", "If the device cannot be used and `fallback` is false."))
    parts += [
        "",
        "Returns",
        "-------",
        answer,
        _wrap(values, "    "),
        _wrap("`stats.seconds`: engine time in s, preparation apart.", "    "),
        "",
        "Raises",
        "------",
    ]
    for head, text in errors:
        parts += [head, _wrap(text, "    ")]
    if cited:
        parts += ["", "References", "----------", _wrap(".. [1] " + cited)]
    return "\n".join(parts)


def _main(extension: str, output: str) -> None:
    from importlib.machinery import ExtensionFileLoader
    from importlib.util import module_from_spec, spec_from_file_location

    loader = ExtensionFileLoader("_core", extension)
    spec = spec_from_file_location("_core", extension, loader=loader)
    assert spec is not None
    core = module_from_spec(spec)
    loader.exec_module(core)
    with open(output, "w", encoding="utf-8") as file:
        file.write(render_module(core.algorithms()))


if __name__ == "__main__":
    import sys

    _main(*sys.argv[1:])
