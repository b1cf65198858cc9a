# SPDX-License-Identifier: Apache-2.0
"""Labels that no array of one type holds, as JSON: strings, numbers and tuples of them."""

from __future__ import annotations

import contextlib
import json
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import _inputs
from ..._core import GraphFormatError, InputError
from .layout import Bytes


def labels_to_json(labels: list[Any]) -> bytes:
    if set(map(type, labels)) <= {str, int, float, bool, type(None)}:
        with contextlib.suppress(ValueError):  # NaN, surrogates, thousands of digits
            return json.dumps(labels, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()
    values = []
    for v, label in enumerate(labels):
        try:
            values.append(_to_json(label))
        except (TypeError, RecursionError):
            shown = repr(label) if not isinstance(label, tuple) else "of a tuple"
            shown = shown if len(shown) <= 60 else shown[:57] + "..."
            raise InputError(
                f"the label {shown} of vertex {v} is a {_inputs.kind(_culprit(label))}; a file can hold str, int, "
                "float, bool, None and tuples of these"
            ) from None
    return json.dumps(values, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()


def _culprit(label: Any) -> Any:
    """What in a label cannot be written."""
    for _ in range(100):
        if type(label) is not tuple:
            break
        for part in label:
            try:
                _to_json(part)
            except (TypeError, RecursionError):
                label = part
                break
    return label


def _to_json(value: Any) -> Any:
    kind = type(value)
    if kind is str:
        try:
            value.encode()
        except UnicodeEncodeError:
            return {"str": list(map(ord, value))}
    elif kind is int:
        return {"int": hex(value)} if value.bit_length() > 2048 else value
    elif kind is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    elif kind is tuple:
        return {"tuple": list(map(_to_json, value))}
    elif kind is not bool and value is not None:
        raise TypeError
    return value


def labels_from_json(content: Bytes, num_vertices: int, name: str) -> NDArray[Any]:
    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no JSON")

    try:
        values = json.loads(content.tobytes().decode(), parse_constant=refuse)
        if not isinstance(values, list) or len(values) != num_vertices:
            raise ValueError(f"found no array of {num_vertices} values")
        if not set(map(type, values)) <= {str, int, float, bool, type(None)}:
            values = [_from_json(value) for value in values]
    except (ValueError, TypeError, RecursionError, OverflowError) as error:
        raise GraphFormatError(f"{name}: its labels are wrong: {error}") from error
    labels = np.empty(num_vertices, object)
    for v, label in enumerate(values):  # all at once, NumPy would look into tuples
        labels[v] = label
    return labels


def _from_json(value: Any) -> Any:
    if not isinstance(value, (dict, list)):
        return value
    if isinstance(value, dict) and len(value) == 1:
        ((kind, of),) = value.items()
        if kind == "tuple" and isinstance(of, list):
            return tuple(map(_from_json, of))
        if kind == "float" and of in ("nan", "inf", "-inf"):
            return float(of)
        if kind == "int" and isinstance(of, str):
            return int(of, 16)
        if kind == "str" and isinstance(of, list):
            return "".join(map(chr, of))
    raise ValueError(f"a label is {str(value)[:40]}")
