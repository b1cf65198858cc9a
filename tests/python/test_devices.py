# SPDX-License-Identifier: Apache-2.0
"""`gaspipe.devices()`: what there is to run on, and why something of it cannot be used."""

import json
import re

import numpy as np
import pytest

import gaspipe as gp
from cards import build

EDGES = (np.array([0, 1]), np.array([1, 2]))


@pytest.mark.usefixtures("empty")
def test_without_cards_there_are_the_cpu_and_the_boards_of_the_emulator():
    found = gp.devices()
    assert [device.device for device in found] == ["cpu", *(f"emulator:{name}" for name in gp._core.boards())]
    assert found.cards == ()
    assert all(device.usable and not device.problem for device in found)
    assert found.problem.startswith("this build of gaspipe has no XRT backend")
    assert len(found) == len(list(found))
    assert found[0] == ("cpu", found[0].name, True, "", ())
    assert found[1:] == tuple(found)[1:]
    assert re.search("^fpga .* not usable: this build of gaspipe has no XRT backend", repr(found), re.MULTILINE)


@pytest.mark.usefixtures("empty")
def test_every_device_that_is_usable_runs():
    graph = gp.Graph(EDGES)
    for device in gp.devices():
        assert gp.bfs(graph, device=device.device, fallback=False).depth.tolist() == [0, 1, 2]


def test_cards_are_listed_with_what_they_can_run(cards):
    build(cards.folder / "a.xclbin", "bfs", units=3)
    build(cards.folder / "b.xclbin", "sssp", "float32")
    cards.listed.append({"index": 1, "name": "", "address": "", "problem": "it cannot be opened"})
    cards.listed.append(
        {"index": 2, "name": "xilinx_u50_gen3x16_xdma_base_5", "address": "0000:01:00.1", "problem": ""}
    )
    found = gp.devices()
    assert [(card.device, card.usable) for card in found.cards] == [
        ("fpga:0", True),
        ("fpga:1", False),
        ("fpga:2", False),
    ]
    assert found.cards[0].programs == ("bfs, uint32, without weights", "sssp, float32, with weights")
    assert found.cards[1].problem == "it cannot be opened"
    assert "a.xclbin is for u250" in found.cards[2].problem
    assert [(file.path, file.holds, file.units, file.usable) for file in found.xclbins] == [
        (str(cards.folder / "a.xclbin"), "bfs, uint32, without weights", 3, True),
        (str(cards.folder / "b.xclbin"), "sssp, float32, with weights", 2, True),
    ]
    assert cards.opened == []  # looking programs nothing


def test_a_card_without_an_xclbin_says_where_it_was_looked_for(cards, monkeypatch, tmp_path):
    monkeypatch.setenv("GASPIPE_XCLBIN", str(tmp_path / "none"))
    found = gp.devices()
    assert found.searched == (str(tmp_path / "none"), str(cards.folder))
    (card,) = found.cards
    assert not card.usable
    assert card.problem == f"no xclbin for it: none found in {tmp_path / 'none'}, {cards.folder}"


def test_files_that_no_card_takes_say_why(cards):
    build(cards.folder / "a.xclbin", "bfs", board="u50")
    (cards.folder / "b.xclbin").write_bytes(b"no")
    first, second = gp.devices().xclbins
    assert (first.holds, first.usable) == ("bfs, uint32, without weights", False)
    assert "is for u50" in first.problem
    assert (second.holds, second.platform, second.usable) == ("", "", False)
    assert "is no usable xclbin" in second.problem


def test_files_are_told_without_a_backend_too(empty, tmp_path):
    path = build(tmp_path / "a.xclbin", "bfs")
    (file,) = gp.devices(path).xclbins
    assert (file.holds, file.usable) == ("bfs, uint32, without weights", False)
    assert "no XRT backend" in file.problem
    assert gp.devices(xclbin=str(tmp_path)).xclbins == (file,)
    assert gp.devices().xclbins == ()
    with pytest.raises(gp.InputError, match="xclbin is of type list"):
        gp.devices([path])


def test_a_card_that_comes_later_is_seen(cards):
    build(cards.folder / "a.xclbin", "bfs")
    listed, cards.listed = cards.listed, []
    assert gp.devices().cards == ()
    cards.listed = listed
    assert len(gp.devices().cards) == 1
    listed[0]["problem"] = "it was taken out"
    assert gp.devices().cards[0].problem == "it was taken out"


def test_the_card_that_this_process_has_is_usable(cards):
    build(cards.folder / "a.xclbin", "bfs")
    gp.bfs(gp.Graph(EDGES), device="fpga")
    assert gp.devices().cards[0].usable


def test_what_is_shown_holds_no_markup_of_names(cards):
    build(cards.folder / "<b>.xclbin", "bfs")
    text = gp.devices()._repr_html_()
    assert text.count("<table>") == text.count("</table>") == 2
    assert "<b>.xclbin" not in text
    assert "&lt;b&gt;.xclbin" in text
    for card in ("cpu", "emulator:u250", "fpga:0"):
        assert f"<td>{card}</td>" in text
    shown = repr(gp.devices())
    assert re.search(
        r"^fpga:0 +xilinx_u250_gen3x16_xdma_shell_4_1 +usable; xclbins for bfs, uint32", shown, re.MULTILINE
    )
    assert f"xclbin {cards.folder / '<b>.xclbin'}: bfs, uint32, without weights; 2 compute units" in shown


def test_all_of_it_is_json(cards):
    build(cards.folder / "a.xclbin", "bfs")
    found = gp.devices()
    told = json.loads(json.dumps(found.as_json()))
    assert [device["device"] for device in told["devices"]] == [device.device for device in found]
    assert told["devices"][-1]["programs"] == ["bfs, uint32, without weights"]
    assert told["xclbins"][0]["usable"] is True
    assert told["searched"] == [str(cards.folder)]
    assert told["problem"] == ""
