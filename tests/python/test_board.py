# SPDX-License-Identifier: Apache-2.0
"""Boards described in dicts and JSON files: what differs from a known one, and what is wrong with them."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

import gaspipe as gp
from gaspipe import _core
from gaspipe._card import boards as _boards
from gaspipe._card import build
from gaspipe._predict import board as _board
from test_kernels import COMPILER

FULL = {
    "name": "mine",
    "memory": {
        "kind": "ddr",
        "num_banks": 2,
        "bytes_per_bank": 1 << 33,
        "peak_bytes_per_second": 19.2e9,
        "efficiency": 0.9,
        "latency_ns": 200,
        "burst_gap_ns": 2,
        "switch_ns": 10,
    },
    "slrs": [{"uram": 320, "bram": 500, "luts": 345_000}],
    "clock_mhz": 250,
    "launch_us": 50,
    "step_us": 300,
}


def without(values, *keys):
    return {key: value for key, value in values.items() if key not in keys}


def memory(**changes):
    return {**FULL, "memory": {**FULL["memory"], **changes}}


@pytest.mark.parametrize("name", _core.boards())
def test_known_boards_are_described(name):
    board = gp.Board(name)
    assert board.name == board["name"] == name
    assert set(board) == set(_board._KEYS)
    assert set(board["memory"]) == set(_board._MEMORY)
    assert _board.resolve(name) == (name, None)
    assert _board.resolve(board) == (name, board.to_dict())


# Prints the figures of a header as a compiler reads them.
PRINT = """
#include <cstdio>
#include <initializer_list>
#include "hls/device/@.h"
int main() {
  const gaspipe::Board& b = gaspipe::device::@::kBoard;
  const gaspipe::Memory& m = b.memory;
  const char* kind = m.kind == gaspipe::MemoryKind::kDdr ? "ddr" : "hbm";
  std::printf("%s %s %s %d %llu", b.name, b.platform, kind, m.num_banks, (unsigned long long)m.bytes_per_bank);
  for (double figure : {m.peak_bytes_per_second, m.efficiency, m.latency_ns, m.burst_gap_ns, m.switch_ns}) {
    std::printf(" %.17g", figure);
  }
  std::printf(" %d %.17g %.17g", b.clock_mhz, b.launch_us, b.step_us);
  for (int i = 0; i < b.num_slrs; ++i) {
    std::printf(" %d %d %d", b.slr[i].num_uram, b.slr[i].num_bram, b.slr[i].num_luts);
  }
}
"""


def test_known_boards_are_the_headers():
    headers = (Path(gp.get_include()) / "hls" / "device").glob("*.h")
    assert {path.stem for path in headers} == {"board", *_core.boards()}


@pytest.mark.parametrize("name", _core.boards())
def test_known_boards_have_the_figures_of_their_headers(name, tmp_path):
    source, program = tmp_path / "board.cpp", tmp_path / "board"
    source.write_text(PRINT.replace("@", name))
    subprocess.run([*COMPILER, "-std=c++14", "-I", gp.get_include(), source, "-o", program], check=True)
    words = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    figures = [float(word) for word in words[3:]]
    board, slrs = gp.Board(name), list(zip(figures[10::3], figures[11::3], figures[12::3]))
    assert [board["name"], board["platform"], board["memory"]["kind"]] == words[:3]
    assert list(board["memory"].values())[1:] == figures[:7]
    assert [board[key] for key in ("clock_mhz", "launch_us", "step_us")] == figures[7:10]
    assert [(slr["uram"], slr["bram"], slr["luts"]) for slr in board["slrs"]] == slrs
    built = _boards.read(name)
    assert (built.memory.lower(), built.num_banks, built.bytes_per_bank) == (words[2], *figures[:2])
    assert (built.name, built.platform, built.clock_mhz, built.slrs) == (*words[:2], figures[7], tuple(slrs))


def test_published_clocks_are_those_of_a_board_and_an_algorithm():
    assert gp.Board("u250")["clocks"]["sssp"] == 251
    assert gp.Board("vcu1525")["clocks"]["bfs"] == 241
    assert gp.Board("u280")["clocks"] == {}
    assert set(gp.Board("u250")["clocks"]) <= set(gp.algorithms)
    assert gp.Board("u250", clocks={"bfs": 200})["clocks"] == {**gp.Board("u250")["clocks"], "bfs": 200}


def test_a_board_is_described_in_full_or_by_what_differs():
    assert gp.Board(FULL) == {**FULL, "platform": "", "clocks": {}}
    u250 = _board.described("u250")
    changed = gp.Board({"base": "u250", "memory": {"num_banks": 2}, "clock_mhz": 300})
    assert changed == {
        **u250,
        "name": "u250*",
        "memory": {**u250["memory"], "num_banks": 2},
        "clock_mhz": 300,
    }
    assert gp.Board("u250", memory={"num_banks": 2}, clock_mhz=300) == changed
    assert gp.Board(changed, clock_mhz=250)["memory"]["num_banks"] == 2
    assert gp.Board(changed, clock_mhz=250).name == "u250*"
    assert gp.Board("u250", name="other", slrs=[{"uram": 1, "bram": 2}])["slrs"] == [{"uram": 1, "bram": 2, "luts": 0}]
    assert gp.Board("u250", slrs=[{"uram": 1, "bram": 2, "luts": 3}])["slrs"][0]["luts"] == 3


@pytest.mark.parametrize(
    ("base", "banks", "units"), [("u250", 3, 3), ("u250", 12, 8), ("u250", 20, 8), ("u280", 2, 1), ("u280", 64, 8)]
)
def test_a_prediction_has_no_more_units_than_a_build_by_default(base, banks, units):
    board = gp.Board(base, memory={"num_banks": banks})
    result = gp.predict("bfs", gp.generate.chain(5), board=board)
    assert result.depth.tolist() == [0, 1, 2, 3, 4]
    assert result.stats.prediction.num_units == units <= build._MOST_UNITS_BY_DEFAULT


def test_one_pseudo_channel_serves_no_unit():
    board = gp.Board("u280", memory={"num_banks": 1})
    with pytest.raises(gp.CapacityError, match=r"a compute unit needs 2 pseudo-channels of HBM; .* has 1; give it"):
        gp.predict("bfs", gp.generate.chain(5), board=board)


def test_boards_are_read_only():
    board = gp.Board("u250")
    board["memory"]["num_banks"] = 77
    board.to_dict()["slrs"].clear()
    assert board == _board.described("u250")
    assert json.loads(repr(board)[len("Board(") : -1]) == board.to_dict()


def test_files_are_boards(tmp_path):
    path = tmp_path / "fast.json"
    path.write_text('{"base": "u280", "clock_mhz": 400}')
    for board in (gp.Board(path), gp.Board(str(path)), gp.Board.from_file(path)):
        assert board == {**_board.described("u280"), "name": "fast", "clock_mhz": 400}
    path.write_text(json.dumps(FULL))
    assert gp.Board(path).name == "mine"
    other = path.rename(tmp_path / "no_ending")
    assert gp.Board(str(other)).name == gp.Board.from_file(other).name == "mine"


def test_numpy_numbers_are_numbers():
    board = gp.Board({**FULL, "clock_mhz": np.float32(250), "launch_us": np.int64(5)})
    assert json.loads(json.dumps(board.to_dict()))["launch_us"] == 5
    assert gp.Board(memory(num_banks=np.int32(2)))["memory"]["num_banks"] == 2


BAD = [
    ({**FULL, "clock": 1}, "unknown key 'clock'; known are name, platform, memory, slrs, clock_mhz"),
    (memory(banks=1), "unknown key 'memory.banks'; known are kind, num_banks"),
    ({**FULL, "slrs": [{"uram": 1, "bram": 1, "dsp": 1}]}, r"unknown key 'slrs\[0\].dsp'; known are uram, bram, luts"),
    (without(FULL, "launch_us"), r"'launch_us' is missing; it needs a number \(or 'base', a known board"),
    (without(FULL, "memory"), "'memory' is missing; it needs an object of kind, num_banks"),
    ({**FULL, "memory": without(FULL["memory"], "efficiency")}, "'memory.efficiency' is missing; it needs a number$"),
    ({**FULL, "slrs": [{"uram": 1}]}, r"'slrs\[0\].bram' is missing; it needs a whole number"),
    ({**FULL, "slrs": {"uram": 1}}, r"slrs is an object; a list of \{uram, bram, luts\} is needed"),
    ({**FULL, "slrs": [3]}, r"slrs\[0\] is 3; an object of uram, bram, luts is needed"),
    ({**FULL, "slrs": [{"uram": 1, "bram": 1, "luts": 2.5}]}, r"slrs\[0\].luts is 2.5; a whole number is needed"),
    (
        {**FULL, "slrs": [{"uram": 1, "bram": 1, "luts": -1}]},
        r"board mine: the number of LUTs of an SLR is -1; allowed are 1 to 1e\+08, or 0 where it is unknown",
    ),
    ({**FULL, "memory": [1]}, "memory is a list; an object of kind, num_banks"),
    ({**FULL, "clock_mhz": "fast"}, "clock_mhz is 'fast'; a whole number is needed"),
    ({**FULL, "clock_mhz": None}, "clock_mhz is null; a whole number is needed"),
    ({**FULL, "clock_mhz": True}, "clock_mhz is true; a whole number is needed"),
    ({**FULL, "clock_mhz": float("inf")}, "clock_mhz is inf; a whole number is needed"),
    ({**FULL, "clock_mhz": float("nan")}, "clock_mhz is nan; a whole number is needed"),
    (memory(num_banks=2.5), "memory.num_banks is 2.5; a whole number is needed"),
    (memory(num_banks=10**400), "memory.num_banks is 10+; a whole number is needed"),
    (memory(kind=3), "memory.kind is 3; a string is needed"),
    (memory(num_banks=0), "board mine: memory.num_banks is 0; allowed are 1 to 64"),
    (memory(num_banks=1 << 40), "a board's memory.num_banks is 1099511627776"),
    (memory(efficiency=1.5), "board mine: memory.efficiency is 1.5; allowed are 0.01 to 1, or 0 where it is unknown"),
    (memory(latency_ns=-1), "board mine: memory.latency_ns is -1 ns; allowed are 1 to 100000"),
    (memory(kind="sram"), 'board mine: memory.kind is "sram"; allowed are "ddr" and "hbm"'),
    ({**FULL, "clock_mhz": 5000}, "board mine: clock_mhz is 5000 MHz; allowed are 1 to 2000"),
    ({**FULL, "slrs": [{"uram": 0, "bram": 1}]}, "board mine: the URAM of an SLR is 0; allowed are 1 to"),
    ({**FULL, "slrs": [{"uram": 1, "bram": 1}] * 5}, "board mine: the number of slrs is 5; allowed are 1 to 4"),
    ({"base": "u250", "launch_us": -5}, r"board (u250.|b): launch_us is -5 us; allowed"),
    ({**FULL, "name": 5}, "name is 5; a string is needed"),
    ({**FULL, "clocks": {"bfs": "x"}}, "clocks.bfs is 'x'; a whole number is needed"),
    ({**FULL, "clocks": {"bfs": 2**40}}, "a board's clocks.bfs is 1099511627776; allowed are whole numbers below"),
    ({**FULL, "clocks": [1]}, "clocks is a list; an object of whole numbers by algorithm is needed"),
    ({"base": "u9"}, "base is 'u9'; allowed are .*u250"),
    ({"base": "u250", "memory": {"latency_ns": "long"}}, "memory.latency_ns is 'long'; a number is needed"),
    ({"base": "u250", "slrs": [{"uram": 1}]}, r"'slrs\[0\].bram' is missing"),
]


@pytest.mark.parametrize(("values", "message"), BAD, ids=[message[:30] for _, message in BAD])
def test_wrong_boards_are_refused_with_what_is_allowed(values, message, tmp_path):
    with pytest.raises(gp.InputError, match=f"^(board: )?{message}"):
        gp.Board(values)
    try:
        text = json.dumps(values, allow_nan=False)
    except ValueError:
        return
    path = tmp_path / "b.json"
    path.write_text(text)
    with pytest.raises(gp.InputError, match=f"b.json: {message}"):
        gp.Board(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: Expecting value; a board's file is JSON"),
        ('{"base": "u250",\n}', "line [12]: .*; a board's file is JSON"),
        ("[]", "found a list; a board's file is one JSON object"),
        ("3", "found 3; a board's file is one JSON object"),
        ('{"base": "u250", "clock_mhz": NaN}', "NaN is no number of JSON"),
        ('{"base": "u250", "clock_mhz": 1e999}', "clock_mhz is inf; a whole number is needed"),
        ('{"base": "u250", "clock_mhz": 1, "clock_mhz": 2}', "'clock_mhz' is there twice"),
        ("[" * 100_000, "nested too deeply|Expecting value"),
        (b"\xff\xfe{}", "can't decode byte"),
    ],
)
def test_files_that_are_no_board_are_refused(text, message, tmp_path):
    path = tmp_path / "b.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(gp.InputError, match=f"b.json.*(?:{message})"):
        gp.Board(path)


def test_unreadable_files_are_refused(tmp_path):
    with pytest.raises(
        gp.InputError, match=r"nix\.json: No such file or directory; the JSON file of a board is needed"
    ):
        gp.Board(tmp_path / "nix.json")
    with pytest.raises(gp.InputError, match="Is a directory"):
        gp.Board(tmp_path)


def test_what_is_no_board_is_refused():
    with pytest.raises(gp.InputError, match=r"there is no board 'u9'; known are .*u250.*ends in .json"):
        gp.Board("u9")
    with pytest.raises(
        gp.InputError, match=r"board is of type int; a name, the path of a JSON file, a dict or a gp\.Board"
    ):
        gp.Board(5)
    with pytest.raises(gp.InputError, match="unknown key 'clock'"):
        gp.Board("u250", clock=3)
