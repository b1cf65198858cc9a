# SPDX-License-Identifier: Apache-2.0
"""Algorithms of the CPU as accelerators of GraphOps' blocks: gp.conductance and gp.vertex_cover in the emulator."""

import json
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp

EMULATED = {"device": "emulator:u250", "design": "graphops"}
WAYS = [
    {"device": "emulator", "design": "graphops"},
    EMULATED,
    {**EMULATED, "execution": "shallow"},
    {"device": "emulator:u280", "design": "graphops"},
]


def graphs():
    """Directed and symmetric, deep, a star, with self-loops and parallel edges, without edges, of one vertex."""
    yield gp.generate.kronecker(7, 8, seed=1, symmetric=False)
    yield gp.generate.kronecker(6, 6, seed=2)
    yield gp.generate.chain(40)
    yield gp.generate.star(100)
    yield gp.Graph(([0, 0, 1, 2, 2, 3], [1, 1, 1, 0, 3, 2]))
    yield gp.Graph(sp.csr_array((5, 5)))
    yield gp.Graph(([0], [0]))


def same(call, graph, how, **arguments):
    """A run by blocks, with all answers of the CPU's."""
    found, plain = call(graph, **arguments, **how), call(graph, **arguments)
    for field in plain._fields:
        one, other = getattr(found, field.name), getattr(plain, field.name)
        assert np.array_equal(one, other, equal_nan=True), field.name
        assert np.asarray(one).dtype == np.asarray(other).dtype
    stats = found.stats
    assert (stats.device, stats.converged, stats.number) == ("emulator", True, "")
    assert stats.blocks.kernel == f"graphops_{call.__name__}"
    assert stats.execution == how.get("execution", "exact" if ":" in how["device"] else "fast")
    assert (stats.blocks.cycles > 0) == (stats.predicted_cycles > 0) == (stats.execution != "fast")
    return found


@pytest.mark.parametrize("how", WAYS, ids=lambda how: "-".join(how.values()))
@pytest.mark.parametrize("graph", list(graphs()), ids=lambda g: f"{g.num_vertices}-{g.num_edges}")
def test_answers_are_those_of_the_cpu(graph, how):
    # GOP-34, GOP-35.
    n = graph.num_vertices
    for members in ([], range(n), range(0, n, 3), [n - 1, n - 1] if n else []):
        same(gp.conductance, graph, how, members=list(members))
    cover = same(gp.vertex_cover, graph, how)
    assert cover.stats.num_supersteps == 1 + int(cover.size) - cover.num_matched  # an edge of a step, and none at last


@pytest.mark.parametrize("seed", range(3))
def test_conductance_is_that_of_networkx(seed):
    # GOP-34, against another's implementation.
    plain = nx.gnp_random_graph(70, 0.1, seed=seed)
    members = [v for v in plain if v % 3 == 0]
    found = gp.conductance(plain, members=members, **EMULATED)
    assert found.conductance == pytest.approx(nx.conductance(plain, members))
    assert found.cut == nx.cut_size(plain, members) == found.leaving.sum()


def test_covers_are_covers():
    # GOP-35, against NetworkX's matching.
    plain = nx.gnp_random_graph(50, 0.08, seed=4)
    found = gp.vertex_cover(plain, **EMULATED)
    assert all(found.member[u] or found.member[v] for u, v in plain.edges)
    assert found.size <= 2 * len(nx.max_weight_matching(plain, maxcardinality=True))


def test_labels_name_members():
    plain = nx.relabel_nodes(nx.path_graph(6), dict(enumerate("abcdef")))
    assert gp.conductance(plain, members=["a", "b"], **EMULATED).cut == 1


def test_runs_report_ports_and_stalls():
    # GOP-37.
    graph = gp.generate.kronecker(9, 16, seed=1)
    members = np.arange(0, 512, 2)
    stats = gp.conductance(graph, members=members, **EMULATED).stats
    ports = {port["name"]: port for port in stats.blocks.ports}
    assert list(ports) == ["properties", "offsets", "replicas"]
    assert ports["properties"]["beats"] == 512 // 16
    indptr = graph.indptr.astype(np.int64)
    first, last = indptr[members], indptr[members + 1]
    assert ports["replicas"]["beats"] == np.where(first < last, (last - 1) // 16 - first // 16 + 1, 0).sum()
    assert stats.blocks.edges == stats.edges_streamed == (last - first).sum()
    tasks = {task["name"]: task for task in stats.blocks.tasks}
    assert {"all_node_prop_red", "glob_nbr_red", "mem_rd_unit(replicas)"} <= set(tasks)
    for task in tasks.values():
        assert 0 <= sum(task[field] for field in ("busy", "waited_in", "waited_out", "waited_memory")) <= 1.000001
    shown = repr(stats.blocks)
    assert "% of the port's limit" in shown
    assert all(name in shown for name in tasks)
    assert stats.blocks.limit in {*tasks, *(f"port {name}" for name in ports), "latency"}
    shown = gp.bfs(graph, **EMULATED).stats.prediction
    assert (shown.resources["uram"], shown.resources["uram_available"]) == (64, 1280)  # the bitmap's
    assert "PE load" not in repr(shown)
    assert "on chip" not in repr(shown)
    fast = gp.conductance(graph, members=members, device="emulator", design="graphops").stats.blocks
    assert (len(fast.tasks), fast.limit, fast.cycles) == (0, "", 0)
    assert gp.conductance(graph, members=members).stats.blocks is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"device": "emulator"}, 'there are no kernels for conductance; use design="graphops", or device="cpu"'),
        ({"design": "graphops"}, 'device is "cpu"; use device="emulator"'),
        ({"device": "fpga"}, 'there are no kernels for conductance; use design="graphops", or device="cpu"'),
        ({"device": "emulator:u251", "design": "graphops"}, "u250"),
        ({"device": "gpu"}, "device is 'gpu'; allowed are"),
        ({"device": 3}, "device is of type int"),
        ({"design": "olive"}, 'design is "olive"; allowed are "gas" and "graphops"'),
        ({**EMULATED, "execution": "slow"}, 'execution is "slow"; allowed are'),
        ({**EMULATED, "num_threads": 0}, "num_threads is 0; allowed are 1"),
    ],
)
def test_what_does_not_go_together_is_refused(options, message):
    with pytest.raises(gp.InputError) as raised:
        gp.conductance(gp.generate.chain(5), members=[1], **options)
    assert message in str(raised.value)


def test_auto_is_the_cpu_where_there_is_no_card():
    for design in ("gas", "graphops"):
        assert gp.vertex_cover(gp.generate.chain(5), device="auto", design=design).stats.device == "cpu"


def test_the_cpu_stands_in_for_a_card_that_is_not_there():
    card = {"device": "fpga", "design": "graphops"}
    with pytest.warns(gp.DeviceFallbackWarning, match="running on the CPU"):
        found = gp.vertex_cover(gp.generate.chain(5), **card)
    assert found.stats.device == "cpu" and found.size == 4
    with pytest.raises(gp.DeviceError, match="use device='cpu' or fallback=True"):
        gp.vertex_cover(gp.generate.chain(5), **card, fallback=False)


def test_others_of_the_cpu_have_no_such_options():
    with pytest.raises(TypeError, match="device"):
        gp.triangles(gp.generate.chain(5), device="emulator")
    assert "design :" in gp.vertex_cover.__doc__
    assert "design :" not in gp.triangles.__doc__


def test_a_command_runs_blocks(tmp_path):
    path = tmp_path / "g.txt"
    path.write_text("0 1\n1 2\n2 0\n2 3\n")
    run = [sys.executable, "-m", "gaspipe", "vertex_cover", str(path), "--device", "emulator:u250"]
    done = subprocess.run([*run, "--design", "graphops", "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    stats = json.loads(done.stdout)["stats"]
    assert (stats["device"], stats["execution"], stats["board"]) == ("emulator", "exact", "u250")
    refused = subprocess.run(run, capture_output=True, text=True, check=False)
    assert refused.returncode == 3
    assert 'use design="graphops"' in refused.stderr


INTERRUPTED = """
import signal, sys, threading, time
import gaspipe as gp
graph = gp.generate.kronecker(15, 8, seed=1)
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(0.7, signal.raise_signal, [signal.SIGINT]).start()
try:
    gp.vertex_cover(graph, device="emulator{board}", design="graphops", num_threads=2)
except KeyboardInterrupt:
    sys.exit(7)
"""


@pytest.mark.parametrize("board", ["", ":u250"])
def test_an_interrupt_ends_a_run(board):
    script = INTERRUPTED.format(board=board)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 7, done.stderr


@pytest.mark.needs("matplotlib")
@pytest.mark.parametrize("name", ["bfs", "conductance", "pagerank", "spmv", "sssp", "vertex_cover"])
def test_pictures_show_blocks_and_every_stream(name):
    import matplotlib.pyplot

    from gaspipe._card import wiring

    graph = gp.generate.kronecker(6, 8, seed=2)
    arguments = {"spmv": {"x": np.ones(64)}, "conductance": {"members": [1, 2, 3]}, "pagerank": {"number": "fixed"}}
    result = getattr(gp, name)(graph, **arguments.get(name, {}), **EMULATED)
    axes = result.plot("blocks")
    report = result.stats.blocks
    assert f"limited by {report.limit}" in axes.get_title()
    shown = [text.get_text() for text in axes.texts]
    words = set(" ".join(shown).split())
    streams = {stream["name"] for stream in report.streams if not stream["name"].startswith("last_words")}
    assert streams == {name for task in wiring.tasks(report.kernel) for name in task.writes}
    assert streams <= words
    for stream in report.streams:
        if stream["name"] in streams:
            assert f"{stream['name']} {stream['most']}/{stream['depth']}" in "\n".join(shown)
    assert {port["name"] for port in report.ports} <= {word.rstrip(",") for word in words}
    colored = [text for text in axes.texts if text.get_bbox_patch() and text.get_bbox_patch().get_facecolor()[2] < 0.5]
    assert len(colored) == (report.limit != "latency")
    matplotlib.pyplot.close("all")
    assert result.plot("roofline").get_title()
    assert result.plot("stages").get_title()
    matplotlib.pyplot.close("all")


@pytest.mark.needs("matplotlib")
def test_pictures_of_blocks_need_a_run_by_blocks():
    graph = gp.generate.chain(5)
    for result in (gp.bfs(graph), gp.bfs(graph, device="emulator", design="graphops"), gp.triangles(graph)):
        with pytest.raises(gp.InputError, match="kind 'blocks' is for runs with design='graphops' and clocks"):
            result.plot("blocks")


@pytest.mark.parametrize("kernel", ["bfs", "conductance", "pagerank", "replicate", "spmv", "sssp", "vertex_cover"])
def test_wiring_gives_every_stream_a_writer_and_a_reader(kernel):
    from gaspipe._card import wiring

    tasks = wiring.tasks(f"graphops_{kernel}")
    written = [name for task in tasks for name in task.writes]
    read = [name for task in tasks for name in task.reads]
    assert sorted(written) == sorted(read)
    assert len(set(written)) == len(written)
