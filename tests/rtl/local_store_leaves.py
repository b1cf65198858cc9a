# SPDX-License-Identifier: Apache-2.0
"""The leaves of Cell's search (hls/local_store), but for the two whose loops have two bursts."""

from __future__ import annotations

from leaf import Leaf, Memory, Stream, read, written

_MESSAGE = "CodeMessage"
_STATE = (("words", "U", "9"), ("level", "U", "1"))  # 4,096 vertices


def local_store_leaves() -> list[Leaf]:
    """Return them."""
    found = [
        Leaf(
            "fetchQueue",
            "fetchQueue(words, level, memory, marks, next, out)",
            outputs=(written("marks", "Word<L>"), written("next", "U"), written("out", "FetchedCodes")),
            scalars=_STATE,
            memories=(Memory("memory", "L", "random_queue(9, 1, 2001, random)"),),
        ),
        Leaf(
            "spreadCodes",
            "spreadCodes(in, out)",
            inputs=(read("in", "FetchedCodes", "random_fetched(600, random)"),),
            outputs=(written("out", "FetchedCode"),),
        ),
        Leaf(
            "cutLists",
            "cutLists(in, out)",
            inputs=(read("in", "FetchedCode", "single(random_fetched(600, random))"),),
            outputs=(written("out", "ListPiece"),),
        ),
        Leaf(
            "planLists",
            "planLists(in, even, odd)",
            inputs=(read("in", "ListPiece", "random_pieces(1500, random)"),),
            outputs=(written("even", "ListDescriptor"), written("odd", "ListDescriptor")),
        ),
        Leaf(
            "packCodes",
            "packCodes(level, in, out)",
            inputs=(read("in", "MarkedCode", "random_marked_codes(2001, random)"),),
            outputs=(written("out", "WordToken<L>"),),
            scalars=(("level", "U", "6"),),
        ),
        Leaf(
            "markCodes",
            "markCodes<1 << 12>(words, marks, in, out, marked)",
            inputs=(
                read("marks", "Word<L>", "random_words<L>(8, random)"),
                read("in", "MarkRequest", "random_requests(4000, 4096, random)"),
            ),
            outputs=(written("out", "MarkedCode"), written("marked", "Word<L>")),
            scalars=_STATE[:1],
        ),
        Leaf(
            "watchRows",
            "watchRows(in, out)",
            inputs=(read("in", _MESSAGE, "random_messages(3000, 4096, random)"),),
            outputs=(written("out", "MarkRequest"),),
        ),
        Leaf(
            "unpackLists",
            "unpackLists(even, odd, out)",
            inputs=tuple(
                Stream(name, "ListWord", f"random_lists(8, 200, random)[{i}]") for i, name in enumerate(("even", "odd"))
            ),
            outputs=(written("out", "OwnedCode"),),
        ),
    ]
    for pes in (2, 8):
        wires = [f"wire_{i}" for i in range(pes)]
        found += [
            Leaf(
                f"dispatchLists_{pes}",
                f"dispatchLists(in, {', '.join(wires)})",
                inputs=(read("in", "OwnedCode", f"random_owned({pes}, 4000, random)"),),
                outputs=tuple(written(wire, _MESSAGE) for wire in wires),
            ),
            Leaf(
                f"exchangeCodes_{pes}",
                f"exchangeCodes(out, {', '.join(wires)})",
                inputs=tuple(read(wire, _MESSAGE, "random_periods(12, random)") for wire in wires),
                outputs=(written("out", _MESSAGE),),
            ),
        ]
    return found
