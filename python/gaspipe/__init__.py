# SPDX-License-Identifier: Apache-2.0
"""Graph analytics as gather-apply-scatter pipelines: on the CPU, and on FPGA cards.

    import gaspipe as gp
    gp.bfs(matrix, root=0).depth          # matrix: SciPy sparse, A[i, j] is the edge i -> j
    graph = gp.Graph(matrix)              # or build once, ask often
    gp.pagerank(graph).rank

Every algorithm takes a graph first and returns a :class:`Result`. Those of ``gp.algorithms`` run on every device, those
of ``gp.cpu_algorithms`` on the CPU.
"""

import importlib
from typing import TYPE_CHECKING, Any

from . import _algorithms, generate
from . import _on_demand as _on_demand  # tells the core who compiles what it lacks
from ._algorithms import *  # noqa: F403
from ._algorithms import algorithms, cpu_algorithms
from ._batch import batch
from ._build_info import build_info
from ._card import devices, release_devices
from ._convert import convert
from ._core import (
    CapacityError,
    DeviceError,
    Error,
    GraphFormatError,
    InputError,
    Partition,
    Partitioning,
    RankError,
    SubPartition,
    __version__,
)
from ._cost import LongRunWarning
from ._device import DeviceFallbackWarning
from ._graph import Preparation
from ._paths import get_include
from ._result import NotConvergedWarning, Prediction, Result, Stats
from ._vertices import Index, index
from .datasets import roads_ny
from .graph import Graph

if TYPE_CHECKING:
    from . import cache, distributed, testing
    from ._chain import Block, Chain, ChainResult
    from ._compile import CompileError
    from ._domains import Domain, Domains
    from ._frontier import FrontierEngine, VertexSubset
    from ._laws import CheckError, CrashError
    from ._own import Algorithm, Fixed, Parameter, fixed, register, unregister
    from ._predict import Board, predict
    from .accelerator import Accelerator, Profile

# What writes and compiles users' algorithms, and what drives a device by steps, is imported at first use: most programs
# never need it.
_LATE = {
    **dict.fromkeys(("Algorithm", "Fixed", "Parameter", "fixed", "register", "unregister"), "_own"),
    **dict.fromkeys(("Block", "Chain", "ChainResult"), "_chain"),
    **dict.fromkeys(("CheckError", "CrashError"), "_laws"),
    "CompileError": "_compile",
    **dict.fromkeys(("Domain", "Domains"), "_domains"),
    **dict.fromkeys(("FrontierEngine", "VertexSubset"), "_frontier"),
    **dict.fromkeys(("Accelerator", "Profile"), "accelerator"),
    **dict.fromkeys(("Board", "predict"), "_predict"),
}
_LATE_MODULES = ("cache", "distributed", "testing")


if not TYPE_CHECKING:  # checkers have the imports above, and find names that are not there

    def __getattr__(name: str) -> Any:
        if name in _LATE_MODULES:
            return importlib.import_module(f".{name}", __name__)
        if name not in _LATE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(importlib.import_module(f".{_LATE[name]}", __name__), name)
        return value


def __dir__() -> "list[str]":
    return sorted({*globals(), *__all__})


__all__ = [
    "Accelerator",
    "Algorithm",
    "Block",
    "Board",
    "CapacityError",
    "Chain",
    "ChainResult",
    "CheckError",
    "CompileError",
    "CrashError",
    "DeviceError",
    "DeviceFallbackWarning",
    "Domain",
    "Domains",
    "Error",
    "Fixed",
    "FrontierEngine",
    "Graph",
    "GraphFormatError",
    "Index",
    "InputError",
    "LongRunWarning",
    "NotConvergedWarning",
    "Parameter",
    "Partition",
    "Partitioning",
    "Prediction",
    "Preparation",
    "Profile",
    "RankError",
    "Result",
    "Stats",
    "SubPartition",
    "VertexSubset",
    "__version__",
    "algorithms",
    "batch",
    "build_info",
    "cache",
    "convert",
    "cpu_algorithms",
    "devices",
    "distributed",
    "fixed",
    "generate",
    "get_include",
    "index",
    "predict",
    "register",
    "release_devices",
    "roads_ny",
    "testing",
    "unregister",
    *_algorithms.__all__,
]
