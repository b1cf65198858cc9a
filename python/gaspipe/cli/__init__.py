# SPDX-License-Identifier: Apache-2.0
"""The command `gaspipe`: every registered algorithm is a command, and so are a few for graphs and files."""

from __future__ import annotations

from .group import Commands

__all__ = ["main"]

main = Commands()
