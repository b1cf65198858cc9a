# SPDX-License-Identifier: Apache-2.0
"""How fast a text of edges larger than the memory becomes a file of blocks, next to `sort` with the same memory.

`sort` orders the same lines by destination and source (LC_ALL=C, -n, as many threads, temporary files in the same
folder), and once as plain bytes, which is the least it can do. Both read the text from the page cache if it stays
there, and write their outcome to disk. Every conversion is a process of its own, so that its start and its peak of
memory count; the blocks are loaded and compared with the text once.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from machine import Samples, alternate, facts, load, require, save, table

# Prints the most memory that the conversion took besides what the modules do.
CONVERT = """
import sys
import gaspipe as gp
from machine import reset_peak, resident_bytes
gp.convert((range(3), range(3)), sys.argv[2])
reset_peak()
before = resident_bytes("VmHWM")
gp.convert(sys.argv[1], sys.argv[2], memory=sys.argv[3], num_threads=int(sys.argv[4]), format="edge_list")
print(resident_bytes("VmHWM") - before)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--memory", default="64MB", help="of both")
    parser.add_argument("--times", type=float, default=10, help="the text's size, in times the memory")
    parser.add_argument("--scale", type=int, default=20, help="2**SCALE vertices")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--patience", type=float, default=30, metavar="S", help="seconds to wait for idle CPUs")
    parser.add_argument("--folder", help="where all files lie; by default that for temporary files")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    np, gp = require("numpy"), require("gaspipe")
    from gaspipe._memory import num_bytes

    before, memory = load(), num_bytes(options.memory)
    with tempfile.TemporaryDirectory(dir=options.folder) as place:
        text, blocks, lines = (Path(place) / name for name in ("edges.txt", "edges.gaspipe", "sorted.txt"))
        num_edges = write_text(text, int(memory * options.times), 1 << options.scale)
        size = text.stat().st_size
        peaks: list[int] = []

        def convert(_: int) -> tuple[list[float], float]:
            command = [sys.executable, "-c", CONVERT, text, blocks, str(memory), str(options.threads)]
            seconds, told = timed(command, PYTHONPATH=str(Path(__file__).parent))
            peaks.append(int(told))
            return seconds, 0.0

        def sort(*keys: str) -> Any:
            command = [
                "sort",
                *keys,
                "-S",
                f"{memory}b",
                "-T",
                place,
                f"--parallel={options.threads}",
                "-o",
                lines,
                text,
            ]
            return lambda _: (timed(command, LC_ALL="C")[0], 0.0)

        sides = {"gp.convert": convert, "sort -n": sort("-n", "-k2,2", "-k1,1"), "sort, bytes": sort()}
        samples: dict[str, Samples] = alternate(options.rounds, options.patience, sides)
        compare(np, gp, text, blocks)
        out = blocks.stat().st_size
    base = samples["gp.convert"].median
    rows = [
        [name, str(taken), f"{size / taken.median / 1e6:.3g}", f"{taken.median / base:.2f}"]
        for name, taken in samples.items()
    ]
    print(table(["what", "ms", "MB/s of text", "ratio to gp.convert"], rows), end="\n\n")
    known = facts(
        gaspipe=gp.__version__,
        threads=options.threads,
        memory=memory,
        edges=num_edges,
        text_bytes=size,
        blocks_bytes=out,
        peak_bytes=max(peaks),
        load=f"{before} before, {load()} after",
    )
    print("\n".join(f"{key}: {value}" for key, value in known.items()))
    save(options.json, {"facts": known, "seconds": samples})


def write_text(path: Path, size: int, num_vertices: int) -> int:
    """Write at least so many bytes of lines, without keeping them; sources are skewed."""
    np = require("numpy")
    rng = np.random.default_rng(1)
    num_edges, lot = 0, 1 << 18
    with open(path, "wb") as file:
        while file.tell() < size:
            sources = (num_vertices * rng.random(lot) ** 3).astype(int).tolist()
            file.write(b"".join(map(b"%d %d\n".__mod__, zip(sources, rng.integers(0, num_vertices, lot).tolist()))))
            num_edges += lot
    return num_edges


def timed(command: list[Any], **environment: str) -> tuple[list[float], str]:
    start = time.perf_counter()
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=True)
    return [time.perf_counter() - start], done.stdout


def compare(np: Any, gp: Any, text: Path, blocks: Path) -> None:
    """End the script unless the blocks have the edges of the text."""
    wanted, got = gp.Graph.from_edge_list_file(text), gp.Graph.load(blocks)
    wanted = wanted.transpose().transpose()
    if not (np.array_equal(wanted.indptr, got.indptr) and np.array_equal(wanted.indices, got.indices)):
        sys.exit("convert.py: the blocks do not have the edges of the text")


if __name__ == "__main__":
    main()
