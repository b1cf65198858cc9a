# SPDX-License-Identifier: Apache-2.0
"""Writes gaspipe/_built.py, as a step of every build: `write_built.py <folder of the source> <output> NAME=VALUE...`.

It holds what the package was built from and with, as gaspipe.build_info() tells it. Nothing is compiled from it: with
another commit only this file changes. A value of "" is None.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys


def commit_of(folder: str) -> tuple[str | None, bool]:
    """Commit that a folder is a checkout of, and whether files of it were changed; None where it is no checkout.

    A folder below another project's checkout, as where an sdist was unpacked, is none.
    """

    def git(*words: str) -> str:
        done = subprocess.run(["git", "-C", folder, *words], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    try:
        if git("rev-parse", "--show-prefix"):
            return None, False
        return git("rev-parse", "HEAD"), bool(git("status", "--porcelain", "--untracked-files=no"))
    except (OSError, subprocess.CalledProcessError):  # no git; no repository, or one that git does not trust
        return None, False


def version_in(header: str) -> str:
    """Version of XRT that its header version.h tells."""
    try:
        with open(header, encoding="utf-8", errors="replace") as file:
            found = re.search(r'XRT_DRIVER_VERSION\s+"(\d+(?:\.\d+)*)', file.read())
    except OSError:
        found = None
    return found[1] if found else "of an unknown version"


def main(folder: str, output: str, *given: str) -> None:
    """Write the file, unless it says the same already."""
    values: dict[str, str | bool | None] = dict.fromkeys(("commit", "has_changes"))
    values["commit"], values["has_changes"] = commit_of(folder)
    for pair in given:
        name, _, value = pair.partition("=")
        values[name] = value or None
    if values.get("xrt"):
        values["xrt"] = version_in(str(values["xrt"]))
    rows = "".join(f"    {name!r}: {value!r},\n" for name, value in values.items())
    text = f'"""What this gaspipe was built from and with; written by the build."""\n\nBUILT = {{\n{rows}}}\n'
    if os.path.exists(output):
        with open(output, encoding="utf-8") as file:
            if file.read() == text:
                return
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
