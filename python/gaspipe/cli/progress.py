# SPDX-License-Identifier: Apache-2.0
"""Progress bars: on a terminal, for what takes long, if tqdm is installed; else nothing."""

from __future__ import annotations

import contextlib
import importlib
import sys
import threading
from collections.abc import Iterator
from typing import Any, Callable

from .. import _notice
from .._progress import Bar, OfFiles, OfPhases, OfSteps, showing_files, showing_phases, showing_steps

PERIOD = 0.2  # s, between two looks at a count


def available(wanted: bool) -> Callable[..., Any] | None:
    """tqdm, where a bar is wanted, can be seen and can be made."""
    if not wanted or sys.stderr is None or not sys.stderr.isatty():
        return None
    try:
        return importlib.import_module("tqdm").tqdm  # type: ignore[no-any-return]
    except ImportError:
        return None


@contextlib.contextmanager
def of_files(wanted: bool) -> Iterator[OfFiles | None]:
    """Offer a function for the `progress=` of what reads or writes files: it shows bytes read, then what is written."""
    with _offered(wanted, showing_files) as show:
        yield show


@contextlib.contextmanager
def of_phases(name: str, wanted: bool) -> Iterator[OfPhases | None]:
    """Offer a function for the `progress=` of what has phases: it shows how far each is."""
    with _offered(wanted, lambda make: showing_phases(name, make)) as show:
        yield show


@contextlib.contextmanager
def _offered(
    wanted: bool, showing: Callable[..., contextlib.AbstractContextManager[OfPhases]]
) -> Iterator[OfPhases | None]:
    make = available(wanted)
    if make is None:
        yield None
        return
    with showing(make) as show:
        yield show


@contextlib.contextmanager
def running(
    name: str, wanted: bool, bytes_read: Callable[[], int] | None = None, *, has_steps: bool = True
) -> Iterator[Callable[..., object] | None]:
    """Offer a function for an algorithm's `progress=` that shows super-steps, or phases, while the block runs.

    With `bytes_read`, for edges that stay in their file, it shows how many bytes of them have been read.
    """
    make = available(wanted)
    token = _notice.wanted.set(wanted)  # of hooks that are compiled first
    try:
        if make is None:
            yield None
        elif bytes_read is not None and has_steps:
            with _watching(Bar(make, desc=name, unit="B", unit_scale=True), bytes_read) as shown:
                yield shown
        else:
            with showing_steps(name, make) if has_steps else showing_phases(name, make) as shown:
                yield shown
    finally:
        _notice.wanted.reset(token)


@contextlib.contextmanager
def _watching(bar: Bar, count: Callable[[], int]) -> Iterator[OfSteps]:
    """Let a thread show a count that grows: a super-step over a large file takes minutes."""
    ended = threading.Event()
    at, note = count(), ""

    def watch() -> None:
        nonlocal at
        while not ended.wait(PERIOD):
            now = count()
            bar.add(now - at, note)
            at = now
        bar.close()

    def told(step: int, active: int, edges: int) -> None:
        nonlocal note
        note = f"{step + 1} super-steps, {active:,} active vertices"

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield told
    finally:
        ended.set()
        watcher.join()
