# SPDX-License-Identifier: Apache-2.0
"""Parts of gp.Graph, one per idea: what it is, and its files, tables, shapes and degrees."""

from .base import GraphBase
from .degrees import GraphDegrees
from .files import GraphFiles
from .shape import GraphShape
from .tables import GraphTables

__all__ = ["GraphBase", "GraphDegrees", "GraphFiles", "GraphShape", "GraphTables"]
