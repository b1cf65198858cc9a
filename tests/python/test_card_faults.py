# SPDX-License-Identifier: Apache-2.0
"""Faults of `device="fpga"`, each in a process of its own that ends soon, leaves nothing and lets the next work."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import card
import pytest

import card_process
from card_process import ENDED, pid_in, run, wait_until
from card_scene import CAPACITY

pytestmark = pytest.mark.needs("driver")

SOON = 10  # seconds that an end may take, on a busy machine


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
