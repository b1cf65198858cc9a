# SPDX-License-Identifier: Apache-2.0
"""What a compiler says, made short: the error of a snippet that does not compile."""

from __future__ import annotations

import re

from .._core import Error

_ESSENTIAL = 8  # lines of a compiler's output that an error shows
_MESSAGE = re.compile(r"^(?P<where>\S[^:\n]*:\d+(?::\d+)?): (?P<kind>fatal error|error): ", re.MULTILINE)


class CompileError(Error):
    """A snippet could not be compiled, or there is no compiler.

    Attributes
    ----------
    log : str
        All that the compiler said; empty where there is none.
    command : str
        The compiler's command line.

    """

    def __init__(self, message: str, log: str = "", command: str = "") -> None:
        super().__init__(message)
        self.log = log
        self.command = command


def essential(log: str, returncode: int) -> str:
    """Lines of a compiler's output that tell what to do, the errors first, those in the user's files before others."""
    lines = log.splitlines()
    errors = []
    for i, line in enumerate(lines):
        if _MESSAGE.match(line):
            quoted = [text for text in lines[i + 1 : i + 3] if re.match(r"\s*(\d+ )?\s*\||\s", text)]
            errors.append((line, quoted))
    ours = [e for e in errors if not e[0].startswith(("/", "gaspipe/", "hls/")) and ".program.h:" not in e[0]]
    shown: list[str] = []
    for line, quoted in [*ours, *(e for e in errors if e not in ours)]:
        if len(shown) + 1 + len(quoted) > _ESSENTIAL and shown:
            break
        shown += [line, *quoted]
    if not shown:
        shown = lines[-_ESSENTIAL:] or [f"the compiler ended with status {returncode} and said nothing"]
    hidden = len(lines) - len(shown)
    return "\n".join(shown) + (f"\n({hidden} more lines in the exception's .log)" if hidden > 0 else "")
