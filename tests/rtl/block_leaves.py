# SPDX-License-Identifier: Apache-2.0
"""The tasks of GraphOps' blocks (hls/block), in integers and fixed point, and the memory units beside them."""

from __future__ import annotations

from leaf import Leaf, Memory, Stream, read, written

_SETS = "block::SetMeta"
_REQUESTS = "block::MemReq"
_WORD = "Word<U>"
_DATA = "const RandomSets sets(600, random);"


def block_leaves() -> list[Leaf]:
    """Return them."""
    return [*_readers(), *_along_edges(), *_hits(), *_updates(), *_memory_units()]


def _sets() -> Stream:
    return read("s", _SETS, "sets.sets()")


def _lines(name: str, value: str = "U") -> Stream:
    return read(name, f"Word<{value}>", f"random_words<{value}>(sets.num_lines<{value}>(), random)")


def _readers() -> list[Leaf]:
    """From vertices to requests and sets."""
    return [
        Leaf(
            "forAllPropRdr",
            "block::for_all_prop_rdr<U>(n, rows, requests, out)",
            inputs=(read("rows", "block::RowLine", "sets.rows()"),),
            outputs=(written("requests", _REQUESTS), written("out", _SETS)),
            scalars=(("n", "VertexId", "600"),),
            data=_DATA,
        ),
        Leaf(
            "vertexReader",
            "block::vertex_reader(root, in, requests, out)",
            inputs=(read("in", "block::VertexToken", "random_vertices(2000, 600, random)"),),
            outputs=(written("requests", _REQUESTS), written("out", "block::VertexToken")),
            scalars=(("root", "VertexId", "7"),),
        ),
        Leaf(
            "nbrSetReader",
            "block::nbr_set_reader<VertexId>(in, rows, requests, out)",
            inputs=(
                read("in", "block::VertexToken", "vertices"),
                read("rows", "block::RowLine", "sets.rows_of(vertices)"),
            ),
            outputs=(written("requests", _REQUESTS), written("out", _SETS)),
            data=f"{_DATA} const auto vertices = random_vertices(2000, 600, random);",
        ),
        Leaf(
            "setReader",
            "block::set_reader<U>(n, in, out)",
            inputs=(read("in", "block::GroupLine", "group_lines(random_groups(501, random))"),),
            outputs=(written("out", "block::VertexToken"),),
            scalars=(("n", "std::uint32_t", "501"),),
        ),
        Leaf(
            "setReq",
            "block::set_req<U>(s, requests, out)",
            inputs=(_sets(),),
            outputs=(written("requests", _REQUESTS), written("out", _SETS)),
            data=_DATA,
        ),
    ]


def _along_edges() -> list[Leaf]:
    """What is computed of the elements of sets, and of all vertices."""
    words = [written(name, "L") for name in ("value", "num", "edge", "owner")]
    return [
        Leaf(
            "nbrPropRed_pagerank",
            "block::nbr_prop_red<U, graphops::GatherNeighbors<Hooks>>(0, 0, s, lines, out)",
            inputs=(_sets(), _lines("lines")),
            outputs=(written("out", "block::VertexProperty<U>"),),
            data=_DATA,
            program="pagerank",
        ),
        Leaf(
            "nbrPropFilter_bfs",
            "block::nbr_prop_filter<U, graphops::ImproveNeighbors<Hooks>>(500, 0, s, ids, lines, out)",
            inputs=(_sets(), _lines("ids"), _lines("lines")),
            outputs=(written("out", "block::Hit<U>"),),
            data=_DATA,
            program="bfs",
        ),
        Leaf(
            "globNbrRed",
            "block::glob_nbr_red<L, graphops::UncoveredDegrees>(0, 0, s, lines, value, num, edge, owner)",
            inputs=(_sets(), _lines("lines", "L")),
            outputs=tuple(words),
            data=_DATA,
        ),
        Leaf(
            "allNodePropRed",
            "block::all_node_prop_red<U, graphops::Members>(n, 0, 0, in, members, inside, outside)",
            inputs=(read("in", _WORD, "random_words<U>(63, random)"),),
            outputs=(written("members", "block::VertexToken"), written("inside", "L"), written("outside", "L")),
            scalars=(("n", "VertexId", "1001"),),
        ),
    ]


def _hits() -> list[Leaf]:
    """Hits of a search, several a cycle, which are marked in a bitmap."""
    group, lines = "block::HitGroup<U>", "block::HitLine<U, 16>"
    return [
        Leaf(
            "nbrPropFilterLines_bfs",
            "block::nbr_prop_filter_lines<U, graphops::ImproveNeighbors<Hooks>>(500, 0, s, ids, lines, out)",
            inputs=(_sets(), _lines("ids"), _lines("lines")),
            outputs=(written("out", lines),),
            data=_DATA,
            program="bfs",
        ),
        Leaf(
            "spreadHits",
            "block::spread_hits<U, 16>(in, out)",
            inputs=(read("in", lines, "random_hit_lines<U>(1000, random)"),),
            outputs=(written("out", group),),
        ),
        Leaf(
            "watchHits",
            "block::watch_hits<U>(in, out)",
            inputs=(read("in", group, "random_hits<U>(3000, 4096, false, random)"),),
            outputs=(written("out", group),),
        ),
        Leaf(
            "markHits",
            "block::mark_hits<U, 4096>(n, in, others, rows)",
            inputs=(read("in", group, "random_hits<U>(3000, 5000, true, random)"),),
            outputs=(written("others", group), written("rows", "block::FoundRow<U>")),
            scalars=(("n", "VertexId", "5000"),),
        ),
        Leaf(
            "foundLines",
            "block::found_lines<U>(in, rows, out)",
            inputs=(
                read("in", "block::LineUpdate<U>", "random_line_updates<U>(500, random)"),
                read("rows", "block::FoundRow<U>", "random_rows<U>(200, random)"),
            ),
            outputs=(written("out", "block::LineUpdate<U>"),),
        ),
        Leaf(
            "hitUpdates",
            "block::hit_updates<U>(in, out)",
            inputs=(read("in", group, "random_hits<U>(2000, 4096, false, random)"),),
            outputs=(written("out", "block::VertexProperty<U>"),),
        ),
    ]


def _updates() -> list[Leaf]:
    """From new values to lines and sets."""
    entry = "block::LineUpdate<U>"
    found = [
        Leaf(
            f"elemUpdateCoalesce_{program}",
            f"block::elem_update_coalesce<U, block::{lines}<U, {policy}>>(in, out)",
            inputs=(
                read("in", "block::VertexProperty<U>", f"random_new_values<U>(3000, {str(in_order).lower()}, random)"),
            ),
            outputs=(written("out", entry),),
            program=program,
        )
        for program, lines, policy, in_order in (
            ("pagerank", "SeqCoalescer", "block::Overwrite<U>", True),
            ("bfs", "BestEffortCoalescer", "graphops::GatherUpdates<Hooks>", False),
        )
    ]
    return [
        *found,
        Leaf(
            "elemUpdateReq_bfs",
            "block::elem_update_req<U, graphops::GatherUpdates<Hooks>, 64>(in, acks, reads, out)",
            inputs=(
                read("in", entry, "random_line_updates<U>(2000, random)"),
                read("acks", "U", "first_numbers(2000)"),
            ),
            outputs=(written("reads", _REQUESTS), written("out", entry)),
            program="bfs",
        ),
        Leaf(
            "elemUpdate_bfs",
            "block::elem_update<U, graphops::GatherUpdates<Hooks>>(in, old, writes, lines, changed)",
            inputs=(
                read("in", entry, "random_line_updates<U>(2000, random)"),
                read("old", _WORD, "random_words<U>(2000, random)"),
            ),
            outputs=(written("writes", _REQUESTS), written("lines", _WORD), written("changed", "block::GroupMask")),
            program="bfs",
        ),
        Leaf(
            "setWriter",
            "block::set_writer(in, requests, lines, groups, vertices)",
            inputs=(read("in", "block::GroupMask", "random_groups(2001, random)"),),
            outputs=(
                written("requests", _REQUESTS),
                written("lines", "block::GroupLine"),
                written("groups", "L"),
                written("vertices", "L"),
            ),
        ),
    ]


def _memory_units() -> list[Leaf]:
    """A unit that reads and one that writes."""
    data = "const auto requests = random_requests_of_lines(200, random);"
    requests = read("in", _REQUESTS, "requests")
    return [
        Leaf(
            "memRdUnit",
            "block::mem_rd_unit<U>(memory, 1, in, out, beats)",
            inputs=(requests,),
            outputs=(written("out", _WORD), written("beats", "L")),
            memories=(Memory("memory", "U", "random_words<U>(500, random)"),),
            data=data,
        ),
        Leaf(
            "memWrUnit",
            "block::mem_wr_unit<U>(memory, 1, in, lines, acks, beats)",
            inputs=(requests, read("lines", _WORD, "random_words<U>(num_lines(requests), random)")),
            outputs=(written("acks", "U"), written("beats", "L")),
            memories=(Memory("memory", "U", "random_words<U>(500, random)", is_written=True),),
            data=data,
        ),
    ]
