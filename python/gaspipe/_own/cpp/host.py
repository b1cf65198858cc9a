# SPDX-License-Identifier: Apache-2.0
"""Writes what a host needs around the hooks: struct Parameters and struct Program (the contract is hls/program.h)."""

from __future__ import annotations

from ..._card.kernels import NUMBERS
from .definition import OUT_DEGREE, Definition, arg_type, takes_arg_struct
from .text import Text

_VIEWS = {"forward": "kForward", "reverse": "kReverse", "undirected": "kUndirected"}
_TYPES = {"vertex": "VertexId", "integer": "int", "real": "double", "flag": "bool"}  # of parameters


def add_parameters(text: Text, d: Definition) -> None:
    """Add struct Parameters."""
    text.add("struct Parameters {")
    visits = []
    for s in d.scalars:
        text.add(f"  {_TYPES[s.kind]} {s.name} = 0;")
        allowed = "Allowed::vertex()" if s.kind == "vertex" else f"Allowed::between({s.low!r}, {s.high!r})"
        visits.append(f'visit("{s.name}", {s.name}, {allowed}, "");')
    if d.until == "tol":
        text.add("  double tol = 0;")
        visits.append('visit("tol", tol, Allowed::at_least(0), "");')
    text.add("  int max_iter = 0;")
    visits.append('visit("max_iter", max_iter, Allowed::at_least(1), "");')
    if d.initial is None:
        text.add("  VectorView initial;")
        visits.append('visit("initial", initial, Allowed::any(), "");')
    for given in d.inputs:
        if given.expression is None:
            text.add(f"  VectorView {given.name};")
            visits.append(f'visit("{given.name}", {given.name}, Allowed::any(), "");')
    text.add("  template <class Visit>", "  void each(Visit&& visit) {", *("    " + v for v in visits), "  }", "};", "")


def _locals(d: Definition) -> list[str]:
    """Names that an expression of the host may use."""
    lines = [
        "    using namespace user;",
        "    const VertexId n = context.num_vertices;",
        "    const EdgeCount m = context.num_edges;",
        "    (void)n, (void)m;",
    ]
    for s in d.scalars:
        lines.append(f"    const {_TYPES[s.kind]} {s.name} = context.parameters.{s.name}; (void){s.name};")
    return lines


def add_program(text: Text, d: Definition) -> None:
    """Add struct Program."""
    number = NUMBERS[d.prop].replace("gaspipe::", "")
    text.add("template <class Number>", "struct Program {", f"  using Hooks = {d.name}::Hooks<Number>;")
    text.add(
        "  using Property = typename Hooks::Property;",
        "  using Aux = typename Traits<Hooks>::Aux;",
        "  using Sum = typename Traits<Hooks>::Sum;",
        f"  using Value = {NUMBERS[d.value_type]};",
        f"  static constexpr View kView = View::{_VIEWS[d.view]};",
    )
    if d.is_fixed:
        text.add("  static constexpr int kSaturations = Hooks::kSaturated;")
    text.add(
        "  const Context<Parameters>& context;",
        f"  Real<{number}> format;",
        "",
        "  explicit Program(const Context<Parameters>& c) : context(c), format(c.scale_bits) {}",
    )
    _add_scale(text, d)
    if d.traits.get("components") or "kComponents" in d.outline.declared:
        text.add("  static constexpr bool kAsksDegrees = false;")
    else:
        text.add("  EdgeCount out_degree(VertexId v) const { return context.out_degree(v); }")
    text.add("  auto word(double value) const { return format.word(value); }")
    text.add("  auto fraction(double value) const { return format.fraction(value); }", "")
    _add_initial(text, d)
    _add_aux(text, d)
    _add_arg(text, d)
    _add_until(text, d)
    _add_finish(text, d)
    text.add("};", "")


def _add_return(text: Text, d: Definition, kind: str, expression: str, what: str) -> None:
    """Add a return of the author's expression, converted to a type."""
    text.add(*_locals(d), f"    return static_cast<{kind}>(")
    text.quote(1, f"{d.name}.{what}", expression)
    text.add("    );")


def _entry(d: Definition, name: str) -> str:
    """C++ of a vertex's number in an array of the parameters, as a property."""
    array = f"context.parameters.{name}"
    return f"format.word({array}.template at<double>(v))" if d.is_fixed else f"{array}.template at<Property>(v)"


def _add_scale(text: Text, d: Definition) -> None:
    if d.is_fixed and d.scale is not None:
        text.add(f"  static int scale_bits(VertexId, EdgeCount) {{ return {d.scale}; }}")
    elif d.is_fixed:
        # As for ranks, which are about 1/n; larger values saturate, and bring the scale down from there.
        text.add("  static int scale_bits(VertexId num_vertices, EdgeCount) {", "    int bits = 31;")
        text.add("    for (VertexId n = num_vertices; n > 1; n /= 2) ++bits;", "    return bits;", "  }")


def _add_initial(text: Text, d: Definition) -> None:
    text.add("  Property initial(VertexId v) const {")
    if d.initial is None:
        text.add(f"    return {_entry(d, 'initial')};")
    else:
        _add_return(text, d, "Property", d.initial, "initial")
    text.add("  }")


def _add_aux(text: Text, d: Definition) -> None:
    if not d.inputs or [given.expression for given in d.inputs] == [OUT_DEGREE]:  # which engines pass anyway
        return
    if d.outline.has_struct:
        text.add(
            f"  static_assert(Traits<Hooks>::kAux == {len(d.inputs)}, "
            '"kAux of struct Hooks is not the number of inputs= of gp.Algorithm");'
        )
    text.add("  Aux aux(int k, VertexId v) const {", "    (void)k, (void)v;")
    for k, given in enumerate(d.inputs):
        last = k == len(d.inputs) - 1
        text.add("    {" if last else f"    if (k == {k}) {{")
        if given.expression is None:
            text.add(f"    return static_cast<Aux>({_entry(d, given.name)});")
        else:
            _add_return(text, d, "Aux", given.expression, given.name)
        text.add("    }")
    text.add("  }")


def _add_arg(text: Text, d: Definition) -> None:
    if d.arg is None and not (d.scalars and takes_arg_struct(d)):
        return
    text.add("  typename Traits<Hooks>::Arg arg(int step, const Sum* sums) const {", "    (void)step, (void)sums;")
    text.add("    const Sum sum = sums[0];", "    (void)sum;")
    if d.arg is not None:
        _add_return(text, d, "typename Traits<Hooks>::Arg", d.arg, "arg")
    else:
        values = []
        for s in d.scalars:
            value = f"context.parameters.{s.name}"
            if s.kind == "real":
                value = f"format.fraction({value})" if d.is_fixed else value
            values.append(f"static_cast<{arg_type(d, s)}>({value})")
        text.add(f"    return user::Arg{{{', '.join(values)}}};")
    text.add("  }")


def _add_until(text: Text, d: Definition) -> None:
    change = "sums[Hooks::kChange]"
    text.add("  Until until(int step, const Sum* sums) const {", "    (void)sums;")
    if d.until == "tol":
        measured = f"format.value(static_cast<double>({change}))" if d.is_fixed else f"static_cast<double>({change})"
        text.add(f"    if ({measured} <= context.parameters.tol) return Until::kDone;")
    elif d.until == "no_change" or d.active_is_change:
        text.add(f"    if ({change} == 0) return Until::kDone;")
    elif d.until == "no_active":
        text.add("    if (sums[0] == 0) return Until::kDone;")
    end = "kDone" if d.until == "steps" else "kNotConverged"
    text.add(f"    return step + 1 < context.parameters.max_iter ? Until::kGoOn : Until::{end};", "  }")


def _add_finish(text: Text, d: Definition) -> None:
    if d.finish is None and not d.is_fixed:
        return  # the property is the answer
    value = "format.value(static_cast<double>(raw))"
    text.add("  Value finish(Property raw, VertexId v) const {", "    (void)v;")
    if d.finish is None:
        text.add(f"    return {value};")
    else:
        text.add(f"    const double prop = {value};" if d.is_fixed else "    const Property prop = raw;")
        text.add("    (void)prop;")
        _add_return(text, d, "Value", d.finish, "finish")
    text.add("  }")
