# SPDX-License-Identifier: Apache-2.0
"""A line for people while something takes seconds: on a terminal and in a notebook; a log record everywhere."""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import shutil
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, Callable

logger = logging.getLogger("gaspipe")
wanted: ContextVar[bool] = ContextVar("wanted", default=True)  # the command line's --no-progress


@contextlib.contextmanager
def shown(text: str) -> Iterator[None]:
    """Show a line while the block runs; it is gone afterwards.

    Programs that write to files and pipes see nothing. The logger "gaspipe" takes the text as INFO; a level above that,
    set on that logger itself, also hides the line.
    """
    logger.info("%s", text)
    is_hidden = logger.level > logging.INFO or not wanted.get()
    end = None if is_hidden else _show(f"gaspipe: {text}")
    try:
        yield
    finally:
        if end is not None:
            with contextlib.suppress(OSError, ValueError):  # closed meanwhile
                end()


def _show(text: str) -> Callable[[], Any] | None:
    """Show a line; return what takes it away, or None where no person would see it."""
    stream = sys.stderr
    try:
        if stream is not None and stream.isatty():
            return _on_terminal(stream, text)
    except (OSError, ValueError):
        return None
    if "ipykernel" in sys.modules and importlib.import_module("IPython").get_ipython() is not None:
        return _in_notebook(text)
    return None


def _on_terminal(stream: Any, text: str) -> Callable[[], Any]:
    is_plain = os.environ.get("TERM", "dumb") == "dumb"  # which cannot take a line back
    stream.write(f"{text}\n" if is_plain else text[: shutil.get_terminal_size().columns - 1])  # a line, to be cleared
    stream.flush()

    def end() -> None:
        stream.write("" if is_plain else "\r\x1b[K")
        stream.flush()

    return end


def _in_notebook(text: str) -> Callable[[], Any]:
    # Not on stderr, which notebooks paint as an error.
    handle = importlib.import_module("IPython.display").display({"text/plain": text}, raw=True, display_id=True)
    return lambda: handle.update({"text/plain": ""}, raw=True)
