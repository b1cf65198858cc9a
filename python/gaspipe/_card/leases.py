# SPDX-License-Identifier: Apache-2.0
"""Which card runs a question, with which xclbin, and the right to use it."""

from __future__ import annotations

import os
import threading
from types import TracebackType
from typing import Any

from .. import _core, _description
from .._core import DeviceError
from .._description import Description
from . import build as _build
from . import driver, lock
from . import trust as _trust
from . import xclbin as _xclbin
from .card import Card, Slot, slot_of, slots
from .xclbin import Contents, Found, Program, Xclbin

_SETS = "bits512"  # of searches


def _load(card: Card, xclbin: Xclbin, found: Contents, program: Program) -> Any:
    """Program a card. The one call of the constructor."""
    core: Any = _core
    return core.LoadedCard(
        driver.module().driver(),
        card.index,
        xclbin.path,
        program.algorithm,
        program.number,
        _xclbin.board_of(xclbin.platform),
        found.config,
        program.weighted,
        found.pes,
        found.capacity,
        found.gather_scatter,
        found.apply,
        list(found.units),
        found.apply_unit,
        xclbin.clock_mhz,
        found.dense,
        found.num_dense,
    )


class Lease:
    """The right to use a card, with a program on it, until it is left."""

    def __init__(self, slot: Slot, program: Program) -> None:
        self._slot: Slot | None = None
        if slot.owner == threading.get_ident():
            raise DeviceError(f"{slot.card} is running the call that this one is made from; use another device for it")
        slot.lock.acquire()  # Ctrl-C ends the wait
        self._slot = slot
        slot.owner = threading.get_ident()
        self.program = program

    @property
    def card(self) -> Any:
        """The _core.LoadedCard."""
        assert self._slot is not None
        return self._slot.loaded

    def prepare(self, xclbin: Xclbin, found: Contents) -> None:
        """Put the xclbin on the card, if it is not there."""
        slot = self._slot
        assert slot is not None
        key = (xclbin, self.program)
        if slot.key == key:
            return
        if slot.file is None:
            slot.file = lock.lock_card(slot.card)
        slot.loaded = slot.key = None  # objects of the old xclbin go before the new one is loaded
        try:
            slot.loaded = _load(slot.card, xclbin, found, self.program)
        except BaseException:
            slot.close()
            raise
        slot.key = key

    def close(self, failed: bool = False) -> None:
        """Leave the card; after a failure, the next call opens it anew."""
        slot, self._slot = self._slot, None
        if slot is not None:
            if failed:
                slot.close()
            slot.owner = 0
            slot.lock.release()

    def __enter__(self) -> Lease:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(isinstance(error, DeviceError))

    def __del__(self) -> None:
        self.close()


def lease(
    device: str,
    algorithm: str | Description,
    graph: Any,
    arguments: dict[str, Any],
    number: str,
    xclbin: str | os.PathLike[str] | None,
    method: str = "auto",
    design: str = "",
) -> Lease:
    """Choose card and xclbin for a question, and wait until the card is free.

    Parameters
    ----------
    device : str
        "fpga", "fpga:1" (by index) or "fpga:u250" (by board).
    algorithm : str or Description
        Name of a built-in algorithm, or the description of a user's.
    graph : Graph
        The graph.
    arguments : dict
        Of the algorithm.
    number : str
        Number format that was asked for, or "auto".
    xclbin : path or None
        File or folder to use, instead of the search path.
    method, design : str
        Of the call: some have kernels that are no part of a pipeline.

    Raises
    ------
    InputError
        For arguments that no device takes.
    DeviceError
        If there is no card, driver or xclbin that can be used, or another process has the card; nothing has run.

    """
    wanted = programs_for(algorithm, graph, arguments, number, method, design)
    usable, problems = usable_cards(device)
    opened = {slot.card.index for slot in slots() if slot.loaded is not None}
    usable.sort(key=lambda card: card.index not in opened)  # where graphs may be already
    places = _xclbin.search_path(xclbin)
    found = _trust.found(places)
    for card in usable:
        chosen, reasons = choose_xclbin(found, wanted, card)
        if chosen is None:
            problems.append(no_xclbin(wanted, card, places, reasons))
            continue
        program, file = chosen
        assert file.xclbin is not None and file.contents is not None
        leased = Lease(slot_of(card), program)
        try:
            leased.prepare(file.xclbin, file.contents)
        except DeviceError as error:
            leased.close()
            problems.append(str(error))
            continue
        except BaseException:
            leased.close()
            raise
        return leased
    raise DeviceError("; ".join(problems))


def usable_cards(device: str) -> tuple[list[Card], list[str]]:
    """Return the cards that a device means and that can be used, and why others of them cannot.

    Raises
    ------
    DeviceError
        If there is no driver, or no such card.

    """
    usable, problems = [], []
    for card in matching(device, driver.cards()):
        if card.problem:
            problems.append(f"{card}: {card.problem}")
        else:
            usable.append(card)
    if not usable:
        raise DeviceError("; ".join(problems) or "XRT finds no card; gaspipe devices --check looks for the reason")
    return usable, problems


def usable_cards_by_lock(device: str) -> dict[str, int]:
    """Return the indices of the cards that `usable_cards` finds, by a name that all processes of this machine have."""
    return {os.path.basename(lock.lock_path(card)): card.index for card in usable_cards(device)[0]}


def may_run(
    algorithm: str | Description,
    graph: Any,
    arguments: dict[str, Any],
    number: str,
    xclbin: str | os.PathLike[str] | None,
    method: str = "auto",
    design: str = "",
) -> bool:
    """Whether there is an xclbin for a question, if there should be a card; loads no XRT."""
    try:
        wanted = programs_for(algorithm, graph, arguments, number, method, design)
    except DeviceError:
        return False
    places = _xclbin.search_path(xclbin)
    return any(_xclbin.verdict(found, wanted, "")[0] is not None for found in _trust.found(places))


def programs_for(
    algorithm: str | Description,
    graph: Any,
    arguments: dict[str, Any],
    number: str,
    method: str = "auto",
    design: str = "",
) -> list[Program]:
    """Kernels that may answer a question, the preferred ones first.

    For "auto" the formats that the CPU would take; if those are doubles, which no kernel has, fixed point and floats;
    and of sets of searches the widest before others.
    A user's algorithm has one format. A method with a kernel of its own takes that alone, whatever searches with it; a
    design has kernels of its own for some algorithms.
    """
    is_own = not isinstance(algorithm, str)
    name = algorithm if isinstance(algorithm, str) else algorithm.name
    kernel = _xclbin.kernel_of(method) or _xclbin.kernel_by_design(design, name, is_own)
    found = [] if kernel is None else _xclbin.programs_alone(kernel)
    if kernel is not None and kernel.method:
        dtype = graph._core.weights_dtype
        floating = dtype is not None and dtype.kind == "f"
        return [each for each in found if len(found) == 1 or (each.number == "float32") == floating]
    if kernel is not None and name not in _description.algorithms():  # an algorithm of the CPU has one number format
        return found
    if isinstance(algorithm, str):
        description = _description.algorithms()[algorithm]
        formats = _core.number_formats(algorithm, graph._core, arguments, number)
    else:
        description, formats = algorithm, [number]
    if number == "auto" and "float64" in formats:
        formats += ["fixed", "float32"]
    if number == "auto" and _SETS in description.numbers:  # the answer is the same, in fewer passes
        formats = [_SETS, *formats]
    allowed = _build.numbers(description)
    # Probabilities of following edges are there without weights, too.
    reads = {
        i.number: i.reads_weights and (i.transition_probabilities or graph.is_weighted) for i in description.instances
    }
    wanted = [n for n in dict.fromkeys(formats) if n in allowed]
    if not wanted:
        raise DeviceError(f"no kernel has number={formats[0]!r}; those of {name} have {', '.join(allowed) or 'none'}")
    if kernel is not None:
        return [each for n in wanted for each in found if each.number == n]
    return [_xclbin.program(description, n, reads[n]) for n in wanted]


def matching(device: str, listed: list[Card]) -> list[Card]:
    """Return the cards that "fpga", "fpga:1" or "fpga:u250" means."""
    which = device.partition(":")[2]
    if not which:
        return listed
    if which.isdecimal() and which.isascii():
        found = [card for card in listed if card.index == int(which)]
        if not found:
            raise DeviceError(f"there is no card {which}; XRT finds {_listed(listed)}")
        return found
    found = [card for card in listed if _xclbin.board_of(card.name) == which]
    if not found:
        raise DeviceError(f"there is no card of the board {which}; XRT finds {_listed(listed)}")
    return found


def _listed(listed: list[Card]) -> str:
    return ", ".join(f"{card} {card.name}".rstrip() for card in listed) or "none"


def choose_xclbin(
    found: list[Found], wanted: list[Program], card: Card
) -> tuple[tuple[Program, Found] | None, list[str]]:
    """File for the most preferred program that there is one for; else why not, for every file."""
    best, reasons = None, []
    for file in found:
        program, why = _xclbin.verdict(file, wanted, card.name)
        if program is None:
            reasons.append(why)
        elif best is None or wanted.index(program) < wanted.index(best[0]):
            best = (program, file)
            if program == wanted[0]:
                break
    return best, reasons


def no_xclbin(wanted: list[Program], card: Card, places: list[_xclbin.Place], reasons: list[str]) -> str:
    """Say that no xclbin serves, where it was looked for, and what makes one."""
    first = wanted[0]
    board = _xclbin.board_of(card.name) or "BOARD"
    if first.alone:
        remedy = (
            f"gaspipe build --board {board} --number {first.number} --config {first.alone} {first.algorithm} makes one"
        )
    elif first.header:
        options = f"board={board!r}" + ("" if first.weighted else ", weighted=False")
        remedy = f"{first.algorithm}.build({options}) makes what one is built of"
    else:
        options = f"--board {board} --number {first.number}" + ("" if first.weighted else " --no-weights")
        remedy = f"gaspipe build {options} {first.algorithm} makes one"
    text = f"no xclbin for {first} on {card}"
    if len(wanted) > 1:
        text += f" (nor {' or '.join(program.number for program in wanted[1:])})"
    looked = ", ".join(f"{place.path} ({place.why}{'' if place.exists else '; not there'})" for place in places)
    text += ": " + ("; ".join(reasons) if reasons else f"none found in {looked}")
    return f"{text}; {remedy}"
