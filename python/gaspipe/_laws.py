# SPDX-License-Identifier: Apache-2.0
"""What hardware needs of a program's merge, tested on values that its own runs reach.

A library beside that of the CPU exports the hooks as plain loops over arrays, and a run whose answer is the property
itself. Cases are tried from the smallest on, so the first that fails is the smallest found.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable

import numpy as np
from numpy.typing import NDArray

from . import _core, _program, generate
from ._kernels import NUMBERS

if TYPE_CHECKING:
    from ._algorithm import Algorithm
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

    def __init__(self, path: str, algorithm: Algorithm) -> None:
        self.library = ctypes.CDLL(path)
        d = algorithm.definition
        self.dtype = np.dtype("uint32" if d.is_fixed else d.prop)
        self.edge_dtype = np.dtype(d.edge_prop or self.dtype)
        if not self.library.gaspipe_update_is_property():
            raise _core.InputError(f"{algorithm.name}.check() needs updates of the same type as properties")

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


def check(
    algorithm: Algorithm,
    graph: Graph | None,
    devices: tuple[str, ...],
    num_graphs: int,
    num_cases: int,
    seed: int,
    library: Callable[[], str],
    run: Callable[..., Any],
    arguments: dict[str, Any],
) -> Check:
    """See `Algorithm.check`."""
    rng = np.random.default_rng(seed)
    path = library()
    hooks = _Hooks(path, algorithm)
    program = _core.load_program(path, algorithm.name)
    graphs = [graph] if graph is not None else [_random_graph(rng, i) for i in range(num_graphs)]
    reached = [hooks.identity()[:0]]
    for g in graphs:
        weights = np.ones(g.num_edges) if g.weights is None else g.weights
        sources = np.repeat(np.arange(g.num_vertices), np.diff(g.indptr))
        for steps in (1, 2, 3):
            properties = run(g, program, {**arguments, "max_iter": steps})
            reached.append(hooks.updates(properties[sources], weights))
    updates = np.unique(np.concatenate(reached))
    cases = _laws(algorithm.name, hooks, updates, num_cases, rng) if updates.size else 0
    for g in graphs:
        _compare(algorithm, g, devices, arguments)
    return Check(len(graphs), updates.size, cases, devices)


def _random_graph(rng: np.random.Generator, i: int) -> Graph:
    n = 3 + 3 * i
    return generate.uniform(n, 3 * n, seed=int(rng.integers(2**31)), weights=(1, 9))


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


def _compare(algorithm: Algorithm, graph: Graph, devices: tuple[str, ...], arguments: dict[str, Any]) -> None:
    """Raise CheckError where devices give different answers."""
    if len(devices) < 2:
        return
    first = algorithm.function(graph, device=devices[0], **arguments).values
    for device in devices[1:]:
        found = algorithm.function(graph, device=device, **arguments).values
        tolerance = _TOLERANCE.get("float32" if algorithm.definition.prop == "float32" else found.dtype.name, 0.0)
        exact = found.dtype.kind != "f" or algorithm.definition.is_fixed
        same = found == first if exact else np.isclose(found, first, rtol=tolerance, atol=0, equal_nan=True)
        if not np.all(same):
            v = int(np.flatnonzero(~same)[0])
            edges = np.column_stack([np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr)), graph.indices])
            raise CheckError(
                f"{algorithm.name}: vertex {v} is {first[v]} with device={devices[0]!r} and {found[v]} "
                f"with {device!r}, on {graph.num_vertices} vertices and the edges {edges.tolist()[:20]}"
                + (" ..." if len(edges) > 20 else "")
            )
