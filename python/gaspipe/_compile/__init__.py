# SPDX-License-Identifier: Apache-2.0
"""Compiles C++ of users with the compiler of their machine, and keeps the libraries for the next time.

`store`, the folder where they are kept, `trial`, whether the compiler works, and `missing`, which compiles what a build
left out, are part of this interface.
"""

from . import missing, store, trial
from .library import headers_digest, library
from .messages import CompileError
from .private import shown, why_not_trusted
from .toolchain import FLAGS, compiler

__all__ = [
    "FLAGS",
    "CompileError",
    "compiler",
    "headers_digest",
    "library",
    "missing",
    "shown",
    "store",
    "trial",
    "why_not_trusted",
]
