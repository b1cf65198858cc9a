# SPDX-License-Identifier: Apache-2.0
"""xclbin files as gaspipe reads them: what they hold, and the damage that must not get further than a message."""

import os
import random
import struct
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gaspipe as gp
from cards import MODES, PLATFORM, build, kernels, write_xclbin, xclbin_bytes
from gaspipe import _description
from gaspipe._card import boards as _boards
from gaspipe._card import build as _build
from gaspipe._card import kernels as _kernels
from gaspipe._card import xclbin as _xclbin

UNITS = [
    ("gs_8_8_10000_0123456789abcdef", "gs_1", {0: [0], 1: [0, 1], 4: [2]}),
    ("gs_8_8_10000_0123456789abcdef", "gs_2", {0: [1], 1: [2], 4: [2]}),
    ("apply_0123456789abcdef", "apply_1", {0: [2]}),
]
MEMORY = [("HBM[0]", 6, 256 << 10), ("HBM[1]", 6, 256 << 10), ("DDR[0]", 1, 16 << 20), ("dc_0", 9, 0)]
VALID = xclbin_bytes(UNITS, MEMORY, clock_mhz=275)


def read(path):
    return _xclbin.read(str(path))


def test_a_file_tells_platform_mode_banks_and_connections(tmp_path):
    found = read(write_xclbin(tmp_path / "a.xclbin", UNITS, MEMORY, clock_mhz=275))
    assert found.platform == PLATFORM
    assert found.uuid == "01234567-89ab-cdef-0123-456789abcdef"
    assert (found.mode, found.clock_mhz) == ("hw", 275)
    assert [(b.index, b.name, b.kind, b.num_bytes, b.used) for b in found.banks] == [
        (0, "HBM[0]", "HBM", 256 << 20, True),
        (1, "HBM[1]", "HBM", 256 << 20, True),
        (2, "DDR[0]", "DDR", 16 << 30, True),
        (3, "dc_0", "", 0, True),
    ]
    assert [tuple(unit) for unit in found.units] == [
        (UNITS[0][0], "gs_1", {0: (0,), 1: (0, 1), 4: (2,)}),
        (UNITS[1][0], "gs_2", {0: (1,), 1: (2,), 4: (2,)}),
        (UNITS[2][0], "apply_1", {0: (2,)}),
    ]
    assert _xclbin.contents(found) == (
        UNITS[0][0], UNITS[2][0], "0123456789abcdef", 8, 8, 1 << 20, ("gs_1", "gs_2"), "apply_1", "plain", "", 0
    )  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_modes_are_told_apart(mode, tmp_path):
    assert read(write_xclbin(tmp_path / "a.xclbin", UNITS, MEMORY, mode=mode)).mode == mode


def test_units_come_in_the_order_of_their_numbers(tmp_path):
    scatter = UNITS[0][0]
    shuffled = [(scatter, f"gs_{i}", {}) for i in (10, 2, 1, 9, 8, 3, 7, 4, 6, 5)] + [UNITS[2]]
    found = _xclbin.contents(read(write_xclbin(tmp_path / "a.xclbin", shuffled, MEMORY)))
    assert found.units == tuple(f"gs_{i}" for i in range(1, 11))


# Damage.


def patched(at, form, *values):
    data = bytearray(VALID)
    struct.pack_into(form, data, at, *values)
    return bytes(data)


TABLE = 456
SECTION_OF = {kind: TABLE + 40 * i for i, kind in enumerate((0, 6, 8, 7, 11))}
OFFSET = {kind: struct.unpack_from("<Q", VALID, at + 24)[0] for kind, at in SECTION_OF.items()}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "starts with b''"),
        (b"xclbin0\0" + VALID[8:], "starts with b'xclbin0"),
        (b"\x7fELF" + VALID, "starts with"),
        (VALID[:8], "ends after 8 bytes"),
        (VALID[:455], "ends after 455 bytes"),
        (VALID[:456], f"tells of {len(VALID)} bytes, and 456 are there"),
        (VALID[:-1], f"and {len(VALID) - 1} are there"),
        (patched(304, "<Q", 1 << 63), "tells of 9223372036854775808 bytes"),
        (patched(332, "<H", 7), "mode is 7"),
        (patched(448, "<I", 0), "0 sections"),
        (patched(448, "<I", 0xFFFFFFFF), "4294967295 sections"),
        (patched(448, "<I", 0x10001), "65537 sections"),
        (patched(SECTION_OF[8] + 24, "<Q", 1 << 40), "section 8 is to end at"),
        (patched(SECTION_OF[8] + 32, "<Q", (1 << 64) - 1), "section 8 is to end at"),
        (patched(SECTION_OF[8], "<I", 99), "no section IP_LAYOUT"),
        (patched(SECTION_OF[8] + 32, "<Q", 3), "too few for a count"),
        (patched(OFFSET[6], "<i", 0x7FFFFFFF), "section 6 tells of 2147483647 entries"),
        (patched(OFFSET[8], "<i", -1), "section 8 tells of -1 entries"),
        (patched(OFFSET[8], "<i", 5), "section 8 tells of 5 entries"),
        (patched(OFFSET[7], "<i", 1 << 24), "section 7 tells of"),
        (patched(OFFSET[11], "<h", 3), "section 11 tells of 3 entries"),
        (patched(OFFSET[7] + 4, "<iii", 0, 4, 0), "unit 4 of 4"),
        (patched(OFFSET[7] + 4, "<iii", 0, -1, 0), "unit -1"),
        (patched(OFFSET[7] + 4, "<iii", 0, 0, 4), "memory 4 of 4"),
        (patched(OFFSET[7] + 4, "<iii", -1, 0, 0), "argument -1"),
        (patched(OFFSET[8] + 8 + 16 + 80, "<8s", b"\xff\x80\nabcde"), "is no name"),
    ],
)
def test_damage_is_one_clear_error(data, says, tmp_path):
    path = tmp_path / "a.xclbin"
    path.write_bytes(data)
    with pytest.raises(gp.DeviceError) as caught:
        read(path)
    assert says in str(caught.value)
    assert str(path) in str(caught.value)
    assert "copy or build it again" in str(caught.value)


def check_any(path, data):
    """Whatever the bytes are, they are read or refused."""
    path.write_bytes(data)
    try:
        found = read(path)
        assert len(found.units) <= len(data) // 80
        _xclbin.contents(found)
    except gp.DeviceError as error:
        assert str(path) in str(error)


def test_a_flipped_byte_anywhere_does_no_harm(tmp_path):
    seed = random.randrange(1 << 32)
    print(f"seed={seed}")
    rng = random.Random(seed)
    for at in range(len(VALID)):
        data = bytearray(VALID)
        data[at] ^= rng.randrange(1, 256)
        check_any(tmp_path / "a.xclbin", bytes(data))


def test_every_truncation_is_refused(tmp_path):
    path = tmp_path / "a.xclbin"
    for length in range(0, len(VALID), 7):
        path.write_bytes(VALID[:length])
        with pytest.raises(gp.DeviceError):
            read(path)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, len(VALID) - 1), st.binary(min_size=1, max_size=8)), max_size=6),
    st.integers(0, len(VALID) + 64),
)
def test_mutated_files_are_read_or_refused(tmp_path_factory, changes, length):
    data = bytearray(VALID + bytes(64))
    for at, new in changes:
        data[at : at + len(new)] = new
    check_any(tmp_path_factory.getbasetemp() / "mutated.xclbin", bytes(data[:length]))


def test_what_is_no_file_is_an_error_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe.xclbin")
    for name in ("pipe.xclbin", "none.xclbin", ""):
        begun = time.monotonic()
        with pytest.raises(gp.DeviceError):
            read(tmp_path / name)
        assert time.monotonic() - begun < 5


# What it holds.


@pytest.mark.parametrize(
    ("units", "says"),
    [
        ([], "holds no kernels"),
        ([("vadd", "vadd_1", {})], r"kernels of others \(vadd\)"),
        (UNITS[:2], "one gather_scatter and one apply"),
        (UNITS[2:], "one gather_scatter and one apply"),
        ([*UNITS[:2], ("apply_fedcba9876543210", "apply_1", {})], "of one build are needed"),
        ([*UNITS, ("gs_8_4_10000_0123456789abcdef", "gs_3", {})], "one gather_scatter"),
        ([(UNITS[0][0], "gs_2", {}), UNITS[2]], "has the compute units gs_2, apply_1"),
        ([UNITS[0], UNITS[0], UNITS[2]], "compute units gs_1, gs_1"),
        ([*UNITS, (UNITS[2][0], "apply_2", {})], "apply_1, apply_2"),
        ([(UNITS[0][0], f"gs_{i + 1}", {}) for i in range(17)] + UNITS[2:], "at most 16"),
    ],
)
def test_kernels_that_are_no_build_of_ours_are_refused(units, says, tmp_path):
    with pytest.raises(gp.DeviceError, match=says):
        _xclbin.contents(read(write_xclbin(tmp_path / "a.xclbin", units, MEMORY)))


def look(path):
    return _xclbin.look_at(str(path))


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize(
    ("algorithm", "number", "weighted"),
    [("bfs", "uint32", False), ("sssp", "uint64", True), ("sssp", "float32", False), ("pagerank", "fixed", False)],
)
def test_a_file_is_known_by_its_digest(algorithm, number, weighted, tmp_path):
    found = look(build(tmp_path / "a.xclbin", algorithm, number, weighted, units=3))
    program = _xclbin.Program(algorithm, number, weighted)
    assert found.problem == ""
    assert [other for other in _xclbin.programs() if _xclbin.holds(found.contents, other)] == [program]
    assert _xclbin.identify(found.contents) == program
    assert _xclbin.verdict(found, [program], "") == (program, "")
    other = _xclbin.Program("wcc", "uint32", False)
    says = f"{found.path} holds {algorithm}, {number}, {'with' if weighted else 'without'} weights"
    assert _xclbin.verdict(found, [other], "") == (None, says)
    assert _xclbin.verdict(found, [other, program], "") == (program, "")
    assert _xclbin.verdict(found, [], "") == (program, "")


@pytest.mark.usefixtures("empty")
def test_packed_kernels_are_known_as_such(tmp_path):
    plan = _build.plan(gp.get_include(), "bfs", "u250", units=2, config="packed")
    contents = look(write_xclbin(tmp_path / "a.xclbin", kernels(plan.design, plan.names))).contents
    assert (contents.config, contents.lanes, contents.pes, contents.capacity) == ("packed", 16, 16, 1 << 19)
    assert contents.units == ("packed_1", "packed_2")
    assert _xclbin.identify(contents) == _xclbin.Program("bfs", "uint32", False)
    # Kernels of two pipelines are no pair.
    plain = _build.plan(gp.get_include(), "bfs", "u250", units=2)
    mixed = {**plan.names, "apply": plain.names["apply"]}
    assert "of one build are needed" in look(write_xclbin(tmp_path / "b.xclbin", kernels(plan.design, mixed))).problem


def test_every_program_that_may_be_built_is_tried():
    kinds = {"sssp": (True, False), "spmv": (True, False), "weighted_pagerank": (True,)}
    assert {program[:3] for program in _xclbin.programs()} == {
        (a.name, number, weighted)
        for a in _description.algorithms().values()
        for number in _build.numbers(a)
        for weighted in kinds.get(a.name, (False,))
    } | {("conductance", "uint32", False), ("vertex_cover", "uint64", False)}  # of the CPU, with accelerators
    kernels = _kernels.kernels_alone(gp.get_include())
    assert {program.alone for program in _xclbin.programs()} == {"", *kernels}
    of_blocks = {program[:2] for program in _xclbin.programs() if program.alone == "graphops_pagerank"}
    assert of_blocks == {("pagerank", "fixed"), ("pagerank", "float32")}


@pytest.mark.usefixtures("empty")
def test_kernels_of_other_sources_are_told(tmp_path):
    plan = _build.plan(gp.get_include(), "bfs", "u250", units=2)
    names = {k: _kernels.kernel_name(gp.get_include(), k, plan.design, "f" * 64) for k in plan.names}
    units = [
        (names["gather_scatter"], "gs_1", {}),
        (names["gather_scatter"], "gs_2", {}),
        (names["apply"], "apply_1", {}),
    ]
    found = look(write_xclbin(tmp_path / "a.xclbin", units))
    program, why = _xclbin.verdict(found, [_xclbin.Program("bfs", "uint32", False)], "")
    assert program is None
    assert why == f"{found.path} is built from other kernel sources (gaspipe build makes new ones)"
    # A unit fewer than the kernels were built for is another configuration: apply has a port for each.
    built = build(tmp_path / "b.xclbin", "bfs", units=2)
    assert _xclbin.identify(look(built).contents) is not None
    whole = read(built)
    fewer = [(u.kernel, u.instance, u.banks) for u in whole.units if u.instance != "gs_2"]
    assert _xclbin.identify(look(write_xclbin(tmp_path / "c.xclbin", fewer)).contents) is None


@pytest.mark.usefixtures("empty")
def test_the_board_must_be_that_of_the_card(tmp_path):
    found = look(build(tmp_path / "a.xclbin", "bfs"))
    bfs = [_xclbin.Program("bfs", "uint32", False)]
    assert _xclbin.verdict(found, bfs, "xilinx_u250_gen3x16_xdma_shell_4_1") == (bfs[0], "")
    for shell in ("xilinx_u200_gen3x16_xdma_base_2", "xilinx_u2500_x", "golden"):
        program, why = _xclbin.verdict(found, bfs, shell)
        assert program is None
        assert "is for u250 (platform xilinx_u250_gen3x16_xdma_3_1_202020_1)" in why
        assert shell in why
    strange = look(build(tmp_path / "b.xclbin", "bfs", platform="xilinx_u30_gen3x4"))
    assert "xilinx_u30_gen3x4', none of the known boards u200, u250" in _xclbin.verdict(strange, bfs, "")[1]


@pytest.mark.parametrize("board", _boards.names())
def test_boards_are_found_in_the_names_of_platforms_and_shells(board):
    platform = _boards.read(board).platform
    for name in (platform, platform.upper(), f"xilinx:{board}:xdma:201830.1", f"xilinx_{board}_gen3x16_xdma_shell_1"):
        assert _xclbin.board_of(name) == board
    assert _xclbin.board_of(f"xilinx_{board}0_xdma") == ""


@pytest.mark.usefixtures("empty")
def test_an_emulated_card_takes_files_for_emulation_and_no_others(tmp_path, monkeypatch):
    real, emulated = build(tmp_path / "a.xclbin", "bfs"), build(tmp_path / "b.xclbin", "bfs", mode="sw_emu")
    bfs = _xclbin.Program("bfs", "uint32", False)
    assert _xclbin.verdict(look(real), [bfs], "")[0] == bfs
    assert _xclbin.verdict(look(emulated), [bfs], "") == (
        None,
        f"{emulated} is built for sw_emu, and a card is opened",
    )
    monkeypatch.setenv("XCL_EMULATION_MODE", "sw_emu")
    assert _xclbin.verdict(look(emulated), [bfs], "")[0] == bfs
    assert _xclbin.verdict(look(real), [bfs], "")[1] == f"{real} is built for hw, and XCL_EMULATION_MODE is sw_emu"


# Where it is looked for.


def test_the_search_path_is_the_argument_or_environment_and_user_folder(empty, tmp_path, monkeypatch):
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
    names = [one / "b.xclbin", one / "a.xclbin", two / "single.bin", empty / "mine.xclbin"]
    for path in [*names, one / "notes.txt", two / "not_named.xclbin"]:
        path.touch()
    assert _xclbin.files(_xclbin.search_path()) == [str(names[3])]
    monkeypatch.setenv("GASPIPE_XCLBIN", os.pathsep.join([str(one), str(names[2]), "", str(tmp_path / "none")]))
    places = _xclbin.search_path()
    assert [(place.path, place.exists) for place in places] == [
        (str(one), True),
        (str(names[2]), True),
        (str(tmp_path / "none"), False),
        (str(empty), True),
    ]
    assert _xclbin.files(places) == [str(names[i]) for i in (1, 0, 2, 3)]
    assert _xclbin.files(_xclbin.search_path(names[2])) == [str(names[2])]
    assert _xclbin.files(_xclbin.search_path(two)) == [str(two / "not_named.xclbin")]
    assert _xclbin.files(_xclbin.search_path(tmp_path / "none")) == []


def test_the_users_folder_is_that_of_xdg(monkeypatch):
    monkeypatch.setenv("HOME", "/home/somebody")
    for given_, wanted in (("/data", "/data"), ("", "/home/somebody/.local/share"), ("not/absolute", None)):
        monkeypatch.setenv("XDG_DATA_HOME", given_)
        assert _xclbin.user_folder() == f"{wanted or '/home/somebody/.local/share'}/gaspipe/xclbin"
    monkeypatch.delenv("XDG_DATA_HOME")
    assert _xclbin.user_folder() == "/home/somebody/.local/share/gaspipe/xclbin"


@pytest.mark.usefixtures("empty")
def test_a_file_that_changes_is_read_again(tmp_path):
    path = build(tmp_path / "a.xclbin", "bfs")
    assert _xclbin.identify(look(path).contents).algorithm == "bfs"
    assert look(path) is look(path)
    build(path, "wcc")
    assert _xclbin.identify(look(path).contents).algorithm == "wcc"
    path.unlink()
    assert "cannot be read" in look(path).problem
