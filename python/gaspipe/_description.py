# SPDX-License-Identifier: Apache-2.0
"""What a program says of itself: functions, commands and builds of kernels are made from this record.

Built-in algorithms are described by their C++ headers (hls/algorithm); custom ones by gp.Algorithm.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from . import _core

HIGHEST = 1.7976931348623157e308  # limit of a number without one


@dataclass(frozen=True)
class Parameter:
    """A parameter that calls give by name.

    Attributes
    ----------
    name, doc : str
        Name, and a sentence for the docstring.
    kind : str
        vertex, integer, real, flag, array (of numbers by vertex, optional), vector (to multiply with), vertices or
        pairs of them (both optional). Custom algorithms also have values (numbers by vertex), any (an object that
        only their callables receive) and limit (an integer, "auto", or None for none).
    default : object
        None for an optional array.
    low, high : float
        Limits of a number, or of the entries of an array.
    open_low, open_high : bool
        Whether a limit itself is excluded.

    """

    name: str
    doc: str
    kind: str
    default: Any
    low: float = -HIGHEST
    high: float = HIGHEST
    open_low: bool = False
    open_high: bool = False

    def allowed(self) -> str:
        """Say which values the parameter may have; an empty text where all are."""
        name = "each entry" if self.kind in ("array", "vertices", "pairs") else self.name
        if self.kind in ("vertex", "vertices", "pairs"):
            return f"0 <= {name} < graph.num_vertices."
        if self.kind in ("flag", "vector", "values", "any"):
            return ""
        above = "<" if self.open_low else "<="
        below = "<" if self.open_high else "<="
        if self.low > -1e300 and self.high < 1e300:
            return f"{_written(self.low)} {above} {name} {below} {_written(self.high)}."
        if self.low > -1e300:
            return f"{_written(self.low)} {above} {name}."
        return f"{name} {below} {_written(self.high)}." if self.high < 1e300 else ""


class Paths(NamedTuple):
    """What an algorithm that finds distances from a root says of the paths."""

    option: str  # keyword of its function
    field: str  # in its result

    @property
    def meaning(self) -> str:
        """What the field has."""
        return "the vertex before each, the smallest of those there are, of the root itself, -1 where unreached"

    @property
    def doc(self) -> str:
        """Sentence for the docstring of the function."""
        return (
            f"Whether to find paths too: `result.{self.field}`, (num_vertices,) int64, has {self.meaning}; "
            "`result.path_to(v)` follows it. Takes about as long as one look at every edge."
        )


PATHS = {"bfs": Paths("parents", "parent"), "sssp": Paths("predecessors", "predecessor")}
# Algorithms of hooks whose answer is a vertex; those of the CPU say it in their headers.
_VERTEX_ANSWERS = ("wcc",)


@dataclass(frozen=True)
class Instance:
    """A program in one number format.

    Attributes
    ----------
    number : str
        The format: float64, fixed, ...
    value_type, property_type : str
        Dtypes of the answer, and of the property of a vertex.
    edge_type : str
        Dtype of an edge's weight; "none" where weights are not read.
    transition_probabilities : bool
        Whether edges carry probabilities, which the host makes of the weights; a graph without weights has them too.
    fixed_point : bool
        Whether properties are words in a scale.
    idempotent : bool
        Whether an update may arrive twice; False where that is not declared.
    num_aux : int
        Read-only inputs per vertex of applyFunc.

    """

    number: str
    value_type: str
    property_type: str
    edge_type: str
    transition_probabilities: bool
    fixed_point: bool
    idempotent: bool
    num_aux: int

    @property
    def reads_weights(self) -> bool:
        """Whether edges carry anything beside their destination."""
        return self.edge_type != "none"


@dataclass(frozen=True)
class Field:
    """One of the answers of an algorithm.

    Attributes
    ----------
    name, doc : str
        Name in the result, and what it is.
    dtype : str
        As NumPy says it; empty where it follows the graph's weights.
    shape : tuple of str
        The names of its dimensions: none of one number, ("num_vertices",) of one per vertex, ("num_edges", "2"),
        ("num_sources * num_walks", "length + 1").
    has_vertices : bool
        Whether its values are ids of vertices; below 0 there is none.

    """

    name: str
    doc: str
    dtype: str
    shape: tuple[str, ...]
    has_vertices: bool

    @property
    def row(self) -> str:
        """What has a value each: "vertex", "pair", "edge", ...; empty of one number."""
        if not self.shape:
            return ""
        name = self.shape[0].split(" * ")[-1].removeprefix("num_")
        return "vertex" if name == "vertices" else name.removesuffix("s")

    @property
    def has_rows(self) -> bool:
        """Whether a row has several values, which are not the two vertices of a pair."""
        return len(self.shape) > 1 and not (self.has_vertices and self.shape[1] == "2")


@dataclass(frozen=True)
class Description:
    """An algorithm as Python sees it.

    Attributes
    ----------
    name : str
        Name of the function and of the command.
    summary, details : str
        Text of the docstring: its first line, and what follows; the latter may be empty.
    field, field_doc : str
        Name of the answer in a result, and what it is.
    reference : str
        What to cite; may be empty.
    view : str
        Edges to walk: forward, reverse or undirected.
    rectangular : bool
        Whether the graph may be a matrix that is not square.
    parameters : tuple of Parameter
        In the order of the signature.
    instances : tuple of Instance
        One per number format; the first is the preferred one. None of an algorithm that runs on the CPU alone.
    fields : tuple of Field
        All answers of an algorithm of the CPU; the first is `field`.
    has_blocks : bool
        Whether an algorithm of the CPU is an accelerator of GraphOps' blocks too, which the emulator runs.
    kernels : str
        Name of the algorithm of hooks whose kernels find the answer of an algorithm of the CPU too; else empty.
    kernel_header : str
        Text of the C++ header that kernels include, of a custom algorithm; empty for a built-in one, which has a file
        in hls/algorithm.

    """

    name: str
    summary: str
    details: str
    field: str
    field_doc: str
    reference: str
    view: str
    rectangular: bool
    parameters: tuple[Parameter, ...]
    instances: tuple[Instance, ...]
    fields: tuple[Field, ...] = ()
    has_blocks: bool = False
    kernels: str = ""
    kernel_header: str = ""

    @property
    def is_pipeline(self) -> bool:
        """Whether it is six hooks, which run anywhere; else it is C++ for the CPU."""
        return bool(self.instances)

    @functools.cached_property
    def answers(self) -> tuple[Field, ...]:
        """All answers, the first is `field`; also what paths add, which a result has where they were asked for."""
        if self.fields:
            return self.fields
        types = {instance.value_type for instance in self.instances}
        dtype, name = types.pop() if len(types) == 1 else "", "" if self.kernel_header else self.name
        by_vertex = ("num_vertices",)
        first = Field(self.field, self.field_doc, dtype, by_vertex, name in _VERTEX_ANSWERS)
        if name not in PATHS:
            return (first,)
        return first, Field(PATHS[name].field, PATHS[name].meaning, "int64", by_vertex, has_vertices=True)

    @property
    def numbers(self) -> list[str]:
        """Number formats, the preferred one first."""
        return [instance.number for instance in self.instances]

    @property
    def defaults(self) -> dict[str, Any]:
        """Default of every parameter, by name."""
        return {parameter.name: parameter.default for parameter in self.parameters}

    def instance(self, number: str) -> Instance:
        """Return the program in a number format that there is."""
        return next(instance for instance in self.instances if instance.number == number)

    def with_parameters(self, parameters: list[Parameter]) -> Description:
        """Return the same with other parameters."""
        return replace(self, parameters=tuple(parameters))


def _written(value: float) -> str:
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


@functools.cache
def algorithms() -> dict[str, Description]:
    """Return the built-in algorithms of hooks, by name."""
    return {row["name"]: _description(row) for row in _core.algorithms()}


@functools.cache
def cpu_algorithms() -> dict[str, Description]:
    """Return the algorithms of the CPU, by name."""
    return {row["name"]: _description(row) for row in _core.cpu_algorithms()}


def built_in() -> dict[str, Description]:
    """Return all of them, by name."""
    return {**algorithms(), **cpu_algorithms()}


def _dimensions(shape: str) -> tuple[str, ...]:
    return tuple(shape.split(", ")) if shape else ()


def _description(row: dict[str, Any]) -> Description:
    """Make a record of what the core says; its keys are the fields' names."""
    parameters = tuple(Parameter(**parameter) for parameter in row["parameters"])
    instances = tuple(Instance(**instance) for instance in row["instances"])
    fields = tuple(Field(**{**field, "shape": _dimensions(field["shape"])}) for field in row["fields"])
    return Description(**{**row, "parameters": parameters, "instances": instances, "fields": fields})
