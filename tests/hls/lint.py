#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps what Vitis reads inside the synthesizable subset, without Vitis.

One part reads the text: words, headers, loops and their pragmas, dataflow regions, interfaces. The other reads clang's
syntax tree of the file in its Vitis configuration, with stubs for the vendor's headers: recursion, calls of unknown
functions or through pointers, arrays of run-time size, state that survives a call. Neither proves that Vitis accepts
the code, nor that a loop reaches its II.

    python3 tests/hls/lint.py file...
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

ROOT = Path(__file__).resolve().parents[2]
STUBS = ROOT / "tests" / "hls" / "vitis_stub"

WORDS = {
    r"\b(new|malloc|calloc|realloc)\b": "heap",
    r"\b(free\s*\(|delete\b(?!\s*;))": "heap",
    r"\b(throw|try|catch|noexcept)\b": "exceptions",
    r"\b(typeid|dynamic_cast)\b": "run-time types",
    r"\bvirtual\b": "virtual function",
    r"\bgoto\b": "goto",
    r"\b(asm|__asm__)\b": "assembly",
    r"\bthread_local\b": "thread-local state",
    r"\b(printf|puts|cout|cerr|assert)\b": "output",
    r"\[\s*[&=][^\]]*\]|(?<![\w\])])\[\s*\]\s*(\(|\{)": "lambda",
    r"\b_Pragma\b": "pragma that is not one of platform.h's macros",
    r"#\s*pragma\s+(?!once\b|HLS\b)": "unknown pragma",
    r"\bHLS\s+(?i:pipeline|stream|bind_storage)\b": "pragma that has a macro of its own",
    r"#\s*pragma\s+HLS\s+(?i:dataflow)\b": "pragma that has a macro of its own",
    r"\b(__SYNTHESIS__|__VITIS_HLS__|GASPIPE_VITIS)\b": "asks which compiler reads it",
    r"\bstd::(?!u?int(8|16|32|64)_t\b|size_t\b)\w+": "standard library",
}
NON_BLOCKING = r"(\.(empty|full|read_nb|write_nb)\s*\(|\b(read_from_stream_nb|clear_stream|empty_stream)\s*\()"
UNROLL = "GASPIPE_PRAGMA(HLS UNROLL)"
HEADERS = r'#\s*include\s*(<cstdint>|"hls/(?!emulator/)[\w/]+\.h")'
WHITE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(\\.|[^\"\\\n])*\"|'(\\.|[^'\\\n])'", re.DOTALL)
OPEN = {"(": ")", "{": "}", "[": "]"}


def without_comments(text):
    """The text with comments and what is in quotes blanked; names of headers stay."""

    def blank(match):
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if match[0][0] == '"' and re.match(r"\s*#\s*include|extern\s*$", line):
            return match[0]
        return re.sub(r"[^\n]", " ", match[0])

    return WHITE.sub(blank, text)


def closing(text, at):
    """Where the bracket at `at` is closed."""
    opens, closes, depth = text[at], OPEN[text[at]], 0
    for i in range(at, len(text)):
        depth += (text[i] == opens) - (text[i] == closes)
        if depth == 0:
            return i
    return len(text) - 1


def parameter_name(parameter):
    named = re.search(r"(\w+)\)?\s*(\[[^\]]*\])?\s*(=.*)?$", parameter, re.DOTALL)
    return named[1] if named else ""


def parameter_names(parameters):
    return {parameter_name(p) for p in split_at(parameters, ",")}


def split_at(text, separator):
    """Parts between separators that are inside no bracket."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "({[<") - (c in ")}]>")
        if c == separator and depth <= 0:
            parts.append(text[start:i])
            start = i + 1
    return [p.strip() for p in [*parts, text[start:]] if p.strip()]


class Text:
    """Findings (line, what) in a file's text.

    `blocking` forbids polls. In a file of `leaf` functions loops of constant length need no pragma: the pipelines that
    call them unroll them. Programs and their parameters, and functions whose comment says "on the host", stay there.
    """

    def __init__(self, text, blocking=True, leaf=False, library=""):
        self.found, self.raw, self.text, self.leaf = set(), text, without_comments(text), leaf
        self.library = without_comments(library) + self.text
        for pattern, what in WORDS.items():
            for match in re.finditer(pattern, self.text):
                self.say(match.start(), what)
        if blocking:
            for match in re.finditer(NON_BLOCKING, self.text):
                self.say(match.start(), "poll of a stream")
        for match in re.finditer(r"#\s*include[^\n]*", self.text):
            if not re.match(HEADERS, match[0]):
                self.say(match.start(), "header outside the subset")
        for match in re.finditer(r"\bGASPIPE_PRAGMA\(HLS DEPENDENCE\b", self.text):
            end = self.raw.index(";", match.start())
            after = self.raw[end : self.raw.find("\n", end)]
            before = self.raw[: match.start()].rsplit("\n", 2)[-2]
            if "//" not in self.raw[match.start() : end] + after and not before.strip().startswith("//"):
                self.say(match.start(), "DEPENDENCE without its reason")
        self.functions = list(self.find_functions())
        self.loops()
        for function in self.functions:
            self.region(*function)
            self.interface(*function)

    def say(self, at, what):
        self.found.add((self.text.count("\n", 0, at) + 1, what))

    def find_functions(self):
        """(name, start, parameters, body start, body end) of what has a parameter list and a body."""
        for match in re.finditer(r"(\w+)\s*\(", self.text):
            if match[1] in ("for", "while", "if", "switch", "sizeof", "alignas", "static_assert", "return"):
                continue
            end = closing(self.text, match.end() - 1)
            after = re.match(r"\s*(const\b\s*)?(:[^;{]*)?\{", self.text[end + 1 :])
            if after:
                body = end + after.end()
                yield match[1], match.start(), self.text[match.end() : end], body, closing(self.text, body)

    def loops(self):
        all_loops = []
        for match in re.finditer(r"\b(for|while|do)\b", self.text):
            at = match.end()
            head = ""
            if match[1] != "do":
                opens = self.text.index("(", at)
                end = closing(self.text, opens)
                head, at = self.text[opens + 1 : end], end + 1
            rest = self.text[at:]
            if match[1] == "while" and rest.lstrip().startswith(";"):
                continue  # of a do
            start = at + len(rest) - len(rest.lstrip())
            is_block = self.text[start] == "{"
            end = closing(self.text, start) if is_block else self.text.index(";", start)
            all_loops.append((match.start(), match[1], head, self.text[start + is_block : end], start, end))
        for at, kind, head, body, start, end in all_loops:
            inside = [f for f in self.functions if f[3] < at < f[4]]
            if not inside or any(self.is_compile_time(f) or self.is_on_host(f) for f in inside):
                continue
            has_inner = any(start < other[0] < end for other in all_loops)
            own = body
            for other in all_loops:  # what belongs to loops inside
                if start < other[0] < end:
                    own = own.replace(other[3], "")
            first = re.match(r"\s*(\w*)", body)
            pipelined, unrolled = "GASPIPE_PIPELINE" in own, UNROLL in own
            if pipelined and first[1] != "GASPIPE_PIPELINE":
                self.say(at, "GASPIPE_PIPELINE is not first in its loop")
            inner_pipelined = has_inner and "GASPIPE_PIPELINE" in body.replace(own, "")
            bare = not pipelined and not unrolled and not self.only_calls_pipelines(body)
            if not self.leaf and bare and (not has_inner or (not inner_pipelined and UNROLL in body)):
                self.say(at, "innermost loop without PIPELINE or UNROLL")
            is_constant = self.is_constant(kind, head, {n for f in inside for n in parameter_names(f[2])})
            if not is_constant and unrolled:
                self.say(at, "UNROLL of a loop of varying length")
            elif not is_constant and "LOOP_TRIPCOUNT" not in own:
                self.say(at, "loop of varying length without LOOP_TRIPCOUNT")
            for trips in re.finditer(r"LOOP_TRIPCOUNT min = (\d+) max = (\d+)", own):
                if int(trips[1]) > int(trips[2]):
                    self.say(at, "LOOP_TRIPCOUNT from more to less")

    def only_calls_pipelines(self, body):
        """Whether a loop's body is nothing but calls of functions that have pipelined loops, or only call such."""
        statements = [text for text in split_at(body, ";") if not text.startswith("GASPIPE_PRAGMA(")]
        calls = [re.match(r"(?:\w+(?:<.*>)?::)*(\w+)(?:<.*>)?\s*(\(.*\))$", text, re.DOTALL) for text in statements]
        return bool(calls) and all(call and self.is_pipeline(call[1], call[2]) for call in calls)

    def is_pipeline(self, name, arguments):
        num = len(split_at(arguments[1:-1], ","))
        bodies = [body for parameters, body in self.definitions(name) if len(parameters) == num]
        return any("GASPIPE_PIPELINE" in body or self.only_calls_pipelines(body) for body in bodies)

    def definitions(self, name):
        """(parameters, body) of the library's functions of a name."""
        for match in re.finditer(rf"\b{name}\s*\(", self.library):
            end = closing(self.library, match.end() - 1)
            brace = re.match(r"\s*\{", self.library[end + 1 :])
            if brace:
                at = end + brace.end()
                yield split_at(self.library[match.end() : end], ","), self.library[at + 1 : closing(self.library, at)]

    def is_compile_time(self, function):
        """Constructors of tables: constexpr, and named as the struct around them."""
        before = self.text[: function[1]]
        return re.search(r"\bconstexpr\s+$", before) and re.search(rf"\bstruct\s+{function[0]}\b", before)

    def is_on_host(self, function):
        if not self.leaf:
            return False
        for match in re.finditer(r"\bstruct\s+(Parameters|Program)\s*\{", self.text):
            if match.end() < function[1] < closing(self.text, match.end() - 1):
                return True
        above = [line.strip() for line in self.raw[: function[1]].split("\n")[:-1]]
        while above and above[-1].startswith("template <"):
            above.pop()
        comment = []
        while above and above[-1].startswith("//"):
            comment.append(above.pop())
        return "on the host" in " ".join(comment)

    def is_constant(self, kind, head, parameters):
        if kind != "for":
            return False
        parts = head.split(";")
        if len(parts) != 3:
            return False
        start = re.match(r"\s*(?:const\s+)?[\w:]+\s+(\w+)\s*=\s*(.+)", parts[0])
        bound = re.match(r"\s*(.+?)\s*(<=|>=|<|>|!=)\s*(.+)", parts[1])
        return bool(start and bound and all(self.is_constant_value(t, parameters) for t in (start[2], bound[3])))

    def is_constant_value(self, text, parameters):
        """Numbers, constants by their name or declaration, template parameters, members of these."""
        for name in re.findall(r"(?<![\w.])(?:\w+(?:<[^()]*>)?::)*([A-Za-z_]\w*)", re.sub(r"<[^<>]*>", "", text)):
            is_named = re.fullmatch(r"k[A-Z]\w*", name)
            integer = r"(int|unsigned|VertexId|std::\w+)"
            is_declared = name not in parameters and re.search(
                rf"\bconstexpr\s+[\w:]+\s+{name}\b|[<,]\s*{integer}\s+{name}\s*[,>=]", self.text
            )
            # A `Count` is a constant of the hardware (hls/kernel/units.h).
            is_count = re.search(rf"[(,]\s*Count\s+{name}\s*[,)]", self.text)
            if (
                not is_named
                and not is_declared
                and not is_count
                and name not in ("sizeof", "int", "unsigned", "Value", "Property")
            ):
                return False
        return True

    def statements(self, start, end):
        """(where, text) of a body's statements; of a loop, those inside."""
        at = start
        while at < end:
            rest = self.text[at:end]
            at += len(rest) - len(rest.lstrip())
            if at >= end:
                return
            if self.text[at] == "#":
                at = self.text.index("\n", at)
                continue
            loop = re.match(r"for\s*\(", self.text[at:end])
            if loop:
                after = closing(self.text, at + loop.end() - 1) + 1
                opens = self.text.find("{", after, end)
                if opens >= 0 and not self.text[after:opens].strip():
                    yield from self.statements(opens + 1, closing(self.text, opens))
                    at = closing(self.text, opens) + 1
                    continue
            stop = at
            while stop < end and self.text[stop] != ";":
                stop = closing(self.text, stop) + 1 if self.text[stop] in OPEN else stop + 1
            yield at, self.text[at:stop]
            at = stop + 1

    def region(self, name, start, parameters, body, end):
        statements = list(self.statements(body + 1, end))
        if "GASPIPE_DATAFLOW" not in self.text[body:end]:
            for at, text in statements[1:]:
                if text.startswith("GASPIPE_PRAGMA(HLS DATAFLOW"):
                    self.say(at, "DATAFLOW is not first in a top")
            return
        declares = r"(const(expr)?|using|static_assert|typedef)\b"
        interesting = [s for s in statements if not re.match(declares, s[1])]
        if not interesting[0][1].startswith("GASPIPE_DATAFLOW"):
            self.say(interesting[0][0], "GASPIPE_DATAFLOW is not first in its function")
        if not interesting[-1][1].startswith("GASPIPE_RUN"):
            self.say(interesting[-1][0], "GASPIPE_RUN is not last in its function")
        names = parameter_names(parameters)
        streams, tasks = {}, []
        for at, text in interesting:
            macro = re.match(r"(GASPIPE_\w+)\s*(\(|$)", text)
            if not macro:
                self.say(at, "neither a declaration nor a task in a dataflow region")
                continue
            arguments = split_at(text[macro.end() : text.rfind(")")], ",") if macro[2] else []
            if macro[1].startswith("GASPIPE_STREAM"):
                is_array = macro[1].startswith("GASPIPE_STREAMS")
                streams[arguments[1]] = (at, is_array)
                for size in arguments[2:]:
                    if names & set(re.findall(r"\w+", size)):
                        self.say(at, "depth or number of streams is not a constant")
            elif macro[1].startswith("GASPIPE_TASK"):
                tasks.append((at, ",".join(arguments[macro[1].endswith("_I") :])))
        for stream, (at, is_array) in streams.items():
            users = [task for task in tasks for _ in re.findall(rf"\b{stream}\b", task[1])]
            ends = [self.direction(task[1], stream) for task in users]
            if len(users) < 2 or (len(users) > 2 and not is_array):
                self.say(at, f"stream with {len(users)} ends")
            elif not is_array and None not in ends and ends[0] == ends[1]:
                self.say(at, f"stream that is {ends[0]} at both ends")

    def direction(self, call, stream):
        """Whether a call reads or writes its argument `stream`; None if its text does not tell."""
        callee = re.match(r"\s*(?:\w+::)*(\w+)", call)
        opens = call.find("(")
        arguments = split_at(call[opens + 1 : call.rfind(")")], ",")
        position = next((i for i, a in enumerate(arguments) if re.search(rf"\b{stream}\b", a)), None)
        says = set()
        for parameters, body in self.definitions(callee[1]):
            if position is None or len(parameters) != len(arguments):
                continue
            name = parameter_name(parameters[position])
            use = re.search(rf"\b{name}(\[[^\]]*\])?\.(read|write)|\b(read|write)_\w+\(\s*{name}\b", body)
            if use:
                says.add("read" if (use[2] or use[3]) == "read" else "written")
        return says.pop() if len(says) == 1 else None

    def interface(self, name, start, parameters, body, end):
        if not re.search(r'extern\s+"C"\s+void\s+$', self.text[:start]):
            return
        for parameter in split_at(parameters, ","):
            argument = parameter_name(parameter)
            kind = "m_axi" if "*" in parameter else "s_axilite"
            pragma = rf"#\s*pragma\s+HLS\s+INTERFACE\s+(mode\s*=\s*)?{kind}\b[^\n]*port\s*=\s*{argument}\b"
            if not re.search(pragma, self.text[body:end], re.IGNORECASE):
                self.say(start, f"argument {argument} without {kind}")


class Tree:
    """Findings (line, what) in clang's syntax tree of a file as Vitis reads it."""

    NODES: ClassVar = {
        "CXXNewExpr": "heap",
        "CXXDeleteExpr": "heap",
        "CXXThrowExpr": "exceptions",
        "CXXTryStmt": "exceptions",
        "CXXTypeidExpr": "run-time types",
        "CXXDynamicCastExpr": "run-time types",
        "GotoStmt": "goto",
        "IndirectGotoStmt": "goto",
        "GCCAsmStmt": "assembly",
        "LambdaExpr": "lambda",
        "VAArgExpr": "variadic function",
        "StmtExpr": "GNU statement expression",
    }
    FUNCTIONS = ("FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl")

    def __init__(self, path):
        self.path, self.found, self.file, self.line = str(path), set(), "", 0
        self.lines = Path(path).read_text(encoding="utf-8").splitlines()
        self.calls, self.bodies, self.at, self.uses = {}, set(), {}, []
        # The file is included, so that a header is no main file (and its #pragma once no warning).
        command = [shutil.which("clang++"), "-x", "c++", "-std=c++14", "-fsyntax-only", "-DGASPIPE_VITIS", "-Wvla"]
        command += ["-Wno-unknown-pragmas"]
        command += ["-I", str(STUBS), "-I", str(ROOT), "-Xclang", "-ast-dump=json", "-"]
        source = f'#include "hls/types.h"\n#include "{self.path}"\n'
        run = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
        if run.returncode:
            raise SystemExit(run.stderr)
        for match in re.finditer(rf"{re.escape(self.path)}:(\d+):\d+: warning: variable length array", run.stderr):
            self.found.add((int(match[1]), "array of run-time size"))
        self.walk(json.loads(run.stdout), None)
        self.recursion()
        for callee, name, line in self.uses:
            if callee not in self.bodies:
                self.found.add((line, f"call of {name}, which is not known"))

    def locate(self, location):
        """Clang leaves out what is as in the location printed before, so each has to be looked at."""
        for part in ("spellingLoc", "expansionLoc"):
            if part in location:
                self.locate(location[part])
        self.file = location.get("file", self.file)
        self.line = location.get("line", self.line)

    def walk(self, node, function):
        if not node.get("kind"):
            return
        self.locate(node.get("loc") or {})
        place = (self.file, self.line) if node.get("loc") else None
        span = node.get("range") or {}
        self.locate(span.get("begin") or {})
        place = place or (self.file, self.line)
        self.locate(span.get("end") or {})
        self.is_mine, line = place[0] == self.path, place[1]
        if self.is_mine:
            self.look(node, line, function)
        kind, inner = node["kind"], node.get("inner", [])
        if kind in self.FUNCTIONS and any(child.get("kind") in ("CompoundStmt", "CXXTryStmt") for child in inner):
            function = node["id"]
            self.bodies.update((function, node.get("previousDecl")))
            self.calls.setdefault(function, set())
            self.at[function] = (self.is_mine, line, node.get("name", "?"))
        if kind == "FunctionTemplateDecl":
            # An instance that only a template calls is declared without its body, which is the template's.
            declared = [child for child in inner if child.get("kind") in self.FUNCTIONS]
            if declared and any(child.get("kind") == "CompoundStmt" for child in declared[0].get("inner", [])):
                for instance in declared[1:]:
                    self.bodies.add(instance["id"])
                    self.calls.setdefault(instance["id"], set()).add(declared[0]["id"])
                    self.at.setdefault(instance["id"], (False, line, instance.get("name", "?")))
        if function and kind in ("DeclRefExpr", "MemberExpr", "UnresolvedLookupExpr", "UnresolvedMemberExpr"):
            referred = [node.get("referencedDecl", {}), *node.get("lookups", [])]
            self.calls[function].update(decl.get("id") for decl in referred)
            self.calls[function].add(node.get("referencedMemberDecl"))
        for child in inner:
            self.walk(child, function)

    def look(self, node, line, function):
        def say(what):
            self.found.add((line, what))

        kind, type_ = node["kind"], node.get("type", {}).get("qualType", "")
        if kind in self.NODES:
            say(self.NODES[kind])
        if kind in self.FUNCTIONS and node.get("virtual"):
            say("virtual function")
        if kind in self.FUNCTIONS and node.get("variadic"):
            say("variadic function")
        if kind == "VarDecl":
            is_constant = node.get("constexpr") or "const" in type_.split("*")[-1].split("[")[0]
            is_kept = "GASPIPE_ON_CHIP_KEPT" in self.lines[line - 1]  # platform.h says what it promises
            if node.get("storageClass") == "static" and function and not is_constant and not is_kept:
                say("state that survives a call")
            if not function and not is_constant and node.get("storageClass") != "extern":
                say("global state")
        if kind == "ParmVarDecl":
            if re.match(r"(const )?(\w+::)*stream<.*>$", type_):
                say("stream by value")
            if re.search(r"\*\s*(const\s*)?\*", type_):
                say("pointer to pointer")
        if kind == "CallExpr" and node.get("inner"):
            callee = node["inner"][0]
            while callee.get("kind") in ("ImplicitCastExpr", "ParenExpr"):
                callee = callee["inner"][0]
            decl = callee.get("referencedDecl", {})
            pointed = decl.get("type", {})
            pointed = pointed.get("desugaredQualType", pointed.get("qualType", ""))
            if decl.get("kind") in ("VarDecl", "ParmVarDecl") and re.search(r"\((\*|&)\)|\(\*\w+\)", pointed):
                say("call through a pointer")
            if decl.get("kind") == "FunctionDecl" and decl["name"] not in ("__builtin_huge_val", "__builtin_nan"):
                self.uses.append((decl["id"], decl["name"], line))

    def recursion(self):
        state = {}

        def visit(function):
            state[function] = "open"
            for callee in self.calls[function]:
                if state.get(callee) == "open" and self.at[callee][0]:
                    self.found.add((self.at[callee][1], f"recursion through {self.at[callee][2]}"))
                elif callee in self.calls and callee not in state:
                    visit(callee)
            state[function] = "done"

        for function in self.calls:
            if function not in state:
                visit(function)


def has_clang():
    return shutil.which("clang++") is not None


def lint(path, tree=True):
    """Findings (line, what) in the file, in order."""
    path = Path(path).resolve()
    leaf = path.parent.name in ("algorithm", "device", "hls") and path.name != "stream.h"
    sources = [f for folder in ("module", "kernel") for f in sorted((ROOT / "hls" / folder).glob("*.h"))]
    library = "".join(f.read_text(encoding="utf-8") for f in sources)
    text = re.sub(r"@(\w+)@", r"\1", path.read_text(encoding="utf-8"))
    found = Text(text, blocking=path.name != "stream.h", leaf=leaf, library=library).found
    if tree and has_clang() and path.suffix != ".in":
        found |= Tree(path).found
    return sorted(found)


def main():
    num = 0
    for path in sys.argv[1:]:
        for line, what in lint(path):
            print(f"{path}:{line}: {what}")
            num += 1
    return 1 if num else 0


if __name__ == "__main__":
    sys.exit(main())
