# SPDX-License-Identifier: Apache-2.0
"""`gaspipe predict ALGORITHM FILE`: a table of configurations, the same in JSON, and what is refused."""

import json
import shlex

import numpy as np
import pytest

import gaspipe as gp
from command import gaspipe
from gaspipe import _core

CONFIGS = [c["name"] for c in _core.configs() if not c["is_for_hbm"]]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("graphs") / "g.txt"
    gp.generate.kronecker(9, 6, seed=3, weights=(1, 50)).to_file(path)
    return path


@pytest.fixture(scope="module")
def graph(file):
    return gp.Graph.from_file(file)


def rows(text):
    """{configuration: its line} of a table."""
    lines = text.split("predicted:\n")[1].splitlines()
    assert lines[0].split()[:2] == ["configuration", "time"]
    return {line.split()[0]: line for line in lines[1:] if line.startswith("  ") and line.split()[0] in CONFIGS}


def test_all_configurations_are_compared(file, graph):
    text = gaspipe("predict", "bfs", file, "--root", 3).stdout
    found = rows(text)
    assert list(found) == CONFIGS
    for config, line in found.items():
        p = gp.predict("bfs", graph, root=3, config=config).stats.prediction
        assert p.limiting_stage in line
        assert f"{p.resources['uram']:,} of {p.resources['uram_available']:,}" in line
        assert f"{100 * p.bandwidth_share:.0f} %" in line
    assert "streamed MTEPS" in text
    assert "graph MTEPS" in text


def test_json_tells_what_the_function_tells(file, graph):
    result = gaspipe(
        "predict", "sssp", file, "--board", "vcu1525", "--config", CONFIGS[1], "--config", "plain", "--json"
    )
    told = json.loads(result.stdout)
    assert told["algorithm"] == "sssp"
    assert told["parameters"] == {"root": 0}
    assert told["refused"] == {}
    assert [p["config"] for p in told["predictions"]] == [CONFIGS[1], "plain"]
    for one in told["predictions"]:
        p = gp.predict("sssp", graph, board="vcu1525", config=one["config"]).stats.prediction
        assert {key: one[key] for key in p.to_dict()} == json.loads(json.dumps(p.to_dict()))


def test_options_may_come_before_the_algorithm(file):
    before = gaspipe("predict", "--board", "u280", "--config", "plain", "bfs", file, "--json").stdout
    after = gaspipe("predict", "bfs", file, "--board", "u280", "--config", "plain", "--json").stdout
    assert json.loads(before)["predictions"] == json.loads(after)["predictions"]


def test_python_line_gives_the_same(file):
    options = "--x ones --config plain --clock-mhz 200 --number float32 --sample-edges 1000 --threads 1"
    text = gaspipe("predict", "spmv", file, *options.split()).stdout
    line = text.splitlines()[-1].removeprefix("In Python: ")
    p = eval(line, {"gp": gp, "np": np})
    assert isinstance(p, gp.Prediction)
    assert p.clock_mhz == 200
    assert f"{p.bytes_per_edge:.3g}" in rows(text)["plain"]


def test_board_files_describe_boards(file, tmp_path):
    path = tmp_path / "mine.json"
    path.write_text('{"base": "u250", "name": "mine", "clock_mhz": 100}')
    told = json.loads(gaspipe("predict", "bfs", file, "--board-file", path, "--config", "plain", "--json").stdout)
    assert [(p["board"], p["clock_mhz"]) for p in told["predictions"]] == [("mine", 100)]
    text = gaspipe("predict", "bfs", file, "--board-file", path, "--config", "plain").stdout
    p = eval(text.splitlines()[-1].removeprefix("In Python: "), {"gp": gp, "np": np})
    assert p.board == "mine"
    path.write_text('{"base": "u250", "clock": 100}')
    assert "unknown key 'clock'" in gaspipe("predict", "bfs", file, "--board-file", path, code=3).stderr


def test_configurations_that_do_not_fit_are_told_unless_asked_for(file, tmp_path, monkeypatch):
    right, last = gp.predict, CONFIGS[-1]

    def predict(*args, config, **how):
        if config == last:
            raise gp.CapacityError("it needs more than there is")
        return right(*args, config=config, **how)

    monkeypatch.setattr(gp, "predict", predict)
    text = gaspipe("predict", "bfs", file).stdout
    assert f"{last}: not on this board: it needs more than there is" in text
    told = json.loads(gaspipe("predict", "bfs", file, "--json").stdout)
    assert told["refused"] == {last: "it needs more than there is"}
    assert len(told["predictions"]) == len(CONFIGS) - 1
    assert "Error: it needs" in gaspipe("predict", "bfs", file, "--config", last, code=3).stderr


def test_a_board_that_holds_none_is_an_error(file, tmp_path):
    path = tmp_path / "tiny.json"
    path.write_text('{"base": "u250", "slrs": [{"uram": 1, "bram": 1}]}')
    assert "Error: " in gaspipe("predict", "bfs", file, "--board-file", path, code=3).stderr


def test_algorithms_of_ones_own_are_predicted(file, tmp_path, compiled_snippets):
    path = tmp_path / "mine.py"
    path.write_text(
        "import gaspipe as gp\n"
        "mine = gp.Algorithm('mine_predicted', gather='max(a, b)', initial='v == start ? 9 : 0', "
        "parameters={'start': 0})\n"
    )
    try:
        options = ["--start", 4, "--config", "plain", "--json"]
        told = json.loads(gaspipe("predict", f"{path}::mine_predicted", file, *options).stdout)
        assert told["parameters"]["start"] == 4
        assert told["predictions"][0]["graph_mteps"] > 0
    finally:
        gp.unregister("mine_predicted")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("bfz {}", 2, "No algorithm 'bfz'; there are article_rank, bfs,"),
        ("bfs {} --config nix", 3, "--config is 'nix'; allowed are plain, "),
        ("bfs {} --board u9", 3, "--board is 'u9'; known are"),
        ("bfs {} --board u250 --board-file b.json", 2, "--board and --board-file both say which board"),
        ("bfs {} --board-file nix.json", 3, "nix.json: No such file"),
        ("bfs {} --sample-edges 0", 2, "--sample-edges"),
        ("bfs {} --clock-mhz -5", 3, "clock_mhz is -5.0; a number above 0"),
        ("bfs nix.txt", 3, "nix.txt: No such file"),
        ("spmv {}", 2, "--x"),
        ("bfs {} --root 99999", 3, "root"),
    ],
)
def test_wrong_usage_and_input_are_refused(arguments, code, message, file):
    result = gaspipe("predict", *shlex.split(arguments.format(shlex.quote(str(file)))), code=code)
    assert message in result.stderr
