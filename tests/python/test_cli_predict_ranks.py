# SPDX-License-Identifier: Apache-2.0
"""`gaspipe predict ALGORITHM FILE --ranks N`: as text, in JSON, and what is refused."""

import json

import numpy as np
import pytest

import gaspipe as gp
from command import gaspipe


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("graphs") / "g.txt"
    gp.generate.kronecker(9, 6, seed=3, weights=(1, 50)).to_file(path)
    return path


def crossing_values(file, strategy, ranks):
    """Pairs of a vertex and a rank that owns one of its neighbors but not it, by NumPy."""
    graph = gp.Graph.from_file(file)
    owners = graph.domains(ranks, strategy).owner(np.arange(graph.num_vertices))
    sources, targets = np.loadtxt(file, dtype=int, skiprows=1, usecols=(0, 1)).T
    pairs = np.unique(np.stack([sources, owners[targets]]), axis=1)
    return int((owners[pairs[0]] != pairs[1]).sum())


@pytest.mark.parametrize("strategy", ["hash", "mix"])
def test_json_has_the_bytes_of_the_cut_for_each_number_of_ranks(file, strategy):
    told = json.loads(
        gaspipe(
            *("predict", "pagerank", file, "--ranks", 3, "--ranks", 5, "--network", "ib-edr", "--strategy", strategy),
            *("--tol", 0, "--max-iter", 4, "--number", "float32", "--json"),
        ).stdout
    )
    assert told["algorithm"] == "pagerank"
    assert [p["ranks"] for p in told["predictions"]] == [3, 5]
    for one in told["predictions"]:
        sent = [step["bytes_sent"] for step in one["supersteps"]]
        assert sent == [4 * crossing_values(file, strategy, one["ranks"])] * 4
        assert one["bytes_sent"] == sum(sent)
        assert one["seconds"] == pytest.approx(sum(step["seconds"] for step in one["supersteps"]))
        assert one["network"]["name"] == "ib-edr"
        assert one["strategy"] == strategy


def test_text_has_the_prediction_and_a_python_line_that_gives_it(file):
    options = "--ranks 2 --network 1GbE --edges-per-second 1e8 --ranks-per-core 2 --threads 1 --root 3"
    text = gaspipe("predict", "bfs", file, *options.split()).stdout
    assert "Predicted: bfs on 2 ranks by balanced" in text
    assert "network             1GbE" in text
    again = eval(text.splitlines()[-1].removeprefix("In Python: "), {"gp": gp})
    assert again.ranks == 2
    counted = [f"{step['most_edges']:,.0f} {step['bytes_sent']:,.0f}" for step in again.supersteps]
    table = text.split("most edges", 1)[1].split("predicted time")[0].splitlines()[1:]
    assert [" ".join(line.split()[2:4]) for line in table] == counted
    assert "given: 1e+08 edges a second on a rank" in text


def test_an_edge_rate_gives_the_time_of_computing(file):
    graph = gp.Graph.from_file(file)
    options = ["--ranks", 1, "--edges-per-second", 1e6, "--tol", 0, "--max-iter", 3, "--json"]
    (one,) = json.loads(gaspipe("predict", "pagerank", file, *options).stdout)["predictions"]
    assert one["one_rank_seconds"] == pytest.approx(3 * graph.num_edges / 1e6)


def test_custom_algorithms_are_predicted(file, tmp_path, compiled_snippets):
    path = tmp_path / "mine.py"
    path.write_text(
        "import gaspipe as gp\n"
        "mine = gp.Algorithm('mine_on_ranks', gather='max(a, b)', initial='v == start ? 9 : 0', "
        "parameters={'start': 0})\n"
    )
    try:
        line = ("predict", f"{path}::mine_on_ranks", file, "--start", 4, "--ranks", 2, "--json")
        told = json.loads(gaspipe(*line).stdout)
        assert told["parameters"]["start"] == 4
        assert told["predictions"][0]["bytes_sent"] > 0
    finally:
        gp.unregister("mine_on_ranks")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("--ranks 0", 2, "--ranks"),
        ("--ranks 5000", 2, "1<=x<=4096"),
        ("--ranks 2 --network nix", 3, "--network is 'nix'; allowed are 1GbE, "),
        ("--ranks 2 --strategy nix", 3, "--strategy is 'nix'; allowed are "),
        ("--ranks 2 --board u250", 2, "--board is for a board, and --ranks predicts ranks"),
        ("--ranks 2 --config plain", 2, "--config is for a board, and --ranks predicts ranks"),
        ("--network 1GbE", 2, "--network is for a prediction of ranks; give --ranks, too"),
        ("--ranks-per-core 2", 2, "--ranks-per-core is for a prediction of ranks"),
        ("--ranks 2 --ranks-per-core 0.5", 3, "ranks_per_core is 0.5; a number of at least 1"),
        ("--ranks 2 --edges-per-second -1", 3, "edges_per_second is -1.0; a number above 0"),
    ],
)
def test_bad_options_are_told(file, arguments, code, message):
    assert message in gaspipe("predict", "bfs", file, *arguments.split(), code=code).stderr
