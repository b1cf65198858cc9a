# SPDX-License-Identifier: Apache-2.0
"""Launches of whole kernels on small graphs: the words of their ports, and what a plain loop gathers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

WORD = 16  # values of 32 bits in a word of memory
UNREACHED = 0xFFFFFFFF
NO_VERTEX = 0xFFFFFFFF
PADDING, MOST_GAP = (1 << 20) - 1, 4095  # of packed edges
SUB_PARTITION = 1024  # vertices of one, of the packed kernel
MARGIN = 3  # words behind those that a kernel writes, which have to stay as they are


@dataclass(frozen=True)
class Graph:
    """Edges sorted by source, and the vertices whose edges a launch gathers."""

    num_vertices: int
    first: int
    last: int
    source: np.ndarray
    destination: np.ndarray
    weight: np.ndarray


def graphs() -> dict[str, Graph]:
    """Return graphs of different shapes by their names."""
    random = np.random.default_rng(18)
    power = np.minimum(3000 * random.random((2, 16000)) ** 4, 2999).astype(np.uint32)
    power = random.permutation(3000).astype(np.uint32)[power]
    grid = np.arange(2400, dtype=np.uint32).reshape(40, 60)
    right, down = (grid[:, :-1].ravel(), grid[:, 1:].ravel()), (grid[:-1].ravel(), grid[1:].ravel())
    spokes = np.arange(1, 2600, dtype=np.uint32)
    hub = np.zeros_like(spokes)
    few = (
        np.hstack([random.integers(0, 2000, 110), random.integers(2000, 100000, 40)]),
        random.integers(2064, 2104, 150),
    )
    return {
        "power": _graph(3000, 0, 3000, *power, random),
        "uniform": _graph(3500, 512, 3001, *random.integers(0, 3500, (2, 14000)), random),
        "grid": _graph(2400, 16, 2400, *np.hstack([right, right[::-1], down, down[::-1]]), random),
        "star": _graph(2600, 0, 2600, np.hstack([hub, spokes]), np.hstack([spokes, hub]), random),
        # Sub-partitions without an edge, gaps that a packed edge cannot hold, words that are not full.
        "few": _graph(100000, 1024, 4213, *few, random),
    }


def _graph(n: int, first: int, last: int, source: np.ndarray, destination: np.ndarray, random) -> Graph:
    chosen = (destination >= first) & (destination < last)
    source, destination = source[chosen], destination[chosen]
    order = np.argsort(source, kind="stable")
    weight = random.integers(1, 100, source.size)
    return Graph(n, first, last, *(a.astype(np.uint32) for a in (source[order], destination[order], weight)))


def properties(program: str, graph: Graph) -> np.ndarray:
    """Return what the vertices hold before a step, for whole words of memory."""
    random = np.random.default_rng(graph.num_vertices)
    num = -(-graph.num_vertices // WORD) * WORD
    held = random.integers(0, 1000 if program != "pagerank" else 1 << 25, num).astype(np.uint32)
    if program != "pagerank":
        held[random.random(num) < 0.3] = UNREACHED
    return held


def gather(program: str, graph: Graph, edges: slice = slice(None)) -> np.ndarray:
    """Return what the vertices of the graph's range gather from some of its edges: one edge after the other."""
    held = properties(program, graph)
    gathered = [0 if program == "pagerank" else UNREACHED] * (graph.last - graph.first)
    for s, d, w in zip(graph.source[edges], graph.destination[edges], graph.weight[edges]):
        value, at = int(held[s]), int(d) - graph.first
        if program == "pagerank":
            gathered[at] = min(gathered[at] + value, 0xFFFFFFFF)
        elif value != UNREACHED:
            gathered[at] = min(gathered[at], value + (int(w) if program == "sssp" else 1))
    return np.array(gathered, dtype=np.uint32)


def _words(values: np.ndarray, fill: int) -> np.ndarray:
    """Fill the last word up; memory has one at least."""
    num = max(-(-values.size // WORD), 1) * WORD
    return np.concatenate([values, np.full(num - values.size, fill)]).astype(np.uint32)


def _garbage(num_words: int) -> np.ndarray:
    return np.random.default_rng(num_words).integers(0, 1 << 32, num_words * WORD, dtype=np.uint32)


def _identity(program: str) -> int:
    return 0 if program == "pagerank" else UNREACHED


def write(kernel: str, program: str, graph: Graph, folder: Path, *, pes: int, capacity: int) -> dict[str, np.ndarray]:
    """Write the arguments of a launch into a folder; return what a plain loop says of the ports that are written."""
    make = {"gather_scatter": _plain, "packed_gather_scatter": _packed, "apply": _apply}[kernel]
    words, scalars, expected = make(program, graph, pes, capacity)
    folder.mkdir(parents=True, exist_ok=True)
    for name, values in words.items():
        values.astype("<u4").tofile(folder / name)
    text = "".join(f"{name} {value}\n" for name, value in scalars.items())
    (folder / "scalars.txt").write_text(text, encoding="utf-8")
    return expected


def _plain(program: str, graph: Graph, pes: int, capacity: int) -> tuple[dict, dict, dict]:
    num_words = -(-graph.source.size // WORD)
    num_gathered = -(-(graph.last - graph.first) // WORD)
    gathered = _garbage(num_gathered + MARGIN)
    words = {
        "sources": _words(graph.source, int(graph.source[-1])),
        "destinations": _words(graph.destination, NO_VERTEX),
        "weights": _words(graph.weight, 0),
        "properties": properties(program, graph),
        "gathered": gathered,
    }
    expected = gathered.copy()
    expected[: num_gathered * WORD] = _words(gather(program, graph), _identity(program))
    scalars = {"num_words": num_words, "first": graph.first, "last": graph.last}
    return words, scalars, {"gathered": expected}


def _packed(program: str, graph: Graph, pes: int, capacity: int) -> tuple[dict, dict, dict]:
    edges: list[int] = []
    weights: list[int] = []
    descriptors, expected = [], []
    loop = gather(program, graph)
    for first in range(graph.first, graph.last, SUB_PARTITION):
        last = min(first + SUB_PARTITION, graph.last)
        own = np.flatnonzero((graph.destination >= first) & (graph.destination < last))
        at = base = int(graph.source[own[0]]) // 2 if own.size else 0
        begin = len(edges) // WORD
        for edge in own:
            while int(graph.source[edge]) - at > MOST_GAP:
                edges.append(MOST_GAP << 20 | PADDING)
                weights.append(0)
                at += MOST_GAP
            edges.append(int(graph.source[edge]) - at << 20 | int(graph.destination[edge]) - first)
            weights.append(int(graph.weight[edge]))
            at = int(graph.source[edge])
        while len(edges) % WORD:
            edges.append(PADDING)
            weights.append(0)
        num_edge_words = len(edges) // WORD - begin
        gathered_word = sum(w.size for w in expected) // WORD
        descriptors += [begin, num_edge_words, begin, first, last, gathered_word, base] + [0] * 9
        expected.append(_words(loop[first - graph.first : last - graph.first], _identity(program)))
    gathered = _garbage(sum(w.size for w in expected) // WORD + MARGIN)
    words = {
        "edges": _words(np.array(edges), PADDING),
        "weights": _words(np.array(weights), 0),
        "properties": properties(program, graph),
        "sub_partitions": np.array(descriptors),
        "gathered": gathered,
    }
    expected.append(gathered[-MARGIN * WORD :])
    # As in the first launch on a card, where memories of the chip hold zeros; rows have two values of 4 bytes.
    scalars = {"num_sub_partitions": len(descriptors) // WORD, "num_cleared": capacity // pes // 2}
    return words, scalars, {"gathered": np.concatenate(expected)}


def _apply(program: str, graph: Graph, pes: int, capacity: int) -> tuple[dict, dict, dict]:
    held = properties(program, graph)
    half = graph.source.size // 2
    units = [gather(program, graph, part) for part in (slice(None, half), slice(half, None))]
    identity = _identity(program)
    words = {f"gathered_{u}": _words(values, identity) for u, values in enumerate(units)}
    words["properties"] = held
    words |= {f"updated_{u}": _garbage(held.size // WORD) for u in range(2)}
    words["sums"] = _garbage(8)
    degrees = np.bincount(graph.source, minlength=held.size)[: held.size]
    words |= {"aux_0": degrees.astype(np.uint32), "aux_1": np.full(held.size, 1 << 20)}
    scalars = {"first": graph.first, "last": graph.last} | {f"arg_{i}": 0 for i in range(8)}
    if program == "pagerank":
        scalars |= {"arg_0": 322122547, "arg_1": 1825361101}  # fractions of 2^31
        return words, scalars, {}
    applied = held[graph.first : graph.last].copy()
    for values in units:
        applied = np.minimum(applied, values)
    expected = {}
    for u in range(2):
        expected[f"updated_{u}"] = words[f"updated_{u}"].copy()
        rest = held[graph.last : -(-graph.last // WORD) * WORD]
        expected[f"updated_{u}"][graph.first : graph.last + rest.size] = np.concatenate([applied, rest])
    return words, scalars, expected
