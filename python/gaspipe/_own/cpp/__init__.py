# SPDX-License-Identifier: Apache-2.0
"""Writes the C++ of custom algorithms, from their definition."""

from .definition import KEYWORD_OF, KEYWORDS, NAMES, OUT_DEGREE, Definition, Input, Scalar
from .header import header_name, kernel_header, program_header
from .library import library_source
from .text import Text

__all__ = [
    "KEYWORDS",
    "KEYWORD_OF",
    "NAMES",
    "OUT_DEGREE",
    "Definition",
    "Input",
    "Scalar",
    "Text",
    "header_name",
    "kernel_header",
    "library_source",
    "program_header",
]
