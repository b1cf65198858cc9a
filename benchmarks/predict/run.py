# SPDX-License-Identifier: Apache-2.0
"""Predictions, measured in four ways.

published   the published pipeline beside what was measured on cards: error of every cell
ablation    from the published pipeline to the packed one, one change at a time
sampling    predictions from some sub-partitions beside those that time every edge
speed       edges timed per second of one thread, beside another simulator's
"""

from __future__ import annotations

import argparse
import resource
import sys
from collections.abc import Callable, Container, Iterable
from dataclasses import asdict
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from machine import facts, save
from predict import apps, compare, graphs, published, report, speed


def published_cells(args: argparse.Namespace) -> dict[str, object]:
    """Predict every cell of the publication, and print the errors.

    Nothing of the model is fitted to a graph or an application; its physical constants were settled on one board, the
    other is held out.
    """
    cells = []
    for case, app in compare.questions(args):
        for board in args.boards:
            cell = predict(case, app, board, args.sample_edges)
            cells.append(cell)
            print(
                f"  {cell.app:<5}{board:<8} published {cell.published:5d}, predicted {cell.predicted:7.1f}, "
                f"{cell.error:+6.1f} %; {cell.limiting_stage}, {cell.supersteps} super-steps, "
                f"{100 * cell.timed_share:.0f} % timed, {cell.host_seconds:.1f} s",
                flush=True,
            )
    text = report.report(cells)
    print("\n" + text + "\n")
    if args.markdown:
        Path(args.markdown).write_text(text + "\n", encoding="utf-8")
    return {"cells": [asdict(c) | {"error_percent": c.error} for c in cells]}


def predict(case: graphs.Case, app: apps.App, board: str, sample_edges: int | None) -> report.Cell:
    """Predict a cell."""
    found, seconds = compare.predict(
        case,
        app,
        board=board,
        config="thundergp",
        clock_mhz=published.CLOCKS_MHZ[board][app.name],
        sample_edges=sample_edges,
    )
    predicted = app.seconds(found)
    return report.Cell(
        board,
        case.name,
        app.name,
        published.MTEPS[board, case.name, app.name],
        found.edges_streamed / predicted / 1e6,
        found.graph_edges / predicted / 1e6,
        len(found.steps),
        found.cycles,
        found.limiting_stage,
        found.bandwidth_share,
        found.timed_share,
        seconds,
    )


def main() -> None:
    """Run one comparison, and say where it ran."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)

    one = add(kinds, "published", published_cells)
    add_questions(one)
    one.add_argument("--boards", type=listed(published.BOARDS), default=list(published.BOARDS), metavar="NAME,...")
    one.add_argument("--markdown", metavar="FILE", help="write the tables")

    one = add(kinds, "ablation", compare.ablation)
    add_questions(one, "R19,R21", "pr,bfs,sssp")
    one.add_argument("--board", default="u250")
    one.add_argument("--clock-mhz", type=float, default=250.0, help="of every configuration (default: 250)")

    one = add(kinds, "sampling", compare.sampling)
    add_questions(one, "R21", "pr,bfs,sssp")
    one.add_argument("--board", default="u250")
    one.add_argument("--config", default="thundergp")

    one = add(kinds, "speed", speed.speed)
    one.add_argument("--spike", metavar="PATH", help="program to compare with: PATH -v SCALE")
    one.add_argument("--scale", type=int, default=18, help="Kronecker graph of edge factor 32 (default: 18)")
    one.add_argument("--rounds", type=int, default=5)

    args = parser.parse_args()
    found = args.call(args)
    print(f"Peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f} GiB")
    machine = facts()
    for key, value in machine.items():
        print(f"{key}: {value}")
    save(args.json, {**found, "machine": machine})


def add(
    kinds: argparse._SubParsersAction, name: str, call: Callable[..., dict[str, object]]
) -> argparse.ArgumentParser:
    """Add a kind of comparison."""
    parser = kinds.add_parser(name, help=(call.__doc__ or "").splitlines()[0], description=call.__doc__)
    parser.set_defaults(call=call)
    parser.add_argument("--json", metavar="FILE", help="write all figures")
    return parser


def add_questions(parser: argparse.ArgumentParser, chosen: str = "R19,R21,R24,G23,WT", of: str = "") -> None:
    """Add the choice of graphs and applications."""
    parser.add_argument(
        "--graphs", type=listed(graphs.RECIPES), default=chosen.split(","), metavar="NAME,...",
        help=f"of {', '.join(graphs.RECIPES)} (default: {chosen})",
    )  # fmt: skip
    parser.add_argument(
        "--apps", type=listed(apps.APPS), default=of.split(",") if of else list(published.APPS), metavar="NAME,...",
        help=f"of {', '.join(published.APPS)} (default: {of or 'all'})",
    )  # fmt: skip
    parser.add_argument(
        "--sample-edges", type=int, metavar="N", help="time about N edges of each super-step (default: all)"
    )
    parser.add_argument("--cache", metavar="DIR", help="where graphs are kept (default: a temporary folder)")


def listed(known: Iterable[str] | Container[str]) -> Callable[[str], list[str]]:
    """Return a reader of lists of known names."""

    def read(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"there is no {name!r}; known are {', '.join(known)}")
        return names

    return read


if __name__ == "__main__":
    main()
