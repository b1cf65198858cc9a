# SPDX-License-Identifier: Apache-2.0
"""What results, predictions, profiles and engines have in common: a report of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._files import Path
    from ._report import Report


class Reported:
    """What has a report."""

    def report(self, path: Path | None = None, *, other: Any = None) -> Report:
        """Return a report of the run to look at: what ran, and for each part of the machine what it did and waited for.

        The kernels' pipeline is drawn, with how full its FIFOs were and the stage that limits it, where the emulator
        has timed them; time per super-step, balance of PEs, memory channels, resources, domains and reads follow. What
        the emulator predicts is called predicted. A notebook shows the report; `save` writes it as one HTML page that
        needs nothing else.

        Parameters
        ----------
        path : str or path, optional
            Also write the page to this file; one of that name is replaced.
        other : Result, Prediction, ChainResult, Profile or FrontierEngine, or a list of them, optional
            What to compare with, side by side.

        Returns
        -------
        Report

        Raises
        ------
        InputError
            If `path` is no path, or `other` no result.
        OSError
            If the file cannot be written.

        Examples
        --------
        >>> before, after = (gp.predict("bfs", graph, config=c) for c in ("plain", "packed"))
        >>> report = before.report("comparison.html", other=after)

        """
        from . import _report

        return _report.report(self, path, other=other)
