# SPDX-License-Identifier: Apache-2.0
"""What hardware needs of a program's merge, tested on values that its own runs reach.

A library beside that of the CPU (_own/orders.py) exports the hooks as plain loops over arrays, and runs that merge in
any order. Cases are tried from the smallest on, so the first that fails is the smallest found. They mix values that may
never meet, of several super-steps and vertices, and applyFunc may ignore what differs: so a law that a case breaks is
one that runs must show to be broken, by another answer.
"""

from __future__ import annotations

import ctypes
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core, generate
from .._executors import CPU
from .._verify import TOLERANCE, Comparison

if TYPE_CHECKING:
    from ..graph import Graph

_MOST_UPDATES = 6  # to one vertex, in a case
_STEPS = 4  # super-steps whose updates make the cases
_FEWEST_ORDERS, _MOST_ORDERS = 4, 100  # on a graph, where a law is broken
_FEWEST_STEPS = 64  # in a run of these
_EDGES = 20_000_000  # about as many to walk on a graph
_ALONE = threading.Lock()  # the state of runs in any order is that of the library


class CheckError(_core.Error):
    """A program breaks a law that devices rely on; the text has the smallest counterexample found."""


@dataclass(frozen=True)
class Check:
    """What `Algorithm.check` has tried.

    Attributes
    ----------
    num_graphs, num_updates, num_cases : int
        Random graphs, different values that updates had on them, and cases of the laws made of these.
    devices : tuple of str
        Devices whose answers were the same.
    unobserved : str
        A law that a case breaks, though no order changed an answer; empty as a rule.
    circuits : tuple of str
        Hooks whose loop cannot close at the clock of the board ("u250" where `devices` names none), or that are no
        circuits, where the tools to measure that are installed; empty as a rule.

    """

    num_graphs: int
    num_updates: int
    num_cases: int
    devices: tuple[str, ...]
    unobserved: str = ""
    circuits: tuple[str, ...] = ()


class _Hooks:
    """The exported hooks, over arrays, and runs in any order."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.library = ctypes.CDLL(job.library)
        self.program = _core.load_program(job.library, job.name)
        self.dtype = np.dtype(job.type)
        for count in ("update_is_property", "num_recorded"):
            getattr(self.library, f"gaspipe_{count}").restype = ctypes.c_uint64
        if not self.library.gaspipe_update_is_property():
            raise _core.InputError(f"{job.name}.check() needs updates of the same type as properties")

    def identity(self) -> NDArray[Any]:
        out = np.empty(1, self.dtype)
        self.library.gaspipe_identity(out.ctypes.data_as(ctypes.c_void_p))
        return out

    def updates(self, graph: _core.Graph, arguments: dict[str, Any]) -> NDArray[Any]:
        """Different active updates of a run."""
        self.library.gaspipe_start(ctypes.c_uint64(0), ctypes.c_uint64(1))
        _run(self.job, self.program, graph, arguments, CPU)
        out = np.empty(self.library.gaspipe_num_recorded(), self.dtype)
        self.library.gaspipe_recorded(out.ctypes.data_as(ctypes.c_void_p))
        return np.unique(out)

    def run(self, graph: _core.Graph, arguments: dict[str, Any], seed: int) -> NDArray[Any]:
        """Answer of a run whose updates meet in an order drawn from a seed; 0: as they arrive."""
        self.library.gaspipe_start(ctypes.c_uint64(seed), ctypes.c_uint64(0))
        return _run(self.job, self.program, graph, arguments, CPU)

    def __call__(self, hook: str, a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
        a, b = (np.ascontiguousarray(x, self.dtype) for x in np.broadcast_arrays(a, b))
        out = np.empty(a.shape, self.dtype)
        pointers = (x.ctypes.data_as(ctypes.c_void_p) for x in (a, b, out))
        getattr(self.library, f"gaspipe_{hook}")(*pointers, ctypes.c_uint64(a.size))
        return out

    def fold(self, updates: NDArray[Any]) -> NDArray[Any]:
        """Gather every row, from the identity on."""
        found = np.broadcast_to(self.identity(), updates.shape[:1])
        for k in range(updates.shape[1]):
            found = self("gather", found, updates[:, k])
        return found


Csr = tuple[int, "NDArray[Any]", "NDArray[Any]", Any]  # vertices, offsets, targets, weights (or None)


@dataclass(frozen=True)
class Job:
    """A check, as a process of its own is told of it."""

    name: str
    number: str
    library: str  # exports the hooks
    libraries: dict[str, str]  # by device
    graphs: list[tuple[Csr, dict[str, Any]]]  # and the arguments of a run on each
    more_graphs: list[tuple[Csr, dict[str, Any]]]  # to look closer at
    num_cases: int
    seed: int

    @property
    def type(self) -> str:
        """Type of a property and of an update."""
        return "uint32" if self.number == "fixed" else self.number


def random_graphs(num_graphs: int, seed: int, degree: int = 3) -> list[Graph]:
    """Return small graphs, from 3 vertices on, with weights 1 to 9."""
    rng = np.random.default_rng(seed)
    sizes = [3 + 3 * i for i in range(num_graphs)]
    return [generate.uniform(n, degree * n, seed=int(rng.integers(2**31)), weights=(1, 9)) for n in sizes]


def check(job: Job) -> tuple[Check, list[NDArray[Any]]]:
    """Do what `Algorithm.check` says; return the answers of the first device as well."""
    with _ALONE:
        hooks = _Hooks(job)
        cases = [(csr, _graph(csr), arguments) for csr, arguments in job.graphs]
        reached = [hooks.identity()[:0]]
        for _, graph, arguments in cases:
            reached.append(hooks.updates(graph, _ending(arguments, _STEPS)))
        updates = np.unique(np.concatenate(reached))
        rng = np.random.default_rng(job.seed)
        num_cases, broken = _laws(hooks, updates, job.num_cases, rng) if updates.size else (0, "")
        if broken:
            more = [(csr, _graph(csr), arguments) for csr, arguments in job.more_graphs]
            for csr, graph, arguments in cases + more:
                _observe(hooks, broken, csr, graph, arguments, rng)
    programs = {device: _core.load_program(path, job.name) for device, path in job.libraries.items()}
    first = []
    for csr, graph, arguments in cases:
        answers = {d: _run(job, p, graph, arguments, d) for d, p in programs.items()}
        _compare(job, csr, answers)
        first.append(next(iter(answers.values())))
    return Check(len(cases), updates.size, num_cases, tuple(job.libraries), broken), first


def _graph(csr: Csr) -> _core.Graph:
    n, offsets, targets, weights = csr
    return _core.Graph.from_csr(n, n, offsets, targets, weights, True, 1)


def _run(job: Job, program: _core.Program, graph: _core.Graph, arguments: dict[str, Any], device: str) -> NDArray[Any]:
    options = _core.RunOptions(device=device, number=job.number, method="gas", num_threads=1)
    return _core.run(program, graph, arguments, options)[0]


def _laws(hooks: _Hooks, updates: NDArray[Any], num_cases: int, rng: np.random.Generator) -> tuple[int, str]:
    """Return how many cases were tried, and the smallest that break a law, in words."""
    tolerance = TOLERANCE.get(hooks.dtype.name, 0.0)

    def differ(a: NDArray[Any], b: NDArray[Any], size: NDArray[Any]) -> NDArray[np.bool_]:
        if not tolerance:
            return np.asarray(a != b)
        with np.errstate(invalid="ignore"):
            near = np.abs(a - b) <= tolerance * np.maximum(size, 1e-30)
        return np.asarray(~((a == b) | near | (np.isnan(a) & np.isnan(b))))

    tried, broken = 0, {}
    for k in range(2, _MOST_UPDATES + 1):
        rows = updates[np.sort(rng.integers(0, updates.size, (num_cases, k)), axis=1)]
        rows = rows[np.argsort(rows.astype(float).sum(axis=1), kind="stable")]
        with np.errstate(all="ignore"):
            size = np.nanmax(np.abs(rows.astype(float)), axis=1, initial=0)
        order = rng.permutation(k)
        if (order == np.arange(k)).all():
            order = order[::-1]
        turned = rows[:, order]
        cut = int(rng.integers(1, k))
        whole, left, right = hooks.fold(rows), hooks.fold(rows[:, :cut]), hooks.fold(rows[:, cut:])
        met = hooks("raw", rows[:, 0], rows[:, 1])
        rest = hooks("gather", np.broadcast_to(hooks.identity(), met.shape), met)
        for column in range(2, k):
            rest = hooks("gather", rest, rows[:, column])
        laws = {
            "order": ("gatherFunc depends on the order", whole, hooks.fold(turned), turned, "in this order"),
            "commutative": (
                "applyMerge is not commutative",
                hooks("merge", left, right),
                hooks("merge", right, left),
                rows,
                "",
            ),
            "parts": (
                f"applyMerge of the first {cut} and the others is not what gatherFunc makes of all",
                whole,
                hooks("merge", left, right),
                rows,
                "merged",
            ),
            "pairs": (
                "updateMergeInRAWSolver of the first two, then gatherFunc, is not gatherFunc of all",
                whole,
                rest,
                rows,
                "by way of it",
            ),
        }
        for key, (law, a, b, other, how) in laws.items():
            bad = np.flatnonzero(differ(a, b, size))
            if bad.size and key not in broken:
                r = bad[0]
                text = f"{rows[r].tolist()} give {a[r]}, {other[r].tolist()} {how} {b[r]}".replace("  ", " ")
                broken[key] = f"{law}: updates {text}, from identity {hooks.identity()[0]}"
            tried += len(rows)
    return tried, "; ".join(broken.values())


def _observe(
    hooks: _Hooks, broken: str, csr: Csr, graph: _core.Graph, arguments: dict[str, Any], rng: np.random.Generator
) -> None:
    """Raise CheckError if an order changes an answer."""
    job = hooks.job
    num_vertices, num_edges = csr[0], max(1, len(csr[2]))
    # Enough for programs in which vertices only improve, and an end for those that no longer come to one.
    steps = max(_FEWEST_STEPS, min(2 * num_vertices, _EDGES // num_edges))
    arguments = _ending(arguments, steps)
    expected = hooks.run(graph, arguments, 0)
    orders = _EDGES // (num_edges * _FEWEST_STEPS)
    for _ in range(max(_FEWEST_ORDERS, min(_MOST_ORDERS, orders))):
        found = hooks.run(graph, arguments, int(rng.integers(1, 2**63)))
        v = _first_different(job, found, expected)
        if v is not None:
            raise CheckError(f"{job.name}: {broken}; so vertex {v} is {expected[v]} or {found[v]}, {_on(csr)}")


def _ending(arguments: dict[str, Any], steps: int) -> dict[str, Any]:
    """Arguments of a run that ends after so many super-steps, if not before."""
    limit = arguments["max_iter"]
    is_number = isinstance(limit, (int, np.integer))  # else the core says what is wrong
    return {**arguments, "max_iter": min(int(limit), steps)} if is_number else arguments


def _first_different(job: Job, found: NDArray[Any], expected: NDArray[Any]) -> int | None:
    tolerance = TOLERANCE.get(job.number, 0.0)
    if tolerance:
        same = np.isclose(found, expected, rtol=tolerance, atol=0, equal_nan=True)
    else:
        same = (found == expected) | ((found != found) & (expected != expected))
    return None if same.all() else int(np.flatnonzero(~same)[0])


def _on(csr: Csr) -> str:
    n, offsets, targets, _ = csr
    edges = np.column_stack([np.repeat(np.arange(n), _degrees(offsets)), targets])
    return f"on {n} vertices and the edges {edges.tolist()[:20]}{' ...' if len(edges) > 20 else ''}"


def _compare(job: Job, csr: Csr, answers: dict[str, NDArray[Any]]) -> None:
    """Raise CheckError where devices give different answers."""
    first, expected = next(iter(answers.items()))
    for device, found in answers.items():
        v = _first_different(job, found, expected)
        if v is not None:
            raise CheckError(
                f"{job.name}: vertex {v} is {expected[v]} with device={first!r} and {found[v]} with {device!r}, "
                f"{_on(csr)}"
            )


def compare_with_oracle(job: Job, i: int, comparison: Comparison) -> None:
    """Raise CheckError where the answer on a graph is not that of the oracle."""
    if not comparison.agrees:
        raise CheckError(
            f"{job.name} with device={next(iter(job.libraries))!r} differs from its oracle: {comparison.text}, "
            f"{_on(job.graphs[i][0])}"
        )


def attempt(what: tuple[Any, ...]) -> None:
    """Run a program once; the answer is dropped."""
    library, name, csr, arguments, options = what
    program = _core.load_program(library, name)
    _core.run(program, _graph(csr), arguments, _core.RunOptions(**options))


def _degrees(offsets: NDArray[Any]) -> NDArray[np.int64]:
    wide: NDArray[np.int64] = offsets.astype(np.int64)
    return wide[1:] - wide[:-1]
