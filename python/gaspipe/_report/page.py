# SPDX-License-Identifier: Apache-2.0
"""A report: one page that needs nothing else, or what a notebook shows."""

from __future__ import annotations

import datetime
import itertools
import os
import platform
from collections.abc import Sequence
from importlib import resources
from typing import Any

from .. import _core, _inputs
from .._core import InputError
from .._files import Path, atomic_write
from .markup import facts, table, text
from .sections import SECTIONS
from .subject import Subject, subject

_ids = itertools.count(1)
_OPEN = ("pipeline", "supersteps", "calls")  # in a notebook; the other sections open at a click


class Report:
    """Report of a run, or of several side by side, which notebooks show: `result.report()`.

    `save` writes it as one HTML page that works offline, with light and dark colors, for screens and printers.
    """

    def __init__(self, subjects: Sequence[Subject]) -> None:
        self._subjects = list(subjects)
        self._made = datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z")

    @property
    def title(self) -> str:
        """What ran."""
        return " / ".join(run.title for run in self._subjects)

    @property
    def html(self) -> str:
        """The page."""
        sections = self._sections("")
        links = "".join(f'<li><a href="#{key}">{text(title)}</a></li>' for key, title, _ in sections)
        body = "".join(
            f'<section id={key} aria-labelledby="{key}-h"><h2 id="{key}-h">{text(title)}</h2>{inside}</section>'
            for key, title, inside in sections
        )
        return (
            "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
            '<meta name=viewport content="width=device-width, initial-scale=1">'
            '<meta name=color-scheme content="light dark"><link rel=icon href="data:,">'
            f"<title>{text(self.title)} - Gaspipe report</title><style>{_file('page.css')}</style></head>"
            '<body class="gaspipe-report page"><a class=skip href="#content">Skip to the content</a>'
            f"<header><p class=brand>Gaspipe report</p><h1>{self._heading()}</h1>{self._what()}</header>"
            f'<nav aria-label="Sections"><ul>{links}</ul></nav><main id=content tabindex=-1>{body}</main>'
            f"<footer><p>{text(self._versions())}</p></footer><script>{_file('page.js')}</script></body></html>\n"
        )

    def save(self, path: Path) -> None:
        """Write the page to a file, which appears whole.

        Parameters
        ----------
        path : str or path
            File to write; one of that name is replaced.

        Raises
        ------
        InputError
            If `path` is none.
        OSError
            If it cannot be written, or is a folder.

        """
        try:
            name = os.fspath(path)
        except TypeError:
            raise InputError(f"path is a {_inputs.kind(path)}; the name of a file to write is needed") from None
        page = self.html.encode("utf-8")
        with atomic_write(name) as file:
            file.write(page)

    def _repr_html_(self) -> str:
        prefix = f"gaspipe-{next(_ids)}-"
        sections = self._sections(prefix)
        body = "".join(
            f"<details{' open' if key in _OPEN else ''}><summary>{text(title)}</summary>{inside}</details>"
            for key, title, inside in sections
        )
        # A notebook has headings of its own, whose order these must not break.
        body = body.replace("<h3>", "<p class=h3>").replace("</h3>", "</p>")
        return (
            f'<div class="gaspipe-report inline"><style>{_file("page.css")}</style>'
            f"<p class=title>{self._heading()}</p>{self._what()}{body}"
            f"<p class=note>{text(self._versions())}</p></div>"
        )

    def __repr__(self) -> str:
        names = ", ".join(key for key, _, _ in self._sections(""))
        return f"Report({self.title}: {names})"

    def _heading(self) -> str:
        return "<span class=versus>compared with</span> ".join(f"<span>{text(r.title)} </span>" for r in self._subjects)

    def _what(self) -> str:
        """Facts and key figures: of one run as tiles, of several as a table."""
        runs = self._subjects
        if len(runs) == 1:
            tiles = "".join(
                f"<div><dt>{text(f.name)}</dt><dd>{text(f.shown)}{_kind(f.kind)}</dd></div>" for f in runs[0].figures
            )
            return f"{facts(runs[0].facts)}<dl class=tiles>{tiles}</dl>"
        named = [_letter(k) for k in range(len(runs))]
        names = list(dict.fromkeys(name for run in runs for name, _ in run.facts))
        told = [dict(run.facts) for run in runs]
        rows: list[list[Any]] = [[name, *(facts_of.get(name, "-") for facts_of in told)] for name in names]
        shown = table("What ran", ["what", *named], rows, sortable=False)
        figures = list(dict.fromkeys(figure.name for run in runs for figure in run.figures))
        rows = []
        for name in figures:
            own = [next((f for f in run.figures if f.name == name), None) for run in runs]
            kind = next((f.kind for f in own if f is not None), "")
            first = own[0].number if own[0] is not None else None
            cells = [f.shown if f is not None else "-" for f in own]
            for f in own[1:]:
                number = f.number if f is not None else None
                cells.append(f"{number / first:.3g}x" if first and number is not None else "-")
            rows.append([name + (f" ({kind})" if kind else ""), *cells])
        heads = ["figure", *named, *(f"{name} / A" for name in named[1:])]
        figures_shown = table("Figures side by side", heads, rows, sortable=False)
        return f"<div class=sides><div>{shown}</div><div>{figures_shown}</div></div>"

    def _sections(self, prefix: str) -> list[tuple[str, str, str]]:
        found = []
        for key, title, make in SECTIONS:
            parts = [make(run, self._subjects, f"{prefix}{key}{k}") for k, run in enumerate(self._subjects)]
            if not any(parts):
                continue
            if len(parts) > 1:
                shown = "".join(
                    f"<div class=side><p class=who><b>{_letter(k)}</b> {text(run.title)}</p>"
                    f"{part or '<p class=note>Nothing of this was found in this run.</p>'}</div>"
                    for k, (run, part) in enumerate(zip(self._subjects, parts))
                )
                kind = "sides stacked" if key == "pipeline" else "sides"
                parts = [f'<div class="{kind}">{shown}</div>']
            found.append((key, title, parts[0]))
        return found

    def _versions(self) -> str:
        told = (
            f"Gaspipe {_core.__version__}, Python {platform.python_version()}, {platform.system()} "
            f"{platform.machine()}; made {self._made}."
        )
        if any(run.prediction is not None or run.chain is not None for run in self._subjects):
            told += " Figures called predicted come from the emulator's clocks and its model of the board, not a card."
        return told


def report(of: Any, path: Path | None = None, *, other: Any = None) -> Report:
    """Return the report of a run, beside that of `other`, or of several; with a path, write it as a page too."""
    others = list(other) if isinstance(other, (list, tuple)) else [] if other is None else [other]
    made = Report([subject(of, "this"), *(subject(one, "other") for one in others)])
    if path is not None:
        made.save(path)
    return made


def _letter(k: int) -> str:
    return chr(ord("A") + k)


def _kind(kind: str) -> str:
    return f" <small>{text(kind)}</small>" if kind else ""


def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8").partition("*/")[2].strip()
