# SPDX-License-Identifier: Apache-2.0
"""The leaves that pull (hls/local_store/pull.h, frontier.h), but for readStates, whose loops have two bursts."""

from __future__ import annotations

from leaf import Leaf, Stream, read, written

_LINE = "Word<L>"
_STATE = ("words", "U", "9")  # 4,096 vertices
_FRONTIER = "random_words<L>(8, random)"


def pull_leaves() -> list[Leaf]:
    """Return them."""
    return [
        Leaf(
            "joinFrontier",
            "joinFrontier(words, 3, before, own, out)",
            inputs=(read("before", _LINE, "random_words<L>(24, random)"), read("own", _LINE, _FRONTIER)),
            outputs=(written("out", _LINE),),
            scalars=(_STATE,),
        ),
        Leaf(
            "spreadFrontier",
            "spreadFrontier(words, 8, in, heads, rows, next)",
            inputs=(read("in", _LINE, "random_words<L>(64, random)"),),
            outputs=tuple(written(name, _LINE) for name in ("heads", "rows", "next")),
            scalars=(_STATE,),
        ),
        Leaf(
            "lookUp",
            "lookUp<1 << 12, 1>(words, frontier, in, out)",
            inputs=(
                read("frontier", _LINE, _FRONTIER),
                read("in", "PulledSource", "random_pulled_sources(3000, random)"),
            ),
            outputs=(written("out", "FoundSource"),),
            scalars=(_STATE,),
        ),
        Leaf(
            "planHeads",
            "planHeads(words, 60, marks, runs, groups)",
            inputs=(read("marks", _LINE, _FRONTIER),),
            outputs=(written("runs", "LineRun"), written("groups", "HeadGroup")),
            scalars=(_STATE,),
        ),
        Leaf(
            "pickHeads",
            "pickHeads(groups, heads, sources, vertices)",
            inputs=(
                read("groups", "HeadGroup", "random_head_groups(90, random)"),
                read("heads", "Word<U>", "random_words<U>(1440, random)"),
            ),
            outputs=(written("sources", "PulledSource"), written("vertices", "PulledVertex")),
        ),
        Leaf(
            "answerHeads",
            "answerHeads(vertices, found, answers, asked)",
            inputs=(
                read("vertices", "PulledVertex", "random_pulled_vertices(2000, random)"),
                read("found", "FoundSource", "random_found(2000, true, random)"),
            ),
            outputs=(written("answers", "HeadAnswer"), written("asked", "PulledVertex")),
        ),
        Leaf(
            "planRows",
            "planRows(asked, runs, rows)",
            inputs=(read("asked", "PulledVertex", "random_asked(800, random)"),),
            outputs=(written("runs", "LineRun"), written("rows", "RowRun")),
        ),
        Leaf(
            "spreadRows",
            "spreadRows(runs, rows, out)",
            inputs=(
                Stream("runs", "RowRun", "random_row_runs(50, random)"),
                Stream("rows", "Word<U>", "random_words<U>(150, random)"),
            ),
            outputs=(written("out", "PulledSource"),),
        ),
        Leaf(
            "answerRows",
            "answerRows(in, out)",
            inputs=(read("in", "FoundSource", "random_found(3000, false, random)"),),
            outputs=(written("out", "FoundSource"),),
        ),
        Leaf(
            "joinAnswers",
            "joinAnswers(heads, rows, out)",
            inputs=(
                read("heads", "HeadAnswer", "random_answers(2100, random)"),
                read("rows", "FoundSource", "random_found(700, true, random)"),
            ),
            outputs=(written("out", "CodeMessage"),),
        ),
    ]
