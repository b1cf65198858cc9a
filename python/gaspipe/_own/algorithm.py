# SPDX-License-Identifier: Apache-2.0
"""gp.Algorithm: a custom algorithm, its hooks in C++."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from typing import Any, Callable

from .. import _executors, _paths
from .._card import build as _build
from .._core import InputError
from .._executors import CARD, CPU
from .._flags import flag
from .._laws import Check
from .._result import AnyResult, Result
from .._verify import Comparison
from ..graph import Graph
from . import check, circuits, names, validate
from .arguments import Arguments
from .cpp import KEYWORDS
from .define import make_definition, make_question
from .describe import describe
from .function import make
from .libraries import Libraries
from .oracle import Oracle
from .parameter import Parameter
from .parse import read_snippet, read_until
from .question import Values
from .run import Runner


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
        improve needs num_vertices at most. With `max_iter=None` a run may go on for ever.
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
        As `hls/program.h` says of kIdempotent and kFinalOnceSet: the CPU sends what changed, and emulators can search.
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
        names.check_algorithm_name(name)
        hooks = (preprocess, scatter, raw_merge, gather, merge, apply, active, is_source, priority)
        snippet = read_snippet(name, source, dict(zip(KEYWORDS, hooks)))
        rule, limits = read_until(until)
        asked = {"idempotent": idempotent, "final_once_set": final_once_set, "components": components}
        traits = {key: flag(key, value) for key, value in asked.items()}
        validate.check_hooks(name, snippet)
        validate.check_types(parameters, inputs, doc, timeout)
        types = prop, edge_prop, dtype
        d = make_definition(
            name, snippet, types, identity=identity, finish=finish, view=view, until=rule, traits=traits
        )
        question = make_question(d, limits, parameters, inputs, initial, arg)
        validate.check_real_numbers(d)
        names.check_field(field)
        self.name = name
        self.field = field
        self.definition = d
        self._libraries = Libraries(d, snippet.text)
        self.description = describe(d, question, field, doc, self._libraries.kernel_header)
        """What the function, the command line and builds of kernels are made of."""
        self._oracle = None if oracle is None else Oracle(name, oracle, list(self.description.defaults))
        self._arguments = Arguments(d, question, self.description.parameters)
        self._runner = Runner(d, self.description, self._arguments, self._libraries, timeout)
        self.function: Callable[..., AnyResult] = make(self.description, self._runner.call)
        """The algorithm as a function, with signature and docstring; what :func:`register` makes `gp.<name>`."""
        self.__doc__ = self.function.__doc__
        self.__signature__ = inspect.signature(self.function)
        self.__name__ = name

    @property
    def __call__(self) -> Callable[..., AnyResult]:  # no frame of its own: warnings name the caller's line
        return self.function

    def __repr__(self) -> str:
        parts = ", ".join(f"{key}={default!r}" for key, default in self.description.defaults.items())
        return f"Algorithm({self.name!r}: {self.definition.prop} per vertex{', ' + parts if parts else ''})"

    @property
    def header(self) -> str:
        """Text of the program's C++ header, as engines and kernels include it."""
        return self._libraries.header

    def compile(self, device: str = "cpu") -> None:
        """Compile for a device now, not in the first call.

        Raises
        ------
        CompileError
            If the C++ does not compile, or there is no compiler.

        """
        _executors.check(device)
        self._libraries.program(CPU if _executors.executor_of(device) is None else device)

    @property
    def has_oracle(self) -> bool:
        """Whether there is a plain answer to compare with."""
        return self._oracle is not None

    @property
    def oracle(self) -> Oracle:
        """The plain answer to compare with; InputError if there is none."""
        if self._oracle is None:
            raise InputError(
                f"{self.name} has nothing to be compared with; give gp.Algorithm(..., oracle=f), where "
                "f(graph, **parameters) returns the expected values"
            )
        return self._oracle

    def verify(self, result: Result, graph: Graph, arguments: dict[str, Any]) -> Comparison:
        """Compare the answer of a run, with all its arguments by name, with that of the oracle."""
        resolved = self._arguments.resolved(graph, arguments)
        expected = self.oracle.answer(graph, resolved)
        return self.oracle.compare(result.values, expected, result.stats.number, resolved.get("tol", 0.0))

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
        format and kernels are the same; values of parameters, `initial`, `inputs` and `finish` may change. A hook that
        is too slow for the clock is a RuntimeWarning, where the tools that measure it are (Debian: clang-16 yosys).

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
        circuits.warn(self._libraries, plan.board, plan.clock_mhz)
        return path

    def plan(self, board: str, **options: Any) -> _build.Plan:
        """What :meth:`build` writes, decided and checked; `options` are its own."""
        self._libraries.check_hardware(CARD)
        return _build.plan(_paths.get_include(), self.description, board, **validate.build_options(options))

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
    ) -> Check:
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
        return check.check(
            self._libraries,
            self._arguments,
            self._oracle,
            graph,
            arguments,
            devices=devices,
            num_graphs=num_graphs,
            num_cases=num_cases,
            seed=seed,
            timeout=timeout,
        )
