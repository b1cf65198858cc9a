# SPDX-License-Identifier: Apache-2.0
"""The leaves: the tasks of the kernels, the programs and widths it is tried with, and the tokens it gets.

A leaf is a function template called with constants; what is written once here becomes an `extern "C"` function (the
circuit), a call in the emulator, and a testbench (`bench.py`).
"""

from __future__ import annotations

from dataclasses import replace

from block_leaves import block_leaves
from delta_leaves import delta_leaves
from leaf import BYTES, IDS, VALUES, Leaf, Memory, Stream, read, written
from local_store_leaves import local_store_leaves
from packed_leaves import packed_leaves
from pull_leaves import pull_leaves
from two_kinds_leaves import two_kinds_leaves
from whole_word_leaves import whole_word_leaves


def leaves() -> list[Leaf]:
    """Return all leaves."""
    kernels = {
        "gather_scatter": [*_front(), *_shuffle(), *_gather()],
        "packed_gather_scatter": packed_leaves(),
        "two_kinds": two_kinds_leaves(),
        "apply": _apply(),
        "whole_word": whole_word_leaves(),
        "local_store_bfs": local_store_leaves(),
        "pull_bfs": pull_leaves(),
        "delta_stepping": delta_leaves(),
        "graphops": block_leaves(),
    }
    return [replace(leaf, kernel=kernel) for kernel, found in kernels.items() for leaf in found]


def _front() -> list[Leaf]:
    """From memory to updates, plain."""
    found = [
        Leaf(
            "burstRead",
            "burstRead<VertexId>(first, last, memory, out)",
            outputs=(written("out", IDS),),
            scalars=(("first", "std::uint32_t", "3"), ("last", "std::uint32_t", "2003")),
            memories=(Memory("memory", "VertexId", "random_words<VertexId>(2003, random)"),),
        ),
    ]
    for value, bytes_ in BYTES.items():
        found += [
            Leaf(
                f"markLines_{bytes_}",
                f"markLines<{value}>(in, a, b)",
                inputs=(read("in", IDS, "random_sources(4000, random)"),),
                outputs=(written("a", "MarkedSources"), written("b", "SourcePlaces")),
            ),
            Leaf(
                f"lineCommands_{bytes_}",
                f"lineCommands<{value}>(in, out)",
                inputs=(read("in", "MarkedSources", f"marked_lines<{value}>(random_sources(4000, random)).commands"),),
                outputs=(written("out", "LineRun"),),
            ),
            Leaf(
                f"lineRead_{bytes_}",
                f"lineRead<{value}>(memory, in, out)",
                inputs=(read("in", "LineRun", "random_runs(300, random)"),),
                outputs=(written("out", f"Word<{value}>"),),
                memories=(Memory("memory", value, f"random_words<{value}>(40000, random)"),),
            ),
        ]
    for program, lanes in (("bfs", 8), ("bfs", 16), ("sssp64", 8), ("sssp64", 16), ("pagerank", 8)):
        v = VALUES[program]
        found.append(
            Leaf(
                f"fetchSources_{program}_{lanes}",
                f"fetchSources<Hooks, {lanes}>(s, l, out)",
                lanes=lanes,
                inputs=(
                    read("s", "SourcePlaces", f"marked_lines<{v}>(sources).places"),
                    read("l", f"Word<{v}>", f"lines_of<{v}>(sources, random)"),
                ),
                outputs=(written("out", f"SourceToken<{v}, {lanes}>"),),
                data="const auto sources = random_sources(4000, random);",
                program=program,
            )
        )
    for program, lanes in (("bfs", 8), ("bfs", 16), ("pagerank", 8)):
        v = VALUES[program]
        found.append(
            Leaf(
                f"propProcess_{program}_{lanes}",
                f"propProcess<Hooks, {lanes}>(a, b, out)",
                lanes=lanes,
                inputs=(
                    read("a", f"SourceToken<{v}, {lanes}>", f"random_properties<{v}, {lanes}>(4000, random)"),
                    read("b", IDS, f"random_sources(4000 * {lanes} / 16, random)"),
                ),
                outputs=(written("out", f"UpdateSet<{v}, {lanes}>"),),
                program=program,
            )
        )
    for program, lanes in (("sssp", 8), ("sssp", 16), ("sssp64", 8), ("sssp64", 16)):
        v = VALUES[program]
        found.append(
            Leaf(
                f"propProcessWeighted_{program}_{lanes}",
                f"propProcess<Hooks, {lanes}>(a, b, w, out)",
                lanes=lanes,
                inputs=(
                    read("a", f"SourceToken<{v}, {lanes}>", f"random_properties<{v}, {lanes}>(4000, random)"),
                    read("b", IDS, f"random_sources(4000 * {lanes} / 16, random)"),
                    read("w", f"WordToken<{v}>", f"random_word_tokens<{v}>(4000 * {lanes} / Word<{v}>::kSize, random)"),
                ),
                outputs=(written("out", f"UpdateSet<{v}, {lanes}>"),),
                program=program,
            )
        )
    return found


def _shuffle() -> list[Leaf]:
    """From sets of updates to the updates of a PE, plain."""
    found = []
    for lanes, pes, v in ((8, 8, "U"), (16, 16, "U"), (8, 8, "L")):
        key = f"{BYTES[v]}_{lanes}"
        updates = f"UpdateSet<{v}, {lanes}>"
        found += [
            Leaf(
                f"broadcast_{key}",
                f"broadcast<{pes}>(in, out)",
                lanes=lanes,
                inputs=(read("in", updates, f"random_sets<{v}, {lanes}>(3000, random)"),),
                outputs=(Stream("out", updates, count=pes),),
            ),
            Leaf(
                f"shuffleDecoder_{key}",
                f"shuffleDecoder<{lanes}, {pes}>(3, in, out)",
                lanes=lanes,
                inputs=(read("in", updates, f"random_sets<{v}, {lanes}>(8000, random)"),),
                outputs=(written("out", f"ListedSet<{v}, {lanes}>"),),
            ),
            Leaf(
                f"tupleFilter_{key}",
                f"tupleFilter<{lanes}>(in, out)",
                lanes=lanes,
                inputs=(read("in", f"ListedSet<{v}, {lanes}>", f"random_listed<{v}, {lanes}>(4000, random)"),),
                outputs=(written("out", f"UpdateToken<{v}>"),),
            ),
        ]
    return found


def _gather() -> list[Leaf]:
    """From a PE's updates to words of memory, plain."""
    found = []
    for program in ("bfs", "pagerank", "sssp64", "slow"):
        v = VALUES[program]
        token = f"UpdateToken<{v}>"
        found.append(
            Leaf(
                f"rawSolver_{program}",
                "rawSolver<Hooks>(in, out)",
                inputs=(read("in", token, f"random_updates<{v}>(12000, 40, 8, random)"),),
                outputs=(written("out", token),),
                program=program,
            )
        )
        if program == "slow":
            continue  # the solver alone differs
        found.append(
            Leaf(
                f"dstPropertyProcess_{program}",
                "dstPropertyProcess<Hooks, 8, 1 << 13>(3, first, last, in, out)",
                inputs=(read("in", token, f"apart(random_updates<{v}>(12000, 4096, 8, random))"),),
                outputs=(written("out", v),),
                scalars=(("first", "VertexId", "0"), ("last", "VertexId", "4096")),
                program=program,
            )
        )
    for v, bytes_ in BYTES.items():
        found += [
            Leaf(
                f"collect_{bytes_}_{pes}",
                f"collect<{v}, {pes}>(first, last, in, out)",
                lanes=pes,
                inputs=(
                    Stream("in", v, count=pes, each=f"random_values<{v}>(values_per_pe<{v}, {pes}>(16, 4099), random)"),
                ),
                outputs=(written("out", f"WordToken<{v}>"),),
                scalars=(("first", "VertexId", "16"), ("last", "VertexId", "4099")),
            )
            for pes in (8, 16)
        ]
        found.append(
            Leaf(
                f"writeBack_{bytes_}",
                f"writeBack<{v}>(first, memory, in)",
                inputs=(read("in", f"WordToken<{v}>", f"random_word_tokens<{v}>(1000, random)"),),
                scalars=(("first", "std::uint32_t", "5"),),
                memories=(Memory("memory", v, f"random_words<{v}>(1100, random)", is_written=True),),
            )
        )
    return found


def _apply() -> list[Leaf]:
    """The apply kernel."""
    n = ("n", "std::uint32_t", "1000")
    found = []
    for v, bytes_ in BYTES.items():
        word = f"Word<{v}>"
        found += [
            Leaf(
                f"burstReadLite_{bytes_}",
                f"burstReadLite<{v}>(first, last, memory, out)",
                outputs=(written("out", word),),
                scalars=(("first", "std::uint32_t", "3"), ("last", "std::uint32_t", "1003")),
                memories=(Memory("memory", v, f"random_words<{v}>(1003, random)"),),
            ),
            Leaf(
                f"writeBackLite_{bytes_}",
                f"writeBackLite<{v}>(first, last, memory, in)",
                inputs=(read("in", word, f"random_words<{v}>(1000, random)"),),
                scalars=(("first", "std::uint32_t", "3"), ("last", "std::uint32_t", "1003")),
                memories=(Memory("memory", v, f"random_words<{v}>(1100, random)", is_written=True),),
            ),
            Leaf(
                f"cuDuplicate_{bytes_}",
                f"cuDuplicate<{v}>(in, n, 4, out)",
                inputs=(read("in", word, f"random_words<{v}>(1000, random)"),),
                outputs=(Stream("out", word, count=4),),
                scalars=(n,),
            ),
        ]
    for program in ("bfs", "pagerank", "sssp64"):
        v = VALUES[program]
        word = f"Word<{v}>"
        found.append(
            Leaf(
                f"cuMerge_{program}",
                "cuMerge<Hooks>(a, b, n, out)",
                inputs=(
                    read("a", word, f"random_words<{v}>(1000, random)"),
                    read("b", word, f"random_words<{v}>(1000, random)"),
                ),
                outputs=(written("out", word),),
                scalars=(n,),
                program=program,
            )
        )
        num = ("num", "std::uint32_t", "5003")
        words = f"random_words<{v}>((5003 + Word<{v}>::kSize - 1) / Word<{v}>::kSize, random)"
        aux = (Stream("x", word, count=2, each=words),) if program == "pagerank" else ()
        args = ("base", "damping") if program == "pagerank" else ("arg",)
        arg = ", ".join(args) if len(args) == 1 else f"{{{', '.join(args)}}}"
        found.append(
            Leaf(
                f"applyProcess_{program}",
                f"applyProcess<Hooks>(num, {arg}, g, p, {'x, ' if aux else ''}out, sums)",
                inputs=(read("g", word, words), read("p", word, words), *aux),
                outputs=(written("out", word), written("sums", "ResultWord")),
                scalars=(num, *((a, "unsigned", "1000000007") for a in args)),
                program=program,
            )
        )
    found.append(
        Leaf(
            "writeSums",
            "writeSums<5>(in, memory)",
            inputs=(read("in", "ResultWord", "random_words<std::uint64_t>(5, random)"),),
            memories=(Memory("memory", "std::uint64_t", "random_words<std::uint64_t>(8, random)", is_written=True),),
        )
    )
    return found
