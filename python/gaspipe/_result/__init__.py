# SPDX-License-Identifier: Apache-2.0
"""What a call returns: `gp.Result` with its `gp.Stats`, and `gp.Prediction`."""

from .columns import columns
from .local_store import LocalStoreProfile
from .pe_array import PeArrayProfile, PePathsProfile
from .prediction import Prediction
from .result import AnyResult, NotConvergedWarning, Result
from .stats import Stats

__all__ = [
    "AnyResult",
    "LocalStoreProfile",
    "NotConvergedWarning",
    "PeArrayProfile",
    "PePathsProfile",
    "Prediction",
    "Result",
    "Stats",
    "columns",
]
