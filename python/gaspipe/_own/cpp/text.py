# SPDX-License-Identifier: Apache-2.0
"""Text of a generated C++ file; with `#line`, compilers name the lines of the author's text."""

from __future__ import annotations

import json


class Text:
    """Lines of the header, and the files that they come from, said by `#line` where the header has a name."""

    def __init__(self, file_name: str) -> None:
        self.file_name = file_name
        self.lines: list[str] = []
        self.quoted: dict[str, str] = {}  # texts by the names that compilers know them by

    def add(self, *lines: str) -> None:
        """Add lines of ours."""
        self.lines += [part for line in lines for part in line.split("\n")]

    def quote(self, line: int, name: str, text: str) -> None:
        """Add text that compilers take for that of another file."""
        if line == 1:
            self.quoted.setdefault(name, text + "\n")
        if not self.file_name:
            self.add(text)
            return
        self.add(f"#line {line} {json.dumps(name)}", text)
        self.add(f'#line {len(self.lines) + 2} "{self.file_name}"')

    def __str__(self) -> str:
        return "\n".join(self.lines) + "\n"
