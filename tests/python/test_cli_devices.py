# SPDX-License-Identifier: Apache-2.0
"""`gaspipe devices`: the list, and the walk to the first thing that a card lacks."""

import json
import os

import pytest

import gaspipe as gp
from cards import build
from command import gaspipe
from gaspipe._card import check as _check
from gaspipe._card import driver, lock

TITLES = ["XRT backend", "libxrt", "kernel driver", "permission", "cards", "search path", "xclbins", "lock"]


@pytest.fixture
def machine(cards, tmp_path, monkeypatch):
    """A machine where nothing is missing, as --check sees it."""
    modules, node, driver = tmp_path / "modules", tmp_path / "renderD128", tmp_path / "drivers" / "xocl"
    modules.write_text("xclmgmt 1 0 - Live 0x0\nxocl 2543616 0 - Live 0x0\n")
    node.touch()
    driver.mkdir(parents=True)
    (tmp_path / "renderD128.driver").symlink_to(driver)
    monkeypatch.setattr(_check, "_MODULES", str(modules))
    monkeypatch.setattr(_check, "_DRIVER", str(tmp_path / "none"))
    monkeypatch.setattr(_check, "_NODES", str(tmp_path / "renderD???"))
    monkeypatch.setattr(_check, "_NODE_DRIVER", str(tmp_path / "{}.driver"))
    build(cards.folder / "a.xclbin", "bfs")
    cards.root, cards.modules, cards.node, cards.driver = tmp_path, modules, node, driver
    return cards


def missing(*says, options=()):
    """Assert that the check ends with 1; return the title of what it names first."""
    result = gaspipe("devices", "--check", *options, code=1)
    told = json.loads(gaspipe("devices", "--check", "--json", *options, code=1).stdout)
    assert [step["title"] for step in told["steps"]] == TITLES
    assert told["usable"] is False
    (first,) = [line for line in result.stdout.splitlines() if line.startswith("First missing: ")]
    (what,) = [line for line in result.stdout.splitlines() if line.startswith("What to do: ")]
    step = next(step for step in told["steps"] if step["ok"] is False)
    assert step["title"] == told["missing"]
    assert first == f"First missing: {step['title']}. {step['found']}"
    assert what == f"What to do: {step['remedy']}"
    assert step["remedy"]
    for text in says:
        assert text in first + what, first + what
    return told["missing"]


def test_where_nothing_is_missing_a_card_is_usable(machine):
    text = gaspipe("devices", "--check").stdout
    lines = text.splitlines()
    assert [line[:9].strip() for line in lines[:-1]] == ["ok"] * len(TITLES)
    assert [line[9:24].strip() for line in lines[:-1]] == TITLES
    assert "XRT 2.13.466" in lines[1]
    assert "card 0 (0000:65:00.1) xilinx_u250_gen3x16_xdma_shell_4_1" in lines[4]
    assert f"{machine.folder / 'a.xclbin'}: bfs, uint32, without weights" in lines[6]
    assert lines[-1] == 'A card is usable: device="fpga" runs there.'
    told = json.loads(gaspipe("devices", "--check", "--json").stdout)
    assert told["usable"] is True
    assert told["missing"] is None


def test_the_backend_comes_first(machine, monkeypatch):
    monkeypatch.setattr(driver, "_module", None)
    monkeypatch.setitem(__import__("sys").modules, "gaspipe._fpga", None)
    machine.modules.write_text("")
    assert missing("no XRT backend", "install gaspipe from its source") == "XRT backend"
    told = json.loads(gaspipe("devices", "--check", "--json", code=1).stdout)
    states = {step["title"]: step["ok"] for step in told["steps"]}
    # What needs no XRT is looked at all the same.
    assert states == {
        "XRT backend": False,
        "libxrt": None,
        "kernel driver": False,
        "permission": True,
        "cards": None,
        "search path": True,
        "xclbins": None,
        "lock": None,
    }


def test_a_library_that_fails(machine):
    def fail():
        raise gp.DeviceError("XILINX_XRT is not set")

    driver.module().library = fail
    assert missing("XILINX_XRT is not set", "install XRT") == "libxrt"


def test_the_driver(machine, monkeypatch):
    machine.modules.write_text("xclmgmt 1 0 - Live 0x0\nnot_xocl 1 0 xocl, Live 0x0\n")
    assert missing("xocl is not loaded", "modprobe xocl") == "kernel driver"
    monkeypatch.setattr(_check, "_MODULES", str(machine.root / "none"))
    assert missing("xocl is not loaded") == "kernel driver"
    monkeypatch.setattr(_check, "_DRIVER", str(machine.driver))
    gaspipe("devices", "--check")


def test_device_files(machine, monkeypatch):
    machine.node.unlink()
    assert missing("no card's device file", "pass /dev/dri") == "permission"
    machine.node.touch()
    # A graphics card has such files too.
    (machine.root / "renderD128.driver").unlink()
    (machine.root / "i915").mkdir()
    (machine.root / "renderD128.driver").symlink_to(machine.root / "i915")
    assert missing("no card's device file") == "permission"


def test_permission(machine, monkeypatch):
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != str(machine.node) and allowed(path, mode))
    machine.node.chmod(0o660)
    import grp

    group = grp.getgrgid(machine.node.stat().st_gid).gr_name
    says = (f"{machine.node} may not be opened: it belongs to group {group}, mode 660", f"usermod -aG {group} $USER")
    assert missing(*says) == "permission"


def test_cards(machine):
    listed, machine.listed = machine.listed, []
    assert missing("XRT finds no card", "xbutil examine") == "cards"
    machine.listed = [{**listed[0], "problem": "it has no shell"}]
    assert missing("not usable: it has no shell") == "cards"
    machine.listed = [*listed, {**listed[0], "index": 1, "problem": "it has no shell"}]
    assert "not usable: it has no shell" in gaspipe("devices", "--check").stdout


def test_search_path_and_xclbins(machine):
    (machine.folder / "a.xclbin").unlink()
    assert missing("none found", "gaspipe build --board u250 bfs") == "xclbins"
    build(machine.folder / "b.xclbin", "bfs", board="u50")
    assert missing("b.xclbin is for u50", "and the card's shell is xilinx_u250") == "xclbins"
    assert missing("not there", "GASPIPE_XCLBIN", options=("--xclbin", machine.root / "none")) == "search path"
    (machine.folder / "b.xclbin").unlink()
    machine.folder.rmdir()
    assert missing(f"mkdir -p {machine.folder}") == "search path"
    build(machine.root / "c.xclbin", "wcc")
    assert "c.xclbin: wcc" in gaspipe("devices", "--check", "--xclbin", machine.root / "c.xclbin").stdout


def test_a_card_that_another_process_has(machine, monkeypatch):
    monkeypatch.setattr(lock, "holder_of", lambda card: "process 7 (python train.py)")
    assert missing("is in use by process 7 (python train.py)", "release_devices") == "lock"


def test_an_emulated_card_needs_no_driver(machine, monkeypatch):
    machine.modules.write_text("")
    machine.node.unlink()
    monkeypatch.setenv("XCL_EMULATION_MODE", "sw_emu")
    assert missing("is built for hw, and XCL_EMULATION_MODE is sw_emu") == "xclbins"
    build(machine.folder / "emu.xclbin", "bfs", mode="sw_emu")
    assert "XCL_EMULATION_MODE=sw_emu: none is needed" in gaspipe("devices", "--check").stdout


# The list.


def test_the_list_is_that_of_python(machine):
    assert gaspipe("devices").stdout == repr(gp.devices()) + "\n"
    assert json.loads(gaspipe("devices", "--json").stdout) == gp.devices().as_json()
    named = machine.folder / "a.xclbin"
    assert gaspipe("devices", "--xclbin", named).stdout == repr(gp.devices(named)) + "\n"


def test_without_a_card_the_list_is_no_error(empty):
    assert "not usable: this build of gaspipe has no XRT backend" in gaspipe("devices").stdout


def test_help_has_the_exit_code():
    assert "exit code 1 if not usable" in " ".join(gaspipe("devices", "--help").stdout.split())
    assert "gaspipe devices --check" in gaspipe("--help").stdout


# Commands of algorithms.


def test_an_xclbin_reaches_the_card(machine, tmp_path):
    graph = tmp_path / "graph.txt"
    graph.write_text("0 1\n1 2\n")
    (machine.folder / "a.xclbin").unlink()
    path = build(tmp_path / "mine.xclbin", "bfs")
    result = gaspipe("bfs", graph, "--device", "fpga:0", "--xclbin", path, "--scheduler", "other", "--no-fallback")
    assert machine.runs == [("fpga", "bfs", "uint32", "other", str(path))]
    assert f'device="fpga:0", xclbin="{path}", scheduler="other", fallback=False' in result.stdout
    assert "fpga, 1 thread, uint32" in result.stdout
    assert "no xclbin for bfs" in gaspipe("bfs", graph, "--device", "fpga").stderr
