# SPDX-License-Identifier: Apache-2.0
"""The tables: lines and branches per folder, files below the bar, what is not reached and why."""

from __future__ import annotations

import csv
import re
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / "benchmarks"))

from machine import table  # noqa: E402

BAR = 0.95
REASONS = Path(__file__).with_name("reasons.csv")
SOURCES = {"cpp": ("*.h", "*.cpp"), "hls": ("*.h",)}


class Measured(NamedTuple):
    """What tests reach of a file."""

    reached: int  # lines
    missed: list[int]
    branches_reached: int
    branches: int

    @property
    def lines(self) -> int:
        """All lines with code."""
        return self.reached + len(self.missed)


class Reason(NamedTuple):
    """Why lines are not reached: a row of reasons.csv."""

    file: str  # pattern of paths, as of a shell
    text: str  # regular expression, found in a line of the gap or in the one before; empty for any
    reason: str


class Gap(NamedTuple):
    """Lines that no test reaches, with none between them that one does."""

    file: str
    first: int
    last: int
    count: int
    reason: str  # "" for none


def reasons() -> list[Reason]:
    """Read reasons.csv."""
    with REASONS.open(newline="") as file:
        return [Reason(row["file"], row["text"], row["reason"]) for row in csv.DictReader(file)]


def reason_of(file: str, lines: list[str], known: list[Reason]) -> str:
    """Return the first reason that fits a gap; empty for none."""
    fits = (r for r in known if fnmatch(file, r.file) and (not r.text or any(re.search(r.text, x) for x in lines)))
    return next((r.reason for r in fits), "")


def gaps_of(file: str, measured: Measured, known: list[Reason], root: Path = REPOSITORY) -> list[Gap]:
    """Group the missed lines of a file."""
    if not measured.missed:
        return []
    text = (root / file).read_text().splitlines()
    groups: list[list[int]] = []
    for line in measured.missed:
        between = text[groups[-1][-1] : line - 1] if groups else ["code"]
        if all(re.fullmatch(r"\s*(//.*|#.*|[{}();]*)", x) for x in between):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [Gap(file, g[0], g[-1], len(g), reason_of(file, text[max(g[0] - 2, 0) : g[-1]], known)) for g in groups]


def folder_of(file: str) -> str:
    """Return the folder that a file is counted in."""
    parts = Path(file).parts[:-1]
    return "/".join(parts[: 4 if parts[:3] == ("cpp", "src", "backend") else 3])


def percent(part: int, whole: int) -> str:
    """Return a share in per cent."""
    return f"{100 * part / whole:.1f}" if whole else "-"


def row(name: str, files: list[Measured]) -> list[str]:
    """Return a row of the table of folders."""
    lines, reached = sum(m.lines for m in files), sum(m.reached for m in files)
    ways, taken = sum(m.branches for m in files), sum(m.branches_reached for m in files)
    return [name, str(len(files)), f"{lines:,}", percent(reached, lines), f"{ways:,}", percent(taken, ways)]


def without_lines(files: dict[str, Measured]) -> list[str]:
    """List the sources that nothing measured compiles, or that hold no code of their own."""
    there = {
        str(path.relative_to(REPOSITORY))
        for folder, patterns in SOURCES.items()
        for pattern in patterns
        for path in (REPOSITORY / folder).rglob(pattern)
    }
    has_code = re.compile(r"\b(return|GASPIPE_TASK)\b")
    return sorted(name for name in there - set(files) if has_code.search((REPOSITORY / name).read_text()))


def write(files: dict[str, Measured], failed: list[str]) -> tuple[str, list[str]]:
    """Return the report, and what the bar does not allow."""
    known, faults = reasons(), []
    heads = ["folder", "files", "lines", "reached %", "branches", "taken %"]
    native = {f: m for f, m in files.items() if not f.startswith("python/")}
    python = {f: m for f, m in files.items() if f.startswith("python/")}
    rows = []
    for title, part in (("**cpp/ and hls/**", native), ("**python/**", python)):
        if not part:
            continue
        rows.append(row(title, list(part.values())))
        if title.startswith("**cpp"):
            rows += [row(f"**{top}/**", [m for f, m in part.items() if f.startswith(f"{top}/")]) for top in SOURCES]
        for folder in sorted({folder_of(f) for f in part}):
            rows.append(row(folder, [m for f, m in part.items() if folder_of(f) == folder]))
        reached, lines = sum(m.reached for m in part.values()), sum(m.lines for m in part.values())
        if reached < BAR * lines:
            faults.append(
                f"{title.strip('*')}: {percent(reached, lines)} % of the lines are reached; at least 95 are asked for"
            )
    text = [table(heads, rows)]

    gaps = {f: gaps_of(f, m, known) for f, m in files.items()}
    low = sorted((m.reached / m.lines, f) for f, m in files.items() if m.reached < BAR * m.lines)
    text += ["", f"## Files below 95 % ({len(low)})", ""]
    named = [
        [
            f,
            percent(files[f].reached, files[f].lines),
            str(len(files[f].missed)),
            str(sum(g.count for g in gaps[f] if not g.reason)),
        ]
        for _, f in low
    ]
    text.append(table(["file", "reached %", "lines missed", "of them without a reason"], named) if named else "None.")
    faults += [f"{name}: {share} %, and {rest} lines have no reason" for name, share, _, rest in named if rest != "0"]

    text += ["", "## What is not reached, by reason", ""]
    by_reason: dict[str, list[Gap]] = {}
    for gap in (g for f in sorted(gaps) for g in gaps[f]):
        by_reason.setdefault(gap.reason, []).append(gap)
    for why in sorted(by_reason, key=lambda w: (not w, -sum(g.count for g in by_reason[w]))):
        part = by_reason[why]
        places: dict[str, list[str]] = {}
        for g in part:
            places.setdefault(g.file, []).append(str(g.first) if g.first == g.last else f"{g.first}-{g.last}")
        title = why or "No reason, in files that reach 95 % or are listed above"
        text.append(f"**{title}** ({sum(g.count for g in part):,} lines)\n")
        text += [f"- {file}: {', '.join(where)}" for file, where in places.items()]
        text.append("")
    used = set(by_reason)
    stale = [r for r in known if r.reason not in used]
    if stale:
        text += ["Reasons that no line needs any more: " + "; ".join(f"{r.file} ({r.reason})" for r in stale), ""]
    if native and (absent := without_lines(files)):
        text += ["## Sources without lines here", "", ", ".join(absent) + ".", ""]
    if failed:
        text += [f"Failed under coverage: {', '.join(failed)}.", ""]
    return "\n".join(text).rstrip(), faults
