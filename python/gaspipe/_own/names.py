# SPDX-License-Identifier: Apache-2.0
"""Names that the author of a custom algorithm may give to it, its parameters and its answer."""

from __future__ import annotations

import functools
import inspect
import keyword
import re
from collections.abc import Container
from typing import Any

from .. import _call
from .._core import InputError
from .._description import Description, Instance
from .._options import DEFAULTS
from .._result import Result
from .cpp import NAMES
from .function import GLOBALS, make
from .snippet import HOOKS

_CPP_WORDS = (
    "alignas alignof asm auto bool case catch char char16_t char32_t const const_cast constexpr decltype default "
    "delete do double dynamic_cast enum explicit export extern false float friend goto inline int long mutable "
    "namespace new noexcept nullptr operator private protected public register reinterpret_cast short signed sizeof "
    "static static_assert static_cast struct switch template this thread_local throw true typedef typeid typename "
    "union unsigned using virtual void volatile wchar_t "
    "and and_eq bitand bitor compl not not_eq or or_eq xor xor_eq NULL errno "
    "std gaspipe user snippet algorithm main "
    "Hooks Program Parameters Numbers Completed Measured Traits Context Real VertexId EdgeCount View VectorView Until "
    "Allowed Description NumberList contract"
)
# What the generated text calls something else, beside the parameters of hooks given by name.
_GENERATED = (
    "v n m step sum sums extra raw out_degree word fraction format context next input inputs all each visit "
    "initial max_iter tol min max abs prop_t edge_prop_t "
    "Arg Aux EdgeProperty Extra Fixed Number Property Sum Update Value Visit"
)
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@functools.cache
def taken() -> frozenset[str]:
    """Names that parameters and inputs cannot have: calls take them already, or the text around the hooks uses them."""
    instance = Instance("", "", "", "none", False, False, False, 0)
    plain = Description("_plain", "", "", "", "", "", "", False, (), (instance,))
    function = make(plain, _call.call)
    options = inspect.signature(_call.call).parameters.values()
    return frozenset(
        [
            *inspect.signature(function).parameters,
            *GLOBALS,
            *(p.name for p in options if p.kind == p.KEYWORD_ONLY),
            *DEFAULTS,
            *(name for names in NAMES.values() for name in names),
            *("acc", "old"),
            *HOOKS,
            *_GENERATED.split(),
        ]
    )


@functools.cache
def fields_taken() -> frozenset[str]:
    """Names that an answer cannot have: a result has them already."""
    made = inspect.signature(Result.__init__).parameters
    columns = {"vertex"}  # of Result.to_table, beside that of the answer
    return frozenset([*dir(Result), *made, *columns])


def is_cpp_word(name: str) -> bool:
    """Whether C++ or the generated text needs a name itself."""
    return name in _CPP_WORDS.split() or "__" in name


def check_name(name: Any, what: str) -> None:
    """Raise InputError for what is no identifier, or one of Python's, C++'s or the generated text's own."""
    if not isinstance(name, str) or not _IDENTIFIER.fullmatch(name):
        raise InputError(f"{what} is {name!r}; letters, digits and _ are allowed, the first a letter")
    if keyword.iskeyword(name) or is_cpp_word(name):
        raise InputError(f"{what} is {name!r}, which Python or C++ needs itself")


def check_algorithm_name(name: Any) -> None:
    """Raise InputError for a name that an algorithm cannot have."""
    check_name(name, "name")
    if name in GLOBALS:
        raise InputError(f"name is {name!r}, which the function of an algorithm needs itself")


def check_argument(name: Any, what: str, others: Container[str]) -> None:
    """Raise InputError for a name that a parameter or an input (`what`) cannot have; `others` of it are taken too."""
    check_name(name, what)
    if name in taken() or name in others:
        article = "an" if what[0] in "aeiou" else "a"
        raise InputError(f"{article} {what} cannot be called {name!r}; that name is taken")


def check_field(field: Any) -> None:
    """Raise InputError for a name that an answer cannot have."""
    if not isinstance(field, str) or not _IDENTIFIER.fullmatch(field) or keyword.iskeyword(field):
        raise InputError(f"field is {field!r}; an identifier is needed")
    if field in fields_taken():
        raise InputError(f"field is {field!r}; an identifier that Result does not have is needed")
