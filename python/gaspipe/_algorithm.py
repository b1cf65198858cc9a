# SPDX-License-Identifier: Apache-2.0
"""Algorithms of the user's own: hooks in C++, compiled on demand, run like the built-in ones."""

from __future__ import annotations

import functools
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Callable, Union

import numpy as np
from numpy.typing import NDArray

from . import (
    _call,
    _callables,
    _compile,
    _core,
    _device,
    _function,
    _isolated,
    _laws,
    _lint,
    _literals,
    _oracle,
    _orders,
    _paths,
    _program,
    _snippet,
    _verify,
    _vertices,
)
from ._callables import Required
from ._card import build as _build
from ._card import kernels as _kernels
from ._card import xclbin as _xclbin
from ._core import InputError
from ._program import Definition, Input, Scalar
from ._result import AnyResult, Result
from .graph import Graph, as_graph

_UNTIL = ("no_active", "no_change")
_PLACES = {"cpu": "OnCpu", "emulator": "OnDevice, OnEmulator", "fpga": "OnDevice"}
_MOST_STEPS = 2**31 - 1
_MORE_GRAPHS = 12  # where check() has found something to look closer at
Values = Union[str, float, "NDArray[Any]", Mapping[Any, float], Callable[..., Any], None]


@dataclass(frozen=True)
class Fixed:
    """A fixed-point number format; made by :func:`fixed`."""

    bits: int
    scale: int | None


def fixed(bits: int = 32, scale: int | str = "auto") -> Fixed:
    """Number format for `prop=` of :class:`Algorithm`: unsigned fixed point, as kernels for cards prefer it.

    A property is a word of value `word / 2**scale`; hooks see the word. `saturating_add(a, b)` and
    `multiply_fraction(word, fraction, 31)` are at hand, real parameters arrive as fractions of 2**31 (so they lie in
    0 to 1). A value at the ceiling (all bits set) counts as an overflow: the run is repeated in a coarser scale.

    Parameters
    ----------
    bits : int
        Width of the word; 32.
    scale : int or "auto"
        Binary digits after the point, 0 to 64. "auto" starts from 31 + log2(num_vertices), which suits values of about
        1 / num_vertices, and takes the largest in which nothing overflows; `result.stats.scale_bits` tells which. A
        number is kept: a run that overflows is a CapacityError.

    """
    if bits != 32:
        raise InputError(f"fixed(bits) is {bits!r}; allowed is 32")
    if scale == "auto":
        return Fixed(32, None)
    if isinstance(scale, bool) or not isinstance(scale, int) or not 0 <= scale <= 64:
        raise InputError(f"fixed(scale) is {scale!r}; allowed are 'auto' and 0 to 64")
    return Fixed(32, scale)


@dataclass(frozen=True)
class Parameter:
    """A parameter of an :class:`Algorithm`, where a default value alone says too little.

    Attributes
    ----------
    default : int, float or bool
        Its type is that of the parameter.
    low, high : float, optional
        Least and greatest value allowed.
    doc : str
        A sentence for the docstring.
    vertex : bool
        Whether it is a vertex of the graph: calls take a label where the graph has labels, else an id, which is
        checked; hooks and callables get the id.

    """

    default: float
    low: float | None = None
    high: float | None = None
    doc: str = ""
    vertex: bool = False


class Algorithm:
    """An algorithm of your own: a gather-apply-scatter program whose hooks are C++.

    Called like the built-in functions: `algorithm(graph, ..., device="cpu")` returns a :class:`Result`. The C++ is
    compiled when a device is first used, and kept (:mod:`gaspipe.cache`); new values of parameters never compile again.

    In every super-step each vertex's property goes through `preprocessProperty`; every edge forms an update with
    `scatterFunc(source property, edge weight)`; updates to one vertex are merged by `gatherFunc` (in any order; on a
    card also by `updateMergeInRAWSolver` and `applyMerge`), starting from `identity`; then
    `applyFunc(merged, old property, ...)` gives the vertex's next property.

    For `device="fpga"`, :meth:`build` writes what v++ needs to make an xclbin. Hooks that cannot become hardware
    (recursion, the heap, exceptions, ...) run with `device="cpu"` alone.

    Parameters
    ----------
    name : str
        Name of the algorithm, a Python and C++ identifier.
    source : str or os.PathLike, optional
        C++ text, or the path of a file with it. Either free functions with the signatures of the literature ::

            inline prop_t preprocessProperty(prop_t prop)
            inline prop_t scatterFunc(prop_t source, edge_prop_t edge)
            inline prop_t updateMergeInRAWSolver(prop_t a, prop_t b)
            inline prop_t gatherFunc(prop_t accumulated, prop_t arriving)
            inline prop_t applyMerge(prop_t a, prop_t b)
            inline prop_t applyFunc(prop_t tProp, prop_t source, prop_t outDeg, unsigned int &extra, unsigned int arg)

        (`updateCalculation` and `updateDestination` are other names of the 2nd and 4th; `extra` may be an array,
        `unsigned int (&extra)[4]`; `applyFunc` may take `Arg arg`, a struct with all `parameters`), or
        `struct Hooks` with them as static functions and the traits of `hls/program.h`. A macro `IS_ACTIVE_VERTEX(x)`
        filters updates. `prop_t`, `edge_prop_t`, `VERTEX_ACTIVE_BIT_MASK` (1 << 31), `MAX_PROP` (2**31 - 2), `min`,
        `max` and `abs` are there unless the text defines them.

        A hook that is left out: `preprocessProperty` returns the property, `scatterFunc` what it returned, both merges
        are `gatherFunc`, which must be there, and `applyFunc` is `gatherFunc(old, merged)` and counts what changed.
    preprocess, scatter, gather, raw_merge, merge, apply : str, optional
        Hooks by name, as an expression or as statements with `return`, in terms of `src`; `src, edge`; `a, b` (three
        times); `acc, old`, the names of `inputs` and `parameters`, and `extra`. An expression for `apply` also counts
        the vertices whose property changed in `extra`.
    active, is_source, priority : str, optional
        More hooks by name: whether `update` is sent at all; whether scattering `prop` can give an active update; the
        order in which `prop` is best worked on.
    prop : dtype or Fixed
        Type of a property: uint32, int32, uint64, int64, float32, float64, or :func:`fixed`. Integers are C++'s, and
        no overflow is looked for: unsigned ones wrap around, signed ones must not overflow. A real number in a hook or
        an expression of integers (`src * 0.5`) is an error, unless a cast says that it is meant: `prop_t(src * 0.5)`.
    edge_prop : dtype, optional
        Type of an edge's weight; by default that of the property. Weights are read only if `scatterFunc` uses them; an
        edge without a weight has weight 1.
    initial : array, dict, number, callable or str
        Property of every vertex at the start: an array of shape (num_vertices,), a dict {vertex: number} of all
        vertices, a number for all, a callable `initial(graph, **parameters) -> array` (which gets vertices as ids), or
        a C++ expression of the vertex `v`, `n`, `m` (numbers of vertices and edges), `out_degree(v)` and the
        parameters. Arrays, dicts and numbers may be replaced in a call by `initial=`.
    until : {"no_active", "no_change"}, ("steps", n) or ("tol", x)
        When a run ends: after a super-step in which `applyFunc` counted nothing in (the first) `extra`, or, where it
        never counts, as "no_change": in which no property changed; after n super-steps; after a super-step in which
        the properties' total change (L1) was at most x. Calls take `max_iter=` and `tol=`; a run that reaches
        `max_iter` gives a :class:`NotConvergedWarning` and has `stats.converged == False`. By default `max_iter` is 100
        for "tol", and 4 * num_vertices + 10,000 for "no_active" and "no_change": a program in which vertices only
        improve needs num_vertices at most.
    parameters : dict, optional
        Default, or :class:`Parameter`, by name: keyword arguments of calls. Those of `initial` with a number as default
        are taken from its signature; an integer called `root` is a vertex. Hooks receive them through `arg` alone.
    inputs : dict, optional
        Read-only values per vertex for `applyFunc`, by name: an array, a callable or a C++ expression as for `initial`,
        or None for an array that calls must give. One is passed as the 3rd argument, several as an array in this order.
        By default the out-degree (`degree` in an `apply=`).
    arg : str, optional
        C++ expression for the last argument of `applyFunc`, in terms of `step` (0, 1, ...), `sum` (what `extra` was in
        total in the super-step before; 0 in the first), `n`, `m` and the parameters. By default the one parameter that
        `initial` and `inputs` do not take, else 0.
    identity : number or str, optional
        What gathering starts with, neutral in the merge; 0 unless given.
    view : {"forward", "reverse", "undirected"}
        The edges to walk: as they are, from destination to source, or both ways.
    idempotent, final_once_set : bool
        What `hls/program.h` says of kIdempotent and kFinalOnceSet: lets the CPU send only what changed.
    components : bool
        The answer is, at every vertex, the gather of the initial properties of its component: the CPU finds components
        by union-find. For `view="undirected"` and `idempotent=True`; `out_degree(v)` is not there then.
    finish : str, optional
        C++ expression of `prop` and `v` for a vertex's answer; by default the property.
    dtype : dtype, optional
        Of the answer; by default that of the property, float64 for fixed point.
    field : str
        Name of the answer in the result.
    doc : str
        What it computes; the first sentence is the summary.
    timeout : float, optional
        Seconds that the first run on every device may take in a process of its own, before it runs in this one: a crash
        or an endless loop in a hook is then a CrashError. By default the C++ is trusted.
    oracle : callable, optional
        A plain answer to compare with: `oracle(graph, **parameters)` returns the expected value of every vertex, shape
        (num_vertices,). It is called with a :class:`Graph` and those parameters and inputs that it names, as the run
        had them. `gaspipe --verify`, :func:`gaspipe.testing.assert_devices_agree` and :meth:`check` use it. Integers
        must be equal; floats may differ by an L1 distance of 1e-9 (float64) or 1e-4 (float32, fixed point) of the
        values' sum, and by 10 `tol` more where a run ends by it.

    Raises
    ------
    InputError
        If the description makes no algorithm: no `gatherFunc`, a hook with a wrong number of parameters, an unknown
        type, a name that is taken. Names file and line of the snippet where there is one.
    CompileError
        When called: if the C++ does not compile, or there is no compiler.

    Examples
    --------
    >>> widest = gp.Algorithm(
    ...     "widest", prop="uint32", scatter="min(src, edge)", gather="max(a, b)",
    ...     initial="v == root ? 0xffffffff : 0", parameters={"root": 0})
    >>> widest(graph, root=3).values

    """

    def __init__(
        self,
        name: str,
        source: str | os.PathLike[str] | None = None,
        *,
        prop: Any = "uint32",
        edge_prop: Any = None,
        initial: Values = 0,
        until: str | tuple[str, float] = "no_active",
        parameters: Mapping[str, float | Parameter] | None = None,
        inputs: Mapping[str, Values] | None = None,
        arg: str | None = None,
        identity: float | str | None = None,
        view: str = "forward",
        idempotent: bool = False,
        final_once_set: bool = False,
        components: bool = False,
        preprocess: str | None = None,
        scatter: str | None = None,
        gather: str | None = None,
        raw_merge: str | None = None,
        merge: str | None = None,
        apply: str | None = None,
        active: str | None = None,
        is_source: str | None = None,
        priority: str | None = None,
        finish: str | None = None,
        dtype: Any = None,
        field: str = "value",
        doc: str = "",
        timeout: float | None = None,
        oracle: Callable[..., Any] | None = None,
    ) -> None:
        _function.check_name(name, "name")
        if name in _function.GLOBALS:
            raise InputError(f"name is {name!r}, which the function of an algorithm needs itself")
        file_name = f"{name}.h"
        if isinstance(source, os.PathLike):
            file_name = os.path.basename(source)
            with open(source, encoding="utf-8") as file:
                source = file.read()
        if source is not None and not isinstance(source, str):
            raise InputError(f"source is of type {type(source).__name__}; C++ text or a path (pathlib.Path) is needed")
        by_name = [preprocess, scatter, raw_merge, gather, merge, apply, active, is_source, priority]
        bodies = {}
        for (key, hook), body in zip(_program.KEYWORDS.items(), by_name):
            if body is None:
                continue
            if not isinstance(body, str) or not body.strip():
                raise InputError(f"{key} is {body!r}; C++ text is needed")
            _snippet.check_brackets(body, key)
            bodies[hook] = body
        if source is not None and re.fullmatch(r"\s*[^\s(){};]+\.(?:h|hh|hpp|hxx|c|cc|cpp|cxx)\s*", source):
            raise InputError(
                f"source is {source!r}, which is no C++; for a file, give pathlib.Path({source.strip()!r})"
            )
        outline = _snippet.read(source or "", file_name)
        _check_hooks(name, file_name, outline, bodies)
        definition = Definition(name, outline, _number(prop, "prop"), None, bodies, file_name=file_name)
        definition.edge_prop = None if edge_prop is None else _number(edge_prop, "edge_prop")
        if definition.edge_prop == "fixed":
            raise InputError("edge_prop cannot be fixed point; weights are integers or floats")
        definition.scale = prop.scale if isinstance(prop, Fixed) else None
        definition.identity = _expression(identity, "identity")
        wanted = np.dtype("uint32" if definition.is_fixed else definition.prop)
        if wanted.kind != "f" and isinstance(identity, (int, float)):
            info = np.iinfo(wanted)
            if not np.isfinite(identity) or identity != int(identity) or not info.min <= identity <= info.max:
                hint = '; prop="float64" holds it' if np.isfinite(identity) and identity != int(identity) else ""
                raise InputError(f"identity is {identity!r}, which is no {wanted}{hint}")
            definition.identity = _expression(int(identity), "identity")
        definition.finish = _expression(finish, "finish")
        definition.traits = {
            "idempotent": bool(idempotent),
            "final_once_set": bool(final_once_set),
            "components": bool(components),
        }
        if components and not (idempotent and view == "undirected"):
            raise InputError(
                f"components=True with view={view!r} and idempotent={idempotent!r}; components are those of an "
                "undirected view, of an idempotent gather: give view='undirected' and idempotent=True"
            )
        if view not in ("forward", "reverse", "undirected"):
            raise InputError(f"view is {view!r}; allowed are 'forward', 'reverse' and 'undirected'")
        definition.view = view
        default_dtype = "float64" if definition.is_fixed else definition.prop
        definition.value_type = default_dtype if dtype is None else _number(dtype, "dtype")
        definition.until, self._limits = _until(until)
        self._python: dict[str, Any] = {}  # parameters that only callables see, with their defaults
        self._docs: dict[str, str] = {}
        self._defaults: dict[str, Any] = {}
        self._vectors: dict[str, Values] = {}  # arrays that calls pass to C++, and where they come from
        for what, mapping in (("parameters", parameters), ("inputs", inputs)):
            if mapping is not None and not isinstance(mapping, Mapping):
                raise InputError(f"{what} is {mapping!r}; a dict is needed, by name")
        if not isinstance(doc, str):
            raise InputError(f"doc is {doc!r}; text is needed")
        self._add_parameters(definition, parameters or {}, initial, inputs)
        self._add_inputs(definition, inputs, initial)
        self._add_arg(definition, arg, initial)
        _literals.check(definition)
        _function.check_field(field)
        if timeout is not None and (not isinstance(timeout, (int, float)) or not timeout > 0):
            raise InputError(f"timeout is {timeout!r}; seconds above 0 are needed, or None")
        self._timeout = timeout
        self._tried: set[str] = set()
        self.name = name
        self.field = field
        self.definition = definition
        self._header, self._quoted = _program.header(definition)
        self._kernel_header = _program.kernel_header(definition)
        if source is not None:
            self._quoted[file_name] = source
        self._programs: dict[str, _core.Program] = {}
        self.description = self._describe(doc)
        """What the function and the command line are made of: name, parameters, number format, answer."""
        names = [p["name"] for p in self.description["parameters"]]
        self._oracle = None if oracle is None else _oracle.Oracle(name, oracle, names)
        self.function: Callable[..., AnyResult] = _function.make(self.description, self._call)
        """The algorithm as a function, with signature and docstring; what :func:`register` makes `gp.<name>`."""
        self.__doc__ = self.function.__doc__
        self.__signature__ = inspect.signature(self.function)
        self.__name__ = name

    @property
    def __call__(self) -> Callable[..., AnyResult]:  # no frame of its own: warnings name the caller's line
        return self.function

    def __repr__(self) -> str:
        parts = ", ".join(f"{p['name']}={p['default']!r}" for p in self.description["parameters"])
        return f"Algorithm({self.name!r}: {self.definition.prop} per vertex{', ' + parts if parts else ''})"

    @property
    def header(self) -> str:
        """Text of the program's C++ header, as engines and kernels include it."""
        return self._header

    def compile(self, device: str = "cpu") -> None:
        """Compile for a device now, not in the first call.

        Raises
        ------
        CompileError
            If the C++ does not compile, or there is no compiler.

        """
        _device.check(device)
        self._program_for("cpu" if device == "auto" else device)

    @property
    def has_oracle(self) -> bool:
        """Whether there is a plain answer to compare with."""
        return self._oracle is not None

    @property
    def oracle(self) -> _oracle.Oracle:
        """The plain answer to compare with; InputError if there is none."""
        if self._oracle is None:
            raise InputError(
                f"{self.name} has nothing to be compared with; give gp.Algorithm(..., oracle=f), where "
                "f(graph, **parameters) returns the expected values"
            )
        return self._oracle

    def verify(self, result: Result, graph: Graph, arguments: dict[str, Any]) -> _verify.Comparison:
        """Compare the answer of a run, with all its arguments by name, with that of the oracle."""
        resolved = self._resolved(graph, arguments)
        expected = self.oracle.answer(graph, resolved)
        return self.oracle.compare(result.values, expected, result.stats.number, resolved.get("tol", 0.0))

    @property
    def kernels(self) -> dict[str, Any]:
        """`description`, and under "header" the text of the C++ header that kernels include."""
        return {**self.description, "header": self._kernel_header}

    def build(
        self,
        board: str,
        out: str | os.PathLike[str] | None = None,
        *,
        weighted: bool | None = None,
        units: int | None = None,
        lanes: int = 8,
        pes: int = 8,
        capacity: int | None = None,
        target: str = "hw",
        platform: str | None = None,
        clock_mhz: int | None = None,
        force: bool = False,
    ) -> str:
        """Write all that v++ needs to build the kernels for a board, into a folder that needs nothing beside it.

        On a machine with Vitis, `build.sh` in the folder makes the xclbin. A card takes it as long as hooks, number
        format and kernels are the same; values of parameters, `initial`, `inputs` and `finish` may change.

        Parameters
        ----------
        board : str
            "u250", "u55c", ...
        out : path, optional
            Folder to write; by default called after algorithm, number format, board and target.
        weighted : bool, optional
            Stream edge weights; by default as the hooks read them. Without, every edge weighs 1.
        units : int, optional
            Compute units, 1 to 16; by default as many as the board's memory serves, at most 8.
        lanes, pes : int
            Edges of a unit per cycle, 8 or 16; its gather PEs, 4, 8 or 16.
        capacity : int, optional
            Most vertices of a partition; by default what the board's URAM holds.
        target : {"hw", "hw_emu"}
            The card itself, or the vendor's emulation of it.
        platform : str, optional
            The shell to build for, a name or an .xpfm file; by default the board's newest known.
        clock_mhz : int, optional
            Frequency of the kernels; by default the board's.
        force : bool
            Replace a folder that this method wrote, and what was built in it.

        Returns
        -------
        str
            The folder.

        Raises
        ------
        InputError
            If the hooks cannot become hardware (names file and line), the number format has no kernels, an option is
            none of the above, or `out` is there and not empty.
        CapacityError
            If the compute units do not fit the board.
        OSError
            If the folder cannot be written.

        """
        plan = self.plan(
            board,
            weighted=weighted,
            units=units,
            lanes=lanes,
            pes=pes,
            capacity=capacity,
            target=target,
            platform=platform,
            clock_mhz=clock_mhz,
        )
        path = f"{self.name}_{plan.design.number}_{board}_{target}" if out is None else os.fspath(out)
        _build.write(_paths.get_include(), plan, path, force)
        return path

    def plan(self, board: str, **options: Any) -> _build.Plan:
        """What :meth:`build` writes, decided and checked; `options` are its own."""
        self._check_hardware("fpga")
        return _build.plan(_paths.get_include(), self.kernels, board, **options)

    def check(
        self,
        graph: Any = None,
        *,
        devices: tuple[str, ...] = ("cpu", "emulator"),
        num_graphs: int = 4,
        num_cases: int = 200,
        seed: int = 0,
        timeout: float | None = 60,
        **arguments: Any,
    ) -> _laws.Check:
        """Test what devices rely on: updates may meet in any order, and every device gives the same answer.

        The laws are tried on updates that runs of a few super-steps reach: gathering from the identity on does not
        depend on the order; `applyMerge` is commutative, and merging parts gives what gathering all gives; so does
        `updateMergeInRAWSolver`. Floats may differ by rounding. Where a law is broken, runs with orders drawn at random
        tell whether an answer depends on it. With `oracle=`, answers are compared with that as well.

        Parameters
        ----------
        graph : Graph, or anything Graph() takes, optional
            Where to run; by default small random graphs with weights 1 to 9.
        devices : tuple of str
            Whose answers must be the same; one alone leaves the comparison out.
        num_graphs, num_cases, seed : int
            Random graphs, cases per law and size, and what both are drawn from.
        timeout : float, optional
            Seconds that all runs may take, in a process of their own, so that a crash or an endless loop in a hook ends
            that one alone. None: run in this process.
        **arguments
            Parameters and inputs of the runs.

        Returns
        -------
        Check
            How much was tried.

        Raises
        ------
        CheckError
            If a law is broken and changes an answer, with the smallest counterexample found; if answers of devices
            differ, or are not those of the oracle.
        CrashError
            If a hook crashes, or the runs do not end in time.
        CompileError
            If the C++ does not compile, or there is no compiler.

        """
        for what, number, least in (("num_graphs", num_graphs, 1), ("num_cases", num_cases, 1), ("seed", seed, 0)):
            if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < least:
                raise InputError(f"{what} is {number!r}; a whole number >= {least} is needed")
        if isinstance(devices, str) or not devices:
            raise InputError(f"devices is {devices!r}; a tuple of one or more is needed, as ('cpu', 'emulator')")
        d = self.definition
        graphs = _laws.random_graphs(num_graphs, seed) if graph is None else [as_graph(graph, False)]
        more = _laws.random_graphs(_MORE_GRAPHS, seed + 1, degree=6) if graph is None else []
        cases = [(g, self._arguments_for(g, arguments)) for g in graphs + more]
        for device in devices:
            _device.check(device)
            if device.partition(":")[0] not in ("cpu", "emulator"):
                raise InputError(f"devices has {device!r}; laws are checked on 'cpu' and 'emulator'")
        libraries = {device: self._library(device) for device in devices}
        sources = {"gaspipe.cpp": _orders.source(d), _program.header_name(d): self._header}
        described = [
            ((g.num_vertices, g.indptr, g.indices, g.weights), self._for_cpp(resolved)) for g, resolved in cases
        ]
        job = _laws.Job(
            d.name,
            d.prop,
            _compile.library(d.name, sources, self._quoted),
            libraries,
            described[: len(graphs)],
            described[len(graphs) :],
            num_cases,
            seed,
        )
        if timeout is None:
            found, answers = _laws.check(job)
        else:
            found, answers = _isolated.call(f"{self.name}.check()", "_laws:check", job, timeout)
        if self._oracle is not None:
            for i, ((g, resolved), values) in enumerate(zip(cases, answers)):
                expected = self._oracle.answer(g, resolved)
                comparison = self._oracle.compare(values, expected, d.prop, resolved.get("tol", 0.0))
                _laws.compare_with_oracle(job, i, comparison)
        return found

    def _arguments_for(self, graph: Graph, given: dict[str, Any]) -> dict[str, Any]:
        """Return what a run has whose other arguments are the defaults."""
        defaults = {p["name"]: p["default"] for p in self.description["parameters"]}
        for key in given:
            if key not in defaults:
                raise InputError(f"{self.name} has no parameter {key!r}; it has {', '.join(defaults)}")
        return self._resolved(graph, {**defaults, **given})

    def _program_for(self, device: str, also_cpu: bool = False) -> _core.Program:
        """Return what runs on a device, and on request on the CPU as well."""
        places = _PLACES[device.partition(":")[0]]
        if also_cpu and places != _PLACES["cpu"]:
            places = f"{_PLACES['cpu']}, {places}"
        if places not in self._programs:
            self._programs[places] = _core.load_program(self._library(device, places), self.name)
        return self._programs[places]

    def _library(self, device: str, places: str = "") -> str:
        """Path of the library for a device, compiled if need be."""
        d, kind = self.definition, device.partition(":")[0]
        if kind != "cpu":
            self._check_hardware(device)
        source = _program.source(d, places or _PLACES[kind])
        return _compile.library(d.name, {"gaspipe.cpp": source, _program.header_name(d): self._header}, self._quoted)

    @functools.cached_property
    def _faults(self) -> list[str]:
        """What of the hooks cannot become hardware."""
        hooks = {self.definition.file_name} | {f"{self.name}.{key}" for key in _program.KEYWORDS}
        return [f for name, text in self._quoted.items() if name in hooks for f in _lint.lint(text, name)]

    def _check_hardware(self, device: str) -> None:
        """Refuse hooks that cannot become hardware, which the emulator is to predict."""
        faults = self._faults
        if faults:
            more = f"\n({len(faults) - 5} more)" if len(faults) > 5 else ""
            raise InputError(
                f"{self.name} cannot run with device={device!r}, which takes what can be hardware; device='cpu' can:\n"
                + "\n".join(faults[:5])
                + more
            )

    def _call(
        self,
        name: str,
        field: str,
        graph: Any,
        arguments: dict[str, Any],
        **how: Any,
    ) -> AnyResult:
        device = how.pop("device")
        _device.check(device, how["xclbin"])
        if device.startswith("fpga"):
            self._check_hardware(device)
        elif device == "auto" and self._faults:
            device, how["xclbin"] = "cpu", None
        graph = as_graph(graph, False)
        passed = self._passed(graph, arguments)
        if self._timeout is not None:
            # What would hang a card hangs the CPU as well.
            tried = device if device.startswith("emulator") else "cpu"
            if tried not in self._tried:
                self._try(graph, passed, tried, how)
        own = _call.Own(self.kernels, self._program_for, self._at_limit(graph, arguments))
        try:
            result = _call.call(
                name, field, graph, passed, answer=AnyResult, own=own, device=device, number=self.definition.prop, **how
            )
        except RuntimeError as error:
            if str(error) != "Caught an unknown exception!":  # pybind11 of what is no std::exception
                raise
            raise _isolated.CrashError(f"a hook of {name} threw an exception") from None
        self._check_scale(result)
        return result

    def _check_scale(self, result: Result) -> None:
        scale = self.definition.scale
        if scale is not None and result.stats.scale_bits != scale:
            raise _core.CapacityError(
                f"{self.name}: a value left the fixed-point format of scale {scale}; scale "
                f"{result.stats.scale_bits} or 'auto' would hold it"
            )

    def _try(self, graph: Graph, passed: dict[str, Any], device: str, how: dict[str, Any]) -> None:
        """Make the first run on a device in a process of its own."""
        assert self._timeout is not None
        csr = graph.num_vertices, graph.indptr, graph.indices, graph.weights
        number, library = self.definition.prop, self._library(device)
        attempt = library, self.name, csr, passed, device, how["execution"], number, how["method"]
        _isolated.call(f"{self.name} with device={device!r}", "_laws:attempt", attempt, self._timeout)
        self._tried.add(device)

    def _at_limit(self, graph: Graph, arguments: dict[str, Any]) -> str:
        """What to say of a run that reaches the limit; nothing where that is the caller's, or the author's."""
        if arguments["max_iter"] is not None:
            return ""
        return (
            f", the default limit for {graph.num_vertices:,} vertices; applyFunc may never come to rest: end the run "
            'with until=("steps", n), or give max_iter= where it does need more'
        )

    def _passed(self, graph: Graph, arguments: dict[str, Any]) -> dict[str, Any]:
        """Check arguments, and make those that C++ receives."""
        return self._for_cpp(self._resolved(graph, arguments))

    def _for_cpp(self, resolved: dict[str, Any]) -> dict[str, Any]:
        return {k: v for k, v in resolved.items() if k not in self._python}

    def _resolved(self, graph: Graph, arguments: dict[str, Any]) -> dict[str, Any]:
        """Check arguments, and make those that a run has: arrays where C++ receives some, a number for `max_iter`."""
        name, arguments = self.name, _vertices.resolve(self.description["parameters"], graph, arguments)
        for key, value in arguments.items():
            if value is Required and key not in self._vectors:
                raise InputError(f"{name} needs {key}=")
        values = {k: v for k, v in arguments.items() if k not in self._vectors}
        for key, origin in self._vectors.items():
            given = arguments.get(key)
            if given is None or given is Required:
                given = self._evaluate(origin, graph, values, key) if callable(origin) else origin
            if given is None:
                raise InputError(f"{name} needs {key}=, an array with one number per vertex")
            arguments[key] = self._array(key, given, graph)
        if arguments["max_iter"] is None:
            arguments["max_iter"] = min(4 * graph.num_vertices + 10_000, _MOST_STEPS)
        return arguments

    def _evaluate(self, function: Callable[..., Any], graph: Graph, values: dict[str, Any], what: str) -> Any:
        wanted = _callables.names_of(function)
        for p in self.description["parameters"]:
            value: Any = values.get(p["name"])
            is_vertex = p["kind"] == "vertex" and p["name"] in wanted and isinstance(value, (int, np.integer))
            if is_vertex and not 0 <= value < graph.num_vertices:
                raise InputError(
                    f"{p['name']} is {value}; the graph's {graph.num_vertices} vertices allow 0 to "
                    f"{graph.num_vertices - 1}"
                )
        found = function(graph, **{k: v for k, v in values.items() if k in wanted})
        if found is None:
            raise InputError(f"{what} of {self.name} returned None; an array with one number per vertex is needed")
        return found

    def _array(self, key: str, value: Any, graph: Graph) -> NDArray[Any]:
        """Return an array of the type in which C++ receives it: every number must be one of that type."""
        n = graph.num_vertices
        if isinstance(value, Mapping):
            value = _vertices.by_vertex(f"{key} of {self.name}", value, graph, missing=None)
        try:
            found = np.asarray(value)
        except (TypeError, ValueError) as error:
            raise InputError(f"{key} of {self.name} cannot be read as an array: {error}") from None
        if found.dtype.kind not in "biuf":
            raise InputError(f"{key} of {self.name} has dtype {found.dtype}; real numbers are needed")
        if found.ndim == 0:
            found = np.full(n, found)
        if found.shape != (n,):
            raise InputError(f"{key} of {self.name} has shape {found.shape}; the graph's {n} vertices need ({n},)")
        wanted = np.dtype("float64" if self.definition.is_fixed else self.definition.prop)
        if self.definition.is_fixed:
            bad = ~((found >= 0) & np.isfinite(found))
        elif wanted.kind == "f":
            return np.ascontiguousarray(found, wanted)
        elif found.dtype.kind == "f":
            info = np.iinfo(wanted)
            # 2**63 is a double, 2**63 - 1 is not: compare with what lies past the end.
            bad = ~((found >= float(info.min)) & (found < float(info.max) + 1.0) & (found == np.trunc(found)))
        else:
            info = np.iinfo(wanted)
            bad = np.zeros(n, bool)
            if found.dtype.kind == "i" and np.iinfo(found.dtype).min < info.min:
                bad |= found < info.min
            if found.dtype.kind != "b" and np.iinfo(found.dtype).max > info.max:
                bad |= found > info.max
        if bad.any():
            v = int(np.flatnonzero(bad)[0])
            what = "fixed point, which needs finite numbers >= 0" if self.definition.is_fixed else str(wanted)
            hint = '; prop="float64" holds it' if wanted.kind != "f" and found[v] != np.trunc(found[v]) else ""
            raise InputError(f"{key}[{v}] of {self.name} is {found[v]}, which is no {what}{hint}")
        return np.ascontiguousarray(found, wanted)

    def _add_parameters(
        self, d: Definition, declared: Mapping[str, float | Parameter], initial: Values, inputs: Any
    ) -> None:
        callables = [f for f in [initial, *(inputs or {}).values()] if callable(f)]
        found: dict[str, Any] = {}
        for function in callables:
            for name, default in _callables.parameters_of(function).items():
                if name not in (inputs or {}):
                    found.setdefault(name, default)
        for name, default in {**found, **declared}.items():
            _function.check_argument(name, "parameter", {d.name, *(inputs or {})})
            given = default if isinstance(default, Parameter) else Parameter(default)
            kind = _kind(name, given)
            if kind is None:
                if name in declared:
                    raise InputError(f"parameter {name} has the default {given.default!r}; a number is needed")
                self._python[name] = default
                continue
            integral = kind == "integer"
            low = (-(2.0**31) if integral else -_program.HIGHEST) if given.low is None else float(given.low)
            high = (2.0**31 - 1 if integral else _program.HIGHEST) if given.high is None else float(given.high)
            if d.is_fixed and kind == "real":
                low, high = max(low, 0.0), min(high, 1.0)
            if not low <= high:
                raise InputError(f"parameter {name} has low={low} and high={high}; nothing lies between")
            if kind != "flag" and not low <= given.default <= high:
                allowed = f"{int(low)} to {int(high)}" if integral else f"{low} to {high}"
                raise InputError(f"parameter {name} has the default {given.default}; allowed are {allowed}")
            d.scalars.append(Scalar(name, kind, low, high))
            self._defaults[name] = {"flag": bool, "real": float}.get(kind, int)(given.default)  # not NumPy's own
            self._docs[name] = given.doc

    def _add_inputs(self, d: Definition, inputs: Mapping[str, Values] | None, initial: Values) -> None:
        if isinstance(initial, str):
            d.initial = _expression(initial, "initial")
        elif initial is None:
            raise InputError("initial is None; an array, a number, a callable or a C++ expression is needed")
        else:
            self._vectors["initial"] = initial
        if inputs is None:
            apply = d.bodies.get("applyFunc")
            used = d.takes("applyFunc", 2) if apply is None else re.search(r"\bdegree\b", apply) is not None
            if used and not d.outline.has_struct:
                d.inputs.append(Input("degree", _program.OUT_DEGREE))
            return
        for name, value in inputs.items():
            _function.check_argument(name, "input", {d.name})
            if isinstance(value, str):
                d.inputs.append(Input(name, _expression(value, name)))
            else:
                d.inputs.append(Input(name, None))
                self._vectors[name] = value

    def _add_arg(self, d: Definition, arg: str | None, initial: Values) -> None:
        d.arg = _expression(arg, "arg")
        apply = d.outline.functions.get("applyFunc")
        if d.arg is not None or apply is None or apply.parameters[4].type == "Arg" or not apply.parameters[4].is_used:
            return
        text = " ".join(given.expression or "" for given in d.inputs) + " " + (d.initial or "")
        taken = set(re.findall(r"\w+", text))
        for function in [initial, *self._vectors.values()]:
            if callable(function):
                taken |= set(_callables.names_of(function))
        left = [s.name for s in d.scalars if s.name not in taken]
        if len(left) == 1:
            d.arg = left[0]
        elif left:
            raise InputError(
                f"{d.file_name}:{apply.line}: which parameter is arg? Say arg={left[0]!r}, an expression of "
                f"{', '.join(left)}, or take all in a struct: Arg {apply.parameters[4].name}"
            )

    def _describe(self, doc: str) -> dict[str, Any]:
        """Return what `_core.algorithms()` says of a built-in one."""
        d = self.definition
        summary, _, details = " ".join(doc.split()).partition(". ")
        summary = (summary.rstrip(".") or f"The algorithm {d.name}, of the user's own hooks") + "."
        plain = {"low": -_program.HIGHEST, "high": _program.HIGHEST, "open_low": False, "open_high": False}
        parameters: list[dict[str, Any]] = []
        for s in d.scalars:
            parameters.append(
                {
                    **plain,
                    "name": s.name,
                    "doc": self._docs[s.name] or ("Start vertex." if s.kind == "vertex" else "Parameter."),
                    "kind": s.kind,
                    "default": self._defaults[s.name],
                    "low": s.low,
                    "high": s.high,
                }
            )
        for name, default in self._python.items():
            parameters.append({**plain, "name": name, "doc": "Parameter.", "kind": "any", "default": default})
        for name, origin in self._vectors.items():
            if not callable(origin):
                text = "Property at the start." if name == "initial" else "Input of every vertex."
                default = Required if origin is None else None
                parameters.append({**plain, "name": name, "doc": text, "kind": "values", "default": default})
        if "tol" in self._limits:
            text = "Total change of the properties (L1) at which to stop."
            parameters.append(
                {**plain, "name": "tol", "doc": text, "kind": "real", "default": self._limits["tol"], "low": 0.0}
            )
        limit = self._limits.get("max_iter")
        text = "Most super-steps" + ("; by default 4 * num_vertices + 10,000." if limit is None else ".")
        steps = {"low": 1.0, "high": float(_MOST_STEPS), "kind": "integer", "default": limit}
        parameters.append({**plain, "name": "max_iter", "doc": text, **steps})
        instance = {
            "number": d.prop,
            "value_type": d.value_type,
            "property_type": "uint32" if d.is_fixed else d.prop,
            "edge_type": (d.edge_prop or ("uint32" if d.is_fixed else d.prop)) if d.reads_weights else "none",
            "transition_probabilities": False,
            "fixed_point": d.is_fixed,
            "num_aux": len(d.inputs),
        }
        return {
            "name": d.name,
            "summary": summary,
            "details": details,
            "field": self.field,
            "field_doc": "the property at the end" if d.finish is None else "the answer",
            "reference": "",
            "view": d.view,
            "rectangular": False,
            "parameters": parameters,
            "instances": [instance],
        }


def _check_hooks(name: str, file_name: str, outline: _snippet.Outline, bodies: dict[str, str]) -> None:
    if outline.has_struct and bodies:
        raise InputError(f"{name} has struct Hooks and hooks by name; give one of them")
    short = {hook: key for key, hook in _program.KEYWORDS.items()}
    for hook in bodies:
        if hook in outline.functions:
            line = outline.functions[hook].line
            raise InputError(f"{short[hook]}= and {file_name}:{line} both define {hook}; give one of them")
    if "gatherFunc" not in outline.functions and "gatherFunc" not in bodies:
        found = [f.spelled for f in outline.functions.values()] + [short[hook] + "=" for hook in bodies]
        raise InputError(
            f"{name} has no gatherFunc(accumulated, arriving), which merges two updates to one vertex; "
            f"found {', '.join(found) or 'no hooks'}"
        )


def _number(dtype: Any, what: str) -> str:
    """Name of a number format, as in NUMBERS."""
    if isinstance(dtype, Fixed):
        return "fixed"
    allowed = [n for n in _kernels.NUMBERS if n != "fixed"]
    try:
        name = str(np.dtype(dtype).name)
    except TypeError:
        name = ""
    if dtype is None or name not in allowed:
        raise InputError(f"{what} is {dtype!r}; allowed are {', '.join(allowed)}{', gp.fixed()' * (what == 'prop')}")
    return name


def _expression(value: Any, what: str) -> str | None:
    if value is None:
        return None
    if isinstance(value, str):
        if not value.strip() or ";" in _snippet.plain(value):
            raise InputError(f"{what} is {value!r}; a C++ expression is needed, without ';'")
        _snippet.check_brackets(value, what)
        return value
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise InputError(f"{what} is {value!r}; a number or a C++ expression is needed")
    if isinstance(value, (int, np.integer)):
        number = int(value)
        if number == -(2**63):
            return "(-9223372036854775807 - 1)"
        return f"{number}u" if number >= 2**31 else str(number)
    real = float(value)
    return {"inf": "__builtin_huge_val()", "-inf": "-__builtin_huge_val()", "nan": '__builtin_nan("")'}.get(
        str(real), repr(real)
    )


def _until(until: Any) -> tuple[str, dict[str, float]]:
    if isinstance(until, str) and until in _UNTIL:
        return until, {}
    if isinstance(until, tuple) and len(until) == 2:
        kind, value = until
        number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
        if kind == "steps" and number and 1 <= value <= _MOST_STEPS and value == int(value):
            return "steps", {"max_iter": int(value)}
        if kind == "tol" and number and 0 <= value < float("inf"):
            return "tol", {"tol": float(value), "max_iter": 100}
    raise InputError(
        f"until is {until!r}; allowed are 'no_active', 'no_change', ('steps', n) with n >= 1 and ('tol', x) with x >= 0"
    )


def _kind(name: str, given: Parameter) -> str | None:
    if isinstance(given.default, (bool, np.bool_)):
        return "flag"
    if isinstance(given.default, (int, np.integer)):
        return "vertex" if given.vertex or name == "root" else "integer"
    return "real" if isinstance(given.default, (float, np.floating)) else None


registered: dict[str, Algorithm] = {}


def register(algorithm: Algorithm, *, replace: bool = False) -> Callable[..., AnyResult]:
    """Make an algorithm `gp.<name>`, and a command of `gaspipe` in this process.

    A command line of its own finds it as `gaspipe file.py::<name>`.

    Parameters
    ----------
    algorithm : Algorithm
        The algorithm.
    replace : bool
        Whether it may take the place of one registered before under the same name.

    Returns
    -------
    callable
        The function that is now `gp.<name>`; type checkers find it under the name that it is given here.

    Raises
    ------
    InputError
        If the name is taken, by a built-in algorithm, by another part of gaspipe, or by one registered before.

    """
    if not isinstance(algorithm, Algorithm):
        raise InputError(f"register() takes a gp.Algorithm, found {type(algorithm).__name__}")
    package = sys.modules[__package__]
    name = algorithm.name
    if name in registered:
        if registered[name] is not algorithm and not replace:
            raise InputError(f"gp.{name} is registered already; use replace=True, or another name")
        unregister(name)
    elif is_taken(name):
        raise InputError(f"gp.{name} is a part of gaspipe; choose another name")
    registered[name] = algorithm
    _xclbin.registered[name] = algorithm.kernels
    setattr(package, name, algorithm.function)
    package.algorithms = (*package.algorithms, name)  # type: ignore[attr-defined]
    return algorithm.function


def is_taken(name: str) -> bool:
    """Whether gp.<name> is something already, or a module that is not imported yet."""
    module = None if "." in name else importlib.util.find_spec(f"{__package__}.{name}")
    return hasattr(sys.modules[__package__], name) or (module is not None and module.origin is not None)


def unregister(name: str) -> None:
    """Take back what :func:`register` did.

    Raises
    ------
    InputError
        If no algorithm of this name is registered.

    """
    if name not in registered:
        raise InputError(f"no algorithm {name!r} is registered; there is {', '.join(registered) or 'none'}")
    del registered[name], _xclbin.registered[name]
    package = sys.modules[__package__]
    delattr(package, name)
    package.algorithms = tuple(n for n in package.algorithms if n != name)  # type: ignore[attr-defined]
