# SPDX-License-Identifier: Apache-2.0
"""Looks, step by step, for what a card needs on this machine: from XRT to an xclbin."""

from __future__ import annotations

import glob
import os
import shlex
import stat
from typing import Any, NamedTuple

from .._core import DeviceError
from . import driver, lock
from . import trust as _trust
from . import xclbin as _xclbin
from .card import Card

_MODULES = "/proc/modules"
_DRIVER = "/sys/bus/pci/drivers/xocl"
_NODES = "/dev/dri/renderD*"
_NODE_DRIVER = "/sys/class/drm/{}/device/driver"  # a link to the driver's folder
_EXAMINE = "source XRT's setup.sh (/opt/xilinx/xrt/setup.sh); xbutil examine then tells what XRT sees"


class Step(NamedTuple):
    """One thing that is needed."""

    title: str
    ok: bool | None  # None: not looked at, for what it needs is missing
    found: str
    remedy: str = ""  # where it is missing


def check(xclbin: str | os.PathLike[str] | None = None) -> list[Step]:
    """Return all steps in order; a card is usable when all are ok."""
    steps = [_module()]
    has_module = bool(steps[0].ok)
    steps.append(_library() if has_module else Step("libxrt", None, "needs the XRT backend"))
    emulated = _xclbin.target() != "hw"
    if emulated:
        told = f"XCL_EMULATION_MODE={_xclbin.target()}: none is needed"
        steps += [Step("kernel driver", True, told), Step("permission", True, told)]
    else:
        steps += [_driver(), _permission()]
    cards: list[Card] = []
    if steps[1].ok:
        step, cards = _cards()
        steps.append(step)
    else:
        steps.append(Step("cards", None, "needs libxrt"))
    places = _xclbin.search_path(xclbin)
    steps.append(_search(places))
    step, usable = _xclbins(places, cards)
    steps.append(step)
    steps.append(_lock(usable) if usable else Step("lock", None, "needs a card and an xclbin for it"))
    return steps


def first_missing(steps: list[Step]) -> Step | None:
    """Step to see to first."""
    return next((step for step in steps if step.ok is False), None)


def _module() -> Step:
    try:
        found = driver.module()
    except DeviceError as error:
        return Step(
            "XRT backend",
            False,
            str(error),
            "install XRT with its headers (AMD's package, or libxrt-dev and uuid-dev of Debian), then install gaspipe "
            "from its source: pip install .",
        )
    return Step("XRT backend", True, getattr(found, "__file__", None) or "loaded")


def _library() -> Step:
    try:
        return Step("libxrt", True, str(driver.module().library()))
    except DeviceError as error:
        return Step("libxrt", False, str(error), "install XRT, and source its setup.sh")


def _driver() -> Step:
    try:
        with open(_MODULES, encoding="ascii", errors="replace") as file:
            is_loaded = any(line.split(" ", 1)[0] == "xocl" for line in file)
    except OSError:
        is_loaded = False
    if is_loaded or os.path.isdir(_DRIVER):
        return Step("kernel driver", True, "xocl is loaded")
    return Step(
        "kernel driver",
        False,
        "xocl is not loaded",
        "install XRT's package with the driver and load it: sudo modprobe xocl (in a container: load it on the host)",
    )


def _permission() -> Step:
    title, nodes = "permission", _render_nodes()
    if not nodes:
        return Step(
            title,
            False,
            f"no card's device file is there ({_NODES})",
            "see that lspci -d 10ee: lists the card (in a container: pass /dev/dri to it)",
        )
    allowed = [node for node in nodes if os.access(node, os.R_OK | os.W_OK)]
    if allowed:
        return Step(title, True, f"{', '.join(allowed)} may be opened")
    status = os.stat(nodes[0])
    group = _group_name(status.st_gid)
    return Step(
        title,
        False,
        f"{nodes[0]} may not be opened: it belongs to group {group}, mode {stat.S_IMODE(status.st_mode):o}",
        f"sudo usermod -aG {shlex.quote(group)} $USER, then log in again",
    )


def _render_nodes() -> list[str]:
    """Device files of cards; where nothing tells the driver, of all."""
    nodes = sorted(glob.glob(_NODES))
    drivers = {node: os.path.realpath(_NODE_DRIVER.format(os.path.basename(node))) for node in nodes}
    known = {node: os.path.basename(path) for node, path in drivers.items() if os.path.isdir(path)}
    return [node for node in nodes if known.get(node, "xocl") == "xocl"]


def _group_name(number: int) -> str:
    import grp

    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


def _cards() -> tuple[Step, list[Card]]:
    try:
        cards = driver.cards(refresh=True)
    except DeviceError as error:
        return Step("cards", False, str(error), _EXAMINE), []
    told = "; ".join(
        f"{card} {card.name or 'with an unknown shell'}" + (f", not usable: {card.problem}" if card.problem else "")
        for card in cards
    )
    usable = [card for card in cards if not card.problem]
    if usable:
        return Step("cards", True, told), usable
    return (
        Step(
            "cards",
            False,
            told or "XRT finds no card",
            f"{_EXAMINE}; a card without a shell needs one: xbmgmt program --base",
        ),
        [],
    )


def _search(places: list[_xclbin.Place]) -> Step:
    told = ", ".join(f"{place.path} ({place.why}{'' if place.exists else '; not there'})" for place in places)
    if any(place.exists for place in places):
        return Step("search path", True, told)
    target = shlex.quote(places[-1].path)
    return Step(
        "search path",
        False,
        told,
        f"mkdir -p {target} and copy xclbin files there, or name files or folders in {_xclbin.VARIABLE}",
    )


def _xclbins(places: list[_xclbin.Place], cards: list[Card]) -> tuple[Step, list[Card]]:
    """Tell all files and what they are good for, and return the cards that there is one for."""
    title = "xclbins"
    files = _trust.found(places)
    told, usable = [], set()
    for file in files:
        verdicts: list[tuple[Any, str]] = [_xclbin.verdict(file, [], card.name) for card in cards]
        served = [card.index for card, (program, _) in zip(cards, verdicts) if program is not None]
        usable.update(served)
        program, why = next((v for v in verdicts if v[0] is not None), None) or (
            verdicts[0] if verdicts else _xclbin.verdict(file, [], "")
        )
        told.append(f"{file.path}: {program}" if program is not None else why)
    board = next((board for board in (_xclbin.board_of(card.name) for card in cards) if board), "BOARD")
    remedy = f"gaspipe build --board {board} bfs makes one (it needs Vitis, or copy the folder to where Vitis is)"
    serving = [card for card in cards if card.index in usable]
    if not files:
        return Step(title, False, "none found", remedy), []
    if serving:
        return Step(title, True, "; ".join(told)), serving
    if not cards:
        fits = any(_xclbin.verdict(file, [], "")[0] is not None for file in files)
        return Step(title, None if fits else False, "; ".join(told), "" if fits else remedy), []
    return Step(title, False, "; ".join(told), remedy), []


def _lock(cards: list[Card]) -> Step:
    holders = [lock.holder_of(card) for card in cards]
    free = [str(card) for card, holder in zip(cards, holders) if not holder]
    if free:
        return Step("lock", True, f"{', '.join(free)} free to use")
    told = "; ".join(f"{card} is in use by {holder}" for card, holder in zip(cards, holders))
    return Step("lock", False, told, "wait for it, or call gaspipe.release_devices() there")
