# SPDX-License-Identifier: Apache-2.0
"""Tables of edges in and out: pandas as it is; polars and whatever else speaks Arrow through pyarrow.

pandas, polars and pyarrow are imported only where an object of theirs has come in or is asked for.
"""

from .columns import KNOWN_NAMES, choose
from .reading import edges_of, from_table, is_table
from .vertices import Named, VertexType, vertex_column
from .writing import to_table

__all__ = [
    "KNOWN_NAMES",
    "Named",
    "VertexType",
    "choose",
    "edges_of",
    "from_table",
    "is_table",
    "to_table",
    "vertex_column",
]
