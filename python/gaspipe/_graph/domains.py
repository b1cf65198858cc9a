# SPDX-License-Identifier: Apache-2.0
"""The graph cut into parts that compute together."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from .._threads import thread_count
from .base import GraphBase

if TYPE_CHECKING:
    from .._domains import Domains
    from .._domains.strategy import Strategy
    from ..graph import Graph


class GraphDomains(GraphBase):
    """Domains by a strategy, or by a user's function."""

    __slots__ = ()

    def domains(
        self,
        size: int,
        strategy: str | Strategy = "balanced",
        *,
        combine: bool = True,
        view: str = "forward",
        num_threads: int | None = None,
    ) -> Domains:
        """Cut the graph into domains: each owns vertices and all edges into them.

        Parameters
        ----------
        size : int
            Number of domains, 1 to 4096; some have no vertex where there are more domains than vertices.
        strategy : {"balanced", "hash", "mix"} or callable, default "balanced"
            Who owns which vertex. "balanced": ranges of ids with about equal edges, vertices counted too. "mix": by a
            hash, in parts of nearly equal size. "hash": by Olive's hash [1]_, which leaves small ids regular. Callable:
            `strategy(ids, size)` gets all ids, int64 of shape (num_vertices,), and returns the domain of each, integers
            of that shape. It is called twice and must return the same.
        combine : bool, default True
            One ghost for all edges from a vertex of another domain; False: one for every such edge, for comparison.
        view : {"forward", "reverse", "undirected"}
            Which edges the domains have: as stored, reversed, or in both directions without repetition. Programs walk
            one of these; the owners of "balanced" depend on it.
        num_threads : int, optional
            Threads to build with.

        Returns
        -------
        Domains
            A sequence: `domains[i]` is domain i. `domains.summary()` has balance and cut. Domains are built at first
            use, all at once.

        Raises
        ------
        InputError
            If `size` is out of range, there is no such strategy or view, the function returns no domain for every
            vertex or changes between calls, or the graph was loaded with `memory=`.

        References
        ----------
        .. [1] G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003, doi:10.18637/jss.v008.i14;
           shifts 13, 17, 5, without a multiplication.

        """
        from .._domains import Domains

        return Domains(cast("Graph", self), size, strategy, combine, view, thread_count(num_threads))
