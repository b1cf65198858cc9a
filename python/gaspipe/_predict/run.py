# SPDX-License-Identifier: Apache-2.0
"""`gp.predict`: what an algorithm would take on a board."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any, Callable

from .. import _call, _core, _description, _registered
from .._core import InputError
from .._executors import PREDICTING
from .._result import AnyResult, Result
from .board import Board, resolve

if TYPE_CHECKING:
    from .._description import Description
    from .._own import Algorithm
    from ..graph import GraphLike
    from .board import BoardLike

_ASSUMPTIONS = {"uram_latency": 4, "decoder_interval": 2}  # with their largest values


def predict(
    algorithm: str | Callable[..., Result] | Algorithm,
    graph: GraphLike,
    *,
    board: BoardLike = "u250",
    config: str = "plain",
    clock_mhz: float | None = None,
    sample_edges: int | None = None,
    fifo_depths: Mapping[str, int] | None = None,
    assume: Mapping[str, int] | None = None,
    skip_idle: bool = True,
    number: str = "auto",
    num_threads: int | None = None,
    progress: _call.Progress | bool | None = None,
    **arguments: Any,
) -> AnyResult:
    """Run an algorithm in the emulator and predict what it would take on a board.

    The answer comes from the kernels' own steps, block by block; the time from the same kernels as tasks and streams
    with clocks, beside a model of the board's memory. Nothing is fitted to graphs or algorithms.

    Parameters
    ----------
    algorithm : str, function or Algorithm
        "bfs", gp.bfs, or a gp.Algorithm.
    graph : Graph, or anything Graph() takes
        As for the algorithm itself.
    board : str, path, mapping or Board
        "u250", ...; a JSON file or mapping of another board, or a :class:`Board`.
    config : {"plain", "thundergp", "packed", "regraph", "hbm"}
        The kernels: gaspipe's own, the published pipeline of ThunderGP [1]_, or gaspipe's with packed edges. For boards
        with HBM also designs with pipelines of two kinds, ReGraph's [2]_ and gaspipe's: their time is estimated from
        the graph, not run in the emulator. Of gaspipe's there are kernels: `gp.bfs(g, device="emulator:u280",
        config="hbm")`; it has as many pipelines as the board takes (`prediction.num_units`), ReGraph's 14.
    clock_mhz : float, optional
        Clock of the kernels; by default the board's or, if lower, the one that the slowest recurrence of the kernels
        allows; for "thundergp" the published one of the algorithm.
    sample_edges : int, optional
        About how many edges of each super-step to run through the kernels with clocks, as whole sub-partitions; the
        time of the others is scaled from them. By default all edges are.
    fifo_depths : mapping of str to int, optional
        Depths of streams of the gather-scatter kernels, in tokens, in place of the declared ones; by their names in
        `prediction.streams` without an index. A depth that makes the kernel deadlock is a DeviceError.
    assume : mapping of str to int, optional
        With config "hbm", what no synthesis has confirmed: "uram_latency", the cycles of a read (1 to 4; 3 by default),
        and "decoder_interval", the cycles between two words of 16 edges (1, the default, or 2). The prediction's
        `config` then names them: "hbm-uram-4-decoder-1".
    skip_idle : bool, default True
        Whether kernels pass over edges along which nothing new can be sent ("plain", "packed" and "hbm"), where
        streaming them takes longer than the host between super-steps does (`Board.step_us`).
    number : str
        Number format; "auto" as for the algorithm itself.
    num_threads : int, optional
        Threads to use; the prediction does not depend on it.
    progress : callable or bool, optional
        progress(step, active_vertices, edges), after every super-step; True shows a bar (pip install tqdm).
    **arguments
        The algorithm's own: `root=3`.

    Returns
    -------
    Result
        The answer, and `stats.prediction`, a :class:`Prediction`.

    Raises
    ------
    InputError
        If there is no such algorithm, board, configuration, stream or argument, or a value is out of range.
    CapacityError
        If the kernels do not fit the board, or the graph does not fit its memory.

    References
    ----------
    .. [1] X. Chen et al., "ThunderGP: HLS-based Graph Processing Framework on FPGAs", FPGA 2021,
       doi:10.1145/3431920.3439290.
    .. [2] X. Chen et al., "ReGraph: Scaling Graph Processing on HBM-enabled FPGAs with Heterogeneous Pipelines",
       MICRO 2022, doi:10.1109/MICRO56248.2022.00092.

    Examples
    --------
    >>> gp.predict("bfs", graph, root=3, board="u280").stats.prediction

    """
    name, described = resolve(board)
    if not isinstance(config, str):
        raise InputError(f"config is {config!r}; allowed are {_listed(c['name'] for c in _core.configs())}")
    options = {
        "board": None if described is None else _core.OwnBoard(described),
        "config": config,
        "clock_mhz": _clock(clock_mhz),
        "sample_edges": _count(sample_edges, "sample_edges"),
        "fifo_depths": _depths(fifo_depths),
        **_assumed(config, assume),
    }
    how: dict[str, Any] = {
        "device": f"{PREDICTING}:{name}" if described is None else PREDICTING,
        "xclbin": None,
        "execution": "auto",
        "method": "auto",
        "num_threads": num_threads,
        "partitioning": None,
        "scheduler": "in_order",
        "progress": progress,
        "fallback": False,
        "skip_idle": skip_idle,
        "prediction": options,
    }
    own = own_algorithm(algorithm)
    if own is not None:
        if number not in ("auto", own.definition.prop):
            raise InputError(f"number is {number!r}; {own.name} is one of {own.definition.prop}")
        given = _arguments(own.description, arguments)
        return _known_streams(own._runner.call(own.name, own.field, graph, given, **how), fifo_depths)
    called = algorithm if isinstance(algorithm, str) else getattr(algorithm, "__name__", None)
    found = _description.algorithms()
    if not isinstance(called, str) or called not in found or not (isinstance(algorithm, str) or _is_builtin(algorithm)):
        raise InputError(
            f"algorithm is {algorithm!r}; allowed are {_listed(found)}, functions of gaspipe (gp.bfs) and a "
            "gp.Algorithm"
        )
    from .. import _algorithms

    a = found[called]
    answer: type[AnyResult] = _algorithms.results[called]
    result = _call.call(
        called,
        a.field,
        graph,
        _arguments(a, arguments),
        answer=answer,
        rectangular=a.rectangular,
        number=number,
        **how,
    )
    return _known_streams(result, fifo_depths)


def _known_streams(result: AnyResult, fifo_depths: Mapping[str, int] | None) -> AnyResult:
    """Return the result if the streams given depths are there; which there are is known from the run."""
    if fifo_depths and result.stats.prediction is not None:
        known = dict.fromkeys(str(name).partition("[")[0] for name in result.stats.prediction.streams["name"])
        for name in fifo_depths:
            if known and name not in known:
                config = result.stats.prediction.config
                raise InputError(f"fifo_depths has {name!r}; streams of config {config!r} are {_listed(known)}")
    return result


def configs_for(board: BoardLike) -> list[str]:
    """Return the configurations that a board may have, by its kind of memory."""
    is_hbm = Board(board)["memory"]["kind"] == "hbm"
    return [c["name"] for c in _core.configs() if is_hbm or not c["is_for_hbm"]]


def own_algorithm(algorithm: Any) -> Algorithm | None:
    """Return an algorithm of the user's, also by its function or the name it is registered under."""
    if isinstance(algorithm, str):
        return _registered.algorithms.get(algorithm)
    if isinstance(algorithm, FunctionType):
        return next((a for a in _registered.algorithms.values() if a.function is algorithm), None)
    from .._own import Algorithm

    return algorithm if isinstance(algorithm, Algorithm) else None


def _is_builtin(function: Any) -> bool:
    from .. import _algorithms

    return getattr(_algorithms, getattr(function, "__name__", ""), None) is function


def _arguments(description: Description, given: dict[str, Any]) -> dict[str, Any]:
    """Return all arguments of an algorithm: those given, the others by default."""
    defaults = description.defaults
    for name in given:
        if name not in defaults:
            raise InputError(f"{description.name} has no parameter {name!r}; it has {', '.join(defaults) or 'none'}")
    for p in description.parameters:
        if p.kind == "vector" and p.name not in given:
            raise InputError(f"{description.name} needs {p.name}=")
    return {**defaults, **given}


def _clock(clock_mhz: Any) -> float:
    if clock_mhz is None:
        return 0.0
    try:
        if isinstance(clock_mhz, (bool, str)):
            raise TypeError
        clock = float(clock_mhz)
    except (TypeError, ValueError):
        raise InputError(f"clock_mhz is {clock_mhz!r}; a number above 0 is needed, or None") from None
    if not 0 < clock < float("inf"):
        raise InputError(f"clock_mhz is {clock_mhz!r}; a number above 0 is needed, or None")
    return clock


def _count(number: Any, what: str) -> int:
    """Count of at least 1; 0 for None."""
    if number is None:
        return 0
    try:
        if isinstance(number, bool):
            raise TypeError
        count = operator.index(number)
    except TypeError:
        raise InputError(f"{what} is {number!r}; a whole number of at least 1 is needed") from None
    if not 1 <= count < 1 << 62:
        raise InputError(f"{what} is {count}; allowed are 1 to 2**62 - 1")
    return count


def _assumed(config: str, assume: Any) -> dict[str, int]:
    """Return all assumptions, 0 where a configuration has its own."""
    found = dict.fromkeys(_ASSUMPTIONS, 0)
    if assume is None:
        return found
    if not isinstance(assume, Mapping):
        raise InputError(f"assume is {assume!r}; numbers by {_listed(_ASSUMPTIONS)} are needed")
    if config != "hbm":
        raise InputError(
            f'assume changes the estimates of config "hbm"; kernels of {config!r} have theirs in the source'
        )
    for name, value in assume.items():
        if name not in _ASSUMPTIONS:
            raise InputError(f"assume has {name!r}; allowed are {_listed(_ASSUMPTIONS)}")
        found[name] = _count(value, f"assume[{name!r}]")
        if found[name] > _ASSUMPTIONS[name]:
            raise InputError(f"assume[{name!r}] is {value!r}; allowed are 1 to {_ASSUMPTIONS[name]}")
    return found


def _depths(fifo_depths: Any) -> dict[str, int]:
    if fifo_depths is None:
        return {}
    if not isinstance(fifo_depths, Mapping) or not all(isinstance(name, str) for name in fifo_depths):
        raise InputError(f"fifo_depths is {fifo_depths!r}; depths by the names of streams are needed")
    found = {name: _count(depth, f"fifo_depths[{name!r}]") for name, depth in fifo_depths.items()}
    for name, depth in found.items():
        if not 1 <= depth < 1 << 31:
            raise InputError(f"fifo_depths[{name!r}] is {fifo_depths[name]!r}; allowed are 1 to 2**31 - 1")
    return found


def _listed(names: Any) -> str:
    return ", ".join(repr(name) for name in names)
