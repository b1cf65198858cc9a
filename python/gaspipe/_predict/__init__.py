# SPDX-License-Identifier: Apache-2.0
"""Predictions of runs on a board: `gp.predict` and `gp.Board`."""

from .board import Board, BoardLike, resolve
from .run import configs_for, own_algorithm, predict

__all__ = ["Board", "BoardLike", "configs_for", "own_algorithm", "predict", "resolve"]
