# SPDX-License-Identifier: Apache-2.0
"""The seven applications of the published measurements, as hooks over words of 32 bits.

What decides time is as published: 32-bit properties, weights or none, which updates are dropped (those without bit 31
in BFS and SSSP, zeros in CC, none elsewhere), the out-degree read by apply (PR, AR), no apply at all (SpMV, which is
built with HAVE_APPLY=false), and the number of super-steps. The published SSSP keeps the first distance that arrives
and its WCC spreads one number: both are kept so, for they are what was measured. gaspipe's own algorithms are right,
and other programs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

import gaspipe as gp

SOURCES = 32  # of CC, one for each bit of a word
SEED = 1


@dataclass(frozen=True)
class App:
    """An application, and how it was measured."""

    name: str
    algorithm: gp.Algorithm
    weighted: bool = False
    steps: int | None = 10  # published; None: until nothing is active
    steps_run: int | None = None  # fewer where every super-step takes the same time
    has_apply: bool = True  # without, units' sums are left as they are, and what apply adds does not count
    arguments: Callable[[gp.Graph, int], dict[str, Any]] = lambda graph, root: {}

    def seconds(self, prediction: gp.Prediction) -> float:
        """Time of all super-steps, with the kernels that the published application has."""
        steps = prediction.steps
        return float(steps["seconds"].sum() - (0 if self.has_apply else steps["apply_seconds"].sum()))

    def predict(self, graph: gp.Graph, root: int, steps: int | None = None, **how: Any) -> gp.Result:
        """Predict a run; `steps` in place of those to run."""
        steps = steps or self.steps_run
        limit = {} if steps is None else {"max_iter": steps}
        return gp.predict(self.algorithm, graph, **self.arguments(graph, root), **limit, **how)


_RANK = """
inline prop_t gatherFunc(prop_t a, prop_t b) { return a + b; }
inline prop_t applyFunc(prop_t sum, prop_t old, prop_t divisor, unsigned& extra, unsigned base) {
  const prop_t rank = base + static_cast<prop_t>((std::uint64_t(108) * sum) >> 7);
  return divisor == 0 ? 0 : static_cast<prop_t>((static_cast<std::uint64_t>(rank) * (65536 / divisor)) >> 16);
}
"""
# Ranks are words of 2**30 for 1, and held divided; each vertex starts with 1 / n.
_BASE = "static_cast<unsigned>(161061273 / n)"  # 0.15 * 2**30


def _rank(name: str, divisor: str, parameters: dict[str, int]) -> gp.Algorithm:
    return gp.Algorithm(
        name,
        _RANK,
        initial=f"({divisor}) == 0 ? 0 : (1u << 30) / n / ({divisor})",
        inputs={"divisor": divisor},
        parameters=parameters,
        arg=_BASE,
        until=("steps", 10),
    )


_LEVELS = """
#define IS_ACTIVE_VERTEX(a) ((a) & VERTEX_ACTIVE_BIT_MASK)
inline prop_t preprocessProperty(prop_t prop) { return %s; }
inline prop_t scatterFunc(prop_t source, prop_t edge) { return %s; }
inline prop_t gatherFunc(prop_t a, prop_t b) { return a == 0 ? b : b == 0 ? a : a < b ? a : b; }
inline prop_t applyFunc(prop_t arrived, prop_t old, prop_t, unsigned& extra, unsigned) {
  if (IS_ACTIVE_VERTEX(arrived) && old == MAX_PROP) {
    ++extra;
    return arrived;
  }
  return old & ~VERTEX_ACTIVE_BIT_MASK;
}
"""
# Bit 31 marks the frontier; the other bits are the level (the root's is 1) or the distance.


def _search(name: str, source: str, start: str, until: Any) -> gp.Algorithm:
    return gp.Algorithm(
        name,
        source,
        edge_prop="uint32",
        is_source="(prop & 0x80000000u) != 0",
        parameters={"root": 0},
        initial=f"v == root ? {start} : 0x7ffffffeu",
        finish="prop & 0x7fffffff",
        until=until,
    )


def _masks(graph: gp.Graph, seed: int = SEED) -> NDArray[np.uint32]:
    """One bit for each of the random sources."""
    start = np.zeros(graph.num_vertices, np.uint32)
    sources = np.random.default_rng(seed).permutation(graph.num_vertices)[:SOURCES]
    start[sources] = np.uint32(1) << np.arange(len(sources), dtype=np.uint32)
    return start


def _rooted(graph: gp.Graph, root: int) -> dict[str, Any]:
    return {"root": root}


def _average(graph: gp.Graph, root: int) -> dict[str, Any]:
    return {"average": graph.num_edges // graph.num_vertices}


APPS = {
    app.name: app
    for app in (
        App("pr", _rank("published_pr", "out_degree(v)", {})),
        App(
            "ar",
            _rank("published_ar", "out_degree(v) + average", {"average": 0}),
            steps_run=2,
            arguments=_average,
        ),
        App(
            "wcc",
            gp.Algorithm(
                "published_wcc",
                gather="max(a, b)",
                apply="acc",
                parameters={"root": 0},
                initial="v == root ? 1 : 0",
                until=("steps", 10),
            ),
            steps_run=2,
            arguments=_rooted,
        ),
        App(
            "bfs",
            _search("published_bfs", _LEVELS % ("prop + 1", "source"), "0x80000001u", "no_active"),
            steps=None,
            arguments=_rooted,
        ),
        App(
            "cc",
            gp.Algorithm(
                "published_cc",
                gather="a | b",
                apply="acc | old",
                active="update != 0",
                is_source="prop != 0",
                initial=_masks,
                until="no_active",
            ),
            steps=None,
        ),
        App(
            "spmv",
            gp.Algorithm(
                "published_spmv", scatter="src * edge", gather="a + b", apply="acc", initial="v", until=("steps", 10)
            ),
            weighted=True,
            steps_run=2,
            has_apply=False,
        ),
        App(
            "sssp",
            _search(
                "published_sssp",
                _LEVELS % ("prop", "IS_ACTIVE_VERTEX(source) ? source + edge : 0"),
                "0x80000000u",
                ("steps", 10),
            ),
            weighted=True,
            arguments=_rooted,
        ),
    )
}
