# SPDX-License-Identifier: Apache-2.0
"""NumPy dtypes as C++ types of the same layout: numbers, and structs of numbers, arrays and structs."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import InputError
from .._own.names import check_name

_CPP = {
    "b1": "bool",
    **{
        f"{kind}{size}": f"std::{sign}int{8 * size}_t"
        for kind, sign in (("i", ""), ("u", "u"))
        for size in (1, 2, 4, 8)
    },
    "f4": "float",
    "f8": "double",
}
ALLOWED = "bool, integers of 8 to 64 bits, float32, float64, and structs and arrays of these"


def value_type(given: Any, what: str) -> np.dtype[Any]:
    """Return a dtype with the layout of C++: fields in their order, each aligned.

    InputError if there is no plain C++ type for it.
    """
    if given is None:  # NumPy would take it for float64
        raise InputError(f"{what} is None; allowed are {ALLOWED}")
    try:
        dtype = np.dtype(given)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} is {given!r}, which is no dtype ({error}); allowed are {ALLOWED}") from None
    return _aligned(dtype, what)


def _aligned(dtype: np.dtype[Any], what: str) -> np.dtype[Any]:
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        if 0 in shape:
            raise InputError(f"{what} is an array of shape {shape}; C++ has no array without elements")
        return np.dtype((_aligned(base, what), shape))
    if dtype.names is not None:
        if not dtype.names:
            raise InputError(f"{what} is a struct without fields; give it some, or a number")
        fields = [(name, _aligned(dtype[name], f"{what}[{name!r}]")) for name in dtype.names]
        for name in dtype.names:
            check_name(name, f"a field of {what}")
        return np.dtype(fields, align=True)
    if not dtype.isnative:
        raise InputError(f"{what} is {dtype.str!r}, of the other byte order; use {dtype.newbyteorder('=').str!r}")
    if dtype.hasobject:
        raise InputError(f"{what} is {dtype}, a pointer to a Python object; allowed are {ALLOWED}")
    if f"{dtype.kind}{dtype.itemsize}" not in _CPP:
        raise InputError(f"{what} is {dtype}; allowed are {ALLOWED}")
    return dtype


def shown(dtype: np.dtype[Any]) -> str:
    """Write a dtype for people; of a struct its fields."""
    return str(dtype) if dtype.names is None else f"{{{', '.join(dtype.names)}}}"


def declared(name: str, dtype: np.dtype[Any]) -> list[str]:
    """Lines that declare a type of this name."""
    if dtype.names is None:
        base, array = _spelled(dtype)
        if array:
            raise InputError(f"{name} is an array of {dtype.shape}; put it into a struct: [('x', ...)]")
        return [f"using {name} = {base};"]
    lines = [f"struct {name} {{"]
    for field in dtype.names:
        inner, array = dtype[field], ""
        if inner.subdtype is not None:
            array = "".join(f"[{extent}]" for extent in inner.shape)
            inner = inner.base
        if inner.names is not None:
            lines += [f"  {line}" for line in declared(f"Of_{field}", inner)]
            lines.append(f"  Of_{field} {field}{array};")
        else:
            lines.append(f"  {_spelled(inner)[0]} {field}{array};")
    lines.append("};")
    lines.append(f'static_assert(sizeof({name}) == {dtype.itemsize}, "");')
    return lines


def _spelled(dtype: np.dtype[Any]) -> tuple[str, str]:
    array = "".join(f"[{extent}]" for extent in dtype.shape)
    return _CPP[f"{dtype.base.kind}{dtype.base.itemsize}"], array
