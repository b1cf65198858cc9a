# SPDX-License-Identifier: Apache-2.0
"""The leaves that the kernels of two kinds of pipelines, and the apply after them, do not share with others."""

from __future__ import annotations

from leaf import BYTES, SUB, VALUES, Leaf, Memory, Stream, parts, read, written


def two_kinds_leaves() -> list[Leaf]:
    """Return them."""
    return [*_front(), *_gather(), *_parts()]


def _front() -> list[Leaf]:
    """What reads memory."""
    sub = "SubPartitionToken"
    found = []
    for kind, template, group, words, outputs in (
        ("plain", "", 1, 0, ()),
        ("weighted_4", "<U>", 4, 1, (written("near", "WordToken<U>"),)),
        ("weighted_8", "<L>", 4, 4, (written("near", "WordToken<L>"),)),
    ):
        names = (*(["weight_sub"] if outputs else []), "source_sub", "row_sub", "write_sub")
        found.append(
            Leaf(
                f"readEdgeList_{kind}",
                f"readEdgeList{template}(memory, n, {', '.join(names)}, edges{', near' if outputs else ''})",
                outputs=(*(written(n, sub) for n in names), written("edges", "WordToken<U>"), *outputs),
                scalars=(SUB,),
                memories=(Memory("memory", "U", f"random_edge_list({group}, {words}, random)"),),
            )
        )
    for value, bytes_ in BYTES.items():
        weights = f"WordToken<{value}>"
        found += [
            Leaf(
                f"groupCommands_{bytes_}",
                f"groupCommands<{value}>(n, in, out)",
                inputs=(
                    read(
                        "in",
                        "MarkedSources",
                        f"marked_lines<{value}>({parts('random_sources(800, random)')}).commands",
                    ),
                ),
                outputs=(written("out", "GroupRun"),),
                scalars=(SUB,),
            ),
            Leaf(
                f"lineFetchWeights_{bytes_}",
                f"lineFetch<{value}, {value}>(memory, n, subs, in, lines, weights)",
                inputs=(
                    read("subs", sub, "random_grouped(random)"),
                    read("in", "GroupRun", parts("random_group_runs(60, random)")),
                ),
                outputs=(written("lines", f"Word<{value}>"), written("weights", weights)),
                scalars=(SUB,),
                memories=(Memory("memory", "U", "random_words<U>(12000, random)"),),
            ),
            Leaf(
                f"joinWeights_{bytes_}",
                "joinWeights(n, near, far, out)",
                inputs=(
                    read("near", weights, f"random_weights<{value}>(all, near_words<{value}>(), random)"),
                    read("far", weights, f"random_weights<{value}>(all, far_words<{value}>(), random)"),
                ),
                outputs=(written("out", weights),),
                scalars=(SUB,),
                data="const auto all = random_grouped(random);",
            ),
            Leaf(
                f"lineFetch_{bytes_}",
                f"lineFetch<{value}>(memory, n, in, out)",
                inputs=(read("in", "LineRun", parts("random_runs(80, random)")),),
                outputs=(written("out", f"Word<{value}>"),),
                scalars=(SUB,),
                memories=(Memory("memory", "U", "random_words<U>(10000, random)"),),
            ),
            Leaf(
                f"splitLanes_{bytes_}",
                "splitLanes(n, s, in, out)",
                lanes=16,
                inputs=(
                    read("s", sub, "random_sub_partitions(random)"),
                    read("in", f"UpdateSet<{value}, 16>", parts(f"random_sets<{value}, 16>(600, random)")),
                ),
                outputs=(Stream("out", f"MarkedUpdate<{value}>", count=16),),
                scalars=(SUB,),
            ),
        ]
    return found


def _gather() -> list[Leaf]:
    """From rows' updates to words of memory."""
    found = []
    cleared = ("cleared", "std::uint32_t")
    for program in ("bfs", "sssp64"):
        v = VALUES[program]
        for name, call, rows, out in (
            ("gatherBank", "gatherBank<Hooks, 16, 1 << 12, 0>", f"rows_per_pe<{v}, 16>(0, 4096)", f"UramWord<{v}>"),
            ("gatherCopy", "gatherCopy<Hooks, 1 << 12, 0>", f"rows_per_pe<{v}, 4>(0, 4096)", f"RowGroup<{v}>"),
        ):
            more = 2 if name == "gatherCopy" else 1  # groups are sent, of which half as many as rows are asked for
            found.append(
                Leaf(
                    f"{name}_{program}",
                    f"{call}(n, cleared, in, out)",
                    lanes=16,
                    inputs=(
                        read(
                            "in",
                            f"MarkedRow<{v}>",
                            parts(f"with_updates(random_rows<{v}>(2400, {more} * {rows}, random))"),
                        ),
                    ),
                    outputs=(written("out", out),),
                    scalars=(SUB, (*cleared, rows)),
                    program=program,
                )
            )
        found.append(
            Leaf(
                f"mergeCopies_{program}",
                "mergeCopies<Hooks>(n, s, in, subs, out)",
                lanes=16,
                inputs=(
                    read("s", "SubPartitionToken", "all"),
                    Stream("in", f"RowGroup<{v}>", count=16, each=f"random_groups_of<{v}>(all, random)"),
                ),
                outputs=(written("subs", "SubPartitionToken"), written("out", f"Word<{v}>")),
                scalars=(SUB,),
                data="const auto all = random_sub_partitions(random);",
                program=program,
            )
        )
    for v, bytes_ in BYTES.items():
        found.append(
            Leaf(
                f"writeWords_{bytes_}",
                "writeWords(n, s, in, memory)",
                inputs=(
                    read("s", "SubPartitionToken", "all"),
                    read("in", f"Word<{v}>", f"random_words<{v}>(num_words<{v}>(all), random)"),
                ),
                scalars=(SUB,),
                memories=(Memory("memory", v, f"random_words<{v}>(8000, random)", is_written=True),),
                data="const auto all = random_sub_partitions(random);",
            )
        )
    return found


def _parts() -> list[Leaf]:
    """What pipelines and apply exchange."""
    found = []
    for value, bytes_ in BYTES.items():
        found += [
            Leaf(
                f"readParts_{bytes_}",
                f"readParts<{value}>(memory, n, num_vertices, out)",
                outputs=(written("out", "PartToken"),),
                scalars=(SUB, ("num_vertices", "VertexId", "90001")),
                memories=(Memory("memory", "U", "random_descriptors(random)"),),
            ),
            Leaf(
                f"passRange_{bytes_}",
                "passRange(first, last, in, out)",
                inputs=(read("in", f"Word<{value}>", f"random_words<{value}>({-(-3001 // (64 // bytes_))}, random)"),),
                outputs=(written("out", f"Word<{value}>"),),
                scalars=(("first", "VertexId", "0"), ("last", "VertexId", "3001")),
            ),
        ]
    for program in ("bfs", "sssp64"):
        v = VALUES[program]
        found.append(
            Leaf(
                f"sendParts_{program}",
                "sendParts<Hooks>(n, memory, in, out)",
                inputs=(read("in", "PartToken", "random_parts(random)"),),
                outputs=(written("out", f"Word<{v}>"),),
                scalars=(SUB,),
                memories=(Memory("memory", v, f"random_words<{v}>(4000, random)"),),
                program=program,
            )
        )
    return found
