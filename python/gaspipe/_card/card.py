# SPDX-License-Identifier: Apache-2.0
"""Cards: which one, with which xclbin, and who may use it now.

A card stays open between calls, with its xclbin and the graphs on it. It belongs to one process at a time, by a lock
file of ours, and within that to one call at a time. All that is asked of XRT goes through the module `_fpga`, which is
loaded here and by nobody else, at first use.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import importlib
import os
import stat
import sys
import threading
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from .. import _core, _description
from .._core import DeviceError, InputError
from .._description import Description
from . import build as _build
from . import xclbin as _xclbin
from .xclbin import Contents, Found, Program, Xclbin

_SECONDS_AT_EXIT = 10.0  # that a run of another thread may take to end
_COMMAND_LENGTH = 120
_LOCK_TRIES, _LOCK_PAUSE = 4, 0.02


@dataclass(frozen=True)
class Card:
    """A card as the driver lists it."""

    index: int
    name: str  # of its shell; "" where it cannot be read
    address: str  # on the bus; "" where there is none
    problem: str  # why it cannot be used; "" where it can

    def __str__(self) -> str:
        return f"card {self.index}" + (f" ({self.address})" if self.address else "")


class _Slot:
    """A card of this process: what is on it, and the locks."""

    def __init__(self, card: Card) -> None:
        self.card = card
        self.lock = threading.Lock()
        self.owner = 0  # thread that holds it
        self.loaded: Any = None  # _core.LoadedCard
        self.key: object = None  # of what is loaded
        self.file: int | None = None  # that is locked

    def close(self) -> None:
        """Let go of the card. The caller holds the lock."""
        self.loaded = self.key = None
        if self.file is not None:
            os.close(self.file)
            self.file = None


_guard = threading.Lock()  # of what follows; held for moments
_slots: dict[int, _Slot] = {}
_module: Any = None
_cards: list[Card] = []
_is_child = False  # of a process that had loaded XRT


def module() -> Any:
    """`gaspipe._fpga`, loaded now if it was not; DeviceError says why it cannot be."""
    global _module
    if _is_child:
        raise DeviceError(
            "this process was forked from one that had loaded XRT, which does not survive that; start processes "
            "with multiprocessing's method 'spawn' or 'forkserver', or use the card in one process only"
        )
    if _module is None:
        try:
            found = importlib.import_module("gaspipe._fpga")
        except ModuleNotFoundError as error:
            if error.name != "gaspipe._fpga":
                raise DeviceError(f"gaspipe's XRT backend cannot be loaded: {error}") from None
            raise DeviceError(
                "this build of gaspipe has no XRT backend; build it from source where XRT's headers are installed"
            ) from None
        except ImportError as error:
            raise DeviceError(
                f"gaspipe's XRT backend cannot be loaded: {error}; install XRT, of the version it was built with"
            ) from None
        # Registered after XRT was loaded, so called before its own statics go.
        atexit.register(_release_at_exit)
        _module = found
    return _module


def cards(refresh: bool = False) -> list[Card]:
    """List all cards; asked once as long as one is usable, or anew."""
    global _cards
    if refresh or not any(not card.problem for card in _cards):
        asked = module().cards()
        _cards = [Card(c["index"], c["name"], c["address"], c["problem"]) for c in asked]
    else:
        module()
    return _cards


def _load(card: Card, xclbin: Xclbin, found: Contents, program: Program) -> Any:
    """Program a card. The one call of the constructor."""
    core: Any = _core
    return core.LoadedCard(
        module().driver(),
        card.index,
        xclbin.path,
        program.algorithm,
        program.number,
        _xclbin.board_of(xclbin.platform),
        program.weighted,
        found.capacity,
        found.gather_scatter,
        found.apply,
        list(found.units),
        found.apply_unit,
        xclbin.clock_mhz,
    )


class Lease:
    """The right to use a card, with a program on it, until it is left."""

    def __init__(self, slot: _Slot, program: Program) -> None:
        self._slot: _Slot | None = None
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
            slot.file = lock_card(slot.card)
        slot.loaded = slot.key = None  # what was made from the old one goes before the new one is loaded
        try:
            slot.loaded = _load(slot.card, xclbin, found, self.program)
        except BaseException:
            slot.close()
            raise
        slot.key = key

    def close(self, failed: bool = False) -> None:
        """Leave the card; one that failed is opened anew by whoever comes next."""
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
) -> Lease:
    """Choose card and xclbin for a question, and wait until the card is free.

    Parameters
    ----------
    device : str
        "fpga", "fpga:1" (by index) or "fpga:u250" (by board).
    algorithm : str or dict
        Name of a built-in algorithm; a user's as `_build.design_of` takes it.
    graph : Graph
        The graph.
    arguments : dict
        Of the algorithm.
    number : str
        Number format that was asked for, or "auto".
    xclbin : path or None
        File or folder to use, instead of the search path.

    Raises
    ------
    InputError
        For arguments that no device takes.
    DeviceError
        If there is no card, driver or xclbin that can be used, or another process has the card; nothing has run.

    """
    wanted = programs_for(algorithm, graph, arguments, number)
    usable, problems = [], []
    for card in matching(device, cards()):
        if card.problem:
            problems.append(f"{card}: {card.problem}")
        else:
            usable.append(card)
    if not usable:
        raise DeviceError("; ".join(problems) or "XRT finds no card; gaspipe devices --check looks for the reason")
    opened = {index for index, slot in list(_slots.items()) if slot.loaded is not None}
    usable.sort(key=lambda card: card.index not in opened)  # where graphs may be already
    places = _xclbin.search_path(xclbin)
    found = [_xclbin.look_at(path) for path in _xclbin.files(places)]
    for card in usable:
        chosen, reasons = choose_xclbin(found, wanted, card)
        if chosen is None:
            problems.append(no_xclbin(wanted, card, places, reasons))
            continue
        program, file = chosen
        assert file.xclbin is not None and file.contents is not None
        leased = Lease(_slot(card), program)
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


def may_run(
    algorithm: str | Description,
    graph: Any,
    arguments: dict[str, Any],
    number: str,
    xclbin: str | os.PathLike[str] | None,
) -> bool:
    """Whether there is an xclbin for a question, if there should be a card; loads no XRT."""
    try:
        wanted = programs_for(algorithm, graph, arguments, number)
    except DeviceError:
        return False
    files = _xclbin.files(_xclbin.search_path(xclbin))
    return any(_xclbin.verdict(_xclbin.look_at(path), wanted, "")[0] is not None for path in files)


def programs_for(algorithm: str | Description, graph: Any, arguments: dict[str, Any], number: str) -> list[Program]:
    """Kernels that may answer a question, the preferred ones first.

    For "auto" the formats that the CPU would take; if those are doubles, which no kernel has, fixed point and floats.
    A user's algorithm has one format.
    """
    if isinstance(algorithm, str):
        description = _description.algorithms()[algorithm]
        formats = _core.number_formats(algorithm, graph._core, arguments, number)
    else:
        description, formats = algorithm, [number]
    name = description.name
    if number == "auto" and "float64" in formats:
        formats += ["fixed", "float32"]
    allowed = _build.numbers(description)
    # Probabilities of following edges are there without weights, too.
    reads = {
        i.number: i.reads_weights and (i.transition_probabilities or graph.weights is not None)
        for i in description.instances
    }
    found = [_xclbin.program(description, n, reads[n]) for n in dict.fromkeys(formats) if n in allowed]
    if not found:
        raise DeviceError(f"no kernel has number={formats[0]!r}; those of {name} have {', '.join(allowed) or 'none'}")
    return found


def matching(device: str, listed: list[Card]) -> list[Card]:
    """Return the cards that "fpga", "fpga:1" or "fpga:u250" means."""
    which = device.partition(":")[2]
    if device == "fpga":
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


def check_name(device: str) -> None:
    """InputError for a device "fpga:..." that is no index or known board."""
    which = device.partition(":")[2]
    is_index = which.isdecimal() and which.isascii()
    if device != "fpga" and not is_index and which not in _core.boards():
        boards = ", ".join(f"fpga:{name}" for name in _core.boards())
        raise InputError(f"device is {device!r}; a card is 'fpga', 'fpga:0' by its index, or by its board: {boards}")


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
    if first.header:
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


def _slot(card: Card) -> _Slot:
    with _guard:
        return _slots.setdefault(card.index, _Slot(card))


# One process per card.


def lock_path(card: Card) -> str:
    """File whose lock is the right to use a card; emulated ones are not the real ones, and share one address."""
    target = _xclbin.target()
    is_on_bus = card.address and target == "hw"
    name = card.address.replace("/", "_") if is_on_bus else f"{target}-{card.index}"
    return os.path.join(os.environ.get("TMPDIR") or "/tmp", f"gaspipe-card-{name}.lock")


def lock_card(card: Card) -> int:
    """Lock a card for this process; return the file, which is locked until it is closed.

    Raises
    ------
    DeviceError
        If another process has it, or the file cannot be made.

    """
    import fcntl

    path, tries = lock_path(card), 0
    try:
        while True:
            file = _open_shared(path)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_still(file, path):
                    os.ftruncate(file, 0)
                    os.pwrite(file, f"{os.getpid()} {_command()}\n".encode("utf-8", "replace"), 0)
                    return file
            except BlockingIOError:
                tries += 1
                if tries < _LOCK_TRIES:  # it may be one who only looks (holder_of)
                    os.close(file)
                    time.sleep(_LOCK_PAUSE)
                    continue
                holder = os.pread(file, 4 * _COMMAND_LENGTH, 0).decode("utf-8", "replace")
                os.close(file)
                raise DeviceError(f"{card} is in use by {_told(holder)}; wait for it or choose another card") from None
            except BaseException:
                os.close(file)
                raise
            os.close(file)  # a file that somebody has removed from there locks nothing
    except OSError as error:
        raise DeviceError(f"{card} cannot be locked: {path}: {error.strerror or error}") from None


def holder_of(card: Card) -> str:
    """Who else uses a card; "" where nobody does."""
    with _guard:
        slot = _slots.get(card.index)
    if slot is not None and slot.file is not None:
        return ""
    import fcntl

    try:
        file = os.open(lock_path(card), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return ""
    except OSError:
        return _told(os.pread(file, 4 * _COMMAND_LENGTH, 0).decode("utf-8", "replace"))
    finally:
        os.close(file)


def _open_shared(path: str) -> int:
    """Open a file that every user may lock, made if it is not there."""
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    while True:
        # Apart from making it: in /tmp, Linux refuses O_CREAT for what is there and belongs to somebody else.
        try:
            file = os.open(path, flags)
            break
        except FileNotFoundError:
            pass
        with contextlib.suppress(FileExistsError):
            file = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o666)
            os.fchmod(file, 0o666)  # whatever the umask
            break
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise DeviceError(f"{path} is no regular file; remove it")
    return file


def _is_still(file: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(file), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False


def _command() -> str:
    words = list(getattr(sys, "orig_argv", None) or [sys.executable or "python", *sys.argv])
    words[0] = os.path.basename(words[0])
    return " ".join(" ".join(words).split())[:_COMMAND_LENGTH]


def _told(holder: str) -> str:
    pid, _, command = holder.partition("\n")[0].partition(" ")
    if not pid.isdecimal():
        return "another process"
    return f"process {pid}" + (f" ({command})" if command.isprintable() and command else "")


# Letting go.


def release_devices() -> None:
    """Close all cards that this process has open, and let other processes use them.

    The graphs on them are gone, and the next call on a card opens it anew. A run of another thread is waited for. Done
    at the end of the process as well.

    Raises
    ------
    DeviceError
        If it is called from a run on a card, as by its `progress`.

    """
    with _guard:
        slots = list(_slots.values())
    for slot in slots:
        if slot.owner == threading.get_ident():
            raise DeviceError(f"{slot.card} is running the call that this one is made from; release it afterwards")
        with slot.lock:
            slot.close()


def _release_at_exit() -> None:
    for slot in list(_slots.values()):
        if slot.lock.acquire(timeout=_SECONDS_AT_EXIT):
            slot.close()
            slot.lock.release()


def _after_fork() -> None:
    """In a child: the cards are the parent's. Nothing of them is touched, nor destroyed; its locks stay its own."""
    global _guard, _slots, _module, _cards, _is_child
    _is_child = _is_child or _module is not None
    for slot in _slots.values():
        if slot.loaded is not None:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(slot.loaded))
        if slot.file is not None:
            os.close(slot.file)  # the lock is the parent's as long as it has its own
        slot.loaded = slot.key = slot.file = None
    if _module is not None:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(_module))
        atexit.unregister(_release_at_exit)
        _skip_static_destructors()
    _guard, _slots, _module, _cards = threading.Lock(), {}, None, []


def _skip_static_destructors() -> None:
    """Let this process end without those of C++, for XRT's would close the parent's card, or wait for it for ever.

    What is registered last is called first: at exit C's streams are flushed, and the process ends with its own status.
    Python has ended by then. multiprocessing's children end like this anyway, with os._exit().
    """
    libc = ctypes.CDLL(None)
    with contextlib.suppress(AttributeError):  # a C library without on_exit
        libc.on_exit(ctypes.cast(libc["_exit"], ctypes.c_void_p), None)
        libc["__cxa_atexit"](ctypes.cast(libc["fcloseall"], ctypes.c_void_p), None, None)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
