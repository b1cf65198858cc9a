# SPDX-License-Identifier: Apache-2.0
"""Writes what XRT needs of a card in software emulation, without Vitis: an xclbin, and the card's description.

The kernels' arguments, registers and banks all come from the one description of their ports
(gaspipe/_card/kernels.py). The layout of the file is that of XRT's xclbin.h: a header of 456 bytes, headers of 40
bytes for each section, the sections.

An argument that leads to several banks has them as a group, MBG[first:last], as in the xclbins of Vitis: a bank of its
own number, after the real ones, which is what XRT's group_id gives and what a host allocates in. Emulation knows only
the banks of emconfig.json, so that has places for groups; buffers of a group and of its banks do not share them.
"""

from __future__ import annotations

import hashlib
import json
import struct
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

from gaspipe._card import kernels as _kernels
from gaspipe._card import links as _links

BITSTREAM, EMBEDDED_METADATA, MEM_TOPOLOGY, CONNECTIVITY, IP_LAYOUT = 0, 2, 6, 7, 8
GROUP_TOPOLOGY, GROUP_CONNECTIVITY = 26, 27
MEMORY_TYPE = {"DDR": 1, "HBM": 6}
IP_KERNEL, INTERRUPT, AP_CTRL_CHAIN = 1, 1, 1  # of Vitis, for a kernel that does not say otherwise
SW_EMU = 5
HEADER_BYTES, SECTION_BYTES, MOST_NAME_BYTES = 456, 40, 63
FIRST_UNIT, UNIT_BYTES = 0x1800000, 0x10000
FIRST_ARGUMENT = 0x10
STREAM = 4  # an argument's qualifier
MOST_GROUPS = 64  # sources, destinations, weights and vertices of 16 compute units


class Memory(NamedTuple):
    """A card's banks."""

    kind: str  # DDR or HBM
    num_banks: int
    bytes_per_bank: int  # a power of two, at least 1024

    def names(self) -> list[str]:
        return [f"{self.kind}[{i}]" for i in range(self.num_banks)]


class Argument(NamedTuple):
    name: str
    type: str
    port: str
    is_pointer: bool
    offset: int  # of its register; 0 of a stream
    banks: list[int]
    stream: str = ""  # "read_only" or "write_only" where it is one

    @property
    def num_bytes(self) -> int:
        return 8 if self.is_pointer else 4


class Unit(NamedTuple):
    name: str
    base: int
    arguments: list[Argument]


class Kernel(NamedTuple):
    name: str
    units: list[Unit]


def arguments(include: str, kernel: str, design: _kernels.Design, unit: int, memory: Memory) -> list[Argument]:
    """Arguments with their registers, by the rule of HLS: from 0x10, 8 bytes for one of 32 bits, 12 for one of 64."""
    banks = {name: i for i, name in enumerate(memory.names())}
    offset, found = FIRST_ARGUMENT, []
    for row in _links.arguments(include, kernel, design, unit, memory.kind, memory.num_banks):
        if "stream" in row:
            mode = "write_only" if row["kind"] == _kernels.SEND else "read_only"
            element = f"stream<Word<{row['type']}>>&"
            found.append(Argument(row["name"], element, row["name"], False, 0, [], mode))
            continue
        is_pointer = row["kind"] != _kernels.SCALAR
        port = f"M_AXI_{row['bundle'].upper()}" if is_pointer else "S_AXI_CONTROL"
        element = f"{row['type']}*" if is_pointer else row["type"]
        leads_to = [banks[name] for name in row.get("memory", [])]
        found.append(Argument(row["name"], element, port, is_pointer, offset, leads_to))
        offset += 12 if is_pointer else 8
    return found


def kernels(include: str, design: _kernels.Design, names: Mapping[str, str], memory: Memory) -> list[Kernel]:
    """All kernels of a design, their units at ascending addresses."""
    base, found = FIRST_UNIT, []
    for kernel in _kernels.kernels_of(include, design):
        units = []
        for number, name in enumerate(_kernels.instances(include, kernel, design)):
            units.append(Unit(name, base, arguments(include, kernel, design, number, memory)))
            base += UNIT_BYTES
        found.append(Kernel(names[kernel], units))
    return found


def metadata(
    found: list[Kernel], rows: list[MemoryRow], memory: Memory, streams: Sequence[tuple[str, str]] = ()
) -> bytes:
    """Describe the kernels for XRT; memories and connections are for our device process, which gets no other section.

    `rows` are the banks; groups are added to them. `streams` are both ends of each, "UNIT.PORT".
    """
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<project name="gaspipe">',
        '<platform vendor="xilinx" boardid="emulated" name="emulated" featureRomTime="0">',
        '<version major="0" minor="0"/>',
        '<device name="fpga0" fpgaDevice="emulated" addrWidth="0">',
        '<core name="OCL_REGION_0" target="csim" type="clc_region" clockFreq="300MHz" numComputeUnits="60">',
    ]
    for kernel in found:
        lines.append(
            f'<kernel name="{kernel.name}" language="c" type="pl" workGroupSize="1" interrupt="true"'
            ' hwControlProtocol="ap_ctrl_chain">'
        )
        ports = dict.fromkeys(argument.port for argument in kernel.units[0].arguments if argument.is_pointer)
        lines += [
            f'<port name="{port}" mode="master" range="0xFFFFFFFFFFFFFFFF" dataWidth="512" portType="addressable"'
            ' base="0x0"/>'
            for port in ports
        ]
        lines.append(
            f'<port name="S_AXI_CONTROL" mode="slave" range="{UNIT_BYTES:#x}" dataWidth="32" portType="addressable"'
            ' base="0x0"/>'
        )
        lines += [
            f'<port name="{argument.port}" mode="{argument.stream}" range="0x0" dataWidth="512" portType="stream"'
            ' base="0x0"/>'
            for argument in kernel.units[0].arguments
            if argument.stream
        ]
        for number, argument in enumerate(kernel.units[0].arguments):
            qualifier = STREAM if argument.stream else int(argument.is_pointer)
            lines.append(
                f'<arg name="{argument.name}" addressQualifier="{qualifier}" id="{number}"'
                f' port="{argument.port}" size="{argument.num_bytes:#x}" offset="{argument.offset:#x}"'
                f' hostOffset="0x0" hostSize="{argument.num_bytes:#x}" type={quoteattr(argument.type)}/>'
            )
        for unit in kernel.units:
            lines += [
                f'<instance name="{unit.name}">',
                f'<addrRemap base="{unit.base:#x}" range="{UNIT_BYTES:#x}" port="S_AXI_CONTROL"/>',
                "</instance>",
            ]
        lines.append("</kernel>")
    lines += [
        f'<connection srcType="kernel" srcInst="{unit.name}" srcPort="{argument.name}" dstType="memory"'
        f' dstInst="memory" dstPort="{number}"/>'
        for kernel in found
        for unit in kernel.units
        for argument in unit.arguments
        if argument.is_pointer
        for number in sorted({*argument.banks, _group(rows, argument.banks)})
    ]
    for ends in streams:
        (sender, sends), (taker, takes) = (end.split(".") for end in ends)
        lines.append(
            f'<connection srcType="kernel" srcInst="{sender}" srcPort="{sends}" dstType="kernel" dstInst="{taker}"'
            f' dstPort="{takes}"/>'
        )
    lines += [f'<memory name="{row.name}" size="{row.num_banks * memory.bytes_per_bank:#x}"/>' for row in rows]
    lines += ["</core>", "</device>", "</platform>", "</project>"]
    return "\n".join(lines).encode()


def build(
    include: str,
    design: _kernels.Design,
    names: Mapping[str, str],
    memory: Memory,
    platform: str,
    library: bytes,
) -> bytes:
    """Return the xclbin for software emulation.

    Parameters
    ----------
    include : str
        Folder with hls/ in it.
    design : Design
        The kernels.
    names : mapping
        Kernel's name by "gather_scatter" and "apply".
    memory : Memory
        Of the card.
    platform : str
        Name of the shell that the xclbin is for (VBNV).
    library : bytes
        The shared library of the kernels, see kernel_abi.h.

    """
    found = kernels(include, design, names, memory)
    units = [(kernel, unit) for kernel in found for unit in kernel.units]
    ips, links = struct.pack("<i4x", len(units)), []
    used = {bank for _, unit in units for argument in unit.arguments for bank in argument.banks}
    rows = [MemoryRow(name, bank in used, bank, 1) for bank, name in enumerate(memory.names())]
    groups, group_links = list(rows), []
    for index, (kernel, unit) in enumerate(units):
        name = f"{kernel.name}:{unit.name}".encode()
        if len(name) > MOST_NAME_BYTES:
            raise ValueError(f"{name.decode()} has {len(name)} characters; an xclbin takes {MOST_NAME_BYTES}")
        ips += struct.pack("<IIQ64s", IP_KERNEL, INTERRUPT | AP_CTRL_CHAIN << 8, unit.base, name)
        for number, argument in enumerate(unit.arguments):
            links += [(number, index, bank) for bank in argument.banks]
            if argument.is_pointer:
                group_links.append((number, index, _group(groups, argument.banks)))
    return _container(
        platform,
        [
            (BITSTREAM, "kernels", library),
            (EMBEDDED_METADATA, "metadata", metadata(found, groups, memory, _links.streams(include, design))),
            (MEM_TOPOLOGY, "memory", _topology(rows, memory)),
            (IP_LAYOUT, "units", ips),
            (CONNECTIVITY, "links", _connectivity(links)),
            (GROUP_TOPOLOGY, "groups", _topology(groups, memory)),
            (GROUP_CONNECTIVITY, "group_links", _connectivity(group_links)),
        ],
    )


class MemoryRow(NamedTuple):
    """A bank, or a group of banks that follow each other."""

    name: str
    is_used: bool
    first: int
    num_banks: int


def _group(rows: list[MemoryRow], banks: list[int]) -> int:
    """Row of an argument's banks; added where it is a new group of several, as xclbinutil of Vitis does."""
    if len(banks) == 1:
        return banks[0]
    if banks != list(range(banks[0], banks[-1] + 1)):
        raise ValueError(f"an argument leads to the banks {banks}, which do not follow each other")
    row = MemoryRow(f"MBG[{banks[0]}:{banks[-1]}]", True, banks[0], len(banks))
    if row not in rows:
        rows.append(row)
    return rows.index(row)


def _topology(rows: list[MemoryRow], memory: Memory) -> bytes:
    packed = struct.pack("<i4x", len(rows))
    for row in rows:
        size, base = row.num_banks * memory.bytes_per_bank // 1024, row.first * memory.bytes_per_bank
        packed += struct.pack("<BB6xQQ16s", MEMORY_TYPE[memory.kind], row.is_used, size, base, row.name.encode())
    return packed


def _connectivity(links: list[tuple[int, int, int]]) -> bytes:
    return struct.pack("<i", len(links)) + b"".join(struct.pack("<iii", *link) for link in links)


def _container(platform: str, sections: list[tuple[int, str, bytes]]) -> bytes:
    offset = HEADER_BYTES + SECTION_BYTES * len(sections)
    table, body, content = b"", b"", hashlib.sha256(platform.encode())
    for kind, name, data in sections:
        body += b"\0" * (-(offset + len(body)) % 8)
        table += struct.pack("<I16s4xQQ", kind, name.encode(), offset + len(body), len(data))
        body += data
        content.update(hashlib.sha256(data).digest())
    now, unique = int(time.time()), uuid.uuid5(uuid.NAMESPACE_OID, content.hexdigest())
    header = struct.pack("<8si28s256sQ", b"xclbin2\0", -1, b"\xff" * 28, b"\0" * 256, now)
    length = offset + len(body)
    header += struct.pack("<QQQHBBHH16s", length, now, 0, 0, 2, 13, SW_EMU, 0, b"\0" * 16)
    header += struct.pack("<64s16s16sI4x", platform.encode(), unique.bytes, b"\0" * 16, len(sections))
    return header + table + body


def emconfig(platform: str, memory: Memory, num_devices: int = 1) -> str:
    """Text of emconfig.json, the description of the cards that XRT finds."""
    units = [("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)]
    suffix, unit = next((s, u) for s, u in units if memory.bytes_per_bank >= u)
    if memory.bytes_per_bank & (memory.bytes_per_bank - 1):
        raise ValueError(f"banks of {memory.bytes_per_bank} bytes; XRT's emulation takes powers of two only")
    size = f"{memory.bytes_per_bank // unit}{suffix}"
    banks = [{"Name": name, "Size": size} for name in memory.names()]
    if memory.kind == "HBM":  # room for any group; the device process knows how large each is
        banks += [{"Name": f"MBG {i}", "Size": "64GB"} for i in range(MOST_GROUPS)]
    device = {
        "Name": platform,
        "HalMajorVersion": "2",
        "HalMinorVersion": "0",
        "NumDevices": str(num_devices),
        "PlatformData": {"plp": {"m2m": "enabled"}},  # xrt::bo::copy on the card
        "DdrBanks": banks,
    }
    described = {
        "Version": {"FileVersion": "2.0", "ToolVersion": "2022.1"},
        "Platform": {
            "UnifiedPlatform": "true",
            "ExpandedPR": "true",
            "Boards": [{"NumBoards": "1", "Devices": [device]}],
        },
    }
    return json.dumps(described, indent=1) + "\n"
