# SPDX-License-Identifier: Apache-2.0
"""Where the time of a run over several domains went, domain by domain and super-step by super-step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._core import InputError
from . import axes

if TYPE_CHECKING:
    from .subjects import Result

_PARTS = (("computing", "C0"), ("exchanging", "C1"), ("waiting", "C7"))
_MOST_STEPS = 40  # drawn one by one; of longer runs, all steps together


def draw(result: Result, ax: Any) -> None:
    """A bar per domain: of every super-step, how long it computed, exchanged and waited."""
    domains = result.stats.domains
    if not domains:
        raise InputError("kind 'ranks' is for runs over several domains; run with domains= or a list of devices")
    steps = domains[0].supersteps
    each = len(steps) <= _MOST_STEPS
    spans = [sum(float(d.supersteps[f"{part}_seconds"].sum()) for part, _ in _PARTS) for d in domains]
    unit, factor = axes.time_unit(max(spans))
    entries: dict[str, Any] = {}
    for row, domain in enumerate(domains):
        left = 0.0
        for part, color in _PARTS if not each else ():
            width = factor * float(domain.supersteps[f"{part}_seconds"].sum())
            entries[part] = ax.broken_barh([(left, width)], (row - 0.4, 0.8), facecolors=color)
            left += width
        if not each:
            continue
        bars: dict[str, list[tuple[float, float]]] = {part: [] for part, _ in _PARTS}
        for step in domain.supersteps:
            for part, _ in _PARTS:
                width = factor * float(step[f"{part}_seconds"])
                bars[part].append((left, width))
                left += width
        for part, color in _PARTS:
            entries[part] = ax.broken_barh(
                bars[part], (row - 0.4, 0.8), facecolors=color, edgecolor="white", linewidth=0.3
            )
    ax.set_yticks(np.arange(len(domains)), [f"{d.rank} ({d.device})" for d in domains])
    ax.set_ylim(len(domains) - 0.4, -0.6)
    sent = sum(domain.bytes_sent for domain in domains)
    title = f"{result.algorithm}: {axes.count(len(domains), 'domain')}, {sent:,} bytes exchanged"
    axes.describe(ax, title, f"time [{unit}]", "domain", entries, columns=3)
