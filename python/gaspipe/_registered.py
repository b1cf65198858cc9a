# SPDX-License-Identifier: Apache-2.0
"""The custom algorithms that gp.register has made functions, by name.

A module of its own, so that a look at it does not import what writes and compiles them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._own import Algorithm

algorithms: dict[str, Algorithm] = {}
