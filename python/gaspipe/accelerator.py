# SPDX-License-Identifier: Apache-2.0
"""A device driven super-step by super-step: the L3 calls of host programs."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, TypeVar

from numpy.typing import NDArray

from . import _core, _description, _device, _executors, _options, _registered, _vertices
from ._core import InputError
from ._description import Description
from ._executors import AUTO, CPU, EXECUTORS
from ._profile import Profile
from ._render import options as _rendered
from ._result import AnyResult, Stats
from .graph import Graph, as_graph

__all__ = ["Accelerator", "Profile"]

if TYPE_CHECKING:
    from ._own import Algorithm

_T = TypeVar("_T")


class Accelerator:
    """A device with a program and a graph on it, driven super-step by super-step.

    The calls have the names that host programs of such pipelines know [1]_; `gp.bfs(...)` and its like do the same in
    one call. An accelerator is for one thread; any number of them may exist. It can be used in a `with` statement.

    Parameters
    ----------
    algorithm : str or Algorithm
        Name of an algorithm, one of `gp.algorithms`; or one of your own.
    {options}

    `device` is "auto" unless given: a card if there is one that can run the algorithm, else the CPU, without a warning;
    `stats.device` says which. A device that is named is never replaced. `registerScheduler` takes a scheduler of your
    own, for which the CPU has no use.

    Examples
    --------
    >>> with gp.Accelerator("bfs", device="emulator:u250") as accelerator:
    ...     accelerator.acceleratorDataLoad(graph)
    ...     accelerator.acceleratorDataPreprocess(root=0)
    ...     profile = accelerator.acceleratorProfile(verify=True)
    ...     depth = accelerator.result().depth

    References
    ----------
    .. [1] X. Chen et al., "ThunderGP", FPGA 2021, doi:10.1145/3431920.3439290.

    """

    def __init__(
        self,
        algorithm: str | Algorithm,
        **options: Any,
    ) -> None:
        known = [option.name for option in _options.TABLE if option.of_accelerator]
        for name in options:
            if name not in known:
                raise TypeError(f"Accelerator() has no option {name!r}; it has {', '.join(known)}")
        self._own, self._description = _find(algorithm)
        self._options = _options.read(**{"device": AUTO, **options}, fallback=False)
        device, number, scheduler = self._options.device, self._options.number, self._options.scheduler
        if self._own is not None and number not in (_options.DEFAULTS["number"], self._own.definition.prop):
            raise InputError(f"number is {number!r}; {self._own.name} computes in {self._own.definition.prop}")
        if scheduler not in _core.schedulers():
            raise InputError(f"scheduler is {scheduler!r}; known are {', '.join(_core.schedulers())}")
        if scheduler != _options.DEFAULTS["scheduler"]:
            _check_order(device)
        self._own_scheduler: Any = None
        self._graph: Graph | None = None
        self._core: _core.Accelerator | None = None
        self._place: _device.Place | None = None

    @classmethod
    def acceleratorInit(cls, algorithm: str | Algorithm, **options: Any) -> Accelerator:
        """Make an accelerator; the same as `gp.Accelerator(algorithm, ...)`."""
        return cls(algorithm, **options)

    def acceleratorDataLoad(self, graph: Any) -> Graph:
        """Take a graph, or anything a Graph is made of; what was loaded before is forgotten. Returns the Graph."""
        self._leave()
        self._graph = as_graph(graph, self._description.rectangular)
        return self._graph

    def acceleratorDataPreprocess(self, **arguments: Any) -> _core.Partitioning:
        """Partition the graph for the device, and set the vertices to what the first super-step starts from.

        On a card this opens it and loads the xclbin; edges follow with the first super-step. May be called again, with
        another question.

        Parameters
        ----------
        **arguments
            The question, as the algorithm's function takes it, e.g. `root=0`.

        Returns
        -------
        Partitioning
            What each compute unit is given.

        Raises
        ------
        InputError
            Without a graph, or for an argument out of range.
        DeviceError
            If the card cannot be used; the message names what is missing.
        CapacityError
            If the graph does not fit the device.

        """
        if self._graph is None:
            raise InputError("there is no graph; call acceleratorDataLoad first")
        graph = self._graph
        self._leave()
        self._graph = graph
        options = self._options
        algorithm: str | Description = self._description.name
        if self._own is not None:
            arguments = self._own._arguments.of_run(graph, arguments)
            if _executors.is_card(options.device):
                self._own._libraries.check_hardware(options.device)
            algorithm, options = self._own.description, options.replace(number=self._own.definition.prop)
        else:
            arguments = _vertices.resolve(self._description.parameters, graph, arguments)
        place = _device.choose(options, algorithm, graph, arguments)
        core: _core.Accelerator | None = None
        try:
            program: str | _core.Program = self._description.name
            if self._own is not None:  # a profile may compare with the CPU
                program = self._own._libraries.program(place.options.device, True)
            order = None if place.options.device == CPU else self._own_scheduler
            core = _core.Accelerator(
                program,
                place.options.replace(own_scheduler=order),
                **place.card(),
            )
            core.load(graph._core)
            core.preprocess(arguments)
            partitioning = core.partitioning()
        except BaseException as error:
            core = None
            place.__exit__(type(error), error, None)
            raise
        self._core, self._place = core, place
        return partitioning

    def acceleratorSuperStep(self) -> bool:
        """Run all partitions once; False once the answer is there."""
        return self._run(lambda core: core.superstep())

    def acceleratorProfile(self, verify: bool = False) -> Profile:
        """Run all super-steps that are left, and tell where the time went.

        Parameters
        ----------
        verify : bool
            Hold every vertex's property against the CPU's method "gas" after every super-step: equal to the bit, or in
            floating point up to rounding (float64: 1e-9, float32: 1e-4, relative). Only for a run from its first
            super-step on.

        Raises
        ------
        DeviceError
            A super-step differs; names it, the first vertex and both values.
        InputError
            The run is done already, or `verify` comes too late.

        """
        steps, kernels, stats = self._run(lambda core: core.profile(verify))
        return Profile(steps, kernels, Stats(stats), self._description.name)

    def acceleratorQueryProperty(self) -> NDArray[Any]:
        """Every vertex's property as of the last super-step, in the number format of the run. Read-only."""
        return self._run(lambda core: core.properties())

    def result(self) -> AnyResult:
        """Return the answer; an InputError before the last super-step."""
        values, stats = self._run(lambda core: core.result())
        assert self._graph is not None
        answer = AnyResult
        if self._own is None:
            from . import _algorithms

            answer = _algorithms.results[self._description.name]
        d = self._description
        fields = d.answers if self._own is None else ()
        kind = self._graph._vertex_type
        found = answer(d.name, d.field, values, Stats(stats), self._graph.labels, fields=fields, vertex_type=kind)
        if self._own is not None:
            self._own._runner.check_scale(found)
        return found

    @property
    def stats(self) -> Stats:
        """How the run went so far."""
        return Stats(self._ready().stats())

    def acceleratorDeinit(self) -> None:
        """Give everything back: graph, buffers, the card. The accelerator can be loaded again."""
        self._leave()

    def registerScheduler(
        self,
        init: Callable[[_core.Partitioning], object],
        arrange_sub_partitions: Callable[[_core.Partition], Iterable[int]],
        arrange_partitions: Callable[[_core.Partitioning], Iterable[int]],
    ) -> None:
        """Schedule with functions of your own, from the next acceleratorDataPreprocess on.

        A scheduler changes when things happen, never what comes out (in floating point up to the order in which
        compute units are merged).

        Parameters
        ----------
        init : callable
            Called first, with the Partitioning.
        arrange_sub_partitions : callable
            Called with every Partition in turn: the compute unit of each of its sub-partitions, each unit once.
        arrange_partitions : callable
            Called last, with the Partitioning: the ids of the partitions in the order of their runs, each once.

        Raises
        ------
        InputError
            If one of them cannot be called, or device is "cpu", which has no kernels to order.

        """
        _check_order(self._options.device)
        for part in (init, arrange_sub_partitions, arrange_partitions):
            if not callable(part):
                raise InputError(f"a scheduler has three functions, found {part!r}")
        self._own_scheduler = (init, arrange_sub_partitions, arrange_partitions)

    def getPartition(self, id: int) -> _core.Partition:
        """Partition by id; InputError when there is none."""
        return self._ready().partitioning().get_partition(id)

    def getSubPartition(self, partition: int, id: int) -> _core.SubPartition:
        """Sub-partition by partition and id; InputError when there is none."""
        return self.getPartition(partition).get_sub_partition(id)

    def kernelInit(self) -> list[dict[str, Any]]:
        """Compute units of the device: `kernel`, `instance`, `unit` (None: apply). DeviceError where it has none."""
        return self._ready().kernels()

    def getGatherScatter(self, unit: int = 0) -> dict[str, Any]:
        """Describe the gather-scatter kernel of a compute unit; InputError when there is none."""
        kernels = self.kernelInit()
        for kernel in kernels:
            if kernel["unit"] == unit and unit is not None:
                return kernel
        raise InputError(f"there is no compute unit {unit}; there are 0 to {len(kernels) - 2}")

    def getApply(self) -> dict[str, Any]:
        """Describe the apply kernel."""
        return self.kernelInit()[-1]

    def setGsKernel(self, partition: int, unit: int = 0) -> dict[str, int]:
        """Arguments that a compute unit is started with for a partition: bytes of buffers, values of scalars."""
        return self._ready().gather_scatter_arguments(partition, unit)

    def setApplyKernel(self, partition: int) -> dict[str, int]:
        """Arguments of the apply kernel for a partition, but for `arg`, which is another in every super-step."""
        return self._ready().apply_arguments(partition)

    def __enter__(self) -> Accelerator:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave(kind, error, trace)

    def __del__(self) -> None:
        if getattr(self, "_place", None) is not None:
            self._leave()

    def __repr__(self) -> str:
        state = "no graph" if self._graph is None else "not prepared" if self._core is None else "prepared"
        return f"Accelerator({self._description.name!r}, device={self._options.device!r}: {state})"

    def _ready(self) -> _core.Accelerator:
        if self._core is None:
            raise InputError("nothing is prepared; call acceleratorDataLoad, then acceleratorDataPreprocess")
        return self._core

    def _run(self, call: Callable[[_core.Accelerator], _T]) -> _T:
        """Call, and after a failure leave the device, which is no longer in a known state."""
        core = self._ready()
        try:
            return call(core)
        except InputError:
            raise
        except BaseException as error:
            graph = self._graph
            del core, call
            self._leave(type(error), error, None)
            self._graph = graph
            raise

    def _leave(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        core, place = self._core, self._place
        self._core = self._place = self._graph = None
        if core is not None:
            core.close()  # its session goes before the card may be left
        del core
        if place is not None:
            place.__exit__(kind, error, trace)


def _check_order(device: str) -> None:
    """InputError where a scheduler has nothing to order."""
    executor = _executors.executor_of(device)
    if executor is not None and not executor.has_kernels:
        others = " or ".join(repr(e.name) for e in EXECUTORS.values() if e.has_kernels)
        raise InputError(
            f"a scheduler orders the kernels of an emulator or a card, and device is {device!r}; "
            f"use device={others}, or no scheduler"
        )


# The class has the options of the core's table, its default of one apart.
_taken = [option for option in _options.TABLE if option.of_accelerator]
_first = inspect.Parameter("algorithm", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="str | Algorithm")
Accelerator.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [_first, *(p.replace(default=AUTO) if p.name == "device" else p for p in _options.keywords(_taken))]
)
if Accelerator.__doc__:
    Accelerator.__doc__ = Accelerator.__doc__.replace("    {options}", _rendered.listed(_taken, "    "))


def _find(algorithm: str | Algorithm) -> tuple[Algorithm | None, Description]:
    """Return a user's algorithm, and the description of any."""
    known = _description.algorithms()
    if isinstance(algorithm, str):
        if algorithm in known:
            return None, known[algorithm]
        registered = _registered.algorithms
        if algorithm in registered:
            return registered[algorithm], registered[algorithm].description
        raise InputError(f"algorithm is {algorithm!r}; known are {', '.join([*known, *registered])}")
    from ._own import Algorithm

    if not isinstance(algorithm, Algorithm):
        raise InputError(f"algorithm is of type {type(algorithm).__name__}; a name or a gp.Algorithm is needed")
    return algorithm, algorithm.description
