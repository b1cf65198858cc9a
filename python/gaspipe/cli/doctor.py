# SPDX-License-Identifier: Apache-2.0
"""`gaspipe doctor`: whether gaspipe is well installed, and what to do where it is not."""

from __future__ import annotations

import json

import click
from click.exceptions import Exit

import gaspipe as gp

from .. import _doctor
from .._compile import shown
from .options import Command, Option, examples

_INDENT = " " * 9


def _run(as_json: bool) -> None:
    findings = []
    for finding in _doctor.examine():
        findings.append(finding)
        if not as_json:
            click.echo(shown(f"{finding.status:<9}{finding.check:<17}{finding.found}"))
            if finding.remedy:
                click.echo(shown(f"{_INDENT}{'' if finding.status == _doctor.OK else 'What to do: '}{finding.remedy}"))
    status = _doctor.worst(findings)
    if as_json:
        document = {"gaspipe": gp.__version__, "status": status, "findings": [f._asdict() for f in findings]}
        click.echo(json.dumps(document))
    else:
        counts = {s: sum(f.status == s for f in findings) for s in (_doctor.PROBLEM, _doctor.WARNING)}
        click.echo(", ".join(f"{n or 'No'} {s}{'s' * (n != 1)}" for s, n in counts.items()).capitalize() + ".")
    if status == _doctor.PROBLEM:
        raise Exit(1)


command = Command(
    "doctor",
    callback=_run,
    params=[Option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")],
    help="""Check whether gaspipe is well installed, and say what to do where it is not.

It looks at the cores, threads, memory and huge pages of this machine, the temporary folder, the build, cards, the C++
compiler and the folder for algorithms of your own, and the packages that gaspipe uses; then it runs a small graph on
the CPU and in the emulator. Exit code 1 if there is a problem; warnings alone are 0.""",
    short_help="Whether gaspipe is well installed, and what to do.",
    epilog=examples("gaspipe doctor", "gaspipe doctor --json"),
)
