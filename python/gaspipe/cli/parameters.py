# SPDX-License-Identifier: Apache-2.0
"""An algorithm's parameters as options of its command, one kind at a time."""

from __future__ import annotations

import os
import re
import tokenize
from typing import Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from .._core import InputError
from .._description import Parameter
from .._files import names_file
from .._vertices import keys
from ..graph import Graph
from . import answers
from .options import Option, argument

SECTION = "The question"
_NO_LIMIT = "none"
_METAVARS = {
    "limit": f"INTEGER|auto|{_NO_LIMIT}",
    "vertex": "VERTEX",
    "array": "FILE",
    "vector": "FILE|ones|random:SEED",
    "vertices": "V,V,...|@FILE",
    "pairs": "'U,V U,V ...'|@FILE",
}
_LABEL = "In a graph with labels (LDBC, --relabel) this is a label."


class _Limit(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    name = "limit"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if value in ("auto", _NO_LIMIT) else click.INT.convert(value, param, ctx)


def option(parameter: Parameter) -> Option:
    """Return the option for one parameter of an algorithm's description."""
    kind, name = parameter.kind, parameter.name
    flag = "--" + name.replace("_", "-")
    text = parameter.doc
    attributes: dict[str, Any] = {"metavar": _METAVARS.get(kind), "section": SECTION}
    if kind == "flag":
        declarations = [f"{flag}/--no-{flag[2:]}", name]
        attributes |= {"default": parameter.default, "show_default": True}
    else:
        declarations = [flag, name]
    if kind in ("vertex", "integer", "limit", "real"):
        attributes |= {"default": parameter.default, "show_default": True}
    if kind == "vertex":
        attributes["type"] = click.STRING  # a label may look like a number; which it is, the graph's labels tell
        text += f" {_LABEL}"
    elif kind in ("integer", "limit"):
        attributes["type"] = click.INT if kind == "integer" else _Limit()
        text += f" {parameter.allowed()}"
    elif kind == "real":
        attributes["type"] = click.FLOAT
        text += f" {parameter.allowed()}"
    elif kind == "array":
        text += " A .npy file, or text with a number per line."
    elif kind == "vector":
        attributes["required"] = True
        text += " A .npy file, or text with a number per line, or all ones, or drawn from [0, 1)."
    elif kind in ("vertices", "pairs"):
        text += f" Or @FILE with one per line. {_LABEL.replace('this is a label', 'these are labels')}"
    elif kind != "flag":
        raise NotImplementedError(f"the command line has no option for parameters of kind {kind!r}")
    return Option(*declarations, help=text, **attributes)


class Value(NamedTuple):
    """A parameter of one run."""

    value: Any  # what the algorithm is called with
    python: str | None  # how that is written in Python; None where the default need not be
    shown: Any  # as the user would say it: a vertex by its label, a file by its name


def value(parameter: Parameter, given: Any, is_default: bool, graph: Graph) -> Value:
    """Return the value of a parameter, as given or by default."""
    kind, name = parameter.kind, parameter.name
    if kind == "vertex":
        vertex = vertex_of(graph, str(given), name)
        return Value(vertex, argument(vertex), answers.plain(vertex))
    if kind == "limit" and given == _NO_LIMIT:
        return Value(None, "None", None)
    if given is None or is_default:
        return Value(parameter.default, None, parameter.default)
    if kind == "array":
        return Value(read_array(given), _loading(given), given)
    if kind == "vector":
        return Value(*vector(given, graph), given)
    if kind == "vertices":
        vertices = [vertex_of(graph, vertex, name) for vertex in read_list(given)]
        listed = [argument(vertex) for vertex in (vertices if len(vertices) <= 12 else vertices[:3])]
        return Value(vertices, f"[{', '.join(listed)}{', ...' * (len(vertices) > len(listed))}]", given)
    if kind == "pairs":
        pairs = [tuple(vertex_of(graph, vertex, name) for vertex in pair) for pair in read_pairs(given, name)]
        written = [f"({argument(u)}, {argument(v)})" for u, v in (pairs if len(pairs) <= 6 else pairs[:3])]
        return Value(pairs, f"[{', '.join(written)}{', ...' * (len(pairs) > len(written))}]", given)
    return Value(given, repr(given), given)


def vertex_of(graph: Graph, text: str, name: str) -> Any:
    """Return the vertex that users write as `text`, as functions take it: a label where the graph has labels."""
    number = _integer(text)
    if graph.labels is not None:
        # 7 is the integer before it is the string; 007 is the string before it is the integer.
        for label in (number, text) if str(number) == text else (text, number):
            if label is not None and graph._lookup.id_of(label) is not None:
                return label
        # Tuples, times and the like as Python writes them.
        alike = [] if graph.labels.dtype.kind in "iu" else [label for label in keys(graph.labels) if str(label) == text]
        if len(alike) == 1:
            return alike[0]
        raise InputError(f"{name}: {graph._lookup.missing(text if number is None else number)}")
    if number is None:
        raise InputError(
            f"{name} is {text!r}; this graph has no labels, its vertices are 0 to {graph.num_vertices - 1}"
        )
    if not 0 <= number < graph.num_vertices:
        raise InputError(f"{name}: there is no vertex {number}; allowed are 0 to {graph.num_vertices - 1}")
    return number


def _integer(text: str) -> int | None:
    return int(text) if re.fullmatch("-?[0-9]{1,4000}", text) else None


def vector(given: str, graph: Graph) -> tuple[NDArray[Any], str]:
    """Return a vector to multiply with: from a file, or of a kind."""
    length = graph.shape[1]
    if given == "ones":
        dtype = graph._core.weights_dtype or np.dtype(np.int64)
        return np.ones(length, dtype), f"np.ones({length}, np.{np.dtype(dtype)})"
    kind, _, seed = given.partition(":")
    if kind == "random" and seed.isdecimal():
        return np.random.default_rng(int(seed)).random(length), f"np.random.default_rng({seed}).random({length})"
    return read_array(given), _loading(given)


def read_array(path: str) -> NDArray[Any]:
    """Numbers of a .npy file, or of text with one per line; integers where all of them are."""
    try:
        with names_file(path):
            if path.endswith(".npy"):
                array = np.load(path, allow_pickle=False)
            else:
                with open(path, encoding="utf-8-sig") as file:
                    words = [line.split("#", 1)[0].strip() for line in file]
                array = _numbers(path, words)
    except InputError:
        raise
    except (ValueError, EOFError, SyntaxError, tokenize.TokenError) as error:  # the last two from a damaged .npy
        raise InputError(f"{path}: {error}") from None
    if not isinstance(array, np.ndarray) or array.ndim != 1:
        raise InputError(f"{path}: found an array of shape {np.shape(array)}; one number per vertex is needed")
    return array


def _numbers(path: str, lines: list[str]) -> NDArray[Any]:
    words = [word for word in lines if word]
    for kind, dtype in ((int, np.int64), (float, np.float64)):
        try:
            return np.array([kind(_digits(word)) for word in words], dtype)
        except (ValueError, OverflowError):
            continue
    for number, word in enumerate(lines, 1):
        try:
            float(_digits(word or "0"))
        except ValueError:
            raise InputError(f'{path}, line {number}: found "{word[:40]}"; one number per line is needed') from None
    raise InputError(f"{path}: a number is out of range")


def _digits(word: str) -> str:
    """Return the word; ValueError for what is a number to Python alone: 1_000, and digits of other scripts."""
    if "_" in word or not word.isascii():
        raise ValueError(word)
    return word


def read_list(given: str) -> list[str]:
    """Vertices of a list "0,5,7", or of a file "@path" with one per line."""
    words = _lines(given[1:]) if given.startswith("@") else given.split(",")
    return [word.strip() for word in words if word.strip()]


def read_pairs(given: str, name: str) -> list[list[str]]:
    """Pairs of a list "0,5 5,7", or of a file "@path" with one per line, with a comma or a space between."""
    entries = _lines(given[1:]) if given.startswith("@") else given.split()
    pairs = [re.split(r"\s*,\s*" if "," in entry else r"\s+", entry.strip()) for entry in entries if entry.strip()]
    wrong = next((pair for pair in pairs if len(pair) != 2), None)
    if wrong is not None:
        raise InputError(f"{name} has {','.join(wrong)!r} where a pair of vertices is needed, as in '0,5 5,7'")
    return pairs


def _lines(path: str) -> list[str]:
    try:
        with names_file(path), open(path, encoding="utf-8-sig") as file:
            return file.read().split("\n")
    except UnicodeError as error:
        raise InputError(f"{path}: {error}") from None


def _loading(path: str) -> str:
    call = "np.load" if path.endswith(".npy") else "np.loadtxt"
    return f"{call}({argument(os.fspath(path))})"
