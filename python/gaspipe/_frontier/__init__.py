# SPDX-License-Identifier: Apache-2.0
"""Frontier programs: functors in C++ over sets of vertices, called from Python.

`dtypes.py` writes the values' types in C++, `functors.py` finds the functors in a source, `library.py` writes and
compiles the library around them, and `engine.py` calls it.
"""

from .engine import FrontierEngine
from .subset import VertexSubset

__all__ = ["FrontierEngine", "VertexSubset"]
