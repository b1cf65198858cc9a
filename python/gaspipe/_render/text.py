# SPDX-License-Identifier: Apache-2.0
"""Paragraphs of docstrings."""

from __future__ import annotations

import textwrap

_WIDTH = 116


def wrap(text: str, indent: str = "") -> str:
    """Break a paragraph into lines."""
    return textwrap.fill(text, _WIDTH - 4, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
