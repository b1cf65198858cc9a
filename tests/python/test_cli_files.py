# SPDX-License-Identifier: Apache-2.0
"""`gaspipe generate` and `convert`; and every example that a help text shows."""

import inspect
import json
import os
import re
import shlex
import stat

import click
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp
from command import gaspipe, random_matrix, start
from gaspipe import cli
from gaspipe.cli.generate import parameter_docs

KINDS = gp.generate.__all__
SMALL = {
    "kronecker": ["--scale", "6"],
    "rmat": ["--scale", "6"],
    "uniform": ["50", "400"],
    "grid": ["5", "7"],
    **{kind: ["12"] for kind in ("star", "chain", "complete", "acyclic")},
}
every_kind = pytest.mark.parametrize("kind", KINDS)


def edges(path):
    """(source, destination) pairs of an edge list with a header or without, by hand."""
    rows = [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]
    if rows and len(rows) - 1 == int(rows[0][1]):
        rows = rows[1:]
    return [tuple(map(int, row)) for row in rows]


def same(a, b):
    assert a.num_vertices == b.num_vertices
    assert np.array_equal(a.indptr, b.indptr)
    assert np.array_equal(a.indices, b.indices)
    assert (a.weights is None) == (b.weights is None)
    assert a.weights is None or np.array_equal(a.weights, b.weights)


# generate


@every_kind
def test_generated_file_is_the_generators_graph(kind, tmp_path):
    path = tmp_path / "g.gaspipe"
    weights = ["--weights", "1", "9", "--seed", "5"]
    for extra, options in (([], {}), (weights, {"weights": (1, 9), "seed": 5})):
        text = gaspipe("generate", kind, *SMALL[kind], *extra, "--out", path).stdout
        given = [int(a) for a in SMALL[kind] if a.isdigit()]
        wanted = getattr(gp.generate, kind)(*given, **options)
        same(gp.Graph.from_file(path), wanted)
        assert f"{wanted.num_vertices:,} vertices, {wanted.num_edges:,} edges" in text
        code = text.split("In Python: ")[1].strip().rpartition(".save(")[0]
        same(eval(code, {"gp": gp}), wanted)


@every_kind
def test_every_argument_of_a_generator_is_an_option_with_help(kind):
    text = " ".join(gaspipe("generate", kind, "--help").stdout.split())
    for name, parameter in inspect.signature(getattr(gp.generate, kind)).parameters.items():
        if name == "num_threads":
            assert "--threads" in text
        elif parameter.default is parameter.empty:
            assert f" {name.upper()}" in text
        else:
            assert f"--{name.replace('_', '-')}" in text
        assert parameter_docs(kind)[name]
    assert "As in" not in text
    assert "[1]_" not in text


def test_options_of_a_generator_reach_it(tmp_path):
    path = tmp_path / "g.gaspipe"
    options = ["--scale", "6", "--a", "0.3", "--b", "0.3", "--c", "0.2", "--no-permute", "--no-symmetric"]
    gaspipe("generate", "rmat", *options, "--edge-factor", "5", "--seed", "9", "--out", path)
    same(
        gp.Graph.from_file(path),
        gp.generate.rmat(6, 5, 0.3, 0.3, 0.2, 9, permute=False, symmetric=False),
    )


def test_generated_text_is_what_it_should_be(tmp_path):
    gaspipe("generate", "star", "4", "--no-symmetric", "--out", tmp_path / "s.txt")
    assert edges(tmp_path / "s.txt") == [(0, 1), (0, 2), (0, 3)]
    gaspipe("generate", "chain", "3", "--out", tmp_path / "c", "--format", "edge_list")
    assert edges(tmp_path / "c") == [(0, 1), (1, 0), (1, 2), (2, 1)]


# convert


def test_convert_changes_the_format_and_nothing_else(tmp_path):
    gaspipe("generate", "kronecker", "--scale", "7", "--weights", "1", "9", "--out", tmp_path / "a.txt")
    wanted = gp.Graph.from_file(tmp_path / "a.txt")
    before = tmp_path / "a.txt"
    for suffix in ("gaspipe", "mtx", "gr.gz", "npz", "txt.xz", "graph"):
        after = tmp_path / f"b.{suffix}"
        text = gaspipe("convert", before, after).stdout
        got = gp.Graph.from_file(after)
        same(got, wanted)
        exec(text.split("In Python: ")[1], {"gp": gp})
        before = after
    gaspipe("convert", before, tmp_path / "c", "--from-format", "metis", "--to-format", "matrix_market")
    import scipy.io

    same(gp.Graph(scipy.io.mmread(tmp_path / "c").tocsr()), wanted)


def test_convert_shapes_on_the_way(tmp_path):
    (tmp_path / "a.txt").write_text("0 1 4\n1 1 9\n1 2 3\n1 2 2\n5 4 1\n")
    out = tmp_path / "b.gaspipe"
    whole = gp.Graph.from_file(tmp_path / "a.txt")
    for options, wanted in (
        (["--symmetrize"], whole.symmetrize()),
        (["--simplify"], whole.simplify()),
        (["--transpose"], whole.transpose()),
        (["--largest-component"], whole.largest_component()),
        (["--reorder", "degree"], whole.reorder("degree")),
        (["--reorder", "hub", "--simplify"], whole.simplify().reorder("hub")),
        (["--largest-component", "--symmetrize"], whole.symmetrize().largest_component()),
    ):
        text = gaspipe("convert", tmp_path / "a.txt", out, *options).stdout
        got = gp.Graph.from_file(out)
        same(got, wanted)
        assert (got.labels is None) == (wanted.labels is None)
        assert got.labels is None or got.labels.tolist() == wanted.labels.tolist()
        out.unlink()
        exec(text.split("In Python: ")[1], {"gp": gp})
        same(gp.Graph.from_file(out), wanted)


def test_labels_of_an_edge_list_survive_in_a_snapshot(tmp_path):
    (tmp_path / "a.txt").write_text("1000 7\n7 50\n")
    gaspipe("convert", tmp_path / "a.txt", tmp_path / "a.gaspipe", "--relabel")
    told = json.loads(gaspipe("bfs", tmp_path / "a.gaspipe", "--root", "1000", "--json").stdout)
    assert told["top"][0] == {"vertex": 50, "depth": 2}


def test_labels_of_text_name_vertices_too(tmp_path):
    graph = gp.Graph(nx.DiGraph([("amy", "bob"), ("bob", "7"), ("7", "cat")]))
    graph.save(tmp_path / "g.gaspipe")
    for root, reached in (("amy", 4), ("7", 2), ("cat", 1)):
        told = json.loads(gaspipe("bfs", tmp_path / "g.gaspipe", "--root", root, "--json").stdout)
        assert told["summary"]["reached"] == reached
        assert told["top"][0]["vertex"] == "cat"
    assert "there is no vertex 'dan'" in gaspipe("bfs", tmp_path / "g.gaspipe", "--root", "dan", code=3).stderr
    gaspipe("bfs", tmp_path / "g.gaspipe", "--root", "amy", "--out", tmp_path / "d.csv")
    assert sorted((tmp_path / "d.csv").read_text().split()[1:]) == ["7,2", "amy,0", "bob,1", "cat,3"]


def test_rectangular_matrices_are_converted_and_multiplied(tmp_path):
    matrix = random_matrix(20, 33, seed=3)
    sp.save_npz(tmp_path / "m.npz", matrix)
    gaspipe("convert", tmp_path / "m.npz", tmp_path / "m.mtx")
    gaspipe("convert", tmp_path / "m.mtx", tmp_path / "m.gaspipe")
    gaspipe("spmv", tmp_path / "m.gaspipe", "--x", "ones", "--out", tmp_path / "y.npy")
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), matrix @ np.ones(33), rtol=1e-12)


@pytest.mark.parametrize("options", [["--memory", "64MB"], ["--views", "forward, undirected"], ["--memory", "1 GiB"]])
def test_convert_writes_blocks_within_a_budget(tmp_path, options):
    (tmp_path / "a.txt").write_text("7 3\n0 1 4\n1 1 9\n1 2 3.5\n")
    out = tmp_path / "b.gaspipe"
    text = gaspipe("convert", tmp_path / "a.txt", out, *options).stdout
    assert "b.gaspipe: 7 vertices, 3 edges, float64 weights, in blocks (" in text
    same(gp.Graph.load(out), gp.Graph.from_file(tmp_path / "a.txt"))
    content = out.read_bytes()
    out.unlink()
    exec(text.split("In Python: ")[1], {"gp": gp})
    assert out.read_bytes() == content
    assert (b'"undirected"' in content) == ("--views" in options)


def test_convert_writes_rectangles_and_labels_in_blocks(tmp_path):
    matrix = random_matrix(20, 33, seed=3)
    sp.save_npz(tmp_path / "m.npz", matrix)
    text = gaspipe("convert", tmp_path / "m.npz", tmp_path / "m.gaspipe", "--memory", "50MB").stdout
    assert "m.gaspipe: 20 x 33, " in text
    assert ", rectangular=True)" in text
    (tmp_path / "a.txt").write_text("1000 7\n7 50\n")
    gaspipe("convert", tmp_path / "a.txt", tmp_path / "a.gaspipe", "--relabel", "--memory", "50MB")
    assert gp.Graph.load(tmp_path / "a.gaspipe").labels.tolist() == [7, 50, 1000]


def test_wrong_targets_are_refused_and_leave_nothing(tmp_path):
    (tmp_path / "a.txt").write_text("0 1\n1 2\n")
    for arguments, code, text in (
        (["convert", "a.txt", "b.xyz"], 3, "b.xyz"),
        (["convert", "a.txt", "b.gr"], 3, "weights"),
        (["convert", "a.txt", "b.graph"], 3, "symmetrize"),
        (["convert", "a.txt", "none/b.mtx"], 3, "there is no such directory to write to"),
        (["convert", "none.txt", "b.mtx"], 3, "none.txt: No such file"),
        (["convert", "a.txt"], 2, "Missing argument 'OUT'"),
        (["convert", "a.txt", "b.mtx", "--reorder", "luck"], 2, "--reorder"),
        (["convert", "a.txt", "b.mtx", "--memory", "1GB"], 3, "--memory, --views and --workers are for .gaspipe files"),
        (
            ["convert", "a.txt", "b.gaspipe", "--memory", "1GB", "--largest-component"],
            3,
            "--largest-component works on",
        ),
        (["convert", "a.txt", "b.gaspipe", "--memory", "much"], 3, "memory is 'much'"),
        (["convert", "a.txt", "b.gaspipe", "--memory", "1kB"], 3, "memory is 1 kB; at least"),
        (["convert", "a.txt", "b.gaspipe", "--views", "reverse"], 3, 'views lacks "forward"'),
        (["generate", "star", "4", "--out", "b.xyz"], 3, "b.xyz"),
        (["generate", "star", "0", "--out", "b.txt"], 3, "num_vertices"),
        (["generate", "star", "--out", "b.txt"], 2, "Missing argument 'NUM_VERTICES'"),
        (["generate", "star", "4"], 2, "Missing option '--out'"),
        (["generate", "star", "4", "--weights", "9", "1", "--out", "b.txt"], 3, "weights"),
        (["generate", "rmat", "--scale", "99", "--out", "b.txt"], 3, "scale"),
        (["generate", "ring", "4", "--out", "b.txt"], 2, "No such command 'ring'"),
    ):
        given = [tmp_path / a if re.search(r"\.\w+$", a) else a for a in arguments]
        assert text in gaspipe(*given, code=code).stderr
        assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_target_that_cannot_be_written_is_refused_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr(gp.Graph, "from_file", lambda *a, **k: pytest.fail("the file was read"))
    (tmp_path / "a.txt").write_text("0 1\n")
    for target in ("b.xyz", "b.sg", "none/b.mtx"):
        gaspipe("convert", tmp_path / "a.txt", tmp_path / target, code=3)


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path):
    path = tmp_path / "a.npz"
    path.write_bytes(b"before")
    path.chmod(0o640)
    gaspipe("generate", "chain", "9", "--out", path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    same(gp.Graph.from_file(path), gp.generate.chain(9))


# What help texts show.


def commands(command=cli.main, path=()):
    """Names of all commands, as they are called."""
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from commands(command.get_command(context, name), (*path, name))


COMMANDS = list(commands())


@pytest.fixture
def examples_folder(tmp_path, monkeypatch):
    """Folder with the files that the examples name, small."""
    gp.generate.kronecker(6, 8).to_file(tmp_path / "web.txt.gz")
    gp.generate.grid(8, 9, weights=(1, 9)).to_file(tmp_path / "roads.gr.gz")
    gp.generate.uniform(20, 90).to_file(tmp_path / "matrix.mtx")
    gp.generate.uniform(20, 90).to_file(tmp_path / "huge.txt.xz")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))  # no xclbin there
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))  # which an example clears
    monkeypatch.delenv("GASPIPE_XCLBIN", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: " ".join(path) or "gaspipe")
def test_every_example_of_a_help_text_runs(path, examples_folder, monkeypatch):
    from gaspipe import demo

    monkeypatch.setattr(demo, "run", lambda echo: True)  # test_demo.py runs it
    text = gaspipe(*path, "--help").stdout
    examples = re.findall(r"(?:^ {4,}|e\.g\. )gaspipe (.*?):?$", text, re.MULTILINE)
    assert len(examples) >= (1 if path == ("demo",) else 2)
    for example in examples:
        assert tuple(shlex.split(example)[: len(path)]) == path
        gaspipe(*shlex.split(example), code=1 if example == "devices --check" else 0)


def test_all_commands_are_found():
    names = {" ".join(path) for path in COMMANDS}
    assert names >= {*gp.algorithms, "info", "convert", "generate", "algorithms", "demo"}
    assert names >= {f"generate {kind}" for kind in KINDS}


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: " ".join(path) or "gaspipe")
def test_help_fits_a_terminal(path):
    assert max(map(len, gaspipe(*path, "--help").stdout.splitlines())) <= 80


# Options for files of one format.


def read_as_json(command, *arguments):
    return json.loads(gaspipe(command, *arguments, "--json").stdout)


def test_header_of_an_edge_list_may_be_told(tmp_path):
    path = tmp_path / "e.txt"
    path.write_text("4 2\n0 1\n1 2\n")
    assert read_as_json("info", path)["num_vertices"] == 4
    assert read_as_json("info", path, "--header")["num_vertices"] == 4
    without = read_as_json("info", path, "--no-header")
    assert (without["num_vertices"], without["num_edges"]) == (5, 3)


def test_dialect_of_a_metis_file_may_be_told(tmp_path):
    path = tmp_path / "loop.graph"
    path.write_text("1 1 100\n1\n")
    assert read_as_json("info", path, "--dialect", "dimacs10")["self_loops"] == 1
    gaspipe("info", path, "--dialect", "metis", code=3)


def test_ldbc_files_without_properties_are_read_as_told(tmp_path):
    (tmp_path / "g.v").write_text("10\n20\n")
    (tmp_path / "g.e").write_text("10 20\n")
    gaspipe("info", tmp_path / "g.v", code=3)
    assert read_as_json("info", tmp_path / "g.v", "--directed")["num_edges"] == 1
    assert read_as_json("wcc", tmp_path / "g.v", "--not-directed")["graph"]["num_edges"] == 2


@pytest.mark.parametrize(
    "ending", ["npy", "txt", "csv", "csv.gz", pytest.param("parquet", marks=pytest.mark.needs("pyarrow"))]
)
def test_an_answer_that_does_not_fit_is_told_with_the_files_name(tmp_path, ending):
    (tmp_path / "a.txt").write_text("".join(f"{v} {7 * v % 5000}\n" for v in range(5000)))
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)); "
    limit += "from gaspipe.cli import main; main(prog_name='gaspipe')"
    out = tmp_path / f"rank.{ending}"
    process = start("pagerank", tmp_path / "a.txt", "--out", out, code=limit)
    assert process.communicate(timeout=60)[1].decode() == f"Error: {out}: File too large\n"
    assert process.returncode == 3
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("word", ["1_0", "1_0.5", "\u0663"])
def test_a_vector_in_a_file_has_no_numbers_that_only_python_reads(tmp_path, word):
    (tmp_path / "a.txt").write_text("0 1\n")
    x = tmp_path / "x.txt"
    x.write_text(f"5\n{word}\n", encoding="utf-8")
    told = gaspipe("spmv", tmp_path / "a.txt", "--x", x, code=3).stderr
    assert told == f'Error: {x}, line 2: found "{word}"; one number per line is needed\n'


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="the device files are Linux's")
@pytest.mark.parametrize("name", ["edges", "edges.txt", "m.npz", "g.graphml", "g.gaspipe"])
def test_an_error_of_reading_names_the_file(tmp_path, name):
    path = tmp_path / name
    path.symlink_to("/proc/self/mem")  # its first page is not mapped
    (tmp_path / "a.txt").write_text("0 1\n")
    wanted = f"Error: {path}: Input/output error\n"
    assert gaspipe("info", path, code=3).stderr == wanted
    assert gaspipe("spmv", tmp_path / "a.txt", "--x", path, code=3).stderr == wanted
