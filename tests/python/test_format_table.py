# SPDX-License-Identifier: Apache-2.0
"""Every format with every registered algorithm: the karate club as other libraries wrote it (tests/data/karate), read
by them or by hand, and answered by SciPy, NetworkX or NumPy, and by tests/reference.

`python tests/python/test_format_table.py` prints the table in Markdown.
"""

import functools
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from scipy.sparse import csgraph

import gaspipe as gp
import references
import zoo

FOLDER = Path(__file__).parents[1] / "data" / "karate"
SIZE = 36


def by_hand(ends, weights=None, size=SIZE, first=0):
    """Matrix of edges, nothing summed; of dtype bool where they have no weights."""
    sources, destinations = np.asarray(ends, np.int64).reshape(-1, 2).T - first
    return zoo.matrix_of(size, sources, destinations, weights)


def table(path, columns, dtype, **options):
    return np.loadtxt(path, dtype=dtype, comments=["#", "%"], ndmin=2, **options)[:, columns]


def edge_list(path, *, size=None, skip=0, weights=None, delimiter=None):
    ends = table(path, [0, 1], float, delimiter=delimiter)[skip:].astype(int)
    column = None if weights is None else table(path, 2, weights, delimiter=delimiter)
    return by_hand(ends, column, ends.max() + 1 if size is None else size)


def matrix_market(path):
    """The file by hand, and as scipy.io.mmread reads it."""
    _, _, _, field, symmetry = path.read_text().split("\n", 1)[0].split()
    lines = np.loadtxt(path, comments="%", skiprows=3, ndmin=2)
    ends = lines[:, :2].astype(int)
    weights = None if field == "pattern" else lines[:, 2].astype(int if field == "integer" else float)
    if symmetry != "general":
        beside = ends[:, 0] != ends[:, 1]
        ends = np.concatenate([ends, ends[beside, ::-1]])
        sign = -1 if symmetry == "skew-symmetric" else 1
        weights = None if weights is None else np.concatenate([weights, sign * weights[beside]])
    matrix = by_hand(ends, weights, first=1)
    assert (sp.csr_array(scipy.io.mmread(path)) != matrix).nnz == 0
    return matrix


def metis(path):
    header, *rows = [line.split() for line in path.read_text().split("\n")[:-1] if not line.startswith("%")]
    fmt, ncon = [*header, "0", "1"][2].zfill(3), int([*header, "0", "1"][3])
    has_sizes = fmt[0] == "1" and path.stem != "karate-100"
    before = has_sizes + (ncon if fmt[1] == "1" else 0)
    step = 2 if fmt[2] == "1" else 1
    ends = [(u, int(v) - 1) for u, row in enumerate(rows) for v in row[before::step]]
    weights = [int(w) for row in rows for w in row[before + 1 :: 2]] if step == 2 else None
    return by_hand(ends, weights, int(header[0]))


def dimacs9(path):
    arcs = [line.split()[1:] for line in path.read_text().splitlines() if line.startswith("a")]
    return by_hand([arc[:2] for arc in np.array(arcs, int).tolist()], [int(arc[2]) for arc in arcs], first=1)


def ldbc(path):
    ids = np.loadtxt(path, np.int64)
    lines = np.loadtxt(path.with_suffix(".e"))
    return by_hand(np.searchsorted(np.sort(ids), lines[:, :2].astype(int)), lines[:, 2])


def gap(path):
    text = path.read_bytes()
    num_edges, n = np.frombuffer(text, "<i8", 2, 1).tolist()
    indptr = np.frombuffer(text, "<i8", n + 1, 17)
    width = 2 if path.suffix == ".wsg" else 1
    entries = np.frombuffer(text, "<i4", width * num_edges, 17 + 8 * (n + 1)).reshape(-1, width)
    ends = np.stack([np.repeat(np.arange(n), np.diff(indptr)), entries[:, 0]], 1)
    return by_hand(ends, entries[:, 1].astype(int) if width == 2 else None, n)


# File -> (what the table calls it, reader that shares no code with gaspipe).
FILES = {
    "karate.txt": ("edge list", edge_list),
    "karate.txt.gz": ("edge list, gzip", edge_list),
    "karate.txt.xz": ("edge list, xz", edge_list),
    "karate.txt.bz2": ("edge list, bzip2", edge_list),
    "karate-header.txt": ("edge list, header", functools.partial(edge_list, size=SIZE, skip=1)),
    "karate-integer.txt": ("edge list, integer weights", functools.partial(edge_list, weights=int)),
    "karate-real.csv": ("edge list, real weights, commas", functools.partial(edge_list, weights=float, delimiter=",")),
    "karate-pattern.mtx": ("Matrix Market, pattern", matrix_market),
    "karate-real.mtx": ("Matrix Market, real", matrix_market),
    "karate-integer.mtx": ("Matrix Market, integer", matrix_market),
    "karate-symmetric.mtx": ("Matrix Market, integer symmetric", matrix_market),
    "karate-pattern-symmetric.mtx": ("Matrix Market, pattern symmetric", matrix_market),
    "karate-skew.mtx": ("Matrix Market, real skew-symmetric", matrix_market),
    "karate.graph": ("METIS", metis),
    "karate-001.graph": ("METIS, fmt 1", metis),
    "karate-111.graph": ("METIS, fmt 111", metis),
    "karate-100.graph": ("DIMACS-10, fmt 100", metis),
    "karate.gr": ("DIMACS-9", dimacs9),
    "karate.v": ("LDBC", ldbc),
    "karate-csr.npz": ("SciPy npz, CSR", lambda path: sp.load_npz(path)),
    "karate-coo.npz": ("SciPy npz, COO", lambda path: sp.csr_array(sp.load_npz(path))),
    "karate.sg": ("GAP .sg", gap),
    "karate.wsg": ("GAP .wsg", gap),
}


# Answers of libraries to some parameters, where they have the algorithm: (graph of NetworkX, matrix, parameters).
def library_bfs(graph, matrix, root=0):
    depth = nx.single_source_shortest_path_length(graph, root)
    return np.array([depth.get(v, -1) for v in range(matrix.shape[0])])


def library_sssp(graph, matrix, root=0):
    distance = nx.single_source_dijkstra_path_length(graph, root)
    unreached = np.inf if matrix.data.dtype.kind == "f" else -1
    return np.array([distance.get(v, unreached) for v in range(matrix.shape[0])])


def library_pagerank(graph, matrix, damping=0.85, tol=1e-6, max_iter=None, personalization=None):
    if max_iter is not None:  # NetworkX goes on until it converges
        return None
    shares = None if personalization is None else dict(enumerate(personalization))
    rank = nx.pagerank(graph, damping, shares, max_iter=1000, tol=1e-14, weight=None)
    return np.array([rank[v] for v in range(matrix.shape[0])])


def library_weighted_pagerank(graph, matrix, damping=0.85, tol=1e-6, max_iter=None, personalization=None):
    if max_iter is not None:
        return None
    shares = None if personalization is None else dict(enumerate(personalization))
    rank = nx.pagerank(graph, damping, shares, max_iter=1000, tol=1e-14)
    return np.array([rank[v] for v in range(matrix.shape[0])])


def library_article_rank(graph, matrix, damping=0.85, tol=1e-6, max_iter=None):
    if max_iter is not None:
        return None
    counts = sp.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)
    degree = np.diff(matrix.indptr)
    cited = counts.T.toarray() / (degree + degree.mean())
    return np.linalg.solve(np.eye(len(degree)) - damping * cited, np.full(len(degree), 1 - damping))


def library_wcc(graph, matrix):
    _, component = csgraph.connected_components(matrix, connection="weak")
    smallest = [np.flatnonzero(component == c)[0] for c in range(component.max() + 1)]
    return np.array(smallest)[component]


def library_closeness(graph, matrix, vertices=None, wf_improved=True):
    closeness = np.full(matrix.shape[0], np.nan)
    for v in range(matrix.shape[0]) if vertices is None else vertices:
        closeness[v] = nx.closeness_centrality(graph, v, wf_improved=wf_improved)
    return closeness


def library_spmv(graph, matrix, x):
    return matrix @ np.asarray(x)


LIBRARIES = {
    "bfs": library_bfs,
    "sssp": library_sssp,
    "pagerank": library_pagerank,
    "weighted_pagerank": library_weighted_pagerank,
    "article_rank": library_article_rank,
    "wcc": library_wcc,
    "closeness": library_closeness,
    "spmv": library_spmv,
}
# How far an iteration that stops at tol=1e-6 may be from the fixed point.
STOPPED_EARLY = dict.fromkeys(["pagerank", "weighted_pagerank", "article_rank"], 1e-5)


def ranked(matrix):
    """Rows in ascending order of destination, as (matrix, weights): for comparison."""
    sources = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    order = np.lexsort((matrix.data, matrix.indices, sources))
    return matrix.shape, sources[order].tolist(), matrix.indices[order].tolist(), matrix.data[order].tolist()


@functools.cache
def pair(name):
    """(Graph that gaspipe reads, matrix that others read)."""
    _, read = FILES[name]
    options = {"dialect": "dimacs10"} if "-100" in name else {}
    matrix = read(FOLDER / name)
    matrix.sort_indices()
    return gp.Graph.from_file(FOLDER / name, **options), matrix


@functools.cache
def networkx_of(name):
    _, matrix = pair(name)
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(matrix.shape[0]))
    sources = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)).tolist()
    graph.add_weighted_edges_from(zip(sources, matrix.indices.tolist(), (matrix.data * 1).tolist()))
    return graph


@pytest.mark.parametrize("name", FILES)
def test_a_file_holds_what_others_read_from_it(name):
    graph, matrix = pair(name)
    is_weighted = matrix.data.dtype.kind != "b"
    assert graph.is_weighted == is_weighted
    found = sp.csr_array(
        (graph.weights if is_weighted else np.ones(graph.num_edges, bool), graph.indices, graph.indptr),
        shape=(graph.num_vertices,) * 2,
    )
    assert ranked(found) == ranked(matrix)
    if is_weighted:
        assert graph.weights.dtype.kind == matrix.data.dtype.kind


def test_every_file_is_in_the_table():
    parts = {"karate.e", "karate.properties", "make.py"}
    files = {path.name for path in FOLDER.iterdir() if path.is_file()}
    assert files - parts == set(FILES)


def check(name, algorithm):
    """Hold an algorithm on a file against the references and the libraries; how many answers were compared."""
    graph, matrix = pair(name)
    module, library = references.reference(algorithm), LIBRARIES.get(algorithm)
    call = getattr(gp, algorithm)
    compared = 0
    for parameters in module.parameters(matrix.shape[0]):
        # The references speak of indices; some files have labels.
        asked = {name: gp.index(v) if name in ("root", "vertices") else v for name, v in parameters.items()}
        if (algorithm == "sssp" and (matrix.data < 0).any()) or references.refuses(algorithm, matrix):
            with pytest.raises(gp.InputError, match="weights >= 0"):
                call(graph, **asked)
            continue
        result = call(graph, **asked)
        context = f"{algorithm}({parameters}) on {name}"
        tolerance = module.tolerance(result.stats.number, matrix, **parameters)
        references.assert_agrees(algorithm, result.values, module.answer(matrix, **parameters), tolerance, context)
        compared += 1
        answer = None if library is None else library(networkx_of(name), matrix, **parameters)
        if answer is not None:
            allowed = max(tolerance, STOPPED_EARLY.get(algorithm, 0))
            if result.values.dtype.kind == "f":
                allowed = max(allowed, 1e-12)
            references.assert_agrees(algorithm, result.values, answer, allowed, f"{context}, by a library")
            compared += 1
    return compared


@pytest.mark.filterwarnings("ignore::gaspipe.NotConvergedWarning")
@pytest.mark.parametrize("algorithm", gp.algorithms)
@pytest.mark.parametrize("name", FILES)
def test_algorithm_answers_alike_from_every_format(name, algorithm):
    compared = check(name, algorithm)
    assert compared >= (0 if algorithm in ("sssp", "weighted_pagerank") and "skew" in name else 1)


def markdown():
    """The table of docs/graphs.md: how many answers were compared, each with another implementation's."""
    lines = [
        "| format | " + " | ".join(f"`{a}`" for a in gp.algorithms) + " |",
        "|---" * (1 + len(gp.algorithms)) + "|",
    ]
    for name, (title, _) in FILES.items():
        counts = [check(name, algorithm) for algorithm in gp.algorithms]
        lines.append(f"| {title} | " + " | ".join(str(count) if count else "refused" for count in counts) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    print(markdown())
