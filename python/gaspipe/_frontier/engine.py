# SPDX-License-Identifier: Apache-2.0
"""gp.FrontierEngine: frontier programs from Python, with functors in C++."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from numpy.typing import DTypeLike

from .. import _laws
from .._flags import flag
from .._own import Algorithm
from .._own.names import check_name
from .._progress import FileProgress, OfSteps
from .._reported import Reported
from ..graph import Graph
from . import arguments, calls, dtypes, functors, hooks
from .graph_calls import GraphCalls
from .iterate import Iteration, iterate
from .library import Program
from .listener import Listener
from .session import Session
from .subset import VertexSubset

if TYPE_CHECKING:
    from .._domains import Domains
    from ..graph import GraphLike

_DIRECTIONS = {"auto": 0, "push": 1, "pull": 2}


class FrontierEngine(GraphCalls, Reported):
    """Loops over sets of vertices, for algorithms that the six hooks of :class:`Algorithm` cannot say. [1]_

    A value per vertex, one per edge and an accumulator per vertex, of any plain type, belong to the engine; the graph
    stays as it is. What happens at a vertex or an edge is C++, in functors, compiled on demand and kept
    (:mod:`gaspipe.cache`); the loop over rounds is Python, or C++ too::

        engine = gp.FrontierEngine(graph, vertex="i4", accumulator="i4", default=2**31 - 1, source=r'''
          void start(int& level, int) { level = -1; }
          void be_root(int& level, int) { level = 0; }
          struct Bfs {
            int gather(int level, EdgeCount, EdgeValue&) { return level + 1; }
            int reduce(int a, int b) { return min(a, b); }
            bool cond(int level, int, VertexId) { return level < 0; }
            void update(int& level, int accumulator) { level = accumulator; }
          };
        ''')
        front, reached = engine.subset(0), gp.VertexSubset()
        engine.vertex_map(engine.subset(True), "start")
        engine.vertex_map(front, "be_root")
        while front:
            engine.edge_filter(reached, front, "Bfs")
            engine.vertex_filter(front, reached, "Bfs")
        levels = engine.vertices.copy()

    In C++ the types are `VertexValue`, `EdgeValue`, `AccumValue`, `Parameters` and `Engine`; `VertexId` (32 bits),
    `EdgeCount` (64 bits), `VertexSubset`, `min`, `max` and `abs` are there, and headers can be included. A functor is a
    struct with a default constructor, or a function; the calls say what it offers, with these signatures::

        AccumValue gather(const VertexValue& source, EdgeCount outdegree, EdgeValue& edge)
        AccumValue reduce(AccumValue a, AccumValue b)
        bool cond(const VertexValue& value, AccumValue accumulator, VertexId id)
        void update(VertexValue& value, AccumValue accumulator[, VertexId id])
        void operator()(VertexValue& value, AccumValue accumulator[, VertexId id])

    All are pure, but for the arguments they are given to write; `reduce` is commutative and associative, which `check`
    tests. A struct with a member `Parameters parameters;` gets the parameters of the call there. Integers are the same
    for any number of threads; a sum of floats is where it is pulled (`direction="pull"`). What a functor throws becomes
    an :class:`Error`; one that crashes ends the process, as any C++ does: `check` runs it in another one.

    All calls exist in the spelling of the seed, too: `edgeFilter`, `vertexMap`, ...

    Parameters
    ----------
    graph : Graph, or anything Graph() takes
        A Graph is shared, not copied. Where it has labels, `subset` takes them.
    source : str or os.PathLike
        The functors, C++ text or the path of a file.
    vertex : dtype
        Value of a vertex: bool, an integer, a float, or a struct (NumPy's structured dtypes) of these, of arrays and of
        structs. Fields lie as in C++, each aligned. All bytes are 0 at first.
    edge : dtype, optional
        Value of an edge; none by default. Numbers of 32 and 64 bits start as the graph's weights, 1 without weights;
        others as 0.
    accumulator : dtype, optional
        What edges bring to a vertex; as `vertex` by default.
    default : number, tuple or numpy.void
        What accumulators are before edges bring anything, the identity of `reduce`; 0 by default.
    parameters : dict, optional
        Numbers that functors read, by name: their defaults, which calls replace by keyword. float is double in C++, int
        std::int64_t, bool bool; NumPy's numbers keep their type.
    name : str
        Name of the program, in messages and in the cache.
    num_threads : int, optional
        Threads to use; by default as OpenMP is set.
    direction : {"auto", "push", "pull"}
        How edges are walked: from the set's vertices, to their destinations, or as is faster.
    group : {1, 2, 4, 8, 16, 32}
        The larger, the fewer vertices a thread takes at once; for graphs in which few vertices have most of the edges.
    scan : bool
        Whether a push lists the vertices that it reaches; else it only marks them.
    log : callable, optional
        Called as `log(level, text)` with messages up to `log_level`; every call of the engine is one, at "debug".
    log_level : {"error", "warning", "info", "debug"}
        Messages to log.
    progress : callable or bool, optional
        progress("calls", done, None) after every call that a program of `run` makes of its engine; True shows a bar
        while it runs (pip install tqdm). It costs each call a message, as `log` at "debug" does.
    domains : int or Domains, optional
        In how many parts to run, or `Graph.domains(...)`; see Notes.

    Attributes
    ----------
    graph : Graph
        The graph.

    Raises
    ------
    CompileError
        If there is no compiler, or the source does not compile.
    InputError
        If an argument is wrong, or a weight of the graph does not fit `edge`.

    Notes
    -----
    Over domains, and on a :class:`gaspipe.distributed.DistributedGraph`, calls from Python are the same, and so are
    answers: functors see ids and degrees of the whole graph. An edge and its value lie with the domain that owns the
    edge's destination. `run` is refused, for a program in C++ sees one domain. Where a struct declares `kFinalOnceSet`,
    another of the values that serve may be the one. On ranks `vertices`, `accumulators` and the ids of a set are of the
    vertices that the rank owns, while the size of a set is of all; every call is made by all ranks together.

    References
    ----------
    .. [1] J. Shun, G. E. Blelloch, "Ligra: A Lightweight Graph Processing Framework for Shared Memory", PPoPP 2013,
       doi:10.1145/2442516.2442530. The calls are those of Olive.

    """

    def __init__(
        self,
        graph: GraphLike,
        source: str | os.PathLike[str],
        *,
        vertex: DTypeLike,
        edge: DTypeLike | None = None,
        accumulator: DTypeLike | None = None,
        default: Any = 0,
        parameters: Mapping[str, Any] | None = None,
        name: str = "program",
        num_threads: int | None = None,
        direction: str = "auto",
        group: int = 1,
        scan: bool = True,
        log: Callable[[str, str], object] | None = None,
        log_level: str = "info",
        progress: FileProgress = None,
        domains: int | Domains | None = None,
    ) -> None:
        check_name(name, "name")
        text, file_name = arguments.read(name, source)
        vertex_type = dtypes.value_type(vertex, "vertex")
        self._program = Program(
            name,
            file_name,
            text,
            functors.read(text, file_name),
            vertex_type,
            None if edge is None else dtypes.value_type(edge, "edge"),
            vertex_type if accumulator is None else dtypes.value_type(accumulator, "accumulator"),
            arguments.parameter_type(parameters),
        )
        self._default = arguments.one_value(default, self._program.accumulator, "default")
        self._parameters = arguments.parameter_values(self._program.parameters, dict(parameters or {}))
        self._num_threads = num_threads
        self._listener = Listener(log, log_level, progress)
        self._options = {
            "num_threads": num_threads,
            "direction": arguments.choice("direction", direction, _DIRECTIONS),
            "group": arguments.integer("group", group),
            "scan": flag("scan", scan),
            **self._listener.options(),
        }
        self._domains = domains
        self._hooks: dict[tuple[str, bytes], Algorithm] = {}
        self.read_graph(graph)

    def read_graph(self, graph: GraphLike) -> None:
        """Take another graph; values and accumulators start again.

        Parameters
        ----------
        graph : Graph, or anything Graph() takes
            A Graph is shared, not copied. Sets of vertices of the graph before are refused from now on.

        Raises
        ------
        InputError
            If it is no graph or not square, or a weight does not fit the edges' values; the engine keeps the graph
            before then.

        """
        g = graph if isinstance(graph, Graph) else Graph(graph, num_threads=self._num_threads)
        if not g._is_spread:
            g._square("a frontier program")
        self._session = Session(self._program, g, self._default, self._parameters, self._options, self._domains)
        self.graph = g

    def edge_filter(self, dst: VertexSubset | None, src: VertexSubset, functor: str, **parameters: Any) -> VertexSubset:
        """Reduce what edges out of a set bring into the accumulators of their destinations.

        Every accumulator becomes the default; then over every edge out of `src` the value gathered is reduced into the
        accumulator of its destination.

        Parameters
        ----------
        dst : VertexSubset or None
            Becomes the set of the destinations; None: a new set. It may be `src`.
        src : VertexSubset
            The vertices whose out-edges are walked.
        functor : str
            Name of a struct with `gather` and `reduce`.
        **parameters
            Parameters that differ from their defaults.

        Returns
        -------
        VertexSubset
            `dst`, or the new set.

        Raises
        ------
        InputError
            If there is no such functor, it does not serve this call, or a set is of another graph.

        """
        return self._session.filter(calls.EDGE_FILTER, dst, src, functor, parameters)

    def edge_map(self, src: VertexSubset, functor: str, **parameters: Any) -> None:
        """Do as `edge_filter` does, without a set of the destinations; `gather` may write the values of edges."""
        self._session.call(calls.EDGE_MAP, None, src, functor, parameters)

    def vertex_filter(
        self, dst: VertexSubset | None, src: VertexSubset, functor: str, **parameters: Any
    ) -> VertexSubset:
        """Update the vertices of a set for which `cond` holds, which `dst` becomes; see `edge_filter`.

        The functor is a struct with `cond` and `update`.
        """
        return self._session.filter(calls.VERTEX_FILTER, dst, src, functor, parameters)

    def vertex_map(self, src: VertexSubset, functor: str, **parameters: Any) -> None:
        """Call a function, or the operator() of a struct, for every vertex of a set."""
        self._session.call(calls.VERTEX_MAP, None, src, functor, parameters)

    def edge_vertex_filter(
        self, dst: VertexSubset | None, src: VertexSubset, functor: str, **parameters: Any
    ) -> VertexSubset:
        """Do `edge_filter`, then `vertex_filter` of what it reached.

        In one pass where the struct declares `static constexpr bool kFinalOnceSet = true;`: each of the values gathered
        for a vertex serves as well as all of them reduced, and `cond` does not depend on the accumulator, is false for
        the vertices of `src`, for all that were updated, and, in the calls that follow with the result as their `src`,
        for all for which it was false once. Accumulators are undefined then.
        """
        return self._session.filter(calls.EDGE_VERTEX_FILTER, dst, src, functor, parameters)

    def vertex_reduce(self, functor: str, src: VertexSubset | None = None, **parameters: Any) -> Any:
        """Return the numbers `map(value)` of all vertices, or those of a set, reduced to one.

        The functor is a struct with `T identity()`, `T map(const VertexValue& value[, VertexId id])` and
        `T reduce(T a, T b)`.
        """
        return self._session.call(
            calls.VERTEX_REDUCE, None, self.subset(True) if src is None else src, functor, parameters
        )

    def run(self, driver: str, **parameters: Any) -> Any:
        """Run a whole program: a C++ function of `Engine& engine`, or also of `const Parameters& parameters`.

        `Engine` has the calls in the spelling `edgeFilter`, as gaspipe/frontier.h says. Returns the number that the
        function returns, or None.
        """
        with self._listener.counting(str(driver)):
            return self._session.call(calls.RUN, None, None, driver, parameters)

    def iterate(
        self,
        functor: str,
        front: VertexSubset,
        *,
        device: str = "cpu",
        max_iter: int | str | None = "auto",
        progress: bool | OfSteps | None = None,
        **options: Any,
    ) -> Iteration:
        """Repeat `edge_filter` and `vertex_filter` from a set on, until it is empty: on the CPU, or as kernels.

        Parameters
        ----------
        functor : str
            Name of a struct with `gather`, `reduce`, `cond` and `update`. Elsewhere than on the CPU values are int32,
            uint32 or float32, and `gather` only reads its edge; :meth:`hooks` says what it becomes.
        front : VertexSubset
            The first set; afterwards the set of the vertices that the last round updated.
        device : {"cpu", "emulator", "fpga", "auto"}, or with a board: "emulator:u250"
            Where to run. Values go there and come back.
        max_iter : int, "auto" or None
            Most rounds; "auto" is 4 * num_vertices + 10,000, None no limit.
        progress : callable or bool, optional
            progress(round, vertices, edges), of the set that a round leaves and of the edges that it walked; True shows
            a bar (pip install tqdm). On ranks the edges are those out of the rank's own vertices.
        **options
            Parameters that differ from their defaults, and options of runs on that device, as of `gp.bfs`.

        Returns
        -------
        Iteration
            `num_rounds`, and the `stats` of the kernels.

        Raises
        ------
        InputError
            If the functor does not serve, or cannot become hooks: the message says why.

        Warns
        -----
        NotConvergedWarning
            If the set is not empty at the limit of "auto".

        """
        given = arguments.of_program(self._program.parameters, options)
        rest = {"device": device, "parameters": given, **{k: v for k, v in options.items() if k not in given}}
        made = partial(self.hooks, functor, **given)
        return iterate(self._session, made, functor, front, max_iter, progress, rest)

    def hooks(self, functor: str, **parameters: Any) -> Algorithm:
        """Return a functor as the six hooks of an :class:`Algorithm`, for `build`, `check` and runs by its own call.

        A property has the vertex's value in bits 0 to 31, its out-degree in bits 32 to 62, and in bit 63 whether it is
        in the set. Parameters are constants of the hooks.
        """
        values = arguments.parameter_values(self._program.parameters, parameters, self._parameters)
        key = functor, b"" if values is None else values.tobytes()
        if key not in self._hooks:
            _, bits = self._session.functors.get(functor, (0, 0))
            self._hooks[key] = hooks.make(self._program, functor, bits, self._default, values)
        return self._hooks[key]

    def check(
        self, functor: str | None = None, *, num_cases: int = 1000, seed: int = 1, timeout: float | None = 60
    ) -> _laws.ReduceCheck:
        """Test that `reduce` is commutative and associative, and the default accumulator neutral in it.

        On accumulators that `gather` makes of the engine's values and of random ones, in a process of its own. Floats
        may differ by rounding.

        Parameters
        ----------
        functor : str, optional
            Name of one struct; all that have `gather` and `reduce` by default.
        num_cases : int
            Triples of accumulators to try for each.
        seed : int
            Of the random numbers.
        timeout : float or None
            Seconds after which the other process is ended; None: in this process.

        Returns
        -------
        ReduceCheck
            What was tried.

        Raises
        ------
        CheckError
            With the first counterexample found.
        CrashError
            If the functor crashes, or does not end in time.

        """
        from .check import check

        return check(self, functor, num_cases, seed, timeout)

    # The spelling of the seed.
    readGraph = read_graph
    edgeFilter = edge_filter
    edgeMap = edge_map
    vertexFilter = vertex_filter
    vertexMap = vertex_map
    edgeVertexFilter = edge_vertex_filter
    vertexReduce = vertex_reduce
