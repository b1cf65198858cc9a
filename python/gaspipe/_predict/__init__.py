# SPDX-License-Identifier: Apache-2.0
"""Predictions of runs on a board: `gp.predict` and `gp.Board`."""

from .board import Board, BoardLike, resolve
from .run import own_algorithm, predict

__all__ = ["Board", "BoardLike", "own_algorithm", "predict", "resolve"]
