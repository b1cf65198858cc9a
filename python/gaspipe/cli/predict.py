# SPDX-License-Identifier: Apache-2.0
"""`gaspipe predict`: what an algorithm would take on a board, in the configurations of the kernels, or on ranks."""

from __future__ import annotations

import json
import warnings
from typing import Any, Callable

import click

import gaspipe as gp

from .. import _core
from .._core import CapacityError, InputError
from .._description import Description
from .._predict import Board, configs_for
from .._result import Prediction, Result
from . import output, own, parameters, predict_ranks, progress, report, run, source
from .options import Command, Option, argument, duration, examples, progress_option, threads_option

_COLUMNS: tuple[tuple[str, Callable[[Prediction], str]], ...] = (
    ("configuration", lambda p: p.config),
    ("time", lambda p: duration(p.seconds)),
    ("streamed MTEPS", lambda p: _short(p.streamed_mteps)),
    ("graph MTEPS", lambda p: _short(p.graph_mteps)),
    ("bytes/edge", lambda p: _short(p.bytes_per_edge)),
    ("bandwidth", lambda p: f"{100 * p.bandwidth_share:.0f} %"),
    ("limited by", lambda p: p.limiting_stage or "-"),
    ("URAM", lambda p: _blocks(p, "uram")),
    ("BRAM", lambda p: _blocks(p, "bram")),
    ("LUTs, estimated", lambda p: _blocks(p, "luts") if p.resources["luts"] else "-"),
)  # fmt: skip


class Predict(click.Group):
    """One command per algorithm; options may come before the algorithm, too."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Algorithms."""
        return [a.name for a in own.pipelines()]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Find an algorithm; article-rank is article_rank too."""
        found = own.find(name)
        if found is None:
            found = next((a for a in own.pipelines() if a.name == name.replace("-", "_")), None)
        return None if found is None else make_command(found)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the algorithm first."""
        for at, word in enumerate(args):
            if not word.startswith("-") and self._is_algorithm(ctx, word):
                args = [word, *args[:at], *args[at + 1 :]]
                break
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the algorithm, or say which there are."""
        if not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            ctx.fail(f"No algorithm {args[0]!r}; there are {', '.join(self.list_commands(ctx))}.")
        return super().resolve_command(ctx, args)

    def _is_algorithm(self, ctx: click.Context, word: str) -> bool:
        return word.partition("::")[0].endswith(".py") or word.replace("-", "_") in self.list_commands(ctx)


def make_command(description: Description) -> Command:
    """Return the command that predicts an algorithm."""
    name = description.name

    def callback(**options: Any) -> None:
        _run(description, options)

    asked = [parameters.option(p) for p in description.parameters]
    needed = " --x ones" if any(p.kind == "vector" for p in description.parameters) else ""
    return Command(
        name,
        callback=callback,
        params=[
            source.file_argument(),
            *_options(description.numbers),
            *predict_ranks.options(),
            *asked,
            source.format_option(),
            *source.format_details(),
            Option(
                "--undirected",
                is_flag=True,
                section="Reading",
                help="Take every edge in both directions (Graph.symmetrize).",
            ),
            threads_option("Other options"),
            Option(
                "--html",
                metavar="FILE",
                help="Write a report to look at: a page with the pipeline drawn, the configurations side by side.",
            ),
            Option("--json", "as_json", is_flag=True, help="One JSON object on standard output."),
            progress_option(),
        ],
        help=f"Predict what {name} takes on a board: its kernels run in the emulator, with the hardware's clocks.\n\n"
        "streamed MTEPS counts the edges of every super-step (as ThunderGP does), graph MTEPS every edge of the graph "
        "once (as Graph500 does); bandwidth is the share of the memory's peak.\n\n"
        "With --ranks: what it takes on the ranks of a job, by counted bytes and the constants of a network.",
        short_help=description.summary,
        epilog=examples(
            f"gaspipe predict {name} web.txt.gz{needed}",
            f"gaspipe predict {name} web.txt.gz{needed} --board vcu1525 --config plain",
            f"gaspipe predict {name} web.txt.gz{needed} --sample-edges 1000000 --json",
            f"gaspipe predict {name} web.txt.gz{needed} --html report.html",
            f"gaspipe predict {name} web.txt.gz{needed} --ranks 16 --network 25GbE",
        ),
    )


def _options(numbers: list[str]) -> list[Option]:
    section = "The prediction"
    options = [
        Option(
            "--board",
            metavar="NAME",
            completes=_core.boards(),
            section=section,
            help="Board: u250 (the default), u55c, ...",
        ),
        Option(
            "--board-file",
            metavar="FILE",
            section=section,
            help='A JSON file that describes a board; {"base": "u250", ...} has only what differs.',
        ),
        Option(
            "--config",
            "configs",
            multiple=True,
            metavar="NAME",
            completes=[c["name"] for c in _core.configs()],
            section=section,
            help=f"Configuration of the kernels: {', '.join(c['name'] for c in _core.configs())}; may be repeated. By "
            "default all that the board's memory allows.",
        ),
        Option(
            "--clock-mhz",
            type=click.FLOAT,
            metavar="MHZ",
            section=section,
            help="Clock of the kernels; by default the board's, and the published one for thundergp.",
        ),
        Option(
            "--sample-edges",
            type=click.IntRange(min=1),
            metavar="N",
            section=section,
            help="Time about N edges of each super-step and scale the rest; by default all are timed.",
        ),
    ]
    if len(numbers) > 1:
        options.append(
            Option(
                "--number",
                type=click.Choice(["auto", *numbers]),
                default="auto",
                show_default=True,
                section=section,
                help="Number format of the computation.",
            )
        )
    return options


def _run(description: Description, options: dict[str, Any]) -> None:
    predict_ranks.check(options)
    board = None if options["ranks"] else _board(options)
    if options["html"] is not None:
        output.check(options["html"])
    read = source.read(
        options["file"],
        format=options["format"],
        details=source.details_of(options),
        undirected=options["undirected"],
        rectangular=description.rectangular,
        threads=options["threads"],
        show_progress=options["progress"],
    )
    if not options["as_json"]:
        click.echo(read.describe())
    asked = run.values_of(description, options, read.graph)
    if options["ranks"]:
        predict_ranks.tell(description, options, read, asked)
        return
    results, refused = _predictions(description.name, board, list(options["configs"]), read, asked, options)
    found = [(result, result.stats.prediction) for result in results]
    if options["html"] is not None:
        results[0].report(options["html"], other=results[1:])
    if options["as_json"]:
        document = {
            **report.what_was_asked(description.name, read, asked),
            "predictions": [p.to_dict() | {"number": r.stats.number} for r, p in found if p is not None],
            "refused": refused,
        }
        click.echo(json.dumps(document, allow_nan=False))
        return
    first = results[0].stats
    click.echo(
        f"{description.name} on {first.board}, {first.number}: {first.num_supersteps} super-step"
        f"{'s' * (first.num_supersteps != 1)} of {first.num_edges:,} edges; predicted:"
    )
    for line in table([p for _, p in found if p is not None]):
        click.echo(f"  {line}")
    for config, why in refused.items():
        click.echo(f"  {config}: not on this board: {why}")
    if options["html"] is not None:
        click.echo(output.wrote_report(options["html"]))
    click.echo(f"In Python: {_python(description.name, board, results[-1], read, asked, options)}")


def _board(options: dict[str, Any]) -> str | Board:
    """Board of a prediction, its options checked."""
    if options["board"] is not None and options["board_file"] is not None:
        raise click.UsageError("--board and --board-file both say which board; give one of them")
    known = [c["name"] for c in _core.configs()]
    for config in options["configs"]:
        if config not in known:
            raise InputError(f"--config is {config!r}; allowed are {', '.join(known)}")
    board = options["board"] or "u250" if options["board_file"] is None else _file(options["board_file"])
    if isinstance(board, str) and board not in _core.boards():
        raise InputError(f"--board is {board!r}; known are {', '.join(_core.boards())}; --board-file describes another")
    return board


def _file(path: str) -> Board:
    """Board of a file, whatever the file is called."""
    return Board.from_file(path)


def _predictions(
    name: str,
    board: Any,
    chosen: list[str],
    read: source.Source,
    asked: dict[str, parameters.Value],
    options: dict[str, Any],
) -> tuple[list[Result], dict[str, str]]:
    """Results by configuration, and why others do not fit the board, where all were asked for."""
    results: list[Result] = []
    refused: dict[str, str] = {}
    values = {key: given.value for key, given in asked.items()}
    how = {key: options[key] for key in ("clock_mhz", "sample_edges")}
    if "number" in options:
        how["number"] = options["number"]
    last: CapacityError | None = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for config in dict.fromkeys(chosen or configs_for(board)):
            try:
                with progress.running(config, options["progress"]) as shown:
                    result = gp.predict(
                        name, read.graph, board=board, config=config, num_threads=options["threads"], progress=shown,
                        **how, **values,
                    )  # fmt: skip
                results.append(result)
            except CapacityError as error:
                if chosen:
                    raise
                last, refused[config] = error, str(error)
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        click.echo(f"Warning: {text}", err=True)
    if not results and last is not None:
        raise last
    return results, refused


def table(predictions: list[Prediction]) -> list[str]:
    """Lines of a table, a prediction in each."""
    rows = [[title for title, _ in _COLUMNS]] + [[show(p) for _, show in _COLUMNS] for p in predictions]
    widths = [max(len(row[k]) for row in rows) for k in range(len(_COLUMNS))]
    return ["  ".join(c.ljust(w) if k in (0, 6) else c.rjust(w) for k, (c, w) in enumerate(zip(row, widths))).rstrip()
            for row in rows]  # fmt: skip


def _blocks(p: Prediction, what: str) -> str:
    used, available = p.resources[what], p.resources[f"{what}_available"]
    return f"{used:,} of {available:,}" if available else f"{used:,}"


def _short(number: float) -> str:
    return f"{number:,.0f}" if number >= 1000 else f"{number:.3g}"


def _python(
    name: str,
    board: Any,
    result: Result,
    read: source.Source,
    asked: dict[str, parameters.Value],
    options: dict[str, Any],
) -> str:
    prediction = result.stats.prediction
    assert prediction is not None
    named = board if isinstance(board, str) else options["board_file"]
    given = [f"board={argument(named)}", f"config={argument(prediction.config)}"]
    for key in ("clock_mhz", "sample_edges"):
        if options[key] is not None:
            given.append(f"{key}={options[key]!r}")
    if options.get("number", "auto") != "auto":
        given.append(f"number={argument(options['number'])}")
    if options["threads"] is not None:
        given.append(f"num_threads={options['threads']}")
    given += [f"{key}={value.python}" for key, value in asked.items() if value.python is not None]
    graph, before = read.python, ""
    if any("graph." in text for text in given):
        graph, before = "graph", f"graph = {read.python}; "
    return f"{before}gp.predict({', '.join([argument(name), graph, *given])}).stats.prediction"


command = Predict(
    "predict",
    help="""Predict what an ALGORITHM takes on an FPGA board, before hours of building for it, and compare the
configurations of the kernels; or, with --ranks, what it takes on the machines of a cluster.

"gaspipe predict ALGORITHM --help" shows the options, with those of the algorithm. ALGORITHM is a name as in "gaspipe
algorithms", or file.py::name for a gp.Algorithm of your own.""",
    short_help="Predict an algorithm's throughput on an FPGA board, or its time on ranks.",
    epilog=examples(
        "gaspipe predict bfs web.txt.gz",
        "gaspipe predict --board u280 --config plain pagerank web.txt.gz",
        "gaspipe predict pagerank web.txt.gz --ranks 64 --network ib-edr",
    ),
    subcommand_metavar="ALGORITHM FILE [OPTIONS]",
)
