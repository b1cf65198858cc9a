# SPDX-License-Identifier: Apache-2.0
"""Random whole calls for hypothesis: a graph, an algorithm, its parameters and options, held against tests/reference.

tests/python/test_agreement.py draws some for every algorithm, benchmarks/differential.py as many as are asked for.
"""

from __future__ import annotations

import functools
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

import gaspipe as gp
import references
import zoo
from gaspipe import _core

PARTITIONERS = tuple(_core.partitioners())
SCHEDULERS = tuple(_core.schedulers())
ALGORITHMS = tuple(name for name in (*gp.algorithms, *gp.cpu_algorithms) if hasattr(gp, name))
KERNELS = (("plain", "u250"), ("packed", "u250"), ("plain", "u280"), ("packed", "u280"), ("hbm", "u280"))
PREDICTED_ALONE = (("thundergp", "u250"),)
POSITIVE = (
    None,
    (np.int32, st.integers(0, 2**31 - 1)),
    (np.int64, st.integers(0, 2**40)),
    (np.float32, st.floats(0, 1000, width=32)),
    (np.float64, st.floats(0, 1e6)),
)
WEIGHTS = (*POSITIVE, (np.int32, st.integers(-9, 9)))


@st.composite
def random_matrices(draw, weights=WEIGHTS):
    """Graphs of up to 40 vertices, with loops, parallel edges and any weights an algorithm may get."""
    num_vertices = draw(st.integers(1, 40))
    vertex = st.integers(0, num_vertices - 1)
    edges = draw(st.lists(st.tuples(vertex, vertex), max_size=150))
    sources, destinations = ([e[k] for e in edges] for k in (0, 1))
    weight = draw(st.sampled_from(weights))
    if weight is None:
        return zoo.matrix_of(num_vertices, sources, destinations)
    dtype, values = weight
    drawn = draw(st.lists(values, min_size=len(edges), max_size=len(edges)))
    return zoo.matrix_of(num_vertices, sources, destinations, np.array(drawn, dtype))


class Call(NamedTuple):
    """One call, and what it is made on."""

    algorithm: str
    matrix: Any
    given_as: str  # a matrix, a Graph, or a file whose edges stay there
    parameters: dict[str, Any]
    options: dict[str, Any]
    cut: tuple[int, int, str] | None  # capacity, compute units, partitioner
    is_predicted: bool = False

    def check(self, counts: Counter[str] | None = None) -> None:
        """Make the call and hold its answer against the plain one; a refusal must be one that is documented."""
        module, options = references.reference(self.algorithm), dict(self.options)
        call = functools.partial(gp.predict, self.algorithm) if self.is_predicted else getattr(gp, self.algorithm)
        with tempfile.TemporaryDirectory(prefix="gaspipe_calls_") as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore", gp.NotConvergedWarning)
            graph = self.matrix if self.given_as == "matrix" else gp.Graph(self.matrix)
            if self.cut is not None:
                capacity, compute_units, partitioner = self.cut
                options["partitioning"] = graph.partition(
                    capacity=capacity, compute_units=compute_units, partitioner=partitioner
                )
            if self.given_as == "file":
                path = Path(folder) / "graph.gaspipe"
                graph.save(path, blocks=True, views=("forward", "reverse", "undirected"))
                graph = gp.Graph.load(path, memory="1 GB")
            is_refused = references.refuses(self.algorithm, self.matrix)
            is_refused |= self.algorithm == "sssp" and bool((self.matrix.data < 0).any())
            try:
                result = call(graph, **self.parameters, **options)
            except gp.InputError as error:
                if not is_refused:
                    raise
                assert "weight" in str(error), error
                what = "refused"
            else:
                assert not is_refused, f"{self} is not refused"
                number = getattr(result.stats, "number", "")
                tolerance = module.tolerance(number, self.matrix, **self.parameters)
                wanted = module.answer(self.matrix, **self.parameters)
                references.assert_agrees(self.algorithm, result.values, wanted, tolerance, str(self))
                what = "same answer"
        if counts is not None:
            device = options.get("device", "cpu") + (" in domains" if options.get("domains") else "")
            if "config" in options:
                device = f"{'predicted' if self.is_predicted else device}, {options['config']}"
            counts[f"{device if self.given_as != 'file' else 'cpu, edges in a file'}: {what}"] += 1


@st.composite
def how_on_kernels(draw, is_predicted):
    """Options of a call that kernels answer in the emulator or a prediction, and how the graph is cut for them."""
    config, board = draw(st.sampled_from(KERNELS + PREDICTED_ALONE * is_predicted))
    options = {"config": config, "skip_idle": draw(st.sampled_from((True, True, False)))}
    if is_predicted:
        # A host that takes longer than these graphs' edges streams all; a quick one passes over what is idle.
        return options | {"board": draw(st.sampled_from((board, gp.Board(board, step_us=0.001))))}, None
    options |= {"device": f"emulator:{board}", "execution": draw(st.sampled_from(("fast", "fast", "exact", "shallow")))}
    if config == "hbm":
        return options, None  # it plans which pipeline takes what
    options["scheduler"] = draw(st.sampled_from(SCHEDULERS))
    cuts = st.tuples(st.sampled_from((16, 32, 64)), st.integers(1, 4), st.sampled_from(PARTITIONERS))
    return options, draw(st.none() | cuts)


@st.composite
def calls(draw, algorithms=ALGORITHMS, emulated=()):
    """Calls of some algorithms; of those in `emulated` some run in the emulator or are predicted."""
    algorithm = draw(st.sampled_from(algorithms))
    matrix = draw(random_matrices())
    parameters = draw(st.sampled_from(references.reference(algorithm).parameters(matrix.shape[0])))
    options: dict[str, Any] = {"num_threads": draw(st.sampled_from((1, 1, 2, 3)))}
    given_as, cut = draw(st.sampled_from(("matrix", "graph"))), None
    if algorithm not in gp.algorithms:
        return Call(algorithm, matrix, given_as, parameters, options, None)
    on_kernels = ("emulator", "emulator", "predicted") if algorithm in emulated else ()
    how = draw(st.sampled_from(("plain", "cut", "domains", "file", *on_kernels)))
    if how in on_kernels:
        options, cut = draw(how_on_kernels(how == "predicted"))
    elif how != "file":
        options["method"] = draw(st.sampled_from(("auto", "gas")))
    if how == "cut":
        cut = draw(st.tuples(st.integers(1, 50), st.integers(1, 16), st.sampled_from(PARTITIONERS)))
    elif how == "domains":
        options["domains"] = draw(st.integers(2, 5))
    if cut is not None or how == "file":
        given_as = "file" if how == "file" else "graph"
    return Call(algorithm, matrix, given_as, parameters, options, cut, how == "predicted")
