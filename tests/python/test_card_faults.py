# SPDX-License-Identifier: Apache-2.0
"""Faults of `device="fpga"`, each in a process of its own that ends soon, leaves nothing and lets the next work."""

import json
import os
import re
import signal
import struct
import subprocess
import sys
import time

import card
import pytest
import xclbin

import card_process
import gaspipe as gp
from card_process import ENDED, Process, pid_in, run, traced, wait_until
from gaspipe._card import kernels as _kernels

pytestmark = pytest.mark.needs("driver")

CAPACITY = 1 << 16
SOON = 10  # seconds that an end may take, on a busy machine


class Scene:
    """A card, an xclbin for it, and the files by which a test looks at its runs and holds them."""

    def __init__(self, made, xclbin_path, folder):
        self.card, self.xclbin = made, xclbin_path
        self.trace, self.held = folder / "trace", folder / "held"
        self.variables = {
            "GASPIPE_XCLBIN": xclbin_path,
            "GASPIPE_CARD_TRACE": self.trace,
            "GASPIPE_CARD_HOLD": self.held,
            "XDG_DATA_HOME": folder,
        }

    def start(self, code, **variables):
        return Process(self.card, code, **{**self.variables, **variables})

    def run(self, code, **variables):
        return run(self.card, code, **{**self.variables, **variables})

    def count(self, word):
        return sum(line.split()[0] == word for line in traced(self.trace))

    def hold(self):
        self.held.touch()

    def let_go(self):
        self.held.unlink()

    def wait_for_a_run(self):
        wait_until(lambda: self.count("start") > self.count("done"))


@pytest.fixture(scope="module")
def made(xrt, tmp_path_factory):
    with card.EmulatedCard(tmp_path_factory.mktemp("card"), "u250", bank_bytes=64 << 20) as made:
        yield made, made.add("bfs", units=2, capacity=CAPACITY)


@pytest.fixture
def scene(made, tmp_path):
    """Afterwards the card is free, and a new process gets its answer."""
    scene = Scene(*made, tmp_path)
    yield scene
    scene.held.unlink(missing_ok=True)
    assert scene.card.processes() == []
    assert scene.run("say(agrees(bfs()))") == [True]
    assert scene.card.processes() == []


# The card.


def test_a_card_that_dies_in_mid_run_ends_its_host(scene):
    scene.hold()
    with scene.start("say(0); say(error(bfs))") as process:
        process.hear()
        scene.wait_for_a_run()
        (device,) = process.devices()
        os.kill(device, signal.SIGKILL)
        assert process.end(SOON) in ENDED
        assert "exited unexpectedly" in process.stderr()


def test_a_card_that_dies_between_calls_ends_its_host(scene):
    with scene.start("say(agrees(bfs())); wait(); say(error(bfs))") as process:
        assert process.hear() is True
        (device,) = process.devices()
        os.kill(device, signal.SIGKILL)
        assert process.end(SOON) in ENDED


def test_a_run_that_never_ends_does_not_keep_its_host_from_being_ended(scene):
    """XRT's emulation never ends a wait early, so no time-out of ours is met there (card_test.cpp has those)."""
    scene.hold()
    for number in (signal.SIGTERM, signal.SIGKILL):
        with scene.start("say(0); say(error(bfs))") as process:
            process.hear()
            scene.wait_for_a_run()
            os.kill(process.popen.pid, number)
            assert process.end(SOON) == -number
        scene.trace.unlink()
    scene.let_go()


def test_a_host_that_is_killed_leaves_a_card_that_is_free(scene):
    with scene.start("say(agrees(bfs())); wait()") as process:
        assert process.hear() is True
        process.popen.kill()
        assert process.end(SOON) == -signal.SIGKILL
    assert scene.run("say(agrees(bfs()))") == [True]


# Ctrl-C.


@pytest.mark.parametrize("send", [os.kill, os.killpg], ids=["process", "group"])
def test_ctrl_c_finishes_the_runs_in_flight(scene, send):
    scene.hold()
    code = "say(0); say(error(bfs)); wait(); result = bfs(); say([agrees(result), result.stats.edge_bytes_uploaded])"
    with scene.start(code) as process:
        process.hear()
        wait_until(lambda: scene.count("start") == 2)  # a run of either compute unit
        send(process.popen.pid, signal.SIGINT)
        time.sleep(0.2)
        assert process.popen.poll() is None
        assert (scene.count("start"), scene.count("done")) == (2, 0)
        scene.let_go()
        assert process.hear().startswith("KeyboardInterrupt")
        assert (scene.count("start"), scene.count("done")) == (2, 2)  # no new one, and none is left
        process.tell()
        assert process.hear() == [True, 0]  # what was uploaded is still there
        assert process.end(SOON) == 0


def test_ctrl_c_ends_the_wait_for_a_card_that_another_thread_uses(scene):
    scene.hold()
    code = """
found = []
other = threading.Thread(target=lambda: found.append(agrees(bfs())))
other.start()
wait()
say(error(bfs))
other.join()
say(found)
"""
    with scene.start(code) as process:
        scene.wait_for_a_run()
        process.tell()
        time.sleep(0.3)
        os.kill(process.popen.pid, signal.SIGINT)
        assert process.hear().startswith("KeyboardInterrupt")
        scene.let_go()
        assert process.hear() == [True]
        assert process.end(SOON) == 0


def test_progress_that_raises_stops_the_run_between_supersteps(scene):
    heard = scene.run("""
def stop(step, active, edges):
    raise RuntimeError("enough")
try:
    bfs(progress=stop)
except RuntimeError as error:
    say(str(error))
say(agrees(bfs()))
""")
    assert heard == ["enough", True]


# Several that want the card.


def test_a_second_process_is_told_who_has_the_card(scene):
    ask = """
say(error(bfs))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    result = bfs(fallback=True)
say([result.stats.device, bool((result.depth == expected).all())])
say([[warning.category.__name__, str(warning.message)] for warning in caught])
say([[card.usable, card.problem] for card in gp.devices().cards])
say(gp.bfs(graph, root=0, device="auto").stats.device)
"""
    with scene.start("say(agrees(bfs())); wait(); gp.release_devices(); say(0); wait(); say(agrees(bfs()))") as first:
        assert first.hear() is True
        error, fallback, warnings, devices, auto = scene.run(ask)
        assert error.startswith("DeviceError: device='fpga' cannot be used: card 0")
        assert pid_in(error) == first.popen.pid
        assert fallback == ["cpu", True]
        ((category, text),) = warnings
        assert category == "DeviceFallbackWarning"
        assert pid_in(text) == first.popen.pid
        ((usable, problem),) = devices
        assert not usable
        assert pid_in(problem) == first.popen.pid
        assert auto == "cpu"
        # It is given away between calls, and taken back.
        first.tell()
        first.hear()
        assert scene.run("say(agrees(bfs()))") == [True]
        first.tell()
        assert first.hear() is True
        assert first.end(SOON) == 0


def test_threads_take_turns(scene):
    heard = scene.run("""
graphs = [gp.generate.uniform(500, 3000, seed=seed) for seed in range(4)]
answers = [gp.bfs(graph, root=0).depth for graph in graphs]
found = []


def ask(i):
    for _ in range(5):
        for graph, answer in ((graphs[i], answers[i]), (graphs[0], answers[0])):
            result = bfs(graph)
            found.append(result.stats.device == "fpga" and bool((result.depth == answer).all()))


threads = [threading.Thread(target=ask, args=(i,)) for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
say([len(found), all(found)])
""")
    assert heard == [[40, True]]


def test_a_call_from_within_a_call_is_refused(scene):
    heard = scene.run("""
seen = []
result = bfs(progress=lambda *_: seen.extend([error(bfs), error(gp.release_devices)]))
say([agrees(result), *seen[:2], len(seen) // 2 == result.stats.num_supersteps])
""")
    ((agrees, inner, release, each),) = heard
    assert agrees
    assert each
    assert re.search("card 0 .*is running the call that this one is made from", inner)
    assert re.search("card 0 .*is running the call that this one is made from", release)


def test_devices_that_were_released_are_opened_again(scene):
    heard = scene.run("""
for _ in range(3):
    say(agrees(bfs()))
    gp.release_devices()
    gp.release_devices()
say(gp.devices().cards[0].usable)
""")
    assert heard == [True, True, True, True]
    assert scene.count("close") == 3


def test_a_fork_leaves_the_card_to_its_parent(scene):
    heard = scene.run("""
say(agrees(bfs()))
child = os.fork()
if child == 0:
    say(error(bfs))
    say(gp.bfs(graph, root=0).stats.device)
    sys.exit(3)
say(os.waitpid(child, 0)[1] >> 8)
say(agrees(bfs()))
""")
    assert heard[0] is True
    assert heard[1].startswith("DeviceError: device='fpga' cannot be used: this process was forked from one")
    assert heard[2:] == ["cpu", 3, True]


def test_a_fork_before_the_first_use_has_the_card(scene):
    heard = scene.run("""
child = os.fork()
if child == 0:
    say(agrees(bfs()))
    sys.exit(0)
say(os.waitpid(child, 0)[1])
say(agrees(bfs()))
""")
    assert heard == [True, 0, True]


def test_children_that_die_are_none_of_the_cards_affair(scene):
    heard = scene.run("""
import multiprocessing, subprocess
say(agrees(bfs()))
child = subprocess.Popen(["sleep", "100"])
child.kill()
say(child.wait())
pool = multiprocessing.get_context("fork").Pool(2)
pool.terminate()
pool.join()
say(agrees(bfs()))
""")
    assert heard == [True, -signal.SIGKILL, True]


# Xclbin files.


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
    "has units that are none": (lambda content: overwritten(content, xclbin.IP_LAYOUT), "section 8 tells of"),
    "has connections that are none": (lambda content: overwritten(content, xclbin.CONNECTIVITY), "section 7 tells of"),
    "has memories that are none": (lambda content: overwritten(content, xclbin.MEM_TOPOLOGY), "section 6 tells of"),
    "has a bitstream that is none": (lambda content: overwritten(content, xclbin.BITSTREAM), "cannot load"),
    "has metadata that are none": (lambda content: overwritten(content, xclbin.EMBEDDED_METADATA), "cannot "),
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


def test_a_bank_that_is_full_is_told_and_the_next_graph_runs(xrt, tmp_path):
    with card.EmulatedCard(tmp_path, "u250", bank_bytes=1 << 20) as made:
        path = made.add("bfs", units=2, capacity=CAPACITY)
        heard = run(
            made,
            "large = gp.generate.uniform(3000, 400_000, seed=5)\n"
            "say(error(bfs, large)); say(error(bfs, large, fallback=True)); say(agrees(bfs()))",
            GASPIPE_XCLBIN=path,
        )
    for said in heard[:2]:  # a card that works is not left because of a graph
        assert re.match(r"CapacityError: this graph needs \d+ bytes on the card, .* DDR\[\d\] \(1048576 bytes", said)
    assert heard[2] is True


# Leaks.

# What XRT's emulation itself keeps, seen in a program without any code of ours (2.13): bytes of memory, of a buffer
# that was freed, and of a run's start.
XRT_KEEPS_OF_A_BUFFER = 4500
XRT_KEEPS_OF_A_START = 48

LOOK = """
def parent_of(pid):
    try:
        return int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def look():
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    files = [f"/proc/self/fd/{file}" for file in os.listdir("/proc/self/fd")]
    return {
        "rss": int(status["VmRSS"].split()[0]) * 1024,
        "threads": int(status["Threads"]),
        "files": sorted(os.readlink(file) for file in files if os.path.lexists(file)),
        "children": [pid for pid in os.listdir("/proc") if pid.isdigit() and parent_of(pid) == os.getpid()],
    }


from gaspipe._card import card


def counts():
    (slot,) = card.slots()
    return slot.loaded.counts()


"""


@pytest.mark.slow
def test_a_thousand_calls_leak_nothing(scene):
    before, after, first, last = scene.run(
        LOOK
        + """
small = gp.Graph((np.zeros(99, int), np.arange(1, 100)))
answer = gp.bfs(small, root=0).depth
for _ in range(100):
    bfs(small)
say(look())
first = counts()
for _ in range(1000):
    assert (bfs(small).depth == answer).all()
say(look())
say(first)
say(counts())
"""
    )
    for what in ("threads", "files", "children"):
        assert after[what] == before[what]
    assert len(after["children"]) == 1  # the device process
    assert [last[what] - first[what] for what in ("allocations", "frees", "runs")] == [0, 0, 0]
    starts = last["starts"] - first["starts"]
    assert 1000 * 3 <= starts <= 1000 * 2 * 3  # edges of vertices that were sent already are passed over
    grown = after["rss"] - before["rss"]
    print("grown by", grown)
    assert grown < XRT_KEEPS_OF_A_START * starts + (512 << 10)
    assert scene.count("allocate") == scene.count("free")


@pytest.mark.slow
def test_graphs_that_come_and_go_leak_nothing(scene):
    before, after, counted = scene.run(
        LOOK
        + """
def one(seed):
    graph = gp.generate.uniform(2000, 20_000, seed=seed)
    assert bfs(graph).stats.edge_bytes_uploaded > 0


for seed in range(30):
    one(seed)
say(look())
for seed in range(100):
    one(seed)
say(look())
bfs()
say(counts())
"""
    )
    for what in ("threads", "files", "children"):
        assert after[what] == before[what]
    assert len(after["children"]) == 1  # the device process
    assert counted["allocations"] - counted["frees"] == 11
    grown = after["rss"] - before["rss"]
    print("grown by", grown)
    assert grown < 100 * 11 * XRT_KEEPS_OF_A_BUFFER + (1 << 20)
    assert scene.count("allocate") == scene.count("free")


def test_cards_that_are_opened_and_closed_leak_nothing(scene):
    before, after = scene.run(
        LOOK
        + """
def one():
    assert agrees(bfs())
    gp.release_devices()


for _ in range(3):
    one()
say(look())
for _ in range(20):
    one()
say(look())
"""
    )
    for what in ("files", "children"):
        assert after[what] == before[what]
    # Of most cards that are closed, XRT's emulation leaves a thread.
    assert after["threads"] <= before["threads"] + 20
    grown = after["rss"] - before["rss"]
    print("grown by", grown)
    assert grown < 20 * (11 + 2) * XRT_KEEPS_OF_A_BUFFER + (2 << 20)
    assert scene.count("allocate") == scene.count("free")
    assert scene.count("close") == 23


# Without a card.


def test_without_a_card_xrt_is_asked_and_the_cpu_answers(xrt, tmp_path):
    code = """
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    result = bfs(fallback=True)
say([result.stats.device, bool((result.depth == expected).all())])
say([[warning.category.__name__, str(warning.message)] for warning in caught])
say(error(bfs))
say(gp.bfs(graph, root=0, device="auto").stats.device)
"""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("XCL_", "XILINX_", "GASPIPE_"))}
    done = subprocess.run(
        [sys.executable, "-c", card_process.PRELUDE + code],
        env={**environment, "XILINX_XRT": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "TMPDIR": str(tmp_path)},
        capture_output=True, text=True, timeout=card_process.SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    fallback, ((category, text),), error, auto = [json.loads(line) for line in done.stdout.splitlines()]
    assert fallback == ["cpu", True]
    assert category == "DeviceFallbackWarning"
    assert "XRT" in text
    assert error.startswith("DeviceError: device='fpga' cannot be used: ")
    assert auto == "cpu"
    assert not list(tmp_path.iterdir())
