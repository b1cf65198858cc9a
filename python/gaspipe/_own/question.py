# SPDX-License-Identifier: Apache-2.0
"""What calls of a custom algorithm may ask: the Python side of its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Callable, Union

from numpy.typing import NDArray

from .parse import MOST_STEPS

AUTO = "auto"  # the limit of super-steps of algorithms that come to rest by themselves
AUTO_LIMIT = "4 * num_vertices + 10,000"

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

    @property
    def has_fixed_length(self) -> bool:
        """Whether a run is as many super-steps as are asked for."""
        return set(self.limits) == {"max_iter"}


def limit_of(given: Any, question: Question, num_vertices: int) -> Any:
    """Return the limit of super-steps that a run has whose caller gives "auto", None or a number."""
    if given is None:
        return MOST_STEPS
    if isinstance(given, str) and given == AUTO:
        return question.limits.get("max_iter", auto_limit(num_vertices))
    return given


def auto_limit(num_vertices: int) -> int:
    """Return the limit of a run that comes to rest by itself: the longest path has num_vertices - 1 edges."""
    return min(4 * num_vertices + 10_000, MOST_STEPS)
