# SPDX-License-Identifier: Apache-2.0
"""Where the ports of a build's kernels lead to: banks of the board, AXI ports, the configuration of v++ --link."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import region as _region
from .kernels import (
    READ,
    SCALAR,
    SEND,
    TAKE,
    WRITE,
    Design,
    Port,
    instances,
    kernel_alone,
    kernels_of,
    pipeline,
    pipelines,
    ports,
    read_text,
    units_of,
)
from .numbers import bytes_of

# As the emulator has them (cpp/src/backend/emulator/graphops_kernel.cpp).
_QUARTERS = {"rows": 0, "replicas": 1, "weights": 2, "vertices": 3, "sets": 3}


def _bytes_per_edge(include: str, design: Design) -> dict[str, int]:
    """What an edge takes in each bank that edges lie in, in the order of the table of ports."""
    kernel = pipeline(include, design.config).gather_scatter
    word = bytes_of(design.number)
    edges = [port for port in ports(include, kernel, design) if port.bank not in ("", "vertices")]
    return {port.bank: word if port.type == "EdgeProperty" else 4 for port in edges}


def channels(include: str, bank: str, unit: int, design: Design, memory: str, num_banks: int) -> range:
    """Numbers of the board's banks for one of a compute unit's memories.

    Every unit has as many banks as there are for each. Of these the vertices have one to themselves if there are two;
    kinds of an edge's data spread over the others. A channel of HBM is small (256 MB), so where a unit has
    more of them than it has kinds of data, the edges take all, each kind so many that arrays of equal length fill them
    alike; of eight the vertices take two. A bank of DDR holds the sources of 4 G edges, and stays one.
    A unit of a kernel that is no part of a pipeline has all in one bank of DDR; of HBM its vertices have the last. Of
    kernels that keep no vertices on the chip each kind of data has a quarter of the banks. Of two kinds of pipelines
    each has one for its edges and one for its vertices, and apply four: two for old and new properties, which change
    places, and two for its inputs.
    """
    if kernel_alone(include, design.config) and design.capacity == 0:
        quarter = _QUARTERS[bank]
        first = quarter * num_banks // 4
        return range(first, max((quarter + 1) * num_banks // 4 if memory == "HBM" else first + 1, first + 1))
    if design.config in pipelines(include) and pipeline(include, design.config).dense:
        of_apply = {"old": range(2), "new": range(2), "inputs": range(2, 4)}.get(bank)
        first = 2 * unit + (bank == "vertices")
        if of_apply is None:
            return range(first, first + 1)
        return range(2 * design.units + of_apply.start, 2 * design.units + of_apply.stop)
    own = num_banks // design.units
    if own == 0:
        return range(unit % num_banks, unit % num_banks + 1)
    if kernel_alone(include, design.config):
        first = unit * own
        if memory != "HBM" or own == 1:
            return range(first, first + 1)
        return range(first + own - 1, first + own) if bank == "vertices" else range(first, first + own - 1)
    bytes_per_edge = _bytes_per_edge(include, design)
    kinds = list(bytes_per_edge)
    for_vertices = 2 if memory == "HBM" and own >= 8 else 1
    for_edges = own - for_vertices if memory == "HBM" else min(own - 1, len(kinds))
    if for_edges < len(kinds):
        for_edges = max(for_edges, 1)
        bounds = [i * for_edges // len(kinds) for i in range(len(kinds))]
        taken = dict(zip(kinds, (range(first, first + 1) for first in bounds)))
    else:
        width = dict.fromkeys(kinds, 1)
        for _ in range(for_edges - len(kinds)):
            width[max(kinds, key=lambda kind: bytes_per_edge[kind] / width[kind])] += 1
        taken, first = {}, 0
        for kind in kinds:
            taken[kind] = range(first, first + width[kind])
            first += width[kind]
    start = for_edges if own > 1 else 0
    taken["vertices"] = range(start, start + for_vertices)
    return range(unit * own + taken[bank].start, unit * own + taken[bank].stop)


def memory_names(include: str, port: Port, unit: int, design: Design, memory: str, num_banks: int) -> list[str]:
    """Memories that a port leads to, as v++ calls them, ascending; `memory` is DDR or HBM."""
    return [f"{memory}[{i}]" for i in channels(include, port.bank, port.unit or unit, design, memory, num_banks)]


def link_configuration(
    include: str,
    design: Design,
    names: Mapping[str, str],
    memory: str,
    num_banks: int,
    slrs: list[int],
    clock_mhz: int,
) -> str:
    """Return the configuration file of v++ --link.

    Parameters
    ----------
    include : str
        Folder with hls/ in it.
    design : Design
        The kernels.
    names : mapping
        Name of a kernel's function, by the kernel.
    memory : {"DDR", "HBM"}
        Kind of the board's banks.
    num_banks : int
        How many.
    slrs : list of int
        SLR of every compute unit, then that of the apply kernel; empty where v++ is to place them.
    clock_mhz : int
        Frequency to build for; 0 for the platform's own.

    """
    lines = [f"kernel_frequency={clock_mhz}"] if clock_mhz else []
    lines += ["", "[connectivity]"]
    placed = []
    for kernel in kernels_of(include, design):
        cus = instances(include, kernel, design)
        lines.append(f"nk={names[kernel]}:{len(cus)}:{'.'.join(cus)}")
        for unit, cu in zip(units_of(include, kernel, design), cus):
            for port in ports(include, kernel, design):
                if port.kind in (READ, WRITE):
                    banks = channels(include, port.bank, port.unit or unit, design, memory, num_banks)
                    listed = str(banks[0]) if len(banks) == 1 else f"{banks[0]}:{banks[-1]}"
                    placed.append(f"sp={cu}.{port.name}:{memory}[{listed}]")
    # FIFOs between two kernels are as deep as the emulator has them.
    depth = _region.constants(lambda name: read_text(include, name), "hls/kernel/apply.h")["kApplyMemoryDepth"]
    placed += [f"sc={sends}:{takes}:{depth}" for sends, takes in streams(include, design)]
    cus = [cu for kernel in kernels_of(include, design) for cu in instances(include, kernel, design)]
    placed += [f"slr={cu}:SLR{slr}" for cu, slr in zip(cus, slrs)]
    return "\n".join(lines + placed).lstrip("\n") + "\n"


def streams(include: str, design: Design) -> list[tuple[str, str]]:
    """Both ends of every stream between kernels: "UNIT.PORT" that sends, and that takes."""
    ends: dict[tuple[str, str, int], str] = {}  # by the stream's name, the port's kind, and the unit
    for kernel in kernels_of(include, design):
        for unit, cu in zip(units_of(include, kernel, design), instances(include, kernel, design)):
            for port in ports(include, kernel, design):
                if port.kind in (SEND, TAKE):
                    ends[port.bundle, port.kind, port.unit or unit] = f"{cu}.{port.name}"
    return [(end, ends[name, TAKE, unit]) for (name, kind, unit), end in ends.items() if kind == SEND]


def num_masters(include: str, design: Design, memory: str, num_banks: int) -> dict[str, int]:
    """Count the AXI ports of all kernels that lead to each bank of DDR; to HBM, whose banks share a switch, in all."""
    found = set()
    for kernel in kernels_of(include, design):
        for unit in units_of(include, kernel, design):
            for port in ports(include, kernel, design):
                if port.kind in (READ, WRITE):
                    names = ["HBM"] if memory == "HBM" else memory_names(include, port, unit, design, memory, num_banks)
                    found |= {(kernel, unit, port.bundle, name) for name in names}
    count: dict[str, int] = {}
    for *_, name in found:
        count[name] = count.get(name, 0) + 1
    return count


def arguments(
    include: str, kernel: str, design: Design, unit: int, memory: str, num_banks: int
) -> list[dict[str, Any]]:
    """Describe a compute unit's arguments for the manifest."""
    described = []
    for index, port in enumerate(ports(include, kernel, design)):
        row: dict[str, Any] = {"index": index, "name": port.name, "kind": port.kind, "type": port.type}
        if port.kind == SCALAR:
            row["bits"] = 32
        elif port.kind in (SEND, TAKE):
            row |= {"bits": 512, "stream": port.bundle}
        else:
            row |= {"bits": 512, "bundle": port.bundle}
            row["memory"] = memory_names(include, port, unit, design, memory, num_banks)
        described.append(row)
    return described
