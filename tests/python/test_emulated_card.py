# SPDX-License-Identifier: Apache-2.0
"""The emulated card (tests/card), used by an ordinary program through the real XRT: answers, and mistakes it finds."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import card
import numpy as np
import pytest
import xclbin

import gaspipe as gp
from conftest import REPOSITORY
from gaspipe._card import kernels as _kernels

UNREACHED = 0xFFFFFFFF
NUM_VERTICES = 3001  # no multiple of a word's 16
PROBE = REPOSITORY / "tests" / "card" / "host_probe.cpp"
SECONDS = 60  # after which a program hangs
# XRT answers the death of the device process by SIGTERM to its own, unless it writes to the socket first.
ENDED = (-signal.SIGTERM, -signal.SIGPIPE)


@pytest.fixture(scope="module")
def probe(xrt):
    return card.host_program(PROBE)


@pytest.fixture
def bfs(make_card):
    """Card of four banks of 64 MB, and an xclbin of two compute units."""
    made = make_card("u250", bank_bytes=64 << 20)
    return made, made.add("bfs", units=2, capacity=1 << 16)


class Job:
    """A graph, a frontier, and the shares of two compute units, as host_probe reads them."""

    def __init__(self, folder, rng, num_edges=20_000, units=2):
        self.folder = folder
        self.sources = np.sort(rng.integers(0, NUM_VERTICES, num_edges, dtype=np.uint32))
        self.destinations = rng.integers(0, NUM_VERTICES, num_edges, dtype=np.uint32)
        self.levels = rng.choice(np.array([0, 1, 2, UNREACHED], np.uint32), NUM_VERTICES, p=[0.1, 0.1, 0.1, 0.7])
        self.levels[self.sources[-1]] = 0  # the last line of properties is read
        for unit, edges in enumerate(np.array_split(np.arange(num_edges), units)):
            share = self.sources[edges]
            self.write(f"sources_{unit}", share, share[-1])
            self.write(f"destinations_{unit}", self.destinations[edges], UNREACHED)
        self.write("properties", self.levels, UNREACHED)

    def write(self, name, values, padding):
        padded = np.full(-(-len(values) // 16) * 16, padding, np.uint32)
        padded[: len(values)] = values
        (self.folder / name).write_bytes(padded.tobytes())

    def expected(self):
        """Levels after a super-step, and how many vertices it reached or brought nearer."""
        levels = [int(level) for level in self.levels]
        found = list(levels)
        for source, destination in zip(self.sources.tolist(), self.destinations.tolist()):
            if levels[source] != UNREACHED:
                found[destination] = min(found[destination], levels[source] + 1)
        return found, sum(a != b for a, b in zip(found, levels))

    def found(self, unit):
        levels = np.frombuffer((self.folder / f"updated_{unit}").read_bytes(), np.uint32)[:NUM_VERTICES]
        return levels.tolist(), int.from_bytes((self.folder / "sums").read_bytes()[:8], "little")


@pytest.fixture
def job(tmp_path, rng):
    return Job(tmp_path, rng)


def command(probe, xclbin, job, case):
    return [str(probe), str(xclbin), str(job.folder), str(NUM_VERTICES), case]


def run(probe, made, xclbin, job, case, **variables):
    """Run a case to its end, in a process group and a folder of its own."""
    environment = {**made.environment(), **variables}
    done = subprocess.run(
        command(probe, xclbin, job, case),
        env=environment,
        cwd=job.folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        start_new_session=True,
    )
    print(done.stdout, done.stderr)
    return done


@contextlib.contextmanager
def running(probe, made, xclbin, job, case, says):
    """Start a case and wait for its first line."""
    started = subprocess.Popen(
        command(probe, xclbin, job, case),
        env=made.environment(),
        cwd=job.folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert started.stdout.readline() == says + "\n"
        yield started
    finally:
        started.kill()
        started.wait()
        started.stdin.close()
        started.stdout.close()


def wait_until(condition):
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


# What it computes.


def test_the_libraries_are_those_of_the_distribution(bfs, probe, job):
    made, xclbin = bfs
    with running(probe, made, xclbin, job, "stays", "ready") as host, open(f"/proc/{host.pid}/maps") as maps:
        loaded = {os.path.realpath(path) for path in re.findall(r"\S*/libxrt_\S+", maps.read())}
    names = {os.path.basename(path) for path in loaded}
    print("XRT", card.xrt_version(), sorted(loaded))
    assert {f"libxrt_coreutil.so.{card.xrt_version()}", f"libxrt_swemu.so.{card.xrt_version()}"} <= names
    if shutil.which("dpkg") is None:
        pytest.skip("not a Debian: nothing to hold the libraries against")
    for path in loaded:
        owner = subprocess.run(["dpkg", "-S", path], capture_output=True, text=True, check=True).stdout.split(":")[0]
        checked = subprocess.run(["dpkg", "--verify", owner], capture_output=True, text=True)
        assert path not in checked.stdout
        version = subprocess.run(["dpkg-query", "-W", owner], capture_output=True, text=True).stdout
        print("unmodified:", version.strip())


def test_a_superstep_gives_what_python_computes(bfs, probe, job):
    made, xclbin = bfs
    done = run(probe, made, xclbin, job, "superstep")
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert job.found(0) == job.expected()
    assert job.found(1) == job.expected()
    assert job.expected()[1] > 0


def test_compute_units_run_at_once(bfs, probe, tmp_path, rng):
    made, xclbin = bfs
    job, trace = Job(tmp_path, rng, num_edges=1_000_000), tmp_path / "trace"
    assert run(probe, made, xclbin, job, "superstep", GASPIPE_CARD_TRACE=str(trace)).returncode == 0
    assert job.found(0) == job.found(1) == job.expected()
    runs = [line.split() for line in trace.read_text().splitlines() if line.split()[0] in ("start", "done")]
    assert [word for word, _ in runs] == ["start", "start", "done", "done", "start", "done"]
    assert {unit for _, unit in runs[:2]} == {unit for _, unit in runs[2:4]} == {"gs_1", "gs_2"}


# Of two units on the U280 with 16 banks, sources and destinations have a group of three each.
@pytest.mark.parametrize(
    ("board", "banks", "num_edges", "says"),
    [
        ("u250", 4, 200_000, ""),
        ("u250", 4, 600_000, "std::bad_alloc"),
        ("u280", 16, 1_200_000, ""),
        (
            "u280",
            16,
            1_800_000,
            r"emulated card: the host asks for 36\d+ bytes at 0x\w+, more than fit into MBG\[0:2\]",
        ),
    ],
)
def test_banks_may_be_small(make_card, probe, tmp_path, rng, board, banks, num_edges, says):
    made = make_card(board, banks=banks, bank_bytes=1 << 20)
    job = Job(tmp_path, rng, num_edges)
    xclbin = made.add("bfs", units=2, capacity=1 << 16)
    done = run(probe, made, xclbin, job, "superstep")
    if says:
        assert done.returncode != 0
        assert re.match(says, done.stderr)
    else:
        assert (done.returncode, job.found(0)) == (0, job.expected())


def test_a_process_uses_two_cards(make_card, probe, job):
    made = make_card("u250", banks=2, bank_bytes=1 << 20, devices=2)
    xclbin = made.add("bfs", units=2, capacity=1 << 16)
    assert run(probe, made, xclbin, job, "uses a second card").returncode == 0
    assert job.found(0) == job.expected()


def test_programs_use_their_cards_side_by_side(bfs, probe, tmp_path, rng):
    made, xclbin = bfs
    jobs = []
    for number in range(4):
        (tmp_path / str(number)).mkdir()
        jobs.append(Job(tmp_path / str(number), rng))
    hosts = [
        subprocess.Popen(
            command(probe, xclbin, job, "superstep"), env=made.environment(), cwd=job.folder, start_new_session=True
        )
        for job in jobs
    ]
    assert [host.wait(SECONDS) for host in hosts] == [0] * 4
    assert all(job.found(0) == job.expected() for job in jobs)
    assert not list(tmp_path.rglob(".run"))  # none but in the card's folder


# Mistakes of the host.


@pytest.mark.parametrize(
    ("case", "report"),
    [
        (
            "forgets a sync",
            r"gs_1: burstRead.*\(.*, sources, .*\): a port reads word 0 of 625 of buffer sources at 0x\w+, "
            "whose byte 0 neither a sync nor a kernel has written",
        ),
        (
            "syncs too little",
            r"gs_1: burstRead.*\(.*, destinations, .*\): a port reads word 0 of 625 of buffer destinations at 0x\w+, "
            "whose byte 39996 neither a sync nor a kernel has written",
        ),
        ("frees too early", r"gs_1: argument sources is address 0x\w+, where there is no buffer"),
        ("sets no argument", r"gs_1: argument sources is address 0x0, where there is no buffer; was it set\?"),
        ("takes the wrong bank", r"gs_1: argument sources is address 0x\w+, in DDR\[1\]; it is connected to DDR\[0\]"),
        (
            "makes an input too small",
            r"gs_1: lineRead: a port reads word \d+ of \d+ of buffer properties at 0x\w+, which has 64",
        ),
        (
            "makes an output too small",
            r"gs_1: writeBack: a port writes word 64 of 128 of buffer gathered at 0x\w+, which has 64",
        ),
    ],
)
def test_a_mistake_of_the_host_is_reported(bfs, probe, job, case, report):
    made, xclbin = bfs
    check_reported(probe, made, xclbin, job, case, report)


def test_a_buffer_that_is_freed_while_it_is_used_is_reported(bfs, probe, tmp_path, rng):
    made, xclbin = bfs
    job = Job(tmp_path, rng, num_edges=4_000_000)
    while_used = r"the host frees the buffer at 0x\w+ while a kernel uses it"
    before = r"gs_1: argument properties is address 0x\w+, where there is no buffer"  # XRT was slow to start it
    report = f"{while_used}|{before}"
    check_reported(probe, made, xclbin, job, "frees in flight", report)


def check_reported(probe, made, xclbin, job, case, report):
    done = run(probe, made, xclbin, job, case)
    assert done.returncode in ENDED
    assert done.stdout == ""
    lines = [line for line in done.stderr.splitlines() if line.startswith("emulated card: ")]
    assert len(lines) == 1
    assert re.fullmatch(f"emulated card: ({report})", lines[0])
    wait_until(lambda: made.processes() == [])


def test_fresh_memory_is_poisoned(bfs, probe, job):
    made, xclbin = bfs
    done = run(probe, made, xclbin, job, "reads what nobody wrote")
    assert done.stdout == "a5" * 5000 + "\ndone\n"


# How it ends.


@pytest.mark.parametrize(("case", "says"), [("stays", "ready"), ("leaves in flight", "running")])
def test_a_host_that_is_killed_leaves_no_process(bfs, probe, tmp_path, rng, case, says):
    made, xclbin = bfs
    job = Job(tmp_path, rng, num_edges=2_000_000)
    with running(probe, made, xclbin, job, case, says) as host:
        assert len(made.processes()) == 1
        host.kill()
        host.wait()
        wait_until(lambda: made.processes() == [])


def test_a_child_of_the_host_that_holds_the_socket_keeps_no_process(bfs, probe, job):
    made, xclbin = bfs
    with running(probe, made, xclbin, job, "leaves a child", "ready") as host:
        assert len(made.processes()) == 1
        host.kill()
        host.wait()
        try:
            wait_until(lambda: made.processes() == [])
        finally:
            os.killpg(host.pid, signal.SIGKILL)  # raises if the child was gone


def test_a_card_that_is_killed_ends_its_host(bfs, probe, job):
    made, xclbin = bfs
    with running(probe, made, xclbin, job, "stays", "ready") as host:
        (device,) = made.processes()
        os.kill(device, signal.SIGKILL)
        assert host.wait(SECONDS) in ENDED


def test_ctrl_c_is_the_hosts_affair(bfs, probe, job):
    made, xclbin = bfs
    with running(probe, made, xclbin, job, "ignores Ctrl-C", "ready") as host:
        os.killpg(host.pid, signal.SIGINT)
        host.stdin.write("\n")
        host.stdin.flush()
        assert host.wait(SECONDS) == 0
    assert job.found(0) == job.expected()


def test_nothing_is_left_behind(make_card, probe, job):
    made = make_card("u250", banks=2, bank_bytes=1 << 20)
    assert run(probe, made, made.add("bfs", units=1, capacity=1 << 16), job, "stays").returncode == 0
    assert made.sockets.is_dir()
    made.close()
    assert not made.sockets.exists()
    assert not list(made.folder.rglob(".run"))


# A Python program that opens the card as often as it is told, by XRT's C API: load each xclbin, then do `between`.
PYTHON_HOST = """
import ctypes, subprocess, sys, time
xrt = ctypes.CDLL("libxrt_coreutil.so.2")
xrt.xrtDeviceOpen.restype = ctypes.c_void_p
xrt.xrtDeviceLoadXclbinFile.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
xrt.xrtDeviceClose.argtypes = [ctypes.c_void_p]
times, *xclbins = sys.argv[1:]
for _ in range(int(times)):
    device = xrt.xrtDeviceOpen(0)
    for xclbin in xclbins:
        assert xrt.xrtDeviceLoadXclbinFile(device, xclbin.encode()) == 0
    child = subprocess.Popen(["sleep", "100"])
    child.kill()
    assert child.wait() == -9
    assert subprocess.run(["false"]).returncode == 1
    xrt.xrtDeviceClose(device)
print("done")
"""


def test_a_python_program_opens_the_card_again_and_its_children_may_die(bfs, tmp_path):
    made, two_units = bfs
    one_unit = made.add("bfs", units=1, capacity=1 << 16)
    command = [sys.executable, "-c", PYTHON_HOST, "3", two_units, one_unit]
    done = subprocess.run(
        command, env=made.environment(), cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
    assert made.processes() == []


def test_an_xclbin_whose_kernels_do_not_fit_is_refused(bfs, probe, job):
    made, _ = bfs
    include = gp.get_include()
    design = _kernels.Design("bfs", "uint32", 0, False, 2, capacity=1 << 16)
    names = {"gather_scatter": "gs_other", "apply": "apply_other"}
    for library, says in (
        (b"no library", "file too short|invalid ELF header"),
        (card.swemu_fix().read_bytes(), "gs_oth"),
    ):
        path = job.folder / "wrong.xclbin"
        path.write_bytes(xclbin.build(include, design, names, made.memory, made.platform, library))
        done = run(probe, made, path, job, "superstep")
        assert done.returncode == 1
        assert re.match(f"emulated card: .*({says})", done.stderr)
        assert made.processes() == []


# What is written and compiled.


def test_registers_are_laid_out_as_hls_does():
    design = _kernels.Design("sssp", "uint64", 0, True, 2)
    memory = xclbin.Memory("DDR", 4, 1 << 30)
    found = xclbin.kernels(gp.get_include(), design, {"gather_scatter": "gs", "apply": "apply"}, memory)
    registers = {kernel.name: [(a.name, a.offset) for a in kernel.units[0].arguments] for kernel in found}
    # From 0x10; a pointer takes 12 bytes, a number of 32 bits takes 8 (UG1399, "S_AXILITE Control Register Map").
    assert registers["gs"] == [
        ("sources", 0x10),
        ("destinations", 0x1C),
        ("weights", 0x28),
        ("properties", 0x34),
        ("gathered", 0x40),
        ("num_words", 0x4C),
        ("first", 0x54),
        ("last", 0x5C),
    ]
    assert registers["apply"][:7] == [
        ("gathered_0", 0x10),
        ("gathered_1", 0x1C),
        ("properties", 0x28),
        ("updated_0", 0x34),
        ("updated_1", 0x40),
        ("sums", 0x4C),
        ("first", 0x58),
    ]
    assert [(unit.name, unit.base) for kernel in found for unit in kernel.units] == [
        ("gs_1", 0x1800000),
        ("gs_2", 0x1810000),
        ("apply_1", 0x1820000),
    ]


def test_processes_that_want_the_same_library_compile_it_once(tmp_path, monkeypatch):
    log, compiler = tmp_path / "log", tmp_path / "compiler"
    compiler.write_text(f'#!/bin/sh\n[ "$1" = --version ] || {{ echo >> {log}; sleep 1; }}\nexec g++ "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setenv("GASPIPE_CARD_CACHE", str(tmp_path / "cache"))
    text = 'import card; print(card._compile("x", [], {"x.cpp": "int main() {}"}))'
    paths = os.pathsep.join([str(REPOSITORY / "tests" / "card"), *sys.path])
    command = [sys.executable, "-c", text]
    started = [
        subprocess.Popen(command, env={**os.environ, "PYTHONPATH": paths}, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    printed = {process.communicate(timeout=SECONDS)[0] for process in started}
    assert len(printed) == 1
    assert len(log.read_text().splitlines()) == 1
    assert os.access(printed.pop().strip(), os.X_OK)
    with pytest.raises(RuntimeError, match="x does not compile"):
        card._compile("x", [], {"x.cpp": "int main() { return }"})
    assert sorted(path.suffix for path in (tmp_path / "cache").iterdir()) == ["", ".lock", ".lock"]


def test_this_process_sees_the_card_while_it_is_active(make_card, monkeypatch):
    monkeypatch.setenv("XILINX_HLS", "/somewhere")
    monkeypatch.delenv("XILINX_XRT", raising=False)
    before, made = dict(os.environ), make_card("u50")
    with made.active():
        assert "XILINX_HLS" not in os.environ
        assert os.path.isfile(os.environ["XILINX_XRT"] + "/lib/libxrt_swemu.so.2")
        assert os.environ["XCL_EMULATION_MODE"] == "sw_emu"
    assert dict(os.environ) == before


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert card.available() == "there is no compiler no-such-compiler"
