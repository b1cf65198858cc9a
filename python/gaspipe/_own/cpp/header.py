# SPDX-License-Identifier: Apache-2.0
"""Writes the header of a user's program: the snippet, its hooks completed, and what a host needs around them.

The result is a program as those of hls/algorithm (the contract is hls/program.h), so the engines, the emulator and the
kernels take it unchanged. With `#line`, compilers name the lines of the author's text.
"""

from __future__ import annotations

from ..._card.kernels import NUMBERS, own_header
from .bodies import add_body
from .definition import Definition, arg_type, uses_arg_struct
from .hooks import add_free, add_struct, add_types
from .host import add_parameters, add_program
from .text import Text


def header_name(d: Definition) -> str:
    """Return the name of the program's header in an #include."""
    return own_header(d.name)


def program_header(d: Definition) -> tuple[str, dict[str, str]]:
    """Return the text of the program's header, and the user's texts in it by the names that compilers call them."""
    text = Text(header_name(d))
    _add_all(text, d)
    return str(text), text.quoted


def kernel_header(d: Definition) -> str:
    """Text of the header that kernels include: the hooks, without what a host needs around them, and no `#line`."""
    text = Text("")
    _add_all(text, d)
    return str(text)


def _add_all(text: Text, d: Definition) -> None:
    is_host = bool(text.file_name)
    text.add(
        "// SPDX-License-Identifier: Apache-2.0",
        f"// Written by gaspipe around the snippet {d.file_name}.",
        "#pragma once",
        "",
        '#include "hls/types.h"',
        '#include "hls/snippet.h"',
    )
    for line, include in d.outline.includes:
        text.quote(line, d.file_name, include)
    text.add("", "namespace gaspipe {", "namespace algorithm {", f"namespace {d.name} {{", "")
    if is_host:
        text.add('constexpr Description kDescription = {"", "", "value", "", ""};')
        text.add(f"using Numbers = NumberList<{NUMBERS[d.prop].replace('gaspipe::', '')}>;", "")
    text.add("namespace user {", "")
    text.add("using namespace ::gaspipe::snippet;", f"using prop_t = {d.word};", f"using edge_prop_t = {d.edge_word};")
    if d.scalars and uses_arg_struct(d):
        members = " ".join(f"{arg_type(d, s)} {s.name};" for s in d.scalars)
        text.add(f"struct Arg {{ {members} }};")
    text.quote(1, d.file_name, d.outline.text)
    for hook, body in d.bodies.items():
        add_body(text, d, hook, body)
    if not d.outline.has_struct:
        add_types(text, d)
    if d.identity is not None:
        text.add("constexpr prop_t given_identity() {", "  return static_cast<prop_t>(")
        text.quote(1, f"{d.name}.identity", d.identity)
        text.add("  );", "}")
    text.add("", "}  // namespace user", "")
    if d.outline.has_struct:
        add_struct(text, d)
    else:
        add_free(text, d)
    if is_host:
        add_parameters(text, d)
        add_program(text, d)
    text.add(f"}}  // namespace {d.name}", "}  // namespace algorithm", "}  // namespace gaspipe")
