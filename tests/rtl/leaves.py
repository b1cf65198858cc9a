# SPDX-License-Identifier: Apache-2.0
"""The leaves: every task of every kernel, the programs and widths it is tried with, and the tokens it gets.

A leaf is a function template called with constants; what is written once here becomes an `extern "C"` function (the
circuit), a call in the emulator, and a testbench (`bench.py`). In texts, {N} is a number of tokens of a test.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

# Programs by the name that leaves carry: 32-bit integers, 64-bit integers, fixed point of 32 bits.
PROGRAMS = {
    "bfs": "gaspipe::algorithm::bfs::Hooks<std::uint32_t>",
    "sssp": "gaspipe::algorithm::sssp::Hooks<std::uint32_t>",
    "sssp64": "gaspipe::algorithm::sssp::Hooks<std::uint64_t>",
    "pagerank": "gaspipe::algorithm::pagerank::Hooks<gaspipe::Fixed<32>>",
}
VALUES = {"bfs": "U", "sssp": "U", "sssp64": "L", "pagerank": "U"}  # of properties, updates, weights
BYTES = {"U": 4, "L": 8}


@dataclass(frozen=True)
class Stream:
    """A FIFO of a leaf, or an array of them; what goes in is an expression that makes a vector of tokens."""

    name: str
    token: str
    tokens: str = ""  # "" for those that come out
    count: int = 0  # of an array
    each: str = ""  # of an array's element `i`, what goes in


@dataclass(frozen=True)
class Memory:
    """A pointer to words outside, with its words; those that a leaf writes are compared."""

    name: str
    value: str
    words: str
    is_written: bool = False


@dataclass(frozen=True)
class Leaf:
    """A task with all its constants."""

    name: str
    call: str
    inputs: tuple[Stream, ...] = ()
    outputs: tuple[Stream, ...] = ()
    scalars: tuple[tuple[str, str, str], ...] = ()  # name, type, value
    memories: tuple[Memory, ...] = ()
    data: str = ""  # statements before the tokens
    program: str = ""
    unused: tuple[Stream, ...] = ()  # streams of the call that the task does not touch


def _in(name: str, token: str, tokens: str) -> Stream:
    return Stream(name, token, tokens)


def _out(name: str, token: str) -> Stream:
    return Stream(name, token)


def leaves() -> list[Leaf]:
    """Return all leaves."""
    return [*_front(), *_packed_front(), *_shuffle(), *_packed_shuffle(), *_gather(), *_packed_gather(), *_apply()]


_IDS = "WordToken<VertexId>"
_SUB = ("n", "std::uint32_t", "kParts")  # number of sub-partitions


def _front() -> list[Leaf]:
    """From memory to updates, plain."""
    found = [
        Leaf(
            "burstRead",
            "burstRead<VertexId>(first, last, memory, out)",
            outputs=(_out("out", _IDS),),
            scalars=(("first", "std::uint32_t", "3"), ("last", "std::uint32_t", "2003")),
            memories=(Memory("memory", "VertexId", "random_words<VertexId>(2003, random)"),),
        ),
        Leaf(
            "duplicateSources",
            "duplicateSources(in, a, b)",
            inputs=(_in("in", _IDS, "random_sources(4000, random)"),),
            outputs=(_out("a", _IDS), _out("b", _IDS)),
        ),
    ]
    for value, bytes_ in BYTES.items():
        found += [
            Leaf(
                f"lineCommands_{bytes_}",
                f"lineCommands<{value}>(in, out)",
                inputs=(_in("in", _IDS, "random_sources(4000, random)"),),
                outputs=(_out("out", "LineRun"),),
            ),
            Leaf(
                f"lineRead_{bytes_}",
                f"lineRead<{value}>(memory, in, out)",
                inputs=(_in("in", "LineRun", "random_runs(300, random)"),),
                outputs=(_out("out", f"Word<{value}>"),),
                memories=(Memory("memory", value, f"random_words<{value}>(40000, random)"),),
            ),
        ]
    for program, lanes in (("bfs", 8), ("bfs", 16), ("sssp64", 8), ("sssp64", 16), ("pagerank", 8)):
        v = VALUES[program]
        found.append(
            Leaf(
                f"fetchSources_{program}_{lanes}",
                f"fetchSources<Hooks, {lanes}>(s, l, out)",
                inputs=(_in("s", _IDS, "sources"), _in("l", f"Word<{v}>", f"lines_of<{v}>(sources, random)")),
                outputs=(_out("out", f"SourceToken<{v}, {lanes}>"),),
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
                inputs=(
                    _in("a", f"SourceToken<{v}, {lanes}>", f"random_properties<{v}, {lanes}>(4000, random)"),
                    _in("b", _IDS, f"random_sources(4000 * {lanes} / 16, random)"),
                ),
                outputs=(_out("out", f"UpdateSet<{v}, {lanes}>"),),
                program=program,
            )
        )
    for program, lanes in (("sssp", 8), ("sssp", 16), ("sssp64", 8), ("sssp64", 16)):
        v = VALUES[program]
        found.append(
            Leaf(
                f"propProcessWeighted_{program}_{lanes}",
                f"propProcess<Hooks, {lanes}>(a, b, w, out)",
                inputs=(
                    _in("a", f"SourceToken<{v}, {lanes}>", f"random_properties<{v}, {lanes}>(4000, random)"),
                    _in("b", _IDS, f"random_sources(4000 * {lanes} / 16, random)"),
                    _in("w", f"WordToken<{v}>", f"random_word_tokens<{v}>(4000 * {lanes} / Word<{v}>::kSize, random)"),
                ),
                outputs=(_out("out", f"UpdateSet<{v}, {lanes}>"),),
                program=program,
            )
        )
    return found


def _packed_front() -> list[Leaf]:
    """From memory to updates, sub-partition by sub-partition."""
    sub = "SubPartitionToken"
    names = ("edge_sub", "weight_sub", "source_sub", "row_sub", "write_sub")
    found = [
        Leaf(
            f"readSubPartitions_{'weighted' if weighted else 'plain'}",
            f"readSubPartitions<{'true' if weighted else 'false'}>(memory, n, {', '.join(names)})",
            outputs=tuple(_out(n, sub) for n in names if weighted or n != "weight_sub"),
            scalars=(("n", "std::uint32_t", "100"),),
            memories=(Memory("memory", "U", "random_words<U>(100, random)"),),
        )
        for weighted in (True, False)
    ]
    found[1] = replace(found[1], call=found[1].call.replace("weight_sub", "unused"), unused=(_out("unused", sub),))
    found += [
        Leaf(
            "readEdges",
            "readEdges(memory, n, in, out)",
            inputs=(_in("in", sub, "random_sub_partitions(random)"),),
            outputs=(_out("out", "WordToken<U>"),),
            scalars=(_SUB,),
            memories=(Memory("memory", "U", "random_words<U>(4000, random)"),),
        ),
        Leaf(
            "decodeEdges",
            "decodeEdges(n, s, in, a, b, c)",
            inputs=(
                _in("s", sub, "random_sub_partitions(random)"),
                _in("in", "WordToken<U>", "parts([&] { return random_word_tokens<U>(800, random); })"),
            ),
            outputs=(_out("a", _IDS), _out("b", _IDS), _out("c", _IDS)),
            scalars=(_SUB,),
        ),
    ]
    for value, bytes_ in BYTES.items():
        found += [
            Leaf(
                f"readWeights_{bytes_}",
                f"readWeights<{value}>(memory, n, in, out)",
                inputs=(_in("in", sub, "random_sub_partitions(random)"),),
                outputs=(_out("out", f"WordToken<{value}>"),),
                scalars=(_SUB,),
                memories=(Memory("memory", value, f"random_words<{value}>(8000, random)"),),
            ),
            Leaf(
                f"lineCommandsParts_{bytes_}",
                f"lineCommands<{value}>(n, in, out)",
                inputs=(_in("in", _IDS, "parts([&] { return random_sources(800, random); })"),),
                outputs=(_out("out", "LineRun"),),
                scalars=(_SUB,),
            ),
            Leaf(
                f"lineReadParts_{bytes_}",
                f"lineRead<{value}>(memory, n, in, out)",
                inputs=(_in("in", "LineRun", "parts([&] { return random_runs(80, random); })"),),
                outputs=(_out("out", f"Word<{value}>"),),
                scalars=(_SUB,),
                memories=(Memory("memory", value, f"random_words<{value}>(10000, random)"),),
            ),
        ]
    for program, lanes in (("bfs", 16), ("sssp64", 16), ("bfs", 8)):
        v = VALUES[program]
        found.append(
            Leaf(
                f"fetchSourcesParts_{program}_{lanes}",
                f"fetchSources<Hooks, {lanes}>(n, s, l, out)",
                inputs=(
                    _in("s", _IDS, "sources"),
                    _in("l", f"Word<{v}>", f"lines_of<{v}>(sources, random)"),
                ),
                outputs=(_out("out", f"SourceToken<{v}, {lanes}>"),),
                scalars=(_SUB,),
                data="const auto sources = parts([&] { return random_sources(800, random); });",
                program=program,
            )
        )
    for program, lanes, weighted in (("bfs", 16, False), ("sssp", 16, True), ("sssp64", 16, True)):
        v = VALUES[program]
        weights = _in(
            "w",
            f"WordToken<{v}>",
            f"parts([&] {{ return random_word_tokens<{v}>(800 * {lanes} / Word<{v}>::kSize, random); }})",
        )
        found.append(
            Leaf(
                f"propProcessParts_{program}_{lanes}",
                f"propProcess<Hooks, {lanes}, {'true' if weighted else 'false'}>(n, a, b, {'w' if weighted else 'unused'}, out)",
                inputs=(
                    _in(
                        "a",
                        f"SourceToken<{v}, {lanes}>",
                        f"parts([&] {{ return random_properties<{v}, {lanes}>(800, random); }})",
                    ),
                    _in("b", _IDS, f"parts([&] {{ return random_sources(800 * {lanes} / 16, random); }})"),
                    *((weights,) if weighted else ()),
                ),
                outputs=(_out("out", f"UpdateSet<{v}, {lanes}>"),),
                scalars=(_SUB,),
                unused=() if weighted else (_out("unused", f"WordToken<{v}>"),),
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
                inputs=(_in("in", updates, f"random_sets<{v}, {lanes}>(3000, random)"),),
                outputs=(Stream("out", updates, count=pes),),
            ),
            Leaf(
                f"shuffleDecoder_{key}",
                f"shuffleDecoder<{lanes}, {pes}>(3, in, out)",
                inputs=(_in("in", updates, f"random_sets<{v}, {lanes}>(8000, random)"),),
                outputs=(_out("out", f"PackedSet<{v}, {lanes}>"),),
            ),
            Leaf(
                f"tupleFilter_{key}",
                f"tupleFilter<{lanes}>(in, out)",
                inputs=(_in("in", f"PackedSet<{v}, {lanes}>", f"random_packed<{v}, {lanes}>(4000, random)"),),
                outputs=(_out("out", f"UpdateToken<{v}>"),),
            ),
        ]
    return found


def _packed_shuffle() -> list[Leaf]:
    """The same with marks, sub-partition by sub-partition."""
    found = []
    for lanes, pes, v in ((16, 16, "U"), (8, 8, "U"), (16, 16, "L")):
        key = f"{BYTES[v]}_{lanes}"
        updates = f"UpdateSet<{v}, {lanes}>"
        found += [
            Leaf(
                f"broadcastRows_{key}",
                f"broadcastRows<{pes}>(n, s, in, out)",
                inputs=(
                    _in("s", "SubPartitionToken", "random_sub_partitions(random)"),
                    _in("in", updates, f"parts([&] {{ return random_sets<{v}, {lanes}>(600, random); }})"),
                ),
                outputs=(Stream("out", updates, count=pes),),
                scalars=(_SUB,),
            ),
            Leaf(
                f"shuffleDecoderParts_{key}",
                f"shuffleDecoder<{lanes}, {pes}>(3, n, in, out)",
                inputs=(
                    _in("in", updates, f"parts([&] {{ return marked(random_sets<{v}, {lanes}>(1600, random)); }})"),
                ),
                outputs=(_out("out", f"MarkedSet<{v}, {lanes}>"),),
                scalars=(_SUB,),
            ),
            Leaf(
                f"tupleFilterParts_{key}",
                f"tupleFilter<{lanes}>(n, in, out)",
                inputs=(
                    _in(
                        "in",
                        f"MarkedSet<{v}, {lanes}>",
                        f"parts([&] {{ return random_marked_sets<{v}, {lanes}>(800, random); }})",
                    ),
                ),
                outputs=(_out("out", f"MarkedUpdate<{v}>"),),
                scalars=(_SUB,),
            ),
        ]
    return found


def _gather() -> list[Leaf]:
    """From a PE's updates to words of memory, plain."""
    found = []
    for program in ("bfs", "pagerank", "sssp64"):
        v = VALUES[program]
        token = f"UpdateToken<{v}>"
        found += [
            Leaf(
                f"rawSolver_{program}",
                "rawSolver<Hooks>(in, out)",
                inputs=(_in("in", token, f"random_updates<{v}>(12000, 40, 8, random)"),),
                outputs=(_out("out", token),),
                program=program,
            ),
            Leaf(
                f"dstPropertyProcess_{program}",
                "dstPropertyProcess<Hooks, 8, 1 << 13>(3, first, last, in, out)",
                inputs=(_in("in", token, f"apart(random_updates<{v}>(12000, 4096, 8, random))"),),
                outputs=(_out("out", v),),
                scalars=(("first", "VertexId", "0"), ("last", "VertexId", "4096")),
                program=program,
            ),
        ]
    for v, bytes_ in BYTES.items():
        found += [
            Leaf(
                f"collect_{bytes_}_{pes}",
                f"collect<{v}, {pes}>(first, last, in, out)",
                inputs=(
                    Stream("in", v, count=pes, each=f"random_values<{v}>(values_per_pe<{v}, {pes}>(16, 4099), random)"),
                ),
                outputs=(_out("out", f"WordToken<{v}>"),),
                scalars=(("first", "VertexId", "16"), ("last", "VertexId", "4099")),
            )
            for pes in (8, 16)
        ]
        found.append(
            Leaf(
                f"writeBack_{bytes_}",
                f"writeBack<{v}>(first, memory, in)",
                inputs=(_in("in", f"WordToken<{v}>", f"random_word_tokens<{v}>(1000, random)"),),
                scalars=(("first", "std::uint32_t", "5"),),
                memories=(Memory("memory", v, f"random_words<{v}>(1100, random)", is_written=True),),
            )
        )
    return found


def _packed_gather() -> list[Leaf]:
    """From a PE's updates to rows and words of memory, sub-partition by sub-partition."""
    found = []
    for program, pes in (("bfs", 16), ("pagerank", 16), ("sssp64", 16), ("bfs", 8)):
        v = VALUES[program]
        key = f"{program}_{pes}"
        found += [
            Leaf(
                f"rawSolverRows_{key}",
                f"rawSolver<Hooks, {pes}>(n, in, out)",
                inputs=(
                    _in(
                        "in",
                        f"MarkedUpdate<{v}>",
                        f"parts([&] {{ return random_marked<{v}>(2400, 40, {pes}, random); }})",
                    ),
                ),
                outputs=(_out("out", f"MarkedRow<{v}>"),),
                scalars=(_SUB,),
                program=program,
            ),
            Leaf(
                f"gatherRows_{key}",
                f"gatherRows<Hooks, {pes}, 1 << 12>(n, cleared, in, out)",
                inputs=(
                    _in(
                        "in",
                        f"MarkedRow<{v}>",
                        f"parts([&] {{ return random_rows<{v}>(2400, rows_per_pe<{v}, {pes}>(0, 4096), random); }})",
                    ),
                ),
                outputs=(_out("out", f"UramWord<{v}>"),),
                scalars=(_SUB, ("cleared", "std::uint32_t", f"rows_per_pe<{v}, {pes}>(0, 4096)")),
                program=program,
            ),
        ]
    for v, pes in (("U", 16), ("L", 16), ("U", 8)):
        rows = f"UramWord<{v}>"
        found.append(
            Leaf(
                f"writeRows_{BYTES[v]}_{pes}",
                "writeRows(n, s, in, memory)",
                inputs=(
                    _in("s", "SubPartitionToken", "subs"),
                    Stream("in", rows, count=pes, each=f"random_rows_of<{v}, {pes}>(subs, random)"),
                ),
                scalars=(_SUB,),
                memories=(Memory("memory", v, f"random_words<{v}>(8000, random)", is_written=True),),
                data="const auto subs = random_sub_partitions(random);",
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
                outputs=(_out("out", word),),
                scalars=(("first", "std::uint32_t", "3"), ("last", "std::uint32_t", "1003")),
                memories=(Memory("memory", v, f"random_words<{v}>(1003, random)"),),
            ),
            Leaf(
                f"writeBackLite_{bytes_}",
                f"writeBackLite<{v}>(first, last, memory, in)",
                inputs=(_in("in", word, f"random_words<{v}>(1000, random)"),),
                scalars=(("first", "std::uint32_t", "3"), ("last", "std::uint32_t", "1003")),
                memories=(Memory("memory", v, f"random_words<{v}>(1100, random)", is_written=True),),
            ),
            Leaf(
                f"cuDuplicate_{bytes_}",
                f"cuDuplicate<{v}>(in, n, Units<4>(), out)",
                inputs=(_in("in", word, f"random_words<{v}>(1000, random)"),),
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
                    _in("a", word, f"random_words<{v}>(1000, random)"),
                    _in("b", word, f"random_words<{v}>(1000, random)"),
                ),
                outputs=(_out("out", word),),
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
                inputs=(_in("g", word, words), _in("p", word, words), *aux),
                outputs=(_out("out", word), _out("sums", "ResultWord")),
                scalars=(num, *((a, "unsigned", "1000000007") for a in args)),
                program=program,
            )
        )
    found.append(
        Leaf(
            "writeSums",
            "writeSums(in, memory, n)",
            inputs=(_in("in", "ResultWord", "random_words<std::uint64_t>(5, random)"),),
            scalars=(("n", "std::uint32_t", "5"),),
            memories=(Memory("memory", "std::uint64_t", "random_words<std::uint64_t>(8, random)", is_written=True),),
        )
    )
    return found
