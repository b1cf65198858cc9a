# SPDX-License-Identifier: Apache-2.0
"""Accelerators of blocks that users put together: gp.Chain. Answers are SciPy's and NetworkX's. (GOP-36)"""

import importlib
import os
import signal
import subprocess
import sys
import textwrap

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import gaspipe as gp
from conftest import REPOSITORY

pytestmark = pytest.mark.usefixtures("compiled_snippets")


def matrix_of(n, density, seed):
    matrix = sparse.random_array((n, n), density=density, format="csr", rng=np.random.default_rng(seed))
    matrix.data[:] = 1
    return matrix.astype(np.float32)


def sums_chain(values="along_edges"):
    chain = gp.Chain("sums")
    chain.array("rows", "uint64")
    chain.array(values, "float32")
    chain.array("sums", "float32")
    chain.add("for_all_prop_rdr", rows="rows", values=values, sets="sets", lines="lines")
    chain.add("NbrPropRed", sets="sets", lines="lines", out="new", functor=gp.Chain.SUM)
    chain.add("elem_update", updates="new", values="sums")
    return chain


@pytest.fixture(scope="module")
def sums():
    return sums_chain()


def row_sums(chain, matrix, values, **how):
    start = np.zeros(matrix.shape[0], np.float32)
    return chain.run(rows=matrix.indptr, along_edges=values[matrix.indices], sums=start, **how)


@pytest.mark.parametrize("n", [1, 15, 16, 1000])
@pytest.mark.parametrize("shallow", [False, True])
def test_sums_are_scipys(sums, n, shallow):
    matrix = matrix_of(n, min(1, 8 / n), n)
    values = np.random.default_rng(2).random(n).astype(np.float32)
    result = row_sums(sums, matrix, values, shallow=shallow)
    np.testing.assert_allclose(result.arrays["sums"], matrix @ values, rtol=1e-5, atol=1e-6)


def test_a_graph_without_edges_writes_nothing(sums):
    result = sums.run(rows=np.zeros(101, np.uint64), along_edges=np.zeros(0, np.float32), sums=np.ones(100, np.float32))
    assert (result.arrays["sums"] == 1).all()
    assert result.ports["along_edges"]["beats"] == 0


def test_ports_count_what_was_read(sums):
    # 64 vertices with 16 elements each: lines of 16, and 65 offsets in 9 lines of 8.
    result = sums.run(rows=16 * np.arange(65), along_edges=np.ones(1024, np.float32), sums=np.zeros(64, np.float32))
    assert result.ports["along_edges"] == {
        "bytes_read": 4096,
        "bytes_written": 0,
        "beats": 64,
        "share": pytest.approx(4096 / (result.cycles * 19.2e9 * 0.9 / 250e6), rel=0.3),
    }
    assert result.ports["rows"]["beats"] == 9
    assert result.ports["sums"]["bytes_written"] == 256
    assert result.streams["sets"]["tokens"] == 65
    assert (result.arrays["sums"] == 16).all()
    text = result.report(num_edges=1024)
    assert "4.00" in text and "nbr_prop_red" in text
    assert result.limit in text


def test_a_board_may_be_described(sums):
    # A line of 16 elements a vertex, added in 8 cycles: a memory of 4 bytes a cycle takes 16 for each.
    n = 4000
    given = {"rows": 16 * np.arange(n + 1), "along_edges": np.ones(16 * n, np.float32), "sums": np.zeros(n, np.float32)}
    memory = {"num_banks": 1, "peak_bytes_per_second": 4 * 400e6, "efficiency": 1, "latency_ns": 100}
    slow = gp.Board("u250", name="slow", clock_mhz=400, memory=memory)
    result = sums.run(**given, board=slow)
    assert (result.arrays["sums"] == 16).all()
    assert result.board == "slow"
    moved = sum(port["bytes_read"] + port["bytes_written"] for port in result.ports.values())
    assert moved / 4 < result.cycles < 1.05 * moved / 4
    assert result.seconds == result.cycles / 400e6
    assert sum(port["share"] for port in result.ports.values()) == pytest.approx(moved / 4 / result.cycles)
    assert sums.run(**given, board="u280").cycles == sums.run(**given, device="emulator:u280").cycles


def test_what_is_unknown_of_a_board_is_assumed(sums):
    # No clock is known of U55C: 250 MHz are assumed, as in other predictions.
    given = {"rows": [0, 1], "along_edges": np.ones(1, np.float32), "sums": np.zeros(1, np.float32)}
    result = sums.run(**given, device="emulator:u55c")
    assert result.seconds == result.cycles / 250e6


@pytest.mark.parametrize("name", ["device", "board", "shallow"])
def test_options_of_a_run_name_no_array_or_number(name):
    chain = sums_chain(values=name)
    chain.check()
    with pytest.raises(gp.InputError, match=f"calls an array or a number '{name}', an option of run"):
        chain.run(rows=[0, 1], sums=np.zeros(1, np.float32), **{name: np.ones(1, np.float32)})


# The degree-weighted average of the neighbors, with two custom blocks.
FORK = gp.Block(
    "fork",
    """SetMeta meta;
do {
  GASPIPE_PIPELINE(1);
  read_from_stream(sets, meta);
  write_to_stream(first, meta);
  write_to_stream(second, meta);
} while (!meta.end);""",
    inputs={"sets": "SetMeta"},
    outputs={"first": "SetMeta", "second": "SetMeta"},
)
DIVIDE = gp.Block(
    "divide",
    """VertexProperty<float> a, b;
do {
  GASPIPE_PIPELINE(1);
  read_from_stream(top, a);
  read_from_stream(bottom, b);
  a.value = a.end ? 0 : a.value / b.value;
  write_to_stream(out, a);
} while (!a.end);""",
    inputs={"top": "VertexProperty<float>", "bottom": "VertexProperty<float>"},
    outputs={"out": "VertexProperty<float>"},
)


def average_chain():
    chain = gp.Chain("degree_weighted_average")
    chain.array("rows", "uint64")
    for name in ("weighted", "degrees", "average"):
        chain.array(name, "float32")
    chain.add("for_all_prop_rdr", rows="rows", values="weighted", sets="all", lines="weighted_lines")
    chain.add(FORK, sets="all", first="left", second="right")
    chain.add("nbr_prop_red", sets="left", lines="weighted_lines", out="top", functor=gp.Chain.SUM)
    chain.add("set_req", sets="right", values="degrees", out="asked", lines="degree_lines")
    chain.add("nbr_prop_red", sets="asked", lines="degree_lines", out="bottom", functor=gp.Chain.SUM)
    chain.add(DIVIDE, top="top", bottom="bottom", out="new")
    chain.add("elem_update", updates="new", values="average")
    return chain


def test_degree_weighted_average_with_custom_blocks():
    matrix = matrix_of(500, 0.02, 7)
    values = np.random.default_rng(3).random(500).astype(np.float32)
    degrees = np.maximum(np.diff(matrix.indptr), 1).astype(np.float32)
    chain = average_chain()
    for shallow in (False, True):
        result = chain.run(
            rows=matrix.indptr,
            weighted=(degrees * values)[matrix.indices],
            degrees=degrees[matrix.indices],
            average=np.full(500, np.nan, np.float32),
            shallow=shallow,
        )
        bottom = matrix @ degrees
        expected = np.where(bottom > 0, matrix @ (degrees * values) / np.maximum(bottom, 1), np.nan)
        np.testing.assert_allclose(result.arrays["average"], expected, rtol=1e-4)
    assert "nbr_prop_red_2" in result.blocks


def test_betweenness_by_sums_along_edges(sums):
    graph = nx.karate_club_graph()
    matrix = sparse.csr_array(nx.to_scipy_sparse_array(graph, weight=None, dtype=np.float32))
    n = matrix.shape[0]
    rows = np.repeat(np.arange(n), np.diff(matrix.indptr))
    found = np.zeros(n)
    for root in range(0, n, 5):
        level = np.full(n, -1)
        level[root], paths, depth = 0, np.zeros(n, np.float32), 0
        paths[root] = 1
        while True:
            from_last = np.where(level == depth, paths, 0).astype(np.float32)
            reached = row_sums(sums, matrix, from_last).arrays["sums"]
            new = (level < 0) & (reached > 0)
            if not new.any():
                break
            depth += 1
            level[new], paths[new] = depth, reached[new]
        share = np.zeros(n, np.float32)
        for at in range(depth, 0, -1):
            along = np.where(level == at, (1 + share) / np.maximum(paths, 1), 0).astype(np.float32)
            sent = row_sums(sums, matrix, along).arrays["sums"]
            share = np.where(level == at - 1, paths * sent, share).astype(np.float32)
        share[root] = 0
        found += share
    expected = nx.betweenness_centrality_subset(graph, range(0, n, 5), range(n), normalized=False)
    np.testing.assert_allclose(found / 2, [expected[v] for v in range(n)], rtol=1e-4, atol=1e-4)
    assert len(rows) == matrix.nnz


# Wiring.


def rewired(**changes):
    """The chain of sums with one block's wires changed; what is given as None is left open."""
    blocks = {
        "for_all_prop_rdr": {"rows": "rows", "values": "along_edges", "sets": "sets", "lines": "lines"},
        "nbr_prop_red": {"sets": "sets", "lines": "lines", "out": "new", "functor": gp.Chain.SUM},
        "elem_update": {"updates": "new", "values": "sums"},
    }
    chain = gp.Chain("sums")
    for name, dtype in {"rows": "uint64", "along_edges": "float32", "sums": "float32"}.items():
        chain.array(name, changes.pop(f"dtype_of_{name}", dtype))
    for block, wires in blocks.items():
        wires.update(changes.pop(block, {}))
        chain.add(block, **{port: wire for port, wire in wires.items() if wire is not None})
    return chain


def test_a_chain_that_is_wired_right_checks():
    rewired().check()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"nbr_prop_red": {"lines": None}}, ["'lines'", "nbr_prop_red", "open"]),
        ({"nbr_prop_red": {"out": "other"}}, ["stream 'other'", "nbr_prop_red.out", "no reader"]),
        ({"elem_update": {"changed": "sets"}}, ["stream 'sets'", "writers", "for_all_prop_rdr.sets", "elem_update"]),
        ({"nbr_prop_red": {"sets": "lines", "lines": "sets"}}, ["'sets'", "SetMeta", "Line<", "nbr_prop_red.lines"]),
        (
            {"dtype_of_sums": "float64", "nbr_prop_red": {"value": "float32"}},
            ["'new'", "VertexProperty<float>", "VertexProperty<double>", "elem_update"],
        ),
        ({"dtype_of_rows": "uint32"}, ["'rows'", "uint32", "for_all_prop_rdr", "uint64"]),
        (
            {"elem_update": {"values": "along_edges"}},
            ["'along_edges'", "elem_update", "for_all_prop_rdr", "two arrays"],
        ),
        ({"elem_update": {"values": "none"}}, ["'none'", "array()", "rows, along_edges, sums"]),
    ],
)
def test_wiring_faults_are_named_before_a_run(changes, says):
    chain = rewired(**changes)
    with pytest.raises(gp.InputError) as error:
        chain.check()
    assert all(part in str(error.value) for part in says), error.value


def test_a_circle_needs_a_buffer():
    token = {"inputs": {"a": "VertexToken"}, "outputs": {"b": "VertexToken"}}
    chain = gp.Chain("ring")
    chain.add(gp.Block("one", "", **token), a="back", b="there")
    chain.add(gp.Block("two", "", **token), a="there", b="back")
    with pytest.raises(gp.InputError, match=r"one -> two -> one.*circle without a buffer"):
        chain.check()
    chain.stream("back", 64)
    chain.check()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda c: c.add("no_block"), "known are for_all_prop_rdr"),
        (lambda c: c.add("elem_update", nothing="x"), "it has changed, order, policy, updates, values"),
        (lambda c: c.add("elem_update", updates=3), "the name of a stream"),
        (lambda c: c.add("nbr_prop_red", sets="a"), "functor=.*identity, map, combine, finish, kCycles"),
        (lambda c: c.add("elem_update", policy="worst"), "overwrite, least"),
        (lambda c: c.add("elem_update", order="random"), "order .* is 'random'; allowed are ascending, any"),
        (lambda c: c.add("nbr_prop_red", functor=gp.Chain.SUM, args=(1, 2, 3)), "at most two numbers or names"),
        (lambda c: [c.add("elem_update", name="same") for _ in range(2)], "has a block 'same' already"),
        (lambda c: [c.array("x", "float32") for _ in range(2)], "has an array 'x' already"),
        (lambda c: c.add("elem_update", name="Elem"), "lower case"),
        (lambda c: c.array("x", "float16"), "float16; allowed are float32"),
        (lambda c: c.array("x", "complex128"), "complex128; allowed are float32"),  # wider than a lane of a line
        (lambda c: c.stream("x", 0), "1 to 65536"),
        (lambda c: c.check(), "has no blocks"),
        (lambda c: gp.Block("elem_update", "", inputs={"a": "VertexToken"}), "one of gaspipe's"),
        (lambda c: gp.Block("mine", ""), "no streams"),
        *((lambda c, name=name: gp.Chain(name), f"'{name}', which C") for name in ("double", "main")),
        (lambda c: gp.Block("mine", "", inputs={"new": "VertexToken"}), r"'new', which C\+\+ needs itself"),
    ],
)
def test_what_cannot_be_is_refused(call, says):
    with pytest.raises(gp.InputError, match=says):
        call(gp.Chain("empty"))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"rows": None}, "array 'rows' .* is missing"),
        ({"along_edges": np.zeros(5, np.float64)}, "float64, which float32 does not hold"),
        ({"rows": np.array([0, -1])}, "which uint64 does not hold"),
        ({"sums": np.zeros((2, 2), np.float32)}, "2 dimensions"),
        ({"extra": 1}, "no array and no number 'extra'"),
        ({"device": "cpu"}, "emulator:<board>"),
        ({"board": "u999"}, "there is no board 'u999'"),
        ({"board": {"base": "u250", "memory": {"banks": 1}}}, r"unknown key 'memory\.banks'"),
        ({"num_vertices": 2**33}, "32 bits"),
        ({"num_vertices": 1.0}, r"number 'num_vertices' is 1\.0; an integer of at least 0"),
        ({"num_vertices": -1}, "number 'num_vertices' is -1; an integer"),
        ({"rows": np.zeros(0, np.uint64)}, "array 'rows' is empty; num_vertices"),
    ],
)
def test_runs_refuse_what_does_not_fit(sums, given, says):
    right = {"rows": [0, 1], "along_edges": np.zeros(1, np.float32), "sums": np.zeros(1, np.float32)}
    with pytest.raises(gp.InputError, match=says):
        sums.run(**{name: value for name, value in {**right, **given}.items() if value is not None})


def test_what_there_is_and_what_it_becomes_can_be_looked_at(sums):
    assert {"for_all_prop_rdr", "nbr_prop_red", "elem_update"} <= gp.Chain.blocks().keys()
    assert all(gp.Chain.blocks().values())
    assert repr(sums) == "Chain('sums': for_all_prop_rdr, nbr_prop_red, elem_update)"
    assert repr(gp.Chain("empty")) == "Chain('empty': no blocks)"
    assert "GASPIPE_DATAFLOW" in sums.source()


def test_a_functor_that_does_not_compile_is_shown():
    chain = rewired(nbr_prop_red={"functor": gp.Chain.SUM.replace("return a + b", "return a plus b")})
    with pytest.raises(gp.CompileError, match=r"nbr_prop_red\.functor:3"):
        row_sums(chain, matrix_of(4, 1, 1), np.ones(4, np.float32))


def test_a_hung_block_is_named(sums):
    # Offsets that go backwards: more elements are announced than memory has lines.
    with pytest.raises(gp.DeviceError, match=r"along_edges|nbr_prop_red|mem_rd_unit"):
        sums.run(rows=[0, 10**6], along_edges=np.zeros(1, np.float32), sums=np.zeros(1, np.float32))


def test_a_custom_block_that_hangs_is_named():
    # It waits for a token after the end.
    greedy = """
      SetMeta meta;
      while (true) {
        GASPIPE_PIPELINE(1);
        read_from_stream(in, meta);
        write_to_stream(out, meta);
      }"""
    chain = gp.Chain("stuck")
    for name, dtype in (("rows", "uint64"), ("along_edges", "float32"), ("sums", "float32")):
        chain.array(name, dtype)
    chain.add("for_all_prop_rdr", rows="rows", values="along_edges", sets="sets", lines="lines")
    chain.add(
        gp.Block("greedy", greedy, inputs={"in": "SetMeta"}, outputs={"out": "SetMeta"}),
        **{"in": "sets", "out": "more"},
    )
    chain.add("nbr_prop_red", sets="more", lines="lines", out="new", functor=gp.Chain.SUM)
    chain.add("elem_update", updates="new", values="sums")
    with pytest.raises(gp.DeviceError, match=r"deadlock(.|\n)*greedy"):
        chain.run(rows=[0, 1, 2], along_edges=np.ones(2, np.float32), sums=np.zeros(2, np.float32))


@pytest.mark.needs("matplotlib")
def test_it_can_be_drawn_and_built(sums, tmp_path):
    matrix = matrix_of(64, 0.1, 1)
    axes = row_sums(sums, matrix, np.ones(64, np.float32)).plot()
    shown = " ".join(text.get_text() for text in axes.texts)
    assert all(name in shown for name in ("for_all_prop_rdr", "nbr_prop_red", "elem_update", "sets", "reads rows"))
    assert sums.plot().get_title() == "chain sums"
    importlib.import_module("matplotlib.pyplot").close("all")
    names = sums.build("u250", tmp_path / "built")
    assert {"sums.cpp", "link.cfg", "build.sh", "include/hls/block/nbr_prop_red.h"} <= set(names)
    kernel = (tmp_path / "built" / "sums.cpp").read_text()
    assert 'extern "C" void sums(' in kernel
    assert kernel.count("#pragma HLS INTERFACE m_axi") == 5
    assert "#line" not in kernel
    assert "sp=sums_1.elem_update_values_w:DDR[2]" in (tmp_path / "built" / "link.cfg").read_text()
    with pytest.raises(gp.InputError, match="not empty"):
        sums.build("u250", tmp_path / "built")
    with pytest.raises(gp.InputError, match="u999"):
        sums.build("u999", tmp_path / "other")


def test_the_example_in_cpp_has_less_than_60_lines():
    # GOP-36, composed in C++; tests/cpp/examples/accelerator_test.cpp runs it.
    text = (REPOSITORY / "cpp" / "examples" / "weighted_average.h").read_text(encoding="utf-8")
    lines = [line.strip() for line in text.splitlines()]
    code = [line for line in lines if line and not line.startswith("//")]
    tasks = [line for line in code if line.startswith("GASPIPE_TASK(")]
    assert len(tasks) == 13
    assert len(code) < 60


def test_ctrl_c_ends_a_run(sums):
    code = """
        import sys
        sys.path.insert(0, sys.argv[1])
        import numpy as np
        from test_chain import sums_chain
        n = 3_000_000
        chain = sums_chain()
        chain.run(rows=[0, 1], along_edges=np.zeros(1, np.float32), sums=np.zeros(1, np.float32))
        print("begins", flush=True)
        chain.run(rows=np.arange(n + 1), along_edges=np.ones(n, np.float32), sums=np.zeros(n, np.float32))
        chain.run(rows=np.arange(n + 1), along_edges=np.ones(n, np.float32), sums=np.zeros(n, np.float32))
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), os.path.dirname(__file__)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "begins\n"
    try:
        process.wait(0.3)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in err
