# SPDX-License-Identifier: Apache-2.0
"""What there is to say of a leaf: its call, its streams and memory, and the tokens that it gets in a test.

Texts are C++ over `tokens.h`: a stream's tokens are an expression that makes a vector of them, from `random`.
"""

from __future__ import annotations

from dataclasses import dataclass

# Programs by the name that leaves carry: 32-bit integers, 64-bit integers, fixed point of 32 bits, integers that merge
# as slowly as floating-point numbers, sets of 512 bits.
PROGRAMS = {
    "bfs": "gaspipe::algorithm::bfs::Hooks<std::uint32_t>",
    "sssp": "gaspipe::algorithm::sssp::Hooks<std::uint32_t>",
    "sssp64": "gaspipe::algorithm::sssp::Hooks<std::uint64_t>",
    "pagerank": "gaspipe::algorithm::pagerank::Hooks<gaspipe::Fixed<32>>",
    "slow": "gaspipe::SlowHooks",
    "searches": "gaspipe::algorithm::closeness::Hooks<gaspipe::BitSet<512>>",
}
VALUES = {
    "bfs": "U",
    "sssp": "U",
    "sssp64": "L",
    "pagerank": "U",
    "slow": "U",
    "searches": "B",
}  # of properties, updates, weights
BYTES = {"U": 4, "L": 8}


@dataclass(frozen=True)
class Stream:
    """A FIFO of a leaf, or an array of them; what goes in is an expression that makes a vector of tokens."""

    name: str
    token: str
    tokens: str = ""  # "" for those that come out
    count: int = 0  # of an array
    each: str = ""  # of an array's element `i`, what goes in


@dataclass(frozen=True)
class Memory:
    """A pointer to words outside, with its words; those that a leaf writes are compared."""

    name: str
    value: str
    words: str
    is_written: bool = False


@dataclass(frozen=True)
class Leaf:
    """A task with all its constants."""

    name: str
    call: str
    inputs: tuple[Stream, ...] = ()
    outputs: tuple[Stream, ...] = ()
    scalars: tuple[tuple[str, str, str], ...] = ()  # name, type, value
    memories: tuple[Memory, ...] = ()
    data: str = ""  # statements before the tokens
    program: str = ""
    lanes: int = 0  # edges of a cycle, or gather PEs, of kernels that have this task; 0: of any
    kernel: str = ""  # as hls/kernel names it

    @property
    def joined(self) -> bool:
        """Whether its circuit is joined (gaspipe._circuit.Leaves.circuit)."""
        return is_joined(self.call)


def is_joined(call: str) -> bool:
    """Whether the circuit of a call is joined: where each burst is an inner loop."""
    return call.split("<")[0] in ("lineRead", "writeBack")


def read(name: str, token: str, tokens: str) -> Stream:
    return Stream(name, token, tokens)


def written(name: str, token: str) -> Stream:
    return Stream(name, token)


IDS = "WordToken<VertexId>"


def parts(tokens: str) -> str:
    """Return those tokens for every sub-partition."""
    return f"parts([&] {{ return {tokens}; }})"


SUB = ("n", "std::uint32_t", "kParts")  # number of sub-partitions
