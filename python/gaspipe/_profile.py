# SPDX-License-Identifier: Apache-2.0
"""Where the time of a run went, as `gp.Accelerator` measures it: by super-step and by kernel."""

from __future__ import annotations

import html
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._reported import Reported
from ._result import Stats

_KERNEL = ("superstep", "unit", "partition", "start_seconds", "seconds", "cycles")


class Profile(Reported):
    """Where the time of a run went; `report` makes a page of it.

    Attributes
    ----------
    algorithm : str
        What ran.
    stats : Stats
        Of the run as a whole.
    supersteps : numpy.ndarray
        One record per super-step of the profile: the fields of `Stats.supersteps`, then `bytes_to_card` and
        `bytes_from_card` (moved by the host; 0 where there is no card) and `verified` (every vertex's property was the
        CPU's).
    kernels : numpy.ndarray
        One record per kernel that was started: `superstep`, `unit` (-1: the apply kernel), `partition`,
        `start_seconds` (since the super-step began) and `seconds` on the host's clock, `cycles` (predicted; 0 where
        the run has no clocks). Empty on the CPU, which has no kernels.
    """

    def __init__(
        self, steps: dict[str, NDArray[Any]], kernels: dict[str, NDArray[Any]], stats: Stats, algorithm: str = ""
    ) -> None:
        self.algorithm = algorithm
        self.stats = stats
        steps["verified"] = steps["verified"].astype(bool)
        before = stats.supersteps[stats.num_supersteps - len(steps["verified"]) :]
        fields = [*before.dtype.descr, *((name, values.dtype.str) for name, values in steps.items())]
        self.supersteps: NDArray[np.void] = np.empty(len(before), dtype=fields)
        for name in before.dtype.names or ():
            self.supersteps[name] = before[name]
        for name, values in steps.items():
            self.supersteps[name] = values
        size = len(kernels["unit"])
        self.kernels: NDArray[np.void] = np.empty(size, dtype=[(name, kernels[name].dtype) for name in _KERNEL])
        for name in _KERNEL:
            self.kernels[name] = kernels[name]

    @property
    def verified(self) -> bool:
        """Whether every super-step was held against the CPU (and was equal: what is not is an error)."""
        return bool(self.supersteps["verified"].all()) and len(self.supersteps) > 0

    @property
    def phases(self) -> dict[str, float]:
        """Seconds of all super-steps together in scatter and gather, and in apply."""
        return {
            "scatter_gather": float(self.supersteps["scatter_gather_seconds"].sum()),
            "apply": float(self.supersteps["apply_seconds"].sum()),
        }

    @property
    def units(self) -> dict[int, dict[str, float]]:
        """By compute unit (-1: the apply kernel): `seconds` and `cycles` that it was at work, and its `runs`."""
        found = {}
        for unit in np.unique(self.kernels["unit"]):
            own = self.kernels[self.kernels["unit"] == unit]
            found[int(unit)] = {
                "runs": len(own),
                "seconds": float(own["seconds"].sum()),
                "cycles": int(own["cycles"].sum()),
            }
        return found

    @property
    def mteps(self) -> float:
        """Million edges streamed per second of the super-steps' own time."""
        seconds = sum(self.phases.values())
        return int(self.supersteps["edges"].sum()) / seconds / 1e6 if seconds > 0 else float("nan")

    def _lines(self) -> list[str]:
        stats, phases = self.stats, self.phases
        lines = [
            f"{stats.device}, {stats.number}: {len(self.supersteps)} super-steps, {self.mteps:.4g} MTEPS"
            + (", every one verified" if self.verified else ""),
            *(f"  {name:<16}{seconds * 1e3:10.3f} ms" for name, seconds in phases.items()),
        ]
        for unit, own in self.units.items():
            name = "apply kernel" if unit < 0 else f"compute unit {unit}"
            cycles = f", {own['cycles']:,} cycles predicted" if own["cycles"] else ""
            lines.append(f"  {name:<16}{own['seconds'] * 1e3:10.3f} ms in {own['runs']} runs{cycles}")
        moved = [int(self.supersteps[f"bytes_{way}_card"].sum()) for way in ("to", "from")]
        if any(moved):
            lines.append(f"  moved           {moved[0]:,} bytes to the card, {moved[1]:,} from it, in super-steps")
        return lines

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"
