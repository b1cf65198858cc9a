# SPDX-License-Identifier: Apache-2.0
"""What a run is told as: lines for people, the same call in Python, one object for programs."""

from __future__ import annotations

import statistics
from typing import Any, NamedTuple

import gaspipe as gp

from .._description import Description
from .._options import TABLE
from .._result import Result
from .._verify import Comparison
from . import answers, own, parameters, source
from .options import argument, duration, table_key


def what_was_asked(algorithm: str, read: source.Source, asked: dict[str, parameters.Value]) -> dict[str, Any]:
    """Return the head of every object for programs."""
    return {
        "algorithm": algorithm,
        "gaspipe": gp.__version__,
        "graph": read.as_json(),
        "parameters": {name: answers.plain(given.shown) for name, given in asked.items()},
    }


class Times(NamedTuple):
    """Engine time of every run, in s, and what came before the first."""

    prepare: float
    runs: list[float]
    edges_streamed: int | None  # by hooks

    @property
    def median(self) -> float:
        """The run to believe."""
        return statistics.median(self.runs)

    @property
    def spread(self) -> float:
        """How far the slowest is from the fastest, as a share of the median."""
        return (max(self.runs) - min(self.runs)) / self.median if self.median else 0.0

    @property
    def mteps(self) -> float | None:
        """Million edges streamed per second of the median run."""
        return None if self.edges_streamed is None or not self.median else self.edges_streamed / self.median / 1e6


def question(description: Description, asked: dict[str, parameters.Value]) -> str:
    """Vertex asked about."""
    names = [p.name for p in description.parameters if p.kind == "vertex"]
    return f" from {', '.join(f'{name} {asked[name].shown}' for name in names)}" if names else ""


def run_line(result: Result, times: Times) -> str:
    """Tell where the run was and how long it took."""
    s = result.stats
    mteps = "" if times.mteps is None else f" ({times.mteps:.4g} MTEPS)"
    text = f"{s.device}, {s.num_threads} thread{'s' if s.num_threads != 1 else ''}"
    if s.number:  # hooks in super-steps
        text += f", {s.number}: {s.num_supersteps} super-step{'s' if s.num_supersteps != 1 else ''} in "
    else:
        text += ": "
    if len(times.runs) == 1:
        text += f"{duration(times.median)}{mteps}"
    else:
        low, middle, high = (duration(f(times.runs)) for f in (min, statistics.median, max))
        text += f"min {low}, median {middle}, max {high} of {len(times.runs)} runs, spread {100 * times.spread:.0f} %"
        text += mteps
    text += f"; prepared in {duration(times.prepare)}"
    if len(times.runs) > 1:
        text += ", once"
    if s.predicted_cycles > 0:
        text += f"; predicted on {s.board}: {s.predicted_cycles:,} cycles, {s.predicted_mteps:,.0f} MTEPS"
    if s.stream is not None:
        read, from_disk = (f"{s.stream[key] / 1e6:,.0f} MB" for key in ("bytes_read", "bytes_from_disk"))
        text += f"; {read} of edges read, {from_disk} of it from the disk"
    return text + ("" if s.converged else "; not converged")


def difference(result: Result, found: Comparison) -> str:
    """First row that is wrong, and how many are."""
    if found.first is None or found.expected is None:
        return found.text
    where = f"{result.row} {answers.row_name(result, found.first)}"
    text = f"{where}: {result.field} {result.values[found.first]}, expected {found.expected}; "
    text += f"{found.num_different:,} of {len(result):,} differ"
    if found.allowed:
        text += f", L1 distance {found.distance:.3g}, tolerance {found.allowed:.3g}"
    return text


def python(
    description: Description, read: source.Source, asked: dict[str, parameters.Value], options: dict[str, Any]
) -> str:
    """Write the same as a call in Python."""
    given = [f"{name}={value.python}" for name, value in asked.items() if value.python is not None]
    told = [(option, options.get(table_key(option), option.default)) for option in TABLE if option.help is not None]
    how = [f"{option.name}={argument(value)}" for option, value in told if value != option.default]
    # A name for the graph where the call mentions it again.
    imports, function = own.spelled(description.name)
    graph, before = read.python, imports
    if any("graph." in text for text in given):
        graph, before = "graph", f"{imports}graph = {read.python}; "
    return f"{before}{function}({', '.join([graph, *given, *how])}).{description.field}"


def as_json(
    options: dict[str, Any],
    asked: dict[str, parameters.Value],
    read: source.Source,
    result: Result,
    times: Times,
    checked: tuple[Comparison, float] | None,
) -> dict[str, Any]:
    """Tell all of it to programs."""
    s = result.stats
    names = ["device", "method", "number", "scale_bits", "attempts", "resumed_at", "num_threads", "converged"]
    names += ["num_supersteps"]
    if s.board:
        names += ["execution", "board", "clock_mhz", "predicted_cycles"]
    document = {
        **what_was_asked(result.algorithm, read, asked),
        "stats": {name: answers.plain(getattr(s, name)) for name in names}
        | {"edges_streamed": s.edges_streamed, "mteps": times.mteps},
        "timings": {
            "read_seconds": read.seconds,
            "prepare_seconds": times.prepare,
            "seconds": times.runs,
            "min": min(times.runs),
            "median": times.median,
            "max": max(times.runs),
            "spread": times.spread,
        },
        "summary": {"field": result.field, "dtype": str(result.values.dtype), **answers.summary(result)},
        "top": answers.top(result, options["top"]),
        "out": options["out"] if checked is None or checked[0].agrees else None,
    }
    if checked is not None:
        found, seconds = checked
        document["verified"] = {
            "agrees": found.agrees,
            "num_different": found.num_different,
            "distance": answers.plain(found.distance),
            "tolerance": answers.plain(found.allowed),
            "seconds": seconds,
        } | ({} if found.agrees else {"difference": difference(result, found)})
    return document
