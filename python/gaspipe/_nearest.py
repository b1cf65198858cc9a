# SPDX-License-Identifier: Apache-2.0
"""Names that look like one that is not there."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice
from typing import Any

_MOST_COMPARED = 20_000  # comparing takes some microseconds each
_MOST_SHOWN = 3


def near(wanted: Any, known: Iterable[Any]) -> list[Any]:
    """Of known names those that look most like `wanted`, best first: other case, a typing error, 5 for "5"."""
    text = _folded(wanted)
    if text is None:
        return []
    alike: dict[str, Any] = {}
    for name, folded in islice(_candidates(text, known), _MOST_COMPARED):
        alike.setdefault(folded, name)
    if text in alike:
        return [alike[text]]
    if not isinstance(wanted, str):
        return []
    texts = [folded for folded, name in alike.items() if isinstance(name, str)]
    return [alike[found] for found in difflib.get_close_matches(text, texts, _MOST_SHOWN)]


def _candidates(text: str, known: Iterable[Any]) -> Iterable[tuple[Any, str]]:
    """Names with their texts, without those that neither begin nor end as the text does."""
    for name in known:
        folded = _folded(name)
        if folded is not None and (folded[:1] == text[:1] or folded[-1:] == text[-1:]):
            yield name, folded


def _folded(name: Any) -> str | None:
    if isinstance(name, bool) or not isinstance(name, (str, int)):
        return None
    return str(name).casefold().strip()
