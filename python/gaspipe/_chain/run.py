# SPDX-License-Identifier: Apache-2.0
"""Compiles a chain for the emulator, and runs it."""

from __future__ import annotations

import ctypes
import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _compile
from .._card import boards as _boards
from .._core import DeviceError, Error, InputError, OwnBoard, find_board
from .._inputs import refuse_masked
from .._predict import resolve
from . import source, types
from .result import ChainResult
from .specs import BLOCKS
from .wiring import Wired

if TYPE_CHECKING:
    from .._predict import BoardLike

_RAN, _BAD_DESIGN, _STOPPED, _FAILED, _NO_MEMORY = range(5)
_Stopped = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)
_Tell = ctypes.CFUNCTYPE(None, ctypes.c_char_p)
_HIGHEST = 2**32 - 1


class _Call(ctypes.Structure):
    _fields_ = (
        ("num_arrays", ctypes.c_uint32),
        ("arrays", ctypes.POINTER(ctypes.c_void_p)),
        ("names", ctypes.POINTER(ctypes.c_char_p)),
        ("num_bytes", ctypes.POINTER(ctypes.c_uint64)),
        ("banks", ctypes.POINTER(ctypes.c_uint32)),
        ("writes", ctypes.POINTER(ctypes.c_uint32)),
        ("numbers", ctypes.POINTER(ctypes.c_uint32)),
        ("num_banks", ctypes.c_uint32),
        ("bytes_per_cycle", ctypes.c_double),
        ("latency", ctypes.c_uint32),
        ("burst_gap", ctypes.c_uint32),
        ("switch_penalty", ctypes.c_uint32),
        ("shallow", ctypes.c_uint32),
        ("stopped", _Stopped),
        ("tell", _Tell),
    )


def load(wired: Wired) -> ctypes.CDLL:
    """Return the chain's library, compiled if need be."""
    text = source.library_text(wired)
    return ctypes.CDLL(_compile.library(wired.name, {source.FILE_NAME: str(text)}, text.quoted))


def run(
    wired: Wired, library: ctypes.CDLL, device: str, own: BoardLike | None, shallow: bool, given: dict[str, Any]
) -> ChainResult:
    """Run it; see `Chain.run`."""
    board = board_of(device)
    described = None if own is None else resolve(own)
    if described is not None:
        board = find_board(described[0]) if described[1] is None else OwnBoard(described[1]).board
    arrays = {name: _array(wired, name, given) for name in wired.arrays}
    numbers = _numbers(wired, arrays, given)
    unknown = [name for name in given if name not in arrays and name not in numbers]
    if unknown:
        known = ", ".join([*arrays, *numbers])
        raise InputError(f"chain {wired.name} has no array and no number {unknown[0]!r}; it takes {known}")
    lines = {name: _lines(array) for name, array in arrays.items()}
    ends = _lines(np.zeros(2 + len(wired.ends), np.uint64))
    ports = source.ports(wired)
    buffers = [lines[port.array] for port in ports] + [ends]
    banks = {name: i % board.memory.num_banks for i, name in enumerate([*arrays, ""])}
    told: list[str] = []
    failed: list[BaseException] = []

    def stopped(_: Any) -> bool:
        try:  # where Ctrl-C arrives
            return bool(failed)
        except BaseException as error:
            failed.append(error)
            return True

    def tell(text: bytes) -> None:
        told.append(text.decode(errors="replace"))

    mhz = board.modeled_clock_mhz
    memory = board.memory
    count = len(buffers)
    call = _Call(
        count,
        (ctypes.c_void_p * count)(*(buffer.ctypes.data for buffer in buffers)),
        (ctypes.c_char_p * count)(*(name.encode() for name in [*(port.array for port in ports), "ends"])),
        (ctypes.c_uint64 * count)(*(buffer.nbytes for buffer in buffers)),
        (ctypes.c_uint32 * count)(*(banks[port.array] for port in ports), banks[""]),
        (ctypes.c_uint32 * count)(*(port.writes for port in ports), 1),
        (ctypes.c_uint32 * max(len(numbers), 1))(*numbers.values()),
        memory.num_banks,
        memory.modeled_bytes_per_second / (mhz * 1e6),
        *(round(ns * mhz / 1e3) for ns in (memory.modeled_latency_ns, memory.burst_gap_ns, memory.switch_ns)),
        int(shallow),
        _Stopped(stopped),
        _Tell(tell),
    )
    outcome = library.gaspipe_chain(ctypes.byref(call))
    if failed:
        raise failed[0]
    if outcome == _BAD_DESIGN:
        raise DeviceError(f"chain {wired.name} cannot go on: {told[0]}")
    if outcome == _NO_MEMORY:
        raise MemoryError(f"chain {wired.name} has no memory to run in the emulator")
    if outcome != _RAN:
        raise Error(f"chain {wired.name} failed: {told[0] if told else 'it was stopped'}")
    written = {name: lines[name][: len(arrays[name])] for name in sorted(wired.written)}
    return ChainResult(wired, board, mhz, written, ends, json.loads(told[0]))


def board_of(device: str) -> Any:
    """Return the board of a device string."""
    kind, _, name = device.partition(":") if isinstance(device, str) else ("", "", "")
    if kind != "emulator" or not name:
        raise InputError(
            f'device is {device!r}; chains run on "emulator:<board>", boards are {", ".join(_boards.names())}'
        )
    return find_board(name)


def _array(wired: Wired, name: str, given: dict[str, Any]) -> NDArray[Any]:
    dtype = np.dtype(types.DTYPES[wired.arrays[name]])
    if name not in given:
        raise InputError(f"array {name!r} of chain {wired.name} is missing; give {name}=, of {dtype}")
    refuse_masked(f"array {name!r}", given[name])
    array = np.asarray(given[name])
    if array.ndim != 1:
        raise InputError(f"array {name!r} has {array.ndim} dimensions; 1 is allowed")
    if array.dtype != dtype and not np.can_cast(array.dtype, dtype, "safe"):
        whole = array.dtype.kind in "iu" and dtype.kind in "iu"
        if not whole or (array.size and (array.min() < 0 or int(array.max()) > np.iinfo(dtype).max)):
            raise InputError(f"array {name!r} is of {array.dtype}, which {dtype} does not hold; convert it")
    return array.astype(dtype)


def _numbers(wired: Wired, arrays: dict[str, NDArray[Any]], given: dict[str, Any]) -> dict[str, int]:
    found = {}
    whole = {name for part in wired.parts if part.spec.name in BLOCKS for name in part.spec.scalars}
    for name in wired.numbers:
        value = given.get(name)
        if value is None and name == "num_vertices":
            rows = [part.arrays["rows"] for part in wired.parts if "rows" in part.arrays]
            value = len(arrays[rows[0]]) - 1 if rows else None
            if value == -1:
                raise InputError(f"array {rows[0]!r} is empty; num_vertices + 1 offsets are needed")
        if value is None:
            raise InputError(f"number {name!r} of chain {wired.name} is missing; give {name}=")
        is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
        if not is_number or (not isinstance(value, (float, np.floating)) and not -(2**31) <= int(value) <= _HIGHEST):
            raise InputError(f"number {name!r} is {value!r}; 32 bits are allowed: an integer, or a float (as float32)")
        if name in whole and (isinstance(value, (float, np.floating)) or value < 0):
            raise InputError(f"number {name!r} is {value!r}; an integer of at least 0 is needed")
        found[name] = source.word_of(value)
    return found


def _lines(array: NDArray[Any]) -> NDArray[Any]:
    """Return a copy in whole lines, from the start of one on."""
    size = -(-max(array.nbytes, 1) // types.LINE_BYTES) * types.LINE_BYTES
    memory = np.zeros(size + types.LINE_BYTES, np.uint8)
    start = -memory.ctypes.data % types.LINE_BYTES
    lines = memory[start : start + size].view(array.dtype)
    lines[: len(array)] = array
    return lines
