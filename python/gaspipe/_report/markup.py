# SPDX-License-Identifier: Apache-2.0
"""HTML of a report: text that is escaped, tables, bars in tables, figures; numbers as people read them."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

_MOST_ROWS = 120  # of a table; longer ones show their first and last rows


def text(value: Any) -> str:
    """Return a value as text of HTML, safe in attributes too; control characters become visible."""
    shown = "".join(c if c.isprintable() or c == " " else "\N{REPLACEMENT CHARACTER}" for c in str(value))
    return html.escape(shown)


def short(number: float) -> str:
    """Three digits, whole ones in full where they are readable."""
    if not math.isfinite(number):
        return "-"
    if number == 0:
        return "0"
    return f"{number:,.0f}" if 100 <= abs(number) < 1e7 else f"{number:.3g}"


def duration(seconds: float) -> str:
    """Seconds in the unit that suits them."""
    if not math.isfinite(seconds):
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.4g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def size(num_bytes: float) -> str:
    """Bytes in the unit that suits them."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if num_bytes >= factor:
            return f"{num_bytes / factor:.4g} {unit}"
    return f"{num_bytes:,.0f} B"


def percent(share: float) -> str:
    """A share of 1 in percent."""
    return "-" if not math.isfinite(share) else f"{100 * share:.3g} %"


@dataclass(frozen=True)
class Cell:
    """A cell of a table: its text and, for sorting, the number behind it."""

    shown: str
    number: float | None = None


@dataclass(frozen=True)
class Bar:
    """A cell with a bar: parts as (share of the whole width, class of its color, text), and what it is labeled with."""

    parts: tuple[tuple[float, str, str], ...]
    shown: str
    number: float | None = None


def count(number: int) -> Cell:
    """A cell with a whole number."""
    return Cell(f"{int(number):,}", float(number))


def seconds(value: float) -> Cell:
    """A cell with a time."""
    return Cell(duration(float(value)), float(value))


def share(value: float) -> Cell:
    """A cell with a share in percent."""
    return Cell(percent(float(value)), float(value))


def bar(part: float, shown: str = "") -> Bar:
    """A cell with a bar of one color: a share, in percent unless told otherwise."""
    return Bar(((part, "c-1", shown or percent(part)),), shown or percent(part), part)


def table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[Any]], sortable: bool = True) -> str:
    """Return a table that scrolls by itself where it is too wide; the first cell of a row is its heading."""
    shown = list(rows)
    note = ""
    if len(shown) > _MOST_ROWS:
        half = _MOST_ROWS // 2
        note = f"<p class=note>{len(shown) - 2 * half:,} rows between the first and the last {half} are not shown.</p>"
        shown = [*shown[:half], *shown[-half:]]
    numeric = [bool(shown) and all(_is_numeric(row[k]) for row in shown) for k in range(len(heads))]
    can_sort = sortable and len(shown) > 2
    head = "".join(
        f"<th scope=col{' class=num' if numeric[k] else ''}{' data-sort' if can_sort else ''}>{text(name)}</th>"
        for k, name in enumerate(heads)
    )
    body = "".join(f"<tr>{''.join(_cell(cell, k, numeric[k]) for k, cell in enumerate(row))}</tr>" for row in shown)
    return (
        scroll(
            caption,
            f"<table><caption>{text(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>",
        )
        + note
    )


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """Return a list of names and values."""
    return f"<dl>{''.join(f'<div><dt>{text(name)}</dt><dd>{text(value)}</dd></div>' for name, value in rows)}</dl>"


def scroll(label: str, inside: str) -> str:
    """Return what scrolls sideways by itself, also by keys."""
    return f'<div class=scroll tabindex=0 role=group aria-label="{text(label)}">{inside}</div>'


def details(summary: str, inside: str) -> str:
    """Return what opens at a click or a key."""
    return f"<details><summary>{text(summary)}</summary>{inside}</details>"


def legend(entries: Iterable[tuple[str, str]]) -> str:
    """Return what colors mean; (class, text)."""
    return (
        "<ul class=legend>"
        + "".join(f'<li><span class="key {name}"></span>{text(what)}</li>' for name, what in entries)
        + "</ul>"
    )


def _cell(cell: Any, column: int, numeric: bool) -> str:
    tag = "th scope=row" if column == 0 else "td"
    end = "th" if column == 0 else "td"
    number = _number(cell)
    sort = f' data-value="{float(number)!r}"' if number is not None else ""
    if isinstance(cell, Bar):
        parts = "".join(
            f'<span class="{name}" style="width:{100 * min(max(part, 0.0), 1.0):.2f}%" title="{text(what)}"></span>'
            for part, name, what in cell.parts
        )
        return (
            f"<td class=bar{sort}><span class=track aria-hidden=true>{parts}</span><span>{text(cell.shown)}</span></td>"
        )
    shown = cell.shown if isinstance(cell, Cell) else str(cell)
    return f"<{tag}{' class=num' if numeric else ''}{sort}>{text(shown)}</{end}>"


def _is_numeric(cell: Any) -> bool:
    return isinstance(cell, Cell) and cell.number is not None


def _number(cell: Any) -> float | None:
    return cell.number if isinstance(cell, (Cell, Bar)) else None
