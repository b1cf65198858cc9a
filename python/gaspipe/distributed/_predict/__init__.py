# SPDX-License-Identifier: Apache-2.0
"""Predictions of runs on ranks, by an alpha-beta model: `gp.distributed.predict`."""

from .models import KroneckerModel, UniformModel
from .network import Network, add_network, measure_network, networks
from .prediction import RanksPrediction
from .run import predict

__all__ = [
    "KroneckerModel",
    "Network",
    "RanksPrediction",
    "UniformModel",
    "add_network",
    "measure_network",
    "networks",
    "predict",
]
