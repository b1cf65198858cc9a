# SPDX-License-Identifier: Apache-2.0
"""What pointers of a leaf point to: a place in an array, by a constant offset and variable indices, or one of two."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from typing import Union

from .ir import CircuitError, Function, Module, split, typed
from .wires import Wires


@dataclass(frozen=True)
class Index:
    """A variable index: its wire, how many bytes it counts, and how many values it has (None: any)."""

    wire: str
    bits: int
    stride: int
    count: int | None


@dataclass(frozen=True)
class Place:
    """An address: an array (local, global or a parameter), a constant offset and indices."""

    base: str
    offset: int
    indices: tuple[Index, ...] = ()


@dataclass(frozen=True)
class Either:
    """One of two pointers, by a condition."""

    condition: str
    then: Pointer
    other: Pointer


Pointer = Union[Place, Either]


class Pointers(Wires):
    """Wires, with the pointers of a leaf."""

    def __init__(self, module: Module, function: Function) -> None:
        super().__init__(module, function)
        self.pointers: dict[str, Pointer] = {}  # of the state at hand
        self.constant_pointers: dict[str, Pointer] = {
            name: Place(name, 0) for kind, name in function.params if kind == "ptr"
        }
        self._addresses: dict[str, str] = {}
        for lines in function.blocks.values():
            for i in lines:
                if i.op == "alloca":
                    self.constant_pointers[i.target] = Place(i.target, 0)
                elif i.op == "getelementptr":
                    self._addresses[i.target] = _without_flags(i.text)
        for name, text in self._addresses.items():  # constants are so wherever they are defined
            with contextlib.suppress(CircuitError):
                place = self.address(text)
                if isinstance(place, Place) and not place.indices:
                    self.constant_pointers[name] = place
        self.values.clear()
        self.registers.clear()

    def pointer(self, text: str) -> Pointer:
        """Return what a pointer of the code points to."""
        text = text.strip()
        if text in self.pointers:
            return self.pointers[text]
        if text in self.constant_pointers:
            return self.constant_pointers[text]
        if text.startswith("@"):
            return Place(text, 0)
        if m := re.fullmatch(r"getelementptr (?:inbounds )?(?:nuw )?\((.*)\)", text):
            return self.address(m[1])
        if text in self._addresses:  # defined in an earlier cycle, from values that registers hold
            return self.address(self._addresses[text])
        raise CircuitError(f"the pointer {text} is none that a circuit is made of")

    def place(self, text: str) -> Place:
        """Return what a pointer points to, which is not one of two."""
        found = self.pointer(text)
        if isinstance(found, Either):
            raise CircuitError("a stream or token that is one of two by a condition")
        return found

    def set_address(self, target: str, text: str) -> None:
        """Give a pointer of the code its place."""
        self.pointers[target] = self.address(_without_flags(text))

    def address(self, text: str) -> Pointer:
        """Return the place of a getelementptr's operands."""
        parts = split(text)
        return self._shift(self.pointer(typed(parts[1])[1]), parts)

    def _shift(self, pointer: Pointer, parts: list[str]) -> Pointer:
        if isinstance(pointer, Either):
            return Either(pointer.condition, self._shift(pointer.then, parts), self._shift(pointer.other, parts))
        t = self.module.type(parts[0])
        offset, indices = pointer.offset, list(pointer.indices)
        for k, index in enumerate(parts[2:]):
            index_type, value = typed(index)
            constant = re.fullmatch(r"-?\d+", value)
            if k > 0 and t.kind == "struct":
                at, t = t.fields[int(value)]
                offset += at
                continue
            count = None
            if k > 0:
                assert t.element is not None
                count, t = t.count, t.element
            if constant:
                offset += int(value) * t.size
            else:
                bits = self.bits_of(index_type)
                indices.append(Index(self.value(value, bits), bits, t.size, count))
        return Place(pointer.base, offset, tuple(indices))

    def places(self, place: Place, size: int, total: int) -> list[tuple[int, str | None]]:
        """Return all constant offsets that a place of an array of `total` bytes may have, with their conditions."""
        found: list[tuple[int, str | None]] = [(place.offset, None)]
        for index in place.indices:
            grown: list[tuple[int, str | None]] = []
            for offset, condition in found:
                count = index.count
                if count is None:
                    count = max(1, (total - offset - size) // index.stride + 1)
                for k in range(count):
                    at = offset + k * index.stride
                    if at + size > total:
                        continue
                    chosen = f"({index.wire} == {index.bits}'d{k})"
                    grown.append((at, chosen if condition is None else f"{condition} & {chosen}"))
            found = grown
        return found


def _without_flags(text: str) -> str:
    return re.sub(r"^getelementptr( inbounds| nuw| nusw)*", "", text).strip()
