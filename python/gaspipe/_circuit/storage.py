# SPDX-License-Identifier: Apache-2.0
"""Arrays of a leaf: registers, memories of the chip, tables, and ports to memory outside.

A local array becomes registers, a scalar each; with more than BIG of them, or named by BIND_STORAGE, it is a memory of
rows (the elements of its outermost dimension) that is read combinationally and written at the end of the cycle. A
static array is such a memory too. A parameter that is loaded from or stored to is a port of WORD bytes a word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .ir import CircuitError, Function, Module, Type, typed
from .pointers import Either, Index, Place, Pointer, Pointers
from .wires import is_name, register

BIG = 600
WORD = 64


@dataclass(frozen=True)
class Access:
    """Of a word of memory outside, in a cycle."""

    port: str
    block: str
    condition: str
    address: str
    data: str = ""  # for writing, with the bytes of the word that it covers
    offset: int = 0
    size: int = 0


@dataclass(frozen=True)
class RowWrite:
    """Of a memory of the chip: bits [low, high) of a row."""

    memory: str
    row: str
    low: int
    high: int
    data: str
    condition: str


class Storage(Pointers):
    """Wires and pointers, with what they lead to."""

    def __init__(self, module: Module, function: Function, memories: frozenset[str] = frozenset()) -> None:
        super().__init__(module, function)
        self.cells: dict[str, list[tuple[int, int]]] = {}  # of the arrays in registers: offset and size
        self.arrays: dict[str, Type] = {}
        self.memories: dict[str, tuple[int, int, int]] = {}  # rows, bytes of a row, content as it starts
        for lines in function.blocks.values():
            for i in lines:
                if i.op == "alloca":
                    self._declare(i.target, re.sub(r", align \d+$", "", i.text[7:]), memories)
        self.held: dict[str, dict[int, str | None]] = {}  # of the state at hand: what is in each register
        self.row_writes: list[RowWrite] = []
        self.row_reads: dict[str, dict[str, str]] = {}  # of the state at hand: wires by memory and row
        self.accesses: list[Access] = []
        self.keeps = False  # the block at hand may be left out, and its arrays be in use where it is
        self.ports: dict[str, set[str]] = {}  # of memory outside: "read", "write"
        self.row_wires: list[tuple[str, int, str, str]] = []  # all reads of rows: wire, bits, memory, row

    def _declare(self, name: str, type_text: str, memories: frozenset[str]) -> None:
        t = self.module.type(type_text)
        self.arrays[name] = t
        cells = list(t.cells())
        if t.kind == "array" and (len(cells) > BIG or re.split(r"[.\d]", name[1:], maxsplit=1)[0] in memories):
            assert t.element is not None
            self.memories[name] = t.count, t.element.size, 0
        else:
            self.cells[name] = cells

    def begin(self) -> None:
        """Begin a state: registers hold what earlier cycles left."""
        self.values, self.pointers = {}, {}
        self.held = {a: {o: f"{register(a)}_{o}" for o, _ in cells} for a, cells in self.cells.items()}
        self.row_writes, self.row_reads, self.accesses = [], {}, []

    def forget(self, base: str) -> None:
        """End what an array held: its lifetime starts."""
        if base in self.held and not self.keeps:
            self.held[base] = dict.fromkeys(self.held[base])

    # Registers.

    def read_cells(self, base: str, offset: int, size: int) -> str:
        """Return bytes [offset, offset + size) of an array in registers."""
        out, at = [], offset
        for o, s in self.cells[base]:
            if o + s <= offset or o >= offset + size:
                continue
            if o > at:
                out.append(f"{8 * (o - at)}'d0")
                at = o
            low, high = max(o, offset) - o, min(o + s, offset + size) - o
            name = self.held[base][o] or f"{8 * s}'d0"
            if (low, high) != (0, s):
                name = f"{8 * (high - low)}'d0" if "'" in name else f"{name}[{8 * high - 1}:{8 * low}]"
            out.append(name)
            at = o + high
        if at < offset + size:
            out.append(f"{8 * (offset + size - at)}'d0")
        return out[0] if len(out) == 1 else "{" + ", ".join(out[::-1]) + "}"

    def write_cells(self, base: str, offset: int, size: int, data: str, condition: str) -> None:
        """Write a wire of 8 * size bits."""
        for o, s in self.cells[base]:
            if o + s <= offset or o >= offset + size:
                continue
            low, high = max(o, offset), min(o + s, offset + size)
            whole = (low, high) == (offset, offset + size)
            piece = data if whole else f"{data}[{8 * (high - offset) - 1}:{8 * (low - offset)}]"
            old = self.held[base][o]
            if old is None and (low, high) == (o, o + s):
                self.held[base][o] = piece if is_name(piece) else self.wire(8 * s, piece, "m")
                continue
            if old is None:
                old = self.wire(8 * s, f"{8 * s}'d0", "m")
            if (low, high) != (o, o + s):
                parts = [f"{old}[{8 * s - 1}:{8 * (high - o)}]"] if high < o + s else []
                parts.append(piece)
                if low > o:
                    parts.append(f"{old}[{8 * (low - o) - 1}:0]")
                piece = "{" + ", ".join(parts) + "}"
            certain = condition == "1'd1" and is_name(piece)
            self.held[base][o] = piece if certain else self.wire(8 * s, f"{condition} ? {piece} : {old}", "m")

    # Any pointer.

    def load(self, size: int, pointer: Pointer, block: str, condition: str, *, copy: bool = False) -> str:
        """Return `size` bytes that a pointer points to; `copy` for those of a memcpy."""
        if isinstance(pointer, Either):
            then = self.load(size, pointer.then, block, condition, copy=copy)
            other = self.load(size, pointer.other, block, condition, copy=copy)
            return self.wire(8 * size, f"{pointer.condition} ? {then} : {other}", "l")
        base = pointer.base
        if base in self.module.constants:
            return self._load_constant(size, pointer)
        if self._is_memory(base):
            return self._load_row(size, pointer)
        if base not in self.cells:
            return self._load_word(size, pointer, block, condition)
        if not pointer.indices:
            expression = self.read_cells(base, pointer.offset, size)
            return expression if copy else self.wire(8 * size, expression, "l")
        places = self.places(pointer, size, self.arrays[base].size)
        if len(pointer.indices) == 1 and not copy:
            bits = max(1, (len(places) - 1).bit_length())
            index = self.wire(bits, pointer.indices[0].wire, "i")
            return self.tree([self.read_cells(base, o, size) for o, _ in places], index, bits, 8 * size)
        expression = f"{8 * size}'d0"
        for k, (o, chosen) in enumerate(places[::-1] if copy else places):
            read = self.read_cells(base, o, size)
            expression = read if copy and k == 0 else f"{chosen} ? {read} : {expression}"
        return expression if copy else self.wire(8 * size, expression, "x")

    def store(self, size: int, data: str, pointer: Pointer, block: str, condition: str) -> None:
        """Write a wire of 8 * size bits where a pointer points to."""
        if isinstance(pointer, Either):
            first = self.wire(1, f"{condition} & {pointer.condition}", "c")
            second = self.wire(1, f"{condition} & ~{pointer.condition}", "c")
            self.store(size, data, pointer.then, block, first)
            self.store(size, data, pointer.other, block, second)
        elif self._is_memory(pointer.base):
            memory, row, at = self._row(size, pointer)
            self.row_writes.append(RowWrite(memory, row, 8 * at, 8 * (at + size), data, condition))
        elif pointer.base not in self.cells:
            address, at = self._word(size, pointer)
            self.ports.setdefault(pointer.base, set()).add("write")
            self.accesses.append(Access(pointer.base, block, condition, address, data, at, size))
        elif not pointer.indices:
            self.write_cells(pointer.base, pointer.offset, size, data, condition)
        else:
            for o, chosen in self.places(pointer, size, self.arrays[pointer.base].size):
                self.write_cells(pointer.base, o, size, data, self.wire(1, f"{condition} & {chosen}", "c"))

    # Tables, memories of the chip, memory outside.

    def _load_constant(self, size: int, place: Place) -> str:
        content = self.module.bytes_of(self.module.constants[place.base])
        offset = place.offset
        if not place.indices:
            return f"{8 * size}'d{int.from_bytes(content[offset : offset + size], 'little')}"
        index = self._only_index(place)
        count = index.count or (len(content) - offset) // index.stride
        table = 0
        for k in range(count):
            at = offset + k * index.stride
            table |= int.from_bytes(content[at : at + size], "little") << (8 * size * k)
        bits = max(1, (count - 1).bit_length())
        return self.wire(8 * size, f"{self.rom(count, 8 * size, table)}[{self.wire(bits, index.wire, 'i')}]", "rom")

    def _only_index(self, place: Place) -> Index:
        if len(place.indices) != 1:
            raise CircuitError(f"{len(place.indices)} variable indices into one memory")
        return place.indices[0]

    def _is_memory(self, base: str) -> bool:
        if base in self.module.variables and base not in self.memories:
            initializer = self.module.variables[base]
            t = self.module.type(typed(initializer)[0])
            if t.kind != "array" or t.element is None:
                raise CircuitError(f"the variable {base[1:]} outlives a call and is no memory")
            content = int.from_bytes(self.module.bytes_of(initializer), "little")
            self.arrays[base], self.memories[base] = t, (t.count, t.element.size, content)
        return base in self.memories

    def _row(self, size: int, place: Place) -> tuple[str, str, int]:
        """Return a memory, its row, and the byte of that."""
        rows, width, _ = self.memories[place.base]
        number, at = divmod(place.offset, width)
        if any(index.stride % width for index in place.indices) or at + size > width:
            raise CircuitError(f"a part of the rows of {place.base[1:]} that is not the same in each")
        row = self._sum([(i, i.stride // width) for i in place.indices], number, max(1, (rows - 1).bit_length()))
        return register(place.base), row, at

    def _sum(self, terms: list[tuple[Index, int]], constant: int, bits: int) -> str:
        if not terms:
            return f"{bits}'d{constant}"
        if len(terms) == 1 and terms[0][1] == 1 and constant == 0:
            return terms[0][0].wire
        sums = [index.wire if factor == 1 else f"({index.wire} * {factor})" for index, factor in terms]
        return self.wire(terms[0][0].bits, " + ".join([*sums, f"{terms[0][0].bits}'d{constant}"]), "a")

    def _load_row(self, size: int, place: Place) -> str:
        memory, row, at = self._row(size, place)
        if any(w.memory == memory for w in self.row_writes):
            raise CircuitError(f"{place.base[1:]} is read after it was written in the same cycle")
        width = self.memories[place.base][1]
        rows = self.row_reads.setdefault(memory, {})
        if row not in rows:
            rows[row] = self.wire(8 * width, f"{memory}[{row}]", "ram")
            self.row_wires.append((rows[row], 8 * width, memory, row))
        if size == width:
            return rows[row]
        return self.wire(8 * size, f"{rows[row]}[{8 * (at + size) - 1}:{8 * at}]", "ram")

    def _word(self, size: int, place: Place) -> tuple[str, int]:
        if place.base not in (name for _, name in self.function.params):
            raise CircuitError(f"memory of unknown size at {place.base[1:]}")
        number, at = divmod(place.offset, WORD)
        if any(index.stride % WORD for index in place.indices) or at + size > WORD:
            raise CircuitError(f"a part of the words of {place.base[1:]} that is not the same in each")
        return self._sum([(i, i.stride // WORD) for i in place.indices], number, 64), at

    def _load_word(self, size: int, place: Place, block: str, condition: str) -> str:
        address, at = self._word(size, place)
        self.ports.setdefault(place.base, set()).add("read")
        self.accesses.append(Access(place.base, block, condition, address))
        data = f"{port_name(place.base)}_rdata"
        return data if size == WORD else self.wire(8 * size, f"{data}[{8 * (at + size) - 1}:{8 * at}]", "l")


def port_name(name: str) -> str:
    """Return the name of a parameter's ports."""
    return re.sub(r"\W", "_", name[1:])
