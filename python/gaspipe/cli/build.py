# SPDX-License-Identifier: Apache-2.0
"""`gaspipe build`: an algorithm's kernels for a board, and all that v++ needs to build them."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from typing import TYPE_CHECKING, Any

import click
from click.exceptions import Exit

from .. import _core, _description, _registered
from .._card import build as _build
from .._card import kernels as _kernels
from .._card import xclbin as _xclbin
from .._core import InputError
from .._paths import get_include
from . import own
from .options import Command, Option, completing, examples

if TYPE_CHECKING:
    from .._own import Algorithm

TOOL_FAILED = 4


def _run(algorithm: str, out: str | None, force: bool, run: bool, **asked: Any) -> None:
    include = get_include()
    plan = _plan(include, algorithm, asked)
    design = plan.design
    if out is None:
        config = "" if design.config == "plain" else f"_{design.config}"
        out = f"{design.algorithm}_{design.number}{config}_{plan.board.name}_{plan.target}"
    _build.write(include, plan, out, force)
    weights = "with weights" if design.weighted else "without weights"
    click.echo(f"{design.algorithm}, {design.number}, {weights}, for {plan.board.name} ({plan.platform})")
    is_alone = _kernels.kernel_alone(include, design.config) is not None  # an array of PEs, or GraphOps' blocks
    sizes = [
        ("compute units", f"{design.units}, {design.lanes} edges a cycle, {design.pes} PEs each"),
        ("partitions", f"up to {design.capacity} vertices"),
    ]
    if is_alone:
        sizes = [("PEs", f"{design.units}, up to {design.capacity} vertices each")] if design.capacity else []
    for name, text in (
        *sizes,
        ("clock", f"{plan.clock_mhz} MHz" if plan.clock_mhz else "the platform's own"),
        ("kernels", ", ".join(plan.names.values())),
        *([("takes", plan.takes)] if plan.fabric else []),
    ):
        click.echo(f"  {name:<16}{text}")
    _tell_circuits(algorithm, plan)
    click.echo(f"Written: {shlex.quote(out)}")
    if run and shutil.which("v++"):
        _build_now(out)
        click.echo(f"Built: {shlex.quote(os.path.join(out, plan.xclbin))}")
        click.echo(
            f"Hint: where the card is, put it into {_xclbin.user_folder()}, or name it in {_xclbin.VARIABLE}; "
            "gaspipe devices then lists it."
        )
        return
    click.echo("Not built: " + ("v++ is not on the PATH" if run else "as asked") + ". The commands:")
    click.echo(f"  cd {shlex.quote(out)}")
    for line in _build.commands(plan):
        click.echo(f"  {line}")
    click.echo(f"Hint: where Vitis is installed, {shlex.quote(os.path.join(out, _build.SCRIPT))} runs them.")


def _tell_circuits(called: str, plan: _build.Plan) -> None:
    """Say which hooks of a custom algorithm are too slow for the clock, or that this was not measured."""
    from .._own import circuits  # not at the top: what writes and compiles algorithms is imported where it is needed

    algorithm = _own_algorithm(called)
    if algorithm is None:
        return
    for message in circuits.messages(algorithm._libraries, plan.board, plan.clock_mhz):
        click.echo(f"Warning: {message}", err=True)
    packages = circuits.missing_packages()
    if packages and circuits.is_covered(algorithm.definition):
        click.echo(f"  {'hooks':<16}not measured as circuits; that takes {' '.join(packages)} (Debian's names)")


def _own_algorithm(called: str) -> Algorithm | None:
    """Return the custom algorithm that a command names, if it does."""
    algorithm = own.find_algorithm(called)
    if algorithm is None:
        own.descriptions()  # registers those that the environment names
        algorithm = _registered.algorithms.get(called.replace("-", "_"))
    return algorithm


def _plan(include: str, called: str, asked: dict[str, Any]) -> _build.Plan:
    algorithm = _own_algorithm(called)
    if algorithm is None:
        return _build.plan(include, called.replace("-", "_"), **asked)
    if asked["number"] not in (None, algorithm.definition.prop):
        raise InputError(f"--number is {asked['number']!r}; {algorithm.name} computes in {algorithm.definition.prop}")
    return algorithm.plan(**{key: value for key, value in asked.items() if key != "number"})


def _build_now(folder: str) -> None:
    """Run the script; what the tools say appears as they say it."""
    process = subprocess.Popen(
        ["/bin/sh", os.path.join(os.path.abspath(folder), _build.SCRIPT)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # so that all its tools end with it
        encoding="utf-8",
        errors="replace",
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            click.echo(line, nl=False)
        code = process.wait()
    except BaseException:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()
        raise
    finally:
        process.stdout.close()
    if code:
        click.echo(
            f"Error: the build ended with exit code {code}; what v++ said is above, its logs in {folder}", err=True
        )
        raise Exit(TOOL_FAILED)


def _names() -> str:
    return ", ".join(_description.algorithms())


command = Command(
    "build",
    callback=_run,
    params=[
        click.Argument(["algorithm"], shell_complete=completing(list(_description.algorithms()))),
        Option(
            "--board",
            required=True,
            metavar="NAME",
            completes=_core.boards(),
            section="The kernels",
            help="Board: u250, u55c, ...",
        ),
        Option("--number", metavar="NAME", section="The kernels", help='Number format, as in "gaspipe algorithms".'),
        Option(
            "--weights/--no-weights",
            "weighted",
            default=None,
            section="The kernels",
            help="Stream edge weights; by default as the algorithm reads them. Without, every edge weighs 1.",
        ),
        Option(
            "--units",
            type=click.INT,
            section="The kernels",
            help="Compute units, 1 to 16, or PEs; by default as many as the board's memory serves, at most 8.",
        ),
        Option(
            "--config",
            metavar="NAME",
            default="plain",
            show_default=True,
            section="The kernels",
            help="plain; packed: 4 bytes per edge, 16 edges a cycle; of bfs, local_store_bfs: Cell's search by 2, 4 or "
            "8 PEs, and pull_bfs: the same with a kernel that pulls; of sssp, delta_stepping: such PEs, by buckets; or "
            "an accelerator of GraphOps' blocks: graphops_bfs, graphops_conductance, graphops_pagerank, graphops_spmv, "
            "graphops_sssp, graphops_vertex_cover.",
        ),
        Option(
            "--lanes",
            type=click.INT,
            section="The kernels",
            help="Edges of a unit per cycle: 8 or 16; by default 8, of packed kernels 16.",
        ),
        Option(
            "--pes",
            type=click.INT,
            section="The kernels",
            help="Gather PEs of a unit: 4, 8 or 16; by default as many as lanes.",
        ),
        Option(
            "--capacity",
            type=click.INT,
            section="The kernels",
            help="Most vertices of a partition; by default what the board's URAM holds.",
        ),
        Option(
            "--target",
            type=click.Choice(_build.TARGETS),
            default="hw",
            show_default=True,
            section="The build",
            help="The card itself, or the vendor's emulation of it.",
        ),
        Option(
            "--platform",
            metavar="NAME",
            section="The build",
            help="The shell to build for, a name or an .xpfm file; by default the board's newest known.",
        ),
        Option(
            "--clock",
            "clock_mhz",
            type=click.INT,
            metavar="MHZ",
            section="The build",
            help="Frequency of the kernels; by default the board's.",
        ),
        Option(
            "--out",
            metavar="DIR",
            section="The build",
            help="Folder to write; by default called after algorithm, number, board and target.",
        ),
        Option(
            "--force",
            is_flag=True,
            section="The build",
            help="Replace a folder that this command wrote, and what was built in it.",
        ),
        Option(
            "--run/--no-run",
            default=True,
            section="The build",
            help="Run v++ if it is installed; takes hours for a card.",
        ),
    ],
    help="""Write all that v++ needs to build an ALGORITHM's kernels for a board, and run v++ if it is installed.

ALGORITHM is a name as in "gaspipe algorithms", or file.py::name for a gp.Algorithm of your own.

The folder has the rendered sources with their headers, the link configuration with memory banks and SLRs, a script with
the commands, and a manifest. The kernels' names carry a digest of what they are made from: a host uses an xclbin as
long as that is the same, whichever version of gaspipe wrote it.""",
    short_help="Write, and build, kernels for an FPGA board.",
    epilog=examples(
        "gaspipe build --board u250 bfs",
        "gaspipe build --board u55c --number fixed --units 4 pagerank",
        "gaspipe build --board u250 --target hw_emu --out emulated --no-run sssp",
        "gaspipe build --board u250 --config graphops_bfs --no-run bfs",
    ),
)
