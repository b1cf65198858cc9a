# SPDX-License-Identifier: Apache-2.0
"""Which xclbin files are looked at as what they say, and which as those of a stranger.

A file that is built for emulation has a library in it, which runs in this process, and a card does whatever its kernels
do. So what a search path brings must belong to the user where the kernels are emulated, and wherever the user is root.
"""

from __future__ import annotations

import os

from . import xclbin as _xclbin


def found(places: list[_xclbin.Place]) -> list[_xclbin.Found]:
    """Return the files of a search path, in order, with what they hold or why they are of no use."""
    named = {place.path for place in places if place.why == _xclbin.NAMED}
    return [_looked_at(path, path in named or os.path.dirname(path) in named) for path in _xclbin.files(places)]


def _looked_at(path: str, is_named: bool) -> _xclbin.Found:
    seen = _xclbin.look_at(path)
    is_emulated = seen.xclbin is not None and seen.xclbin.mode != "hw"
    if is_named or seen.problem or not (is_emulated or os.geteuid() == 0):
        return seen
    from .._compile import why_not_trusted

    problem = why_not_trusted(path)
    if not problem:
        return seen
    whose = "root uses" if os.geteuid() == 0 else "emulated kernels run as a library, so gaspipe uses"
    return seen._replace(contents=None, problem=f"{problem}; {whose} only what is its own, or what xclbin= names")
