# SPDX-License-Identifier: Apache-2.0
"""The leaves of the packed gather-scatter kernel, sub-partition by sub-partition."""

from __future__ import annotations

from leaf import BYTES, IDS, SUB, VALUES, Leaf, Memory, Stream, parts, read, written


def packed_leaves() -> list[Leaf]:
    """Return them."""
    return [*_front(), *_shuffle(), *_gather()]


def _front() -> list[Leaf]:
    """From memory to updates, sub-partition by sub-partition."""
    sub = "SubPartitionToken"
    found = [
        Leaf(
            f"readSubPartitions_{kind}",
            f"readSubPartitions(memory, n, {', '.join(names)})",
            outputs=tuple(written(n, sub) for n in names),
            scalars=(("n", "std::uint32_t", "100"),),
            memories=(Memory("memory", "U", "random_words<U>(100, random)"),),
        )
        for kind, names in (
            ("weighted", ("edge_sub", "weight_sub", "source_sub", "row_sub", "write_sub")),
            ("plain", ("edge_sub", "source_sub", "row_sub", "write_sub")),
        )
    ]
    found += [
        Leaf(
            "readEdges",
            "readEdges(memory, n, in, out)",
            inputs=(read("in", sub, "random_sub_partitions(random)"),),
            outputs=(written("out", "WordToken<U>"),),
            scalars=(SUB,),
            memories=(Memory("memory", "U", "random_words<U>(4000, random)"),),
        ),
    ]
    for value, bytes_ in BYTES.items():
        found += [
            Leaf(
                f"decodeEdges_{bytes_}",
                f"decodeEdges<{value}>(n, s, in, a, b, c)",
                inputs=(
                    read("s", sub, "random_sub_partitions(random)"),
                    read("in", "WordToken<U>", parts("random_word_tokens<U>(800, random)")),
                ),
                outputs=(written("a", "MarkedSources"), written("b", "SourcePlaces"), written("c", IDS)),
                scalars=(SUB,),
            ),
            Leaf(
                f"readWeights_{bytes_}",
                f"readWeights<{value}>(memory, n, in, out)",
                inputs=(read("in", sub, "random_sub_partitions(random)"),),
                outputs=(written("out", f"WordToken<{value}>"),),
                scalars=(SUB,),
                memories=(Memory("memory", value, f"random_words<{value}>(8000, random)"),),
            ),
            Leaf(
                f"lineCommandsParts_{bytes_}",
                f"lineCommands<{value}>(n, in, out)",
                inputs=(
                    read(
                        "in",
                        "MarkedSources",
                        f"marked_lines<{value}>({parts('random_sources(800, random)')}).commands",
                    ),
                ),
                outputs=(written("out", "LineRun"),),
                scalars=(SUB,),
            ),
            Leaf(
                f"lineReadParts_{bytes_}",
                f"lineRead<{value}>(memory, n, in, out)",
                inputs=(read("in", "LineRun", parts("random_runs(80, random)")),),
                outputs=(written("out", f"Word<{value}>"),),
                scalars=(SUB,),
                memories=(Memory("memory", value, f"random_words<{value}>(10000, random)"),),
            ),
        ]
    for program, lanes in (("bfs", 16), ("sssp64", 16), ("bfs", 8)):
        v = VALUES[program]
        found.append(
            Leaf(
                f"fetchSourcesParts_{program}_{lanes}",
                f"fetchSources<Hooks, {lanes}>(n, s, l, out)",
                lanes=lanes,
                inputs=(
                    read("s", "SourcePlaces", f"marked_lines<{v}>(sources).places"),
                    read("l", f"Word<{v}>", f"lines_of<{v}>(sources, random)"),
                ),
                outputs=(written("out", f"SourceToken<{v}, {lanes}>"),),
                scalars=(SUB,),
                data="const auto sources = parts([&] { return random_sources(800, random); });",
                program=program,
            )
        )
    for program, lanes, weighted in (("bfs", 16, False), ("sssp", 16, True), ("sssp64", 16, True)):
        v = VALUES[program]
        weights = read(
            "w",
            f"WordToken<{v}>",
            parts(f"random_word_tokens<{v}>(800 * {lanes} / Word<{v}>::kSize, random)"),
        )
        found.append(
            Leaf(
                f"propProcessParts_{program}_{lanes}",
                f"propProcess<Hooks, {lanes}>(n, a, b, {'w, ' if weighted else ''}out)",
                lanes=lanes,
                inputs=(
                    read(
                        "a",
                        f"SourceToken<{v}, {lanes}>",
                        parts(f"random_properties<{v}, {lanes}>(800, random)"),
                    ),
                    read("b", IDS, parts(f"random_sources(800 * {lanes} / 16, random)")),
                    *((weights,) if weighted else ()),
                ),
                outputs=(written("out", f"UpdateSet<{v}, {lanes}>"),),
                scalars=(SUB,),
                program=program,
            )
        )
    return found


def _shuffle() -> list[Leaf]:
    """The same with marks, sub-partition by sub-partition."""
    found = []
    for lanes, pes, v in ((16, 16, "U"), (8, 8, "U"), (16, 16, "L")):
        key = f"{BYTES[v]}_{lanes}"
        updates = f"UpdateSet<{v}, {lanes}>"
        found += [
            Leaf(
                f"broadcastRows_{key}",
                f"broadcastRows<{pes}>(n, s, in, out)",
                lanes=lanes,
                inputs=(
                    read("s", "SubPartitionToken", "random_sub_partitions(random)"),
                    read("in", updates, parts(f"random_sets<{v}, {lanes}>(600, random)")),
                ),
                outputs=(Stream("out", updates, count=pes),),
                scalars=(SUB,),
            ),
            Leaf(
                f"shuffleDecoderParts_{key}",
                f"shuffleDecoder<{lanes}, {pes}>(3, n, in, out)",
                lanes=lanes,
                inputs=(read("in", updates, parts(f"marked(random_sets<{v}, {lanes}>(1600, random))")),),
                outputs=(written("out", f"MarkedSet<{v}, {lanes}>"),),
                scalars=(SUB,),
            ),
            Leaf(
                f"tupleFilterParts_{key}",
                f"tupleFilter<{lanes}>(n, in, out)",
                lanes=lanes,
                inputs=(
                    read(
                        "in",
                        f"MarkedSet<{v}, {lanes}>",
                        parts(f"random_marked_sets<{v}, {lanes}>(800, random)"),
                    ),
                ),
                outputs=(written("out", f"MarkedUpdate<{v}>"),),
                scalars=(SUB,),
            ),
        ]
    return found


def _gather() -> list[Leaf]:
    """From a PE's updates to rows and words of memory, sub-partition by sub-partition."""
    found = []
    for program, pes in (("bfs", 16), ("pagerank", 16), ("sssp64", 16), ("bfs", 8), ("slow", 16)):
        v = VALUES[program]
        key = f"{program}_{pes}"
        found.append(
            Leaf(
                f"rawSolverRows_{key}",
                f"rawSolver<Hooks, {pes}>(n, in, out)",
                lanes=pes,
                inputs=(
                    read(
                        "in",
                        f"MarkedUpdate<{v}>",
                        parts(f"random_marked<{v}>(2400, 40, {pes}, random)"),
                    ),
                ),
                outputs=(written("out", f"MarkedRow<{v}>"),),
                scalars=(SUB,),
                program=program,
            )
        )
        if program == "slow":
            continue  # the solver alone differs
        found.append(
            Leaf(
                f"gatherRows_{key}",
                f"gatherRows<Hooks, {pes}, 1 << 12, 0>(n, cleared, in, out)",
                lanes=pes,
                inputs=(
                    read(
                        "in",
                        f"MarkedRow<{v}>",
                        parts(f"random_rows<{v}>(2400, rows_per_pe<{v}, {pes}>(0, 4096), random)"),
                    ),
                ),
                outputs=(written("out", f"UramWord<{v}>"),),
                scalars=(SUB, ("cleared", "std::uint32_t", f"rows_per_pe<{v}, {pes}>(0, 4096)")),
                program=program,
            )
        )
    for v, pes in (("U", 16), ("L", 16), ("U", 8)):
        rows = f"UramWord<{v}>"
        found.append(
            Leaf(
                f"writeRows_{BYTES[v]}_{pes}",
                "writeRows(n, s, in, memory)",
                lanes=pes,
                inputs=(
                    read("s", "SubPartitionToken", "subs"),
                    Stream("in", rows, count=pes, each=f"random_rows_of<{v}, {pes}>(subs, random)"),
                ),
                scalars=(SUB,),
                memories=(Memory("memory", v, f"random_words<{v}>(8000, random)", is_written=True),),
                data="const auto subs = random_sub_partitions(random);",
            )
        )
    return found
