# SPDX-License-Identifier: Apache-2.0
"""A leaf as a circuit: for each state the wires of its cycle, the FIFO operations, and what registers hold next."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field

from .control import Control
from .ir import CircuitError, Instruction, Module, split, typed
from .operations import Operations, stream_of
from .pointers import Either, Pointer
from .storage import Access, RowWrite
from .wires import is_name, register

_PHI_ARM = re.compile(r"\[ (.*?) \](?:,|$)")


@dataclass(frozen=True)
class Transfer:
    """A token that a cycle takes from a FIFO (`data` is "") or puts into one."""

    stream: tuple[str, int]
    block: str
    condition: str
    data: str = ""


@dataclass(frozen=True)
class Ask:
    """A word of memory outside that a loop comes to: its number, and where the loop ends."""

    port: str
    condition: str
    at: str
    last: str


@dataclass
class Stream:
    """A FIFO port."""

    is_input: bool
    size: int  # bytes of a token


@dataclass
class State:
    """What a cycle does."""

    blocks: list[str]
    transfers: list[Transfer] = field(default_factory=list)
    nexts: list[tuple[str, int]] = field(default_factory=list)  # condition and state
    ends: list[str] = field(default_factory=list)  # conditions under which the leaf returns
    phis: list[tuple[str, str, str]] = field(default_factory=list)  # value, condition, what it is next
    values: dict[str, str] = field(default_factory=dict)
    held: dict[str, dict[int, str | None]] = field(default_factory=dict)
    row_writes: list[RowWrite] = field(default_factory=list)
    row_reads: dict[str, dict[str, str]] = field(default_factory=dict)
    accesses: list[Access] = field(default_factory=list)
    asks: list[Ask] = field(default_factory=list)
    late: dict[str, str] = field(default_factory=dict)  # Control.late, with the conditions under which they are reached


class Datapath(Operations):
    """A leaf's circuit."""

    def __init__(
        self, module: Module, name: str, memories: frozenset[str] = frozenset(), *, joined: bool = False
    ) -> None:
        function = module.function(name)
        super().__init__(module, function, memories)
        self.control = Control(function, joined=joined)
        function.blocks = self.control.blocks
        self.streams: dict[tuple[str, int], Stream] = {}
        self._phis: set[str] = set()
        self._edges: dict[tuple[str, str], str] = {}
        self._state = State([])
        parameters = {name for _, name in function.params}
        several = {
            m[1]
            for lines in function.blocks.values()
            for i in lines
            if (m := re.match(r"getelementptr.*, ptr (%\w+), (?:i64 0, )*i64 [1-9]", i.text)) and m[1] in parameters
        }
        self._arrays_of_streams = several
        self.states = [self._run(s) for s in self.control.states]

    def is_phi(self, value: str) -> bool:
        """Whether a value is one that the edges to a state decide."""
        return value in self._phis

    def stream_name(self, stream: tuple[str, int]) -> str:
        """Return the name of a FIFO's ports."""
        base, offset = stream
        name = re.sub(r"\W", "_", base[1:])
        several = base in self._arrays_of_streams or sum(s[0] == base for s in self.streams) > 1
        return f"{name}_{offset}" if offset or several else name

    def _run(self, name: str) -> State:
        """Fill the datapath of a state."""
        self.begin()
        for kind, parameter in self.function.params:
            if kind != "ptr":
                self.values[parameter] = "p_" + parameter[1:]
        self._edges = {}
        state = self._state = State(self.control.region(name))
        late = self.control.late(name)
        for block in state.blocks:
            if block == name:
                condition = "1'd1"
            else:
                arriving = [wire for (_, to), wire in self._edges.items() if to == block]
                condition = arriving[0] if len(arriving) == 1 else self.wire(1, " | ".join(arriving), "b")
            self.keeps = block in late
            if self.keeps:
                state.late[block] = condition
            for i in self.control.blocks[block]:
                try:
                    self._instruction(i, block, name, condition)
                except CircuitError as error:
                    raise CircuitError(error.reason, error.where or self.module.where(i.location)) from None
            self._leave(block, condition)
        state.values = dict(self.values)
        state.held = {a: dict(cells) for a, cells in self.held.items()}
        state.row_writes, state.row_reads, state.accesses = self.row_writes, self.row_reads, self.accesses
        return state

    def _instruction(self, i: Instruction, block: str, state: str, condition: str) -> None:
        if i.op in ("br", "ret", "switch", "unreachable", "alloca"):
            return
        if i.op == "phi":
            self._phi(i, block, block == state)
        elif i.op == "getelementptr":
            self.set_address(i.target, i.text)
        elif i.op == "load":
            parts = split(i.text[5:])
            bits = self.bits_of(parts[0])
            size = self.module.type(parts[0]).size
            x = self.load(size, self.pointer(typed(parts[1])[1]), block, condition)
            self.set(i.target, bits, f"{x}[{bits - 1}:0]" if bits != 8 * size and is_name(x) else x)
        elif i.op == "store":
            parts = split(i.text[6:])
            type_text, value = typed(parts[0])
            bits, size = self.bits_of(type_text), self.module.type(type_text).size
            data = self.wire(8 * size, self.value(value, bits), "st")
            self.store(size, data, self.pointer(typed(parts[1])[1]), block, condition)
        elif i.op == "call":
            self._call(i, block, condition)
        else:
            self.compute(i)

    def _phi(self, i: Instruction, block: str, begins_state: bool) -> None:
        type_text, rest = typed(i.text[4:])
        arms = [(a.rsplit(",", 1)[0].strip(), a.rsplit(",", 1)[1].strip()) for a in _PHI_ARM.findall(rest)]
        if type_text == "ptr":
            if begins_state:
                raise CircuitError("a pointer that changes from cycle to cycle")
            pointer: Pointer | None = None
            for value, source in arms[::-1]:
                if edge := self._edges.get((source, block)):
                    arm = self.pointer(value)
                    pointer = arm if pointer is None or pointer == arm else Either(edge, arm, pointer)
            assert pointer is not None
            self.pointers[i.target] = pointer
            return
        bits = self.bits_of(type_text)
        if begins_state:
            self.registers[i.target] = bits
            self._phis.add(i.target)
            self.values[i.target] = register(i.target)
            return
        expression = ""
        for value, source in arms[::-1]:
            if edge := self._edges.get((source, block)):
                x = self.value(value, bits)
                expression = f"{edge} ? {x} : {expression}" if expression else x
        self.set(i.target, bits, expression)

    def _call(self, i: Instruction, block: str, condition: str) -> None:
        m = re.match(r"call (?:[\w()]+ )*?(?:void|i\d+|ptr|float|double|%\S+|\{[^}]*\}) @([\w.$]+)\((.*)\)", i.text)
        if m is None:
            raise CircuitError("a call of a function that is not a constant")
        name, args = m[1], split(m[2])
        if name in ("__fifo_pop", "__fifo_push"):
            self._transfer(name == "__fifo_pop", args, block, condition)
        elif name == "__port_word":
            port = self.place(typed(args[0])[1]).base
            at, last = (self.value(typed(a)[1], 32) for a in args[1:])
            self._state.asks.append(Ask(port, condition, at, last))
        elif not (name.startswith("llvm.") and self.intrinsic(i, name, args, block, condition)):
            if name in self.module.functions():  # all that does not call itself was inlined
                raise CircuitError(f"{demangled(name)} calls itself; a circuit has no stack", self._own_call(name))
            raise CircuitError(f"a call of {demangled(name)}, which is no part of the circuit")

    def _own_call(self, name: str) -> str:
        """Return where a function calls itself; "" if it does so by way of another."""
        lines = (i for block in self.module.function(name).blocks.values() for i in block)
        return next((self.module.where(i.location) for i in lines if i.op == "call" and f"@{name}(" in i.text), "")

    def _transfer(self, is_input: bool, args: list[str], block: str, condition: str) -> None:
        stream = stream_of(self.place(typed(args[0])[1]))
        size = int(typed(args[2])[1])
        token = self.place(typed(args[1])[1])
        if token.offset or token.indices:
            raise CircuitError("a token that is part of an array")
        self.streams.setdefault(stream, Stream(is_input, size))
        if is_input:
            self._state.transfers.append(Transfer(stream, block, condition))
            self.write_cells(token.base, 0, size, self.stream_name(stream) + "_dout", condition)
        else:
            data = self.wire(8 * size, self.read_cells(token.base, 0, size), "d")
            self._state.transfers.append(Transfer(stream, block, condition, data))

    def _leave(self, block: str, condition: str) -> None:
        """Follow the last instruction of a block."""
        text = self.control.blocks[block][-1].text
        if text.startswith("ret"):
            self._state.ends.append(condition)
        for target, edge in self._arms(text, block, condition):
            if target not in self.control.states:
                known = self._edges.get((block, target))
                self._edges[block, target] = self.wire(1, f"{known} | {edge}", "e") if known else edge
                continue
            self._state.nexts.append((edge, self.control.states.index(target)))
            for i in self.control.blocks[target]:
                if i.op != "phi":
                    continue
                type_text, rest = typed(i.text[4:])
                for arm in _PHI_ARM.findall(rest):
                    value, source = arm.rsplit(",", 1)
                    if source.strip() == block:
                        self._state.phis.append((i.target, edge, self.value(value, self.bits_of(type_text))))

    def _arms(self, text: str, block: str, condition: str) -> list[tuple[str, str]]:
        following = self.control.successors[block]
        if text.startswith("br label"):
            return [(following[0], condition)]
        if text.startswith("br"):
            m = re.match(r"br i1 ([^,]+),", text)
            assert m is not None
            chosen = self.value(m[1], 1)
            yes = self.wire(1, f"{condition} & {chosen}", "e")
            return [(following[0], yes), (following[1], self.wire(1, f"{condition} & ~{chosen}", "e"))]
        if not text.startswith("switch"):
            return []
        m = re.match(r"switch (\S+) ([^,]+), label (\S+) \[(.*)\]", text)
        assert m is not None
        bits = self.bits_of(m[1])
        x = self.value(m[2], bits)
        arms, cases = [], []
        for value, label in re.findall(r"i\d+ (-?\d+), label (%\S+)", m[4]):
            case = f"({x} == {bits}'d{int(value) & (1 << bits) - 1})"
            cases.append(case)
            arms.append((label, self.wire(1, f"{condition} & {case}", "e")))
        return [*arms, (m[3], self.wire(1, f"{condition} & ~({' | '.join(cases) or chr(49) + chr(39) + 'd0'})", "e"))]


def demangled(name: str) -> str:
    """Return a function's name as the source has it."""
    try:
        done = subprocess.run(["c++filt", "-p", name], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    except OSError:
        return name
    return done.stdout.strip() or name
