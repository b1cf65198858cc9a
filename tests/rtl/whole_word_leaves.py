# SPDX-License-Identifier: Apache-2.0
"""The leaves of the plain kernels whose values fill a word of memory: hls/module/whole_word.h, and what is as wide."""

from __future__ import annotations

from leaf import IDS, VALUES, Leaf, Stream, read, written

_PROGRAM = "searches"


def whole_word_leaves() -> list[Leaf]:
    """Return them, in the order of the kernels."""
    v = VALUES[_PROGRAM]
    word, single = f"Word<{v}>", f"UpdateToken<{v}>"
    source, updates, listed = f"SharedSource<{v}>", f"SharedSet<{v}>", f"SharedListed<{v}>"
    words = f"random_words<{v}>(1000, random)"
    return [
        Leaf(
            "fetchSources_searches",
            "fetchSources<Hooks, 8>(s, l, out)",
            inputs=(
                read("s", "SourcePlaces", f"marked_lines<{v}>(sources).places"),
                read("l", word, f"lines_of<{v}>(sources, random)"),
            ),
            outputs=(written("out", source),),
            data="const auto sources = random_sources(2000, random);",
            program=_PROGRAM,
        ),
        Leaf(
            "propProcess_searches",
            "propProcess<Hooks, 8>(a, b, out)",
            inputs=(
                read("a", source, "random_shared_sources(1000, random)"),
                read("b", IDS, "random_sources(1000, random)"),
            ),
            outputs=(written("out", updates),),
            program=_PROGRAM,
        ),
        Leaf(
            "shuffleDecoder_searches",
            "shuffleDecoder<8, 8>(3, in, out)",
            inputs=(read("in", updates, "random_shared_sets(2000, random)"),),
            outputs=(written("out", listed),),
        ),
        Leaf(
            "tupleFilter_searches",
            "tupleFilter<8>(in, out)",
            inputs=(read("in", listed, "random_shared_listed(1000, random)"),),
            outputs=(written("out", single),),
        ),
        Leaf(
            "rawSolver_searches",
            "rawSolver<Hooks>(in, out)",
            inputs=(read("in", single, f"random_updates<{v}>(3000, 40, 8, random)"),),
            outputs=(written("out", single),),
            program=_PROGRAM,
        ),
        Leaf(
            "dstPropertyProcess_searches",
            "dstPropertyProcess<Hooks, 8, 1 << 13>(3, first, last, in, out)",
            inputs=(read("in", single, f"apart(random_updates<{v}>(3000, 1024, 8, random))"),),
            outputs=(written("out", v),),
            scalars=(("first", "VertexId", "0"), ("last", "VertexId", "1024")),
            program=_PROGRAM,
        ),
        Leaf(
            "collect_searches",
            f"collect<{v}, 8>(first, last, in, out)",
            inputs=(Stream("in", v, count=8, each=f"random_values<{v}>(values_per_pe<{v}, 8>(16, 1027), random)"),),
            outputs=(written("out", f"WordToken<{v}>"),),
            scalars=(("first", "VertexId", "16"), ("last", "VertexId", "1027")),
        ),
        Leaf(
            "cuMerge_searches",
            "cuMerge<Hooks>(a, b, n, out)",
            inputs=(read("a", word, words), read("b", word, words)),
            outputs=(written("out", word),),
            scalars=(("n", "std::uint32_t", "1000"),),
            program=_PROGRAM,
        ),
    ]
