# SPDX-License-Identifier: Apache-2.0
"""Reading text: gaspipe beside pandas.read_csv and others, on the same plain files, in one process, in turn.

`arrays` is the time to have the edges as arrays, what the others do too; `graph` goes on to the finished gp.Graph. The
others get the options of an experienced user: separator, no header, the lines to skip, narrow dtypes. First the
arrays are compared. Ratios are of medians of wall time and of the process's CPU time, which other processes disturb
less; with one thread, which is pandas's C engine's number, and with all.

Bar: `arrays` no slower than pandas.read_csv's C engine on every file. METIS files, which pandas cannot read, are held
against NumPy's np.fromfile, which gives their numbers without rows, and against pandas on a list of the same edges.
"""

from __future__ import annotations

import argparse
import gzip
import lzma
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, NamedTuple

from machine import Others, Samples, compiler_of, facts, load, require, save, table, wait_until_quiet

ROOT = Path(__file__).resolve().parents[1]
REAL = {
    "web-NotreDame": "web-NotreDame.txt.gz",
    "USA-road-d.NY": "USA-road-d.NY.gr.xz",
    "cnr-2000-sym": "cnr-2000-sym.graph.xz",
}


class File(NamedTuple):
    """A plain text file, and how to read its edges."""

    what: str
    path: Path
    kind: str  # edge_list, dimacs9 or metis
    separator: str
    skipped: int  # lines before the first edge
    columns: list[int]  # of source, destination and weight
    decimals: bool
    list_path: Path | None = None  # of METIS: the same edges as a list

    @property
    def first_id(self) -> int:
        return 0 if self.kind == "edge_list" else 1


class Times(NamedTuple):
    """Of one reader and file: wall and CPU seconds, and both of every round."""

    wall: Samples
    cpu: Samples
    rounds: list[tuple[float, float]]

    def over(self, other: Times) -> list[str]:
        """Ratios of the medians, wall and CPU, with the range of those of the single rounds."""
        cells = []
        for i, (mine, theirs) in enumerate([(self.wall, other.wall), (self.cpu, other.cpu)]):
            single = [a[i] / b[i] for a, b in zip(self.rounds, other.rounds)]
            cells.append(f"{mine.median / theirs.median:.2f} ({min(single):.2f}-{max(single):.2f})")
        return cells


def unpacked(source: Path, folder: Path) -> Path:
    opener: Any = {".gz": gzip.open, ".xz": lzma.open}[source.suffix]
    target = folder / source.stem
    with opener(source, "rb") as packed:
        target.write_bytes(packed.read())
    return target


def lines_before_edges(path: Path) -> int:
    with open(path, "rb") as file:
        return next(i for i, line in enumerate(file) if line[:1] not in b"#%cp")


def real_files(data: Path, folder: Path) -> list[File]:
    np, pd = require("numpy"), require("pandas")
    files = []
    for what, name in REAL.items():
        if not (data / name).exists():
            print(f"no {data / name}: left out; --data says where it is", file=sys.stderr)
            continue
        path = unpacked(data / name, folder)
        skipped = lines_before_edges(path)
        if what == "web-NotreDame":
            files.append(File(what, path, "edge_list", "\t", skipped, [0, 1], False))
        elif what == "USA-road-d.NY":
            files.append(File(what, path, "dimacs9", " ", skipped, [1, 2, 3], False))
        else:
            rows = [line for line in path.read_bytes().split(b"\n")[:-1] if not line.startswith(b"%")][1:]
            sources = np.repeat(np.arange(1, len(rows) + 1), [len(row.split()) for row in rows])
            edges = pd.DataFrame({"source": sources, "destination": np.array(b" ".join(rows).split(), np.int64)})
            listed = folder / f"{what}.txt"
            edges.to_csv(listed, sep=" ", header=False, index=False)
            files.append(File(what, path, "metis", " ", skipped + 1, [0, 1], False, listed))
    return files


def made_files(scale: int, folder: Path) -> list[File]:
    gp, np, pd = require("gaspipe"), require("numpy"), require("pandas")
    graph = gp.generate.kronecker(scale, 16, seed=1, weights=(1, 255))
    sources = np.repeat(np.arange(graph.num_vertices), graph.out_degrees())
    table = pd.DataFrame({"source": sources, "destination": graph.indices, "weight": graph.weights})
    decimals = np.random.default_rng(1).uniform(0, 1000, len(table)).round(3)
    files = []
    for what, columns in (
        ("no weights", table[["source", "destination"]]),
        ("integer weights", table),
        ("decimal weights", table.assign(weight=decimals)),
    ):
        path = folder / f"kronecker-{what.split()[0]}.txt"
        columns.to_csv(path, sep=" ", header=False, index=False)
        columns_read = list(range(columns.shape[1]))
        files.append(File(f"Kronecker {scale}, {what}", path, "edge_list", " ", 0, columns_read, "decimal" in what))
    return files


def our_arrays(file: File, threads: int) -> Any:
    from gaspipe._core import EdgeListParser, EdgeSyntax, MetisParser
    from gaspipe._files import CHUNK, open_bytes

    def feed(parser: Any) -> None:
        with open_bytes(file.path) as stream:
            while chunk := stream.read(CHUNK):
                parser.feed(chunk)

    if file.kind == "metis":
        rows = MetisParser(str(file.path), threads, "auto")
        feed(rows)
        return rows.finish()
    syntax = EdgeSyntax.DIMACS9 if file.kind == "dimacs9" else EdgeSyntax.PLAIN
    parser = EdgeListParser(str(file.path), threads, syntax)
    feed(parser)
    return parser.finish(False)


def our_graph(file: File, threads: int) -> Any:
    from gaspipe import _formats

    return _formats.read(file.path, file.kind, _formats.ReadOptions(threads=threads))


def sides_of(file: File, threads: list[int], slow: bool) -> dict[str, Callable[[], Any]]:
    """What is timed: name -> call. Names that begin with `pandas C` are the bar."""
    np, pd = require("numpy"), require("pandas")
    path = file.list_path or file.path
    skipped = 0 if file.list_path else file.skipped
    names = ["source", "destination", "weight"][: len(file.columns)]
    dtypes = dict(zip(names, [np.int32, np.int32, np.float64 if file.decimals else np.int32]))

    def pandas(engine: str) -> Any:
        # low_memory, which is on, halves the time where dtypes are given; skipping lines is as fast as comment="#".
        options = {"usecols": file.columns} if engine == "c" and file.kind == "dimacs9" else {}
        columns = ["kind", *names] if file.kind == "dimacs9" else names
        frame = pd.read_csv(
            path, sep=file.separator, header=None, names=columns, skiprows=skipped, dtype=dtypes, engine=engine,
            **options,
        )  # fmt: skip
        return [frame[name].to_numpy() for name in names]

    sides: dict[str, Callable[[], Any]] = {}
    for count in threads:
        sides[f"gaspipe arrays, {count} thread{'s' * (count > 1)}"] = lambda n=count: our_arrays(file, n)
        sides[f"gaspipe graph, {count} thread{'s' * (count > 1)}"] = lambda n=count: our_graph(file, n)
    listed = ", edge list" if file.list_path else ""
    sides[f"pandas C{listed}"] = lambda: pandas("c")
    if available("pyarrow"):
        sides[f"pandas pyarrow{listed}"] = lambda: pandas("pyarrow")
    if available("polars"):
        sides[f"polars{listed}"] = lambda: polars_arrays(path, file, skipped)
    if file.kind == "metis":
        sides["np.fromfile"] = lambda: numbers_of(file)
    if slow:
        if file.kind == "edge_list":
            dtype = np.float64 if file.decimals else np.int64
            sides["np.loadtxt"] = lambda: np.loadtxt(path, dtype, skiprows=skipped, delimiter=file.separator)
        if file.columns == [0, 1] and available("igraph"):
            plain = path if skipped == 0 else without_comments(path)
            sides[f"igraph Read_Edgelist{listed}"] = lambda: require("igraph").Graph.Read_Edgelist(str(plain))
    return sides


def available(module: str) -> bool:
    try:
        __import__(module)
    except ImportError:
        return False
    return True


def polars_arrays(path: Path, file: File, skipped: int) -> Any:
    pl = require("polars")
    types = [pl.Int32, pl.Int32, pl.Float64 if file.decimals else pl.Int32][: len(file.columns)]
    schema = {f"c{i}": pl.String for i in range(file.columns[0])} | {f"c{i}": t for i, t in zip(file.columns, types)}
    frame = pl.read_csv(path, separator=file.separator, has_header=False, skip_rows=skipped, schema=schema)
    return [frame[f"c{i}"].to_numpy() for i in file.columns]


def numbers_of(file: File) -> Any:
    np = require("numpy")
    with open(file.path, "rb") as stream:
        for _ in range(file.skipped):
            stream.readline()
        return np.fromfile(stream, np.int64, sep=" ")


def without_comments(path: Path) -> Path:
    plain = path.with_suffix(".plain")
    with open(path, "rb") as source, open(plain, "wb") as target:
        target.writelines(line for line in source if line[:1] not in b"#%")
    return plain


def compare(file: File, sides: dict[str, Callable[[], Any]]) -> None:
    """End the script unless all sides read the same edges."""
    np = require("numpy")
    if file.kind == "metis":
        _, offsets, targets, *_ = our_arrays(file, 1)
        sources = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets.astype(np.int64)))
        ours = [sources, targets]
        if not np.array_equal(numbers_of(file), targets.astype(np.int64) + 1):
            sys.exit(f"read_speed.py: {file.what}: np.fromfile reads other numbers")
    else:
        sources, targets, weights, *_ = our_arrays(file, 1)
        ours = [sources, targets] + ([] if weights is None else [weights])
    for name, call in sides.items():
        if not name.startswith(("pandas", "polars")):
            continue
        theirs = call()
        ends = [theirs[0] - file.first_id, theirs[1] - file.first_id, *theirs[2:]]
        if not all(np.array_equal(a, b) for a, b in zip(ours, ends)) or len(ours) != len(ends):
            sys.exit(f"read_speed.py: {file.what}: {name} reads other edges than gaspipe")


def measure(sides: dict[str, Callable[[], Any]], rounds: int, patience: float) -> dict[str, Times]:
    """Time all sides in turn, after a warm-up."""
    times = {side: Times(Samples(), Samples(), []) for side in sides}
    for i in range(rounds + 1):
        for side, call in sides.items():
            wait_until_quiet(patience)
            with Others() as others:
                wall, cpu = time.perf_counter(), time.process_time()
                answer = call()
                wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            del answer
            if i > 0:
                times[side].wall.add([wall], others.share)
                times[side].cpu.add([cpu], others.share)
                times[side].rounds.append((wall, cpu))
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    default = Path(os.environ.get("GASPIPE_DATA") or ROOT.parent / "shared" / "data")
    parser.add_argument("--data", type=Path, default=default, help=f"folder of the real graphs (default: {default})")
    parser.add_argument("--scale", type=int, default=18, help="of the Kronecker graph (default: 18)")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="besides one (default: one per CPU)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the files whose description holds it")
    parser.add_argument("--slow", action="store_true", help="also np.loadtxt and igraph")
    parser.add_argument("--patience", type=float, default=0, metavar="S", help="wait up to S seconds for idle CPUs")
    parser.add_argument("--json", metavar="FILE", help="write all samples")
    options = parser.parse_args()
    gp, pd = require("gaspipe"), require("pandas")
    threads = sorted({1, options.threads})
    before, lines, report, missed = load(), [], [], []
    with tempfile.TemporaryDirectory() as folder:
        files = real_files(options.data, Path(folder)) + made_files(options.scale, Path(folder))
        for file in files:
            if options.only not in file.what:
                continue
            sides = sides_of(file, threads, options.slow)
            compare(file, sides)
            times = measure(sides, options.rounds, options.patience)
            bar = next(name for name in sides if name.startswith("pandas C"))
            megabytes = file.path.stat().st_size / 1e6
            for side, time_of in times.items():
                wall, ratios = time_of.wall, time_of.over(times[bar])
                rate = f"{megabytes / wall.median:.0f}" if ", edge list" not in side else ""
                lines.append([f"{file.what}, {megabytes:.0f} MB", side, str(wall), str(time_of.cpu), rate, *ratios])
                report.append({"file": file.what, "side": side, "wall": wall, "cpu": time_of.cpu})
                if side.startswith("gaspipe arrays") and wall.median > times[bar].wall.median:
                    missed.append(f"{file.what}: {side} {ratios[0]}")
    head = ["file", "reader", "wall ms (middle half)", "CPU ms", "MB/s", "wall / pandas C", "CPU / pandas C"]
    print(table(head, lines))
    print("\nBar, arrays no slower than pandas C: " + ("; ".join(missed) if missed else "met on every file"))
    known = facts(
        pandas=pd.__version__, gaspipe=f"{gp.__version__}, {compiler_of(gp._core.__file__)}", rounds=options.rounds,
        load=f"{before} before, {load()} after",
    )  # fmt: skip
    print("\n".join(f"{key}: {value}" for key, value in known.items()))
    save(options.json, {"facts": known, "rows": report})


if __name__ == "__main__":
    main()
