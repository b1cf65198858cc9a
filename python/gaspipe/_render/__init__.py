# SPDX-License-Identifier: Apache-2.0
"""Writes the Python function of an algorithm, docstring included, from its description.

The build writes those of the built-in algorithms (`_algorithms.py`), and gp.Algorithm its own when it is made.
"""

from . import options
from .function import render_function
from .module import render_module

__all__ = ["options", "render_function", "render_module"]
