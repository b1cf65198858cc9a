# SPDX-License-Identifier: Apache-2.0
"""The states of a leaf: what of its code is one clock cycle.

A state begins where a loop's body begins, where a loop is left, and at the leaf's entry; it goes on, as acyclic code,
up to the next state. So one trip through a loop's body, which GASPIPE_PIPELINE(1) promises to start every cycle, is one
cycle. A second operation on one FIFO along a path takes a state of its own: within a loop that is II > 1, and reported.

Between the turns of an inner loop that is two or three cycles for nothing, which matters if they are short, as bursts
are. A leaf may be joined: where an innermost loop is left, or the loop around it begins, there is no state then, unless
a FIFO or memory is used both before it and behind it. (What is behind it may have to wait, and must not hold up what is
before it.) It costs LUTs, and the clock of loops that feed back much.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .ir import Function, Instruction

LABEL = r'label (%(?:"[^"]+"|[\w.$-]+))'
FIFO = r"@__fifo_(?:pop|push)\(ptr (?:[\w() ]*?)(%[\w.$-]+),"


class Control:
    """Blocks, loops and states of a function."""

    def __init__(self, function: Function, *, joined: bool = False) -> None:
        self._joined = joined
        self.blocks = dict(function.blocks)
        self.order = list(self.blocks)
        self.entry = self.order[0]
        self.defined = {i.target: b for b, lines in self.blocks.items() for i in lines if i.target}
        self.slow: list[str] = []  # what makes a loop's II more than 1
        self.loops: dict[str, set[str]] = {}  # the blocks of each, by its first
        self.states: list[str] = []
        self._apart: set[str] = set()  # states that begin at a second operation on a FIFO
        self._passed: set[str] = set()  # where a loop is left or an outer one begins, and no state does
        self._streams: dict[str, str] = {}
        self._parameters = {name for kind, name in function.params if kind == "ptr"}
        self._find_states()
        while self._split_once():
            pass

    def _successors(self, block: str) -> list[str]:
        last = self.blocks[block][-1].text
        return re.findall(LABEL, last) if last.startswith(("br", "switch")) else []

    def _find_states(self) -> None:
        self._addresses = {i.target: i.text for lines in self.blocks.values() for i in lines if i.op == "getelementptr"}
        self.successors = {b: self._successors(b) for b in self.blocks}
        self.loops = self._loops()
        states = [self.entry] + [first for first in self.loops if first != self.entry]
        for body in self.loops.values():
            for b in self.order:
                if b not in body:
                    continue
                for s in self.successors[b]:
                    if s not in body and s not in states and not self.is_return(s):
                        states.append(s)
        self.states = states
        self._pass_over()

    def _pass_over(self) -> None:
        """Leave out the states that need no cycle."""
        self._passed = set()
        if not self._joined:
            return
        used = {b for b in self.blocks if self._uses_a_port(b)}
        inner = [body for body in self.loops.values() if not any(other < body for other in self.loops.values())]
        around = [  # the innermost loops that have others in them
            (h, body)
            for h, body in self.loops.items()
            if any(i < body for i in inner) and not any(i < o < body for i in inner for o in self.loops.values())
        ]
        left = [
            s
            for s in self.states
            if s not in self.loops
            and any(s in around_it for _, around_it in around)
            and any(s in self.successors[b] for body in inner for b in body)
        ]
        outer = [h for h, _ in around]
        for s in [*left, *(h for h in outer if h != self.entry)]:
            without = [state for state in self.states if state != s]
            if s in self._apart or self._is_circle(s, without):
                continue
            before = {b for state in without for b in self._up_to(state, s, without)}
            if not (before & used and set(self.region(s)) & used):
                self.states = without
                self._passed.add(s)

    def _is_circle(self, block: str, states: list[str]) -> bool:
        """Whether a path leads back to a block and meets no state."""
        work, seen = [block], set()
        while work:
            for s in self.successors[work.pop()]:
                if s == block:
                    return True
                if s not in seen and s not in states:
                    seen.add(s)
                    work.append(s)
        return False

    def _up_to(self, state: str, block: str, states: list[str]) -> set[str]:
        """Return the blocks of a state's cycle from which a path leads to a block."""
        inside, work = {state}, [state]
        while work:
            for s in self.successors[work.pop()]:
                if s not in inside and s not in states:
                    inside.add(s)
                    work.append(s)
        found: set[str] = {block} & inside
        grown = True
        while grown:
            more = {b for b in inside - found if any(s in found and s != state for s in self.successors[b])}
            found |= more
            grown = bool(more)
        return found - {block}

    def _uses_a_port(self, block: str) -> bool:
        """Whether a block uses a FIFO, memory outside, or a place in an array that is not a constant."""
        for i in self.blocks[block]:
            if i.op not in ("load", "store", "call") or "@llvm.lifetime" in i.text:
                continue
            if "@__" in i.text or any(map(self._is_port, re.findall(r"ptr (?:[\w() ]*?)([%@][\w.$-]+)", i.text))):
                return True
        return False

    def _is_port(self, pointer: str) -> bool:
        while text := self._addresses.get(pointer):
            m = re.search(r"ptr ([%@][\w.$-]+)", text)
            if m is None or re.search(r", i\d+ %", text):
                return True
            pointer = m[1]
        return pointer.startswith("@") or pointer in self._parameters

    def _loops(self) -> dict[str, set[str]]:
        """Natural loops, from the back edges of a depth-first search."""
        colour, back = {self.entry: 1}, []
        stack: list[tuple[str, Iterator[str]]] = [(self.entry, iter(self.successors[self.entry]))]
        while stack:
            b, following = stack[-1]
            for s in following:
                if s not in colour:
                    colour[s] = 1
                    stack.append((s, iter(self.successors[s])))
                    break
                if colour[s] == 1:
                    back.append((b, s))
            else:
                colour[b] = 2
                stack.pop()
        before: dict[str, list[str]] = {b: [] for b in self.blocks}
        for a in self.blocks:
            for b in set(self.successors[a]):
                before[b].append(a)
        loops: dict[str, set[str]] = {}
        for tail, head in back:
            body, work = {head, tail}, [tail] if tail != head else []
            while work:
                for p in before[work.pop()]:
                    if p not in body:
                        body.add(p)
                        work.append(p)
            loops.setdefault(head, set()).update(body)
        return loops

    def is_return(self, block: str) -> bool:
        """Whether a block only returns: no cycle of its own."""
        lines = self.blocks[block]
        return lines[-1].text.startswith("ret") and all("lifetime" in i.text for i in lines[:-1])

    def region(self, state: str) -> list[str]:
        """Return the blocks of a state's cycle, each behind those that lead to it, those of late() last."""
        seen: set[str] = {state}
        out: list[str] = []
        stack: list[tuple[str, Iterator[str]]] = [(state, iter(self.successors[state]))]
        while stack:
            b, following = stack[-1]
            for s in following:
                if s not in seen and s not in self.states:
                    seen.add(s)
                    stack.append((s, iter(self.successors[s])))
                    break
            else:
                out.append(b)
                stack.pop()
        late = self._behind(set(out) & self._passed - {state})
        return [b for b in out[::-1] if b not in late] + [b for b in out[::-1] if b in late]

    def late(self, state: str) -> set[str]:
        """Return the blocks of a state's cycle behind the end of a loop, or the beginning of an outer one.

        Earlier cycles of the state may have left them out, and what they define may be in use before them.
        """
        region = set(self.region(state))
        return self._behind(region & self._passed - {state}) & region

    def _behind(self, blocks: set[str]) -> set[str]:
        """Return blocks and all that follow them before a state."""
        found, work = set(blocks), list(blocks)
        while work:
            for s in self.successors[work.pop()]:
                if s not in found and s not in self.states:
                    found.add(s)
                    work.append(s)
        return found

    def reaches(self, a: str, b: str, state: str) -> bool:
        """Whether a path of a state's cycle goes from one block to another."""
        region = set(self.region(state))
        work, seen = [a], set()
        while work:
            for s in self.successors[work.pop()]:
                if s == b:
                    return True
                if s in region and s not in seen and s not in self.states:
                    seen.add(s)
                    work.append(s)
        return False

    def _fifo(self, line: Instruction) -> str | None:
        """Return the stream that an instruction reads or writes, as text."""
        m = re.search(FIFO, line.text)
        return self._streams.get(m[1], m[1]) if m else None

    def _split_once(self) -> bool:
        self._streams = {
            i.target: i.text.removeprefix("getelementptr")
            for lines in self.blocks.values()
            for i in lines
            if i.op == "getelementptr"
        }
        fifos = {b: {f for i in lines if (f := self._fifo(i))} for b, lines in self.blocks.items()}
        for state in self.states:
            region = self.region(state)
            for b in region:
                used: set[str] = set()
                for at, line in enumerate(self.blocks[b]):
                    fifo = self._fifo(line)
                    if fifo is None:
                        continue
                    again = fifo in used or any(
                        a != b and fifo in fifos[a] and self.reaches(a, b, state) for a in region
                    )
                    if again and not (b in self.states and fifo not in used):
                        self._split(b, at, fifo)
                        return True
                    used.add(fifo)
        return False

    def _split(self, block: str, at: int, fifo: str) -> None:
        """Begin a state at an instruction of a block."""
        innermost = min((body for body in self.loops.values() if block in body), key=len, default=set())
        if innermost and not any(body < innermost for body in self.loops.values()):
            self.slow.append(f"{fifo.split(',')[-1].strip()} in a loop: II > 1")
        new = f"{block}.more{len(self.blocks)}"
        self.blocks[new] = self.blocks[block][at:]
        self.blocks[block] = [*self.blocks[block][:at], Instruction(f"br label {new}")]
        self.order.insert(self.order.index(block) + 1, new)
        for s in self._successors(new):
            self.blocks[s] = [
                Instruction(re.sub(re.escape(block) + r"(?= \])", new, i.text), i.target, i.location)
                if i.op == "phi"
                else i
                for i in self.blocks[s]
            ]
        self.defined.update({i.target: new for i in self.blocks[new] if i.target})
        self._apart.add(new)
        apart = [s for s in self.states if s in self._apart and s != new] + [new]
        self._find_states()
        self.states += [s for s in apart if s not in self.states]
