# SPDX-License-Identifier: Apache-2.0
"""Types of C++ that chains pass on: of arrays, and of tokens with variables in them."""

from __future__ import annotations

import re

import numpy as np

from .._core import InputError

CPP = {
    "float32": "float",
    "float64": "double",
    "int32": "std::int32_t",
    "uint32": "std::uint32_t",
    "int64": "std::int64_t",
    "uint64": "std::uint64_t",
}
DTYPES = {cpp: dtype for dtype, cpp in CPP.items()}
LINE_BYTES = 64
_VARIABLE = re.compile(r"\{([A-Z])\}")
# Names that mean the same.
_ALIASES = {"VertexId": "std::uint32_t", "RowLine": "Line<std::uint64_t>", "GroupLine": "Line<std::uint64_t>"}


def cpp_type(dtype: object, of: str) -> str:
    """C++'s name of a dtype."""
    try:
        name = np.dtype(dtype).name  # type: ignore[call-overload]
    except TypeError:
        name = repr(dtype)
    if name not in CPP:
        raise InputError(f"{of} is of {name}; allowed are {', '.join(CPP)}")
    return CPP[name]


def plain(token: str) -> str:
    """One name for types that have several."""
    for alias, name in _ALIASES.items():
        token = re.sub(rf"(?<![\w:]){alias}(?!\w)", name, token)
    return token


def filled(token: str, types: dict[str, str]) -> str:
    """`token` with the variables that are known."""
    return plain(_VARIABLE.sub(lambda found: types.get(found[1], found[0]), token))


def is_known(token: str) -> bool:
    return _VARIABLE.search(token) is None


def match(token: str, known: str, types: dict[str, str]) -> bool:
    """Fill in the variables of `token` so that it is `known`; false where it cannot be."""
    pattern = re.escape(filled(token, types))
    pattern = re.sub(r"\\\{([A-Z])\\\}", r"(?P<\1>.+)", pattern)
    found = re.fullmatch(pattern, plain(known))
    if found is None:
        return False
    types.update(found.groupdict())
    return True
