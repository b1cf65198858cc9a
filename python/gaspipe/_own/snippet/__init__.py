# SPDX-License-Identifier: Apache-2.0
"""Reads the C++ of custom algorithms, without a compiler: hooks and their parameters, and faults that can be seen."""

from .lint import lint
from .literals import real_numbers
from .outline import HOOKS, Outline, check_brackets, closing, outline_depths, plain, read

__all__ = [
    "HOOKS",
    "Outline",
    "check_brackets",
    "closing",
    "lint",
    "outline_depths",
    "plain",
    "read",
    "real_numbers",
]
