# SPDX-License-Identifier: Apache-2.0
"""Fuzz targets of what is written in Python: files, boards, snippets, tables and command lines.

A target takes any bytes. It ends, or raises what breaks a promise; the errors that a reader may end in are caught.
`python python_targets.py NAME CORPUS...` fuzzes one, by atheris where that is installed (pip install atheris), else by
random changes of the seeds; benchmarks/fuzz.py calls it, and tests/python/test_fuzz.py tries some changes of each.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import inspect
import io
import itertools
import json
import os
import random
import struct
import sys
import tempfile
import time
import types
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import python_seeds as seeds_of

if importlib.util.find_spec("atheris") and __name__ == "__main__":
    import atheris

    with atheris.instrument_imports(include=["gaspipe"]):
        import gaspipe as gp
        from gaspipe import _own, _predict, cli  # noqa: F401  (instrumented now)
        from gaspipe._card import xclbin as _xclbin
        from gaspipe._formats import csv, gap, gaspipe, graphml, npz  # noqa: F401
        from gaspipe._own import snippet
else:
    atheris = None
    import gaspipe as gp
    from gaspipe._card import xclbin as _xclbin
    from gaspipe._own import snippet

REFUSED = (gp.GraphFormatError, gp.InputError, gp.CapacityError)
PACKAGE = Path(gp.__file__).parent


class Target(NamedTuple):
    """What is fuzzed."""

    run: Callable[[bytes, Path], object]  # with a folder for its files
    seeds: Callable[[Path], Iterable[bytes]]
    modules: tuple[str, ...]  # below the package, whose lines count
    longest: int = 2048
    beside: str = ""  # functions there that do not read such bytes: they write, look for files, or read something else


def _written(data: bytes, folder: Path, name: str) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def check(graph: gp.Graph) -> None:
    """Look at a graph that was read: it must be one, and a search through it must end."""
    n, offsets, targets = max(graph.shape), np.asarray(graph.indptr), np.asarray(graph.indices)
    assert offsets[0] == 0 and offsets[-1] == len(targets) == graph.num_edges
    assert (offsets[1:] >= offsets[:-1]).all()
    assert len(targets) == 0 or targets.max() < n
    if graph.shape[0] == graph.shape[1] and n < 5000:
        depth = gp.bfs(graph, root=gp.index(0), num_threads=1).depth
        assert len(depth) == n and depth[0] == 0


# Saved graphs.


def renewed(data: bytes) -> bytes:
    """Return the file with checksums that are right, wherever its header can be read."""
    prefix = struct.Struct("<8sHHIQQ")
    if len(data) < prefix.size:
        return data
    magic, major, minor, _, header_bytes, _ = prefix.unpack_from(data)
    if not prefix.size <= header_bytes <= len(data):
        return data
    text, rest = data[prefix.size : header_bytes], bytearray(data[header_bytes:])
    first = -header_bytes % 64
    try:
        header = json.loads(text)
        by_name = {(each["kind"], each.get("name", "")): each for each in header["sections"]}
        for (kind, name), each in by_name.items():
            if kind == "edge_index":
                start, size = first + each["start"], each["bytes"]
                blocks = first + by_name["edge_blocks", name]["start"]
                for at in range(start, start + size - 39, 40):
                    place, length = struct.unpack_from("<QI", rest, at)
                    block = rest[blocks + place : blocks + place + length]
                    struct.pack_into("<I", rest, at + 12, zlib.crc32(block))
            if kind == "list_checks":
                records = by_name["list_records", ""]
                page = first + records["start"]
                page += -(page + header_bytes) % 4096
                for at in range(first + each["start"], first + each["start"] + each["bytes"] - 3, 4):
                    last = min(page + 4096, first + records["start"] + records["bytes"])
                    struct.pack_into("<I", rest, at, zlib.crc32(rest[page:last]))
                    page += 4096
        for each in header["sections"]:
            content = rest[first + each["start"] : first + each["start"] + each["bytes"]]
            each["crc32"] = f"{zlib.crc32(zlib.crc32(content).to_bytes(4, 'little')):08x}"
        new = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")
        if len(new) <= len(text):  # else it was no such header
            text = new.ljust(len(text))
    except (ValueError, KeyError, TypeError, AttributeError, struct.error, IndexError, RecursionError, OverflowError):
        pass
    size = header_bytes + len(rest)
    start = prefix.pack(magic, major, minor, 0, header_bytes, size)
    return prefix.pack(magic, major, minor, zlib.crc32(start + text), header_bytes, size) + text + bytes(rest)


def saved(data: bytes, folder: Path) -> None:
    path = _written(renewed(data[1:]) if data[:1] != b"\xff" else data[1:], folder, "graph.gaspipe")
    found = []
    for how in ({"mmap": False}, {"mmap": True}, {"memory": "1 GB"}):
        try:
            graph = gp.Graph.load(path, num_threads=1, **how)
            if "memory" not in how:
                check(graph)
            elif max(graph.shape) < 5000:
                depth = gp.bfs(graph, root=gp.index(0), num_threads=1).depth
                assert len(depth) == max(graph.shape)
                if b"list_records" in data:
                    gp.bfs(graph, root=gp.index(0), method="local_store", workers=2)
            found.append(how)
        except REFUSED as error:
            assert str(path) in str(error) or "memory" in how, error
    assert ({"mmap": False} in found) == ({"mmap": True} in found), found


# Other files.


def file_of(format: str, **options: Any) -> Callable[[bytes, Path], None]:
    def run(data: bytes, folder: Path) -> None:
        path = _written(data, folder, "file")
        try:
            check(gp.Graph.from_file(path, format=format, num_threads=1, **options))
        except REFUSED as error:
            assert "file" in str(error), error

    return run


def npz_run(data: bytes, folder: Path) -> None:
    """Arrays of an archive, each as `.npy`: a name's number, its length, the bytes; checksums are the archive's own."""
    import zipfile

    names = seeds_of.NPZ_NAMES
    packed, at = io.BytesIO(), 1
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED if data[:1] == b"\1" else zipfile.ZIP_STORED) as archive:
        while at + 3 <= len(data):
            number, size = data[at], int.from_bytes(data[at + 1 : at + 3], "little")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of names that are there twice
                archive.writestr(names[number % len(names)] + ".npy", data[at + 3 : at + 3 + size])
            at += 3 + size
    file_of("npz")(packed.getvalue(), folder)


CSV_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"columns": ("source", "target")},
    {"header": True, "directed": False},
    {"header": False},
    {"columns": ("f0", "f1", "f2"), "header": False},
)


def csv_run(data: bytes, folder: Path) -> None:
    if data:
        file_of("csv", **CSV_OPTIONS[data[0] % len(CSV_OPTIONS)])(data[1:], folder)


def board(data: bytes, folder: Path) -> None:
    path = _written(data, folder, "mine.json")
    try:
        found = gp.Board.from_file(path)
    except gp.InputError as error:
        assert str(path) in str(error), error
        return
    assert gp.Board(found.to_dict()).to_dict() == found.to_dict()


def outline(data: bytes, folder: Path) -> None:
    """A snippet's outline, and what else is read of it without a compiler."""
    text = data.decode("utf-8", "replace")
    for read in (
        lambda: snippet.read(text, "hooks"),
        lambda: snippet.check_brackets(text, "body"),
        lambda: snippet.lint(text, "hooks"),
        lambda: snippet.real_numbers(text),
    ):
        with contextlib.suppress(gp.InputError):
            read()
    plain = snippet.plain(text)
    assert len(plain) == len(text) and plain.count("\n") == text.count("\n")


def xclbin(data: bytes, folder: Path) -> None:
    path = _written(data, folder, "kernels.xclbin")
    try:
        found = _xclbin.read(str(path))
        _xclbin.contents(found)
    except gp.DeviceError:
        return
    for unit in found.units:
        assert all(bank < len(found.banks) for banks in unit.banks.values() for bank in banks)


# What is handed over in memory.


def arrow(data: bytes, folder: Path) -> None:
    """A stream of Arrow's; what pyarrow itself finds wrong is not ours."""
    import pyarrow as pa

    try:
        table = pa.ipc.open_stream(data).read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, MemoryError):
        return
    try:
        check(gp.Graph(table))
    except (*REFUSED, TypeError):
        pass


def arrays(data: bytes, folder: Path) -> None:
    """What the pickle of a graph hands over: rows as arrays, of any type, length and content."""
    dtypes = ("<u4", "<u8", "<i4", "<i8", "<f4", "<f8", "|u1", "<u2", "|b1", "<c8")
    if len(data) < 8:
        return
    shape = 1 + data[0] % 20, 1 + data[1] % 20
    kinds = [dtypes[byte % 4 if byte < 200 else byte % len(dtypes)] for byte in data[2:5]]
    sizes, parts, at = [data[5] % 64, data[6] % 64, data[7] % 64], [], 8
    for kind, size in zip(kinds, sizes):
        raw = data[at : at + size]
        width = np.dtype(kind).itemsize
        parts.append(np.frombuffer(raw[: len(raw) // width * width], kind))
        at += size
    from gaspipe.graph import _unpickle

    try:
        check(_unpickle(shape, parts[0], parts[1], parts[2] if data[0] < 128 else None, None, {}))
    except (*REFUSED, TypeError):
        pass


def arguments(data: bytes, folder: Path) -> None:
    """A command line of some words: it ends with a documented exit code, never with a traceback."""
    from click.testing import CliRunner

    from gaspipe import cli

    here = {name: str(folder / f"{name.lower()}.txt") for name in ("GRAPH", "LABELS", "LIST", "OUT")}
    here = {**here, "@LIST": "@" + here["LIST"], "ARRAY": str(folder / "array.npy")}
    kept = {folder / "graph.txt", folder / "labels.txt", folder / "list.txt", folder / "array.npy"}
    if not all(path.exists() for path in kept):
        (folder / "graph.txt").write_text("0 1\n1 2\n2 0\n")
        (folder / "labels.txt").write_text("source,target\na,b\nb,0\n")
        (folder / "list.txt").write_text("0\n1\n2 # the last\n")
        np.save(folder / "array.npy", np.arange(3.0))
    words = [seeds_of.WORDS[byte % len(seeds_of.WORDS)] for byte in data[:12]]
    words = [here.get(word, word) for word in words]
    before = os.getcwd()
    os.chdir(folder)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done = CliRunner().invoke(cli.main, words, input="0 1\n")
    finally:
        os.chdir(before)
        for left in folder.iterdir():
            if left not in kept and left.is_file():
                left.unlink()
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code in (0, 1, 2, 3, 141), (words, done.exit_code, done.output)


TARGETS = {
    "saved": Target(
        saved,
        seeds_of.saved_wrongly,
        tuple(f"_formats/gaspipe/{n}.py" for n in ("layout", "sections", "load", "stored", "labels", "streamed")),
        8192,
        "labels_to_json _culprit _to_json scratch_folder _scratch_folder _scratch_folder_or is_stored header_of",
    ),
    "graphml": Target(file_of("graphml"), seeds_of.graphml, ("_formats/graphml.py",)),
    "csv": Target(csv_run, seeds_of.csv, ("_formats/csv.py", "_formats/_columns.py"), beside="sniff"),
    "npz": Target(
        npz_run, seeds_of.npz, ("_formats/npz.py", "_formats/_arrays.py"), 4096, "memory __init__ write flush"
    ),
    "gap": Target(file_of("gap"), seeds_of.gap, ("_formats/gap.py",)),
    "board": Target(
        board,
        seeds_of.board,
        ("_predict/board.py",),
        beside="resolve name __getitem__ __iter__ __len__ __repr__",
    ),
    "outline": Target(
        outline, seeds_of.outline, tuple(f"_own/snippet/{n}.py" for n in ("outline", "lint", "literals"))
    ),
    "xclbin_python": Target(
        xclbin,
        seeds_of.xclbin,
        ("_card/xclbin.py",),
        beside="design __str__ _digest _own programs programs_of program holds identify _identify board_of target "
        "user_folder search_path files look_at verdict",
    ),
    "arrow": Target(
        arrow,
        seeds_of.arrow,
        ("_tables/arrow.py", "_tables/reading.py", "_tables/vertices.py"),
        4096,
        "_read edges_of _columns_of _is_lazy with_those_of vertex_column",
    ),
    "arrays": Target(arrays, seeds_of.arrays, ("graph.py",), 256, "__init__ __reduce__ __repr__ as_graph"),
    "arguments": Target(
        arguments, seeds_of.arguments, ("cli/group.py", "cli/algorithm.py", "cli/parameters.py"), 12, "make_command"
    ),
}


def changes(seeds: list[bytes], seed: int, longest: int) -> Iterator[bytes]:
    """Random changes of the seeds, without end: bits, bytes, numbers, parts left out, repeated or joined."""
    chance = random.Random(seed)
    while True:
        data = bytearray(chance.choice(seeds))
        for _ in range(chance.choice((1, 1, 2, 3, 5))):
            at = chance.randrange(len(data) + 1)
            how = chance.randrange(7)
            if how == 0 and at < len(data):
                data[at] ^= 1 << chance.randrange(8)
            elif how == 1 and at < len(data):
                data[at] = chance.choice((0, 1, 32, 47, 48, 57, 127, 128, 255, chance.randrange(256)))
            elif how == 2:
                del data[at : at + chance.choice((1, 1, 2, 4, 16, 300))]
            elif how == 3:
                data[at:at] = bytes(chance.randrange(256) for _ in range(chance.choice((1, 2, 4, 8))))
            elif how == 4:
                other = chance.choice(seeds)
                data[at:] = other[chance.randrange(len(other) + 1) :]
            elif how == 5:
                value = chance.choice((0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1, chance.randrange(300)))
                text = chance.choice((str(value).encode(), (value % 2**32).to_bytes(4, "little")))
                data[at : at + len(text)] = text
            else:
                data[at:at] = data[at : at + chance.choice((1, 4, 20, 100))]
        yield bytes(data[:longest])


def lines_of(path: Path, beside: str) -> set[int]:
    """Lines that run when functions are called, those of some aside."""
    lines, pending = set(), [compile(path.read_text(encoding="utf-8"), str(path), "exec")]
    while pending:
        code = pending.pop()
        if code.co_name in beside.split():
            continue
        pending += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
        if code.co_flags & inspect.CO_OPTIMIZED:  # a function; not a module, and not a class
            lines |= {line for _, _, line in code.co_lines() if line and line != code.co_firstlineno}
    return lines


def covered_lines(name: str, corpora: list[Path]) -> str:
    """Lines of the target's modules that its seeds, changes of them and corpora reach."""
    target, reached = TARGETS[name], set()
    lines = {str(PACKAGE / module): lines_of(PACKAGE / module, target.beside) for module in target.modules}

    def trace(frame: Any, event: str, _: object) -> Any:
        file = frame.f_code.co_filename
        if file not in lines:
            return None
        reached.add((file, frame.f_lineno))
        return trace

    with tempfile.TemporaryDirectory() as folder:
        inputs = [*target.seeds(Path(folder))]
        inputs += [path.read_bytes() for corpus in corpora if corpus.is_dir() for path in corpus.iterdir()]
        inputs += itertools.islice(changes(inputs, 1, target.longest), 1000)
        sys.settrace(trace)
        try:
            for data in inputs:
                target.run(data, Path(folder))
        finally:
            sys.settrace(None)
    missed = sorted(
        f"{Path(file).name}:{line}" for file in lines for line in lines[file] if (file, line) not in reached
    )
    count = sum(map(len, lines.values()))
    print(f"{name} does not reach", *missed, file=sys.stderr)
    return f"{count - len(missed)} of {count} lines ({100 * (count - len(missed)) / count:.0f} %)"


def main() -> None:
    """Fuzz one target, with those of libFuzzer's options that benchmarks/fuzz.py gives."""
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=TARGETS)
    parser.add_argument("corpora", nargs="*", type=Path)
    given, options = parser.parse_known_args()
    target = TARGETS[given.name]
    with tempfile.TemporaryDirectory() as folder:
        seeds = [*target.seeds(Path(folder))]
        if atheris is not None:
            start = Path(folder) / "seeds"
            start.mkdir()
            for i, seed in enumerate(seeds):
                (start / f"seed_{i}").write_bytes(seed)
            work = Path(folder) / "work"
            work.mkdir()
            corpora = [*map(str, given.corpora), str(start)]
            limits = [f"-max_len={target.longest}", "-timeout=300", "-report_slow_units=300", "-rss_limit_mb=0"]
            atheris.Setup([sys.argv[0], *options, *limits, *corpora], lambda data: target.run(data, work))
            atheris.Fuzz()
        named = dict(option.lstrip("-").split("=", 1) for option in options if "=" in option)
        end = time.monotonic() + float(named.get("max_total_time", 60))
        for corpus in given.corpora:
            seeds += [path.read_bytes() for path in corpus.iterdir()]
        number = 0
        for number, data in enumerate(changes(seeds, time.time_ns(), target.longest), 1):
            try:
                target.run(data, Path(folder))
            except Exception:
                kept = Path(named.get("artifact_prefix", "./") + f"crash-{zlib.crc32(data):08x}")
                kept.write_bytes(data)
                print(f"stat::number_of_executed_units: {number}")
                raise
            if time.monotonic() > end:
                break
        print(f"stat::number_of_executed_units: {number}")


if __name__ == "__main__":
    main()
