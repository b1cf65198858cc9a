# SPDX-License-Identifier: Apache-2.0
"""What there is to run on, and why something of it cannot be used."""

from __future__ import annotations

import html
import os
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, overload

from .._core import DeviceError, InputError
from .._executors import CARD, EXECUTORS, is_card
from . import driver, lock
from . import trust as _trust
from . import xclbin as _xclbin
from .card import Card


class Device(NamedTuple):
    """A device.

    Attributes
    ----------
    device : str
        What to give as `device=`: "cpu", "emulator:u250", "fpga:0".
    name : str
        What it is; of a card, the name of its shell.
    usable : bool
        Whether a call can run there now.
    problem : str
        Why not, else empty.
    programs : tuple of str
        Of a card: the algorithms and number formats that an xclbin was found for.
    """

    device: str
    name: str
    usable: bool = True
    problem: str = ""
    programs: tuple[str, ...] = ()


class XclbinFile(NamedTuple):
    """An xclbin of the search path.

    Attributes
    ----------
    path : str
        The file.
    holds : str
        Program that its kernels were built for, as "bfs, uint32, without weights"; empty for kernels of others.
    platform : str
        Platform that it was built for.
    units, capacity : int
        Compute units, and most vertices of a partition; 0 where unknown.
    usable : bool
        Whether a card can run it.
    problem : str
        Why not, else empty.
    """

    path: str
    holds: str
    platform: str
    units: int
    capacity: int
    usable: bool
    problem: str


class Devices(Sequence[Device]):
    """List of devices, shown as a table.

    Attributes
    ----------
    xclbins : tuple of XclbinFile
        The xclbin files found.
    searched : tuple of str
        Where they were looked for.
    problem : str
        Why no card can be asked for at all, else empty.
    """

    def __init__(self, found: list[Device], xclbins: list[XclbinFile], searched: list[str], problem: str = "") -> None:
        self._found = tuple(found)
        self.xclbins = tuple(xclbins)
        self.searched = tuple(searched)
        self.problem = problem

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, index: int) -> Device: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Device, ...]: ...
    def __getitem__(self, index: int | slice) -> Device | tuple[Device, ...]:
        return self._found[index]

    def __iter__(self) -> Iterator[Device]:
        return iter(self._found)

    @property
    def cards(self) -> tuple[Device, ...]:
        """The cards among them."""
        return tuple(device for device in self._found if is_card(device.device))

    def _rows(self) -> list[tuple[str, str, str]]:
        rows = []
        for device in self._found:
            state = "usable" if device.usable else f"not usable: {device.problem}"
            if device.programs:
                state += f"; xclbins for {'; '.join(device.programs)}"
            rows.append((device.device, device.name, state))
        if not self.cards:
            rows.append((CARD, "", f"not usable: {self.problem or 'XRT finds no card'}"))
        return rows

    def _files(self) -> list[tuple[str, str]]:
        return [
            (
                file.path,
                f"{file.holds}; {file.units} compute unit{'s' if file.units > 1 else ''}"
                if file.usable
                else f"not usable: {file.problem}",
            )
            for file in self.xclbins
        ]

    def __repr__(self) -> str:
        rows = self._rows()
        widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
        lines = [f"{device:<{widths[0]}}  {name:<{widths[1]}}  {state}" for device, name, state in rows]
        lines += [f"xclbin {path}: {told}" for path, told in self._files()]
        if not self.xclbins:
            lines.append(f"xclbin: none found in {', '.join(self.searched)}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
            cells = "".join(f"<th>{html.escape(text)}</th>" for text in head)
            body = "".join("<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row) + "</tr>" for row in rows)
            return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"

        text = table(("device", "name", "state"), self._rows())
        return text + (table(("xclbin", "holds"), self._files()) if self.xclbins else "")

    def as_json(self) -> dict[str, Any]:
        """Tell all of it to programs."""
        return {
            "devices": [{**device._asdict(), "programs": list(device.programs)} for device in self._found],
            "xclbins": [file._asdict() for file in self.xclbins],
            "searched": list(self.searched),
            "problem": self.problem,
        }


def devices(xclbin: str | os.PathLike[str] | None = None) -> Devices:
    """List what there is to run on: the CPU, the boards of the emulator, the cards.

    Parameters
    ----------
    xclbin : path, optional
        A file or folder to look in for kernels, instead of the search path: the files and folders of the environment
        variable GASPIPE_XCLBIN, then the user's data folder (XDG_DATA_HOME, else ~/.local/share), gaspipe/xclbin.

    Returns
    -------
    Devices
        A sequence of `Device` records, with the xclbin files found in `xclbins`. Printed, it is a table.

    Raises
    ------
    InputError
        If `xclbin` is no path.

    Examples
    --------
    >>> import gaspipe as gp
    >>> gp.devices()[0].device
    'cpu'

    """
    if xclbin is not None and not (isinstance(xclbin, (str, os.PathLike)) and isinstance(os.fspath(xclbin), str)):
        raise InputError(f"xclbin is of type {type(xclbin).__name__}; the path of a file or folder is needed")
    found = [Device(*described) for executor in EXECUTORS.values() for described in executor.found()]
    places = _xclbin.search_path(xclbin)
    files = _trust.found(places)
    listed: list[Card] = []
    problem = ""
    try:
        listed = driver.cards(refresh=True)
    except DeviceError as error:
        problem = str(error)
    for card in listed:
        serving = [_xclbin.verdict(file, [], card.name) for file in files]
        programs = tuple(str(program) for program, _ in serving if program is not None)
        found.append(_described(card, programs, [why for _, why in serving if why], places))
    xclbins = [_file(file, listed, problem) for file in files]
    return Devices(found, xclbins, [place.path for place in places], problem)


def _described(card: Card, programs: tuple[str, ...], reasons: list[str], places: list[_xclbin.Place]) -> Device:
    problem = card.problem
    if not problem and not programs:
        looked = ", ".join(place.path for place in places)
        problem = f"no xclbin for it: {'; '.join(reasons) if reasons else f'none found in {looked}'}"
    holder = "" if problem else lock.holder_of(card)
    if holder:
        problem = f"in use by {holder}"
    return Device(f"{CARD}:{card.index}", card.name, not problem, problem, programs)


def _file(file: _xclbin.Found, listed: list[Card], problem: str) -> XclbinFile:
    """Verdict on a file: of the card that takes it; else of the first card, or without any, the file's own."""
    verdicts = [_xclbin.verdict(file, [], card.name) for card in listed if not card.problem]
    serves = any(program is not None for program, _ in verdicts)
    program, why = verdicts[0] if verdicts else _xclbin.verdict(file, [], "")
    if not why and not serves:
        why = problem or "there is no card that can be used"
    held = file.contents
    program = program or (None if held is None else _xclbin.identify(held))
    return XclbinFile(
        file.path,
        "" if program is None else str(program),
        "" if file.xclbin is None else file.xclbin.platform,
        0 if held is None else len(held.units),
        0 if held is None else held.capacity,
        serves,
        "" if serves else why,
    )
