# SPDX-License-Identifier: Apache-2.0
"""What calls of a custom algorithm may ask: the Python side of its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Callable, Union

from numpy.typing import NDArray

Values = Union[str, float, "NDArray[Any]", Mapping[Any, float], Callable[..., Any], None]


@dataclass
class Question:
    """Parameters of calls, beside their C++ types.

    Attributes
    ----------
    limits : dict
        Defaults of max_iter and tol, where `until` says some.
    defaults, docs : dict
        Of the parameters that reach C++.
    python : dict
        Parameters that only callables receive, with their defaults.
    vectors : dict
        Arrays by vertex that reach C++, and where they come from.

    """

    limits: dict[str, float]
    defaults: dict[str, Any] = field(default_factory=dict)
    docs: dict[str, str] = field(default_factory=dict)
    python: dict[str, Any] = field(default_factory=dict)
    vectors: dict[str, Values] = field(default_factory=dict)
