# SPDX-License-Identifier: Apache-2.0
"""Xclbin files that cannot be used, alone and in a folder: what is said, what stands in, and the next one works."""

import re
import struct

import card
import pytest
import xclbin

import gaspipe as gp
from card_scene import CAPACITY
from gaspipe._card import kernels as _kernels

pytestmark = pytest.mark.needs("driver")


def changed(content, old, new, count=1):
    assert content.count(old) >= count
    return content.replace(old, new)


def section(content, kind):
    """Where a section lies."""
    (number,) = struct.unpack_from("<I", content, 448)
    for i in range(number):
        found, _, offset, size = struct.unpack_from("<I16s4xQQ", content, 456 + 40 * i)
        if found == kind:
            return offset, size
    raise AssertionError(f"no section {kind}")


def overwritten(content, kind, text=b"\xee"):
    offset, size = section(content, kind)
    return content[:offset] + (text * size)[:size] + content[offset + size :]


def digest_of(content):
    return re.search(rb"gs_8_8_\w+?_([0-9a-f]{16})", content)[1]


DAMAGES = {
    "is missing": (None, "no xclbin for bfs"),
    "is empty": (lambda content: b"", "is no usable xclbin: it starts with"),
    "is no xclbin": (lambda content: b"x" * len(content), "is no usable xclbin: it starts with"),
    "ends in the header": (lambda content: content[:300], "it ends after 300 bytes, in the header"),
    "ends in the table": (lambda content: content[:500], "its header tells of"),
    "ends in the kernels": (lambda content: content[: len(content) // 2], "its header tells of"),
    "lacks its last byte": (lambda content: content[:-1], "its header tells of"),
    "has broken units": (lambda content: overwritten(content, xclbin.IP_LAYOUT), "section 8 tells of"),
    "has broken connections": (
        lambda content: overwritten(content, xclbin.CONNECTIVITY),
        "section 7 tells of",
    ),
    "has broken memories": (
        lambda content: overwritten(content, xclbin.MEM_TOPOLOGY),
        "section 6 tells of",
    ),
    "has a broken bitstream": (lambda content: overwritten(content, xclbin.BITSTREAM), "cannot load"),
    "has broken metadata": (lambda content: overwritten(content, xclbin.EMBEDDED_METADATA), "cannot "),
    "has metadata that end": (lambda content: overwritten(content, xclbin.EMBEDDED_METADATA, b" "), "cannot "),
    "is of older kernel sources": (
        lambda content: changed(content, digest_of(content), b"0123456789abcdef"),
        "is built from other kernel sources",
    ),
    "is for a card, not emulation": (
        lambda content: content[:332] + b"\1" + content[333:],
        "is built for hw, and XCL_EMULATION_MODE is sw_emu",
    ),
}


# What XRT itself refuses; all else is found by gaspipe before the card is opened.
BY_XRT = [damage for damage, (_, says) in DAMAGES.items() if says.startswith("cannot ")]


@pytest.fixture
def damaged(scene, tmp_path):
    """Return a function that writes a damaged xclbin, or none, and returns its path."""

    def write(damage):
        path = tmp_path / f"{damage}.xclbin"
        if (change := DAMAGES[damage][0]) is not None:
            path.write_bytes(change(scene.xclbin.read_bytes()))
        return path

    return write


@pytest.mark.parametrize("damage", BY_XRT)
def test_an_xclbin_that_xrt_refuses_is_refused(scene, damaged, damage):
    check_refused(scene, damaged(damage), DAMAGES[damage][1])


def test_xclbins_that_cannot_be_used_are_refused(scene, damaged):
    """In one process, which closes the card after each."""
    others = {damage: damaged(damage) for damage in DAMAGES if damage not in BY_XRT}
    assert len(others) > 10
    found = refusals(scene, others.values())
    assert len(found) == len(others)
    for heard, (damage, path) in zip(found, others.items()):
        check_heard(heard, path, DAMAGES[damage][1])


def refusals(scene, paths):
    """For each file what a program says that has it as GASPIPE_XCLBIN, and then a good one."""
    heard = scene.run(f"""
for path in {[str(path) for path in paths]!r}:
    os.environ["GASPIPE_XCLBIN"] = path
    say(error(bfs))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = bfs(fallback=True)
    say([result.stats.device, bool((result.depth == expected).all())])
    say([str(warning.message) for warning in caught])
    say(agrees(bfs(xclbin={str(scene.xclbin)!r})))
    say(error(bfs))
    gp.release_devices()
""")
    return [heard[i : i + 5] for i in range(0, len(heard), 5)]


def check_refused(scene, path, says):
    (heard,) = refusals(scene, [path])
    check_heard(heard, path, says)


def check_heard(heard, path, says):
    error, fallback, (warning,), works, again = heard
    assert error.startswith("DeviceError: device='fpga' cannot be used: ")
    assert says in error
    assert str(path) in error
    assert fallback == ["cpu", True]
    assert says in warning
    assert works is True  # in the same process, with another
    assert says in again


def test_an_xclbin_for_another_board_is_refused(scene, tmp_path, make_card):
    other = make_card("u50", bank_bytes=64 << 20).add("bfs", units=2, capacity=CAPACITY)
    check_refused(scene, other, "is for u50 (platform xilinx_u50_gen3x16_xdma_5_202210_1), and the card's shell is")


def test_an_xclbin_for_another_algorithm_is_refused(scene):
    other = scene.card.add("wcc", units=2, capacity=CAPACITY)
    check_refused(scene, other, "holds wcc, uint32, without weights")


def test_an_xclbin_with_other_ports_than_its_name_says_is_refused(scene, tmp_path):
    """Those of kernels with weights, under the names of such without."""
    include = gp.get_include()
    plain = _kernels.Design("bfs", "uint32", 0, False, 2, capacity=CAPACITY)
    digest = _kernels.digest(include, plain)
    names = {k: _kernels.kernel_name(include, k, plain, digest) for k in _kernels.kernels_of(include, plain)}
    library = card.kernel_library(include, plain, names).read_bytes()
    other = _kernels.Design("bfs", "uint32", 0, True, 2, capacity=CAPACITY)
    path = tmp_path / "ports.xclbin"
    path.write_bytes(xclbin.build(include, other, names, scene.card.memory, scene.card.platform, library))
    check_refused(scene, path, "cannot load")


def test_a_folder_serves_with_what_is_good_in_it(scene, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    content = scene.xclbin.read_bytes()
    for number, damage in enumerate(sorted(set(DAMAGES) - {*BY_XRT, "is missing"})):
        (folder / f"{number:02}.xclbin").write_bytes(DAMAGES[damage][0](content))
    (folder / "z.xclbin").write_bytes(content)
    heard = scene.run("say(agrees(bfs())); say([file.usable for file in gp.devices().xclbins])", GASPIPE_XCLBIN=folder)
    assert heard == [True, [False] * (number + 1) + [True]]
