# SPDX-License-Identifier: Apache-2.0
"""How many edges the vertices have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core, _progress
from .._core import InputError
from .._progress import FileProgress
from .._threads import thread_count
from .base import GraphBase


class GraphDegrees(GraphBase):
    """A histogram of the degrees, and its plot."""

    __slots__ = ()

    def degree_histogram(
        self, direction: str = "out", *, num_threads: int | None = None, progress: FileProgress = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Count vertices by degree, in buckets that double: 0, 1, 2-3, 4-7, ...

        Parameters
        ----------
        direction : {"out", "in"}
            Which edges of a vertex count.
        num_threads : int, optional
            Threads to use.
        progress : callable or bool, optional
            progress(phase, done, total), ten times a second and when a phase has ended: "edges", for direction "in",
            and "vertices". True shows a bar (pip install tqdm).

        Returns
        -------
        lower_bounds, counts : arrays of int64
            `counts[k]` vertices have a degree of at least `lower_bounds[k]` and less than the next bound. The last
            bucket is that of the largest degree.

        """
        if direction not in ("out", "in"):
            raise InputError(f"direction is {direction!r}; allowed are 'out' and 'in'")
        threads = thread_count(num_threads)
        with _progress.of_phases("degree_histogram", progress) as told:
            return _core.degree_histogram(self._core, direction == "in", threads, told)

    def plot_degrees(self, direction: str = "out", *, ax: Any = None, num_threads: int | None = None) -> Any:
        """Draw how many vertices have which degree, from `degree_histogram`, with matplotlib.

        Parameters
        ----------
        direction : {"out", "in"}
            Which edges of a vertex count.
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; by default those of a new figure.
        num_threads : int, optional
            Threads to count with.

        Returns
        -------
        matplotlib.axes.Axes
            What was drawn on; both axes are logarithmic, nothing is shown yet.

        """
        from .. import _plot

        bounds, counts = self.degree_histogram(direction, num_threads=num_threads)
        return _plot.plot_degrees(bounds, counts, direction, ax)
