# SPDX-License-Identifier: Apache-2.0
# Types of the native core that generate graphs: of gaspipe._core, as the others; there is no module of this name.
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ._core import Graph

Told = Callable[[str, int, int | None], object] | None  # of progress

def kronecker(
    scale: int,
    edge_factor: int,
    seed: int,
    symmetric: bool,
    weights: tuple[int, int] | None,
    num_threads: int,
    progress: Told = None,
) -> Graph: ...
def uniform(
    num_vertices: int,
    num_edges: int,
    seed: int,
    symmetric: bool,
    weights: tuple[int, int] | None,
    num_threads: int,
    progress: Told = None,
) -> Graph: ...
def rmat(
    scale: int,
    edge_factor: int,
    a: float,
    b: float,
    c: float,
    seed: int,
    permute: bool,
    symmetric: bool,
    weights: tuple[int, int] | None,
    num_threads: int,
    progress: Told = None,
) -> Graph: ...
def grid(
    rows: int,
    columns: int,
    symmetric: bool,
    weights: tuple[int, int] | None,
    seed: int,
    num_threads: int,
    progress: Told = None,
) -> Graph: ...
def star(
    num_vertices: int,
    symmetric: bool,
    weights: tuple[int, int] | None,
    seed: int,
    num_threads: int,
    progress: Told = None,
) -> Graph: ...
def chain(
    num_vertices: int,
    symmetric: bool,
    weights: tuple[int, int] | None,
    seed: int,
    num_threads: int,
    progress: Told = None,
) -> Graph: ...
def complete(
    num_vertices: int,
    weights: tuple[int, int] | None,
    seed: int,
    num_threads: int,
    progress: Told = None,
) -> Graph: ...
def acyclic(
    num_vertices: int,
    weights: tuple[int, int] | None,
    seed: int,
    num_threads: int,
    progress: Told = None,
) -> Graph: ...
def kronecker_part(
    scale: int, edge_factor: int, seed: int, first: int, last: int, num_threads: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]: ...
def uniform_part(
    num_vertices: int, num_edges: int, seed: int, first: int, last: int, num_threads: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]: ...
def symmetric_weights(
    sources: NDArray[np.uint32], targets: NDArray[np.uint32], low: int, high: int, seed: int, num_threads: int
) -> NDArray[np.int32]: ...
