# SPDX-License-Identifier: Apache-2.0
"""The algorithms of the CPU (gp.cpu_algorithms) beside libraries and programs, same graphs, same run.

Kernel: on graphs that each library has built, our views prepared; medians of rounds in alternation. Whole: from a SciPy
matrix to an answer in a NumPy array. A ratio is the fastest peer's time / ours. Answers are compared where they are
defined alike. Programs (GAPBS: tc, bc; Ligra: BC, Triangle, KCore; GBBS: Triangle, KCore) are found in --gapbs DIR,
--ligra DIR and --gbbs DIR, and tell their own time. LAGraph's libraries are found in --lagraph DIR, for kernel times.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, NamedTuple

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np

from cpu import graphs, lagraph
from machine import facts, load, require, save, table

Answer = Any
LAGRAPH, STEPS = "LAGraph", 10  # most steps of label propagation
NUM_SOURCES, NUM_PAIRS, PATIENCE = 4, 200_000, 60.0
BAR_KERNEL, BAR_WHOLE = 1.0, 2.0


class Peer(NamedTuple):
    """How a library answers: `build` makes its graph, `call(graph, question)` the answer, or how to get it, untimed."""

    library: str
    call: Callable[[Any, Any], Answer]
    directed: bool = False
    weighted: bool = False
    most_edges: int = 2**63
    same: Callable[[Any, Any], bool] | None = None  # instead of the row's, where only this answer compares so

    @property
    def maker(self) -> str:
        """The library without its variant: who makes the graph."""
        return self.library.partition("+")[0]


class Row(NamedTuple):
    """An algorithm: our call, who else has it, and how answers are compared (None: they are not)."""

    ours: Callable[[Any, Any, Any, int], Any]
    peers: list[Peer]
    same: Callable[[Any, Any], bool] | None = None
    directed: bool = False
    weighted: bool = False
    per: int = 1  # questions in one call


def _equal(a: Any, b: Any) -> bool:
    return bool(np.array_equal(np.asarray(a), np.asarray(b)))


def _close(a: Any, b: Any) -> bool:
    return bool(np.allclose(a, b, rtol=1e-3, atol=1e-6 * max(1.0, float(np.abs(np.asarray(b)).max(initial=0)))))


def _same_parts(a: Any, b: Any) -> bool:
    pairs = np.unique(np.column_stack([np.unique(x, return_inverse=True)[1] for x in (a, b)]), axis=0)
    return len(pairs) == len(np.unique(a)) == len(np.unique(b))


def _same_total(a: Any, b: int) -> bool:
    return int(np.sum(a)) == 3 * b  # each triangle has three corners


def _nk(
    make: Callable[[Any, Any, Any], Any], take: Callable[[Any], Answer] | None = None
) -> Callable[[Any, Any], Answer]:
    """A call of NetworKit: an object that is run, and what is taken of it."""

    def call(graph: Any, question: Any) -> Answer:
        nk = require("networkit")
        made = make(nk, graph, question)
        made.run()
        return (take or (lambda found: found.scores()))(made)

    return call


def _plm(refine: bool) -> Callable[[Any, Any], Answer]:
    return _nk(lambda nk, g, q: nk.community.PLM(g, refine), lambda p: np.array(p.getPartition().getVector()))


SMALL = 3_000_000  # edges from which on pure Python, or a cubic method, is left out
ROWS = {
    "betweenness": Row(
        lambda gp, g, q, t: gp.betweenness(g, sources=q["roots"], normalized=False, num_threads=t),
        [
            Peer("igraph", lambda g, q: np.array(g.betweenness(directed=True, sources=q["roots"].tolist())), True),
            Peer("networkit", _nk(lambda nk, g, q: nk.centrality.EstimateBetweenness(g, NUM_SOURCES, False, True))),
            Peer(LAGRAPH, lambda g, q: g.betweenness(q["roots"]), same=_close),
        ],
        per=NUM_SOURCES,
    ),
    "triangles": Row(
        lambda gp, g, q, t: gp.triangles(g, num_threads=t),
        [
            Peer("networkx", lambda g, q: list(require("networkx").triangles(g).values()), most_edges=SMALL // 10),
            Peer(LAGRAPH, lambda g, q: g.triangles(), same=_same_total),
        ],
        _equal,
    ),
    "clustering": Row(
        lambda gp, g, q, t: gp.clustering(g, num_threads=t),
        [
            Peer("networkit", _nk(lambda nk, g, q: nk.centrality.LocalClusteringCoefficient(g, turbo=False))),
            Peer("igraph", lambda g, q: np.array(g.transitivity_local_undirected(mode="zero"))),
            Peer(LAGRAPH, lambda g, q: g.clustering()),
        ],
        _close,
    ),
    "core_numbers": Row(
        lambda gp, g, q, t: gp.core_numbers(g, num_threads=t),
        [
            Peer("networkit", _nk(lambda nk, g, q: nk.centrality.CoreDecomposition(g))),
            Peer("igraph", lambda g, q: np.array(g.coreness())),
            Peer(LAGRAPH, lambda g, q: g.cores()),
        ],
        _equal,
    ),
    "scc": Row(
        lambda gp, g, q, t: gp.scc(g, num_threads=t),
        [
            Peer(
                "networkit",
                _nk(
                    lambda nk, g, q: nk.components.StronglyConnectedComponents(g),
                    lambda c: np.array(c.getPartition().getVector()),
                ),
                True,
            ),
            Peer("igraph", lambda g, q: np.array(g.connected_components("strong").membership), True),
            Peer(
                "scipy",
                lambda m, q: require("scipy.sparse.csgraph", "scipy").connected_components(m, connection="strong")[1],
                True,
            ),
            Peer(LAGRAPH, lambda g, q: g.strong_components(), True),
        ],
        _same_parts,
        directed=True,
    ),
    "label_propagation": Row(
        lambda gp, g, q, t: gp.label_propagation(g, max_iter=STEPS, num_threads=t),
        [
            Peer(
                "networkit",
                _nk(lambda nk, g, q: nk.community.PLP(g), lambda p: np.array(p.getPartition().getVector())),
            ),
            Peer("igraph", lambda g, q: np.array(g.community_label_propagation().membership), most_edges=SMALL * 4),
            Peer(LAGRAPH, lambda g, q: g.labels(STEPS), same=_equal),
            Peer(f"{LAGRAPH}+sort", lambda g, q: g.labels(STEPS, "_withsort"), same=_equal),
        ],
    ),
    "louvain": Row(lambda gp, g, q, t: gp.louvain(g, refine=False, num_threads=t), [Peer("networkit", _plm(False))]),
    "louvain_refine": Row(lambda gp, g, q, t: gp.louvain(g, num_threads=t), [Peer("networkit+refine", _plm(True))]),
    "jaccard": Row(
        lambda gp, g, q, t: gp.jaccard(g, q["pairs"], num_threads=t),
        [Peer("igraph", lambda g, q: np.array(g.similarity_jaccard(pairs=q["pairs"].tolist(), loops=False)))],
        _close,
    ),
    "minimum_spanning_forest": Row(
        lambda gp, g, q, t: gp.minimum_spanning_forest(g, num_threads=t),
        [
            Peer(
                "scipy", lambda m, q: require("scipy.sparse.csgraph", "scipy").minimum_spanning_tree(m), weighted=True
            ),
            Peer("igraph", lambda g, q: g.spanning_tree(weights="weight", return_tree=False), weighted=True),
        ],
        weighted=True,
    ),
    "k_truss": Row(
        lambda gp, g, q, t: gp.k_truss(g, k=2, num_threads=t),
        [Peer("igraph", lambda g, q: np.array(g.trussness()), most_edges=SMALL * 2)],
    ),
    "eigenvector": Row(
        lambda gp, g, q, t: gp.eigenvector(g, max_iter=1000, num_threads=t),
        [
            Peer("networkit", _nk(lambda nk, g, q: nk.centrality.EigenvectorCentrality(g, 1e-8))),
            Peer("igraph", lambda g, q: np.array(g.eigenvector_centrality())),
        ],
    ),
    "coloring": Row(
        lambda gp, g, q, t: gp.coloring(g, num_threads=t),
        [Peer("igraph", lambda g, q: np.array(g.vertex_coloring_greedy()))],
    ),
}


def build(peer: Peer, matrix: Any, options: argparse.Namespace) -> Any:
    """The library's own graph of a matrix."""
    from scipy import sparse

    library, directed, weighted = peer.maker, peer.directed, peer.weighted
    if library == "scipy":
        return matrix
    if library == LAGRAPH:
        return lagraph.Graph(options.lagraph, options.threads, matrix, directed)
    part = matrix if directed else sparse.triu(matrix, format="csr")
    coo = part.tocoo()
    if library == "networkit":
        nk = require("networkit")
        return nk.graph.GraphFromCoo(
            (coo.data.astype(float), (coo.row, coo.col)), n=matrix.shape[0], weighted=weighted, directed=directed
        )
    if library == "igraph":
        ig = require("igraph")
        graph = ig.Graph(n=matrix.shape[0], edges=np.column_stack([coo.row, coo.col]), directed=directed)
        if weighted:
            graph.es["weight"] = coo.data.tolist()
        return graph
    nx = require("networkx")
    return nx.from_scipy_sparse_array(part, create_using=nx.DiGraph if directed else nx.Graph)


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    found = call()
    return time.perf_counter() - start, found


class Program(NamedTuple):
    """A native program that tells its own time."""

    name: str
    path: str
    kind: str  # of the graph's file
    arguments: list[object]
    timer: str

    def seconds(self, case: graphs.Case, threads: int) -> list[float]:
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "PARLAY_NUM_THREADS": str(threads)}
        command = [self.path, *map(str, self.arguments)]
        file = str(case.file(self.kind))
        command = [{"FILE": file, "ROOT": str(case.roots[0])}.get(word, word) for word in command]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600, check=False)
        return [float(value) for value in re.findall(self.timer, done.stdout, re.M)]


def programs(options: argparse.Namespace) -> dict[str, list[Program]]:
    found: dict[str, list[Program]] = {}

    def add(
        algorithm: str, name: str, folder: str | None, program: str, kind: str, arguments: list[object], timer: str
    ) -> None:
        path = None if folder is None else Path(folder, program)
        if path is not None and path.is_file():
            found.setdefault(algorithm, []).append(Program(name, str(path), kind, arguments, timer))

    trial = r"^Trial Time:\s+(\S+)"
    add("betweenness", "GAPBS", options.gapbs, "bc", "graph.sg", ["-f", "FILE", "-i", 1, "-n", 3], trial)
    add("triangles", "GAPBS", options.gapbs, "tc", "graph.sg", ["-f", "FILE", "-n", 3], trial)
    running = r"^Running time : (\S+)"
    rounds: list[object] = ["-s", "-b", "-rounds", 3]
    add("betweenness", "Ligra", options.ligra, "BC", "ligra", [*rounds, "-r", "ROOT", "FILE"], running)
    add("triangles", "Ligra", options.ligra, "Triangle", "ligra", [*rounds, "FILE"], running)
    add("core_numbers", "Ligra", options.ligra, "KCore", "ligra", [*rounds, "FILE"], running)
    running = r"^### Running Time: (\S+)"
    add("triangles", "GBBS", options.gbbs, "Triangle", "graph.bin", [*rounds, "FILE"], running)
    add("core_numbers", "GBBS", options.gbbs, "KCore", "graph.bin", [*rounds, "FILE"], running)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--graphs", default="kron18,kron20,urand20,grid1000,cnr-2000,USA-road-d.NY")
    parser.add_argument("--algorithms", default=",".join(ROWS))
    parser.add_argument("--data", metavar="DIR", help="where cnr-2000-sym.graph.xz and USA-road-d.NY.gr.xz lie")
    parser.add_argument("--gapbs", metavar="DIR")
    parser.add_argument("--ligra", metavar="DIR")
    parser.add_argument("--gbbs", metavar="DIR")
    parser.add_argument("--lagraph", metavar="DIR", help="libgraphblas.so, liblagraph.so and liblagraphx.so, 1.2 on")
    parser.add_argument("--libraries", metavar="NAME,...", help="of Python, default: all that are found")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--smaller", type=int, default=0, metavar="N", help="generated graphs smaller by 2**N")
    parser.add_argument("--no-whole", dest="whole", action="store_false", help="no whole calls")
    parser.add_argument("--folder", metavar="DIR", help="for graphs (default: temporary)")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    if options.lagraph is not None:
        try:
            lagraph.library(options.lagraph, options.threads)
        except OSError as error:
            parser.error(f"--lagraph: {error}")
    gp = require("gaspipe")
    folder = options.folder or tempfile.mkdtemp(prefix="gaspipe-benchmark-")
    rows, samples = [], []
    native = programs(options)
    for name in options.graphs.split(","):
        if not graphs.is_available(name, options.data):
            continue
        place = Path(folder, f"{name}-{options.smaller}")
        if not (place / "roots.npy").exists():
            graphs.make(gp, name, place, options.data, 64, options.smaller)
        case = graphs.Case(name, place)
        for algorithm in options.algorithms.split(","):
            if not hasattr(gp, algorithm):
                continue
            found = measure(gp, case, algorithm, native.get(algorithm, []), options)
            samples.append({"graph": name, "algorithm": algorithm, **found})
            rows.append(shown(name, algorithm, found))
            print("  ".join(map(str, rows[-1])), file=sys.stderr, flush=True)
    heads = ["graph", "algorithm", "ours [ms]", "fastest [ms]", "who", "kernel ratio", "whole ratio", "answers"]
    print(f"{options.threads} threads, load {load()}\n")
    print(table(heads, rows))
    if options.json:
        save(options.json, {"facts": facts(load=load(), threads=options.threads), "samples": samples})
    return 0


def measure(
    gp: Any, case: graphs.Case, algorithm: str, native: list[Program], options: argparse.Namespace
) -> dict[str, Any]:
    """Seconds of everybody, kernel and whole."""
    row = ROWS[algorithm]
    matrix = case.matrix(np.float64 if row.weighted else np.int32)
    if not row.weighted:
        matrix.data[:] = 1
    if (
        row.directed
    ):  # a symmetric graph has no strong components of interest: keep what goes up, and a tenth of the rest
        rng = np.random.default_rng(1)
        coo = matrix.tocoo()
        keep = (coo.row < coo.col) | (rng.random(len(coo.row)) < 0.1)
        matrix = type(matrix)((coo.data[keep], (coo.row[keep], coo.col[keep])), shape=matrix.shape)
    rng = np.random.default_rng(2)
    ends = np.flatnonzero(np.diff(matrix.indptr))  # of vertices without neighbors libraries differ
    pairs = ends[rng.integers(0, len(ends), (NUM_PAIRS, 2))]
    question = {"roots": case.roots[:NUM_SOURCES], "pairs": pairs[pairs[:, 0] != pairs[:, 1]]}
    graph = gp.Graph(matrix if row.weighted else matrix.astype(bool))
    kernel: dict[str, list[float]] = {"gaspipe": []}
    whole: dict[str, list[float]] = {"gaspipe": []}
    built: dict[str, Any] = {}
    verdicts: dict[str, str] = {}
    given_up: set[str] = set()
    asked = None if options.libraries is None else options.libraries.split(",")

    def is_asked(peer: Peer) -> bool:
        return options.lagraph is not None if peer.maker == LAGRAPH else asked is None or peer.library in asked

    peers = [p for p in row.peers if case.num_edges <= p.most_edges and is_asked(p)]
    for peer in peers:
        try:
            built[peer.library] = build(peer, matrix, options)
        except ImportError:
            given_up.add(peer.library)
    for turn in range(options.rounds + 1):
        result = row.ours(gp, graph, question, options.threads)
        if turn:
            kernel["gaspipe"].append(result.stats.seconds)
        for peer in peers:
            if peer.library in given_up:
                continue
            time.sleep(0.05)  # other libraries' threads fall asleep
            seconds, answer = timed(lambda p=peer: p.call(built[p.library], question))
            if turn or seconds > PATIENCE / 4:
                kernel.setdefault(peer.library, []).append(seconds)
            answer = answer() if callable(answer) else answer
            if (same := peer.same or row.same) is not None:
                verdicts[peer.library] = "same" if same(result.values, answer) else "DIFFERS"
            if seconds > PATIENCE / 4:
                given_up.add(peer.library)
    for program in native:
        kernel[program.name] = [s * row.per for s in program.seconds(case, options.threads)]
    if options.whole:
        for turn in range(min(options.rounds, 2)):
            seconds, _ = timed(lambda: np.asarray(row.ours(gp, matrix, question, options.threads)))
            whole["gaspipe"].append(seconds)
            for peer in [p for p in peers if p.maker != LAGRAPH]:
                if turn and (peer.library in given_up or min(whole[peer.library]) > PATIENCE / 4):
                    continue
                time.sleep(0.05)
                seconds, _ = timed(lambda p=peer: p.call(build(p, matrix, options), question))
                whole.setdefault(peer.library, []).append(seconds)
    found: dict[str, Any] = {"kernel": kernel, "whole": whole, "answers": verdicts}
    if algorithm.startswith("louvain"):
        found["modularity"] = modularities(result, built, peers)
    return found


def modularities(result: Any, built: dict[str, Any], peers: list[Peer]) -> dict[str, float]:
    nk = require("networkit")
    found = {"gaspipe": result.modularity}
    for peer in peers:
        plm = nk.community.PLM(built[peer.library], peer.library.endswith("refine"))
        plm.run()
        found[peer.library] = nk.community.Modularity().getQuality(plm.getPartition(), built[peer.library])
    return found


def shown(graph: str, algorithm: str, found: dict[str, Any]) -> list[str]:
    """A row of the table."""
    kernel, whole = ({who: statistics.median(s) for who, s in found[kind].items() if s} for kind in ("kernel", "whole"))
    ours = kernel.pop("gaspipe")
    who = min(kernel, key=kernel.__getitem__, default="")
    cells = [graph, algorithm, f"{1e3 * ours:.2f}"]
    cells += [f"{1e3 * kernel[who]:.2f}", who, f"{kernel[who] / ours:.2f}"] if who else ["", "", ""]
    mine = whole.pop("gaspipe", None)
    cells.append(f"{min(whole.values()) / mine:.2f}" if whole and mine else "")
    told = sorted(set(found["answers"].values()))
    if "modularity" in found:
        told = [
            f"Q {found['modularity']['gaspipe']:.4f}",
            *(f"{w} {q:.4f}" for w, q in found["modularity"].items() if w != "gaspipe"),
        ]
    return [*cells, ", ".join(told)]


if __name__ == "__main__":
    sys.exit(main())
