# SPDX-License-Identifier: Apache-2.0
"""Bytes of files, whatever they say: names, compression, sizes, and files that appear whole or not at all."""

from .atomic import atomic_write, packed
from .names import PACKED, STANDARD_INPUT, Path, file_name, names_file, suffix_of
from .progress import telling
from .reading import CHUNK, LONGEST_LINE, START, open_bytes, quoted, sized, took, watching

__all__ = [
    "CHUNK",
    "LONGEST_LINE",
    "PACKED",
    "STANDARD_INPUT",
    "START",
    "Path",
    "atomic_write",
    "file_name",
    "names_file",
    "open_bytes",
    "packed",
    "quoted",
    "sized",
    "suffix_of",
    "telling",
    "took",
    "watching",
]
