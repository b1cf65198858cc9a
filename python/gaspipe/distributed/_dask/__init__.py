# SPDX-License-Identifier: Apache-2.0
"""Ranks that are workers of a Dask cluster, and their world as a client's program sees it.

`links.py` and `rank.py` run on workers; `asking.py`, `ranks.py` and `world.py` on the client. dask and distributed are
imported when a world is opened.
"""

from .proxies import DaskGraph, DaskResult
from .world import DaskWorld, dask

__all__ = ["DaskGraph", "DaskResult", "DaskWorld", "dask"]
