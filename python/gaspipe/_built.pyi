# SPDX-License-Identifier: Apache-2.0
# Written by the build: cpp/bindings/write_built.py.
from __future__ import annotations

BUILT: dict[str, str | bool | None]
