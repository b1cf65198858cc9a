# SPDX-License-Identifier: Apache-2.0
"""A block in a chain: its kind, and what its ports are connected to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .._core import InputError
from . import types
from .specs import Spec, Stream

POLICIES = {"overwrite": "Overwrite<{P}>", "least": "KeepLeast<{P}>"}
ORDERS = {"ascending": "SeqCoalescer", "any": "BestEffortCoalescer"}


@dataclass
class Part:
    """`streams` and `arrays` are names in the chain, by port."""

    name: str
    spec: Spec
    streams: dict[str, str]
    arrays: dict[str, str]
    functor: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    args: tuple[Any, Any] = (0, 0)
    types: dict[str, str] = field(default_factory=dict)  # what its variables stand for

    @classmethod
    def make(cls, name: str, spec: Spec, wires: dict[str, Any]) -> Part:
        ports, arrays = {p.name for p in spec.ports}, {a.name for a in spec.arrays}
        known = [*ports, *arrays, *(("functor", "value") if spec.functor else ()), *spec.options]
        for key, value in wires.items():
            if key not in known:
                raise InputError(f"block {name} has no {key!r}; it has {', '.join(sorted(known))}")
            if key in ports | arrays and not isinstance(value, str):
                raise InputError(f"{key} of block {name} is {value!r}; the name of a stream or an array is needed")
        part = cls(
            name,
            spec,
            {key: value for key, value in wires.items() if key in ports},
            {key: value for key, value in wires.items() if key in arrays},
            wires.get("functor"),
            {**spec.options, **{key: value for key, value in wires.items() if key in spec.options}},
        )
        part._check_options()
        if "value" in wires:
            part.types["V"] = types.cpp_type(wires["value"], f"value of block {name}")
        return part

    def _check_options(self) -> None:
        options, name = self.options, self.name
        if self.spec.functor and not isinstance(self.functor, str):
            raise InputError(
                f"block {name} needs functor=, the body of a struct in C++ with {', '.join(self.spec.functor)}"
            )
        throttle = options.get("throttle", 1)
        if not isinstance(throttle, int) or isinstance(throttle, bool) or not 1 <= throttle <= 1024:
            raise InputError(f"throttle of block {name} is {throttle!r}; 1 to 1024 cycles are allowed")
        if options.get("order", "any") not in ORDERS:
            raise InputError(f"order of block {name} is {options['order']!r}; allowed are {', '.join(ORDERS)}")
        policy = options.get("policy", "least")
        if not isinstance(policy, str) or (policy not in POLICIES and "{" not in policy):
            raise InputError(
                f"policy of block {name} is {policy!r}; allowed are {', '.join(POLICIES)}, or the body of a struct in "
                "C++ with kReadsOld, merge and update"
            )
        if "dtype" in options:
            options["dtype"] = types.cpp_type(options["dtype"], f"dtype of block {name}")
        if "args" in options:
            args = options["args"]
            if not isinstance(args, (tuple, list)) or len(args) > 2:
                raise InputError(f"args of block {name} are {args!r}; at most two numbers or names are allowed")
            self.args = (*args, *(0,) * (2 - len(args)))

    def used(self, port: Stream) -> bool:
        return port.name in self.streams or not port.optional

    @property
    def inputs(self) -> list[Stream]:
        return [port for port in self.spec.inputs if self.used(port)]

    @property
    def outputs(self) -> list[Stream]:
        return [port for port in self.spec.outputs if self.used(port)]

    @property
    def tasks(self) -> tuple[str, ...]:
        """Those for the optional ports that are wired."""
        optional = frozenset(p.name for p in self.spec.ports if p.optional and p.name in self.streams)
        if not optional:
            return self.spec.tasks
        if optional not in self.spec.alternatives:
            wanted = " or ".join(", ".join(sorted(ports)) for ports in self.spec.alternatives)
            raise InputError(f"block {self.name} takes {wanted} together, found {', '.join(sorted(optional))}")
        return self.spec.alternatives[optional]

    @property
    def numbers(self) -> list[str]:
        """Names of the numbers that a run gives it."""
        return [*self.spec.scalars, *(arg for arg in self.args if isinstance(arg, str))]

    @property
    def policy(self) -> str:
        """Struct of elem_update's policy."""
        return POLICIES.get(self.options["policy"], f"{self.name}_policy")

    @property
    def coalescer(self) -> str:
        return f"{ORDERS[self.options['order']]}<{{P}}, {self.policy}>"
