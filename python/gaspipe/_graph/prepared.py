# SPDX-License-Identifier: Apache-2.0
"""A graph made ready for many questions: relabeled inside."""

from __future__ import annotations

from typing import NamedTuple

from .. import _progress
from .._core import InputError
from .._progress import FileProgress
from .._threads import thread_count
from .base import GraphBase

_WHEN = ("now", "auto", "never")


class Preparation(NamedTuple):
    """What `Graph.prepare` says of a graph.

    Attributes
    ----------
    is_relabeled : bool
        Whether the graph has a relabeled form. False: it has none yet, or relabeling would not pay.
    seconds : float
        Time that making the form took; 0 without one, or for one from a file.
    num_bytes : int
        Memory of the form besides the graph's own; 0 without one.

    """

    is_relabeled: bool
    seconds: float
    num_bytes: int


class GraphPrepared(GraphBase):
    """The relabeled form of a graph."""

    __slots__ = ()

    def prepare(
        self, when: str = "now", *, num_threads: int | None = None, progress: FileProgress = None
    ) -> Preparation:
        """Relabel the graph inside, which makes many algorithms faster; ids and answers stay as they are.

        Vertices with many edges come first, in classes that halve the degree, and keep their order inside a class [1]_.
        `bfs`, `sssp`, `wcc`, `closeness`, `pagerank`, `article_rank`, `weighted_pagerank`, `betweenness`,
        `core_numbers` and custom algorithms of hooks use this form on the CPU; `stats.prepared` says where. So do
        emulators and cards with the kernels of `config="packed"` and at most three partitions, where these pass over
        edges (`skip_idle`) and the answer is the same bits in any order: `bfs`, `sssp`, `wcc`, `closeness` and custom
        algorithms whose vertices may be idle. Runs with `domains=`, `partitioning=`, `method="gas"` or `checkpoint=`,
        those of `gp.Accelerator`, and all other algorithms, use the graph as it is. Integers are the same; sums of
        floating-point numbers are rounded in another order.

        A graph has a relabeled form only where that pays: where vertices with at least 4 times the average degree have
        a quarter of the edges, and no more than half of the edges lead to an id that is nearby (within 1/16 of all).
        Grids, road networks, uniform random graphs and most web crawls stay as they are.

        Parameters
        ----------
        when : {"now", "auto", "never"}
            "now": at once, and for all these algorithms. "auto", as a new graph is: a graph of at least 2**20 edges is
            relabeled when runs that gain have taken 39 ns per edge (about 3 times what it costs), if half of the
            memory that is free holds the edges once more; only runs whose answer is the same bits in any order use a
            form made so (not `pagerank`, its relatives and `betweenness`). Of a graph of at least 2**18 edges the first
            of those runs on an emulator or a card makes the form. "never": gives a form back that was made, and makes
            none.
        num_threads : int, optional
            Threads to use.
        progress : callable or bool, optional
            progress(phase, done, total), ten times a second and when a phase has ended: "degrees" and "placing", of
            vertices, and "relabeling", of edges. Where relabeling does not pay "degrees" is the last; nothing is told
            of what the graph has found before. True shows a bar (pip install tqdm).

        Returns
        -------
        Preparation
            Whether there is a relabeled form now, what it took and how large it is.

        Raises
        ------
        InputError
            If the graph is a matrix that is not square, its edges stay in a file or on ranks, or `when` is another
            word.

        References
        ----------
        .. [1] P. Faldu, J. Diamond, B. Grot, "A Closer Look at Lightweight Graph Reordering", IISWC 2019,
           doi:10.1109/IISWC47752.2019.9041948.

        """
        if when not in _WHEN:
            raise InputError(f"when is {when!r}; allowed are 'now', 'auto' and 'never'")
        threads = thread_count(num_threads)
        if when != "now":
            self._core.prepares_itself(when == "auto")
        with _progress.of_phases("prepare", progress) as told:
            form = self._core.prepare(threads, told) if when == "now" else self._core.prepared()
        return Preparation(False, 0.0, 0) if form is None else Preparation(True, form[2], form[3])
