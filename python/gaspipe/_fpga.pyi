# SPDX-License-Identifier: Apache-2.0
"""XRT in a module of its own, there where the package was built with it; see cpp/bindings/fpga."""

from typing import TypedDict

class _Card(TypedDict):
    index: int
    name: str
    address: str
    problem: str

def driver() -> object: ...
def library() -> str: ...
def cards() -> list[_Card]: ...
