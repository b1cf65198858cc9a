# SPDX-License-Identifier: Apache-2.0
"""Whether a frontier program's reduce depends on the order of what it gets.

Accumulators are made as an engine makes them: gathered from the values that vertices have and from random ones, then
reduced a few times. A case is three of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .laws import CheckError

MOST_VALUES = 512  # vertices whose values are taken
_MOST_DEGREE = 64
_ROUNDING = {4: 1e-4, 8: 1e-9}  # relative, of float32 and float64: sums of a few in another order
_SMALL = 100


@dataclass(frozen=True)
class ReduceCheck:
    """What `FrontierEngine.check` has tried.

    Attributes
    ----------
    functors : tuple of str
        Names of the structs.
    num_cases : int
        Triples of accumulators, of all together.

    """

    functors: tuple[str, ...]
    num_cases: int


@dataclass(frozen=True)
class ReduceJob:
    """All that the other process needs."""

    library: str
    name: str
    functor: int
    called: str  # the functor
    parameters: bytes
    vertices: NDArray[Any]
    edge: np.dtype[Any] | None
    default: NDArray[Any]  # accumulator, without dimensions
    num_cases: int
    seed: int


def check_reduce(job: ReduceJob) -> int:
    """Return the number of cases tried; CheckError for the first that breaks a law."""
    rng = np.random.default_rng(job.seed)
    pool = _accumulators(job, rng)
    a, b, c = (pool[rng.integers(0, len(pool), job.num_cases)] for _ in range(3))
    same = np.full(job.num_cases, job.default[()])
    ab, bc = _reduce(job, a, b), _reduce(job, b, c)
    laws = [
        ("is not commutative", "reduce(a, b)", ab, "reduce(b, a)", _reduce(job, b, a)),
        ("is not associative", "reduce(reduce(a, b), c)", _reduce(job, ab, c), "reduce(a, reduce(b, c))", None),
        ("has another identity than the default accumulator", "reduce(default, a)", _reduce(job, same, a), "a", a),
    ]
    for law, left, found, right, wanted in laws:
        if wanted is None:
            wanted = _reduce(job, a, bc)
        wrong = np.flatnonzero(~_alike(found, wanted))
        if wrong.size:
            i = wrong[0]
            values = f"a = {a[i]}, b = {b[i]}, c = {c[i]}"
            if "default" in left:
                values = f"default = {job.default[()]}, a = {a[i]}"
            raise CheckError(
                f"{job.called}.reduce {law}: {left} is {found[i]}, {right} is {wanted[i]}, with {values}; answers "
                "would depend on the order in which threads meet"
            )
    return job.num_cases


def _reduce(job: ReduceJob, a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    program = _core.FrontierProgram(job.library, job.name)
    return program.reduce(job.functor, job.parameters, a.copy(), b.copy())


def _accumulators(job: ReduceJob, rng: np.random.Generator) -> NDArray[Any]:
    """What gather makes of the engine's values and of random ones, and what reduce makes of that."""
    vertices = np.concatenate([job.vertices, random_values(job.vertices.dtype, MOST_VALUES, rng)])
    degrees = rng.integers(1, _MOST_DEGREE, len(vertices)).astype(np.uint64)
    edges = None if job.edge is None else random_values(job.edge, len(vertices), rng)
    program = _core.FrontierProgram(job.library, job.name)
    pool = program.gather(job.functor, job.parameters, vertices, degrees, edges, job.default.dtype)
    shuffled = pool[rng.permutation(len(pool))]
    return np.concatenate([pool, _reduce(job, pool, shuffled)])


def random_values(dtype: np.dtype[Any], size: int, rng: np.random.Generator) -> NDArray[Any]:
    """Random values of a dtype, small ones as a rule: sums of a few do not overflow."""
    values = np.zeros(size, dtype)
    if dtype.names is not None:
        for name in dtype.names:
            field = dtype[name]
            flat = random_values(field.base, size * int(np.prod(field.shape, dtype=int)), rng)
            values[name] = flat.reshape(size, *field.shape)
    elif dtype.kind == "f":
        values[:] = rng.standard_normal(size) * 10
    elif dtype.kind == "b":
        values[:] = rng.integers(0, 2, size)
    else:
        values[:] = rng.integers(-_SMALL if dtype.kind == "i" else 0, _SMALL, size)
    return values


def _alike(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether values are the same, floats up to rounding."""
    if a.dtype.names is not None:
        fields = [_alike(a[name], b[name]) for name in a.dtype.names]
        return np.asarray(np.logical_and.reduce([f.reshape(len(a), -1).all(axis=1) for f in fields]), np.bool_)
    if a.dtype.kind != "f":
        return np.asarray(a == b, np.bool_)
    error = _ROUNDING[a.dtype.itemsize]
    return np.asarray(np.isclose(a, b, rtol=error, atol=error, equal_nan=True), np.bool_)
