# SPDX-License-Identifier: Apache-2.0
"""Cards on ranks: which rank gets which, the number format they share, and errors, which all ranks get."""

import json
import os
import pickle
import re
import socket
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import gaspipe as gp
from cards import build
from gaspipe.distributed._devices import Seat, shared_out
from mpi_jobs import finish, start
from thread_ranks import on_ranks

HERE = Path(__file__).parent
NODE = re.escape(socket.gethostname())
HELD = r"DeviceError: node {} has no card left for rank {} of 3 \(device='{}'\): {}; start no more ranks"


@pytest.mark.needs("mpi4py", "mpi", "driver")
def test_ranks_of_a_job_share_two_cards_under_the_real_xrt(make_card, tmp_path):
    card = make_card("u250", bank_bytes=64 << 20, devices=2)
    for algorithm, number in (("bfs", None), ("pagerank", "fixed")):
        card.add(algorithm, number, units=2, capacity=1 << 16)
    rng = np.random.default_rng(8)
    sources, targets = rng.integers(0, 900, (2, 4000))
    np.savetxt(tmp_path / "edges.txt", np.column_stack([sources, targets]), fmt="%d")
    matrix = sp.csr_matrix((np.ones(4000), (sources, targets)), shape=(900, 900))
    for rank in range(3):
        variables = {**card.variables(), "GASPIPE_XCLBIN": str(card.folder)}
        (tmp_path / f"variables{rank}.json").write_text(json.dumps(variables))
    code, output, errors = finish(start(3, HERE / "ranks.py", "cards", tmp_path), timeout=120)
    assert code == 0, output + errors
    found = np.load(tmp_path / "answers.npz")
    said = pickle.loads((tmp_path / "said.pickle").read_bytes())

    depth = csgraph.dijkstra(matrix, indices=5, unweighted=True)
    for which in ("0", "1", "3", "9", "10"):
        np.testing.assert_array_equal(np.where(found[which] < 0, np.inf, found[which]), depth)
    whole = gp.Graph((sources, targets), num_vertices=900)
    np.testing.assert_array_equal(found["0"], gp.bfs(whole, root=5).values)
    fixed = gp.pagerank(whole, max_iter=20, tol=0, number="fixed").values
    np.testing.assert_array_equal(found["2"], fixed)

    mixed = ["fpga:u250", "cpu", "fpga:u250"]
    for devices, number, num_bytes, uploaded, warned in (said[0][0], said[0][10]):
        assert (devices, number, warned) == (mixed, "uint32", [])
        assert num_bytes > uploaded > 0
    assert said[0][1][0] == mixed
    assert said[0][1][3] == 0
    assert said[0][2][:2] == (["cpu", "fpga:u250", "emulator:u250"], "fixed")
    assert said[0][3][0] == ["fpga:u250", "fpga:u250", "cpu"]  # "auto"
    for of_rank in said:
        both = "rank 0 has fpga:0, rank 1 has fpga:1"
        assert re.match(HELD.format(NODE, 2, "fpga", both), of_rank[4])
        assert re.match(HELD.format(NODE, 2, "fpga:1", "rank 0 has fpga:1"), of_rank[5])
        assert re.match(r"InputError: rank 1 of 3 and rank 0 differ in the option device: \['cpu', ", of_rank[6])
        assert re.match(r"InputError: device is a list of 2, for 3 ranks", of_rank[7])
    in_use = r"device='fpga:1' cannot be used: card 1 \(.*\) is in use by another process"
    assert re.match(f"DeviceError: {in_use}", said[2][8])
    for rank in (0, 1):
        assert re.match(f"RankError: rank 2 of 3 cannot go on: DeviceError: {in_use}", said[rank][8])
    assert said[0][9][0] == ["fpga:u250", "cpu", "cpu"]
    (warned,) = said[0][9][4]
    assert re.match(f"rank 2 of 3: {in_use}.*; running on the CPU there$", warned)
    assert said[1][9][4] == said[2][9][4] == []


def seats(*asked):
    """Of (device, node, indices of the cards that it means)."""
    return [Seat(device, node, 1, {f"lock {i}": i for i in cards}) for device, node, cards in asked]


def test_cards_are_shared_out_by_node():
    any_card = ("fpga", "a", [0, 1]), ("fpga", "b", [0]), ("fpga", "a", [0, 1])
    assert shared_out(seats(*any_card)) == [0, 0, 1]
    # Those who name a card have it, and the others what is left.
    assert shared_out(seats(("fpga", "a", [0, 1]), ("fpga:0", "a", [0]))) == [1, 0]
    boards = ("fpga", "a", [0, 1, 2]), ("fpga:u250", "a", [0, 2]), ("cpu", "a", []), ("fpga:0", "a", [0])
    assert shared_out(seats(*boards)) == [1, 2, None, 0]
    assert shared_out(seats(("auto", "a", [3]), ("auto", "a", [3]), ("auto", "b", []))) == [3, None, None]
    assert shared_out(seats(("fpga:7", "a", []))) == [None]
    with pytest.raises(gp.DeviceError, match=r"node b has no card left for rank 2 of 3 \(device='fpga'\): rank 1 has"):
        shared_out(seats(("fpga", "a", [0]), ("fpga", "b", [0]), ("fpga", "b", [0])))


def test_without_cards_rank_0_says_that_the_cpu_stands_in(empty):
    def work(world):
        graph = world.edges([0, 1, 2], [1, 2, 3], [5.0, 6.0, 7.0])
        result = gp.sssp(graph, device="fpga")
        with pytest.raises((gp.DeviceError, gp.RankError), match="'fpga' cannot be used"):
            gp.sssp(graph, device="fpga", fallback=False)
        quiet = gp.sssp(graph, device="auto", scheduler="longest_first")
        return result.stats.device, result.gather().values.tolist(), quiet.gather().values.tolist()

    with pytest.warns(gp.DeviceFallbackWarning, match="running on the CPU there") as warned:
        assert on_ranks(2, work) == [("cpu", [0, 5, 11, 18], [0, 5, 11, 18])] * 2
    assert [str(each.message).count("ranks 0, 1 of 2") for each in warned] == [1]
    assert os.path.basename(warned[0].filename) == os.path.basename(__file__)


def test_cards_of_ranks_compute_in_one_format(cards):
    cards.listed.append({**cards.listed[0], "index": 1, "address": "0000:b3:00.1", "name": "xilinx_u280_xdma_1"})
    build(cards.folder / "a.xclbin", "pagerank", "fixed")
    build(cards.folder / "b.xclbin", "pagerank", "float32", board="u280")

    def work(world):
        with pytest.raises(gp.InputError, match="different formats, fixed and float32; choose one by number="):
            gp.pagerank(world.edges([0, 1], [1, 0]), device="fpga", fallback=False)
        return gp.bfs(world.edges([0], [1])).gather().values.tolist()

    assert on_ranks(2, work) == [[0, 1]] * 2
    assert len(cards.opened) == 2
