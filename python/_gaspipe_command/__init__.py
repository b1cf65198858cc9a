# SPDX-License-Identifier: Apache-2.0
"""The command `gaspipe`, as it is installed: outside the package, so that completing a word loads nothing of it."""

from __future__ import annotations

import os
import sys

VARIABLE = "_GASPIPE_COMPLETE"  # set by shells that complete a word, as click's scripts do


def main() -> None:
    """Run the command line, or tell a shell what a word may become."""
    if os.environ.get(VARIABLE):
        from .completion import complete

        complete(os.environ[VARIABLE])
        return
    try:
        from gaspipe.cli import main as command
    except KeyboardInterrupt:
        print("Interrupted", file=sys.stderr)
        sys.exit(130)
    command()
