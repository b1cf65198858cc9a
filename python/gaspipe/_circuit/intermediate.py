# SPDX-License-Identifier: Apache-2.0
"""Leaves in C++ to LLVM's intermediate code in which each trip through a loop is one acyclic piece of code.

Everything is inlined, loops with `#pragma HLS UNROLL` are unrolled, loops with another pragma of the vendor stay as
they are, and no loop is rotated. The source is what Vitis reads (GASPIPE_VITIS), with streams that are their FIFO
operations only (`fifo/hls_stream.h`). Line tables stay, so that a message can name the line of the source.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from . import tools
from .ir import CircuitError

_FIFO = Path(__file__).resolve().parent / "fifo"
# clang's front end, then only passes that keep a loop a loop: what LLVM does by itself (rotation, if-conversion across
# trips, vectors) would change how many cycles a leaf takes.
_CLANG = "-std=c++14 -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -gline-tables-only -w -S -emit-llvm"
_PASSES = (
    "always-inline,function(sroa,early-cse,instcombine,simplifycfg,loop-simplify,lcssa,"
    "loop(loop-instsimplify,loop-simplifycfg),"
    "loop-unroll<O2;full-unroll-max=64;no-partial;no-runtime;no-peeling;no-upperbound>,"
    "sroa,early-cse,instcombine,simplifycfg,gvn,sroa,instcombine,adce,simplifycfg),globaldce"
)


def _tools() -> tuple[str, str]:
    found = tools.llvm()
    if found is None:
        raise CircuitError("there are no clang++ and opt of LLVM 15 to 19 (Debian: clang-16 llvm-16)")
    return found


def preprocess(source: Path, include: Path) -> str:
    """Return a file of `extern "C"` leaves as Vitis reads it; `include` is the folder with `hls/` in it.

    Raises
    ------
    CircuitError
        If a tool is missing or the file does not compile.

    """
    options = ["-DGASPIPE_VITIS", f"-I{_FIFO}", f"-I{include}", f"-I{source.parent}"]
    return _run([_tools()[0], "-std=c++14", "-E", "-w", *options, str(source)])


def compile_leaves(text: str, name: str, work: Path) -> str:
    """Return the intermediate code of a preprocessed file.

    Raises
    ------
    CircuitError
        If a tool is missing or the file does not compile.

    """
    clang, opt = _tools()
    plain, raw = work / f"{name}.ii.cpp", work / f"{name}.raw.ll"
    plain.write_text(mark_loops(text), encoding="utf-8")
    _run([clang, *_CLANG.split(), str(plain), "-o", str(raw)])
    raw.write_text(_inline_all(raw.read_text(encoding="utf-8")), encoding="utf-8")
    return _run([opt, "-S", "-unroll-threshold=1000000", f"-passes={_PASSES}", str(raw), "-o", "-"])


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if "error:" in line] or done.stderr.splitlines()
        raise CircuitError(f"{command[0]}: {lines[0] if lines else 'failed'}")
    return done.stdout


def mark_loops(text: str) -> str:
    """Put clang's pragma before each loop whose body begins with one of the vendor's; lines keep their numbers.

    `text` is preprocessed. UNROLL unrolls a loop; PIPELINE and LOOP_TRIPCOUNT keep it a loop.
    """
    marks: dict[int, str] = {}
    for pragma in re.finditer(r"^[ \t]*#pragma HLS (UNROLL|PIPELINE|LOOP_TRIPCOUNT)\b", text, re.M):
        at = _loop_around(text, pragma.start())
        if at is not None:
            marks.setdefault(at, "full" if pragma[1] == "UNROLL" else "disable")
    for at in sorted(marks, reverse=True):
        text = f'{text[:at]}_Pragma("clang loop unroll({marks[at]})") {text[at:]}'
    return text


def _loop_around(text: str, at: int) -> int | None:
    """Return where the statement begins whose braces enclose a place, if it is a loop."""
    depth = 0
    while at > 0 and (text[at] != "{" or depth > 0):
        depth += (text[at] == "}") - (text[at] == "{")
        at -= 1
    end = text.rfind(")", 0, at)
    if end < 0 or text[end + 1 : at].strip():
        return None
    depth, start = 1, end
    while start > 0 and depth > 0:
        start -= 1
        depth += (text[start] == ")") - (text[start] == "(")
    word = re.search(r"\b(for|while)\s*$", text[max(0, start - 20) : start])
    return None if word is None else max(0, start - 20) + word.start()


def _inline_all(text: str) -> str:
    text = text.replace(" noinline ", " ").replace(" optnone ", " ")
    return re.sub(
        r"^define (linkonce_odr|internal) ([^\n]*?)(#\d+)?( comdat[^{\n]*?)?( !dbg !\d+)? \{$",
        lambda m: f"define {m[1]} {m[2]} alwaysinline {m[3] or ''}{m[4] or ''}{m[5] or ''} {{",
        text,
        flags=re.M,
    )
