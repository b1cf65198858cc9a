# SPDX-License-Identifier: Apache-2.0
"""`gaspipe build`: the folder it writes, the v++ it runs, and what it refuses."""

import json
import os
import re
import shlex
import signal
import stat
import subprocess
import sys
import time

import pytest

import gaspipe as gp
from command import gaspipe, start
from gaspipe._card import build as _build

# Stands for v++: writes down its arguments, makes the file that it is told to make, and fails if told to.
FAKE = """#!{python}
import json, os, sys, time
with open(os.environ["FAKE_LOG"], "a") as log:
    log.write(json.dumps([os.getcwd(), *sys.argv[1:]]) + "\\n")
print("fake v++ says", sys.argv[1], flush=True)
step = os.environ.get("FAKE_FAILS")
if step == sys.argv[1]:
    print("ERROR: no", file=sys.stderr)
    sys.exit(7)
if os.environ.get("FAKE_HANGS") == sys.argv[1]:
    print("pid", os.getpid(), flush=True)
    time.sleep(600)
output = sys.argv[sys.argv.index("--output") + 1]
if "--config" in sys.argv:
    open(sys.argv[sys.argv.index("--config") + 1]).close()
inputs = [a for a in sys.argv[2:] if a.endswith((".cpp", ".xo", ".link.xclbin")) and a != output]
assert inputs and all(os.path.isfile(name) for name in inputs), inputs
open(output, "w").close()
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Empty working folder, and no v++ on the PATH."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    tools = [p for p in os.environ["PATH"].split(os.pathsep) if not os.path.exists(os.path.join(p, "v++"))]
    monkeypatch.setenv("PATH", os.pathsep.join(tools))
    return folder


@pytest.fixture
def vitis(here, tmp_path, monkeypatch):
    """Put a fake v++ on the PATH; a function that returns the calls it got."""
    tools, log = tmp_path / "tools", tmp_path / "log"
    tools.mkdir()
    for name in ("v++", "emconfigutil"):
        tool = tools / name
        tool.write_text(FAKE.format(python=sys.executable) if name == "v++" else "#!/bin/sh\necho emconfigutil $*\n")
        tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_LOG", str(log))
    return lambda: [json.loads(line) for line in log.read_text().splitlines()]


def tree(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_without_vitis_it_says_where_the_files_are_and_what_builds_them(here):
    said = gaspipe("build", "--board", "u250", "bfs")
    folder = here / "bfs_uint32_u250_hw"
    assert os.listdir(here) == [folder.name]
    assert f"Written: {folder.name}\n" in said.stdout
    assert "v++ is not on the PATH" in said.stdout
    printed = [line.strip() for line in said.stdout.splitlines() if line.startswith("  v++")]
    script = [line for line in (folder / "build.sh").read_text().splitlines() if line.startswith("v++")]
    assert len(printed) == len(script) == 4
    for shown, run in zip(printed, script):
        assert shlex.split(shown) == [
            "xilinx_u250_gen3x16_xdma_3_1_202020_1" if word == "$PLATFORM" else word for word in shlex.split(run)
        ]
    assert "bfs_uint32_u250_hw/build.sh runs them" in said.stdout


def test_the_folder_needs_nothing_beside_it(here):
    gaspipe("build", "--board", "u55c", "--out", "made", "pagerank")
    files = tree(here / "made")
    assert {"gather_scatter.cpp", "apply.cpp", "link.cfg", "build.sh", "manifest.json"} <= set(files)
    for name, text in files.items():
        if name.endswith((".cpp", ".h")):
            for included in re.findall(r'^#include "(.*?)"', text.decode(), re.MULTILINE):
                # Under Vitis nothing of the emulator is read.
                assert f"include/{included}" in files or included in ("hls/emulator/lanes.h", "hls/emulator/region.h")
    assert not any("emulator" in name for name in files)
    assert os.access(here / "made" / "build.sh", os.X_OK)
    assert stat.S_IMODE(os.stat(here / "made").st_mode) & 0o700 == 0o700
    for shell in (["sh", "-n"], ["bash", "-n"]):
        subprocess.run([*shell, "made/build.sh"], check=True)


def test_the_manifest_describes_the_kernels(here):
    gaspipe("build", "--board", "u250", "--units", 2, "--out", "made", "sssp")
    told = json.loads((here / "made" / "manifest.json").read_text())
    link = (here / "made" / "link.cfg").read_text()
    assert re.fullmatch("[0-9a-f]{64}", told["digest"])
    assert (told["algorithm"], told["number"], told["weighted"], told["units"]) == ("sssp", "uint32", True, 2)
    for kernel, described in told["kernels"].items():
        assert told["digest"][:16] in described["name"]
        text = (here / "made" / f"{kernel}.cpp").read_text()
        assert f'extern "C" void {described["name"]}(' in text
        cus = [cu["name"] for cu in described["compute_units"]]
        assert cus == (["gs_1", "gs_2"] if kernel == "gather_scatter" else ["apply_1"])
        assert f"nk={described['name']}:{len(cus)}:{'.'.join(cus)}\n" in link
        for cu in described["compute_units"]:
            parameters = re.search(r"\((.*?)\) \{", text.split('extern "C"')[1], re.DOTALL)[1].split(",")
            assert [a["name"] for a in cu["arguments"]] == [p.split()[-1] for p in parameters]
            assert [a["index"] for a in cu["arguments"]] == list(range(len(parameters)))
            for argument in cu["arguments"]:
                if argument["kind"] != "scalar":
                    assert f"sp={cu['name']}.{argument['name']}:{argument['memory'][0]}\n" in link
                    assert len(argument["memory"]) == 1


def test_one_call_writes_the_same_bytes_as_another(here):
    for out in ("one", "two"):
        gaspipe("build", "--board", "u280", "--out", out, "article-rank")
    assert tree(here / "one") == tree(here / "two")


def test_options_reach_the_kernels(here):
    options = ["--number", "float32", "--no-weights", "--units", 3, "--lanes", 16, "--pes", 4, "--capacity", 4096]
    gaspipe("build", "--board", "u250", *options, "--clock", 275, "--out", "made", "spmv")
    scatter, apply = ((here / "made" / f"{kernel}.cpp").read_text() for kernel in ("gather_scatter", "apply"))
    assert "algorithm::spmv::Hooks<float>" in scatter
    assert "Config<16, 4, 4096>" in scatter
    assert "propProcess<Hooks, kLanes>(source_properties, edge_destinations, updates)" in scatter
    assert "weights" not in re.search(r"void \w+\((.*?)\)", scatter, re.DOTALL)[1]
    assert "cuDuplicate(first, last, 3, applied, copies)" in apply
    assert "kernel_frequency=275\n" in (here / "made" / "link.cfg").read_text()
    assert (here / "made" / "build.sh").read_text().count("--kernel_frequency 275 ") == 2


def test_packed_kernels_build_like_the_plain_ones(here):
    gaspipe("build", "--board", "u250", "--config", "packed", "--units", 2, "--out", "made", "sssp")
    files = tree(here / "made")
    assert {"packed_gather_scatter.cpp", "apply.cpp", "link.cfg", "build.sh", "manifest.json"} <= set(files)
    assert "gather_scatter.cpp" not in files
    told = json.loads(files["manifest.json"])
    assert (told["config"], told["lanes"], told["pes"], told["capacity"]) == ("packed", 16, 16, 1 << 19)
    assert told["xclbin"] == "sssp_uint32_packed_u250.hw.xclbin"
    scatter, link = files["packed_gather_scatter.cpp"].decode(), files["link.cfg"].decode()
    assert "Config<16, 16, 524288>" in scatter
    assert "propProcess<Hooks, kLanes>(num_sub_partitions, source_properties, edge_destinations, edge_w" in scatter
    name = told["kernels"]["packed_gather_scatter"]["name"]
    assert name.startswith("packed_16_16_8000_")
    assert f"nk={name}:2:packed_1.packed_2\n" in link
    for port in ("edges", "weights", "properties", "sub_partitions", "gathered"):
        assert f"sp=packed_2.{port}:DDR[" in link
    assert f"--kernel {name} --output packed_gather_scatter.xo packed_gather_scatter.cpp" in files["build.sh"].decode()
    said = gaspipe("build", "--board", "u250", "--config", "unknown", "sssp", code=3).stderr
    assert "config is 'unknown'; allowed are plain, packed" in said
    assert "others can only be predicted: there are no kernels" in said


# With v++.


def test_v_plus_plus_is_run_and_heard(vitis, here):
    said = gaspipe("build", "--board", "u250", "--out", "made", "bfs").stdout
    compile_scatter, compile_apply, link, package = calls = vitis()
    assert {call[0] for call in calls} == {str(here / "made")}
    assert [call[1] for call in calls] == ["--compile", "--compile", "--link", "--package"]
    assert re.findall("^fake v.. says (.*)$", said, re.MULTILINE) == [call[1] for call in calls]
    assert "\nBuilt: made/bfs_uint32_u250.hw.xclbin\nHint: " in said
    assert (here / "made" / "bfs_uint32_u250.hw.xclbin").exists()
    names = [call[call.index("--kernel") + 1] for call in (compile_scatter, compile_apply)]
    config = (here / "made" / link[link.index("--config") + 1]).read_text()
    assert re.findall("^nk=(.*?):", config, re.MULTILINE) == names
    for call in calls:
        assert call[call.index("--target") + 1] == "hw"
        assert call[call.index("--platform") + 1] == "xilinx_u250_gen3x16_xdma_3_1_202020_1"
    for call in (compile_scatter, compile_apply):
        assert call[call.index("-D") + 1] == "GASPIPE_VITIS"
    outputs = [call[call.index("--output") + 1] for call in calls]
    assert link[-2:] == outputs[:2]
    assert package[-1] == outputs[2]


def test_files_of_several_builds_may_lie_in_one_folder():
    names = [
        _build.plan(gp.get_include(), algorithm, board, number, weighted, units=2, target=target).xclbin
        for algorithm, number, weighted in (
            ("bfs", None, None),
            ("sssp", "uint32", True),
            ("sssp", "uint32", False),
            ("pagerank", "fixed", None),
            ("pagerank", "float32", None),
        )
        for board in ("u250", "u50")
        for target in _build.TARGETS
    ]
    assert len(set(names)) == len(names) == 20
    assert all(name.endswith(".xclbin") for name in names)


def test_emulation_of_the_vendor_is_a_target(vitis, here):
    said = gaspipe("build", "--board", "u250", "--target", "hw_emu", "--out", "made", "bfs").stdout
    assert {call[call.index("--target") + 1] for call in vitis()} == {"hw_emu"}
    assert "emconfigutil --platform xilinx_u250_gen3x16_xdma_3_1_202020_1" in said


def test_another_shell_may_be_named(vitis, here, monkeypatch):
    (here / "my shell.xpfm").touch()
    gaspipe("build", "--board", "u250", "--platform", "my shell.xpfm", "--out", "made", "bfs")
    assert {call[call.index("--platform") + 1] for call in vitis()} == {str(here / "my shell.xpfm")}
    monkeypatch.setenv("PLATFORM", "other")
    gaspipe("build", "--board", "u250", "--platform", "it's", "--out", "more", "bfs")
    assert {call[call.index("--platform") + 1] for call in vitis()[4:]} == {"other"}


@pytest.mark.parametrize(("step", "calls"), [("--compile", 1), ("--link", 3), ("--package", 4)])
def test_a_failing_v_plus_plus_ends_the_build(step, calls, vitis, here, monkeypatch):
    monkeypatch.setenv("FAKE_FAILS", step)
    done = gaspipe("build", "--board", "u250", "--out", "made", "bfs", code=4)
    assert len(vitis()) == calls
    assert "ERROR: no" in done.stdout
    assert "exit code 7" in done.stderr
    assert "Built" not in done.stdout
    assert not (here / "made" / "bfs_uint32_u250.hw.xclbin").exists()


def test_no_run_leaves_v_plus_plus_alone(vitis, here, tmp_path):
    said = gaspipe("build", "--board", "u250", "--no-run", "bfs").stdout
    assert not (tmp_path / "log").exists()
    assert "Not built: as asked" in said


def test_an_interrupt_ends_v_plus_plus_too(vitis, here, monkeypatch):
    monkeypatch.setenv("FAKE_HANGS", "--link")
    with start("build", "--board", "u250", "--out", "made", "bfs", text=True) as process:
        tool = next(int(line.split()[1]) for line in process.stdout if line.startswith("pid "))
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said == "Interrupted\n"
    with pytest.raises(ProcessLookupError):  # once its new parent has seen it end
        while time.monotonic() - begun < 30:
            os.kill(tool, 0)
            time.sleep(0.05)


# What is refused.


def test_unknown_boards_get_the_list(here):
    said = gaspipe("build", "--board", "u999", "bfs", code=3).stderr
    assert "'u999'" in said
    for board in ("u50", "u55c", "u200", "u250", "u280", "vcu1525"):
        assert board in said
    assert "board.h" not in said
    gaspipe("build", "--board", "../types", "bfs", code=3)
    gaspipe("build", "bfs", code=2)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["bsf"], "known are article_rank, bfs"),
        (["--number", "float64", "spmv"], "may have int32, int64, float32"),
        (["--number", "uint33", "bfs"], "may have uint32"),
        (["--units", 0, "bfs"], "1 to 16"),
        (["--units", 17, "bfs"], "1 to 16"),
        (["--lanes", 4, "bfs"], "8, 16"),
        (["--pes", 32, "bfs"], "4, 8, 16"),
        (["--capacity", 100, "bfs"], "multiple of 16"),
        (["--capacity", 0, "bfs"], "multiple of 16"),
        (["--weights", "bfs"], "reads no weights"),
        (["--clock", 0, "bfs"], "must be positive"),
        (["--capacity", 1 << 21, "bfs"], "at most 1048576 fit"),
        (["--units", 13, "bfs"], "AXI ports lead to DDR[0], which takes 15"),
        (["--units", 10, "sssp"], "AXI ports lead to DDR[1], which takes 15"),
    ],
)
def test_what_no_kernel_can_be_is_refused_and_nothing_written(arguments, says, here):
    assert says in gaspipe("build", "--board", "u250", *arguments, code=3).stderr
    assert os.listdir(here) == []


def test_buffers_that_exceed_the_chip_are_a_capacity_error():
    with pytest.raises(gp.CapacityError, match="URAM"):
        _build.plan(gp.get_include(), "bfs", "u250", capacity=1 << 21)
    # 4 units of 8 PEs with 2^17 values, each 4096 to a block: 256 of an SLR's 320.
    assert _build.plan(gp.get_include(), "bfs", "u250", units=4).design.capacity == 1 << 20
    assert _build.plan(gp.get_include(), "bfs", "u250", units=4).slrs[:4] == [0, 1, 2, 3]
    assert _build.plan(gp.get_include(), "bfs", "u250", units=8).design.capacity == 1 << 19
    # SLR1 of a U200 has half the blocks of the others.
    assert _build.plan(gp.get_include(), "bfs", "u200", units=5, capacity=1 << 19).slrs[:5] == [0, 0, 1, 2, 2]


@pytest.mark.parametrize(
    ("algorithm", "board", "units"),
    # A unit has 3 AXI ports, 4 with weights, and one in the apply kernel, which has one more and one per input.
    [("bfs", "u250", 4), ("bfs", "u280", 7), ("sssp", "u280", 6), ("pagerank", "u55c", 7)],
)
def test_by_default_there_are_as_many_units_as_the_memory_has_ports_for(algorithm, board, units):
    assert _build.plan(gp.get_include(), algorithm, board).design.units == units
    if board != "u250":
        with pytest.raises(gp.CapacityError, match="lead to HBM, which takes 31"):
            _build.plan(gp.get_include(), algorithm, board, units=units + 1)


def test_a_folder_with_something_in_it_is_left_alone(here):
    (here / "mine").mkdir()
    (here / "mine" / "thesis.txt").write_text("all of it")
    for force in ([], ["--force"]):
        said = gaspipe("build", "--board", "u250", "--out", "mine", *force, "bfs", code=3).stderr
        assert ("--force" in said) == (not force)
    assert tree(here) == {"mine/thesis.txt": b"all of it"}
    (here / "file").touch()
    gaspipe("build", "--board", "u250", "--out", "file", "--force", "bfs", code=3)
    (here / "link").symlink_to("mine")
    gaspipe("build", "--board", "u250", "--out", "link", "--force", "bfs", code=3)
    assert sorted(os.listdir(here)) == ["file", "link", "mine"]


def test_an_empty_folder_is_used_and_a_build_replaced_if_forced(here):
    (here / "made").mkdir()
    gaspipe("build", "--board", "u250", "--out", "made", "bfs")
    before = tree(here / "made")
    (here / "made" / "old.xclbin").touch()
    gaspipe("build", "--board", "u250", "--out", "made", "wcc", code=3)
    assert tree(here / "made") == {**before, "old.xclbin": b""}
    gaspipe("build", "--board", "u250", "--out", "made", "--force", "wcc")
    after = tree(here / "made")
    assert "old.xclbin" not in after
    assert json.loads(after["manifest.json"])["algorithm"] == "wcc"
    assert os.listdir(here) == ["made"]


def test_a_build_that_cannot_be_written_leaves_nothing(here, monkeypatch):
    gaspipe("build", "--board", "u250", "--out", "made", "bfs")
    before = tree(here)
    replace, calls = os.replace, []

    def fails(*arguments):
        calls.append(arguments)
        if len(calls) == 2:  # the old folder has been moved, the new one not yet
            raise OSError(28, "No space left on device")
        replace(*arguments)

    monkeypatch.setattr(os, "replace", fails)
    gaspipe("build", "--board", "u250", "--out", "made", "--force", "wcc", code=3)
    assert len(calls) == 3
    assert tree(here) == before
    calls[:] = [None]
    gaspipe("build", "--board", "u250", "--out", "new", "wcc", code=3)
    assert tree(here) == before
    assert os.listdir(here) == ["made"]
