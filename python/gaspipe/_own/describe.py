# SPDX-License-Identifier: Apache-2.0
"""Describes a custom algorithm as built-in ones are described."""

from __future__ import annotations

from .._description import Description, Instance, Parameter
from .callables import Required
from .cpp import Definition
from .parse import MOST_STEPS
from .question import AUTO, AUTO_LIMIT, Question


def describe(d: Definition, question: Question, field: str, doc: str, kernel_header: str) -> Description:
    """Return the description; `doc` is the author's text, its first sentence the summary."""
    summary, _, details = " ".join(doc.split()).partition(". ")
    summary = (summary.rstrip(".") or f"The algorithm {d.name}, of the user's own hooks") + "."
    return Description(
        name=d.name,
        summary=summary,
        details=details,
        field=field,
        field_doc="the property at the end" if d.finish is None else "the answer",
        reference="",
        view=d.view,
        rectangular=False,
        parameters=(*_declared(d, question), *_limits(question)),
        instances=(_instance(d),),
        kernel_header=kernel_header,
    )


def _declared(d: Definition, question: Question) -> list[Parameter]:
    """Parameters and inputs that the author declared."""
    found = []
    for s in d.scalars:
        doc = question.docs[s.name] or ("Start vertex." if s.kind == "vertex" else "Parameter.")
        found.append(Parameter(s.name, doc, s.kind, question.defaults[s.name], s.low, s.high))
    found += [Parameter(name, "Parameter.", "any", default) for name, default in question.python.items()]
    for name, origin in question.vectors.items():
        if not callable(origin):
            doc = "Property at the start." if name == "initial" else "Input of every vertex."
            found.append(Parameter(name, doc, "values", Required if origin is None else None))
    return found


def _limits(question: Question) -> list[Parameter]:
    """Parameters that end a run."""
    found = []
    if "tol" in question.limits:
        doc = "Total change of the properties (L1) at which to stop."
        found.append(Parameter("tol", doc, "real", question.limits["tol"], 0.0))
    default = question.limits.get("max_iter", AUTO)
    if question.has_fixed_length:
        return [*found, Parameter("max_iter", "Super-steps.", "integer", default, 1.0, float(MOST_STEPS))]
    doc = "Most super-steps: " + f'"{AUTO}" is {AUTO_LIMIT}, ' * (default == AUTO) + "None no limit."
    return [*found, Parameter("max_iter", doc, "limit", default, 1.0, float(MOST_STEPS))]


def _instance(d: Definition) -> Instance:
    word = "uint32" if d.is_fixed else d.prop
    return Instance(
        number=d.prop,
        value_type=d.value_type,
        property_type=word,
        edge_type=(d.edge_prop or word) if d.reads_weights else "none",
        transition_probabilities=False,
        fixed_point=d.is_fixed,
        idempotent=d.traits["idempotent"],
        num_aux=len(d.inputs),
    )
