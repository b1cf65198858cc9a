# SPDX-License-Identifier: Apache-2.0
"""Files that hold graphs: the folder is the registry, with a file (or folder) per format.

To add a format, add a file with a constant FORMAT, a `_record.Format`: reading, writing, recognition, the command line
and messages take it from there. Modules with a leading underscore are what formats share.
"""

from ._access import check_options, read, reading, write
from ._intake import Intake
from ._record import Fill, Format, Option, Reading, ReadOptions, Vertices, WriteOptions
from ._registry import known, recognise, to_read, to_write, writable
from .gaspipe import (
    Streamed,
    check_views,
    header_of,
    load,
    open_streamed,
    save,
    save_blocks,
    write_blocks,
)

__all__ = [
    "Fill",
    "Format",
    "Intake",
    "Option",
    "ReadOptions",
    "Reading",
    "Streamed",
    "Vertices",
    "WriteOptions",
    "check_options",
    "check_views",
    "header_of",
    "known",
    "load",
    "open_streamed",
    "read",
    "reading",
    "recognise",
    "save",
    "save_blocks",
    "to_read",
    "to_write",
    "writable",
    "write",
    "write_blocks",
]
