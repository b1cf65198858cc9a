# SPDX-License-Identifier: Apache-2.0
"""Custom algorithms: hooks in C++, compiled on demand, run like the built-in ones.

`parse.py`, `define.py` and `validate.py` turn what gp.Algorithm is given into a definition; `cpp/` writes a program
from it, `libraries.py` compiles that for a device, and `run.py` runs it.
"""

from .algorithm import Algorithm
from .numbers import Fixed, fixed
from .parameter import Parameter
from .parse import read_file
from .question import AUTO, auto_limit
from .registry import is_taken, register, unregister
from .validate import check_timeout

__all__ = [
    "AUTO",
    "Algorithm",
    "Fixed",
    "Parameter",
    "auto_limit",
    "check_timeout",
    "circuits",
    "cpp",
    "fixed",
    "is_taken",
    "names",
    "read_file",
    "register",
    "snippet",
    "unregister",
]
