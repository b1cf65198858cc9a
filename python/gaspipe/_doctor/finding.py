# SPDX-License-Identifier: Apache-2.0
"""What a check tells."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

OK, WARNING, PROBLEM = STATUSES = ("ok", "warning", "problem")


class Finding(NamedTuple):
    """One thing that was looked at.

    Attributes
    ----------
    check : str
        What was looked at.
    status : str
        "ok"; "warning": gaspipe works, but slower or without a part that was asked for; "problem": it does not work.
    found : str
        What is there.
    remedy : str
        What to do, else empty; beside "ok", what could be added.

    """

    check: str
    status: str
    found: str
    remedy: str = ""


def worst(findings: Iterable[Finding]) -> str:
    """Return the status of all together."""
    return max((finding.status for finding in findings), key=STATUSES.index, default=OK)
