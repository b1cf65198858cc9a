# SPDX-License-Identifier: Apache-2.0
"""Pictures of results and graphs, with matplotlib, which is imported when the first one is drawn."""

from . import axes
from .kinds import plot, plot_degrees

__all__ = ["axes", "plot", "plot_degrees"]
