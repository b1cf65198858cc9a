# SPDX-License-Identifier: Apache-2.0
"""`gaspipe info`: what a graph file holds."""

from __future__ import annotations

import json
import shlex
import shutil
from typing import Any

import click
import numpy as np

from .. import _core
from ..graph import Graph
from . import answers, source
from .options import Command, Option, examples, num_bytes, progress_option, threads_option

_SLICE = 1 << 22  # edges looked at together


def _run(file: str, format: str | None, threads: int | None, as_json: bool, progress: bool, **options: Any) -> None:
    details = source.details_of(options)
    read = source.read(file, format=format, details=details, rectangular=True, threads=threads, show_progress=progress)
    facts = describe(read.graph, threads)
    if as_json:
        click.echo(json.dumps({**read.as_json(), "read_seconds": read.seconds, **facts}, allow_nan=False))
        return
    click.echo(read.describe())
    for name, text in _lines(read.graph, facts):
        click.echo(f"  {name:<20}{text}")
    if facts.get("is_pattern_symmetric") and facts["out_degrees"] == facts["in_degrees"]:
        _bars("degree", facts["out_degrees"])
    else:
        _bars("out-degree", facts["out_degrees"])
        _bars("in-degree", facts["in_degrees"])
    click.echo(f"In Python: graph = {read.python}")
    if "weak_components" in facts:
        click.echo(f"Hint: gaspipe wcc {shlex.quote(file)} --top 10 lists the largest components.")


def describe(graph: Graph, threads: int | None = None) -> dict[str, Any]:
    """Count what there is to count in a graph."""
    degrees = graph.out_degrees()
    facts: dict[str, Any] = {
        "shape": list(graph.shape),
        "weights_min": None,
        "weights_max": None,
        "self_loops": _count_self_loops(graph),
        "mean_degree": graph.num_edges / max(graph.shape[0], 1),
        "max_out_degree": int(degrees.max()),
        "dangling_vertices": int((degrees[: graph.shape[0]] == 0).sum()),
        **(_square_facts(graph, threads) if graph.shape[0] == graph.shape[1] > 0 else {}),
    }
    if graph.weights is not None and len(graph.weights):
        facts["weights_min"] = answers.plain(graph.weights.min())
        facts["weights_max"] = answers.plain(graph.weights.max())
    for direction in ("out", "in"):
        bounds, counts = graph.degree_histogram(direction, num_threads=threads)
        counts = counts.copy()
        counts[0] -= graph.num_vertices - graph.shape[direction == "in"]  # a matrix is kept in a square
        facts[f"{direction}_degrees"] = [
            {"at_least": int(bound), "vertices": int(count)} for bound, count in zip(bounds, counts)
        ]
    arrays = [graph.indptr, graph.indices, graph.weights, graph.labels, *graph.vertex_data.values()]
    facts["num_bytes"] = sum(int(array.nbytes) for array in arrays if array is not None)
    return facts


def _square_facts(graph: Graph, threads: int | None) -> dict[str, Any]:
    """What only a graph has, not any matrix."""
    once = graph.simplify(self_loops=True, num_threads=threads)
    back = once.transpose(num_threads=threads)
    same_edges = np.array_equal(once.indptr, back.indptr) and np.array_equal(once.indices, back.indices)
    same_weights = once.weights is None or back.weights is None or np.array_equal(once.weights, back.weights)
    sizes = np.bincount(_core.components(graph._core, threads or 0))
    return {
        "parallel_edges": graph.num_edges - once.num_edges,
        "is_pattern_symmetric": same_edges,
        "is_symmetric": same_edges and same_weights,
        "weak_components": int((sizes > 0).sum()),
        "largest_component": int(sizes.max()),
    }


def _count_self_loops(graph: Graph) -> int:
    offsets, count = graph.indptr, 0
    row = 0
    while row < graph.num_vertices:
        # Whole rows, so many that their edges fill a slice.
        last = int(np.searchsorted(offsets, int(offsets[row]) + _SLICE, "right")) - 1
        last = min(max(last, row + 1), graph.num_vertices)
        ends = offsets[row : last + 1].astype(np.int64)
        sources = np.repeat(np.arange(row, last, dtype=np.uint32), ends[1:] - ends[:-1])
        count += int((sources == graph.indices[int(offsets[row]) : int(offsets[last])]).sum())
        row = last
    return count


def _lines(graph: Graph, facts: dict[str, Any]) -> list[tuple[str, str]]:
    lines = []
    if facts["weights_min"] is not None:
        lines.append(("weights", f"{answers.number(facts['weights_min'])} to {answers.number(facts['weights_max'])}"))
    if "is_symmetric" in facts:
        symmetric = "no: a directed graph"
        if facts["is_pattern_symmetric"]:
            symmetric = "yes: every edge has its reverse" if facts["is_symmetric"] else "edges yes, weights no"
        lines += [
            ("symmetric", symmetric),
            ("self-loops", f"{facts['self_loops']:,}"),
            ("parallel edges", f"{facts['parallel_edges']:,} beyond the first"),
        ]
    lines += [
        ("degree", f"mean {facts['mean_degree']:.3g}, largest {facts['max_out_degree']:,} out"),
        ("dangling vertices", f"{facts['dangling_vertices']:,} without out-edges"),
    ]
    if "weak_components" in facts:
        share = answers.percent(facts["largest_component"], graph.num_vertices)
        lines.append(
            (
                "weak components",
                f"{facts['weak_components']:,}, the largest with {facts['largest_component']:,} vertices ({share})",
            )
        )
    if graph.labels is not None:
        lines.append(("labels", f"{graph.labels.dtype}, {graph.labels[0]} to {graph.labels[-1]}"))
    for name, array in graph.vertex_data.items():
        lines.append((f"vertex {name}", f"{array.dtype}, shape {array.shape}"))
    lines.append(("memory", num_bytes(facts["num_bytes"])))
    return lines


def _bars(title: str, buckets: list[dict[str, int]]) -> None:
    """Draw a histogram over the width of the terminal."""
    names = []
    for bucket in buckets:
        low, high = bucket["at_least"], max(2 * bucket["at_least"] - 1, bucket["at_least"])
        names.append(f"{low:,}" if low == high else f"{low:,}-{high:,}")
    counts = [f"{bucket['vertices']:,}" for bucket in buckets]
    left, right = max(map(len, [title, *names])), max(map(len, [*counts, "vertices"]))
    room = max(10, min(shutil.get_terminal_size().columns, 100) - left - right - 6)
    most = max([1, *(bucket["vertices"] for bucket in buckets)])
    click.echo(f"  {title:>{left}}  {'vertices':>{right}}")
    for name, count, bucket in zip(names, counts, buckets):
        length = -(-room * bucket["vertices"] // most)  # rounded up: what is there shows
        click.echo(f"  {name:>{left}}  {count:>{right}}  {'#' * length}".rstrip())


command = Command(
    "info",
    callback=_run,
    params=[
        source.file_argument(),
        source.format_option(),
        *source.format_details(),
        threads_option("Other options"),
        Option("--json", "as_json", is_flag=True, help="One JSON object on standard output."),
        progress_option(),
    ],
    help="""What a graph file holds: format, size, weights, symmetry, degrees, components.

Degrees are counted in buckets that double: 0, 1, 2-3, 4-7, ...""",
    short_help="What a graph file holds.",
    epilog=examples("gaspipe info web.txt.gz", "gaspipe info matrix.mtx", "gaspipe info roads.gr.gz --json"),
)
