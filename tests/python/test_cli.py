# SPDX-License-Identifier: Apache-2.0
"""`gaspipe ALGORITHM FILE`: every algorithm is a command that answers as its function does."""

import csv
import gzip
import json
import os
import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp
from command import gaspipe, random_matrix
from conftest import REPOSITORY
from gaspipe import _description

DESCRIBED = _description.built_in()
LDBC = REPOSITORY / "tests" / "data" / "ldbc" / "example-directed.v"
every_algorithm = pytest.mark.parametrize("name", gp.algorithms)
SCALE = 8


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Folder with a weighted graph, a list of edges with gaps between its ids, and two components."""
    folder = tmp_path_factory.mktemp("graphs")
    graph = gp.generate.kronecker(SCALE, 6, weights=(1, 50), seed=3)
    sources = np.repeat(np.arange(graph.num_vertices), graph.out_degrees())
    rows = zip(sources.tolist(), graph.indices.tolist(), graph.weights.tolist())
    (folder / "graph.txt").write_text("".join(f"{u} {v} {w}\n" for u, v, w in rows))
    (folder / "gaps.txt").write_text("1000 7\n7 50\n50 1000\n50 3\n")
    (folder / "two.txt").write_text("0 1\n1 2\n4 5\n")
    return folder


@pytest.fixture(scope="module")
def graph(files):
    return gp.Graph.from_file(files / "graph.txt")


def needed(name):
    """Options without which an algorithm cannot be asked, and their values in Python."""
    if any(p.kind == "vector" for p in DESCRIBED[name].parameters):
        return ["--x", "random:5"], lambda n: {"x": np.random.default_rng(5).random(n)}
    return [], lambda n: {}


def answer(name, graph, **options):
    return getattr(gp, name)(graph, **needed(name)[1](graph.num_vertices), **options)


# Every algorithm.


@every_algorithm
def test_every_algorithm_is_a_command_with_its_parameters_as_options(name):
    text = gaspipe(name, "--help").stdout
    for parameter in DESCRIBED[name].parameters:
        assert f"--{parameter.name.replace('_', '-')}" in text
    assert DESCRIBED[name].summary[:40] in text
    assert name in gaspipe("--help").stdout
    assert name in gaspipe("algorithms").stdout


@every_algorithm
def test_the_answer_in_a_file_is_the_functions(name, files, graph, tmp_path):
    wanted = answer(name, graph).values
    gaspipe(name, files / "graph.txt", *needed(name)[0], "--out", tmp_path / "a.npy")
    found = np.load(tmp_path / "a.npy")
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@every_algorithm
def test_json_is_one_object_that_tells_what_the_function_tells(name, files, graph):
    wanted = answer(name, graph)
    result = gaspipe(name, files / "graph.txt", *needed(name)[0], "--json", "--top", "2")
    told = json.loads(result.stdout)
    assert result.stderr == ""
    assert told["algorithm"] == name
    assert told["graph"]["num_vertices"] == graph.num_vertices
    assert told["graph"]["num_edges"] == graph.num_edges
    assert told["graph"]["weights"] == "int32"
    assert told["stats"]["num_supersteps"] == wanted.stats.num_supersteps
    assert told["stats"]["device"] == wanted.stats.device
    assert told["stats"]["number"] == wanted.stats.number
    assert told["stats"]["converged"] is wanted.stats.converged
    assert told["summary"]["field"] == wanted.field
    assert told["summary"]["dtype"] == str(wanted.values.dtype)
    assert set(told["parameters"]) == set(DESCRIBED[name].defaults)
    assert len(told["timings"]["seconds"]) == 1
    assert len(told["top"]) == min(2, len(np.unique(wanted.values))) or "size" not in told["top"][0]


@every_algorithm
def test_every_answer_agrees_with_its_plain_implementation(name, files):
    result = gaspipe(name, files / "graph.txt", *needed(name)[0], "--verify")
    assert "Verified in" in result.stdout
    told = json.loads(gaspipe(name, files / "graph.txt", *needed(name)[0], "--verify", "--json").stdout)
    assert told["verified"]["agrees"] is True
    assert told["verified"]["distance"] <= told["verified"]["tolerance"]


@every_algorithm
def test_a_wrong_answer_is_told_and_not_written(name, files, tmp_path, monkeypatch):
    right = getattr(gp, name)

    def wrong(*args, **options):
        result = right(*args, **options)
        result.values[17] += 1
        return result

    monkeypatch.setattr(gp, name, wrong)
    options = [*needed(name)[0], "--verify", "--out", tmp_path / "a.npy"]
    text = gaspipe(name, files / "graph.txt", *options, code=1).stdout
    field = DESCRIBED[name].field
    assert f"vertex 17: {field} " in text or "of 256 differ" in text
    assert "DIFFERS" in text
    assert not (tmp_path / "a.npy").exists()
    told = json.loads(gaspipe(name, files / "graph.txt", *options, "--json", code=1).stdout)
    assert told["verified"]["agrees"] is False
    assert told["out"] is None


@every_algorithm
def test_number_formats_are_offered_where_there_is_a_choice(name, files):
    numbers = DESCRIBED[name].numbers
    path = files / "graph.txt"
    assert ("--number" in gaspipe(name, "--help").stdout) == (len(numbers) > 1)
    if len(numbers) > 1:
        told = json.loads(gaspipe(name, path, *needed(name)[0], "--number", numbers[-1], "--json").stdout)
        assert told["stats"]["number"] == numbers[-1]


def test_first_difference_is_named_with_what_was_expected(files, monkeypatch):
    right = gp.bfs
    plain = right(gp.Graph.from_file(files / "two.txt"), 0).depth

    def wrong(*args, **options):
        result = right(*args, **options)
        result.values[[1, 4]] = [4, 9]
        return result

    monkeypatch.setattr(gp, "bfs", wrong)
    text = gaspipe("bfs", files / "two.txt", "--verify", code=1).stdout
    assert f"vertex 1: depth 4, expected {plain[1]}; 2 of 6 differ" in text


# The question.


def test_vertices_are_ids_of_plain_graphs_and_labels_of_labelled_ones(files):
    told = json.loads(gaspipe("bfs", files / "two.txt", "--root", "4", "--json").stdout)
    assert told["summary"] == {"field": "depth", "dtype": "int32", "reached": 2, "farthest": 1}
    assert told["top"][0] == {"vertex": 5, "depth": 1}
    told = json.loads(gaspipe("bfs", files / "gaps.txt", "--relabel", "--root", "1000", "--json").stdout)
    assert told["parameters"] == {"root": 1000}
    assert told["top"] == [{"vertex": 3, "depth": 3}, {"vertex": 50, "depth": 2}, {"vertex": 7, "depth": 1}]
    told = json.loads(gaspipe("bfs", LDBC, "--root", "1", "--json").stdout)
    graph = gp.Graph.from_file(LDBC)
    assert told["summary"]["reached"] == int((gp.bfs(graph, 1).depth >= 0).sum())


def test_default_root_of_a_labelled_graph_is_the_label_0_too(files):
    result = gaspipe("bfs", files / "gaps.txt", "--relabel", code=3)
    assert result.stderr == "Error: root: there is no vertex 0; labels are 3, 7, 50, 1000\n"
    (files / "zero.txt").write_text("0 9\n9 4\n")
    told = json.loads(gaspipe("bfs", files / "zero.txt", "--relabel", "--json").stdout)
    assert told["parameters"] == {"root": 0}
    assert told["top"][0] == {"vertex": 4, "depth": 2}


@pytest.mark.parametrize("suffix", ["npy", "txt"])
def test_personalization_comes_from_a_file(files, graph, tmp_path, suffix):
    weights = np.arange(graph.num_vertices) % 5 + 0.5
    path = tmp_path / f"weights.{suffix}"
    if suffix == "npy":
        np.save(path, weights)
    else:
        path.write_text("# one per line\n" + "\n".join(map(str, weights)) + "\n")
    gaspipe("pagerank", files / "graph.txt", "--personalization", path, "--damping", "0.5", "--out", tmp_path / "r.npy")
    wanted = gp.pagerank(graph, personalization=weights, damping=0.5).rank
    np.testing.assert_allclose(np.load(tmp_path / "r.npy"), wanted, rtol=1e-12)


@pytest.mark.parametrize("kind", ["ones", "ints", "floats", "npy"])
def test_spmv_takes_a_vector_and_matrices_that_are_not_square(tmp_path, rng, kind):
    matrix = random_matrix(30, 50, seed=1)
    sp.save_npz(tmp_path / "m.npz", matrix)
    x = np.ones(50) if kind == "ones" else rng.integers(-9, 9, 50) if kind == "ints" else rng.random(50)
    given = "ones" if kind == "ones" else tmp_path / ("x.npy" if kind == "npy" else "x.txt")
    if kind == "npy":
        np.save(given, x)
    elif kind != "ones":
        given.write_text("\n".join(map(str, x)))
    gaspipe("spmv", tmp_path / "m.npz", "--x", given, "--out", tmp_path / "y.npy", "--verify")
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), matrix @ x, rtol=1e-12)


def test_spmv_of_integers_stays_in_integers(files, tmp_path):
    (tmp_path / "x.txt").write_text("1\n2\n3\n4\n5\n6\n")
    gaspipe("spmv", files / "two.txt", "--x", tmp_path / "x.txt", "--out", tmp_path / "y.txt")
    assert (tmp_path / "y.txt").read_text().split() == ["2", "3", "0", "0", "6", "0"]
    gaspipe("spmv", files / "two.txt", "--x", "ones", "--out", tmp_path / "y.txt")
    assert (tmp_path / "y.txt").read_text().split() == ["1", "1", "0", "0", "1", "0"]


def test_closeness_answers_for_a_list_of_vertices(files, tmp_path):
    (tmp_path / "list").write_text("1\n2\n")
    for given in ("1,2", f"@{tmp_path / 'list'}"):
        gaspipe("closeness", files / "two.txt", "--vertices", given, "--out", tmp_path / "c.npy", "--no-wf-improved")
        # 0 -> 1 -> 2: one hop to 1; one and two to 2.
        np.testing.assert_allclose(np.load(tmp_path / "c.npy"), [np.nan, 1, 2 / 3, np.nan, np.nan, np.nan])
    gaspipe("closeness", files / "two.txt", "--out", tmp_path / "c.npy", "--wf-improved")
    np.testing.assert_allclose(np.load(tmp_path / "c.npy"), [0, 1 / 5, 2 / 3 * 2 / 5, 0, 0, 1 / 5])


def test_commands_come_from_the_descriptions_whatever_they_hold(files, monkeypatch):
    # What no algorithm combines: every kind of parameter, and a name of two words.
    kinds = {"root": ("vertex", 0), "most_steps": ("integer", 4), "share": ("real", 0.5), "weights": ("array", None)}
    kinds |= {"x": ("vector", None), "chosen": ("vertices", None), "is_fast": ("flag", False)}
    parameters = tuple(_description.Parameter(n, "Told.", k, d, 0.0, 9.0) for n, (k, d) in kinds.items())
    description = replace(DESCRIBED["bfs"], name="dance_all", parameters=parameters, rectangular=False)
    seen = {}

    def dance_all(graph, **options):
        seen.update(options)
        return gp.bfs(graph, 0)

    monkeypatch.setattr(_description, "algorithms", lambda: {**DESCRIBED, "dance_all": description})
    monkeypatch.setattr(gp, "dance_all", dance_all, raising=False)
    assert "dance_all" in gaspipe("--help").stdout
    np.save(files / "w.npy", np.arange(4.0))
    options = ["--root", 2, "--most-steps", 7, "--share", 0.25, "--weights", files / "w.npy", "--x", "ones"]
    result = gaspipe("dance-all", files / "two.txt", *options, "--chosen", "1,5", "--is-fast")
    assert (seen["root"], seen["most_steps"], seen["share"], seen["is_fast"]) == (2, 7, 0.25, True)
    assert seen["weights"].tolist() == [0, 1, 2, 3]
    assert seen["x"].tolist() == [1] * 6
    assert seen["chosen"] == [1, 5]
    assert "chosen=[1, 5], is_fast=True)" in result.stdout
    assert "Missing option '--x'" in gaspipe("dance_all", files / "two.txt", code=2).stderr


# The file.


def test_python_call_that_is_shown_gives_the_same_answer(files, tmp_path, monkeypatch):
    monkeypatch.chdir(files)
    for arguments in (
        ["bfs", "graph.txt", "--root", "9"],
        ["pagerank", "gaps.txt", "--relabel", "--damping", "0.5", "--number", "float32", "--threads", "1"],
        ["sssp", "gaps.txt", "--relabel", "--root", "50"],
        ["wcc", "two.txt", "--undirected", "--method", "gas"],
        ["spmv", "graph.txt", "--x", "random:4"],
        ["bfs", "graph.txt", "--format", "edge_list"],
    ):
        text = gaspipe(*arguments, "--out", tmp_path / "a.npy").stdout
        code = next(line for line in text.splitlines() if line.startswith("In Python: "))[len("In Python: ") :]
        *statements, expression = code.split("; ")
        names = {"gp": gp, "np": np}
        exec("\n".join(statements), names)
        np.testing.assert_allclose(eval(expression, names), np.load(tmp_path / "a.npy"), rtol=1e-6, err_msg=code)


def test_undirected_takes_edges_in_both_directions(files):
    told = json.loads(gaspipe("bfs", files / "two.txt", "--root", "2", "--undirected", "--json").stdout)
    assert (told["summary"]["reached"], told["graph"]["num_edges"]) == (3, 6)


# Where it runs.


def test_repeat_tells_how_the_times_spread(files):
    told = json.loads(gaspipe("bfs", files / "graph.txt", "--repeat", "5", "--json").stdout)["timings"]
    assert len(told["seconds"]) == 5
    assert (told["min"], told["max"]) == (min(told["seconds"]), max(told["seconds"]))
    assert told["median"] == sorted(told["seconds"])[2]
    assert told["spread"] == pytest.approx((told["max"] - told["min"]) / told["median"])
    assert told["prepare_seconds"] > 0
    text = gaspipe("bfs", files / "graph.txt", "--repeat", "5").stdout
    assert "median" in text and "of 5 runs, spread" in text and "MTEPS" in text and "once" in text


def test_missing_card_warns_or_fails_as_told(files):
    result = gaspipe("bfs", files / "two.txt", "--device", "fpga", "--json", "--repeat", 3)
    assert result.stderr.count("Warning: device='fpga' cannot be used") == 1
    assert json.loads(result.stdout)["stats"]["device"] == "cpu"
    result = gaspipe("bfs", files / "two.txt", "--device", "fpga", "--no-fallback", code=3)
    assert result.stderr.startswith("Error: device='fpga' cannot be used")


def test_run_that_does_not_converge_warns_and_says_so(files):
    result = gaspipe("pagerank", files / "graph.txt", "--max-iter", "2", "--json")
    assert "Warning: pagerank did not converge in 2 super-steps" in result.stderr
    assert json.loads(result.stdout)["stats"]["converged"] is False
    assert "not converged" in gaspipe("pagerank", files / "graph.txt", "--max-iter", "2").stdout


# The answer in files.


def test_text_has_a_value_per_line_that_reads_back_as_the_same_number(files, graph, tmp_path):
    wanted = gp.pagerank(graph).rank
    for name, opened in (("r.txt", open), ("r.txt.gz", gzip.open)):
        gaspipe("pagerank", files / "graph.txt", "--out", tmp_path / name)
        with opened(tmp_path / name, "rt") as file:
            np.testing.assert_allclose([float(line) for line in file], wanted, rtol=1e-12)
    result = gaspipe("bfs", files / "graph.txt", "--out", "-")
    assert [int(line) for line in result.stdout.split()] == gp.bfs(graph, 0).depth.tolist()
    assert "In Python: gp.bfs(" in result.stderr


def test_float32_answers_are_written_with_the_digits_they_have(tmp_path):
    (tmp_path / "w.txt").write_text("0 1 0.1\n1 2 0.7\n")
    gaspipe("sssp", tmp_path / "w.txt", "--number", "float32", "--out", tmp_path / "d.txt")
    found = (tmp_path / "d.txt").read_text().split()
    assert found[:2] == ["0.0", "0.1"]
    gaspipe("sssp", tmp_path / "w.txt", "--root", "1", "--out", tmp_path / "d.txt")
    assert (tmp_path / "d.txt").read_text().split() == ["inf", "0.0", "0.7"]


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".csv.xz", ".csv.bz2", ".parquet"])
@pytest.mark.needs("pandas", "pyarrow")
def test_tables_have_vertex_and_answer_and_labels_where_there_are_some(files, tmp_path, suffix):
    import pandas

    path = tmp_path / f"t{suffix}"
    read = pandas.read_parquet if suffix == ".parquet" else pandas.read_csv
    gaspipe("bfs", files / "gaps.txt", "--relabel", "--root", "7", "--out", path)
    table = read(path)
    assert table.columns.tolist() == ["vertex", "depth"]
    assert dict(zip(table.vertex.tolist(), table.depth.tolist())) == {3: 2, 7: 0, 50: 1, 1000: 2}
    gaspipe("bfs", files / "two.txt", "--root", "1", "--out", path)
    table = read(path)
    assert table.vertex.tolist() == [0, 1, 2, 3, 4, 5]
    assert table.depth.tolist() == [-1, 0, 1, -1, -1, -1]


def test_csv_quotes_labels_that_need_it(tmp_path):
    from gaspipe._result import Result
    from gaspipe.cli import output

    stats = gp.bfs(([0], [1]), 0).stats
    labels = np.array(["plain", "a,b", 'say "x"', "new\nline"], object)
    output.write(Result("bfs", "depth", np.arange(4), stats, labels), str(tmp_path / "t.csv"))
    with open(tmp_path / "t.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [["vertex", "depth"], *([label, str(i)] for i, label in enumerate(labels))]


def test_answers_of_more_rows_than_are_written_at_a_time_are_whole(tmp_path):
    from gaspipe.cli import output

    count = output.ROWS + 3
    (tmp_path / "chain.txt").write_text("".join(f"{v} {v + 1}\n" for v in range(count - 1)))
    for suffix in ("txt", "csv"):
        gaspipe("spmv", tmp_path / "chain.txt", "--x", "ones", "--out", tmp_path / f"y.{suffix}")
    assert (tmp_path / "y.txt").read_text() == "1\n" * (count - 1) + "0\n"
    rows = (tmp_path / "y.csv").read_text().splitlines()
    assert rows == ["vertex,product", *(f"{v},1" for v in range(count - 1)), f"{count - 1},0"]


def test_output_stays_as_it_was_when_writing_fails(files, tmp_path, monkeypatch):
    path = tmp_path / "a.npy"
    path.write_bytes(b"before")

    def full(file, *args, **options):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    assert "No space left" in gaspipe("bfs", files / "two.txt", "--out", path, code=3).stderr
    assert path.read_bytes() == b"before"
    assert [p.name for p in tmp_path.iterdir()] == ["a.npy"]


# What is told.


def test_summary_tells_reach_components_and_ranks(files, graph):
    text = gaspipe("bfs", files / "two.txt").stdout
    assert "two.txt: 6 vertices, 3 edges, no weights (edge_list, read in " in text
    assert "bfs from root 0: 3 of 6 vertices reached (50.0 %), the farthest at depth 2" in text
    assert "vertex 2  2" in text
    text = gaspipe("wcc", files / "two.txt", "--top", "9").stdout
    assert "3 components, the largest with 3 vertices (50.0 %)" in text
    shown = [line.split() for line in text.splitlines() if line.strip().startswith("component ")]
    assert shown == [["component", c, n, "vertices"] for c, n in (("0", "3"), ("4", "2"), ("3", "1"))]
    text = gaspipe("pagerank", files / "graph.txt", "--top", "4").stdout
    rank = gp.pagerank(graph).rank
    shown = [int(line.split()[1]) for line in text.splitlines() if line.strip().startswith("vertex ")]
    assert shown == sorted(range(len(rank)), key=lambda v: (-rank[v], v))[:4]
    assert "highest" not in gaspipe("pagerank", files / "graph.txt", "--top", "0").stdout


def test_top_holds_no_vertex_that_was_not_reached_nor_ties_in_disorder(files):
    told = json.loads(gaspipe("bfs", files / "two.txt", "--top", "100", "--json").stdout)
    assert [t["vertex"] for t in told["top"]] == [2, 1, 0]
    told = json.loads(gaspipe("sssp", files / "graph.txt", "--top", "7", "--json").stdout)
    distance = gp.sssp(gp.Graph.from_file(files / "graph.txt"), 0).distance
    wanted = sorted(np.flatnonzero(distance >= 0).tolist(), key=lambda v: (-distance[v], v))[:7]
    assert [t["vertex"] for t in told["top"]] == wanted


def test_json_has_no_nan_or_infinity(files, tmp_path):
    (tmp_path / "w.txt").write_text("0 1 0.5\n2 0 1.5\n")
    for arguments in (
        ["sssp", tmp_path / "w.txt"],
        ["closeness", files / "two.txt", "--vertices", "3", "--verify"],
        ["pagerank", files / "two.txt", "--tol", "1e308", "--verify"],
    ):
        told = json.loads(gaspipe(*arguments, "--json").stdout, parse_constant=pytest.fail)
        assert all(value is None or np.isfinite(value) for value in told["timings"].values() if np.isscalar(value))


def test_hint_shows_how_to_keep_the_answer_until_it_is_kept(files, tmp_path):
    assert "Hint: --out depth.npy" in gaspipe("bfs", files / "two.txt").stdout
    text = gaspipe("bfs", files / "two.txt", "--out", tmp_path / "d.csv").stdout
    assert "Hint" not in text
    assert f"Wrote {tmp_path / 'd.csv'}: 6 values of int32" in text


def test_slow_verification_is_announced(files, monkeypatch):
    from gaspipe.cli import run

    assert gaspipe("bfs", files / "two.txt", "--verify").stderr == ""
    monkeypatch.setattr(run, "SLOW_TO_VERIFY", 2)
    assert "Verifying in plain Python is slow: 3 edges" in gaspipe("bfs", files / "two.txt", "--verify").stderr


# What is refused.


def test_wrong_usage_is_told_before_the_file_is_read():
    for arguments, text in (
        (["bfs"], "Missing argument 'FILE'"),
        (["bfs", "none.txt", "--steps", "3"], "No such option"),
        (["pagerank", "none.txt", "--damping", "much"], "not a valid float"),
        (["bfs", "none.txt", "--number", "float64"], "No such option"),
        (["pagerank", "none.txt", "--number", "int8"], "Invalid value for '--number'"),
        (["bfs", "none.txt", "--threads", "0"], "Invalid value for '--threads'"),
        (["bfs", "none.txt", "--repeat", "0"], "Invalid value for '--repeat'"),
        (["bfs", "none.txt", "--format", "gif"], "Invalid value for '--format'"),
        (["bfs", "none.txt", "--out", "depth"], "does not end as a format does"),
        (["bfs", "none.txt", "--out", "depth.npy.gz"], "does not end as a format does"),
        (["bfs", "none.txt", "--out", "-", "--json"], "both write to standard output"),
        (["spmv", "none.txt"], "Missing option '--x'"),
        (["bsf", "none.txt"], "Did you mean 'bfs'?"),
        (["pagerang"], "Did you mean 'pagerank'?"),
    ):
        result = gaspipe(*arguments, code=2)
        assert text in result.stderr, result.stderr
        assert result.stdout == ""


def test_file_in_the_place_of_a_command_is_explained(files, monkeypatch):
    monkeypatch.chdir(files)
    assert "It is a file: try 'gaspipe info two.txt'" in gaspipe("two.txt", code=2).stderr


def test_wrong_input_is_one_line_on_stderr(files, tmp_path):
    (tmp_path / "bad.txt").write_text("0 1\n1 x\n")
    (tmp_path / "short.txt").write_text("1\n2\n")
    (tmp_path / "words.txt").write_text("1\ntwo\n")
    np.save(tmp_path / "table.npy", np.ones((2, 2)))
    (tmp_path / "broken.npy").write_bytes(b"no array \xff")
    two = files / "two.txt"
    for arguments, text in (
        (["bfs", tmp_path / "none.txt"], "none.txt: No such file or directory"),
        (["bfs", tmp_path], "Is a directory"),
        (["bfs", tmp_path / "bad.txt"], "bad.txt:2:"),
        (["bfs", two, "--root", "6"], "root"),
        (["bfs", two, "--root", "-1"], "root"),
        (["bfs", two, "--root", "amy"], "this graph has no labels, its vertices are 0 to 5"),
        (["bfs", files / "gaps.txt", "--relabel", "--root", "8"], "there is no vertex 8"),
        (["bfs", files / "gaps.txt", "--relabel", "--root", "amy"], "there is no vertex 'amy'"),
        (["pagerank", two, "--damping", "1.5"], "damping"),
        (["pagerank", two, "--max-iter", "0"], "max_iter"),
        (["pagerank", two, "--personalization", tmp_path / "none"], "No such file"),
        (["pagerank", two, "--personalization", tmp_path / "short.txt"], "personalization"),
        (["pagerank", two, "--personalization", tmp_path / "words.txt"], 'words.txt, line 2: found "two"'),
        (["pagerank", two, "--personalization", tmp_path / "table.npy"], "found an array of shape (2, 2)"),
        (["pagerank", two, "--personalization", tmp_path / "broken.npy"], "broken.npy"),
        (["spmv", two, "--x", tmp_path / "short.txt"], "x"),
        (["closeness", two, "--vertices", "1,9"], "there is no vertex 9"),
        (["closeness", two, "--vertices", f"1,{10**30}"], f"there is no vertex {10**30}"),
        (["closeness", two, "--vertices", f"@{tmp_path / 'none'}"], "none: No such file"),
        (["closeness", two, "--vertices", f"@{tmp_path / 'broken.npy'}"], "broken.npy"),
        (["pagerank", two, "--max-iter", 10**30], "out of range"),
        (["pagerank", two, "--tol", "nan"], "tol is nan"),
        (["closeness", two, "--vertices", "1,amy"], "amy"),
        (["bfs", two, "--device", "gpu"], "device is 'gpu'"),
        (["bfs", two, "--format", "metis"], "two.txt"),
        (["bfs", two, "--out", tmp_path / "none" / "a.npy"], "there is no such directory to write to"),
        (["info", tmp_path / "bad.txt"], "bad.txt:2:"),
    ):
        result = gaspipe(*arguments, code=3)
        assert result.stdout == "" or "vertices" in result.stdout
        assert result.stderr.startswith("Error: ")
        assert result.stderr.count("\n") == 1
        assert text in result.stderr, result.stderr


def test_names_that_are_no_text_are_shown_all_the_same(files, tmp_path, monkeypatch):
    name = os.fsdecode(b"two \xff.txt")
    try:
        (tmp_path / name).write_bytes((files / "two.txt").read_bytes())
    except OSError:
        pytest.skip("this file system wants names that are text")
    monkeypatch.chdir(tmp_path)
    text = gaspipe("bfs", name, "--out", os.fsdecode(b"\xfe.npy")).stdout
    assert (tmp_path / os.fsdecode(b"\xfe.npy")).exists()
    code = text.split("In Python: ")[1].splitlines()[0]
    assert eval(code, {"gp": gp}).tolist() == [0, 1, 2, -1, -1, -1]
    assert json.loads(gaspipe("info", name, "--json").stdout)["num_edges"] == 3
    assert "No such file" in gaspipe("bfs", os.fsdecode(b"none\xff"), code=3).stderr


def test_missing_pyarrow_is_told_before_the_work(files, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    result = gaspipe("bfs", files / "two.txt", "--out", tmp_path / "a.parquet", code=3)
    assert "pip install pyarrow" in result.stderr
    assert result.stdout == ""


def test_warnings_of_a_run_do_not_change_those_of_the_process(files):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("error")
        gaspipe("pagerank", files / "graph.txt", "--max-iter", "1")
        assert warnings.filters[0][0] == "error"
    assert not caught


def test_algorithms_lists_all_with_their_number_formats():
    listed = {a["name"]: a for a in json.loads(gaspipe("algorithms", "--json").stdout)}
    assert tuple(listed) == gp.algorithms + gp.cpu_algorithms
    text = gaspipe("algorithms").stdout
    for name, told in listed.items():
        assert told["numbers"] == DESCRIBED[name].numbers
        assert told["summary"] in text


def test_help_tells_the_exit_codes():
    text = gaspipe("--help").stdout
    assert [int(line.split()[0]) for line in text.split("Exit codes:\n")[1].split("\n\n")[0].splitlines()] == [
        0,
        1,
        2,
        3,
        4,
        130,
        141,
    ]


def test_emulated_boards_tell_what_they_predict(tmp_path):
    path = tmp_path / "e.txt"
    path.write_text("0 1\n1 2\n2 3\n")
    shown = gaspipe("bfs", path, "--device", "emulator:u50", "--verify").stdout
    assert re.search(r"^emulator, .*; predicted on u50: [\d,]+ cycles, [\d,]+ MTEPS$", shown, re.MULTILINE)
    stats = json.loads(gaspipe("bfs", path, "--device", "emulator:u50", "--json").stdout)["stats"]
    same = gp.bfs(gp.Graph.from_file(path), device="emulator:u50").stats
    assert (stats["execution"], stats["board"]) == ("exact", "u50")
    assert (stats["clock_mhz"], stats["predicted_cycles"]) == (same.clock_mhz, same.predicted_cycles)
    fast = json.loads(gaspipe("bfs", path, "--device", "emulator", "--execution", "fast", "--json").stdout)["stats"]
    assert (fast["execution"], fast["predicted_cycles"]) == ("fast", 0)
    gaspipe("bfs", path, "--device", "emulator:u9000", code=3)


@pytest.mark.parametrize(
    ("kind", "value", "told", "in_json"),
    [
        ("integer", "9223372036854775807", "sum 18,446,744,073,709,551,614", 2**64 - 2),
        ("integer", "4611686018427387904", "sum 9,223,372,036,854,775,808", 2**63),
        ("integer", "3", "sum 6", 6),
        ("real", "1.7e308", "sum beyond float64", None),
        ("real", "1.5", "sum 3", 3.0),
    ],
)
def test_sums_of_answers_do_not_wrap_around(tmp_path, kind, value, told, in_json):
    path = tmp_path / "m.mtx"
    path.write_text(f"%%MatrixMarket matrix coordinate {kind} general\n2 2 2\n1 1 {value}\n2 2 {value}\n")
    assert f", {told}\n" in gaspipe("spmv", path, "--x", "ones").stdout
    assert json.loads(gaspipe("spmv", path, "--x", "ones", "--json").stdout)["summary"]["sum"] == in_json


def test_a_damaged_vector_is_an_error(tmp_path):
    np.save(tmp_path / "x.npy", np.ones(3))
    whole = (tmp_path / "x.npy").read_bytes()
    (tmp_path / "x.npy").write_bytes(whole.replace(b"{'descr'", b"{{{descr'"))
    (tmp_path / "e.txt").write_text("0 1\n1 2\n")
    assert "x.npy: " in gaspipe("spmv", tmp_path / "e.txt", "--x", tmp_path / "x.npy", code=3).stderr
