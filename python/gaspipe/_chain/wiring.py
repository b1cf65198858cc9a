# SPDX-License-Identifier: Apache-2.0
"""Checks how the blocks of a chain are connected, and finds the types of their streams."""

from __future__ import annotations

from dataclasses import dataclass

from .._core import InputError
from . import types
from .parts import Part
from .specs import Stream


@dataclass
class Wire:
    """A stream of a chain, with the ports at its ends."""

    name: str
    writer: Part
    out: Stream
    reader: Part
    into: Stream
    depth: int
    token: str = ""


@dataclass
class Wired:
    """A chain that can run. Arrays: C++ types by name; `written` of them come back."""

    name: str
    parts: list[Part]
    wires: dict[str, Wire]
    arrays: dict[str, str]
    written: set[str]

    @property
    def numbers(self) -> list[str]:
        """Names of what a run gives besides arrays, each once."""
        return list(dict.fromkeys(number for part in self.parts for number in part.numbers))

    @property
    def ends(self) -> list[tuple[str, str]]:
        """(block, last word) in the order of their streams."""
        found = []
        for part in self.parts:
            found += [(part.name, array.name) for array in part.spec.arrays] + [(part.name, w) for w in part.spec.words]
        return found


def wire(name: str, parts: list[Part], arrays: dict[str, str], depths: dict[str, int]) -> Wired:
    """Connect everything, or raise an InputError that names what cannot be."""
    if not parts:
        raise InputError(f"chain {name} has no blocks; add some")
    for part in parts:
        part.types = {key: value for key, value in part.types.items() if key == "V"}
        _ = part.tasks
        _check_ports(part, arrays)
    wires = _wires(name, parts, depths)
    written = _check_arrays(name, parts, arrays)
    _find_types(parts, wires, arrays)
    _check_circles(name, parts, wires, depths)
    return Wired(name, parts, wires, arrays, written)


def _check_ports(part: Part, arrays: dict[str, str]) -> None:
    for port in part.inputs + part.outputs:
        if port.name not in part.streams:
            what = "reads" if port in part.spec.inputs else "writes"
            raise InputError(f"port {port.name!r} of block {part.name}, which it {what}, is open; name a stream for it")
    for array in part.spec.arrays:
        if array.name not in part.arrays:
            raise InputError(f"array {array.name!r} of block {part.name} is missing; name an array for it")
        if part.arrays[array.name] not in arrays:
            raise InputError(
                f"array {array.name!r} of block {part.name} is {part.arrays[array.name]!r}, which the chain does not "
                f"have; declare it with array(), declared are {', '.join(arrays) or 'none'}"
            )


def _wires(chain: str, parts: list[Part], depths: dict[str, int]) -> dict[str, Wire]:
    writers: dict[str, list[tuple[Part, Stream]]] = {}
    readers: dict[str, list[tuple[Part, Stream]]] = {}
    for part in parts:
        for ends, ports in ((readers, part.inputs), (writers, part.outputs)):
            for port in ports:
                ends.setdefault(part.streams[port.name], []).append((part, port))
    for stream in dict.fromkeys([*writers, *readers]):
        for what, ends in (("writer", writers), ("reader", readers)):
            found = ends.get(stream, [])
            if len(found) > 1:
                listed = " and ".join(f"{part.name}.{port.name}" for part, port in found)
                raise InputError(f"stream {stream!r} has the {what}s {listed}; one is allowed, use another stream")
            if not found:
                other = (readers if what == "writer" else writers)[stream][0]
                raise InputError(
                    f"stream {stream!r} at {other[0].name}.{other[1].name} has no {what}; connect a block to it"
                )
    unknown = [name for name in depths if name not in writers]
    if unknown:
        raise InputError(f"stream {unknown[0]!r} has a depth, and no block of chain {chain} uses it")
    wires = {}
    for stream, [(writer, out)] in writers.items():
        reader, into = readers[stream][0]
        depth = depths.get(stream, max(out.depth, into.depth))
        wires[stream] = Wire(stream, writer, out, reader, into, depth)
    return wires


def _check_arrays(chain: str, parts: list[Part], arrays: dict[str, str]) -> set[str]:
    users: dict[str, list[tuple[Part, bool]]] = {name: [] for name in arrays}
    for part in parts:
        for array in part.spec.arrays:
            users[part.arrays[array.name]].append((part, array.writes))
    for name, found in users.items():
        if not found:
            raise InputError(f"array {name!r} of chain {chain} is used by no block")
        writers = [part.name for part, writes in found if writes]
        others = [part.name for part, _ in found if part.name not in writers[:1]]
        if writers and others:
            raise InputError(
                f"array {name!r} is written by block {writers[0]} and used by {others[0]} in the same run, in no "
                "order; give them two arrays"
            )
    return {name for name, found in users.items() if any(writes for _, writes in found)}


def _find_types(parts: list[Part], wires: dict[str, Wire], arrays: dict[str, str]) -> None:
    for part in parts:
        for array in part.spec.arrays:
            found = arrays[part.arrays[array.name]]
            if not types.match(array.element, found, part.types):
                raise InputError(
                    f"array {part.arrays[array.name]!r} is of {types.DTYPES[found]}; {array.name!r} of block "
                    f"{part.name} needs {types.DTYPES.get(types.filled(array.element, part.types), 'another type')}"
                )
    for _ in range(2 * len(parts) + 1):
        for wire in wires.values():
            ends = [(wire.writer, wire.out), (wire.reader, wire.into)]
            for (part, port), (other, across) in (ends, ends[::-1]):
                known = types.filled(across.token, other.types)
                if types.is_known(known) and not types.match(port.token, known, part.types):
                    raise InputError(
                        f"stream {wire.name!r} carries {types.filled(wire.out.token, wire.writer.types)} from "
                        f"{wire.writer.name}.{wire.out.name}, and {wire.reader.name}.{wire.into.name} takes "
                        f"{types.filled(wire.into.token, wire.reader.types)}; their types must be the same"
                    )
        for part in parts:
            if part.spec.functor and "P" in part.types:
                part.types.setdefault("V", part.types["P"])
    for wire in wires.values():
        wire.token = types.filled(wire.out.token, wire.writer.types)
        if not types.is_known(wire.token):
            raise InputError(f"nothing says what stream {wire.name!r} of {wire.writer.name} carries ({wire.token})")


def _check_circles(chain: str, parts: list[Part], wires: dict[str, Wire], depths: dict[str, int]) -> None:
    """A circle whose streams are all of their usual depth holds as many tokens as happen to fit."""
    after: dict[str, list[Wire]] = {part.name: [] for part in parts}
    for wire in wires.values():
        if wire.name not in depths:
            after[wire.writer.name].append(wire)
    state: dict[str, int] = {}  # 1: on the way, 2: done

    def visit(block: str, way: list[str]) -> None:
        state[block] = 1
        for wire in after[block]:
            name = wire.reader.name
            if state.get(name) == 1:
                circle = " -> ".join([*way[way.index(name) :], name])
                raise InputError(
                    f"blocks {circle} of chain {chain} are a circle without a buffer; give one of its streams a depth "
                    f"that holds all that can be under way: stream({wire.name!r}, depth)"
                )
            if name not in state:
                visit(name, [*way, name])
        state[block] = 2

    for part in parts:
        if part.name not in state:
            visit(part.name, [part.name])
