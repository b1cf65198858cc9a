# SPDX-License-Identifier: Apache-2.0
"""Writes the hooks as hls/program.h takes them: what the author left out is completed."""

from __future__ import annotations

from ..snippet import HOOKS
from .definition import Definition, uses_arg_struct
from .text import Text


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


def _add_traits(text: Text, d: Definition, declared: set[str]) -> None:
    if "kReadsEdgeProperty" not in declared:
        text.add(f"  static constexpr bool kReadsEdgeProperty = {str(d.reads_weights).lower()};")
    if d.identity is not None:
        text.add("  static constexpr Update kIdentity = static_cast<Update>(user::given_identity());")
    for trait, member in _TRAITS.items():
        if d.traits.get(trait) and member not in declared:
            text.add(f"  static constexpr bool {member} = true;")


def add_types(text: Text, d: Definition) -> None:
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


def add_free(text: Text, d: Definition) -> None:
    """Add the hooks of free functions, and of those given by name."""
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


def add_struct(text: Text, d: Definition) -> None:
    """Add the hooks of a struct Hooks."""
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


def _add_hooks(text: Text, d: Definition) -> None:
    base = "Completed<Number>"
    if d.measures:
        base = f"Measured<{base}, {str(d.is_fixed).lower()}>"
    text.add("template <class Number>", f"struct Hooks : {base} {{}};", "")
