# SPDX-License-Identifier: Apache-2.0
"""What hardware needs of a program's merge, tested on values that its own runs reach.

A library beside that of the CPU exports the hooks as plain loops over arrays, and a run whose answer is the property
itself. Cases are tried from the smallest on, so the first that fails is the smallest found.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core, _program, generate
from ._kernels import NUMBERS

if TYPE_CHECKING:
    from .graph import Graph

_MOST_UPDATES = 6  # to one vertex, in a case
_TOLERANCE = {"float32": 1e-4, "float64": 1e-9}


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

    """

    num_graphs: int
    num_updates: int
    num_cases: int
    devices: tuple[str, ...]


def source(definition: _program.Definition) -> str:
    """Return the source of the library: hooks over arrays, and the program with the property as its answer."""
    space = f"gaspipe::algorithm::{definition.name}"
    number = NUMBERS[definition.prop]
    return "\n".join(
        [
            '#include "gaspipe/engine/on_cpu.h"',
            f'#include "{_program.header_name(definition)}"',
            "namespace {",
            f"template <class Number> struct Raw : {space}::Program<Number> {{",
            f"  using Base = {space}::Program<Number>;",
            "  using Base::Base;",
            "  using Value = typename Base::Property;",
            "  Value finish(Value property, gaspipe::VertexId) const { return property; }",
            "};",
            "struct Spec {",
            "  template <class Number> using Program = Raw<Number>;",
            f"  using Parameters = {space}::Parameters;",
            f"  using Numbers = {space}::Numbers;",
            f"  static const gaspipe::Description& description() {{ return {space}::kDescription; }}",
            "};",
            f"using Hooks = {space}::Hooks<{number}>;",
            "using Traits = gaspipe::Traits<Hooks>;",
            "using Update = Traits::Update;",
            "using Size = std::uint64_t;",
            "}  // namespace",
            '#define EXPORT extern "C" __attribute__((visibility("default")))',
            f"EXPORT const gaspipe::abi::Program* gaspipe_program_{definition.name}() {{",
            f'  return gaspipe::engine::program_table<Spec, gaspipe::engine::OnCpu>("{definition.name}");',
            "}",
            "EXPORT Size gaspipe_update_is_property() {",
            "  return gaspipe::contract::Same<Update, Traits::Property>::value;",
            "}",
            "using Weight = Traits::EdgeProperty;",
            "EXPORT Size gaspipe_updates(const Traits::Property* p, const Weight* w, Update* out, Size n) {",
            "  Size found = 0;",
            "  for (Size i = 0; i < n; ++i) {",
            "    const Update update = Hooks::scatterFunc(Hooks::preprocessProperty(p[i]), w[i]);",
            "    if (Traits::is_active(update)) out[found++] = update;",
            "  }",
            "  return found;",
            "}",
            "EXPORT void gaspipe_identity(Update* out) { *out = Traits::identity(); }",
            *(
                f"EXPORT void gaspipe_{name}(const Update* a, const Update* b, Update* out, Size n) {{\n"
                f"  for (Size i = 0; i < n; ++i) out[i] = Hooks::{hook}(a[i], b[i]);\n}}"
                for name, hook in _HOOKS.items()
            ),
            "",
        ]
    )


_HOOKS = {"gather": "gatherFunc", "raw": "updateMergeInRAWSolver", "merge": "applyMerge"}


class _Hooks:
    """The exported hooks, over arrays."""

    def __init__(self, job: Job) -> None:
        self.library = ctypes.CDLL(job.library)
        self.dtype = np.dtype(job.type)
        self.edge_dtype = np.dtype(job.edge_type)
        if not self.library.gaspipe_update_is_property():
            raise _core.InputError(f"{job.name}.check() needs updates of the same type as properties")

    def identity(self) -> NDArray[Any]:
        out = np.empty(1, self.dtype)
        self.library.gaspipe_identity(out.ctypes.data_as(ctypes.c_void_p))
        return out

    def updates(self, properties: NDArray[Any], weights: NDArray[Any]) -> NDArray[Any]:
        """Active updates that properties and weights, pair by pair, give rise to."""
        p, w = np.ascontiguousarray(properties, self.dtype), np.ascontiguousarray(weights, self.edge_dtype)
        out = np.empty(p.size, self.dtype)
        function = self.library.gaspipe_updates
        function.restype = ctypes.c_uint64
        found = function(*(a.ctypes.data_as(ctypes.c_void_p) for a in (p, w, out)), ctypes.c_uint64(p.size))
        return out[:found]

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


@dataclass(frozen=True)
class Job:
    """A check, as a process of its own is told of it."""

    name: str
    number: str
    edge_type: str
    library: str  # exports the hooks
    libraries: dict[str, str]  # by device
    graphs: list[tuple[int, NDArray[Any], NDArray[Any], NDArray[Any] | None]]  # vertices, offsets, targets, weights
    arguments: list[dict[str, Any]]  # of a run on each graph
    num_cases: int
    seed: int

    @property
    def type(self) -> str:
        """Type of a property and of an update."""
        return "uint32" if self.number == "fixed" else self.number


def random_graphs(num_graphs: int, seed: int) -> list[Graph]:
    """Return small graphs, from 3 vertices on, with weights 1 to 9."""
    rng = np.random.default_rng(seed)
    return [
        generate.uniform(3 + 3 * i, 9 + 9 * i, seed=int(rng.integers(2**31)), weights=(1, 9)) for i in range(num_graphs)
    ]


def check(job: Job) -> Check:
    """Do what `Algorithm.check` says."""
    hooks = _Hooks(job)
    raw = _core.load_program(job.library, job.name)
    graphs = [
        _core.Graph.from_csr(n, n, offsets, targets, weights, True, 1) for n, offsets, targets, weights in job.graphs
    ]
    reached = [hooks.identity()[:0]]
    for graph, (n, offsets, _, weights), arguments in zip(graphs, job.graphs, job.arguments):
        sources = np.repeat(np.arange(n), _degrees(offsets))
        for steps in (1, 2, 3):
            properties = _run(job, raw, graph, {**arguments, "max_iter": steps}, "cpu")
            reached.append(hooks.updates(properties[sources], np.ones(len(sources)) if weights is None else weights))
    updates = np.unique(np.concatenate(reached))
    cases = _laws(job.name, hooks, updates, job.num_cases, np.random.default_rng(job.seed)) if updates.size else 0
    if len(job.libraries) > 1:
        programs = {device: _core.load_program(path, job.name) for device, path in job.libraries.items()}
        for i, graph in enumerate(graphs):
            answers = {d: _run(job, p, graph, job.arguments[i], d) for d, p in programs.items()}
            _compare(job, job.graphs[i], answers)
    return Check(len(graphs), updates.size, cases, tuple(job.libraries))


def _run(job: Job, program: _core.Program, graph: _core.Graph, arguments: dict[str, Any], device: str) -> NDArray[Any]:
    return _core.run(program, graph, arguments, device, "auto", job.number, "gas", 1, None, None)[0]


def _laws(name: str, hooks: _Hooks, updates: NDArray[Any], num_cases: int, rng: np.random.Generator) -> int:
    """Raise CheckError for the smallest case that breaks a law; return how many were tried."""
    tolerance = _TOLERANCE.get(hooks.dtype.name, 0.0)

    def differ(a: NDArray[Any], b: NDArray[Any], size: NDArray[Any]) -> NDArray[np.bool_]:
        if not tolerance:
            return np.asarray(a != b)
        with np.errstate(invalid="ignore"):
            near = np.abs(a - b) <= tolerance * np.maximum(size, 1e-30)
        return np.asarray(~((a == b) | near | (np.isnan(a) & np.isnan(b))))

    tried = 0
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
            "gatherFunc depends on the order": (whole, hooks.fold(turned), turned, "in this order"),
            "applyMerge is not commutative": (hooks("merge", left, right), hooks("merge", right, left), rows, ""),
            f"applyMerge of the first {cut} and the others is not what gatherFunc makes of all": (
                whole,
                hooks("merge", left, right),
                rows,
                "merged",
            ),
            "updateMergeInRAWSolver of the first two, then gatherFunc, is not gatherFunc of all": (
                whole,
                rest,
                rows,
                "by way of it",
            ),
        }
        for law, (a, b, other, how) in laws.items():
            bad = np.flatnonzero(differ(a, b, size))
            if bad.size:
                r = bad[0]
                text = f"{rows[r].tolist()} give {a[r]}, {other[r].tolist()} {how} {b[r]}".replace("  ", " ")
                raise CheckError(f"{name}: {law}: updates {text}, from identity {hooks.identity()[0]}")
            tried += len(rows)
    return tried


def _compare(
    job: Job, graph: tuple[int, NDArray[Any], NDArray[Any], NDArray[Any] | None], answers: dict[str, NDArray[Any]]
) -> None:
    """Raise CheckError where devices give different answers."""
    first, expected = next(iter(answers.items()))
    tolerance = 0.0 if job.number == "fixed" else _TOLERANCE.get(job.number, 0.0)
    for device, found in answers.items():
        same = np.isclose(found, expected, rtol=tolerance, atol=0, equal_nan=True) if tolerance else found == expected
        if not np.all(same):
            v = int(np.flatnonzero(~same)[0])
            n, offsets, targets, _ = graph
            edges = np.column_stack([np.repeat(np.arange(n), _degrees(offsets)), targets])
            raise CheckError(
                f"{job.name}: vertex {v} is {expected[v]} with device={first!r} and {found[v]} with {device!r}, "
                f"on {n} vertices and the edges {edges.tolist()[:20]}{' ...' if len(edges) > 20 else ''}"
            )


def attempt(what: tuple[Any, ...]) -> None:
    """Run a program once and forget the answer."""
    library, name, (n, offsets, targets, weights), arguments, device, execution, number, method = what
    graph = _core.Graph.from_csr(n, n, offsets, targets, weights, True, 1)
    _core.run(_core.load_program(library, name), graph, arguments, device, execution, number, method, 0, None, None)


def _degrees(offsets: NDArray[Any]) -> NDArray[np.int64]:
    wide: NDArray[np.int64] = offsets.astype(np.int64)
    return wide[1:] - wide[:-1]
