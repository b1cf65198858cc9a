# SPDX-License-Identifier: Apache-2.0
"""Graphs that are not here: expected edges, balance and ghosts of the generators' graphs, without a sample.

Edges are independent draws; a pair of vertices that is expected to be drawn m times is an edge with probability
1 - exp(-m). A vertex is a ghost of a rank where at least one of its neighbors has its owner there; owners are taken to
be random, 1 / ranks each, which ids that were shuffled by the generator are for every strategy. Vertices of a Kronecker
graph whose ids have as many ones are alike, so that the sums are over counts of bits.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ... import _core, _inputs, generate
from ..._core import InputError
from .cut import Cut

if TYPE_CHECKING:
    from ...graph import Graph

_A, _B, _D = 0.57, 0.19, 0.05  # of generate.kronecker: (0, 0), either (0, 1) or (1, 0), (1, 1)
_SAMPLE_SCALE = 16  # from which steps and activity are taken
_MOST_SCALE = 31  # as generate.kronecker; ids have 32 bits


@dataclass(frozen=True)
class KroneckerModel:
    """The graph of `gp.generate.kronecker(scale, edge_factor)`, symmetric, of any size.

    Attributes
    ----------
    scale, edge_factor : int
        2**scale vertices, edge_factor * 2**scale edges drawn; each is stored in both directions, and once.
    sample_scale : int
        Scale of the graph on which a prediction runs the program, to find super-steps and activity.

    """

    scale: int
    edge_factor: int = 16
    sample_scale: int = _SAMPLE_SCALE

    def __post_init__(self) -> None:
        for name, most in (("scale", _MOST_SCALE), ("edge_factor", 1 << 20), ("sample_scale", _MOST_SCALE)):
            _check(name, getattr(self, name), 1, most)

    @property
    def num_vertices(self) -> int:
        """Number of vertices."""
        return 1 << self.scale

    @property
    def num_edges(self) -> int:
        """Expected number of edges, as stored."""
        counts, degrees, _ = self._classes()
        return round(float(counts @ degrees))

    def sample(self) -> Graph:
        """Return the graph of `sample_scale`, or of `scale` where that is less."""
        return generate.kronecker(min(self.scale, self.sample_scale), self.edge_factor)

    def cut(self, ranks: int, strategy: str = "balanced") -> Cut:
        """Return what ranks are expected to hold.

        Parameters
        ----------
        ranks : int
            Number of ranks.
        strategy : {"balanced", "hash", "mix"}
            Which rank owns which vertices.

        """
        counts, degrees, log_absent = self._classes(ranks)
        copies = (ranks - 1) * -np.expm1(log_absent)
        # The owner of the vertex with most edges has its neighbors as ghosts; of other vertices, the rest of its share.
        ones = np.arange(self.scale + 1)
        with_hub = np.exp(-self._draws * np.exp((self.scale - ones) * math.log(_A) + ones * math.log(_B)))
        rest = max(0.0, 1 - degrees[0] * ranks / float(counts @ degrees)) if strategy == "balanced" else 1.0
        most = (1 - 1 / ranks) * float(counts @ (1 - with_hub * np.exp(rest * log_absent)))
        return _expected(counts, degrees, copies, most, ranks, strategy, self.num_vertices)

    @property
    def _draws(self) -> float:
        return 2.0 * self.edge_factor * self.num_vertices  # (u, v) and (v, u) are the same edge

    def _classes(self, ranks: int = 1) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return of vertices with k = 0, 1, ... ones: number, expected degree, log P(no neighbor is a rank's)."""
        scale, draws = self.scale, self._draws
        counts = np.exp(_log_binomial(scale, np.arange(scale + 1)))
        degrees, log_absent = np.zeros(scale + 1), np.zeros(scale + 1)
        for k in range(scale + 1):
            x, y = np.meshgrid(np.arange(k + 1), np.arange(scale - k + 1), indexing="ij")  # ones where u has 1, 0
            log_count = _log_binomial(k, x) + _log_binomial(scale - k, y)
            log_share = (scale - k - y) * math.log(_A) + (y + k - x) * math.log(_B) + x * math.log(_D)
            present = -np.expm1(-draws * np.exp(log_share))
            degrees[k] = (np.exp(log_count) * present).sum()
            if ranks > 1:
                log_absent[k] = (np.exp(log_count) * np.log1p(-present / ranks)).sum()
        return counts, degrees, log_absent


@dataclass(frozen=True)
class UniformModel:
    """The graph of `gp.generate.uniform(num_vertices, num_edges)`, of any size.

    Attributes
    ----------
    num_vertices, num_edges : int
        Of the graph; edges are directed, and stored as often as they are drawn.
    sample_vertices : int
        Vertices of the graph on which a prediction runs the program, with as many edges for each.

    """

    num_vertices: int
    num_edges: int
    sample_vertices: int = 1 << _SAMPLE_SCALE

    def __post_init__(self) -> None:
        for name, most in (
            ("num_vertices", _inputs.MOST_VERTICES),
            ("num_edges", 1 << 62),
            ("sample_vertices", _inputs.MOST_VERTICES),
        ):
            _check(name, getattr(self, name), 1, most)

    def sample(self) -> Graph:
        """Return the graph of `sample_vertices`, or of `num_vertices` where these are fewer."""
        n = min(self.num_vertices, self.sample_vertices)
        return generate.uniform(n, max(1, round(self.num_edges * (n / self.num_vertices))))

    def cut(self, ranks: int, strategy: str = "balanced") -> Cut:
        """Return what ranks are expected to hold.

        Parameters
        ----------
        ranks : int
            Number of ranks.
        strategy : {"balanced", "hash", "mix"}
            Which rank owns which vertices.

        """
        n, degree = self.num_vertices, self.num_edges / self.num_vertices
        copies = (ranks - 1) * -math.expm1(-degree / ranks)
        in_degrees = np.arange(int(degree + 12 * math.sqrt(degree) + 12))
        counts = n * np.exp(in_degrees * math.log(degree) - degree - _log_factorial(in_degrees))
        most = n * copies / ranks
        return _expected(counts, in_degrees.astype(float), np.full(len(counts), copies), most, ranks, strategy, n)


def _expected(
    counts: NDArray[np.float64],
    degrees: NDArray[np.float64],
    copies: NDArray[np.float64],
    most_ghosts: float,
    ranks: int,
    strategy: str,
    num_vertices: int,
) -> Cut:
    """Return a cut in which all ranks have the same, but the first has the most that one is expected to have.

    Of `counts` vertices each has `degrees` edges and `copies` ghosts elsewhere.
    """
    if strategy not in _core.domain_strategies():
        known = ", ".join(map(repr, _core.domain_strategies()))
        raise InputError(f"strategy is {strategy!r}; of a model {known} are allowed")

    def largest(of_vertex: NDArray[np.float64]) -> float:
        """Of the ranks' sums; G. Blom (1958) has the largest of so many normal variables."""
        total = float(counts @ of_vertex)
        if ranks == 1:
            return total
        if strategy == "balanced":  # as many vertices as have the cost of a share: a renewal process with rewards
            costs = degrees + 1
            rest = of_vertex - total / float(counts @ costs) * costs
            variance = float(counts @ rest**2) / ranks
        else:  # each vertex by itself
            variance = float(counts @ of_vertex**2) / ranks * (1 - 1 / ranks)
        deviation = statistics.NormalDist().inv_cdf((ranks - 0.375) / (ranks + 0.25))
        return min(total / ranks + deviation * math.sqrt(variance), total)

    num_edges, ghosts = float(counts @ degrees), float(counts @ copies)
    with_hub = float(degrees[counts > 0.5].max()) + (num_edges / ranks if strategy != "balanced" else 0)
    columns = {}
    for name, total, most in (
        ("vertices", float(num_vertices), largest(np.ones(len(counts)))),
        ("edges", num_edges, min(max(largest(degrees), with_hub), num_edges)),
        ("ghosts", ghosts, max(most_ghosts, ghosts / ranks)),
        ("mirrors", ghosts, largest(copies)),
    ):
        columns[name] = np.full(ranks, (total - most) / (ranks - 1) if ranks > 1 else total)
        columns[name][0] = most
    return Cut(
        **columns,
        pairs=None,
        num_vertices=num_vertices,
        num_edges=round(num_edges),
        how="expected, by formula",
    )


def _log_factorial(n: Any) -> NDArray[np.float64]:
    numbers = np.asarray(n)
    found = [math.lgamma(each + 1) for each in numbers.ravel().tolist()]
    return np.array(found, np.float64).reshape(numbers.shape)


def _log_binomial(n: int, k: Any) -> Any:
    return _log_factorial(n) - _log_factorial(k) - _log_factorial(n - k)


def _check(name: str, value: Any, least: int, most: int) -> None:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not least <= value <= most:
        raise InputError(f"{name} is {value!r}; a whole number from {least} to {most} is needed")
