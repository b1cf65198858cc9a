# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation as a folder of pages that need no server and no network.

    pip install '.[docs]'
    python docs/build.py                 # into build/site; open build/site/index.html
    python docs/build.py FOLDER          # elsewhere

A warning is an error: a broken link, a page that no other leads to, a docstring that cannot be read.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

DOCS = Path(__file__).resolve().parent
REPOSITORY = DOCS.parent
START = '<!doctype html><meta charset="utf-8"><title>Gaspipe</title><meta http-equiv="refresh" content="0; url={0}">\n'
START += '<p><a href="{0}">Documentation of Gaspipe</a></p>\n'


def build(folder: Path) -> int:
    """Build into a folder, from nothing; return Sphinx's exit code."""
    shutil.rmtree(DOCS / "api", ignore_errors=True)  # a page for each public name, which Sphinx writes anew
    doctrees = folder.parent / f"{folder.name}.doctrees"
    arguments = ["-b", "html", "-W", "--keep-going", "-q", "-E", "-j", "2", "-c", str(DOCS), "-d", str(doctrees)]
    code = build_main([*arguments, str(REPOSITORY), str(folder)])
    if code == 0:
        (folder / "index.html").write_text(START.format("docs/index.html"), encoding="utf-8")
    return code


def main() -> int:
    """Run from a command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=REPOSITORY / "build" / "site", help="build/site")
    folder = parser.parse_args().folder.resolve()
    code = build(folder)
    if code == 0:
        print(f"Built {folder / 'index.html'}")
    return code


if __name__ == "__main__":
    sys.exit(main())
