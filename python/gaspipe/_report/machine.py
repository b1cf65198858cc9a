# SPDX-License-Identifier: Apache-2.0
"""Sections of a report about parts of the machine: PEs, memory, the board, domains, disks and local stores.

As all sections, they take the run, the runs of the page and a prefix of ids, and return nothing where there is nothing
to tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .columns import Series, chart
from .markup import Bar, Cell, bar, count, details, duration, facts, legend, percent, seconds, short, size, table, text

if TYPE_CHECKING:
    from .subject import Subject


def pes(run: Subject, runs: Sequence[Subject], prefix: str) -> str:
    """Updates of the PEs, edges and time of the units."""
    p = run.prediction
    if p is None:
        return ""
    parts = []
    rows: list[list[Any]]
    if len(p.pe_updates) and p.pe_updates.any():
        updates = p.pe_updates.astype(float)
        most = max(float(r.prediction.pe_updates.max(initial=0)) for r in runs if r.prediction is not None)
        title = f"Updates that each PE took; the busiest took {p.pe_load:.3g} times the mean"
        parts.append(f"<p>{text(title)}.</p>")
        series = [Series("updates", "c-1", updates)]
        line = (float(updates.mean()), "mean")
        parts.append(
            chart(title, "PE", series, short, most=most, line=line, wide=len(runs) == 1, identity=f"{prefix}pe")
        )
        parts.append(legend([("c-1", "updates of a PE"), ("k-level", f"mean, {short(updates.mean())}")]))
        rows = [
            [count(k), count(u), Cell(f"{u / updates.mean():.3f}", u / updates.mean())] for k, u in enumerate(updates)
        ]
        parts.append(
            details("PEs as a table", table("Updates by PE, predicted", ["PE", "updates", "of the mean"], rows))
        )
    if p.units:
        rows = [
            [
                "apply kernel" if u["unit"] < 0 else f"unit {u['unit']}",
                count(u["edges"]),
                Cell(size(u["bytes"]), float(u["bytes"])),
                seconds(u["busy_seconds"]),
                bar(u["busy_seconds"] / p.seconds if p.seconds else 0.0),
            ]
            for u in p.units
        ]
        heads = ["unit", "edges", "bytes", "at work", "share of the time"]
        parts.append(table("Compute units, predicted", heads, rows))
    return "".join(parts)


def memory(run: Subject, _: Sequence[Subject], __: str) -> str:
    """Memory channels and ports: bytes, and share of what they could carry."""
    p, parts = run.prediction, []
    rows: list[list[Any]]
    if p is not None and p.channels:
        each = p.peak_bytes_per_second / len(p.channels)
        rows = []
        for k, channel in enumerate(p.channels):
            peak = channel["bytes"] / (each * p.seconds) if each * p.seconds else 0.0
            busy = channel["busy_seconds"] / p.seconds if p.seconds else 0.0
            rows.append([f"channel {k}", Cell(size(channel["bytes"]), float(channel["bytes"])), bar(peak), bar(busy)])
        heads = ["channel", "bytes", "share of its peak", "busy, share of the time"]
        title = f"Memory channels, predicted; a channel's peak is {each / 1e9:.4g} GB/s"
        parts.append(table(title, heads, rows))
    blocks = run.stats.blocks if run.stats is not None else None
    if blocks is not None and len(blocks.ports):
        rows = [
            [
                str(port["name"]),
                count(port["beats"]),
                Cell(f"{port['bytes_per_edge']:.2f}", float(port["bytes_per_edge"])),
                bar(float(port["share"])),
            ]
            for port in blocks.ports
        ]
        heads = ["port", "beats of 64 bytes", "bytes per edge", "share of its limit"]
        parts.append(table(f"Ports of {blocks.kernel}, predicted", heads, rows))
    if run.chain is not None and run.chain.ports:
        rows = [
            [name, Cell(size(port["bytes_read"]), port["bytes_read"]), Cell(size(port["bytes_written"]),
             port["bytes_written"]), count(port["beats"]), bar(port["share"])]
            for name, port in run.chain.ports.items()
        ]  # fmt: skip
        heads = ["array", "read", "written", "beats of 64 bytes", "share of its bank"]
        parts.append(table("Arrays of the chain, predicted", heads, rows))
    return "".join(parts)


def resources(run: Subject, _: Sequence[Subject], __: str) -> str:
    """Blocks and LUTs of the chip, and how many the board has."""
    p = run.prediction
    if p is None:
        return ""
    rows = []
    for name, title in (("uram", "URAM"), ("bram", "BRAM"), ("luts", "LUTs, estimated")):
        used, available = p.resources[name], p.resources[f"{name}_available"]
        drawn: Any = bar(used / available, percent(used / available)) if available else "not known for this board"
        if name == "luts" and not used:
            continue  # no estimate
        rows.append([title, count(used), count(available) if available else Cell("-", 0.0), drawn])
    return table(
        f"Chip of {p.board}: blocks counted from the declarations, LUTs by open synthesis, more than Vivado's",
        ["kind", "used", "available", "share of the budget"],
        rows,
    )


def domains(run: Subject, runs: Sequence[Subject], _: str) -> str:
    """Ranks and domains: what each computed and exchanged."""
    if run.stats is None or not run.stats.domains:
        return ""
    parts = ("computing", "exchanging", "waiting")

    def times(domain: Any) -> list[float]:
        return [float(domain.supersteps[f"{part}_seconds"].sum()) for part in parts]

    most = max(sum(times(d)) for r in runs if r.stats is not None for d in r.stats.domains) or 1.0
    rows = []
    for d in run.stats.domains:
        own = times(d)
        drawn = Bar(
            tuple((t / most, f"c-{k + 1}", f"{part} {duration(t)}") for k, (part, t) in enumerate(zip(parts, own))),
            duration(sum(own)),
            sum(own),
        )
        rows.append(
            [
                f"{d.rank} ({d.device})",
                *map(count, (d.num_vertices, d.num_ghosts, d.num_edges)),
                *(Cell(size(b), float(b)) for b in (d.bytes_sent, d.bytes_received)),
                *map(seconds, own),
                drawn,
            ]
        )
    heads = ["domain", "vertices", "ghosts", "edges", "sent", "received", *parts, "time"]
    title = "Domains, measured: bytes in super-steps, without the first exchange"
    return table(title, heads, rows) + legend([(f"c-{k + 1}", part) for k, part in enumerate(parts)])


def reads(run: Subject, _: Sequence[Subject], __: str) -> str:
    """Edges read from a file, bytes to and from a card."""
    if run.stats is None:
        return ""
    s, parts = run.stats, []
    if s.stream is not None:
        read, disk = s.stream["bytes_read"], s.stream["bytes_from_disk"]
        of_read = disk / read if read else 0.0
        rows = [
            ["edges read", Cell(size(read), float(read)), bar(1.0 if read else 0.0)],
            ["from the disk", Cell(size(disk), float(disk)), bar(of_read)],
            ["from what was kept or cached", Cell(size(max(read - disk, 0)), float(read - disk)), bar(1 - of_read)],
        ]
        parts.append(table("Streamed reads, measured", ["what", "bytes", "share"], rows, sortable=False))
        told = {key: value for key, value in s.stream.items() if key not in ("bytes_read", "bytes_from_disk")}
        shown = [(key.replace("_", " "), size(v) if key == "memory" else f"{v}") for key, v in told.items()]
        parts.append(facts(shown))
    if s.bytes_to_card or s.bytes_from_card:
        rows = [
            ["to the card", Cell(size(s.bytes_to_card), float(s.bytes_to_card))],
            ["of it edges", Cell(size(s.edge_bytes_uploaded), float(s.edge_bytes_uploaded))],
            ["from the card", Cell(size(s.bytes_from_card), float(s.bytes_from_card))],
        ]
        parts.append(table("Moved between host and card, measured", ["what", "bytes"], rows, sortable=False))
    return "".join(parts)


def stores(run: Subject, runs: Sequence[Subject], prefix: str) -> str:
    """Workers with local stores, on the CPU or as PEs."""
    if run.stats is None:
        return ""
    profile, array, parts = run.stats.local_store, run.stats.pe_array, []
    if profile is not None:
        total = sum(profile.step_seconds.values()) + profile.stall_seconds or 1.0
        steps = {**profile.step_seconds, "stall": profile.stall_seconds}
        rows = [[name.replace("_", " "), seconds(v), bar(v / total, percent(v / total))] for name, v in steps.items()]
        title = f"Steps of {profile.workers} workers with {size(profile.local_store_bytes)} each, measured"
        parts.append(table(title, ["step", "time of all", "share"], rows))
        heads = ["worker", "periods", "edges", "messages", "vertices marked", "bytes used"]
        names = ("periods", "edges", "messages", "vertices", "used_bytes")
        rows = [[count(k), *(count(w[name]) for name in names)] for k, w in enumerate(profile.by_worker)]
        parts.append(details("Workers as a table", table("Workers, measured", heads, rows)))
    if array is not None and len(array.step_cycles):
        series = [Series("cycles", "c-1", array.step_cycles.astype(float))]
        title = f"Cycles of every {array.step} on {array.workers} PEs, predicted"
        parts.append(chart(title, array.step, series, short, wide=len(runs) == 1, identity=f"{prefix}lc"))
        rows = [[count(k), count(c)] for k, c in enumerate(array.step_cycles)]
        parts.append(details(f"{array.step.title()}s as a table", table(title, [array.step, "cycles"], rows)))
    return "".join(parts)


def launches(run: Subject, runs: Sequence[Subject], _: str) -> str:
    """Kernels that a profile has started, by unit, and what the host moved in each super-step."""
    profile = run.launches
    if profile is None or not len(profile.kernels):
        return ""
    most = max(own["seconds"] for r in runs if r.launches is not None for own in r.launches.units.values()) or 1.0
    rows = [
        [
            "apply kernel" if unit < 0 else f"unit {unit}",
            count(own["runs"]),
            count(own["cycles"]),
            seconds(own["seconds"]),
            bar(own["seconds"] / most, duration(own["seconds"])),
        ]
        for unit, own in profile.units.items()
    ]
    heads = ["unit", "runs", "cycles, predicted", "at work", "on the host's clock"]
    steps = [
        [count(s["step"]), *(Cell(size(s[name]), float(s[name])) for name in ("bytes_to_card", "bytes_from_card")),
         "yes" if s["verified"] else ""]
        for s in profile.supersteps
    ]  # fmt: skip
    moved = table("Super-steps of the profile", ["super-step", "to the card", "from the card", "verified"], steps)
    return table("Kernels that were started, measured", heads, rows) + details("Super-steps as a table", moved)


def calls(run: Subject, runs: Sequence[Subject], prefix: str) -> str:
    """Calls of a frontier program, together by functor and one by one."""
    told = run.calls
    if told is None or not len(told):
        return ""
    total = float(told["seconds"].sum()) or 1.0
    names = list(zip(told["call"], told["functor"]))
    rows = []
    for name in dict.fromkeys(names):
        own = told[[each == name for each in names]]
        took = float(own["seconds"].sum())
        sums = (len(own), own["vertices"].sum(), own["reached"].sum())
        rows.append([*name, *map(count, sums), seconds(took), bar(took / total)])
    heads = ["call", "functor", "calls", "vertices", "reached", "time", "share"]
    shown = table("Calls by functor, measured", heads, rows)
    for title, column, show in (("Time of every call", "seconds", duration), ("Vertices", "vertices", short)):
        values = told[column].astype(float)
        most = max(float(r.calls[column].max(initial=0)) for r in runs if r.calls is not None)
        series = [Series(column, "c-1", values)]
        shown += f"<h3>{title}</h3>"
        shown += chart(title, "call", series, show, most=most, wide=len(runs) == 1, identity=f"{prefix}{column}")
    each = [
        [count(k), str(c["call"]), str(c["functor"]), count(c["vertices"]), count(c["reached"]), seconds(c["seconds"])]
        for k, c in enumerate(told)
    ]
    heads = ["number", "call", "functor", "vertices", "reached", "time"]
    return shown + details("Calls as a table", table("Calls, measured", heads, each))
