# SPDX-License-Identifier: Apache-2.0
"""An argument of a kernel, and how a top declares it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

READ, WRITE, SCALAR, SEND, TAKE = "read", "write", "scalar", "send", "take"
# Bursts of 4 KB, the most AXI allows; eight of them under way hide 512 cycles of latency for 32 KB on chip.
_BURSTS = {
    READ: "max_read_burst_length = 64 num_read_outstanding = 8",
    WRITE: "max_write_burst_length = 64 num_write_outstanding = 4",
}
# As much on chip for requests of a few words, as many under way as the emulator has (hls/emulator/ahead_port.h).
_AHEAD = "max_read_burst_length = 8 num_read_outstanding = 64"


class Port(NamedTuple):
    """An argument of a kernel."""

    name: str
    kind: str  # READ, WRITE, SCALAR; SEND or TAKE for a stream to or from another kernel
    type: str  # of the lanes of its words, or of the scalar
    bank: str  # sources, destinations, weights, vertices; "" for a scalar and a stream
    bundle: str  # its AXI port; of a stream, what both of its ends are called
    row: str  # its name in the table
    unit: int  # of the apply kernel: whose memory it leads to
    ahead: bool = False  # read a short range at a time, many of them under way


def unit_of_memory(each: str, bank: str, i: int, units: int) -> int:
    """Return to whose memory the i-th port of a row leads, in a kernel of which there is one: as hls/kernel/port.h."""
    if each == "Unit":
        return i
    return (i + (2 if each == "Aux" else 1)) % units if bank == "vertices" else 0


def parameter(port: Port) -> str:
    """Return an argument as the top declares it."""
    if port.kind == SCALAR:
        return f"{port.type} {port.name}"
    if port.kind in (SEND, TAKE):
        return f"stream<Word<{port.type}>>& {port.name}"
    return f"{'const ' if port.kind == READ else ''}Word<{port.type}>* {port.name}"


def interface(port: Port) -> Iterator[str]:
    """Pragmas of an argument."""
    if port.kind in (SEND, TAKE):
        yield f"#pragma HLS INTERFACE axis port = {port.name}"
        return
    if port.kind != SCALAR:
        bursts = _AHEAD if port.ahead else _BURSTS[port.kind]
        yield f"#pragma HLS INTERFACE m_axi port = {port.name} bundle = {port.bundle} offset = slave {bursts}"
    yield f"#pragma HLS INTERFACE s_axilite port = {port.name} bundle = control"
