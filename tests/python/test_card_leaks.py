# SPDX-License-Identifier: Apache-2.0
"""Calls of `device="fpga"` without end: nothing of them stays."""

import pytest

pytestmark = pytest.mark.needs("driver")


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
    # Of two super-steps, and two units that gather for a third, which does not come.
    assert starts == 1000 * (2 * 3 + 2)
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
