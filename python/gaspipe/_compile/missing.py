# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels that the build left out (GASPIPE_KERNELS=on-demand), when a call first needs them."""

from __future__ import annotations

import contextlib
import contextvars
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from .. import _notice
from .library import library
from .messages import CompileError
from .toolchain import compiler


def libraries(what: str, parts: list[tuple[str, str]]) -> list[str]:
    """Paths of the libraries of parts, compiled side by side or found in the cache.

    Parameters
    ----------
    what : str
        What they are kernels of, for people.
    parts : list of tuple
        Name and source of each.

    Raises
    ------
    CompileError
        If there is no compiler, or it fails.

    """
    try:
        compiler(f"the kernels of {what} are compiled when first used, which needs")
    except CompileError as error:
        raise CompileError(
            f"{error}; or install a wheel that has them built in (-Ccmake.define.GASPIPE_KERNELS=built)"
        ) from None
    with contextlib.ExitStack() as shown:
        lock, is_told = threading.Lock(), False

        @contextlib.contextmanager
        def telling(_: str) -> Iterator[None]:
            nonlocal is_told
            with lock:
                if not is_told:
                    shown.enter_context(
                        _notice.shown(f"compiling the kernels of {what}, which takes some seconds the first time ...")
                    )
                is_told = True
            yield

        def one(part: tuple[str, str]) -> str:
            name, source = part
            return library(name, {"gaspipe.cpp": source}, {}, telling)

        with ThreadPoolExecutor(len(parts)) as pool:
            waiting = [pool.submit(contextvars.copy_context().run, one, part) for part in parts]
        return [each.result() for each in waiting]
