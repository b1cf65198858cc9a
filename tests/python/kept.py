# SPDX-License-Identifier: Apache-2.0
"""What tools made of the same input in an earlier run, as ccache has it of objects: compilers, yosys, Verilator.

A key is of all that a result depends on: the tool and its version, its options, the content of every file that it
reads, and the code of the project that has a part in it; so a change of any of them runs the tool again. Results lie
beside the compiled snippets, which tests/run removes after two weeks; without GASPIPE_TESTS_COMPILED, or with
GASPIPE_WHOLE=1, every tool is run.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from gaspipe import _circuit
from gaspipe._circuit.synthesis import Cost, synthesize
from tools import whole

CIRCUIT = Path(_circuit.__file__).parent


def values(parts: Iterable[object], make: Callable[[], Any]) -> Any:
    """Return what `make` returned for the same parts: what JSON can hold. An exception is not kept."""
    key = _digest(*parts)
    found = _read(key)
    if found is None:
        found = {"values": make()}
        _write(key, found)
    return found["values"]


def compiled(
    command: list[object], under: Path, text: str = "", output: Path | None = None
) -> subprocess.CompletedProcess:
    """Run a compiler without its -o: as subprocess.run, with `text` as its standard input.

    `under`: the folder of this run that paths of the command are in; another run has the same files elsewhere. A
    failure is kept where the compiler says what is wrong with the source.
    """
    words, options = [*map(str, command)], ["-o", str(output)] if output else []

    def run() -> dict[str, Any]:
        done = subprocess.run([*words, *options], input=text, capture_output=True, text=True, timeout=600)
        return {"code": done.returncode, "out": done.stdout, "err": done.stderr}

    found = of_sources(words, under, text, [], run, lambda it: it["code"] == 0 or _is_of_the_source(it), output)
    return subprocess.CompletedProcess(words, found["code"], found["out"], found["err"])


def of_sources(
    command: list[str],
    under: Path,
    text: str,
    parts: Iterable[object],
    make: Callable[[], Any],
    is_kept: Callable[[Any], bool] = lambda _: True,
    output: Path | None = None,
) -> Any:
    """Return what `make` returned for the same parts and a command of a compiler that reads the same: see `compiled`.

    What it reads are its arguments, `text`, and all that they include. `output`: a file that `make` writes, too.
    """
    if place() is None:
        return make()
    here = str(under)
    named = [Path(word) for word in command if word.startswith(here) and Path(word).is_file()]
    shape = [word.replace(here, "\0") for word in command]
    key = _digest(tool(command[0]), *shape, text.replace(here, "\0"), *map(_content, named), *parts)
    kept = _read(key)
    if kept is not None and output and not (place() / kept["output"]).is_file():
        kept = None
    if kept is not None and all(_content(Path(p.replace("\0", here))) == d for p, d in kept["files"].items()):
        if output:
            shutil.copyfile(place() / kept["output"], output)
        return _moved(kept["values"], "\0", here)
    found = make()
    if is_kept(found):
        files = {str(file).replace(here, "\0"): _content(file) for file in _read_by(command, text)}
        held = f"{_content(output)}.out" if output else ""
        if output:
            _put(held, output.read_bytes())
        _write(key, {"files": files, "values": _moved(found, here, "\0"), "output": held})
    return found


def cost(circuit: Any, work: Path, most_seconds: float | None = None) -> Any:
    """gaspipe._circuit.synthesize; with a limit below that of users yosys is run, for it may not end in time."""
    if most_seconds is not None and most_seconds < 60:
        return synthesize(circuit, work, most_seconds)
    parts = "cost", circuit.name, circuit.synthesized, files_in(CIRCUIT), tool("yosys")
    return Cost(**values(parts, lambda: vars(synthesize(circuit, work, most_seconds))))


def memory_blocks(rows: int, bits: int, kind: str, work: Path) -> float:
    """gaspipe._circuit.memory_blocks."""
    parts = "blocks", rows, bits, kind, files_in(CIRCUIT), tool("yosys")
    return values(parts, lambda: _circuit.memory_blocks(rows, bits, kind, work))


@functools.cache
def tool(name: str) -> str:
    """Return which program a command is: its version, and its file's size and time, as ccache has it."""
    found = shutil.which(name)
    if not found:
        return f"no {name}"
    said = subprocess.run([found, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    stat = Path(found).resolve().stat()
    return f"{said.stdout or said.stderr or name} {stat.st_size} {stat.st_mtime_ns}"


def files_in(*places: Path, pattern: str = "*") -> str:
    """Return a digest of files, and of all files in folders with their places there."""
    found = [(f, f.relative_to(p)) for p in places for f in (sorted(p.rglob(pattern)) if p.is_dir() else [p])]
    return _digest(*(f"{name} {_content(f)}" for f, name in found if f.is_file() and f.suffix != ".pyc"))


def place() -> Path | None:
    """The folder of what is kept; None where all tools are run."""
    folder = os.environ.get("GASPIPE_TESTS_COMPILED")
    if not folder or whole():
        return None
    return Path(folder) / "snippets" / "results"


def _is_of_the_source(done: dict[str, Any]) -> bool:
    """Whether a compiler refuses its source, and is not out of memory or without a file."""
    return done["code"] == 1 and "error: " in done["err"] and not re.search("(fatal|internal.*) error: ", done["err"])


def _read_by(command: list[str], text: str) -> list[Path]:
    """Return the files that a compiler reads for a command, as its preprocessor tells them."""
    words = [word for word in command if word not in ("-fsyntax-only", "-shared", "-Werror")]
    done = subprocess.run([*words, "-w", "-M"], input=text, capture_output=True, text=True, check=True)
    names = re.sub(r"\\\n", " ", done.stdout).split()
    return sorted({Path(name) for name in names if not name.endswith(":")})


def _content(file: Path) -> str:
    """Return the digest of a file, "" where there is none."""
    try:
        stat = file.stat()
        return _content_of(str(file), stat.st_size, stat.st_mtime_ns, stat.st_ino)
    except OSError:
        return ""


@functools.lru_cache(None)
def _content_of(file: str, *_: int) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def _digest(*parts: object) -> str:
    return hashlib.sha256("\0\0".join(map(str, parts)).encode("utf-8", "surrogateescape")).hexdigest()


def _moved(values: Any, old: str, new: str) -> Any:
    if isinstance(values, dict):
        return {key: _moved(value, old, new) for key, value in values.items()}
    return values.replace(old, new) if isinstance(values, str) else values


def _read(key: str) -> Any:
    try:
        return json.loads((place() / f"{key}.json").read_text(encoding="utf-8"))
    except (OSError, TypeError, ValueError):
        return None


def _write(key: str, found: Any) -> None:
    _put(f"{key}.json", json.dumps(found).encode())


def _put(name: str, content: bytes) -> None:
    """Write a file at once, for others may read it."""
    folder = place()
    if folder is None:
        return
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, path = tempfile.mkstemp(dir=folder)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    os.replace(path, folder / name)
