# SPDX-License-Identifier: Apache-2.0
"""Writes the hooks that are given by name, as expressions or statements: functions with the usual parameters."""

from __future__ import annotations

from .definition import KEYWORD_OF, NAMES, Definition, arg_type, is_expression, uses_arg_struct
from .text import Text


def add_body(text: Text, d: Definition, hook: str, body: str) -> None:
    """Add a hook as a function."""
    name = f"{d.name}.{KEYWORD_OF[hook]}"
    if hook == "applyFunc":
        _add_apply_body(text, d, body, name)
        return
    types = {"edge": "edge_prop_t"}
    listed = ", ".join(f"{types.get(n, 'prop_t')} {n}" for n in NAMES[hook])
    result = "bool" if hook in ("isActive", "isSource") else "prop_t"
    text.add(f"inline {result} {hook}({listed}) {{")
    _add_statements(text, body, name, "return")
    text.add("}")


def _add_statements(text: Text, body: str, name: str, before: str) -> None:
    if is_expression(body):
        text.add(f"  {before} (")
        text.quote(1, name, body)
        text.add("  );")
    else:
        text.quote(1, name, body)


def _add_apply_body(text: Text, d: Definition, body: str, name: str) -> None:
    arg = "Arg all" if uses_arg_struct(d) else "unsigned arg"
    aux = f"const prop_t (&inputs)[{len(d.inputs)}]" if len(d.inputs) > 1 else "prop_t input"
    text.add(f"inline prop_t applyFunc(prop_t acc, prop_t old, {aux}, unsigned& extra, {arg}) {{")
    text.add("  (void)acc, (void)old, (void)extra;")
    for k, given in enumerate(d.inputs):
        value = f"inputs[{k}]" if len(d.inputs) > 1 else "input"
        text.add(f"  const prop_t {given.name} = {value}; (void){given.name};")
    if uses_arg_struct(d):
        for s in d.scalars:
            text.add(f"  const {arg_type(d, s)} {s.name} = all.{s.name}; (void){s.name};")
    if is_expression(body):
        _add_statements(text, body, name, "const prop_t next =")
        text.add("  extra += next != old;", "  return next;")
    else:
        _add_statements(text, body, name, "return")
    text.add("}")
