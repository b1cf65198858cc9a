# SPDX-License-Identifier: Apache-2.0
"""Local arrays with a variable index that are neither partitioned nor declared as memories.

A tool may put such an array into a memory with two ports, and a loop that touches more of it in a trip has II > 1.
"""

from __future__ import annotations

import re

from .ir import NAME, Function

_PRAGMA = re.compile(r"^[ \t]*#pragma HLS (ARRAY_PARTITION|BIND_STORAGE)\b.*?\bvariable\s*=\s*([\w.>-]+)", re.M)
_ADDRESS = re.compile(rf"getelementptr(?: inbounds| nuw| nusw)* [^\n]*?, ptr ({NAME})((?:, i\d+ [^,\n]+)*)$")


def declared(preprocessed: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the arrays that a source partitions, and those that it makes memories, by the variable's name."""
    found: dict[str, set[str]] = {"ARRAY_PARTITION": set(), "BIND_STORAGE": set()}
    for kind, name in _PRAGMA.findall(preprocessed):
        found[kind].add(re.split(r"\.|->", name.removeprefix("this->"))[0])
    return frozenset(found["ARRAY_PARTITION"]), frozenset(found["BIND_STORAGE"])


def variable_name(local: str) -> str:
    """Return the source's name of a local array: inlining numbers it, splitting a struct adds to it."""
    return re.split(r"[.\d]", local[1:], maxsplit=1)[0]


def undeclared(function: Function, names: frozenset[str]) -> dict[str, int]:
    """Return how many variable indices each array has that is not among `names`."""
    lines = [i for block in function.blocks.values() for i in block]
    found = {}
    for i in lines:
        if i.op != "alloca" or variable_name(i.target) in names:
            continue
        base, indices, before = {i.target}, set(), 0
        while len(base) > before:
            before = len(base)
            for g in lines:
                if g.op == "getelementptr" and (m := _ADDRESS.match(g.text)) and m[1] in base:
                    base.add(g.target)
                    if "%" in m[2]:
                        indices.add(m[2])
        if indices:
            found[i.target[1:]] = len(indices)
    return found
