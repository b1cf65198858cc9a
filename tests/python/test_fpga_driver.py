# SPDX-License-Identifier: Apache-2.0
"""The module that holds XRT: loaded by who asks for it, harmless to import, and clear where there is no card."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gaspipe as gp
from gaspipe import _core

needs_xrt = pytest.mark.needs("driver")

# What a process holds of XRT, and what XRT could have done to it.
LOOK = """
import json, os, signal


def look():
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    libraries = {line.split()[-1] for line in open("/proc/self/maps") if "libxrt" in line}
    return {
        "libraries": sorted(libraries),
        "handlers": status["SigCgt"].strip(),
        "blocked": status["SigBlk"].strip(),
        "threads": int(status["Threads"]),
        "files": len(os.listdir("/proc/self/fd")),
        "interrupt": signal.getsignal(signal.SIGINT) is signal.default_int_handler,
    }
"""


def run(code, **variables):
    """What `code` prints as JSON, in a process that knows of no card but those it finds itself."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("XCL_", "XILINX_"))}
    done = subprocess.run(
        [sys.executable, "-c", LOOK + code],
        capture_output=True,
        text=True,
        timeout=60,
        env={**environment, **variables},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_package_and_cpu_load_no_xrt():
    seen = run("import gaspipe as gp; gp.bfs(([0, 1], [1, 2]), root=0); print(json.dumps(look()))")
    assert seen["libraries"] == []


@needs_xrt
def test_import_opens_no_card_and_leaves_signals_alone():
    before, after = run(
        "import gaspipe; before = look(); from gaspipe import _fpga; _fpga.driver(); _fpga.library()\n"
        "print(json.dumps([before, look()]))"
    )
    assert [Path(name).name.partition(".")[0] for name in after["libraries"]] == ["libxrt_coreutil"]
    assert after["interrupt"]
    for what in ("handlers", "blocked", "threads", "files"):
        assert after[what] == before[what], what


@needs_xrt
def test_library_says_the_version_of_the_file_that_was_loaded():
    said, seen = run("from gaspipe import _fpga; print(json.dumps([_fpga.library(), look()]))")
    file = Path(seen["libraries"][0]).resolve().name
    assert re.fullmatch(r"XRT \d+(\.\d+)+", said)
    assert file == "libxrt_coreutil.so." + said.split()[1]


@needs_xrt
def test_library_of_xilinx_xrt_is_opened_before_any_other(tmp_path):
    file = Path(run("from gaspipe import _fpga; print(json.dumps(look()))")["libraries"][0]).resolve()
    (tmp_path / "lib").mkdir()
    named = tmp_path / "lib" / "libxrt_coreutil.so.2"
    shutil.copy(file, f"{named}.99.1")
    named.symlink_to(f"{named}.99.1")
    ask = (
        "from gaspipe._card import driver\ntry: said = driver.module().library()\n"
        "except Exception as error: said = str(error)\nprint(json.dumps(said))"
    )
    assert run(ask, XILINX_XRT=str(tmp_path)) == "XRT 2.99.1"
    shutil.copy(_core.__file__, f"{named}.99.1")  # a library that has nothing of XRT's
    said = run(ask, XILINX_XRT=str(tmp_path))
    assert re.search(r"undefined symbol: _ZN\w*3xrt", said)
    assert str(tmp_path) in said
    assert "set XILINX_XRT" in said


@needs_xrt
def test_driver_is_a_capsule_of_the_version_in_the_header():
    header = (Path(gp.get_include()) / "gaspipe" / "card.h").read_text()
    name = re.search(r'kCardDriverCapsule = "([^"]+)"', header).group(1)
    shown, said = run("from gaspipe import _fpga; print(json.dumps([repr(_fpga.driver()), _fpga.library()]))")
    assert f'"{name}"' in shown
    assert said.startswith("XRT ")


@needs_xrt
@pytest.mark.parametrize(
    "variables", [{}, {"XILINX_XRT": "/nowhere"}, {"XCL_EMULATION_MODE": "no such mode"}], ids=["plain", "path", "mode"]
)
def test_cards_are_listed_or_the_reason_why_they_are_not(variables):
    cards, seen = run("from gaspipe import _fpga; print(json.dumps([_fpga.cards(), look()]))", **variables)
    assert seen["interrupt"]
    for i, card in enumerate(cards):
        assert set(card) == {"index", "name", "address", "problem"}
        assert card["index"] == i
        assert card["name"] or card["problem"]
    if variables:  # XRT cannot even look
        assert cards[0]["problem"].startswith("XRT ")


@needs_xrt
def test_stub_matches_the_module(tmp_path):
    command = [sys.executable, "-m", "mypy.stubtest", "gaspipe._fpga"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stdout
