# SPDX-License-Identifier: Apache-2.0
"""Reads xclbin files without XRT, tells what kernels of ours they hold, and finds those that a run can use.

The layout is that of XRT's xclbin.h: a header of 456 bytes, a table of sections, and the sections, 8-byte aligned. Of
a file only the header, the table and four small sections are read, never the bitstream.
"""

from __future__ import annotations

import functools
import os
import re
import stat
import struct
import uuid
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

from .. import _description, _registered
from .._core import DeviceError, InputError
from .._description import Description
from . import boards as _boards
from . import build as _build
from . import kernels as _kernels
from .contents import Contents as Contents
from .contents import contents as contents
from .contents import include as _include

VARIABLE, NAMED = "GASPIPE_XCLBIN", "xclbin="  # why a place is looked at
_MAGIC = b"xclbin2\0"
_HEADER = struct.Struct("<QQQHBBHH16s64s16s16sI4x")  # axlf_header, in the file at 304
_HEADER_AT, _TABLE_AT = 304, 456
_SECTION = struct.Struct("<I16s4xQQ")
_MOST_SECTIONS = 0x10000  # XCLBIN_MAX_NUM_SECTION
_MOST_BYTES = 1 << 24  # of a section that is read; the largest known have a few KB
_MEM_TOPOLOGY, _CONNECTIVITY, _IP_LAYOUT, _CLOCKS = 6, 7, 8, 11
_MEMORY, _IP, _CONNECTION = struct.Struct("<BB6xQQ16s"), struct.Struct("<IIQ64s"), struct.Struct("<iii")
_CLOCK = struct.Struct("<HB5x128s")
_IP_KERNEL, _CLOCK_DATA = 1, 1
_MODES = {0: "hw", 1: "hw", 2: "hw", 3: "hw", 4: "hw_emu", 5: "sw_emu", 6: "hw_emu"}
_MEMORY_KINDS = {0: "DDR", 1: "DDR", 2: "DDR", 6: "HBM"}


@dataclass(frozen=True)
class Bank:
    """A memory that kernels may be connected to."""

    index: int  # in the file's topology
    name: str  # "DDR[0]", "HBM[3]"
    kind: str  # DDR, HBM, or "" for what holds no buffers
    num_bytes: int
    used: bool


class Unit(NamedTuple):
    """A compute unit."""

    kernel: str
    instance: str
    banks: dict[int, tuple[int, ...]]  # by argument: indices of the memories that it is connected to


@dataclass(frozen=True)
class Xclbin:
    """What a file says of itself."""

    path: str
    platform: str  # that it was linked for
    uuid: str
    mode: str  # hw, hw_emu or sw_emu
    clock_mhz: int  # of the kernels; 0 where the file does not say
    banks: tuple[Bank, ...]
    units: tuple[Unit, ...]


class Program(NamedTuple):
    """One of the programs that kernels may be built for."""

    algorithm: str
    number: str
    weighted: bool
    header: str = ""  # text of a user's program, "" of a built-in one
    num_aux: int = 0  # of a user's program
    alone: str = ""  # the kernel, where it is no part of a pipeline

    def design(self, units: int, lanes: int, pes: int, capacity: int, config: str) -> _kernels.Design:
        """Its kernels."""
        num_aux = self.num_aux
        if not self.header and not self.alone:
            num_aux = _description.algorithms()[self.algorithm].instance(self.number).num_aux
        sizes = units, lanes, pes, capacity
        return _kernels.Design(self.algorithm, self.number, num_aux, self.weighted, *sizes, self.header, config)

    def __str__(self) -> str:
        of_kernel = f" as {self.alone}" if self.alone else ""
        return f"{self.algorithm}{of_kernel}, {self.number}, {'with' if self.weighted else 'without'} weights"


class _Damaged(Exception):
    """Becomes a DeviceError that names the file."""


def read(path: str) -> Xclbin:
    """Read a file; DeviceError says what is wrong with it."""
    try:
        # A pipe without a writer would block.
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            return _read(path, file)
    except _Damaged as error:
        raise DeviceError(f"{path} is no usable xclbin: {error}; copy or build it again") from None
    except OSError as error:
        raise DeviceError(f"{path} cannot be read: {error.strerror or error}") from None


def _read(path: str, file: BinaryIO) -> Xclbin:
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode):
        raise _Damaged("it is no regular file")
    size = status.st_size
    start = file.read(_TABLE_AT)
    if start[: len(_MAGIC)] != _MAGIC:
        raise _Damaged(f"it starts with {bytes(start[:8])!r} instead of {_MAGIC!r}")
    if len(start) < _TABLE_AT:
        raise _Damaged(f"it ends after {len(start)} bytes, in the header")
    length, *_, mode, _action, _rom, platform, ident, _debug, num_sections = _HEADER.unpack_from(start, _HEADER_AT)
    if length > size:
        raise _Damaged(f"its header tells of {length} bytes, and {size} are there")
    if mode not in _MODES:
        raise _Damaged(f"its mode is {mode}; known are 0 to {max(_MODES)}")
    if not 1 <= num_sections <= min(_MOST_SECTIONS, (size - _TABLE_AT) // _SECTION.size):
        raise _Damaged(f"its header tells of {num_sections} sections in {size} bytes")
    table = file.read(num_sections * _SECTION.size)
    sections: dict[int, tuple[int, int]] = {}
    for kind, _name, offset, num_bytes in _SECTION.iter_unpack(table):
        if offset > size or num_bytes > size - offset:
            raise _Damaged(f"section {kind} is to end at byte {offset + num_bytes} of {size}")
        sections.setdefault(kind, (offset, num_bytes))

    def rows(kind: int, row: struct.Struct, first: int, count: str = "<i") -> list[tuple[Any, ...]]:
        """Entries of a section: a count, and from byte `first` on as many rows."""
        if kind not in sections:
            return []
        offset, num_bytes = sections[kind]
        if num_bytes > _MOST_BYTES:
            raise _Damaged(f"section {kind} has {num_bytes} bytes; at most {_MOST_BYTES} are expected")
        file.seek(offset)
        data = file.read(num_bytes)
        if len(data) < struct.calcsize(count):
            raise _Damaged(f"section {kind} has {len(data)} bytes, too few for a count")
        number = struct.unpack_from(count, data)[0]
        if not 0 <= number <= max(len(data) - first, 0) // row.size:
            raise _Damaged(f"section {kind} tells of {number} entries in {len(data)} bytes")
        return list(row.iter_unpack(data[first : first + number * row.size]))

    if _IP_LAYOUT not in sections:
        raise _Damaged("it has no section IP_LAYOUT, so no kernels")
    banks = tuple(
        Bank(index, _text(tag), _MEMORY_KINDS.get(kind, ""), 1024 * kilobytes, bool(used))
        for index, (kind, used, kilobytes, _base, tag) in enumerate(rows(_MEM_TOPOLOGY, _MEMORY, 8))
    )
    connected: dict[int, dict[int, set[int]]] = {}
    ips = rows(_IP_LAYOUT, _IP, 8)
    for argument, ip, memory in rows(_CONNECTIVITY, _CONNECTION, 4):
        if not (0 <= ip < len(ips) and 0 <= memory < len(banks) and argument >= 0):
            raise _Damaged(f"argument {argument} of unit {ip} of {len(ips)} leads to memory {memory} of {len(banks)}")
        connected.setdefault(ip, {}).setdefault(argument, set()).add(memory)
    units = []
    for index, (kind, _properties, _base, name) in enumerate(ips):
        if kind == _IP_KERNEL:
            kernel, _, instance = _text(name).partition(":")
            arguments = {a: tuple(sorted(memories)) for a, memories in sorted(connected.get(index, {}).items())}
            units.append(Unit(kernel, instance, arguments))
    clocks = [mhz for mhz, kind, _name in rows(_CLOCKS, _CLOCK, 2, "<h") if kind == _CLOCK_DATA]
    return Xclbin(
        path,
        _text(platform),
        str(uuid.UUID(bytes=ident)),
        _MODES[mode],
        clocks[0] if clocks else 0,
        banks,
        tuple(units),
    )


def _text(raw: bytes) -> str:
    text = raw.partition(b"\0")[0]
    if not all(32 <= byte < 127 for byte in text):
        raise _Damaged(f"{text!r} is no name")
    return text.decode("ascii")


@functools.lru_cache(maxsize=1024)
def _digest(include: str, program: Program, units: int, lanes: int, pes: int, capacity: int, config: str) -> str:
    """First digits of the digest of a program's kernels; "" where it has none."""
    try:
        return _kernels.digest(include, program.design(units, lanes, pes, capacity, config))[:16]
    except ValueError:  # sizes of a name that this version does not build
        return ""


def _own() -> list[Description]:
    return [algorithm.description for algorithm in _registered.algorithms.values()]


def programs() -> list[Program]:
    """All that kernels may be built for, and that has a name here."""
    pipelines = [program for d in (*_description.algorithms().values(), *_own()) for program in programs_of(d)]
    return [*pipelines, *(program for kernel in _kernels_alone() for program in programs_alone(kernel))]


def programs_of(description: Description) -> list[Program]:
    """All that kernels of an algorithm may be built for."""
    found = []
    for number in _build.numbers(description):
        instance = description.instance(number)
        kinds = (True,) if instance.transition_probabilities else (True, False) if instance.reads_weights else (False,)
        found += [program(description, number, weighted) for weighted in kinds]
    return found


@functools.cache
def _kernels_alone() -> list[_kernels.Alone]:
    return list(_kernels.kernels_alone(_include()).values())


def kernel_of(method: str) -> _kernels.Alone | None:
    """Return the kernel that is no part of a pipeline and that a method runs on a card."""
    return next((kernel for kernel in _kernels_alone() if kernel.method and kernel.method == method), None)


def kernel_by_design(design: str, algorithm: str, is_own: bool) -> _kernels.Alone | None:
    """Return the kernel that a design runs on a card; None where a design has pipelines.

    Raises
    ------
    InputError
        If the design has no such kernel for the algorithm; custom ones have none.

    """
    found = {kernel.algorithm: kernel for kernel in _kernels_alone() if kernel.design and kernel.design == design}
    if found and (is_own or algorithm not in found):
        *others, last = found
        raise InputError(
            f'design is "{design}", which has no accelerator for {algorithm}; {", ".join(others)} and {last} have one. '
            'Omit it, or use design="gas"'
        )
    return found.get(algorithm)


def programs_alone(kernel: _kernels.Alone) -> list[Program]:
    """All that a kernel may be built for which is no part of a pipeline."""
    description = _description.algorithms().get(kernel.algorithm)
    if description is None:  # of the CPU
        return [Program(kernel.algorithm, kernel.number, False, alone=kernel.name)]
    numbers = _build.numbers(description)
    found = []
    for number in kernel.numbers or (numbers if kernel.design else numbers[:1]):
        instance = description.instance(number)
        found.append(
            Program(kernel.algorithm, number, instance.reads_weights, num_aux=instance.num_aux, alone=kernel.name)
        )
    return found


def program(description: Description, number: str, weighted: bool) -> Program:
    """Return one of an algorithm's programs."""
    header = description.kernel_header
    return Program(description.name, number, weighted, header, description.instance(number).num_aux if header else 0)


def holds(found: Contents, program: Program) -> bool:
    """Whether kernels were built for a program, from the sources that this gaspipe has."""
    if program.alone != (found.config if found.is_alone else ""):
        return False
    return _digest(_include(), program, *found.sizes) == found.digest


def identify(found: Contents) -> Program | None:
    """Program of the kernels; None where they were built from other sources."""
    return _identify(found, tuple(description.kernel_header for description in _own()))


@functools.lru_cache(maxsize=256)
def _identify(found: Contents, _headers: tuple[str, ...]) -> Program | None:
    return next((program for program in programs() if holds(found, program)), None)


def board_of(name: str) -> str:
    """Board of ours in the name of a platform or shell, as in xilinx_u250_gen3x16_xdma_4_1_202210_1; else ""."""
    known = _boards.names()
    return next((word for word in re.split("[^a-z0-9]+", name.lower()) if word in known), "")


def target() -> str:
    """What XRT opens: hw, or an emulation that the environment asks for."""
    return os.environ.get("XCL_EMULATION_MODE") or "hw"


class Place(NamedTuple):
    """One entry of the search path."""

    path: str
    why: str  # what named it
    exists: bool


def user_folder() -> str:
    """Folder of the user's own xclbin files."""
    data = os.environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(data):  # as the specification of XDG says
        data = os.path.join(os.path.expanduser("~"), ".local", "share")
    return os.path.join(data, "gaspipe", "xclbin")


def search_path(xclbin: str | os.PathLike[str] | None = None) -> list[Place]:
    """Files and folders to look in: the one that is named; else those of the environment, then the user's folder."""
    if xclbin is not None:
        path = os.path.expanduser(os.fspath(xclbin))
        return [Place(path, NAMED, os.path.exists(path))]
    named = [os.path.expanduser(path) for path in os.environ.get(VARIABLE, "").split(os.pathsep) if path]
    places = [Place(path, VARIABLE, os.path.exists(path)) for path in named if os.path.isabs(path)]
    folder = user_folder()
    return [*places, Place(folder, "the user's folder", os.path.isdir(folder))]


def files(places: list[Place]) -> list[str]:
    """Return the xclbin files of a search path, each once, in order; in a folder by name."""
    found: dict[str, None] = {}
    for place in places:
        try:
            names = sorted(name for name in os.listdir(place.path) if name.endswith(".xclbin"))
            found.update(dict.fromkeys(os.path.join(place.path, name) for name in names))
        except NotADirectoryError:
            found[place.path] = None
        except OSError:  # not there, or not for us
            pass
    return list(found)


class Found(NamedTuple):
    """A file of the search path, and what it holds or why it is of no use."""

    path: str
    xclbin: Xclbin | None
    contents: Contents | None
    problem: str


_looked_at: dict[str, tuple[tuple[int, ...], Found]] = {}


def look_at(path: str) -> Found:
    """Read a file, once as long as it does not change."""
    try:
        status = os.stat(path)
        stamp = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    except OSError as error:
        return Found(path, None, None, f"{path} cannot be read: {error.strerror or error}")
    known = _looked_at.get(path)
    if known is None or known[0] != stamp:
        xclbin = None
        try:
            xclbin = read(path)
            found = Found(path, xclbin, contents(xclbin), "")
        except DeviceError as error:
            found = Found(path, xclbin, None, str(error))
        known = _looked_at[path] = (stamp, found)
    return known[1]


def verdict(found: Found, wanted: list[Program], shell: str) -> tuple[Program | None, str]:
    """Which of the programs a file serves on a card with this shell ("": unknown), or why none.

    `wanted` in order of preference; without any, whichever the file holds.
    """
    xclbin, held = found.xclbin, found.contents
    if xclbin is None or held is None:
        return None, found.problem
    if xclbin.mode != target():
        asked = "a card is opened" if target() == "hw" else f"XCL_EMULATION_MODE is {target()}"
        return None, f"{found.path} is built for {xclbin.mode}, and {asked}"
    board = board_of(xclbin.platform)
    if not board:
        known = ", ".join(_boards.names())
        return None, f"{found.path} is for the platform {xclbin.platform!r}, none of the known boards {known}"
    if shell and board != board_of(shell):
        return None, f"{found.path} is for {board} (platform {xclbin.platform}), and the card's shell is {shell}"
    serves = next((program for program in wanted if holds(held, program)), None)
    if serves is not None:
        return serves, ""
    program = identify(held)
    if program is None:
        own = next((program.algorithm for program in wanted if program.header), "")
        if own:
            return None, f"{found.path} is built from other hooks than {own} has now, or from other kernel sources"
        unknown = "" if wanted else ", or for a gp.Algorithm that is not registered"
        return None, f"{found.path} is built from other kernel sources{unknown} (gaspipe build makes new ones)"
    if wanted:
        return None, f"{found.path} holds {program}"
    return program, ""
