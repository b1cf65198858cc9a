# SPDX-License-Identifier: Apache-2.0
"""Runs of custom algorithms in a process of their own, and the laws that are tested there.

The other process imports this package, so it imports nothing of what writes and compiles algorithms.
"""

from .isolated import CrashError, call_isolated
from .laws import Check, CheckError, Job, check, compare_with_oracle, random_graphs
from .reduce import MOST_VALUES, ReduceCheck, ReduceJob, check_reduce

__all__ = [
    "MOST_VALUES",
    "Check",
    "CheckError",
    "CrashError",
    "Job",
    "ReduceCheck",
    "ReduceJob",
    "call_isolated",
    "check",
    "check_reduce",
    "compare_with_oracle",
    "random_graphs",
]
