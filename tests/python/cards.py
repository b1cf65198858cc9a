# SPDX-License-Identifier: Apache-2.0
"""Stands for cards in the tests that look at how one is chosen: xclbin files, and a driver without a card."""

import struct
import sys
import types
import uuid
import weakref

import pytest

import gaspipe as gp
from gaspipe import _core
from gaspipe._card import build as _build
from gaspipe._card import card, driver
from gaspipe._card import kernels as _kernels

MODES = {"hw": 1, "hw_emu": 4, "sw_emu": 5}
PLATFORM = "xilinx_u250_gen3x16_xdma_4_1_202210_1"
SHELL = "xilinx_u250_gen3x16_xdma_shell_4_1"


def write_xclbin(path, units, memory=(("DDR[0]", 1, 16 << 20),), **header):
    """Write the sections that gaspipe reads, as xclbin.h lays them out; return the path.

    `units` are (kernel, instance, {argument: banks}), `memory` (tag, kind, KB).
    """
    path.write_bytes(xclbin_bytes(units, memory, **header))
    return path


def xclbin_bytes(units, memory, platform=PLATFORM, mode="hw", clock_mhz=0):
    topology = struct.pack("<i4x", len(memory)) + b"".join(
        struct.pack("<BB6xQQ16s", kind, 1, size, 0, tag.encode()) for tag, kind, size in memory
    )
    layout = struct.pack("<i4x", len(units) + 1) + struct.pack("<IIQ64s", 3, 0, 0, b"ddr4_mem00")  # no kernel
    links = []
    for index, (kernel, instance, banks) in enumerate(units):
        layout += struct.pack("<IIQ64s", 1, 1, 0x1800000 + (index << 16), f"{kernel}:{instance}".encode())
        links += [struct.pack("<iii", arg, index + 1, bank) for arg, ones in banks.items() for bank in ones]
    connectivity = struct.pack("<i", len(links)) + b"".join(links)
    sections = [(0, b"the bitstream"), (6, topology), (8, layout), (7, connectivity)]
    if clock_mhz:
        clocks = struct.pack("<HB5x128s", 100, 2, b"SYSTEM") + struct.pack("<HB5x128s", clock_mhz, 1, b"DATA")
        sections.append((11, struct.pack("<h", 2) + clocks))
    table, body, start = b"", b"", 456 + 40 * len(sections)
    for kind, data in sections:
        body += bytes(-(start + len(body)) % 8)
        table += struct.pack("<I16s4xQQ", kind, b"", start + len(body), len(data))
        body += data
    ident = uuid.UUID("01234567-89ab-cdef-0123-456789abcdef").bytes
    head = struct.pack("<8si28s256sQ", b"xclbin2\0", -1, b"\xff" * 28, bytes(256), 0)
    head += struct.pack("<QQQHBBHH16s", start + len(body), 0, 0, 0, 2, 13, MODES.get(mode, mode), 0, bytes(16))
    head += struct.pack("<64s16s16sI4x", platform.encode(), ident, bytes(16), len(sections))
    assert len(head) == 456
    return head + table + body


def build(path, algorithm, number=None, weighted=None, board="u250", units=2, **header):
    """Write an xclbin as `gaspipe build` would have it made, with everything in one bank; return the path."""
    plan = _build.plan(gp.get_include(), algorithm, board, number, weighted, units)
    return write_xclbin(
        path, kernels(plan.design, plan.names), platform=header.pop("platform", plan.platform), **header
    )


def kernels(design, names):
    found = []
    for kernel in names:
        ports = _kernels.ports(gp.get_include(), kernel, design)
        banks = {index: [0] for index, port in enumerate(ports) if port.kind != "scalar"}
        found += [(names[kernel], cu, banks) for cu in _kernels.instances(gp.get_include(), kernel, design)]
    return found


class FakeCards:
    """What the module gaspipe._fpga and the core's side of a card do, without a card: it counts, and fails as told."""

    def __init__(self):
        self.listed = [{"index": 0, "name": SHELL, "address": "0000:65:00.1", "problem": ""}]
        self.opened, self.runs = [], []
        self.alive = weakref.WeakSet()  # what is on a card; gone once nobody has it
        self.open_fails = self.run_fails = self.during_run = None

    def module(self):
        found = types.ModuleType("gaspipe._fpga")
        found.driver = lambda: "the driver"
        found.library = lambda: "XRT 2.13.466"
        found.cards = lambda: [dict(card) for card in self.listed]
        return found

    def load(self, *arguments):
        if self.open_fails is not None:
            raise self.open_fails
        return Loaded(self, arguments)

    def run(self, name, graph, arguments, options, card=None):
        if card is None:
            assert options.device != "fpga"
            return self.core_run(name, graph, arguments, options)
        assert card in self.alive
        self.runs.append((options.device, name, options.number, options.scheduler, card.xclbin))
        del card  # the traceback of what follows must not keep it open
        if self.during_run is not None:
            self.during_run()
        if self.run_fails is not None:
            raise self.run_fails.with_traceback(None)
        on_cpu = options.replace(device="cpu", scheduler="in_order")
        values, stats = self.core_run(name, graph, arguments, on_cpu)
        return values, {**stats, "device": "fpga"}


class Loaded:
    """A card with an xclbin on it."""

    FIELDS = (
        "driver index xclbin algorithm number board config weighted pes capacity gather_scatter apply units apply_unit "
        "clock_mhz dense num_dense"
    )

    def __init__(self, cards, arguments):
        names = self.FIELDS.split()
        assert len(arguments) == len(names)
        self.__dict__.update(zip(names, arguments))
        assert not [other for other in cards.alive if other.index == self.index], "the card is open"
        cards.opened.append(self.xclbin)
        cards.alive.add(self)


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """No card, no xclbin, no lock that anything outside the test has; the folder of the user's xclbin files."""
    for name in ("GASPIPE_XCLBIN", "XCL_EMULATION_MODE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(card, "_slots", {})
    for name, value in (("_module", None), ("_cards", []), ("_is_child", False)):
        monkeypatch.setattr(driver, name, value)
    # The package also has a module of it where it was built with XRT.
    monkeypatch.setitem(sys.modules, "gaspipe._fpga", None)
    folder = tmp_path / "data" / "gaspipe" / "xclbin"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def cards(empty, monkeypatch):
    """One U250 that works."""
    fake = FakeCards()
    fake.folder = empty
    fake.core_run = _core.run
    monkeypatch.setitem(sys.modules, "gaspipe._fpga", fake.module())
    monkeypatch.setattr(_core, "run", fake.run)
    monkeypatch.setattr(_core, "LoadedCard", fake.load, raising=False)
    yield fake
    gp.release_devices()
