# SPDX-License-Identifier: Apache-2.0
"""Reports of runs to look at: one page of HTML that needs nothing else, or the same in a notebook."""

from .page import Report, report

__all__ = ["Report", "report"]
