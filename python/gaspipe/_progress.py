# SPDX-License-Identifier: Apache-2.0
"""What `progress=` takes: a function to call, or True for a bar of tqdm."""

from __future__ import annotations

import contextlib
import importlib
import shutil
import sys
import time
from collections.abc import Iterator
from typing import Any, Callable, Union

import numpy as np

from ._core import InputError

# Called with what is being done, how much of it has been, and how much there is or None. Of files: with "reading" or
# "saving" and bytes, or with "writing" and edges.
OfPhases = Callable[[str, int, "int | None"], object]
OfFiles = OfPhases
OfSteps = Callable[[int, int, int], object]  # super-step, active vertices, edges
FileProgress = Union[bool, OfFiles, None]

DELAY = 0.5  # s; what is quicker needs no bar


class Bar:
    """A bar that shows itself when its work has taken a while."""

    def __init__(self, make: Callable[..., Any], **options: Any) -> None:
        self._make, self._options = make, options
        self._shown: Any = None
        self._start = time.monotonic()
        self._at = 0

    def add(self, amount: int, note: str = "", total: int | None = None) -> None:
        """Count work done; of `total`, where that was not known before."""
        self._at += amount
        if total is not None:
            self._options["total"] = total
            if self._shown is not None:
                self._shown.total = total
        if self._shown is None:
            if time.monotonic() - self._start < DELAY:
                return
            size = shutil.get_terminal_size()  # tqdm itself shows nothing where a terminal does not tell its size
            self._shown = self._make(
                file=sys.stderr, leave=False, ncols=size.columns - 1, nrows=size.lines, **self._options
            )
            amount = self._at
        if note:
            self._shown.set_postfix_str(note, refresh=False)
        self._shown.update(amount)

    def close(self) -> None:
        """Take the bar away."""
        if self._shown is not None:
            self._shown.close()


@contextlib.contextmanager
def of_steps(name: str, given: Any) -> Iterator[Any]:
    """Offer what a run's `progress=` says as a function to call after every super-step, or None."""
    if not _is_bar(given):
        yield None if given is False or isinstance(given, np.bool_) else given
        return
    with showing_steps(name, _tqdm()) as shown:
        yield shown


@contextlib.contextmanager
def showing_steps(name: str, make: Callable[..., Any]) -> Iterator[OfSteps]:
    """Show super-steps while the block runs."""
    with contextlib.closing(Bar(make, desc=name, unit=" super-steps")) as bar:
        yield lambda step, active, edges: bar.add(1, f"{active:,} active vertices")


@contextlib.contextmanager
def of_files(given: FileProgress) -> Iterator[OfFiles | None]:
    """Offer what `progress=` of a reader says as a function, or None."""
    with _of_phases(given, showing_files) as told:
        yield told


@contextlib.contextmanager
def of_phases(name: str, given: FileProgress) -> Iterator[OfPhases | None]:
    """Offer what `progress=` of what has no super-steps says as a function, or None."""
    with _of_phases(given, lambda make: showing_phases(name, make)) as told:
        yield told


@contextlib.contextmanager
def _of_phases(given: FileProgress, showing: Callable[..., Any]) -> Iterator[OfPhases | None]:
    check_phases(given)
    if not _is_bar(given):
        yield given if callable(given) else None
        return
    with showing(_tqdm()) as shown:
        yield shown


def check_phases(given: Any) -> None:
    """InputError for what `of_files` and `of_phases` do not take."""
    if _is_bar(given):
        _tqdm()
    elif given is not None and not isinstance(given, (bool, np.bool_)) and not callable(given):
        raise InputError(f"progress is {given!r}; a bool or a function, progress(what, done, total), is needed")


def showing_files(make: Callable[..., Any]) -> contextlib.AbstractContextManager[OfFiles]:
    """Show bytes read, then edges written, while the block runs."""
    return _showing(make, lambda what: {"desc": what, "unit": " edges" if what == "writing" else "B"})


def showing_phases(name: str, make: Callable[..., Any]) -> contextlib.AbstractContextManager[OfPhases]:
    """Show how far each phase is, under the name of the whole, while the block runs."""
    return _showing(make, lambda what: {"desc": name, "unit": f" {what}"})


@contextlib.contextmanager
def _showing(make: Callable[..., Any], options: Callable[[str], dict[str, str]]) -> Iterator[OfPhases]:
    bar: Bar | None = None
    phase, before = "", 0

    def show(what: str, done: int, total: int | None) -> None:
        nonlocal bar, phase, before
        if bar is None or what != phase or done < before:  # a phase may come again
            if bar is not None:
                bar.close()
            bar = Bar(make, total=total, unit_scale=True, **options(what))
            phase, before = what, 0
        bar.add(done - before, total=total)
        before = done

    try:
        yield show
    finally:
        if bar is not None:
            bar.close()


def _is_bar(given: Any) -> bool:
    return isinstance(given, (bool, np.bool_)) and bool(given)


def _tqdm() -> Callable[..., Any]:
    try:
        return importlib.import_module("tqdm").tqdm  # type: ignore[no-any-return]
    except ImportError:
        raise InputError("progress=True shows a bar of tqdm, which is missing; pip install tqdm") from None
