# SPDX-License-Identifier: Apache-2.0
"""Where the installed package keeps its C++ headers."""

from __future__ import annotations

import os
from importlib import resources


def get_include() -> str:
    """Directory with the C++ headers: `hls/...` (hooks, kernels) and `gaspipe/...` (engine).

    Returns
    -------
    str
        Absolute path to pass to a compiler as ``-I``. Headers need C++17.

    """
    from . import _core

    # Beside the package in a wheel; in an editable install the headers were installed beside the extension.
    for root in (str(resources.files(__package__)), os.path.dirname(os.path.abspath(_core.__file__))):
        path = os.path.join(root, "include")
        if os.path.isfile(os.path.join(path, "hls", "types.h")):
            return path
    raise FileNotFoundError(f"the headers of gaspipe are missing beside {_core.__file__}; install gaspipe again")
