# SPDX-License-Identifier: Apache-2.0
"""Accelerators put together from GraphOps' blocks (hls/block): `gp.Chain`."""

from .chain import Chain
from .result import ChainResult
from .specs import BLOCKS, Block

__all__ = ["BLOCKS", "Block", "Chain", "ChainResult"]
