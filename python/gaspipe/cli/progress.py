# SPDX-License-Identifier: Apache-2.0
"""Progress bars: on a terminal, for what takes long, if tqdm is installed; else nothing."""

from __future__ import annotations

import contextlib
import importlib
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any, Callable

from .. import _notice
from .._files import watched

DELAY = 0.5  # s; what is quicker needs no bar
PERIOD = 0.2  # s, between two looks at a count


class Bar:
    """A bar that shows itself when its work has taken a while."""

    def __init__(self, make: Callable[..., Any], **options: Any) -> None:
        self._make, self._options = make, options
        self._shown: Any = None
        self._start = time.monotonic()
        self._at = 0

    def add(self, amount: int, note: str = "") -> None:
        """Count work done."""
        self._at += amount
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


def available(wanted: bool) -> Callable[..., Any] | None:
    """tqdm, where a bar is wanted, can be seen and can be made."""
    if not wanted or not sys.stderr.isatty():
        return None
    try:
        return importlib.import_module("tqdm").tqdm  # type: ignore[no-any-return]
    except ImportError:
        return None


@contextlib.contextmanager
def reading(total: int | None, wanted: bool) -> Iterator[None]:
    """Show the bytes that file readers take while the block runs."""
    make = available(wanted)
    if make is None:
        yield
        return
    bar = Bar(make, total=total or None, desc="reading", unit="B", unit_scale=True)
    token = watched.set(bar.add)
    try:
        yield
    finally:
        watched.reset(token)
        bar.close()


@contextlib.contextmanager
def converting(wanted: bool) -> Iterator[Callable[[str, int, int | None], None] | None]:
    """Offer a function for the `progress=` of `gp.convert` that shows bytes read, then edges written."""
    make = available(wanted)
    if make is None:
        yield None
        return
    bars: dict[str, tuple[Bar, int]] = {}

    def show(what: str, done: int, total: int | None) -> None:
        if what not in bars:
            for bar, _ in bars.values():
                bar.close()
            scale = {"unit": "B" if what == "reading" else " edges", "unit_scale": True}
            bars[what] = Bar(make, total=total, desc=what, **scale), 0
        bar, before = bars[what]
        bar.add(done - before)
        bars[what] = bar, done

    try:
        yield show
    finally:
        for bar, _ in bars.values():
            bar.close()


@contextlib.contextmanager
def running(
    name: str, wanted: bool, bytes_read: Callable[[], int] | None = None
) -> Iterator[Callable[[int, int, int], None] | None]:
    """Offer a function for an algorithm's `progress=` that shows super-steps while the block runs.

    With `bytes_read`, for edges that stay in their file, it shows how many bytes of them have been read.
    """
    make = available(wanted)
    token = _notice.wanted.set(wanted)  # of hooks that are compiled first
    try:
        if make is None:
            yield None
        elif bytes_read is not None:
            with _watching(Bar(make, desc=name, unit="B", unit_scale=True), bytes_read) as shown:
                yield shown
        else:
            with contextlib.closing(Bar(make, desc=name, unit=" super-steps")) as bar:
                yield lambda step, active, edges: bar.add(1, f"{active:,} active vertices")
    finally:
        _notice.wanted.reset(token)


@contextlib.contextmanager
def _watching(bar: Bar, count: Callable[[], int]) -> Iterator[Callable[[int, int, int], None]]:
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
