# SPDX-License-Identifier: Apache-2.0
"""GraphOps' accelerators of blocks: predictions beside what was published of them, and on U250.

Nothing here was measured on a card. Cycles are the emulator's; they are the same in every run, so there is nothing to
repeat. Published are 128 million edges per second (MTEPS) for SpMV and 139 for PageRank, on soc-Pokec. That graph is a
download, so a graph of its size stands in for it: each vertex has a weight of a lognormal distribution, which decides
how often it is drawn as the source and as the destination of an edge. Which of the drawn vertices meet is random, and
so are the ids of neighbors; soc-Pokec's lie closer together, which helps a search. Answers are compared with NumPy's
and with the CPU's.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphops_speed import host_speed
from machine import require, table

gp = require("gaspipe")
np = require("numpy")

SOURCE = "X. Chen et al., FPGA 2021, doi:10.1145/3431920.3439290, Table 8"
PUBLISHED = {"spmv": 128, "pagerank": 139}  # MTEPS
VERTICES, EDGES = 1_632_803, 30_622_564  # of soc-Pokec
SIGMAS = (0.0, 0.8, 1.2, 1.6)  # of the logarithm of the weights
SIGMA = 1.2
BAR = 5
HOST_SHRINK = 20  # the graph for the speed of the emulation, as a share of the whole

# The published platform. T. Oguntebi, K. Olukotun, FPGA 2016, doi:10.1145/2847263.2847337, and its sources.
CLOCK_MHZ, PORT_BYTES, MEMORY_BYTES = 150, 96, 38.4e9  # bytes: of a port in a cycle, of all memory in a second
PUBLISHED_PORT = PORT_BYTES * CLOCK_MHZ * 1e6
ELEMENT_BYTES, BURST_BYTES = 6, 192
BURST_ELEMENTS = BURST_BYTES // ELEMENT_BYTES
THROTTLE = 2  # cycles between two requests for sets
PUBLISHED_PORTS = 4  # of PageRank: rows, elements, and updated elements read and written

LINE_BYTES = 64
SUM = gp.Chain.SUM.replace("kCycles = 8", "kCycles = 1")  # integers add in one cycle
PRODUCT = SUM.replace(
    "static Value map(Value element, Args) { return element; }",
    "static Value map(Value element, Value weight, Args) { return element * weight; }",
)


def draw(num_vertices: int, num_edges: int, sigma: float, seed: int = 1) -> tuple[Any, Any]:
    """Sources, ascending, and destinations of a graph."""
    rng = np.random.default_rng(seed)
    weights = rng.lognormal(sigma=sigma, size=num_vertices)
    weights /= weights.sum()
    ids = np.arange(num_vertices, dtype=np.uint32)
    sources, destinations = (np.repeat(ids, rng.multinomial(num_edges, weights)) for _ in range(2))
    rng.shuffle(destinations)
    return sources, destinations


def rows_of(owners: Any, others: Any, num_vertices: int) -> tuple[Any, Any]:
    """Offsets of every owner's edges, and their other ends."""
    offsets = np.zeros(num_vertices + 1, np.uint64)
    np.cumsum(np.bincount(owners, minlength=num_vertices), out=offsets[1:])
    return offsets, others[np.argsort(owners, kind="stable")]


def num_blocks(offsets: Any, size: int) -> int:
    """Blocks of `size` elements, from multiples of `size` on, that sets lie in, counted for every set."""
    first, last = offsets[:-1].astype(np.int64), offsets[1:].astype(np.int64)
    first, last = first[first < last], last[first < last]
    return int(((last - 1) // size - first // size + 1).sum())


# The published platform.


def published_board(clock_mhz: int) -> Any:
    """Return its memory behind ports of 64 bytes a cycle; its latency is not known, and taken as U250's."""
    memory = {"num_banks": 1, "peak_bytes_per_second": MEMORY_BYTES, "efficiency": 1}
    return gp.Board("u250", name="published platform", clock_mhz=clock_mhz, memory=memory)


def chain_of(algorithm: str, throttle: int) -> Any:
    """Return the accelerator's blocks: sums of 32-bit integers, for SpMV of products."""
    chain = gp.Chain(algorithm)
    chain.array("rows", "uint64")
    for name in ("elements", *(("weights",) if algorithm == "spmv" else ()), "sums"):
        chain.array(name, "uint32")
    chain.add("for_all_prop_rdr", rows="rows", values="elements", sets="sets", lines="element_lines", throttle=throttle)
    if algorithm == "spmv":
        chain.add("set_req", sets="sets", values="weights", out="asked", lines="weight_lines")
        weighted = {"sets": "asked", "weights": "weight_lines", "functor": PRODUCT}
    else:
        weighted = {"sets": "sets", "functor": SUM}
    chain.add("nbr_prop_red", lines="element_lines", out="new", **weighted)
    chain.add("elem_update", updates="new", values="sums")
    return chain


@dataclass
class Run:
    """A prediction: MTEPS, cycles of the kernel for a set, bytes that every port moves for an edge."""

    algorithm: str
    how: str
    clock_mhz: int
    mteps: float
    cycles_per_set: float
    bytes_per_edge: dict[str, float]
    limit: str


def run_chain(algorithm: str, how: str, clock_mhz: int, throttle: int, rows: tuple[Any, Any]) -> Run:
    """Run an accelerator on the published platform, and compare its answer."""
    offsets, others = rows
    rng = np.random.default_rng(2)
    n, num_edges = len(offsets) - 1, len(others)
    along = rng.integers(0, 1 << 20, n, dtype=np.uint32)[others]
    given = {"rows": offsets, "elements": along, "sums": np.zeros(n, np.uint32)}
    terms = along.astype(np.uint64)
    if algorithm == "spmv":
        given["weights"] = rng.integers(1, 256, num_edges, dtype=np.uint32)
        terms *= given["weights"]
    result = chain_of(algorithm, throttle).run(board=published_board(clock_mhz), **given)
    ends = np.append(np.uint64(0), np.cumsum(terms))[offsets]
    if not np.array_equal(result.arrays["sums"], np.diff(ends).astype(np.uint32)):
        sys.exit(f"{algorithm}: other sums than NumPy's")
    moved = {name: (port["bytes_read"] + port["bytes_written"]) / num_edges for name, port in result.ports.items()}
    num_sets = int(np.count_nonzero(np.diff(offsets)))
    mteps = num_edges / result.seconds / 1e6
    return Run(algorithm, how, clock_mhz, mteps, result.cycles / num_sets, moved, result.limit)


def published_bound(offsets: Any, throttle: int) -> float:
    """MTEPS of PageRank that the published formats allow: bursts through ports and memory, and requests."""
    n, num_edges = len(offsets) - 1, int(offsets[-1])
    elements = num_blocks(offsets, BURST_ELEMENTS)
    by_vertex = -(-n // BURST_ELEMENTS)  # bursts of rows; as many of properties are read and written
    ports = max(elements, by_vertex) * (BURST_BYTES // PORT_BYTES)
    memory = (elements + 3 * by_vertex) * BURST_BYTES / MEMORY_BYTES * CLOCK_MHZ * 1e6
    return num_edges / (max(ports, memory, throttle * n) / CLOCK_MHZ)


# U250.


@dataclass
class OnBoard:
    """A run on a board of ours: MTEPS of the kernel and with launches, and the record of its ports."""

    algorithm: str
    kernel_mteps: float
    mteps: float
    supersteps: int
    ports: Any
    clock_mhz: int

    def usable(self, bank_bytes_per_second: float) -> float:
        """Bytes per second that the ports can carry together, if their banks deliver as much."""
        port = LINE_BYTES * self.clock_mhz * 1e6
        counts = np.bincount(self.ports["bank"])
        return float(np.minimum(counts * port, bank_bytes_per_second).sum())


def run_on_board(algorithm: str, graph: Any, board: str) -> OnBoard:
    """Run one of gaspipe's accelerators of blocks."""
    root = int(np.argmax(graph.out_degrees()))
    arguments = {"pagerank": {"number": "fixed", "tol": 0, "max_iter": 1}, "bfs": {"root": root}}[algorithm]
    call = getattr(gp, algorithm)
    result = call(graph, device=f"emulator:{board}", design="graphops", **arguments)
    if not np.array_equal(result.values, call(graph, method="gas", **arguments).values):
        sys.exit(f"{algorithm}: another answer than the CPU's")
    stats, blocks = result.stats, result.stats.blocks
    kernel = blocks.edges / (blocks.cycles / stats.clock_mhz)
    whole = blocks.edges / stats.predicted_seconds / 1e6
    return OnBoard(algorithm, kernel, whole, stats.num_supersteps, blocks.ports, stats.clock_mhz)


def ways_to_count(run: OnBoard, memory: dict[str, Any]) -> dict[str, tuple[float, float]]:
    """Bandwidth of the published platform and of ours, in bytes per second, by what counts as bandwidth."""
    bank = memory["peak_bytes_per_second"] * memory["efficiency"]
    port = min(LINE_BYTES * run.clock_mhz * 1e6, bank)
    return {
        "what the design's ports can use": (min(PUBLISHED_PORTS * PUBLISHED_PORT, MEMORY_BYTES), run.usable(bank)),
        "one port": (PUBLISHED_PORT, port),
        "all memory of the board": (MEMORY_BYTES, memory["num_banks"] * memory["peak_bytes_per_second"]),
    }


# Tables.


def degree_table(num_vertices: int, num_edges: int) -> str:
    """What the spread of degrees does to the bytes per edge, with no run."""
    rows = []
    for sigma in SIGMAS:
        offsets = np.zeros(num_vertices + 1, np.int64)
        _, destinations = draw(num_vertices, num_edges, sigma)
        np.cumsum(np.bincount(destinations, minlength=num_vertices), out=offsets[1:])
        degrees = np.diff(offsets)
        lines, bursts = num_blocks(offsets, LINE_BYTES // 4), num_blocks(offsets, BURST_ELEMENTS)
        rows.append(
            [
                f"{sigma:.1f}",
                *(f"{np.quantile(degrees, q):,.0f}" for q in (0.5, 0.99, 1)),
                f"{LINE_BYTES * lines / num_edges:.2f}",
                f"{BURST_BYTES * bursts / num_edges:.2f}",
            ]
        )
    heads = ["sigma", "median degree", "99 %", "largest", "in lines of 64, elements of 4", "in bursts of 192, of 6"]
    return table(heads, rows)


def published_table(runs: list[Run]) -> str:
    """Predictions on the published platform beside the published figures."""
    rows = [
        [
            run.algorithm,
            run.how,
            f"{LINE_BYTES * run.clock_mhz / 1e3:.1f}",
            f"{run.mteps:,.0f}",
            str(PUBLISHED[run.algorithm]),
            f"{run.mteps / PUBLISHED[run.algorithm]:.1f}",
            f"{run.cycles_per_set:.1f}",
            ", ".join(f"{name} {moved:.2f}" for name, moved in run.bytes_per_edge.items()),
            run.limit,
        ]
        for run in runs
    ]
    heads = ["accelerator", "how", "GB/s of a port", "MTEPS", "published", "ratio", "cycles per set", "bytes per edge"]
    return table([*heads, "limited by"], rows)


def distance_text(offsets: Any, runs: list[Run]) -> str:
    """How far the published figure of PageRank is below what its formats allow, step by step."""
    ours = next(run for run in runs if run.algorithm == "pagerank" and run.clock_mhz == CLOCK_MHZ)
    formats, throttled = published_bound(offsets, 1), published_bound(offsets, THROTTLE)
    num_sets = int(np.count_nonzero(np.diff(offsets)))
    measured = CLOCK_MHZ * int(offsets[-1]) / PUBLISHED["pagerank"] / num_sets
    moved = PUBLISHED["pagerank"] * 1e6 * BURST_BYTES * num_blocks(offsets, BURST_ELEMENTS) / int(offsets[-1])
    rows = [
        ["our blocks, as predicted above", f"{ours.mteps:,.0f}", "lines of 64 bytes, elements of 4"],
        ["bound of the published formats", f"{formats:,.0f}", "bursts of 192 bytes, elements of 6, ports of 96 bytes"],
        ["... with the published throttle", f"{throttled:,.0f}", f"a request every {THROTTLE} cycles"],
        ["published", f"{PUBLISHED['pagerank']:,}", f"{measured:.1f} cycles for every set"],
    ]
    return (
        table(["PageRank, 150 MHz", "MTEPS", "what counts"], rows)
        + f"""

Bandwidth does not explain the distance. With its own formats, and with its own rate of requests, the published design
could reach {throttled / PUBLISHED["pagerank"]:.1f} times what was published: at {PUBLISHED["pagerank"]} MTEPS a port of
14.4 GB/s that carries elements moves {moved / 1e9:.1f} GB/s. A set takes {measured:.1f} cycles there, and
{ours.cycles_per_set:.1f} in our blocks. The publication does not say what takes the others. Two things are not in our
model: row misses of its memory, where every set is a request of its own, and the host's pass over all edges between
iterations, which its figure may contain."""
    )


def board_tables(runs: list[OnBoard], board: str) -> str:
    """Return what is predicted on a board, where the bytes go, and the bar."""
    memory = gp.Board(board)["memory"]
    speed, traffic, bar = [], [], []
    for run in runs:
        total = float(run.ports["bytes_per_edge"].sum())
        speed.append(
            [run.algorithm, str(run.supersteps), f"{run.kernel_mteps:,.0f}", f"{run.mteps:,.0f}", f"{total:.2f}"]
        )
        traffic += [
            [
                run.algorithm,
                port["name"],
                str(port["bank"]),
                f"{port['bytes_per_edge']:.2f}",
                f"{100 * port['bytes_per_edge'] / total:.0f}",
                f"{100 * port['share']:.0f}",
            ]
            for port in run.ports
        ]
        for what, (theirs, ours) in ways_to_count(run, memory).items():
            scaled = PUBLISHED["pagerank"] * ours / theirs
            ratio = run.mteps / scaled
            bar.append(
                [
                    run.algorithm,
                    what,
                    f"{theirs / 1e9:.1f}",
                    f"{ours / 1e9:.1f}",
                    f"{scaled:,.0f}",
                    f"{run.mteps:,.0f}",
                    f"{ratio:.1f}",
                    "yes" if ratio >= BAR else "NO",
                ]
            )
    heads = ["accelerator", "bandwidth is", "published GB/s", "ours GB/s", "published, scaled", "predicted", "ratio"]
    return "\n\n".join(
        [
            table(["accelerator", "super-steps", "MTEPS of the kernel", "with launches", "bytes per edge"], speed),
            table(["accelerator", "port", "bank", "bytes per edge", "% of all", "% of the port's limit"], traffic),
            table([*heads, f"at least {BAR}"], bar),
        ]
    )


WAYS = (
    ("150 MHz", CLOCK_MHZ, 1),
    ("150 MHz, a request every 2 cycles", CLOCK_MHZ, THROTTLE),
    ("225 MHz, so that a port moves what a published one does", CLOCK_MHZ * PORT_BYTES // LINE_BYTES, 1),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--shrink", type=int, default=1, metavar="K", help="1/K of the vertices and of the edges")
    parser.add_argument(
        "--repeat", type=int, default=3, metavar="N", help="calls that the speed of the emulation is of"
    )
    parser.add_argument("--board", default="u250")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to write the tables, as Markdown")
    options = parser.parse_args()
    n, num_edges = VERTICES // options.shrink, EDGES // options.shrink

    sources, destinations = draw(n, num_edges, SIGMA)
    rows = rows_of(destinations, sources, n)
    runs = []
    for algorithm in PUBLISHED:
        for how, clock_mhz, throttle in WAYS:
            runs.append(run_chain(algorithm, how, clock_mhz, throttle, rows))
            print(runs[-1], file=sys.stderr)
    distance = distance_text(rows[0], runs)
    del rows
    graph = gp.Graph((sources, destinations), num_vertices=n)
    on_board = []
    for algorithm in ("pagerank", "bfs"):
        on_board.append(run_on_board(algorithm, graph, options.board))
        print(on_board[-1], file=sys.stderr)

    n_small, small = max(n // HOST_SHRINK, 64), max(num_edges // HOST_SHRINK, 64)
    speed = host_speed(gp.Graph(draw(n_small, small, SIGMA), num_vertices=n_small), options.board, options.repeat)
    print(speed, file=sys.stderr)

    text = f"""# Accelerators of GraphOps' blocks: predicted

{__doc__.partition(chr(10))[2].strip()}

Graph: {n:,} vertices, {num_edges:,} edges, sigma {SIGMA}. Published figures: {SOURCE}.

## With the published platform's figures

{CLOCK_MHZ} MHz, ports of {PORT_BYTES} bytes a cycle ({PUBLISHED_PORT / 1e9:.1f} GB/s), one memory of
{MEMORY_BYTES / 1e9:.1f} GB/s for all. The same blocks, wired with gp.Chain as hls/kernel/graphops_*.h wires them, in
32-bit integers; their ports move {LINE_BYTES} bytes a cycle. A time is that of one kernel run over all edges.

{published_table(runs)}

{distance}

## On {options.board.upper()}

PageRank in fixed point, a super-step, and a breadth-first search from the vertex with most out-edges, which counts the
edges of the vertices reached. "With launches" adds what starting the kernel and the host take once a super-step; the
host's part between super-steps (apply, copying properties along edges) is measured in a run, and not predicted.

{board_tables(on_board, options.board)}

A search marks what it hits in a bitmap on the chip and updates each line of levels once a level
(hls/block/mark_hits.h). With an update for every hit that a coalescer of 16 lines does not merge, as GraphOps has it,
the same search read 16.2 bytes of levels for an edge, 38.0 in all, and reached 454 MTEPS in the kernel and 438 with
launches.

The clock is the board's, 250 MHz. Circuits that open tools made of the blocks say that not all loops close there yet
([SYNTHESIS.md](../../hls/SYNTHESIS.md)); the predictions are too high by as much.

"Published, scaled" is {PUBLISHED["pagerank"]} MTEPS (PageRank; none was published
for BFS) times the ratio of both bandwidths, and "predicted" is with launches. Bandwidth is counted first as what the
ports of the design can use: on the published platform {PUBLISHED_PORTS} ports share {MEMORY_BYTES / 1e9:.1f} GB/s, here
the ports of a bank share what it delivers, and a port carries {LINE_BYTES} bytes a cycle at most. Then as what one port
carries, and as what all memory of the board has, used or not.

## How far degrees matter

Bytes that are read for an edge of what neighbors have, in our lines and in published bursts, by the spread of the
weights that degrees are drawn with (sigma; 0: all alike). No run is needed for it: each set takes the lines it lies in.

{degree_table(n, num_edges)}

## Speed of the emulation

`execution="exact"` of the accelerators of blocks beside that of the gather-scatter kernels, in the same run, with one
thread, on a graph of {n_small:,} vertices and {small:,} edges drawn likewise: million edges streamed per second of
this machine, the fastest of {options.repeat} calls each, and the seconds of a whole run. The gather-scatter kernels
stream all edges in every super-step, most of them without an active source, which is quick; blocks read the edges of
the vertices that are active, and no others.

{speed}
"""
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
