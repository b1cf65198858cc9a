# SPDX-License-Identifier: Apache-2.0
"""The module `gaspipe._fpga`, loaded at first use: all calls into XRT go through it. And the cards that XRT lists."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import importlib
import os
from typing import Any

from .._core import DeviceError
from . import card as _card
from .card import Card

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
                f"gaspipe's XRT backend cannot be loaded: {error}; install XRT, or set XILINX_XRT to the "
                "folder that has it in lib/"
            ) from None
        # Registered after XRT was loaded, so called before its own statics go.
        atexit.register(_card.release_at_exit)
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


def _after_fork() -> None:
    """In a child, XRT and the cards are the parent's."""
    global _module, _cards, _is_child
    _is_child = _is_child or _module is not None
    _card.forget_in_child()
    if _module is not None:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(_module))
        atexit.unregister(_card.release_at_exit)
        _skip_static_destructors()
    _module, _cards = None, []


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
