# SPDX-License-Identifier: Apache-2.0
"""Loops and their pragmas."""

from __future__ import annotations

import re

from .reading import closing, parameter_names, split_at

UNROLL = "GASPIPE_PRAGMA(HLS UNROLL)"


def find_loops(source):
    """(at, kind, head, body, start, end) of every loop."""
    for match in re.finditer(r"\b(for|while|do)\b", source.text):
        at = match.end()
        head = ""
        if match[1] != "do":
            opens = source.text.index("(", at)
            end = closing(source.text, opens)
            head, at = source.text[opens + 1 : end], end + 1
        rest = source.text[at:]
        if match[1] == "while" and rest.lstrip().startswith(";"):
            continue  # of a do
        start = at + len(rest) - len(rest.lstrip())
        is_block = source.text[start] == "{"
        end = closing(source.text, start) if is_block else source.text.index(";", start)
        yield match.start(), match[1], head, source.text[start + is_block : end], start, end


def check_loops(source, leaf):
    all_loops = list(find_loops(source))
    for at, kind, head, body, start, end in all_loops:
        inside = source.around(at)
        if not inside or any(is_compile_time(source, f) or (leaf and is_on_host(source, f)) for f in inside):
            continue
        has_inner = any(start < other[0] < end for other in all_loops)
        if is_of_tasks(body):
            continue
        own = body
        for other in all_loops:  # what belongs to loops inside
            if start < other[0] < end:
                own = own.replace(other[3], "")
        first = re.match(r"\s*(\w*)", body)
        pipelined, unrolled = "GASPIPE_PIPELINE" in own, UNROLL in own
        if pipelined and first[1] != "GASPIPE_PIPELINE":
            source.say(at, "GASPIPE_PIPELINE is not first in its loop")
        inner_pipelined = has_inner and "GASPIPE_PIPELINE" in body.replace(own, "")
        bare = not pipelined and not unrolled and not only_calls_pipelines(source, body)
        if not leaf and bare and (not has_inner or (not inner_pipelined and UNROLL in body)):
            source.say(at, "innermost loop without PIPELINE or UNROLL")
        has_constant_length = is_constant(source, kind, head, {n for f in inside for n in parameter_names(f[2])})
        if not has_constant_length and unrolled:
            source.say(at, "UNROLL of a loop of varying length")
        elif not has_constant_length and "LOOP_TRIPCOUNT" not in own:
            source.say(at, "loop of varying length without LOOP_TRIPCOUNT")
        for trips in re.finditer(r"LOOP_TRIPCOUNT min = (\d+) max = (\d+)", own):
            if int(trips[1]) > int(trips[2]):
                source.say(at, "LOOP_TRIPCOUNT from more to less")


def is_of_tasks(body):
    """Whether a loop is a region's, of which a top has the turns (python/gaspipe/_card/region.py)."""
    return all(text.startswith("GASPIPE_TASK_I(") for text in split_at(body, ";"))


def only_calls_pipelines(source, body):
    """Whether a loop's body is nothing but calls of functions that have pipelined loops, or only call such."""
    statements = [text for text in split_at(body, ";") if not text.startswith("GASPIPE_PRAGMA(")]
    calls = [re.match(r"(?:\w+(?:<.*>)?::)*(\w+)(?:<.*>)?\s*(\(.*\))$", text, re.DOTALL) for text in statements]
    return bool(calls) and all(call and is_pipeline(source, call[1], call[2]) for call in calls)


def is_pipeline(source, name, arguments):
    num = len(split_at(arguments[1:-1], ","))
    bodies = [body for parameters, body in source.definitions(name) if len(parameters) == num]
    return any("GASPIPE_PIPELINE" in body or only_calls_pipelines(source, body) for body in bodies)


def is_compile_time(source, function):
    """Constructors of tables: constexpr, and named as the struct around them."""
    before = source.text[: function[1]]
    return re.search(r"\bconstexpr\s+$", before) and re.search(rf"\bstruct\s+{function[0]}\b", before)


def is_on_host(source, function):
    for match in re.finditer(r"\bstruct\s+(Parameters|Program)\s*\{", source.text):
        if match.end() < function[1] < closing(source.text, match.end() - 1):
            return True
    return "on the host" in source.comment_above(function)


def is_constant(source, kind, head, parameters):
    if kind != "for":
        return False
    parts = head.split(";")
    if len(parts) != 3:
        return False
    start = re.match(r"\s*(?:const\s+)?[\w:]+\s+(\w+)\s*=\s*(.+)", parts[0])
    bound = re.match(r"\s*(.+?)\s*(<=|>=|<|>|!=)\s*(.+)", parts[1])
    return bool(start and bound and all(is_constant_value(source, t, parameters) for t in (start[2], bound[3])))


def is_constant_value(source, text, parameters):
    """Numbers, constants by their name or declaration, template parameters, members of these."""
    for name in re.findall(r"(?<![\w.])(?:\w+(?:<[^()]*>)?::)*([A-Za-z_]\w*)", re.sub(r"<[^<>]*>", "", text)):
        is_named = re.fullmatch(r"k[A-Z]\w*", name)
        integer = r"(int|unsigned|VertexId|std::\w+)"
        is_declared = name not in parameters and re.search(
            rf"\bconstexpr\s+[\w:]+\s+{name}\b|[<,]\s*{integer}\s+{name}\s*[,>=]", source.text
        )
        if not is_named and not is_declared and name not in ("sizeof", "int", "unsigned", "Value", "Property"):
            return False
    return True


def check_dependences(source):
    for match in re.finditer(r"\bGASPIPE_PRAGMA\(HLS DEPENDENCE\b", source.text):
        end = source.raw.index(";", match.start())
        after = source.raw[end : source.raw.find("\n", end)]
        before = source.raw[: match.start()].rsplit("\n", 2)[-2]
        if "//" not in source.raw[match.start() : end] + after and not before.strip().startswith("//"):
            source.say(match.start(), "DEPENDENCE without its reason")
        # Denied, a tool may overlap any number of iterations, however long the loop's operations take.
        if re.search(r"\bfalse\b", source.raw[match.start() : end]):
            source.say(match.start(), "DEPENDENCE that is denied instead of its distance stated")
