# SPDX-License-Identifier: Apache-2.0
"""Dataflow regions, and the interfaces of tops."""

from __future__ import annotations

import re

from .reading import parameter_name, parameter_names, split_at

# Of a task: names, their elements, integers. All else belongs into the task.
ARGUMENT = re.compile(r"\w+(\s*\[[\w\s()+*%-]+\])?")
# What makes instances of a template of their own of the calls in a loop (hls/kernel/units.h).
COPY = "kCopy"


def check_region(source, name, start, parameters, body, end):
    # As when all conditions hold, and as when none does.
    branches = [list(source.statements(body + 1, end, branch)) for branch in (0, 1)]
    if "GASPIPE_DATAFLOW" not in source.text[body:end]:
        for at, text in branches[0][1:]:
            if text.startswith("GASPIPE_PRAGMA(HLS DATAFLOW"):
                source.say(at, "DATAFLOW is not first in a top")
        return
    both = [check_statements(source, statements, parameter_names(parameters)) for statements in branches]
    for (streams, *ends), (_, *others) in [both, both[::-1]]:
        check_streams(source, streams, *ends, unused={stream for stream in streams if used(stream, others[0])})


def check_statements(source, statements, names):
    """Streams (where and whether an array, by name) and tasks (where, text) of a region."""
    declares = r"(const(expr)?|using|static_assert|typedef)\b"
    interesting = [s for s in statements if not re.match(declares, s[1])]
    if not interesting[0][1].startswith("GASPIPE_DATAFLOW"):
        source.say(interesting[0][0], "GASPIPE_DATAFLOW is not first in its function")
    if not interesting[-1][1].startswith("GASPIPE_RUN"):
        source.say(interesting[-1][0], "GASPIPE_RUN is not last in its function")
    streams, tasks = {}, []
    for at, text in interesting:
        macro = re.match(r"(GASPIPE_\w+)\s*(\(|$)", text)
        if not macro:
            source.say(at, "neither a declaration nor a task in a dataflow region")
            continue
        arguments = split_at(text[macro.end() : text.rfind(")")], ",") if macro[2] else []
        if macro[1].startswith("GASPIPE_STREAM"):
            is_array = macro[1].startswith("GASPIPE_STREAMS")
            streams[arguments[1]] = (at, is_array)
            for size in arguments[2:]:
                if names & set(re.findall(r"\w+", size)):
                    source.say(at, "depth or number of streams is not a constant")
        elif macro[1].startswith("GASPIPE_TASK"):
            tasks.append((at, ",".join(arguments[macro[1].endswith("_I") :]), macro[1].endswith("_I")))
    check_tasks(source, tasks)
    return streams, tasks


def used(stream, tasks):
    return any(re.search(rf"\b{stream}\b", task[1]) for task in tasks)


def check_streams(source, streams, tasks, unused):
    """Two ends for every stream; none is allowed for those that are `unused` unless conditions are otherwise."""
    for stream, (at, is_array) in streams.items():
        users = [task for task in tasks for _ in re.findall(rf"\b{stream}\b", task[1])]
        ends = [direction(source, task[1], stream) for task in users]
        if not users and stream in unused:
            continue
        if len(users) < 2 or (len(users) > 2 and not is_array):
            source.say(at, f"stream with {len(users)} ends")
        elif not is_array and None not in ends and ends[0] == ends[1]:
            source.say(at, f"stream that is {ends[0]} at both ends")


def check_tasks(source, tasks):
    """Arguments are plain; static memory belongs to one call."""
    called = set()
    for at, call, in_loop in tasks:
        opens = re.match(r"\s*[\w:]+\s*(<.*?>)?\s*(?=\()", call, re.DOTALL)
        if opens is None:
            source.say(at, "neither a declaration nor a task in a dataflow region")
            continue
        arguments = split_at(call[opens.end() + 1 : call.rfind(")")], ",")
        if not all(ARGUMENT.fullmatch(argument) and argument != "nullptr" for argument in arguments):
            source.say(at, "argument of a task that is no name, element or integer")
        instance = re.sub(r"\s", "", opens[0])
        callee = re.match(r"\s*(?:\w+::)*(\w+)", call)[1]
        keeps = any(
            "GASPIPE_ON_CHIP_KEPT" in body
            for parameters, body in source.definitions(callee)
            if len(parameters) == len(arguments)
        )
        if keeps and (instance in called or (in_loop and COPY not in instance)):
            source.say(at, "static memory in a task that is called more than once")
        called.add(instance)


def direction(source, call, stream):
    """Whether a call reads or writes its argument `stream`; None if its text does not tell."""
    callee = re.match(r"\s*(?:\w+::)*(\w+)", call)
    opens = call.find("(")
    arguments = split_at(call[opens + 1 : call.rfind(")")], ",")
    position = next((i for i, a in enumerate(arguments) if re.search(rf"\b{stream}\b", a)), None)
    says = set()
    for parameters, body in source.definitions(callee[1]):
        if position is None or len(parameters) != len(arguments):
            continue
        name = parameter_name(parameters[position])
        use = re.search(rf"\b{name}(\[[^\]]*\])?\.(read|write)|\b(read|write)_\w+\(\s*{name}\b", body)
        if use:
            says.add("read" if (use[2] or use[3]) == "read" else "written")
    return says.pop() if len(says) == 1 else None


def check_interface(source, name, start, parameters, body, end):
    if not re.search(r'extern\s+"C"\s+void\s+$', source.text[:start]):
        return
    for parameter in split_at(parameters, ","):
        argument = parameter_name(parameter)
        kind = "m_axi" if "*" in parameter else "axis" if "stream<" in parameter else "s_axilite"
        pragma = rf"#\s*pragma\s+HLS\s+INTERFACE\s+(mode\s*=\s*)?{kind}\b[^\n]*port\s*=\s*{argument}\b"
        if not re.search(pragma, source.text[body:end], re.IGNORECASE):
            source.say(start, f"argument {argument} without {kind}")
