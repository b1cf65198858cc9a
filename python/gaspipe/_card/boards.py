# SPDX-License-Identifier: Apache-2.0
"""Reads the boards: the `kBoard` of the headers in hls/device."""

from __future__ import annotations

import ast
import os
import re
from typing import Any, NamedTuple

_UNITS = {"kMegabyte": 1 << 20, "kGigabyte": 1 << 30, "MemoryKind::kDdr": '"DDR"', "MemoryKind::kHbm": '"HBM"'}


class Board(NamedTuple):
    """A board, as in hls/device/board.h; 0 is unknown."""

    name: str
    platform: str
    memory: str  # DDR or HBM
    num_banks: int
    bytes_per_bank: int
    peak_bytes_per_second: float
    efficiency: float
    slrs: tuple[tuple[int, int], ...]  # URAM and BRAM blocks of each
    clock_mhz: int

    @property
    def num_uram(self) -> int:
        """URAM blocks of the whole chip."""
        return sum(uram for uram, _ in self.slrs)


def names(include: str) -> list[str]:
    """Names of the known boards."""
    files = os.listdir(os.path.join(include, "hls", "device"))
    return sorted(file[:-2] for file in files if file.endswith(".h") and file != "board.h")


def read(include: str, name: str) -> Board:
    """Return a board by its name; a ValueError lists those that are known."""
    if name not in names(include):
        raise ValueError(f"board is {name!r}; known are {', '.join(names(include))}")
    with open(os.path.join(include, "hls", "device", f"{name}.h"), encoding="utf-8") as file:
        return parse(file.read())


def parse(text: str) -> Board:
    """Board that a header describes."""
    found = re.search(r"constexpr Board kBoard = (\{.*?\});", re.sub(r"//[^\n]*", "", text), re.DOTALL)
    if found is None:
        raise ValueError("the header has no `constexpr Board kBoard = {...};`")
    words = re.compile("|".join(_UNITS))
    python = words.sub(lambda word: str(_UNITS[word[0]]), found[1]).translate({ord("{"): "(", ord("}"): ",)"})
    python = re.sub(r",\s*,", ",", " ".join(python.split()))
    name, platform, memory, num_slrs, slrs, clock, *_ = _value(ast.parse(python, mode="eval"))
    kind, banks, size, peak, efficiency, *_ = memory  # what follows is for predictions alone
    return Board(name, platform, kind, banks, size, peak, efficiency, slrs[:num_slrs], clock)


def _value(node: ast.AST) -> Any:
    """Value of literals, tuples, and products and quotients of numbers; nothing else is evaluated."""
    if isinstance(node, ast.Expression):
        return _value(node.body)
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Tuple):
        return tuple(_value(item) for item in node.elts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        left, right = _value(node.left), _value(node.right)
        return left * right if isinstance(node.op, ast.Mult) else left / right
    raise ValueError(f"a board's header holds numbers and strings, not {ast.unparse(node)!r}")
