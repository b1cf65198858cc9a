# SPDX-License-Identifier: Apache-2.0
"""Runs what pages of the documentation print: their blocks, from top to bottom, as a reader would type them.

    ```python     a program; the blocks of a page are one program
    ```pycon      a session of Python, with its answers (doctest; "..." stands for anything)
    ```console    a session in a terminal: "$ command", and below it what it prints, if that is shown; a line "..."
                  stands for any lines, within a line for any text; times, rates and threads may differ

Other blocks are not run. A comment before a block makes an exception: `<!-- not run: reason -->`, or `<!-- card -->`
where it needs one.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "notebooks"))

import execute

PAGES = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
_BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>[^\n]*?) -->\n)?^```(?P<kind>python|pycon|console)\n(?P<text>.*?)^```", re.M | re.S
)
_SECONDS = 120


@dataclass
class Block:
    """A piece of a page that can be run."""

    kind: str
    text: str
    line: int
    mark: str = ""

    @property
    def needs_card(self) -> bool:
        return self.mark == "card"

    @property
    def skipped(self) -> str:
        """Why it is not run; empty if it is."""
        return self.mark.partition("not run: ")[2]


def blocks(path: Path) -> list[Block]:
    text = path.read_text(encoding="utf-8")
    return [
        Block(m["kind"], m["text"], text.count("\n", 0, m.start("text")) + 1, m["mark"] or "")
        for m in _BLOCK.finditer(text)
    ]


def run(path: Path, cards: bool = False) -> dict[str, Any]:
    """Run a page in the current folder, or what it has for cards; return what its Python blocks defined.

    AssertionError: what differs.
    """
    namespace: dict[str, Any] = {"__name__": "page"}
    for block in blocks(path):
        if block.skipped or block.needs_card != cards:
            continue
        where = f"{path.relative_to(REPOSITORY)}:{block.line}"
        if block.kind == "python":
            exec(compile("\n" * block.line + block.text, where, "exec"), namespace)
        elif block.kind == "pycon":
            _pycon(block, where, namespace)
        else:
            _console(block, where)
    return namespace


def _pycon(block: Block, where: str, namespace: dict[str, Any]) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, {}, where, where, block.line)
    test.globs = namespace
    told: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=told.append, clear_globs=False)
    assert not told, "".join(told)


def _console(block: Block, where: str) -> None:
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "COLUMNS": "100"}
    for command, shown in commands(block.text):
        done = subprocess.run(
            ["bash", "-c", command], env=environment, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
        assert done.returncode == 0, f"{where}: {command}\n{done.stdout}{done.stderr}"
        printed = done.stderr + done.stdout
        assert not shown or agree(shown, printed), f"{where}: {command}\nshown is\n{shown}\nprinted was\n{printed}"


def commands(session: str) -> list[tuple[str, str]]:
    """Commands of a session, each with what it is shown to print."""
    found = []
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        last = next(i for i, line in enumerate(lines) if not line.endswith("\\"))
        found.append(("\n".join(lines[: last + 1]), "\n".join(lines[last + 1 :])))
    return found


def agree(shown: str, printed: str) -> bool:
    """Whether a page shows what a command printed, but for lines `...` and numbers that depend on the machine."""
    before, after = ([_masked(line) for line in text.strip("\n").splitlines()] for text in (shown, printed))
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else _pattern(line) + r"\n" for line in before)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in after)) is not None


def _pattern(line: str) -> str:
    return ".*".join(map(re.escape, line.split("...")))


def _masked(line: str) -> str:
    line = re.sub(r"\(\d[\d.]* (?:[KMG]i)?B in", "(# in", execute.masked(line))
    return re.sub(r"#( of | )super", "# super", line).strip()
