# SPDX-License-Identifier: Apache-2.0
"""Shortest paths by an array of PEs: distances in the emulator, what is predicted, and the rendered kernel, run."""

import ctypes
import json
import re
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp
import references
import zoo
from command import environment
from conftest import REPOSITORY
from gaspipe._card import build as _build
from gaspipe._card import kernels as _kernels
from test_kernels import both_compilers, check_syntax, parse_link
from test_region import check_ends, lines_of
from test_rendered_tops import aligned, compile_library

INCLUDE = gp.get_include()
CONFIG = "delta_stepping"
SMALL = sorted(set(zoo.ZOO) - zoo.LARGE)
NONE, WAITS = 2**31 - 1, 2**31


def search(graph, root=0, device="emulator:u280", **options):
    return gp.sssp(graph, root, method="delta_stepping", device=device, **options)


def weighted(matrix, most=255, seed=3):
    """The pattern of a matrix with integer weights."""
    pattern = sp.csr_array(matrix)
    weights = np.random.default_rng(seed).integers(1, most + 1, pattern.nnz, dtype=np.int32)
    return sp.csr_array((weights, pattern.indices, pattern.indptr), pattern.shape)


def distances(matrix, root):
    """Return them by Dijkstra's algorithm in plain Python; -1 where there is no path."""
    return np.asarray(references.reference("sssp").answer(matrix, root=root))


@pytest.mark.parametrize("name", SMALL)
def test_distances_are_those_of_a_plain_search(name):
    matrix = weighted(references.matrix(name))
    root = matrix.shape[0] // 2
    wanted = distances(matrix, root)
    for workers in (2, 8):
        for execution in ("exact", "fast"):
            result = search(matrix, root, workers=workers, execution=execution)
            np.testing.assert_array_equal(result.distance, wanted)
            assert result.distance.dtype == np.int64
    found, plain = (call(matrix, root, predecessors=True) for call in (search, gp.sssp))
    np.testing.assert_array_equal(found.predecessor, plain.predecessor)


@pytest.mark.parametrize("name", SMALL)
def test_distances_of_floats_are_those_of_a_plain_search(name):
    matrix = weighted(references.matrix(name))
    matrix.data = (matrix.data / np.float32(7)).astype(np.float32)
    root = matrix.shape[0] // 2
    wanted = distances(matrix, root)
    for execution in ("exact", "fast"):
        result = search(matrix, root, workers=8, execution=execution)
        assert result.distance.dtype == np.float32
        np.testing.assert_allclose(result.distance, wanted, rtol=1e-5)
        np.testing.assert_array_equal(result.distance, gp.sssp(matrix, root).distance)
    assert isinstance(result.stats.pe_array.width, float)
    found, plain = (call(matrix, root, predecessors=True) for call in (search, gp.sssp))
    np.testing.assert_array_equal(found.predecessor, plain.predecessor)


def test_a_bucket_at_a_time_takes_less_than_all_that_came_nearer(tmp_path):
    graph = gp.generate.grid(40, 40, weights=(1, 100))
    result, streamed = search(graph), gp.sssp(graph, device="emulator:u280", config="hbm")
    stats, profile, prediction = result.stats, result.stats.pe_array, result.stats.prediction
    wanted = distances(graph.to_scipy(), 0)
    np.testing.assert_array_equal(result.distance, wanted)
    np.testing.assert_array_equal(streamed.distance, wanted)
    assert stats.edges_streamed < streamed.stats.edges_streamed
    assert stats.predicted_seconds < streamed.stats.predicted_seconds / 5  # one launch
    assert (stats.method, stats.execution, stats.board, prediction.config) == (
        "delta_stepping", "exact", "u280", "delta_stepping",
    )  # fmt: skip
    around = prediction.launch_seconds + prediction.step_overhead_seconds
    assert stats.predicted_seconds == pytest.approx(profile.kernel_seconds + around)
    assert profile.phase_cycles.shape == profile.step_cycles.shape == (stats.num_supersteps,)
    assert 1 < profile.num_buckets <= stats.num_supersteps
    assert profile.width >= 1
    assert (profile.workers, profile.edges) == (8, graph.num_edges)
    # Two distances a row of 64 bits, eight banks a PE.
    assert prediction.resources["uram"] == 8 * 8 * (profile.capacity // 16 // 4096)
    assert prediction.resources["uram"] < prediction.resources["uram_available"]
    names = {re.split(r"[(\[]", name)[0] for name in prediction.task_names}
    assert {"findNear", "unpackEdges", "relaxDistances", "commitDistances"} < names
    assert json.dumps(prediction.to_dict())
    result.report(tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert "Cycles of every phase on 8 PEs" in page and "relaxDistances" in page
    assert repr(profile).startswith("PePathsProfile(workers=8, edges=")


def test_a_graph_keeps_its_rows_for_the_next_call():
    graph = gp.generate.kronecker(8, weights=(1, 9))
    wanted = gp.sssp(graph, 3).distance
    np.testing.assert_array_equal(search(graph, 3, execution="fast").distance, wanted)
    rows = graph._pe_lists
    np.testing.assert_array_equal(search(graph, 3).distance, wanted)
    assert graph._pe_lists is rows
    assert gp.bfs(graph, 3, method="local_store", device="emulator").depth[3] == 0
    np.testing.assert_array_equal(search(graph, 3, workers=2).distance, wanted)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"device": "cpu"}, 'runs in the emulator .*on the CPU method="auto" goes by buckets as well'),
        ({"workers": 3}, 'workers is 3; with device="emulator:u280" method="delta_stepping" is a kernel of 2, 4'),
        ({"config": "hbm"}, 'config is "hbm"; method="delta_stepping"'),
        ({"domains": 2}, "has workers, not domains"),
        ({"execution": "quick"}, 'execution is "quick"; allowed are "auto", "fast", "exact" and "shallow"'),
        ({"root": 20}, "root"),
    ],
)
def test_bad_input_is_told(options, says):
    with pytest.raises(gp.InputError, match=says):
        search(gp.generate.chain(20), **options)


def test_bad_weights_are_told():
    chain = sp.csr_array((np.array([1.0, 2.5]), ([0, 1], [1, 2])), (3, 3))
    with pytest.raises(gp.InputError, match=r"the weights are float64; .* takes integers and float32"):
        search(chain)
    with pytest.raises(gp.InputError, match=r"edge 1 -> 2 has weight -2.5; .* takes finite numbers from 0 on"):
        search(sp.csr_array((np.array([1, -2.5], np.float32), ([0, 1], [1, 2])), (3, 3)))
    with pytest.raises(gp.InputError, match=r"edge 1 -> 2 has weight -2; .* takes integers from 0"):
        search(sp.csr_array((np.array([1, -2]), ([0, 1], [1, 2])), (3, 3)))
    with pytest.raises(gp.CapacityError, match=r"the distance of vertex 2 is beyond float32; .* with float64"):
        search(sp.csr_array((np.array([3e38, 3e38], np.float32), ([0, 1], [1, 2])), (3, 3)))
    with pytest.raises(gp.CapacityError, match="the distance of vertex 2 is 2147483646 or more"):
        search(sp.csr_array((np.array([2**30, 2**30]), ([0, 1], [1, 2])), (3, 3)))
    with pytest.raises(gp.InputError, match='"delta_stepping" is for sssp alone'):
        gp.wcc(chain, method="delta_stepping", device="emulator")


def test_a_graph_whose_distances_the_board_does_not_hold_is_refused():
    large = gp.Graph((np.array([0]), np.array([1 << 22])))
    with pytest.raises(gp.CapacityError, match=r"would own 524289 vertices, .* room for distances of 524288 in each"):
        search(large)


# What `gaspipe build` makes of it.


def plan(board="u250", **asked):
    return _build.plan(INCLUDE, "sssp", board, config=CONFIG, **asked)


def test_a_build_is_for_weights_of_31_bits():
    with pytest.raises(gp.InputError, match="number is 'uint64'; config 'delta_stepping' has uint32, float32"):
        plan(number="uint64")
    with pytest.raises(gp.InputError, match=r"config 'delta_stepping' has a length of every edge.*omit it"):
        plan(weighted=False)


@both_compilers
def test_compilers_accept_every_rendered_top(compiler, tmp_path):
    paths = []
    for units, number in ((2, "uint32"), (4, "float32"), (8, "uint32")):
        paths.append(tmp_path / f"{units}.cpp")
        paths[-1].write_text(_build.files(INCLUDE, plan(units=units, number=number))[f"{CONFIG}.cpp"])
    done = check_syntax(paths, compiler)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("units", [2, 4, 8])
def test_the_region_is_declarations_pragmas_and_calls(units):
    design = plan(units=units).design
    text = _kernels.render_kernel(INCLUDE, CONFIG, design, "kernel_of_test")
    ports = [port.name for port in _kernels.ports(INCLUDE, CONFIG, design)]
    memory = [port.name for port in _kernels.ports(INCLUDE, CONFIG, design) if port.kind != "scalar"]
    own = re.search(r"^void relax_near\((.*?)\) {\n(.*?)\n}\n", text, re.MULTILINE | re.DOTALL)
    streams, arguments = lines_of(f'extern "C" void kernel_of_test({own[1]}) {{\n{own[2]}\n}}\n')
    check_ends(streams, ports, arguments, units)
    assert {name: arguments.count(name) for name in memory} == dict.fromkeys(memory, 1)
    assert streams["wires"] == units * units


@pytest.mark.parametrize(("board", "units"), [("u250", 4), ("u280", 8)])
def test_a_build_has_as_many_pes_as_banks_and_the_emulators_room(board, units):
    made = plan(board)
    assert made.design.units == units
    texts = _build.files(INCLUDE, made)
    assert parse_link(texts["link.cfg"])["nk"] == {made.names[CONFIG]: "1:delta_1"}
    arguments = json.loads(texts["manifest.json"])["kernels"][CONFIG]["compute_units"][0]["arguments"]
    assert [r["name"] for r in arguments if r["kind"] == "scalar"] == [
        "num_words", "limit", "width", "balance", "num_phases",
    ]  # fmt: skip
    assert len({row["bundle"] for row in arguments if row["kind"] != "scalar"}) == 3 * units
    profile = search(gp.generate.chain(9), device=f"emulator:{board}", workers=units).stats.pe_array
    assert made.design.capacity == profile.capacity
    assert made.uram == units * 8 * (profile.capacity // 16 // 4096)


def memory(matrix, root, num_pes):
    """Cells, heads and edges of every PE, as hls/local_store/distances.h describes them."""
    num = matrix.shape[0]
    num_words = -(-num // num_pes // 16) or 1
    cells, heads, edges = [], [], []
    for pe in range(num_pes):
        own = np.full(16 * (num_words + 1), NONE, np.uint32)
        head, rows = np.zeros(16 * num_words, np.uint64), []
        for index, v in enumerate(range(pe, num, num_pes)):
            begin, end = matrix.indptr[v], matrix.indptr[v + 1]
            head[index] = len(rows) // 8 << 32 | int(end - begin)
            bits = matrix.data.view(np.uint32)
            weights, targets = (one[begin:end].astype(np.uint64) for one in (bits, matrix.indices))
            row = (weights << np.uint64(32) | targets).tolist()
            rows += row + [0] * (-len(row) % 8)
        own[:16] = 0
        own[2] = NONE  # lane 1 of the control word, of 64 bits: nearest
        if root % num_pes == pe:
            own[2], own[16 + root // num_pes] = 0, WAITS
        cells.append(aligned(own.view(np.uint64), np.uint64))
        heads.append(aligned(head, np.uint64))
        edges.append(aligned(rows, np.uint64))
    return num_words, cells, heads, edges


@pytest.fixture(scope="module", params=[(2, "uint32"), (4, "uint32"), (2, "float32")])
def top(request, tmp_path_factory):
    """The top of so many PEs and of such weights, compiled for the host."""
    folder = tmp_path_factory.mktemp("top")
    units, number = request.param
    made = plan(units=units, number=number, capacity=2048).design
    (folder / "top.cpp").write_text(_kernels.render_kernel(INCLUDE, CONFIG, made, "search"))
    compile_library(folder / "top.cpp", folder / "top.so")
    return units, np.dtype(number), ctypes.CDLL(str(folder / "top.so"))


def test_the_rendered_top_finds_all_distances_in_one_launch(top):
    num_pes, number, library = top
    graph = gp.generate.kronecker(10, 8, seed=4, weights=(1, 99))
    matrix = graph.to_scipy()
    matrix.data = matrix.data.astype(number)  # sums are whole numbers, which both have
    root = int(np.flatnonzero(np.diff(matrix.indptr) == 2)[0])
    num_words, cells, heads, edges = memory(matrix, root, num_pes)
    arrays = [*cells, *heads, *edges, *cells]
    scalars = num_words, 0, int(np.array(2, number).view(np.uint32)), 200, 1000
    library.search(*(ctypes.c_void_p(a.ctypes.data) for a in arrays), *map(ctypes.c_uint32, scalars))
    found = np.empty(matrix.shape[0], np.uint32)
    for pe, own in enumerate(cells):
        found[pe::num_pes] = own.view(np.uint32)[16 : 16 + len(found[pe::num_pes])]
    assert (found < WAITS).all()
    wanted = distances(graph.to_scipy(), root)
    reached = np.where(found == NONE, 0, found).view(number).astype(np.int64)
    np.testing.assert_array_equal(np.where(found == NONE, -1, reached), wanted)


def test_the_benchmark_predicts_and_checks_a_search():
    script = REPOSITORY / "benchmarks" / "delta_stepping.py"
    done = subprocess.run(
        [sys.executable, str(script), "--scale", "9", "--board", "u280"],
        capture_output=True, text=True, check=False, env=environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    row = next(line for line in done.stdout.splitlines() if line.startswith("| Kronecker 9"))
    phases, buckets = row.split("|")[3:5]
    assert 1 <= int(buckets) <= int(phases)
