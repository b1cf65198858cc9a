# SPDX-License-Identifier: Apache-2.0
"""All that decides the C++ of a custom algorithm."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..._card.kernels import NUMBERS
from ..._description import HIGHEST
from ..snippet import Outline, plain

OUT_DEGREE = "out_degree(v)"
# The keyword of gp.Algorithm for each hook.
KEYWORDS = {
    "preprocess": "preprocessProperty",
    "scatter": "scatterFunc",
    "raw_merge": "updateMergeInRAWSolver",
    "gather": "gatherFunc",
    "merge": "applyMerge",
    "apply": "applyFunc",
    "active": "isActive",
    "is_source": "isSource",
    "priority": "priority",
}
KEYWORD_OF = {hook: key for key, hook in KEYWORDS.items()}
# What hooks given as bodies may use, in their parameters' order.
NAMES = {
    "preprocessProperty": ("src",),
    "scatterFunc": ("src", "edge"),
    "updateMergeInRAWSolver": ("a", "b"),
    "gatherFunc": ("a", "b"),
    "applyMerge": ("a", "b"),
    "isActive": ("update",),
    "isSource": ("prop",),
    "priority": ("prop",),
}


@dataclass(frozen=True)
class Scalar:
    """A parameter that reaches C++."""

    name: str
    kind: str  # vertex, integer, real, flag
    low: float = -HIGHEST
    high: float = HIGHEST


@dataclass(frozen=True)
class Input:
    """A value per vertex that applyFunc reads: a C++ expression of v, or an array when it is None."""

    name: str
    expression: str | None


@dataclass
class Definition:
    """All that decides the C++ of an algorithm."""

    name: str
    outline: Outline
    prop: str  # as in NUMBERS; "fixed" too
    edge_prop: str | None
    bodies: dict[str, str] = field(default_factory=dict)  # hooks given by name
    scalars: list[Scalar] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    initial: str | None = None  # an expression of v; None: an array
    arg: str | None = None
    identity: str | None = None
    finish: str | None = None
    value_type: str = "uint32"
    until: str = "no_active"  # no_active, no_change, steps, tol
    scale: int | None = None  # of fixed point; None: chosen per graph
    view: str = "forward"
    traits: dict[str, bool] = field(default_factory=dict)
    file_name: str = ""  # what compilers and messages call the snippet

    @property
    def reads_weights(self) -> bool:
        """Whether scatterFunc uses its second argument."""
        if "scatterFunc" in self.bodies:
            return re.search(r"\bedge\b", plain(self.bodies["scatterFunc"])) is not None
        return self.takes("scatterFunc", 1)

    @property
    def is_fixed(self) -> bool:
        """Whether properties are words in a scale."""
        return self.prop == "fixed"

    @property
    def holds_integers(self) -> bool:
        """Whether the word of a property is an integer."""
        return self.is_fixed or "float" not in self.prop

    @property
    def word(self) -> str:
        """C++ type of a property."""
        return "std::uint32_t" if self.is_fixed else NUMBERS[self.prop]

    @property
    def edge_word(self) -> str:
        """C++ type of an edge's weight."""
        return NUMBERS[self.edge_prop] if self.edge_prop else self.word

    @property
    def counts_extra(self) -> bool:
        """Whether applyFunc counts something itself; that of an expression, and the default, count what changed."""
        body = self.bodies.get("applyFunc")
        if body is not None:
            return is_expression(body) or re.search(r"\bextra\b", plain(body)) is not None
        function = self.outline.functions.get("applyFunc")
        return function is None or function.parameters[3].is_used

    @property
    def measures(self) -> bool:
        """Whether a super-step's change is measured beside what applyFunc counts."""
        return self.is_fixed or self.until in ("no_change", "tol") or self.active_is_change

    @property
    def active_is_change(self) -> bool:
        """Whether "no_active" has to mean "no_change", for applyFunc counts nothing."""
        return self.until == "no_active" and not self.counts_extra

    def takes(self, hook: str, index: int) -> bool:
        """Whether a hook uses a parameter."""
        if hook in self.bodies:
            return True
        function = self.outline.functions.get(hook)
        return function is not None and function.parameters[index].is_used


def is_expression(body: str) -> bool:
    """Whether a hook's body is a value, not statements."""
    code = plain(body)
    return ";" not in code and "return" not in code.split()


def arg_type(d: Definition, scalar: Scalar) -> str:
    """C++ type of a parameter in Arg."""
    if scalar.kind == "real":
        if d.is_fixed:
            return "std::uint32_t"
        return d.word if d.prop in ("float32", "float64") else "double"
    return {"vertex": "std::uint32_t", "integer": "std::int32_t", "flag": "std::uint32_t"}[scalar.kind]


def uses_arg_struct(d: Definition) -> bool:
    """Whether applyFunc receives all parameters at once."""
    if "applyFunc" in d.bodies:
        return bool(d.scalars)
    function = d.outline.functions.get("applyFunc")
    return d.outline.has_struct or (function is not None and function.parameters[4].type == "Arg")


def takes_arg_struct(d: Definition) -> bool:
    """Whether the outline shows an applyFunc that receives all parameters at once."""
    if "applyFunc" in d.bodies:
        return True
    function = d.outline.functions.get("applyFunc")
    return function is not None and function.parameters[4].type == "Arg"
