# SPDX-License-Identifier: Apache-2.0
"""Keeps what Vitis reads inside the synthesizable subset, without Vitis.

One part reads the text: words, headers, loops and their pragmas, dataflow regions, interfaces. The other reads clang's
syntax tree of the file in its Vitis configuration, with stubs for the vendor's headers: recursion, calls of unknown
functions or through pointers, arrays of run-time size, state that survives a call. Neither proves that Vitis accepts
the code, nor that a loop reaches its II.

    cd tests/hls && python3 -m lint file...
"""

from __future__ import annotations

import re
from pathlib import Path

from .loops import check_dependences, check_loops
from .reading import Source
from .regions import check_interface, check_region
from .tree import ROOT, STUBS, Tree, has_clang
from .words import POLLS, check_words

__all__ = ["POLLS", "ROOT", "STUBS", "Source", "faults", "has_clang", "lint"]


def faults(text, may_poll=False, leaf=False, library=""):
    """Findings (line, what) in a text.

    In a file of `leaf` functions loops of constant length need no pragma: the pipelines that call them unroll them.
    Programs and their parameters, and functions whose comment says "on the host", stay there. A function whose comment
    says "Polls: ..." may ask whether a token is there, because its answer depends on no order.
    """
    source = Source(text, library)
    check_words(source, may_poll)
    check_dependences(source)
    check_loops(source, leaf)
    for function in source.functions:
        check_region(source, *function)
        check_interface(source, *function)
    return source.found


def lint(path, tree=True):
    """Findings (line, what) in the file, in order."""
    path = Path(path).resolve()
    provides_polls = path.name == "stream.h"
    leaf = path.parent.name in ("algorithm", "device", "hls") and not provides_polls
    files = [f for f in sorted((ROOT / "hls").rglob("*.h")) if "emulator" not in f.parts]
    library = "".join(f.read_text(encoding="utf-8") for f in files)
    text = re.sub(r"@(\w+)@", r"\1", path.read_text(encoding="utf-8"))
    found = faults(text, provides_polls, leaf, library)
    if tree and has_clang() and path.suffix != ".in":
        found |= Tree(path).found
    return sorted(found)
