# SPDX-License-Identifier: Apache-2.0
"""What clang's syntax tree of a file shows, in the file's Vitis configuration."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import ClassVar

ROOT = Path(__file__).resolve().parents[3]
STUBS = ROOT / "tests" / "hls" / "vitis_stub"


def command(path):
    """Clang's command for a file as Vitis reads it, and its input.

    The file is included, so that a header is no main file (and its #pragma once no warning).
    """
    options = ["-x", "c++", "-std=c++14", "-fsyntax-only", "-DGASPIPE_VITIS", "-Wvla", "-Wno-unknown-pragmas"]
    where = ["-I", str(STUBS), "-I", str(ROOT)]
    return [shutil.which("clang++"), *options, *where, "-"], f'#include "hls/types.h"\n#include "{path}"\n'


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
    FUNCTIONS = ("FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXConversionDecl")

    def __init__(self, path):
        self.path, self.found, self.file, self.line = str(path), set(), "", 0
        self.lines = Path(path).read_text(encoding="utf-8").splitlines()
        self.calls, self.bodies, self.at, self.uses = {}, set(), {}, []
        options, source = command(path)
        command_line = [*options, "-Xclang", "-ast-dump=json"]
        run = subprocess.run(command_line, input=source, capture_output=True, text=True, check=False)
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
