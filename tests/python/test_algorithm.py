# SPDX-License-Identifier: Apache-2.0
"""gp.Algorithm: users' hooks give the answers of other implementations, on the CPU and in the emulator."""

import inspect
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import gaspipe as gp
import snippets

DEVICES = ["cpu", "emulator"]
both = pytest.mark.parametrize("device", DEVICES)


@pytest.fixture(autouse=True, scope="module")
def cache(compiled_snippets):
    """Snippets that the whole session shares."""


def random_matrix(rng, n=300, m=2000, low=1, high=100, dtype=np.int64):
    """Without parallel edges, for SciPy adds them up."""
    cells = rng.choice(n * n, m, replace=False)
    weights = rng.integers(low, high, m).astype(dtype)
    return sp.csr_array((weights, (cells // n, cells % n)), shape=(n, n))


def widest_by_brute_force(matrix, root):
    width = np.zeros(matrix.shape[0], np.int64)
    width[root] = 2**32 - 1
    coo = matrix.tocoo()
    for _ in range(matrix.shape[0]):
        through = np.minimum(width[coo.row], coo.data)
        before = width.copy()
        np.maximum.at(width, coo.col, through)
        if (before == width).all():
            return width
    return width


@both
def test_widest_path_with_the_seeds_signatures(rng, device):
    matrix = random_matrix(rng)
    for root in (0, 7):
        result = snippets.widest()(matrix, root=root, device=device)
        assert result.stats.device == device
        assert result.values.dtype == np.uint32
        np.testing.assert_array_equal(result.values, widest_by_brute_force(matrix, root))


@both
def test_one_line_hooks(rng, device):
    matrix = random_matrix(rng)
    np.testing.assert_array_equal(
        snippets.one_line()(matrix, 3, device=device).values, widest_by_brute_force(matrix, 3)
    )


def test_exact_execution_and_partitions_give_the_same(rng):
    matrix = random_matrix(rng)
    expected = widest_by_brute_force(matrix, 1)
    exact = snippets.widest()(matrix, root=1, device="emulator:u250")
    assert exact.stats.predicted_cycles > 0
    np.testing.assert_array_equal(exact.values, expected)
    graph = gp.Graph(matrix)
    split = snippets.widest()(graph, root=1, partitioning=graph.partition(capacity=64, compute_units=3))
    assert split.stats.compute_units == 3
    np.testing.assert_array_equal(split.values, expected)


@both
@pytest.mark.parametrize("make", [snippets.active_bit, snippets.struct_bfs])
def test_bfs_of_zero_filled_buffers_and_of_a_struct(rng, device, make):
    matrix = random_matrix(rng, m=500)
    hops = csgraph.shortest_path(matrix, unweighted=True, indices=5)
    expected = np.where(np.isinf(hops), -1, hops).astype(np.int32)
    assert (expected == -1).any()
    assert expected.max() > 3
    result = make()(matrix, root=5, device=device)
    assert result.depth.dtype == np.int32
    np.testing.assert_array_equal(result.depth, expected)
    np.testing.assert_array_equal(gp.bfs(matrix, root=5, device=device).depth, expected)


def test_traits_of_a_struct_are_used(rng):
    matrix = random_matrix(rng, n=3000, m=9000)
    assert "push" in snippets.struct_bfs()(matrix, root=0).stats.supersteps["kind"]
    assert "push" not in snippets.active_bit()(matrix, root=0).stats.supersteps["kind"]


@both
@pytest.mark.parametrize("damping", [0.85, 0.5])
def test_pagerank_with_a_parameter_and_two_inputs(rng, device, damping):
    matrix = random_matrix(rng)
    n = matrix.shape[0]
    assert matrix.astype(bool).sum(axis=1).min() == 0
    # Without the share of vertices that lead nowhere, which the snippet does not hand on.
    degree = np.maximum(matrix.astype(bool).sum(axis=1), 1)
    walk = sp.diags_array(1 / degree) @ matrix.astype(bool).astype(float)
    expected = np.linalg.solve(np.eye(n) - damping * walk.T.toarray(), np.full(n, (1 - damping) / n))
    result = snippets.pagerank()(matrix, damping=damping, device=device, max_iter=500)
    assert result.stats.converged
    np.testing.assert_allclose(result.rank, expected, rtol=0, atol=1e-11)


def test_new_values_of_parameters_do_not_compile_again(rng, monkeypatch):
    matrix = random_matrix(rng)
    snippets.pagerank()(matrix, max_iter=1000)
    monkeypatch.setenv("CXX", "there-is-no-such-compiler")
    a = snippets.pagerank()(matrix, damping=0.3, tol=1e-3, max_iter=50)
    b = snippets.pagerank()(matrix, damping=0.4, tol=1e-9)
    assert a.stats.num_supersteps < b.stats.num_supersteps
    assert not np.allclose(a.values, b.values)


def test_a_run_that_reaches_max_iter_warns(rng):
    with pytest.warns(gp.NotConvergedWarning) as warned:
        result = snippets.pagerank()(random_matrix(rng), tol=0, max_iter=3)
    assert warned[0].filename == __file__
    assert not result.stats.converged
    assert result.stats.num_supersteps == 3


@pytest.mark.parametrize(
    "dtype", ["uint32", "int32", pytest.param("uint64", marks=pytest.mark.slow), "int64", "float32", "float64"]
)
def test_shortest_paths_in_every_number(rng, dtype):
    kind = np.dtype(dtype).kind
    far = {"u": (2 ** (8 * np.dtype(dtype).itemsize) - 1), "i": np.iinfo("i8" if "64" in dtype else "i4").max}.get(
        kind, np.inf
    )
    matrix = random_matrix(rng, high=1000, dtype=np.dtype(dtype) if kind == "f" else np.int64)
    if kind == "f":
        matrix.data += 0.5

    def initial(graph, root=0):
        start = np.full(graph.num_vertices, far, np.dtype(dtype))
        start[root] = 0
        return start

    algorithm = gp.Algorithm(
        f"shortest_{dtype}",
        "constexpr prop_t FAR = " + ("__builtin_huge_val();" if kind == "f" else f"{far}{'u' * (kind == 'u')};"),
        prop=dtype,
        scatter="src == FAR ? FAR : prop_t(src + edge)",
        gather="min(a, b)",
        identity="FAR",
        initial=initial,
    )
    hops = csgraph.dijkstra(matrix, indices=2)
    for device in DEVICES if dtype in ("int64", "float32") else DEVICES[:1]:
        result = algorithm(matrix, root=2, device=device)
        assert result.values.dtype == np.dtype(dtype)
        found = result.values.astype(float)
        found[result.values == far] = np.inf
        np.testing.assert_array_equal(found, hops)


def test_label_propagation_finds_weak_components(rng):
    matrix = random_matrix(rng, m=250)
    algorithm = gp.Algorithm(
        "labels",
        gather="min(a, b)",
        identity=2**32 - 1,
        initial=lambda graph: np.arange(graph.num_vertices),
        view="undirected",
        idempotent=True,
        field="component",
    )
    _, parts = csgraph.connected_components(matrix, directed=False)
    expected = np.array([np.flatnonzero(parts == part)[0] for part in parts])
    assert len(set(expected)) > 5
    np.testing.assert_array_equal(algorithm(matrix).component, expected)


@pytest.mark.parametrize("form", ["keyword", "struct"])
def test_components_are_found_at_once_where_they_are_the_answer(rng, form):
    matrix = random_matrix(rng, m=250)
    how = {"identity": 2**32 - 1, "view": "undirected", "idempotent": True, "field": "least"}
    if form == "keyword":
        algorithm = gp.Algorithm("least_number", gather="min(a, b)", components=True, **how)
    else:
        algorithm = gp.Algorithm("least_number", LEAST_NUMBER, **how)
    numbers = rng.integers(0, 2**32 - 1, 300)
    _, parts = csgraph.connected_components(matrix, directed=False)
    expected = np.array([numbers[parts == part].min() for part in parts])
    for options in ({}, {"num_threads": 2}, {"method": "gas"}, {"device": "emulator"}):
        result = algorithm(matrix, initial=numbers, **options)
        np.testing.assert_array_equal(result.least, expected)
        assert set(result.stats.supersteps["kind"]) == (
            {"gas"} if "method" in options or "device" in options else {"components"}
        )


LEAST_NUMBER = """
struct Hooks {
  using Property = prop_t;
  static constexpr Property kIdentity = 0xffffffffu;
  static constexpr bool kIdempotent = true, kReadsEdgeProperty = false;
  static constexpr bool kComponents = true;
  static Property preprocessProperty(Property p) { return p; }
  static Property scatterFunc(Property p, Property) { return p; }
  static Property gatherFunc(Property a, Property b) { return a < b ? a : b; }
  static Property updateMergeInRAWSolver(Property a, Property b) { return gatherFunc(a, b); }
  static Property applyMerge(Property a, Property b) { return gatherFunc(a, b); }
  static Property applyFunc(Property gathered, Property own, Property, unsigned& extra, unsigned) {
    extra += gathered < own;
    return gatherFunc(gathered, own);
  }
};
"""


@pytest.mark.parametrize("options", [{}, {"view": "undirected"}, {"idempotent": True}])
def test_components_are_of_undirected_idempotent_programs(options):
    with pytest.raises(gp.InputError, match=r"components=True with .*: give view='undirected' and idempotent=True"):
        gp.Algorithm("least_number", gather="min(a, b)", components=True, **options)


def test_who_finds_components_has_no_degrees(rng):
    declared = {"view": "undirected", "idempotent": True, "components": True}
    algorithm = gp.Algorithm("least_number", gather="min(a, b)", initial="out_degree(v)", **declared)
    with pytest.raises(gp.CompileError, match="out_degree"):
        algorithm(random_matrix(rng))


@both
def test_inputs_and_properties_as_arrays(rng, device):
    """x <- b + A' x, a few times, with the vectors given in the call."""
    matrix = random_matrix(rng, n=50, m=200, high=5)
    algorithm = gp.Algorithm(
        "affine",
        prop="int64",
        scatter="src * edge",
        gather="a + b",
        apply="shift * offset + scaled + acc",
        inputs={"offset": None, "scaled": "3 * v"},
        parameters={"shift": 2},
        until=("steps", 3),
    )
    offset = rng.integers(-5, 5, 50)
    start = rng.integers(-(2**40), 2**40, 50)
    x = start.copy()
    for _ in range(3):
        x = 2 * offset + 3 * np.arange(50) + matrix.T @ x
    np.testing.assert_array_equal(algorithm(matrix, offset=offset, initial=start, device=device).values, x)
    with pytest.raises(gp.InputError, match="needs offset="):
        algorithm(matrix)
    with pytest.raises(gp.InputError, match=r"shape \(49,\)"):
        algorithm(matrix, offset=offset[:49])
    with pytest.raises(gp.InputError, match=r"offset\[3\].*is 0\.5"):
        algorithm(matrix, offset=np.where(np.arange(50) == 3, 0.5, 0))


@both
def test_fixed_point_finds_its_scale(rng, device):
    """Sums of a random walk without damping: each vertex's mass times its in-flow, three steps."""
    matrix = random_matrix(rng, n=64, m=400)
    algorithm = gp.Algorithm(
        "spread",
        prop=gp.fixed(32),
        gather="saturating_add(a, b)",
        apply="multiply_fraction(acc, share, 31)",
        parameters={"share": 0.25},
        until=("steps", 3),
        initial=lambda graph: np.full(graph.num_vertices, 1.5),
    )
    x = np.full(64, 1.5)
    for _ in range(3):
        x = 0.25 * (matrix.astype(bool).astype(float).T @ x)
    result = algorithm(matrix, device=device)
    assert result.stats.attempts > 1
    largest = max(x.max(), 1.5)
    assert largest * 2.0**result.stats.scale_bits < 2**32
    np.testing.assert_allclose(result.values, x, rtol=0, atol=200 * 2.0**-result.stats.scale_bits)


def test_signature_and_docstring_are_as_those_of_built_in_algorithms():
    signature = inspect.signature(snippets.widest())
    assert list(signature.parameters)[:2] == ["graph", "root"]
    assert signature.parameters["root"].default == 0
    assert "Width of the widest path." in snippets.widest().__doc__
    assert "0 <= root < graph.num_vertices." in snippets.widest().__doc__
    assert "0 <= damping <= 1." in snippets.pagerank().__doc__
    assert "Probability of following an edge." in snippets.pagerank().__doc__


def test_registered_algorithms_are_functions_of_the_package(rng):
    matrix = random_matrix(rng)
    try:
        gp.register(snippets.widest())
        np.testing.assert_array_equal(gp.widest_path(matrix, root=4).values, widest_by_brute_force(matrix, 4))
        assert "widest_path" in gp.algorithms
        gp.register(snippets.widest())  # the same once more, as when a notebook's cell runs again
        other = gp.Algorithm("widest_path", gather="max(a, b)")
        with pytest.raises(gp.InputError, match="registered already"):
            gp.register(other)
        gp.register(other, replace=True)
    finally:
        gp.unregister("widest_path")
    assert not hasattr(gp, "widest_path")
    assert "widest_path" not in gp.algorithms


def test_a_run_without_a_tolerance_is_not_told_to_raise_it(rng):
    with pytest.warns(gp.NotConvergedWarning, match=r"in 1 super-steps; raise max_iter$"):
        snippets.one_line()(random_matrix(rng), max_iter=1)


@pytest.mark.parametrize("until", ["no_active", "no_change"])
def test_programs_that_never_rest_end_at_a_limit_that_says_so(until):
    runaway = gp.Algorithm("runaway", scatter="src", gather="a + b", apply="old + 1", initial="1", until=until)
    assert inspect.signature(runaway.function).parameters["max_iter"].default == "auto"
    graph = gp.generate.chain(64)
    limit = 4 * 64 + 10_000
    with pytest.warns(gp.NotConvergedWarning, match=rf"in {limit} super-steps, the default limit.*max_iter=") as caught:
        result = runaway(graph)
    assert caught[0].filename == __file__
    assert result.values.tolist() == [1 + limit] * 64
    assert result.stats.num_supersteps == limit
    assert not result.stats.converged
    with pytest.warns(gp.NotConvergedWarning, match=r"in 7 super-steps; raise max_iter$"):
        assert runaway(graph, max_iter=7).values.tolist() == [8] * 64
    with pytest.warns(gp.NotConvergedWarning, match=r"in 10001 super-steps; raise max_iter$"):
        assert runaway(graph, max_iter=10_001).values.tolist() == [10_002] * 64


def test_the_default_limit_fits_32_bits_and_is_more_than_the_longest_path():
    algorithm = snippets.one_line()

    class Huge:
        num_vertices = 2**32 - 2
        labels = None

    assert algorithm._arguments.resolved(Huge, {"root": 0, "max_iter": "auto"})["max_iter"] == 2**31 - 1
    chain = gp.Graph((np.arange(11_000), np.arange(1, 11_001), np.full(11_000, 3)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert algorithm(chain, root=0).values[1:].tolist() == [3] * 11_000
