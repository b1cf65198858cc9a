# SPDX-License-Identifier: Apache-2.0
"""Number formats of kernels."""

from __future__ import annotations

# As C++ spells them.
NUMBERS = {
    "uint32": "std::uint32_t",
    "int32": "std::int32_t",
    "uint64": "std::uint64_t",
    "int64": "std::int64_t",
    "float32": "float",
    "float64": "double",
    "fixed": "gaspipe::Fixed<32>",
    "bits512": "gaspipe::BitSet<512>",
}
_BYTES = {"uint64": 8, "int64": 8, "float64": 8, "bits512": 64}


def bytes_of(number: str) -> int:
    """Bytes of a value in a number format."""
    return _BYTES.get(number, 4)
