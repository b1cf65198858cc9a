# SPDX-License-Identifier: Apache-2.0
"""Tables, bars and the page of results."""

from __future__ import annotations

from typing import Any, Callable

from machine import table

Row = dict[str, Any]
BAR_RANKS, BAR_EXCHANGE, BAR_GRAPHX, BAR_GEMINI = 0.8, 2.0, 5.0, 1.0


def shares(parts: dict[str, float]) -> str:
    total = sum(parts.values()) or 1.0
    return " / ".join(f"{100 * part / total:.0f}" for part in parts.values())


RANKS: dict[str, Callable[[Row], str]] = {
    "algorithm": lambda row: row["algorithm"],
    "ranks": lambda row: str(row["ranks"]),
    "one process [ms]": lambda row: str(row["one process"]),
    "ranks [ms]": lambda row: str(row["of ranks"]),
    "one process / ranks": lambda row: f"{row['ratio']:.2f}",
    "MB sent": lambda row: f"{row['bytes'] / 1e6:,.1f}",
    "computing / exchanging / waiting [%]": lambda row: shares(row["parts"]),
}
EXCHANGE: dict[str, Callable[[Row], str]] = {
    "ranks": lambda row: str(row["ranks"]),
    "MPI alone, mean (median) [us]": lambda row: f"{row['bare']:.1f} ({row['bare median']:.1f})",
    "super-step of BFS, mean (exchange, median) [us]": lambda row: f"{row['bfs']:.1f} ({row['bfs exchange']:.1f})",
    "of PageRank": lambda row: f"{row['pagerank']:.1f} ({row['pagerank exchange']:.1f})",
    "BFS / MPI, means": lambda row: f"{row['ratio']:.2f}",
    "exchange / MPI, medians": lambda row: f"{row['bfs exchange'] / row['bare median']:.2f}",
    "others' CPU [%]": lambda row: f"{100 * row['others']:.0f}",
}


def of_peer(peer: str) -> dict[str, Callable[[Row], str]]:
    return {
        "graph": lambda row: row["graph"],
        "algorithm": lambda row: row["algorithm"],
        f"{peer} [ms]": lambda row: str(row["peer"]),
        "gaspipe [ms]": lambda row: str(row["of ranks"]),
        f"{peer} / gaspipe": lambda row: f"{row['ratio']:.2f}",
        "its answer": lambda row: row["checked"],
    }


def shown(columns: dict[str, Callable[[Row], str]], rows: list[Row]) -> str:
    return table(list(columns), [[cell(row) for cell in columns.values()] for row in rows])


def verdict(what: str, value: float | None, bar: float, at_most: bool = False) -> str:
    """Say whether the worst cell reaches a bar."""
    if value is None:
        return f"{what}: not measured (bar: {bar})"
    is_reached = value <= bar if at_most else value >= bar
    text = f"{what}: {value:.2f} (bar: {'at most' if at_most else 'at least'} {bar})"
    return text if is_reached else f"{text}, NOT REACHED"


def verdicts(found: dict[str, list[Row]]) -> list[str]:
    """Every bar, and the worst cell that counts for it."""

    def worst(section: str, counts: Callable[[Row], bool], of: Callable[..., float] = min) -> float | None:
        return of((row["ratio"] for row in found[section] if counts(row)), default=None)

    at_bar = [
        verdict(
            f"2 ranks, {name}",
            worst("ranks", lambda row, n=name: row["ranks"] == 2 and n in row["algorithm"]),
            BAR_RANKS,
        )
        for name in ("pagerank", "bfs")
    ]
    return [
        *at_bar,
        verdict(
            "a super-step of 2 ranks with empty boxes / MPI alone",
            worst("exchange", lambda row: row["ranks"] == 2, max), BAR_EXCHANGE, at_most=True,
        ),
        verdict("GraphX / gaspipe, the least", worst("graphx", lambda row: True), BAR_GRAPHX),
        verdict("Gemini / gaspipe, the least", worst("gemini", lambda row: True), BAR_GEMINI),
    ]  # fmt: skip


def sections(found: dict[str, list[Row]], absent: dict[str, str], what: dict[str, Any]) -> list[str]:
    """Return the tables, each under its heading."""
    large, steps, cores = f"Kronecker {what['scale']}", what["steps"], what["cores"]
    texts = [
        f"## Ranks beside one process\n\n{large}, {what['edges']:,} edges, PageRank of {steps['ranks']} super-steps. "
        f"One process has {cores} threads, a rank one.\n\n" + shown(RANKS, found["ranks"]),
        "## An exchange of nothing\n\nA path of 2000 vertices for each rank, no edge between them: a super-step of "
        "gaspipe with all that belongs to it, and mpi4py's `Alltoall` of counts and `Alltoallv` of nothing in the same "
        "processes.\n\n" + shown(EXCHANGE, found["exchange"]),
    ]
    about = {
        "graphx": f"Spark in local mode with {cores} threads; PageRank of {steps['graphx']} super-steps; BFS "
        "by Pregel, for GraphX has no call; one warm-up. gaspipe: 2 ranks with one thread each, PageRank in float64.",
        "gemini": f"2 ranks with one thread each, of the same MPI, both. PageRank of {steps['gemini']} super-steps in "
        "float64. Gemini's times are the `exec_time` that it prints, without the first.",
    }
    for section, peer in (("graphx", "GraphX"), ("gemini", "Gemini")):
        head = f"## Beside {peer}\n\n"
        if section in absent:
            texts.append(f"{head}Not measured: {absent[section]}")
        else:
            texts.append(f"{head}{about[section]}\n\n" + shown(of_peer(peer), found[section]))
    return texts


def page(command: str, found: dict[str, list[Row]], absent: dict[str, str], what: dict[str, Any], known: Row) -> str:
    """Return the page of results."""
    bars = "\n".join(f"- {line}" for line in verdicts(found))
    machine = "\n".join(f"- {key}: {value}" for key, value in known.items())
    return (
        "\n\n".join(
            [
                "# Ranks, and distributed engines",
                f"`{command}`, one run. Engine times in milliseconds, median (middle half); a star: other programs "
                "took CPU time in too many rounds. Sides take turns. Ratios above 1 are in favor of the ranks.",
                bars,
                *sections(found, absent, what),
                f"## The machine\n\n{machine}",
            ]
        )
        + "\n"
    )
