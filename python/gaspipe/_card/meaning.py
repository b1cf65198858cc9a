# SPDX-License-Identifier: Apache-2.0
"""What of a source's text hardware can depend on."""

from __future__ import annotations

import re

_TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"', re.DOTALL)
_USER_TOKENS = re.compile(
    r'R"(?P<tag>[^()\\ ]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\''
    r"|(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)",
    re.DOTALL,
)


def meaning(text: str) -> str:
    """Text of a source without what hardware cannot depend on: comments, strings, layout."""
    return " ".join(_TOKENS.sub(lambda found: '""' if found[0].startswith('"') else " ", text).split())


def user_meaning(text: str) -> str:
    """Likewise of a text that may be any C++: strings stay, and the lines of directives."""
    lines = _USER_TOKENS.sub(lambda found: " " if found["comment"] else found[0], text)
    words = [" ".join(line.split()) for line in lines.replace("\\\n", " ").splitlines()]
    return " ".join(f"\n{line}\n" if line.startswith("#") else line for line in words if line)
