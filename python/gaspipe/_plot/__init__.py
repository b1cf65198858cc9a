# SPDX-License-Identifier: Apache-2.0
"""Pictures of results and graphs, with matplotlib, which is imported when the first one is drawn."""

from . import axes, chain
from .kinds import plot, plot_degrees

__all__ = ["axes", "chain", "plot", "plot_degrees"]
