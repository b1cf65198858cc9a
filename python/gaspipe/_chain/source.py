# SPDX-License-Identifier: Apache-2.0
"""Writes the C++ of a chain: the kernel, and what runs it in the emulator.

Names in C++: streams end in `_s`, streams inside a block in `_i`, ports of memory are `<block>_<array>` and, to write,
`<block>_<array>_w`; numbers end in `_n`.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from .._own.cpp import Text
from . import types
from .parts import POLICIES, Part
from .specs import BLOCKS
from .wiring import Wired

FILE_NAME = "chain.cpp"
_PLACE = re.compile(r"\{([\w:]+)\}")
_ENDS_DEPTH = 2
_BURSTS = {
    False: "max_read_burst_length = 64 num_read_outstanding = 16",
    True: "max_write_burst_length = 64 num_write_outstanding = 16",
}


class Port(NamedTuple):
    """A port of memory; `array` is the chain's, `block` the one that has it."""

    name: str
    array: str
    element: str
    writes: bool
    block: str


class Task(NamedTuple):
    """A call, and the block that it belongs to."""

    call: str
    block: str


def ports(wired: Wired) -> list[Port]:
    """Ports of memory in the order of the kernel's parameters; the ends' port comes after them."""
    found = []
    for part in wired.parts:
        for array in part.spec.arrays:
            name, of = f"{part.name}_{array.name}", part.arrays[array.name]
            element = wired.arrays[of]
            if not array.writes or "mem_rd_unit" in " ".join(t for t in part.tasks if f"{{{array.name}}}" in t):
                found.append(Port(name, of, element, False, part.name))
            if array.writes:
                found.append(Port(f"{name}_w", of, element, True, part.name))
    return found


def tasks(wired: Wired) -> list[Task]:
    """Return the calls of all tasks, in the order of the region; the last collects the ends."""
    ends = {end: i for i, end in enumerate(wired.ends)}
    found = [Task(_call(wired, part, task, ends), part.name) for part in wired.parts for task in part.tasks]
    return [*found, Task(f"end_collect<{len(ends)}>(0, ends_s, ends)", "end_collect")]


def _call(wired: Wired, part: Part, task: str, ends: dict[tuple[str, str], int]) -> str:
    streams = {port.name: f"{part.streams[port.name]}_s" for port in part.inputs + part.outputs}
    streams |= {stream.name: f"{part.name}_{stream.name}_i" for stream in part.spec.internal}
    writes = {array.name for array in part.spec.arrays if array.writes}

    def fill(found: re.Match[str]) -> str:
        name = found[1]
        if name.startswith("end:"):
            return f"ends_s[{ends[part.name, name[4:]]}]"
        if name in streams:
            return streams[name]
        if name in part.arrays:
            return f"{part.name}_{name}" + ("_w" if name in writes and task.startswith("mem_wr_unit") else "")
        if name in ("arg_0", "arg_1"):
            given = part.args[int(name[-1])]
            return f"{given}_n" if isinstance(given, str) else str(word_of(given))
        if name == "functor":
            return f"{part.name}_functor"
        if name in ("policy", "coalescer"):
            return types.filled(getattr(part, name), part.types)
        if name in part.spec.scalars:
            return f"{name}_n"
        return str(part.options[name] if name in part.options else part.types[name])

    return _PLACE.sub(fill, types.plain(task))


def word_of(number: Any) -> int:
    """Return the 32 bits of a number: of an integer, or of a float as float32."""
    import numpy as np

    if isinstance(number, (float, np.floating)):
        return int(np.float32(number).view(np.uint32))
    return int(number) & 0xFFFFFFFF


def kernel_text(wired: Wired, file_name: str = "", for_vendor: bool = True) -> Text:
    """Return the kernel. With a `file_name`, compilers name the lines of the author's text."""
    text = Text(file_name)
    headers = sorted({part.spec.header or part.spec.name for part in wired.parts if part.spec.name in BLOCKS})
    text.add(
        "// SPDX-License-Identifier: Apache-2.0",
        f"// The chain {wired.name} of GraphOps' blocks, written by gaspipe.",
        *(f'#include "hls/block/{header}.h"' for header in [*headers, "end_collect", "mem_unit"]),
        "",
        "namespace gaspipe {",
        "namespace block {",
        f"namespace chain_{wired.name} {{",
        "",
        "// A number that a run gives as a float: one of Args' words.",
        "inline float as_float(std::uint32_t word) {",
        "  union {",
        "    std::uint32_t word;",
        "    float value;",
        "  } bits;",
        "  bits.word = word;",
        "  return bits.value;",
        "}",
    )
    for part in wired.parts:
        _add_functors(text, part)
    text.add("namespace user {")
    for spec in {part.spec.name: part.spec for part in wired.parts if part.spec.code}.values():
        text.quote(1, f"{wired.name}.{spec.name}", spec.code)
    text.add("}  // namespace user", "")
    _add_kernel(text, wired, for_vendor)
    text.add(f"}}  // namespace chain_{wired.name}", "}  // namespace block", "}  // namespace gaspipe")
    if for_vendor:
        _add_top(text, wired)
    return text


def _add_functors(text: Text, part: Part) -> None:
    name = part.name
    if part.functor is not None:
        value, element = part.types.get("V", part.types["P"]), part.types["P"]
        text.add(f"struct {name}_functor {{", f"  using Value = {value};", f"  using Element = {element};")
        text.quote(1, f"{name}.functor", part.functor)
        text.add("};")
    policy = part.options.get("policy")
    if policy is not None and policy not in POLICIES:
        text.add(f"struct {name}_policy {{", f"  using Value = {part.types['P']};")
        text.quote(1, f"{name}.policy", policy)
        text.add("};")


def _parameters(wired: Wired) -> list[str]:
    listed = [f"{'' if port.writes else 'const '}gaspipe::Word<{port.element}>* {port.name}" for port in ports(wired)]
    return [*listed, "gaspipe::Word<std::uint64_t>* ends", *(f"std::uint32_t {name}_n" for name in wired.numbers)]


def _add_kernel(text: Text, wired: Wired, for_vendor: bool) -> None:
    if not for_vendor:
        text.add(f"void kernel({', '.join(_parameters(wired))}) {{")
        _add_region(text, wired)
        text.add("}")


def _add_top(text: Text, wired: Wired) -> None:
    text.add("", f"using namespace gaspipe::block::chain_{wired.name};", "using namespace gaspipe::block;")
    text.add("using namespace gaspipe;", "", f'extern "C" void {wired.name}(')
    text.add("    " + ",\n    ".join(_parameters(wired)) + ") {")
    for port in [*ports(wired), Port("ends", "", "", True, "")]:
        text.add(
            f"#pragma HLS INTERFACE m_axi port = {port.name} bundle = {port.name} offset = slave "
            f"{_BURSTS[port.writes]}",
            f"#pragma HLS INTERFACE s_axilite port = {port.name} bundle = control",
        )
    for name in wired.numbers:
        text.add(f"#pragma HLS INTERFACE s_axilite port = {name}_n bundle = control")
    text.add("#pragma HLS INTERFACE s_axilite port = return bundle = control")
    _add_region(text, wired)
    text.add("}")


def _add_region(text: Text, wired: Wired) -> None:
    streams = [(f"{wire.name}_s", wire.token, wire.depth, wire.into.least) for wire in wired.wires.values()]
    for part in wired.parts:
        for stream in part.spec.internal:
            token = types.filled(stream.token, part.types)
            streams.append((f"{part.name}_{stream.name}_i", token, stream.depth, stream.least))
    for name, token, _, _ in streams:
        text.add(f"  using T_{name} = {token};")
    text.add("  GASPIPE_DATAFLOW;")
    for name, _, depth, least in streams:
        text.add(f"  GASPIPE_STREAM(T_{name}, {name}, {depth}{f', {least}' if least > 1 else ''});")
    text.add(f"  GASPIPE_STREAMS(FinalWord, ends_s, {len(wired.ends)}, {_ENDS_DEPTH});")
    text.add(*(f"  GASPIPE_TASK({task.call});" for task in tasks(wired)), "  GASPIPE_RUN;")


def library_text(wired: Wired) -> Text:
    """Return the kernel with a function that runs it in the emulator."""
    text = Text(FILE_NAME)
    kernel = kernel_text(wired, FILE_NAME, for_vendor=False)
    text.lines, text.quoted = kernel.lines, kernel.quoted
    arguments = [
        f"static_cast<{'' if port.writes else 'const '}Word<{port.element}>*>(call.arrays[{i}])"
        for i, port in enumerate(ports(wired))
    ]
    arguments.append(f"static_cast<Word<std::uint64_t>*>(call.arrays[{len(arguments)}])")
    arguments += [f"call.numbers[{i}]" for i in range(len(wired.numbers))]
    text.add(
        '#include "gaspipe/chain_run.h"',
        "",
        'extern "C" __attribute__((visibility("default"))) int gaspipe_chain(const gaspipe::chain::Call* asked) {',
        "  return gaspipe::chain::run(*asked, [](const gaspipe::chain::Call& call) {",
        "    using namespace gaspipe;",
        f"    block::chain_{wired.name}::kernel(",
        "        " + ",\n        ".join(arguments) + ");",
        "  });",
        "}",
    )
    return text
