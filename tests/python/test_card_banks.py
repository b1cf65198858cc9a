# SPDX-License-Identifier: Apache-2.0
"""Graphs on an emulated card with banks of 1 MB: what is spread, what makes room, what is refused."""

import re

import card
import numpy as np
import pytest

import card_process
import gaspipe as gp
import references
import zoo
from card_process import ask, forget, keep

pytestmark = pytest.mark.needs("driver")

CAPACITY = 1 << 16
MB = 1 << 20


class Narrow:
    """Card of such banks, its process, an xclbin, and where the host has put what."""

    def __init__(self, folder, board, units):
        self.card = card.EmulatedCard(folder, board, bank_bytes=MB)
        self.xclbin = str(self.card.add("bfs", units=units, capacity=CAPACITY))
        self._trace = folder / "trace"
        self.worker = card_process.Worker(self.card, GASPIPE_CARD_TRACE=self._trace)
        self.cut = {"capacity": 256, "compute_units": units}
        self.matrices = {}

    def check(self, name, matrix=None, cut=None):
        """Ask about a graph, a new one if it comes with its matrix; return the stats."""
        if matrix is not None:
            self.worker(keep, name, matrix)
            self.matrices[name] = matrix
        values, stats = self.worker(ask, "bfs", name, self.xclbin, cut)
        wanted = references.reference("bfs").answer(self.matrices[name])
        references.assert_agrees("bfs", values, wanted, 0, name)
        return stats

    def allocated(self):
        """First and last byte of every buffer so far."""
        lines = [line.split() for line in card_process.traced(self._trace)]
        return [(int(line[1], 16), int(line[1], 16) + int(line[2]) - 1) for line in lines if line[0] == "allocate"]

    def close(self):
        self.worker.close()
        self.card.close()


@pytest.fixture(scope="module")
def narrow(xrt, tmp_path_factory):
    """U50 with a compute unit, whose sources and destinations each have a group of 15 of the 32 banks."""
    made = Narrow(tmp_path_factory.mktemp("narrow"), "u50", 1)
    yield made
    made.close()


def random_matrix(rng, n, m):
    return zoo.matrix_of(n, rng.integers(0, n, m), rng.integers(0, n, m))


def test_edges_that_no_bank_holds_are_spread_over_a_group(narrow, rng):
    """In one partition, whose sources are larger than a bank, and in many."""
    matrix = random_matrix(rng, 2000, 600_000)
    for cut in (None, narrow.cut):
        before = len(narrow.allocated())
        assert narrow.check("large", matrix, cut)["edge_bytes_uploaded"] >= 8 * 600_000
        # Groups come after the banks, in the order of their first use.
        sizes = [last - first + 1 for first, last in narrow.allocated()[before:] if first >= 32 * MB]
        assert (max(sizes) > 2 * MB) == (cut is None)
        assert sum(sizes) > 4 * MB
        narrow.worker(forget, "large")


def test_edges_that_no_bank_holds_are_spread_over_the_banks_of_the_units(xrt, tmp_path, rng):
    narrow = Narrow(tmp_path, "u250", 3)
    try:
        stats = narrow.check("large", random_matrix(rng, 2000, 200_000), narrow.cut)
        assert stats["edge_bytes_uploaded"] > 1.5 * MB
        banks = {first // MB for first, last in narrow.allocated()}
        assert banks == {last // MB for first, last in narrow.allocated()} == {0, 1, 2}
        narrow.worker(keep, "huge", random_matrix(rng, 2000, 500_000))
        with pytest.raises(gp.CapacityError, match=r"do not fit in DDR\[\d\] \(1048576 bytes, \d+ left\)"):
            narrow.worker(ask, "bfs", "huge", narrow.xclbin, narrow.cut)
        assert narrow.check("large", cut=narrow.cut)["edge_bytes_uploaded"] == 0  # nothing was thrown out for it
    finally:
        narrow.close()


def test_a_graph_that_fits_nowhere_is_refused_with_numbers(narrow, rng):
    n, m = 2000, 6_000_000
    narrow.worker(keep, "huge", random_matrix(rng, n, m))
    for cut in (None, narrow.cut):
        with pytest.raises(gp.CapacityError) as caught:
            narrow.worker(ask, "bfs", "huge", narrow.xclbin, cut)
        text = str(caught.value)
        assert re.match(r"this graph needs \d{8} bytes on the card, and its \w+ of edges of partition \d,", text)
        assert re.search(r"do not fit in MBG\[0:14\] \(15728640 bytes, \d+ left\)", text)
        room = int(re.search(rf"room for about (\d+) edges with as many vertices, of {m}; use a smaller", text)[1])
        assert 0.8 * 15 * MB / 4 <= room <= 15 * MB / 4
    narrow.worker(forget, "huge")
    narrow.check("small", random_matrix(rng, 100, 1000))


@pytest.mark.slow
def test_the_graph_used_longest_ago_makes_room(narrow, rng):
    n, m = 2000, 1_500_000
    for name in ("first", "second", "third"):
        # The root reaches all in one hop: a super-step less over so many edges.
        src = np.concatenate([np.zeros(n, np.int64), rng.integers(0, n, m)])
        dst = np.concatenate([np.arange(n), rng.integers(0, n, m)])
        narrow.worker(keep, name, zoo.matrix_of(n, src, dst))
    seen = []
    for name in ("first", "second", "first", "third", "first", "second"):
        values, stats = narrow.worker(ask, "bfs", name, narrow.xclbin, narrow.cut)
        assert values[0] == 0
        assert (values[1:] == 1).all()
        seen.append((stats["edge_bytes_uploaded"] > 0, stats["card_calls"]["frees"] > 0))
    assert seen == [(True, False), (True, False), (False, False), (True, True), (False, False), (True, True)]
