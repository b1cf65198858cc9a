# SPDX-License-Identifier: Apache-2.0
"""gp.Domains: a graph cut into parts that compute together, and what a cut costs."""

from .domain import Domain
from .domains import Domains
from .strategy import Strategy, name_of, owners_by
from .summary import DomainsSummary

__all__ = ["Domain", "Domains", "DomainsSummary", "Strategy", "name_of", "owners_by"]
