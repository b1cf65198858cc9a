# SPDX-License-Identifier: Apache-2.0
"""gp.Algorithm on a card: what is built, which xclbin serves, and the answers of the emulated card."""

import json
import os
import subprocess

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import gaspipe as gp
import snippets
from cards import build
from command import gaspipe
from gaspipe._card import kernels as _kernels
from gaspipe._own import libraries
from gaspipe.cli import own
from gaspipe.testing import assert_devices_agree
from test_algorithm import random_matrix, widest_by_brute_force
from test_kernels import COMPILER, check_syntax

DEVICES = ["cpu", "emulator", "emulator:u250", "fpga"]
BODY = "tProp > source"  # of the widest path's applyFunc


@pytest.fixture(autouse=True, scope="module")
def cache(compiled_snippets):
    """Snippets that the whole session shares."""


def changed(old=BODY, new="tProp >= source + 1", **arguments):
    """Return the widest path with another text."""
    assert old in snippets.WIDEST
    arguments = {"initial": snippets.from_root, **arguments}
    return gp.Algorithm("widest_path", snippets.WIDEST.replace(old, new), **arguments)


def digest(algorithm):
    return algorithm.plan("u250", units=2).digest


# On the emulated card.


@pytest.fixture
def on_card(emulated_card, monkeypatch):
    """Return a function that runs an algorithm on all devices, and gives the answer they agree on."""
    monkeypatch.delenv("GASPIPE_XCLBIN", raising=False)

    def run(algorithm, graph, **arguments):
        xclbin = emulated_card.add(algorithm, units=2, capacity=1 << 16)
        options = {"fpga": {"xclbin": xclbin}}
        return assert_devices_agree(algorithm, graph, DEVICES, options=options, **arguments)["fpga"]

    return run


def test_bfs_with_an_active_bit_and_zero_filled_buffers(on_card, rng):
    matrix = random_matrix(rng, n=3001, m=9000)
    result = on_card(snippets.active_bit(), gp.Graph(matrix), root=5)
    distance = csgraph.shortest_path(matrix, unweighted=True, indices=5)
    assert np.isinf(distance).any()
    np.testing.assert_array_equal(result.depth, np.where(np.isinf(distance), -1, distance))
    assert result.stats.device == "fpga"
    assert result.stats.number == "uint32"


def test_widest_path_reads_weights(on_card, rng):
    matrix = random_matrix(rng, n=2000, m=9000)
    graph = gp.Graph(matrix)
    np.testing.assert_array_equal(on_card(snippets.widest(), graph, root=3).values, widest_by_brute_force(matrix, 3))
    # Another question takes the same kernels.
    np.testing.assert_array_equal(on_card(snippets.widest(), graph, root=9).values, widest_by_brute_force(matrix, 9))


def ranks(matrix, damping, steps):
    """PageRank without the dangling vertices' share, in float64."""
    n, degree = matrix.shape[0], np.maximum(np.diff(matrix.indptr), 1)
    sources = np.repeat(np.arange(n), np.diff(matrix.indptr))
    rank = np.full(n, 1 / n)
    for _ in range(steps):
        rank = (1 - damping) / n + damping * np.bincount(matrix.indices, (rank / degree)[sources], n)
    return rank


def test_pagerank_in_fixed_point_with_a_parameter(on_card, rng):
    matrix = random_matrix(rng, n=2000, m=9000)
    graph = gp.Graph(matrix)
    for damping in (0.85, 0.5):
        result = on_card(snippets.fixed_pagerank(), graph, damping=damping)
        expected = ranks(matrix, damping, result.stats.num_supersteps)
        assert 3 < result.stats.num_supersteps < 40
        np.testing.assert_allclose(result.rank, expected, rtol=0, atol=1e-7)
        assert result.stats.scale_bits > 31


FLOATS = r"""
struct Hooks {
  using Property = float;
  using EdgeProperty = float;
  struct Arg { float share; unsigned step; };
  static constexpr bool kReadsEdgeProperty = true;
  static constexpr int kAux = 2;
  static constexpr int kExtras = 3;
  static Property scatterFunc(Property value, EdgeProperty weight) { return value * weight; }
  static Property gatherFunc(Property a, Property b) { return a + b; }
  static Property applyFunc(Property sum, Property before, const Property (&aux)[2], unsigned (&extra)[3], Arg arg) {
    extra[0] += sum > before;
    extra[2] += arg.step;
    return aux[0] * (1 - arg.share) + arg.share * (sum + aux[1]);
  }
};
"""


def test_floats_with_inputs_counters_and_arguments_of_their_own(on_card, rng):
    matrix = random_matrix(rng, n=700, m=3000).astype(np.float32) / 512
    mass = rng.random(700).astype(np.float32)
    algorithm = gp.Algorithm(
        "floats",
        FLOATS,
        prop="float32",
        parameters={"share": 0.5},
        inputs={"mass": None, "place": "v / 1024.0"},
        arg="user::Hooks::Arg{float(share), unsigned(step)}",
        initial=lambda graph: np.ones(graph.num_vertices),
        until=("steps", 6),
        view="reverse",
    )
    result = on_card(algorithm, gp.Graph(matrix), share=0.25, mass=mass)
    x = np.ones(700)
    for _ in range(6):
        x = mass * 0.75 + 0.25 * (matrix.astype(float) @ x + np.arange(700) / 1024)
    assert result.stats.number == "float32"
    np.testing.assert_allclose(result.values, x, rtol=1e-5)


@pytest.mark.parametrize("device", ["cpu", "emulator", "fpga"])
def test_an_accelerator_takes_one(device, rng, request):
    matrix = random_matrix(rng, n=2000, m=9000)
    xclbin = None
    if device == "fpga":
        xclbin = request.getfixturevalue("emulated_card").add(snippets.widest(), units=2, capacity=1 << 16)
    with gp.Accelerator(snippets.widest(), device=device, xclbin=xclbin) as accelerator:
        accelerator.acceleratorDataLoad(matrix)
        accelerator.acceleratorDataPreprocess(root=4)
        profile = accelerator.acceleratorProfile(verify=True)
        result = accelerator.result()
    assert profile.verified
    assert result.stats.device == device
    np.testing.assert_array_equal(result.values, widest_by_brute_force(matrix, 4))


def test_accelerators_tell_what_they_take(rng):
    with pytest.raises(gp.InputError, match="algorithm is 'widest_path'; known are "):
        gp.Accelerator("widest_path", device="cpu")
    gp.register(snippets.widest())
    try:
        assert "widest_path" in repr(gp.Accelerator("widest_path", device="cpu"))
    finally:
        gp.unregister("widest_path")
    with pytest.raises(gp.InputError, match="number is 'float32'; widest_path computes in uint32"):
        gp.Accelerator(snippets.widest(), device="cpu", number="float32")
    with pytest.raises(gp.InputError, match="algorithm is of type function"):
        gp.Accelerator(gp.bfs, device="cpu")
    accelerator = gp.Accelerator(snippets.widest(), device="cpu")
    accelerator.acceleratorDataLoad(random_matrix(rng))
    with pytest.raises(gp.InputError, match="root is 300"):
        accelerator.acceleratorDataPreprocess(root=300)
    with pytest.raises(gp.InputError, match="has no parameter 'rooot'"):
        accelerator.acceleratorDataPreprocess(rooot=3)


# What is built.


@pytest.mark.needs("clang++")
@pytest.mark.parametrize("name", ["active_bit", "widest", "fixed_pagerank", "struct_bfs", "one_line"])
def test_the_folder_needs_nothing_beside_it(tmp_path, monkeypatch, name):
    algorithm = getattr(snippets, name)()
    monkeypatch.chdir(tmp_path)
    folder = algorithm.build("u250", units=3)
    number = algorithm.definition.prop
    assert folder == f"{algorithm.name}_{number}_u250_hw"
    told = json.loads((tmp_path / folder / "manifest.json").read_text())
    assert (told["algorithm"], told["number"], told["units"]) == (algorithm.name, number, 3)
    assert told["weighted"] == (name in ("widest", "one_line"))
    sources = [tmp_path / folder / f"{kernel}.cpp" for kernel in ("gather_scatter", "apply")]
    for compiler in (COMPILER, ["clang++"]):
        done = check_syntax(sources, compiler, tmp_path / folder / "include", ["-Wno-unused-parameter"])
        assert done.returncode == 0, done.stderr
    script = (tmp_path / folder / "build.sh").read_text()
    assert f"--output {told['xclbin']}" in script
    with pytest.raises(gp.InputError, match="is not empty"):
        algorithm.build("u250", units=3)
    algorithm.build("u250", folder, units=2, force=True)
    assert json.loads((tmp_path / folder / "manifest.json").read_text())["units"] == 2


def test_the_script_runs_where_vitis_is(tmp_path):
    """With a v++ that compiles the syntax of what it is given, from another folder."""
    tools = tmp_path / "tools"
    tools.mkdir()
    stub = os.path.join(os.path.dirname(__file__), "..", "hls", "vitis_stub")
    (tools / "v++").write_text(
        f"""#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in --output) out=$2; shift;; -I) include=$2; shift;; *.cpp) source=$1;; esac; shift
done
[ -z "$source" ] || g++ -std=c++14 -fsyntax-only -DGASPIPE_VITIS -w -I {stub} -I $include $source || exit 1
echo made > $out
"""
    )
    (tools / "v++").chmod(0o755)
    folder = snippets.fixed_pagerank().build("u55c", tmp_path / "built", units=2)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    done = subprocess.run([f"{folder}/build.sh"], env=environment, cwd="/", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "built" / "fixed_pagerank_fixed_u55c.hw.xclbin").exists()


FILE = """
import gaspipe as gp
widest = gp.Algorithm("file_widest", scatter="min(src, edge)", gather="max(a, b)", initial="v == 0 ? 9 : 0")
"""


def test_the_command_line_builds_it(tmp_path, monkeypatch):
    file = tmp_path / "my-own.py"
    file.write_text(FILE)
    options = ["--board", "u250", "--units", "2", "--no-run", "--out"]
    monkeypatch.setattr(own, "_loaded", {})
    try:
        shown = gaspipe("build", *options, tmp_path / "a", f"{file}::file_widest").stdout
        assert "file_widest, uint32, with weights, for u250" in shown
        says = "--number is 'float32'; file_widest computes in uint32"
        assert says in gaspipe("build", *options, tmp_path / "b", "--number", "float32", str(file), code=3).stderr
        gp.unregister("file_widest")
        monkeypatch.setenv("GASPIPE_ALGORITHMS", str(file))
        gaspipe("build", *options, tmp_path / "b", "file-widest")
    finally:
        gp.unregister("file_widest")
    assert "file_widest.program.h" in os.listdir(tmp_path / "a" / "include")
    names = sorted(path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*"))
    assert names == sorted(path.relative_to(tmp_path / "b") for path in (tmp_path / "b").rglob("*"))


def test_what_has_no_kernels_is_refused(tmp_path):
    out = tmp_path / "out"
    with pytest.raises(gp.InputError, match="my_pagerank computes in float64, which no kernel has"):
        snippets.pagerank().build("u250", out)
    with pytest.raises(gp.InputError, match=r"u999"):
        snippets.widest().build("u999", out)
    with pytest.raises(gp.InputError, match="zero_filled_bfs reads no weights"):
        snippets.active_bit().build("u250", out, weighted=True)
    with pytest.raises(gp.CapacityError):
        snippets.widest().build("u250", out, units=16)
    twice = "inline unsigned twice(unsigned n) { return n ? 2 + twice(n - 1) : 0; }\n"
    recursive = gp.Algorithm("deep", twice + "inline prop_t gatherFunc(prop_t a, prop_t b) { return twice(a); }")
    with pytest.raises(gp.InputError, match=r"deep\.h:1: hardware has no recursion"):
        recursive.build("u250", out)
    with pytest.raises(gp.InputError, match=r"deep\.h:1: hardware has no recursion"):
        recursive(sp.csr_array((3, 3)), device="fpga")
    assert recursive(sp.csr_array((3, 3)), device="auto").stats.device == "cpu"
    beside = gp.Algorithm("beside", '#include "mine.h"\ninline prop_t gatherFunc(prop_t a, prop_t b) { return a; }')
    with pytest.raises(gp.InputError, match=r'beside includes "mine\.h", which no build has'):
        beside.build("u250", out)
    assert not out.exists()


# The digest.


def test_the_digest_changes_with_the_hooks_and_with_nothing_else():
    before = digest(snippets.widest())
    assert digest(changed()) != before
    same = {
        "a comment": changed("// The width", "// Another word:  the width /* of"),
        "layout": changed("return p; }", "return\n    p;  }"),
        "what a host starts from": changed(BODY, BODY, initial="v == 0", field="width"),
        "super-steps": changed(BODY, BODY, until=("steps", 4)),
    }
    found = {what: digest(algorithm) == before for what, algorithm in same.items()}
    assert found == dict.fromkeys(found, True)
    different = {
        "numbers": changed(BODY, BODY, prop="int32"),
        "weights": changed(BODY, BODY, edge_prop="float32"),
        "identity": changed(BODY, BODY, identity=1),
        "inputs": changed(BODY, BODY, inputs={"mass": "1", "degree": "out_degree(v)"}),
        "a macro": changed("inline prop_t scatterFunc", "#define SMALL 1\ninline prop_t scatterFunc"),
        "where a macro ends": changed("inline prop_t scatterFunc", "#define SMALL\n1 inline prop_t scatterFunc"),
        "a character": changed(BODY, "tProp > source + '\"' - '\"'"),
        "after a character": changed(BODY, "tProp > source + '\"' - '\"' + 1 - '\"' + '\"'"),
    }
    digests = {what: digest(algorithm) for what, algorithm in different.items()}
    assert len({before, *digests.values()}) == len(digests) + 1


def test_digests_of_built_in_kernels_do_not_know_of_users_programs():
    design = _kernels.Design("bfs", "uint32", 0, False)
    own = _kernels.Design("bfs", "uint32", 0, False, header=_kernels.read_text(gp.get_include(), design.included))
    assert _kernels.digest(gp.get_include(), design) != _kernels.digest(gp.get_include(), own)
    assert own.included == "bfs.program.h"


# Which xclbin serves; without XRT: what a card is to run runs on the CPU.


@pytest.fixture(autouse=True)
def fake(request, monkeypatch):
    if "cards" in request.fixturenames:
        monkeypatch.setattr(libraries, "_places", lambda device: "OnCpu")


@pytest.fixture
def graph(rng):
    return gp.Graph(random_matrix(rng))


def test_a_card_with_kernels_of_the_same_hooks_runs_it(cards, graph):
    path = build(cards.folder / "any_name.xclbin", snippets.widest().description)
    for device in ("fpga", "fpga:0", "fpga:u250", "auto"):
        assert snippets.widest()(graph, device=device, fallback=False).stats.device == "fpga"
    assert snippets.widest()(graph, root=2, device="fpga", xclbin=path).stats.device == "fpga"
    assert cards.opened == [str(path)]
    unweighted = gp.Graph(random_matrix(np.random.default_rng(1)).astype(bool))
    with pytest.raises(gp.DeviceError, match=r"no xclbin for widest_path, uint32, without weights.*weighted=False"):
        snippets.widest()(unweighted, device="fpga", fallback=False)


def test_kernels_of_a_changed_snippet_are_refused(cards, graph):
    path = build(cards.folder / "widest_path.xclbin", snippets.widest().description)
    says = (
        rf"no xclbin for widest_path, uint32, with weights on card 0 .*: {path} is built from other hooks than "
        r"widest_path has now, or from other kernel sources; widest_path.build\(board='u250'\) makes what one is built"
    )
    with pytest.raises(gp.DeviceError, match=says):
        changed()(graph, device="fpga", fallback=False)
    with pytest.warns(gp.DeviceFallbackWarning, match=says) as caught:
        assert changed()(graph, device="fpga").stats.device == "cpu"
    assert caught[0].filename == __file__
    assert changed()(graph, device="auto").stats.device == "cpu"
    assert cards.opened == []


def test_a_changed_snippet_of_the_same_name_loads_its_own_xclbin(cards, graph):
    other = changed()
    paths = [
        build(cards.folder / f"{i}.xclbin", algorithm.description)
        for i, algorithm in enumerate((snippets.widest(), other))
    ]
    for algorithm in (snippets.widest(), other, other, snippets.widest()):
        algorithm(graph, device="fpga", fallback=False)
    assert cards.opened == [str(paths[i]) for i in (0, 1, 0)]


def test_devices_list_what_is_registered(cards):
    path = build(cards.folder / "a.xclbin", snippets.active_bit().description)
    unknown = gp.devices()
    assert not unknown.cards[0].usable
    says = f"{path} is built from other kernel sources, or for a gp.Algorithm that is not registered"
    assert unknown.xclbins[0].problem.startswith(says)
    gp.register(snippets.active_bit())
    try:
        known = gp.devices()
    finally:
        gp.unregister("zero_filled_bfs")
    assert known.cards[0].programs == ("zero_filled_bfs, uint32, without weights",)
    assert known.cards[0].usable
    assert not gp.devices().cards[0].usable


def test_the_command_line_knows_kernels_of_files_in_the_environment(cards, tmp_path, monkeypatch):
    file = tmp_path / "own.py"
    file.write_text(FILE)
    monkeypatch.setattr(own, "_loaded", {})
    build(cards.folder / "a.xclbin", own.load(str(file))[0].description)
    assert "file_widest" not in gaspipe("devices").stdout
    monkeypatch.setenv("GASPIPE_ALGORITHMS", str(file))
    try:
        assert "usable; xclbins for file_widest, uint32, with weights" in gaspipe("devices").stdout
    finally:
        gp.unregister("file_widest")


def test_a_first_run_on_a_card_may_be_tried_apart(cards, graph):
    algorithm = changed(BODY, BODY, timeout=60)
    build(cards.folder / "a.xclbin", algorithm.description)
    assert algorithm(graph, device="fpga", fallback=False).stats.device == "fpga"
    assert algorithm._runner.tried == {"cpu"}
