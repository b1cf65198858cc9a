# SPDX-License-Identifier: Apache-2.0
"""An emulated card whose runs a test can look at and hold, for tests of processes that end or fail."""

import os
import signal
import time

import pytest

from card_process import Process, run, traced, wait_until
from tools import card

CAPACITY = 1 << 16


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


def check_that_ctrl_c_waits(scene, **options):
    """Interrupt a search in its first launch: it waits for that, and the next search finds its graph on the card."""
    scene.hold()
    code = f"""
def search():
    return bfs(**{options!r})


say(0)
say(error(search))
result = search()
say([agrees(result), result.stats.edge_bytes_uploaded])
"""
    with scene.start(code) as process:
        process.hear()
        scene.wait_for_a_run()
        os.kill(process.popen.pid, signal.SIGINT)
        time.sleep(0.2)
        assert scene.count("done") == 0
        scene.let_go()
        assert process.hear().startswith("KeyboardInterrupt")
        assert process.hear() == [True, 0]
        assert process.end() == 0


@pytest.fixture(scope="module")
def card_with_bfs(xrt, tmp_path_factory):
    with card.EmulatedCard(tmp_path_factory.mktemp("card"), "u250", bank_bytes=64 << 20) as made:
        yield made, made.add("bfs", units=2, capacity=CAPACITY)


@pytest.fixture
def scene(card_with_bfs, tmp_path):
    """Afterwards the card is free, and a new process gets its answer."""
    scene = Scene(*card_with_bfs, tmp_path)
    yield scene
    scene.held.unlink(missing_ok=True)
    assert scene.card.processes() == []
    assert scene.run("say(agrees(bfs()))") == [True]
    assert scene.card.processes() == []
