# SPDX-License-Identifier: Apache-2.0
"""What this gaspipe was built from and with."""

from __future__ import annotations

import platform
from typing import Any

from ._core import __version__

_DIGITS = 12  # of a commit, for people


def build_info() -> dict[str, Any]:
    """Tell what this gaspipe was built from and with: for reports of bugs, and notes beside measurements.

    Returns
    -------
    dict
        `version`: str. `commit`: str, 40 hexadecimal digits, or None where it was built outside a Git checkout.
        `has_changes`: bool, whether files of the checkout differed from that commit. `compiler`, `flags`, `build_type`,
        `cxx_standard`, `openmp`: str, or None, of the C++ build; `openmp` is the version that the compiler supports.
        `xrt`: str, the version of XRT that the driver of cards was built with, or None without the driver. `liburing`:
        bool, whether files can be read by io_uring. `kernels`: "built", or "on-demand": those for the emulator and for
        predictions are compiled when first used. `python`: str, the version that runs.

    Examples
    --------
    >>> import gaspipe as gp
    >>> gp.build_info()["cxx_standard"]
    'C++17'

    """
    from ._built import BUILT

    info = {"version": __version__, **BUILT, "python": platform.python_version()}
    info["liburing"] = bool(info["liburing"])
    return info


def commit_text(info: dict[str, Any]) -> str:
    """Say the commit for people."""
    if info["commit"] is None:
        return "unknown"
    return str(info["commit"])[:_DIGITS] + ", with changes" * bool(info["has_changes"])


def describe() -> str:
    """Say it in lines, the version first."""
    info = build_info()
    rows = {
        "commit": commit_text(info),
        "compiler": ", ".join(
            filter(None, (info["compiler"], info["cxx_standard"], info["build_type"], info["flags"]))
        ),
        "OpenMP": info["openmp"] or "unknown",
        "XRT": info["xrt"] or "none",
        "liburing": "yes" if info["liburing"] else "none",
        "kernels": info["kernels"],
        "Python": info["python"],
    }
    return "\n".join([f"gaspipe, version {info['version']}", *(f"{name:<10}{text}" for name, text in rows.items())])
