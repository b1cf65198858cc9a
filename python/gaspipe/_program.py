# SPDX-License-Identifier: Apache-2.0
"""Writes the header of a user's program: the snippet, its hooks completed, and what a host needs around them.

What comes out is a program as those of hls/algorithm (the contract is hls/program.h), so the engines, the emulator and
the kernels take it unchanged. `#line` makes compilers speak of the user's own lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from ._card.kernels import NUMBERS, own_header
from ._snippet import HOOKS, Outline

OUT_DEGREE = "out_degree(v)"
HIGHEST = 1.7976931348623157e308
_VIEWS = {"forward": "kForward", "reverse": "kReverse", "undirected": "kUndirected"}


@dataclass(frozen=True)
class Scalar:
    """A parameter that reaches C++."""

    name: str
    kind: str  # vertex, integer, real, flag
    low: float = -HIGHEST
    high: float = HIGHEST


@dataclass(frozen=True)
class Input:
    """A value per vertex that applyFunc reads: a C++ expression of v, or an array when it is None."""

    name: str
    expression: str | None


@dataclass
class Definition:
    """All that decides the C++ of an algorithm."""

    name: str
    outline: Outline
    prop: str  # as in NUMBERS; "fixed" too
    edge_prop: str | None
    bodies: dict[str, str] = field(default_factory=dict)  # hooks given by name
    scalars: list[Scalar] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    initial: str | None = None  # an expression of v; None: an array
    arg: str | None = None
    identity: str | None = None
    finish: str | None = None
    value_type: str = "uint32"
    until: str = "no_active"  # no_active, no_change, steps, tol
    scale: int | None = None  # of fixed point; None: chosen per graph
    view: str = "forward"
    traits: dict[str, bool] = field(default_factory=dict)
    file_name: str = ""  # what compilers and messages call the snippet

    @property
    def reads_weights(self) -> bool:
        """Whether scatterFunc uses its second argument."""
        if "scatterFunc" in self.bodies:
            return re.search(r"\bedge\b", self.bodies["scatterFunc"]) is not None
        return self.takes("scatterFunc", 1)

    @property
    def is_fixed(self) -> bool:
        """Whether properties are words in a scale."""
        return self.prop == "fixed"

    @property
    def word(self) -> str:
        """C++ type of a property."""
        return "std::uint32_t" if self.is_fixed else NUMBERS[self.prop]

    @property
    def edge_word(self) -> str:
        """C++ type of an edge's weight."""
        return NUMBERS[self.edge_prop] if self.edge_prop else self.word

    @property
    def counts_extra(self) -> bool:
        """Whether applyFunc counts something itself; that of an expression, and the default, count what changed."""
        body = self.bodies.get("applyFunc")
        if body is not None:
            return is_expression(body) or re.search(r"\bextra\b", body) is not None
        function = self.outline.functions.get("applyFunc")
        return function is None or function.parameters[3].is_used

    @property
    def measures(self) -> bool:
        """Whether a super-step's change is measured beside what applyFunc counts."""
        return self.is_fixed or self.until in ("no_change", "tol") or self.active_is_change

    @property
    def active_is_change(self) -> bool:
        """Whether "no_active" has to mean "no_change", for applyFunc counts nothing."""
        return self.until == "no_active" and not self.counts_extra

    def takes(self, hook: str, index: int) -> bool:
        """Whether a hook uses a parameter."""
        if hook in self.bodies:
            return True
        function = self.outline.functions.get(hook)
        return function is not None and function.parameters[index].is_used


# The keyword of gp.Algorithm for each hook.
KEYWORDS = {
    "preprocess": "preprocessProperty",
    "scatter": "scatterFunc",
    "raw_merge": "updateMergeInRAWSolver",
    "gather": "gatherFunc",
    "merge": "applyMerge",
    "apply": "applyFunc",
    "active": "isActive",
    "is_source": "isSource",
    "priority": "priority",
}
_KEYWORD_OF = {hook: key for key, hook in KEYWORDS.items()}
# What hooks given as bodies may use, in their parameters' order.
NAMES = {
    "preprocessProperty": ("src",),
    "scatterFunc": ("src", "edge"),
    "updateMergeInRAWSolver": ("a", "b"),
    "gatherFunc": ("a", "b"),
    "applyMerge": ("a", "b"),
    "isActive": ("update",),
    "isSource": ("prop",),
    "priority": ("prop",),
}
_OUTER = "gaspipe::algorithm::"


class _Text:
    """Lines of the header, and whose they are, as `#line` says where the header has a name."""

    def __init__(self, file_name: str) -> None:
        self.file_name = file_name
        self.lines: list[str] = []
        self.quoted: dict[str, str] = {}  # texts by the names that compilers know them by

    def add(self, *lines: str) -> None:
        self.lines += [part for line in lines for part in line.split("\n")]

    def quote(self, line: int, name: str, text: str) -> None:
        """Text that compilers take for that of another file."""
        if line == 1:
            self.quoted.setdefault(name, text + "\n")
        if not self.file_name:
            self.add(text)
            return
        self.add(f"#line {line} {json.dumps(name)}", text)
        self.add(f'#line {len(self.lines) + 2} "{self.file_name}"')

    def __str__(self) -> str:
        return "\n".join(self.lines) + "\n"


def header_name(d: Definition) -> str:
    """Return the name of the program's header in an #include."""
    return own_header(d.name)


def header(d: Definition) -> tuple[str, dict[str, str]]:
    """Return the text of the program's header, and the user's texts in it by the names that compilers call them."""
    text = _Text(header_name(d))
    _add_all(text, d)
    return str(text), text.quoted


def kernel_header(d: Definition) -> str:
    """Text of the header that kernels include: the hooks, without what a host needs around them, and no `#line`."""
    text = _Text("")
    _add_all(text, d)
    return str(text)


def _add_all(text: _Text, d: Definition) -> None:
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
        _add_body(text, d, hook, body)
    if not d.outline.has_struct:
        _add_types(text, d)
    if d.identity is not None:
        text.add("constexpr prop_t given_identity() {", "  return static_cast<prop_t>(")
        text.quote(1, f"{d.name}.identity", d.identity)
        text.add("  );", "}")
    text.add("", "}  // namespace user", "")
    _add_struct(text, d) if d.outline.has_struct else _add_free(text, d)
    if is_host:
        _add_parameters(text, d)
        _add_program(text, d)
    text.add(f"}}  // namespace {d.name}", "}  // namespace algorithm", "}  // namespace gaspipe")


def source(d: Definition, places: str) -> str:
    """Return the source of the library: its table, with the entries for some places (gaspipe/engine/instance.h)."""
    space = f"{_OUTER}{d.name}"
    names = [place.strip() for place in places.split(",")]
    return "\n".join(
        [
            "// SPDX-License-Identifier: Apache-2.0",
            *(f'#include "{PLACES[name]}"' for name in names),
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


PLACES = {
    "OnCpu": "gaspipe/engine/on_cpu.h",
    "OnDevice": "gaspipe/engine/on_device.h",
    "OnEmulator": "gaspipe/engine/on_emulator.h",
}


def arg_type(d: Definition, scalar: Scalar) -> str:
    """C++ type of a parameter in Arg."""
    if scalar.kind == "real":
        if d.is_fixed:
            return "std::uint32_t"
        return d.word if d.prop in ("float32", "float64") else "double"
    return {"vertex": "std::uint32_t", "integer": "std::int32_t", "flag": "std::uint32_t"}[scalar.kind]


def uses_arg_struct(d: Definition) -> bool:
    """Whether applyFunc receives all parameters at once."""
    if "applyFunc" in d.bodies:
        return bool(d.scalars)
    function = d.outline.functions.get("applyFunc")
    return d.outline.has_struct or (function is not None and function.parameters[4].type == "Arg")


def is_expression(body: str) -> bool:
    """Whether a hook's body is a value, not statements."""
    return ";" not in body and "return" not in body.split()


def _add_body(text: _Text, d: Definition, hook: str, body: str) -> None:
    name = f"{d.name}.{_KEYWORD_OF[hook]}"
    if hook == "applyFunc":
        _add_apply_body(text, d, body, name)
        return
    types = {"edge": "edge_prop_t"}
    listed = ", ".join(f"{types.get(n, 'prop_t')} {n}" for n in NAMES[hook])
    result = "bool" if hook in ("isActive", "isSource") else "prop_t"
    text.add(f"inline {result} {hook}({listed}) {{")
    _add_statements(text, body, name, "return")
    text.add("}")


def _add_statements(text: _Text, body: str, name: str, before: str) -> None:
    if is_expression(body):
        text.add(f"  {before} (")
        text.quote(1, name, body)
        text.add("  );")
    else:
        text.quote(1, name, body)


def _add_apply_body(text: _Text, d: Definition, body: str, name: str) -> None:
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


def _defined(d: Definition) -> set[str]:
    return set(d.outline.functions) | set(d.bodies)


def _default_hooks(d: Definition, base: str) -> dict[str, str]:
    """Hooks that were left out; `base` qualifies those that are there."""
    gather = f"{base}gatherFunc(a, b)"
    return {
        "preprocessProperty": "static Property preprocessProperty(Property prop) { return prop; }",
        "scatterFunc": "static Update scatterFunc(Property prop, EdgeProperty) { return prop; }",
        "updateMergeInRAWSolver": f"static Update updateMergeInRAWSolver(Update a, Update b) {{ return {gather}; }}",
        "applyMerge": f"static Update applyMerge(Update a, Update b) {{ return {gather}; }}",
        "applyFunc": "static Property applyFunc(Update tProp, Property source, Aux, unsigned& extra, unsigned) {\n"
        f"    const Property next = {base}gatherFunc(source, tProp);\n"
        "    extra += next != source;\n"
        "    return next;\n"
        "  }",
    }


_TRAITS = {"idempotent": "kIdempotent", "final_once_set": "kFinalOnceSet", "components": "kComponents"}


def _add_traits(text: _Text, d: Definition, declared: set[str]) -> None:
    if "kReadsEdgeProperty" not in declared:
        text.add(f"  static constexpr bool kReadsEdgeProperty = {str(d.reads_weights).lower()};")
    if d.identity is not None:
        text.add("  static constexpr Update kIdentity = static_cast<Update>(user::given_identity());")
    for trait, member in _TRAITS.items():
        if d.traits.get(trait) and member not in declared:
            text.add(f"  static constexpr bool {member} = true;")


def _add_types(text: _Text, d: Definition) -> None:
    """Names for the types in applyFunc's parameters, where they mean what they mean to the user."""
    apply = d.outline.functions.get("applyFunc")
    types = {"Extra": "unsigned", "Arg": "unsigned", "Aux": "prop_t"}
    if apply is not None:
        types = {name: apply.parameters[k].type for name, k in (("Extra", 3), ("Arg", 4), ("Aux", 2))}
        lines = [f"using Given{name} = {kind};" for name, kind in types.items()]
        if apply.parameters[3].size:
            lines.append(f"constexpr int given_extras = {apply.parameters[3].size};")
        for line in lines:
            text.quote(apply.line, d.file_name, line)
        return
    if "applyFunc" in d.bodies and uses_arg_struct(d):
        types["Arg"] = "Arg"
    text.add(*(f"using Given{name} = {kind};" for name, kind in types.items()))


def _add_free(text: _Text, d: Definition) -> None:
    functions = d.outline.functions
    apply = functions.get("applyFunc")
    text.add("template <class Number>", "struct Completed {", "  using Property = user::prop_t;")
    text.add("  using EdgeProperty = user::edge_prop_t;", "  using Update = Property;")
    for name in ("Extra", "Arg", "Aux"):
        text.add(f"  using {name} = user::Given{name};")
    text.add(f"  static constexpr int kAux = {len(d.inputs)};")
    if apply is not None and apply.parameters[3].size:
        text.add("  static constexpr int kExtras = user::given_extras;")
    if "kIdentity" in d.outline.declared and d.identity is None:
        text.add("  static constexpr Update kIdentity = user::kIdentity;")
    _add_traits(text, d, set())
    lists = {
        "preprocessProperty": ("Property", "Property a", "a"),
        "scatterFunc": ("Update", "Property a, EdgeProperty b", "a, b"),
        "updateMergeInRAWSolver": ("Update", "Update a, Update b", "a, b"),
        "gatherFunc": ("Update", "Update a, Update b", "a, b"),
        "applyMerge": ("Update", "Update a, Update b", "a, b"),
        "isActive": ("bool", "Update a", "a"),
        "isSource": ("bool", "Property a", "a"),
        "priority": ("Property", "Property a", "a"),
    }
    several = len(d.inputs) > 1
    extras = "Extra (&extra)[kExtras]" if apply is not None and apply.parameters[3].size else "Extra& extra"
    listed = f"Update a, Property b, {'const Aux (&aux)[kAux]' if several else 'Aux aux'}, {extras}, Arg arg"
    lists["applyFunc"] = ("Property", listed, "a, b, aux, extra, arg")
    missing = _default_hooks(d, "")
    for hook, (result, parameters, passed) in lists.items():
        if hook in _defined(d):
            function = functions.get(hook)
            spelled = function.spelled if function else hook
            line = f"  static {result} {hook}({parameters}) {{ return user::{spelled}({passed}); }}"
            if function:
                text.quote(function.line, d.file_name, line)
            else:
                text.add(line)
        elif hook in HOOKS:
            text.add("  " + missing[hook])
    if d.outline.active_macro and "isActive" not in _defined(d):
        text.add("  static bool isActive(Update update) {", "    using namespace user;")
        text.add("    return (IS_ACTIVE_VERTEX(update)) != 0;", "  }")
    text.add("};", "")
    _add_hooks(text, d)


def _add_struct(text: _Text, d: Definition) -> None:
    base = f"user::Hooks<{d.word}>" if d.outline.struct_is_template else "user::Hooks"
    text.add("template <class Number>", f"struct Completed : {base} {{", f"  using Base = {base};")
    text.add("  using Property = typename Base::Property;")
    line = next(iter(d.outline.functions.values())).line
    text.quote(
        line,
        d.file_name,
        "  static_assert(contract::Same<Property, user::prop_t>::value, "
        f'"Property of struct Hooks is not the prop=\\"{d.prop}\\" of gp.Algorithm");',
    )
    if d.edge_prop:
        text.add("  using EdgeProperty = user::edge_prop_t;")
    else:
        text.add("  using EdgeProperty = typename Traits<Base>::EdgeProperty;")
    text.add("  using Update = typename Traits<Base>::Update;", "  using Aux = typename Traits<Base>::Aux;")
    _add_traits(text, d, d.outline.declared)
    missing = _default_hooks(d, "Base::")
    for hook in HOOKS:
        if hook not in d.outline.functions:
            text.add("  " + missing[hook])
    if d.outline.active_macro and "isActive" not in d.outline.functions:
        text.add("  static bool isActive(Update update) {", "    using namespace user;")
        text.add("    return (IS_ACTIVE_VERTEX(update)) != 0;", "  }")
    text.add("};", "")
    _add_hooks(text, d)


def _add_hooks(text: _Text, d: Definition) -> None:
    base = "Completed<Number>"
    if d.measures:
        base = f"Measured<{base}, {str(d.is_fixed).lower()}>"
    text.add("template <class Number>", f"struct Hooks : {base} {{}};", "")


def _add_parameters(text: _Text, d: Definition) -> None:
    types = {"vertex": "VertexId", "integer": "int", "real": "double", "flag": "bool"}
    text.add("struct Parameters {")
    visits = []
    for s in d.scalars:
        text.add(f"  {types[s.kind]} {s.name} = 0;")
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
    types = {"vertex": "VertexId", "integer": "int", "real": "double", "flag": "bool"}
    lines = [
        "    using namespace user;",
        "    const VertexId n = context.num_vertices;",
        "    const EdgeCount m = context.num_edges;",
        "    (void)n, (void)m;",
    ]
    for s in d.scalars:
        lines.append(f"    const {types[s.kind]} {s.name} = context.parameters.{s.name}; (void){s.name};")
    return lines


def _add_program(text: _Text, d: Definition) -> None:
    vector = (
        "format.word(context.parameters.{0}.template at<double>(v))"
        if d.is_fixed
        else ("context.parameters.{0}.template at<Property>(v)")
    )

    def returned(kind: str, expression: str, what: str) -> None:
        text.add(*_locals(d), f"    return static_cast<{kind}>(")
        text.quote(1, f"{d.name}.{what}", expression)
        text.add("    );")

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
    if d.is_fixed and d.scale is not None:
        text.add(f"  static int scale_bits(VertexId, EdgeCount) {{ return {d.scale}; }}")
    elif d.is_fixed:
        # As for ranks, which are about 1/n; larger values saturate, and bring the scale down from there.
        text.add("  static int scale_bits(VertexId num_vertices, EdgeCount) {", "    int bits = 31;")
        text.add("    for (VertexId n = num_vertices; n > 1; n /= 2) ++bits;", "    return bits;", "  }")
    if d.traits.get("components") or "kComponents" in d.outline.declared:
        text.add("  static constexpr bool kAsksDegrees = false;")
    else:
        text.add("  EdgeCount out_degree(VertexId v) const { return context.out_degree(v); }")
    text.add("  auto word(double value) const { return format.word(value); }")
    text.add("  auto fraction(double value) const { return format.fraction(value); }", "")
    text.add("  Property initial(VertexId v) const {")
    if d.initial is None:
        text.add(f"    return {vector.format('initial')};")
    else:
        returned("Property", d.initial, "initial")
    text.add("  }")
    if d.inputs and [given.expression for given in d.inputs] != [OUT_DEGREE]:  # which is what engines give anyway
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
                text.add(f"    return static_cast<Aux>({vector.format(given.name)});")
            else:
                returned("Aux", given.expression, given.name)
            text.add("    }")
        text.add("  }")
    _add_arg(text, d, returned)
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
    text.add("  Value finish(Property raw, VertexId v) const {", "    (void)v;")
    if d.finish is None:
        text.add(
            "    return format.value(static_cast<double>(raw));"
            if d.is_fixed
            else "    return static_cast<Value>(raw);"
        )
    else:
        text.add(
            "    const double prop = format.value(static_cast<double>(raw));"
            if d.is_fixed
            else "    const Property prop = raw;"
        )
        text.add("    (void)prop;")
        returned("Value", d.finish, "finish")
    text.add("  }", "};", "")


def _add_arg(text: _Text, d: Definition, returned: Callable[[str, str, str], None]) -> None:
    if d.arg is None and not (d.scalars and uses_arg_struct(d) and _takes_arg(d)):
        return
    text.add("  typename Traits<Hooks>::Arg arg(int step, const Sum* sums) const {", "    (void)step, (void)sums;")
    text.add("    const Sum sum = sums[0];", "    (void)sum;")
    if d.arg is not None:
        returned("typename Traits<Hooks>::Arg", d.arg, "arg")
    else:
        values = []
        for s in d.scalars:
            value = f"context.parameters.{s.name}"
            if s.kind == "real":
                value = f"format.fraction({value})" if d.is_fixed else value
            values.append(f"static_cast<{arg_type(d, s)}>({value})")
        text.add(f"    return user::Arg{{{', '.join(values)}}};")
    text.add("  }")


def _takes_arg(d: Definition) -> bool:
    if "applyFunc" in d.bodies:
        return True
    function = d.outline.functions.get("applyFunc")
    return function is not None and function.parameters[4].type == "Arg"
