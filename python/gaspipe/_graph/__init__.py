# SPDX-License-Identifier: Apache-2.0
"""Parts of gp.Graph, one per idea: what it is, and its files, tables, shapes, degrees, domains and relabeled form."""

from .base import GraphBase
from .degrees import GraphDegrees
from .domains import GraphDomains
from .files import GraphFiles
from .prepared import GraphPrepared, Preparation
from .shape import GraphShape
from .tables import GraphTables

__all__ = [
    "GraphBase",
    "GraphDegrees",
    "GraphDomains",
    "GraphFiles",
    "GraphPrepared",
    "GraphShape",
    "GraphTables",
    "Preparation",
]
