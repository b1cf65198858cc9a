# SPDX-License-Identifier: Apache-2.0
"""Boards to predict: known by name, changed in a few figures, or described in full in a dict or a JSON file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, Union

import numpy as np

from .. import _core
from .._core import InputError

BoardLike = Union[str, "os.PathLike[str]", Mapping[str, Any]]

_MEMORY = {
    "kind": str,
    "num_banks": int,
    "bytes_per_bank": int,
    "peak_bytes_per_second": float,
    "efficiency": float,
    "latency_ns": float,
    "burst_gap_ns": float,
    "switch_ns": float,
}
_HUGE = 2**63  # no figure of a board comes near
_SLR = {"uram": int, "bram": int, "luts": int}
_KEYS: dict[str, Any] = {
    "name": str,
    "platform": str,
    "memory": _MEMORY,
    "slrs": [_SLR],
    "clock_mhz": int,
    "launch_us": float,
    "step_us": float,
    "clocks": {},
}
# Optional in a full description: the platform, which only builds need, and clocks, which few boards have published.
_OPTIONAL: dict[str, Any] = {"platform": "", "clocks": {}}
_OPTIONAL_OF_SLR = {"luts": 0}  # likewise; not known for every board of ours


class Board(Mapping[str, Any]):
    """A board to predict, as `gp.predict(board=...)` takes it; a read-only mapping.

    Parameters
    ----------
    base : str, path or mapping
        A known board ("u250"), a JSON file, or a mapping with the keys below.
    **changes
        Keys to replace; `memory` and `clocks` key by key.

    Notes
    -----
    A file or mapping has either all keys but `platform` and `clocks`, or `base`, the name of a known board, and only
    those that differ. A figure of 0 is not known, and taken as of common boards; numbers of banks and blocks must be
    known.

    - `name`, `platform` (the shell to build for; may be "");
    - `memory`: `kind` ("ddr" or "hbm"), `num_banks`, `bytes_per_bank`, `peak_bytes_per_second` (of a bank),
      `efficiency` (share of it that long bursts reach), `latency_ns`, `burst_gap_ns` (lost between bursts), `switch_ns`
      (lost when another port takes its turn);
    - `slrs`: a list, for every region `uram` and `bram` blocks, and `luts`, which may be left out;
    - `clock_mhz`: of the kernels; `clocks`: by algorithm, what the published kernels reached;
    - `launch_us`: to start a kernel; `step_us`: of the host between super-steps.

    Raises
    ------
    InputError
        For a key that is unknown or missing, a value of the wrong type or that no board can have, a file that is no
        JSON.

    Examples
    --------
    >>> fast = gp.Board("u250", clock_mhz=300, memory={"latency_ns": 100})
    >>> gp.predict("bfs", graph, board=fast)

    """

    def __init__(self, base: BoardLike, **changes: Any) -> None:
        values = _read(base)
        if changes:
            changes = _checked(changes, "Board()", partial=True)
            if "name" not in changes:
                changes["name"] = _changed(values["name"])
            values = _possible(_merged(values, changes), "Board()")
        self._values = values

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Board:
        """Read a JSON file, whatever its name."""
        board = cls.__new__(cls)
        board._values = _from_file(path)
        return board

    @property
    def name(self) -> str:
        """Name of the board."""
        return str(self._values["name"])

    def to_dict(self) -> dict[str, Any]:
        """Return a copy, of plain dicts and lists: what a JSON file has."""
        copy: dict[str, Any] = json.loads(json.dumps(self._values))
        return copy

    def __getitem__(self, key: str) -> Any:
        return self.to_dict()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Board({json.dumps(self._values)})"


def resolve(board: BoardLike) -> tuple[str, dict[str, Any] | None]:
    """Return the name of a board, and its description where it is not a known one."""
    if isinstance(board, str) and board in _core.boards():
        return board, None
    values = _read(board)
    return str(values["name"]), values


def described(name: str) -> dict[str, Any]:
    """Return all values of a known board."""
    board = _core.find_board(name)
    return {
        "name": board.name,
        "platform": board.platform,
        "memory": {key: getattr(board.memory, key) for key in _MEMORY},
        "slrs": [{key: getattr(slr, key) for key in _SLR} for slr in board.slrs],
        "clock_mhz": board.clock_mhz,
        "launch_us": board.launch_us,
        "step_us": board.step_us,
        "clocks": _core.published_clocks(name),
    }


def _read(board: Any) -> dict[str, Any]:
    """All values of a board."""
    if isinstance(board, Board):
        return board.to_dict()
    if isinstance(board, Mapping):
        return _completed(dict(board), "board")
    if isinstance(board, str) and not (board.endswith(".json") or os.sep in board or os.path.isfile(board)):
        if board in _core.boards():
            return described(board)
        raise InputError(
            f"there is no board {board!r}; known are {', '.join(_core.boards())}; "
            "a file that describes another one ends in .json"
        )
    if not isinstance(board, (str, os.PathLike)):
        raise InputError(
            f"board is of type {type(board).__name__}; a name, the path of a JSON file, a dict or a gp.Board is needed"
        )
    return _from_file(board)


def _from_file(file_path: str | os.PathLike[str]) -> dict[str, Any]:
    path = os.fspath(file_path)
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except UnicodeError as error:
        raise InputError(f"{path}: {error}") from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; the JSON file of a board is needed") from None
    try:
        values = json.loads(text, parse_constant=_refuse, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}, line {error.lineno}: {error.msg}; a board's file is JSON") from None
    except RecursionError:
        raise InputError(f"{path}: nested too deeply; a board's file is one JSON object") from None
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    if not isinstance(values, dict):
        raise InputError(f"{path}: found {_type(values)}; a board's file is one JSON object")
    stem = os.path.splitext(os.path.basename(path))[0]
    return _completed({"name": stem, **values} if "base" in values else values, path)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no number of JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key in values:
            raise ValueError(f"{key!r} is there twice")
        values[key] = value
    return values


def _completed(values: dict[str, Any], where: str) -> dict[str, Any]:
    """Board with all its values, from one that is described in full or by what differs from its base."""
    base = values.pop("base", None)
    if base is None:
        return _possible(_checked(values, where, partial=False), where)
    if not isinstance(base, str) or base not in _core.boards():
        raise InputError(f"{where}: base is {base!r}; allowed are {', '.join(_core.boards())}")
    changes = _checked(values, where, partial=True)
    return _possible(_merged(described(base), {"name": _changed(base), **changes}), where)


def _possible(values: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the values if a board can have them."""
    try:
        _core.OwnBoard(values)
    except InputError as error:
        raise InputError(f"{where}: {error}" if os.sep in where else str(error)) from None
    return values


def _changed(name: str) -> str:
    return name if name.endswith("*") else f"{name}*"


def _merged(values: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    merged = {**values, **changes}
    for key in ("memory", "clocks"):
        merged[key] = {**values[key], **changes.get(key, {})}
    return merged


def _checked(values: Mapping[str, Any], where: str, partial: bool) -> dict[str, Any]:
    """Board whose keys are known and whose values have their types; unless partial, all are there."""
    found = _object(values, _KEYS, where, "", partial)
    return found if partial else {**_OPTIONAL, **found}


def _object(values: Any, keys: Mapping[str, Any], where: str, path: str, partial: bool) -> dict[str, Any]:
    if not isinstance(values, Mapping):
        raise InputError(f"{where}: {path} is {_type(values)}; {_needed(keys)} is needed")
    for key in values:
        if key not in keys:
            raise InputError(f"{where}: unknown key {_join(path, key)!r}; known are {', '.join(keys)}")
    if not partial:
        for key in keys:
            if key not in values and not (path == "" and key in _OPTIONAL):
                remedy = " (or 'base', a known board that gives what is not here)" if path == "" else ""
                raise InputError(f"{where}: {_join(path, key)!r} is missing; it needs {_needed(keys[key])}{remedy}")
    return {key: _value(value, keys[key], where, _join(path, key), partial) for key, value in values.items()}


def _region(value: Any, keys: Mapping[str, Any], where: str, path: str) -> dict[str, Any]:
    given = {**_OPTIONAL_OF_SLR, **value} if isinstance(value, Mapping) else value
    return _object(given, keys, where, path, False)


def _value(value: Any, wanted: Any, where: str, path: str, partial: bool) -> Any:
    if isinstance(wanted, list):
        if isinstance(value, (str, Mapping)) or not hasattr(value, "__iter__"):
            raise InputError(f"{where}: {path} is {_type(value)}; {_needed(wanted)} is needed")
        return [_region(v, wanted[0], where, f"{path}[{k}]") for k, v in enumerate(value)]
    if wanted == {}:  # clocks: any algorithm
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            raise InputError(f"{where}: {path} is {_type(value)}; {_needed(wanted)} is needed")
        return {key: _value(v, int, where, f"{path}.{key}", partial) for key, v in value.items()}
    if isinstance(wanted, Mapping):
        return _object(value, wanted, where, path, partial)
    if wanted is str:
        is_right = isinstance(value, str)
    else:
        is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
        is_number = is_number and abs(value) < _HUGE
        is_right = is_number and (wanted is float or value == int(value))
    if not is_right:
        raise InputError(f"{where}: {path} is {_type(value)}; {_needed(wanted)} is needed")
    return value if wanted is str else wanted(value)


def _join(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)


def _needed(wanted: Any) -> str:
    if isinstance(wanted, list):
        return "a list of {" + ", ".join(wanted[0]) + "}"
    if isinstance(wanted, Mapping):
        return "an object of " + (", ".join(wanted) if wanted else "whole numbers by algorithm")
    return {str: "a string", int: "a whole number", float: "a number"}[wanted]


def _type(value: Any) -> str:
    """What was found, in JSON's words."""
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, (list, tuple)):
        return "a list"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return f"{value!r}"[:60]
