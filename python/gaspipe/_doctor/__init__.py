# SPDX-License-Identifier: Apache-2.0
"""`gaspipe doctor`: what gaspipe finds on this machine, what is wrong with it, and what to do.

A check is a function that yields findings; `CHECKS` lists all. None needs a card, and none changes anything but the
folder of compiled snippets, which is made.
"""

from .checks import CHECKS, examine
from .finding import OK, PROBLEM, WARNING, Finding, worst

__all__ = ["CHECKS", "OK", "PROBLEM", "WARNING", "Finding", "examine", "worst"]
