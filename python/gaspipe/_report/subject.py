# SPDX-License-Identifier: Apache-2.0
"""What a report is of: results, predictions and chains, told in the same terms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .. import _inputs
from .._core import InputError
from .._executors import EXECUTORS
from . import pipeline
from .markup import duration, percent, short, size

if TYPE_CHECKING:
    from .._result import Prediction, Stats


@dataclass(frozen=True)
class Figure:
    """A key figure: its text, the number behind it, and what it is of: `predicted` or `measured`."""

    name: str
    shown: str
    number: float | None = None
    kind: str = ""


@dataclass
class Subject:
    """One run of a report. `facts` say what ran, `figures` how it went; what is not there is None or empty."""

    title: str
    facts: list[tuple[str, str]]
    figures: list[Figure]
    kernels: list[pipeline.Kernel] = field(default_factory=list)
    stats: Stats | None = None
    prediction: Prediction | None = None
    result: Any = None
    chain: Any = None
    ranks: Any = None
    launches: Any = None  # of a Profile
    calls: Any = None  # of a FrontierEngine


def subject(of: Any, what: str) -> Subject:
    """Return what a result, prediction or chain's result tells; `what` names the argument in errors."""
    # Results import reports, so that these go by their names.
    for kind in type(of).__mro__:
        make = _MAKERS.get(f"{kind.__module__}.{kind.__name__}")
        if make is not None:
            found: Subject = make(of)
            return found
    raise InputError(
        f"{what} is a {_inputs.kind(of)}; a result of gaspipe is needed, a gp.Prediction, gp.ChainResult, gp.Profile "
        "or gp.FrontierEngine"
    )


def _result(of: Any) -> Subject:
    return _of_stats(of.algorithm, _graph_of(of, of.stats), of.stats, of)


def _of_stats(algorithm: str, graph: str, stats: Stats, of: Any) -> Subject:
    prediction = stats.prediction
    where = stats.device + (f":{stats.board}" if stats.board else "")
    facts = [("algorithm", algorithm)]
    facts.append(("graph", graph))
    facts.append(("device", where + (f" ({stats.execution})" if stats.execution else "")))
    if prediction is not None:
        facts.append(("kernels", f"{prediction.config}, {_units(prediction)}"))
    if stats.number:
        facts.append(("number format", stats.number + (f", scale 2^-{stats.scale_bits}" if stats.scale_bits else "")))
        facts.append(("method", stats.method))
    facts.append(("threads", f"{stats.num_threads}"))
    if stats.library:
        facts.append(("driver", stats.library))
    if stats.domains:
        facts.append(("domains", f"{len(stats.domains)}: {', '.join(d.device for d in stats.domains)}"))
    if stats.stream is not None:
        facts.append(("edges in", f"a file, memory budget {size(stats.stream['memory'])}"))
    if not stats.converged:
        facts.append(("converged", "no: the run ended at its limit of super-steps"))
    if stats.resumed_at:
        facts.append(("resumed at", f"super-step {stats.resumed_at:,}"))
    emulated = stats.device in EXECUTORS and EXECUTORS[stats.device].predicts
    kind = "measured, of the emulation" if emulated else "measured"
    figures = [] if prediction is None else _figures(prediction)
    figures.append(
        Figure("time of the emulation" if emulated else "time", duration(stats.seconds), stats.seconds, kind)
    )
    if stats.number:
        figures.append(Figure("super-steps", f"{stats.num_supersteps:,}", float(stats.num_supersteps)))
        figures.append(Figure("edges streamed", f"{stats.edges_streamed:,}", float(stats.edges_streamed)))
    if stats.edges_streamed and not emulated:
        figures.append(Figure("MTEPS", short(stats.mteps), stats.mteps, "measured"))
    figures.append(Figure("preparation", duration(stats.prepare_seconds), stats.prepare_seconds, "measured"))
    config = f", {prediction.config}" if prediction is not None else ""
    found = Subject(f"{algorithm} on {where}{config}", facts, figures, [], stats, prediction, of)
    if stats.blocks is not None and len(stats.blocks.tasks) and prediction is not None:
        found.kernels = pipeline.of_blocks(stats.blocks, prediction.timed_cycles)
    elif prediction is not None:
        found.kernels = pipeline.of_prediction(prediction)
    return found


def _profile(of: Any) -> Subject:
    found = _of_stats(of.algorithm, f"{of.stats.num_edges:,} edges", of.stats, None)
    found.title = f"Profile of {found.title}"
    found.facts.append(("verified", "every super-step, against the CPU" if of.verified else "no"))
    found.launches = of
    return found


def _frontier(of: Any) -> Subject:
    program, calls = of._program, of.calls
    facts = [
        ("program", program.name),
        ("graph", f"{of.num_vertices:,} vertices, {of.num_edges:,} edges"),
        ("functors", ", ".join(of.functors)),
        ("device", "cpu"),
    ]
    total = float(calls["seconds"].sum())
    figures = [
        Figure("time of its calls", duration(total), total, "measured"),
        Figure("calls", f"{len(calls):,}", float(len(calls))),
        Figure("vertices of sets walked", f"{calls['vertices'].sum():,}", float(calls["vertices"].sum())),
    ]
    return Subject(f"Frontier program {program.name}", facts, figures, calls=calls)


def _graph_of(of: Any, stats: Stats) -> str:
    is_by_vertex = getattr(of, "row", "vertex") == "vertex"
    vertices = getattr(of, "num_vertices", None) or (len(of.values) if is_by_vertex else None)
    return ("" if vertices is None else f"{vertices:,} vertices, ") + f"{stats.num_edges:,} edges"


def _units(prediction: Prediction) -> str:
    count = prediction.num_units
    return f"{count} unit{'s' * (count != 1)} at {prediction.clock_mhz:g} MHz"


def _prediction(of: Prediction) -> Subject:
    facts = [
        ("board", of.board),
        ("kernels", f"{of.config}, {_units(of)}"),
        ("graph", f"{of.graph_edges:,} edges"),
    ]
    title = f"Prediction for {of.board}, {of.config}"
    return Subject(title, facts, _figures(of), pipeline.of_prediction(of), prediction=of)


def _figures(of: Prediction) -> list[Figure]:
    kind = "predicted"
    found = [
        Figure("time on the board", duration(of.seconds), of.seconds, kind),
        Figure("streamed MTEPS", short(of.streamed_mteps), of.streamed_mteps, kind),
        Figure("graph MTEPS", short(of.graph_mteps), of.graph_mteps, kind),
        Figure("limited by", of.limiting_stage or "-", None, kind),
        Figure("cycles", f"{of.cycles:,}", float(of.cycles), kind),
        Figure("bytes per edge", short(of.bytes_per_edge), of.bytes_per_edge, kind),
        Figure("of the memory's peak", percent(of.bandwidth_share), of.bandwidth_share, kind),
    ]
    if len(of.pe_updates):
        found.append(Figure("PE load, max / mean", short(of.pe_load), of.pe_load, kind))
    if of.source_edges:
        found.append(Figure("sources found on chip", percent(of.hit_rate), of.hit_rate, kind))
    if of.timed_share < 1:
        found.append(Figure("edges timed", percent(of.timed_share), of.timed_share, kind))
    return found


def _chain(of: Any) -> Subject:
    facts = [("chain", of._wired.name), ("board", of.board), ("blocks", f"{len(of._wired.parts)}")]
    figures = [
        Figure("time on the board", duration(of.seconds), of.seconds, "predicted"),
        Figure("cycles", f"{of.cycles:,}", float(of.cycles), "predicted"),
        Figure("limited by", of.limit, None, "predicted"),
    ]
    title = f"Chain {of._wired.name} on {of.board}"
    return Subject(title, facts, figures, pipeline.of_chain(of), chain=of)


def _ranks(of: Any) -> Subject:
    facts = [
        ("algorithm", of.program),
        ("graph", f"{of.num_vertices:,} vertices, {of.num_edges:,} edges"),
        ("ranks", f"{of.ranks}, by {of.strategy}"),
        ("network", str(of.network)),
    ]
    kind = "predicted"
    figures = [
        Figure("time", duration(of.seconds), of.seconds, kind),
        Figure("speedup over one rank", short(of.speedup), of.speedup, kind),
        Figure("share of exchanges", percent(of.exchange_share), of.exchange_share, kind),
        Figure("sent by all ranks", size(of.bytes_sent), of.bytes_sent, kind),
        Figure("memory of a rank, at most", size(of.memory_bytes), float(of.memory_bytes), kind),
        Figure("super-steps", f"{of.num_supersteps:,}", float(of.num_supersteps), kind),
    ]
    return Subject(f"Prediction of {of.program} on {of.ranks} ranks", facts, figures, ranks=of)


_MAKERS: dict[str, Callable[[Any], Subject]] = {
    "gaspipe._result.result.Result": _result,
    "gaspipe._result.prediction.Prediction": _prediction,
    "gaspipe._chain.result.ChainResult": _chain,
    "gaspipe._profile.Profile": _profile,
    "gaspipe._frontier.engine.FrontierEngine": _frontier,
    "gaspipe.distributed._result.DistributedResult": _result,
    "gaspipe.distributed._predict.prediction.RanksPrediction": _ranks,
}
