# SPDX-License-Identifier: Apache-2.0
"""Writes the source of the library that engines load: the table of a program (gaspipe/engine/instance.h)."""

from __future__ import annotations

from .definition import Definition
from .header import header_name

_PLACES = {
    "OnCpu": "gaspipe/engine/on_cpu.h",
    "OnDevice": "gaspipe/engine/on_device.h",
    "OnEmulator": "gaspipe/engine/on_emulator.h",
}


def library_source(d: Definition, places: str) -> str:
    """Return the source of the library: its table, with the entries for some places (gaspipe/engine/instance.h)."""
    space = f"gaspipe::algorithm::{d.name}"
    names = [place.strip() for place in places.split(",")]
    return "\n".join(
        [
            "// SPDX-License-Identifier: Apache-2.0",
            *(f'#include "{_PLACES[name]}"' for name in names),
            f'#include "{header_name(d)}"',
            "namespace {",
            "struct Spec {",
            f"  template <class Number> using Program = {space}::Program<Number>;",
            f"  using Parameters = {space}::Parameters;",
            f"  using Numbers = {space}::Numbers;",
            f"  static const gaspipe::Description& description() {{ return {space}::kDescription; }}",
            "};",
            "}  // namespace",
            'extern "C" __attribute__((visibility("default")))',
            f"const gaspipe::abi::Program* gaspipe_program_{d.name}() {{",
            f"  return gaspipe::engine::program_table<Spec, {', '.join('gaspipe::engine::' + n for n in names)}>("
            f'"{d.name}");',
            "}",
            "",
        ]
    )
