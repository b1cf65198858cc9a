# SPDX-License-Identifier: Apache-2.0
"""The text of a file: comments blanked, brackets, functions and their parameters."""

from __future__ import annotations

import functools
import re

WHITE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(\\.|[^\"\\\n])*\"|'(\\.|[^'\\\n])'", re.DOTALL)
OPEN = {"(": ")", "{": "}", "[": "]"}


@functools.lru_cache(maxsize=8)  # the same library for many files
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


@functools.lru_cache(maxsize=2)
def parameter_lists(text):
    """Where the lists of parameters, or arguments, of each name begin."""
    found = {}
    for match in re.finditer(r"(\w+)\s*\(", text):
        found.setdefault(match[1], []).append(match.end() - 1)
    return found


@functools.lru_cache(maxsize=512)
def definitions(text, name):
    """Parameters and bodies of a text's functions of a name."""
    found = []
    for start in parameter_lists(text).get(name, []):
        end = closing(text, start)
        brace = re.match(r"\s*\{", text[end + 1 :])
        if brace:
            at = end + brace.end()
            found.append((split_at(text[start + 1 : end], ","), text[at + 1 : closing(text, at)]))
    return found


class Source:
    """A file's text with what is found in it. The library is the text of the functions that it may call."""

    def __init__(self, text, library=""):
        self.found, self.raw, self.text = set(), text, without_comments(text)
        self.library = without_comments(library) + self.text
        self.functions = list(self.find_functions())

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

    def around(self, at):
        """The functions whose bodies hold a place."""
        return [f for f in self.functions if f[3] < at < f[4]]

    def comment_above(self, function):
        above = [line.strip() for line in self.raw[: function[1]].split("\n")[:-1]]
        while above and above[-1].startswith("template <"):
            above.pop()
        comment = []
        while above and above[-1].startswith("//"):
            comment.append(above.pop()[2:].strip())
        return " ".join(reversed(comment))

    def definitions(self, name):
        """(parameters, body) of the library's functions of a name."""
        return definitions(self.library, name)

    def statements(self, start, end, branch=0):
        """(where, text) of a body's statements; of a loop, those inside, and of an `if` those of its `branch`."""
        at = start
        while at < end:
            rest = self.text[at:end]
            at += len(rest) - len(rest.lstrip())
            if at >= end:
                return
            if self.text[at] == "#":
                at = self.text.index("\n", at)
                continue
            block = re.match(r"(for|if)\s*\(", self.text[at:end])
            if block:
                after = closing(self.text, at + block.end() - 1) + 1
                opens = self.text.find("{", after, end)
                if opens >= 0 and not self.text[after:opens].strip():
                    at = closing(self.text, opens) + 1
                    other = re.match(r"\s*else\s*\{", self.text[at:end]) if block[1] == "if" else None
                    if block[1] == "for" or branch == 0:
                        yield from self.statements(opens + 1, at - 1, branch)
                    if other:
                        opens = at + other.end() - 1
                        at = closing(self.text, opens) + 1
                        if branch == 1:
                            yield from self.statements(opens + 1, at - 1, branch)
                    continue
            stop = at
            while stop < end and self.text[stop] != ";":
                stop = closing(self.text, stop) + 1 if self.text[stop] in OPEN else stop + 1
            yield at, self.text[at:stop]
            at = stop + 1
