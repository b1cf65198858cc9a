# SPDX-License-Identifier: Apache-2.0
"""Tells the core who compiles kernels that it was built without; what does is imported when they are first needed."""

from __future__ import annotations

from . import _core


def _compiled(what: str, parts: list[tuple[str, str]]) -> list[str]:
    from ._compile import missing

    return missing.libraries(what, parts)


_core.set_missing_compiler(_compiled)
