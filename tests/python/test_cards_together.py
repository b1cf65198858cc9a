# SPDX-License-Identifier: Apache-2.0
"""Two emulated cards at once, under the real XRT: a domain on each, and others beside them."""

import json
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

PROGRAM = """
import json, sys
import numpy as np, scipy.sparse as sp
import gaspipe as gp

matrix, algorithm, xclbin, devices, arguments, out = sys.argv[1:]
result = getattr(gp, algorithm)(
    gp.Graph(sp.load_npz(matrix)), **json.loads(arguments), device=json.loads(devices), xclbin=xclbin, fallback=False
)
np.save(out, result.values)
stats = result.stats
card = [stats.bytes_to_card, stats.edge_bytes_uploaded, stats.library]
print(json.dumps([[d.device for d in stats.domains], [d.num_edges for d in stats.domains], card]))
"""


def ask(card, xclbin, matrix, folder, algorithm, devices, **arguments):
    """The answer, and of each domain its device and number of edges."""
    sp.save_npz(folder / "graph.npz", matrix)
    line = [folder / "graph.npz", algorithm, xclbin, json.dumps(devices), json.dumps(arguments), folder / "answer.npy"]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, line)], env=card.environment(), capture_output=True, text=True,
        timeout=120, cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return np.load(folder / "answer.npy"), *json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def matrix():
    rng = np.random.default_rng(8)
    sources, targets = rng.integers(0, 900, (2, 4000))
    return sp.csr_matrix((np.ones(4000, np.int32), (sources, targets)), shape=(900, 900))


@pytest.mark.parametrize(
    "devices", [["fpga:0", "fpga:1"], ["cpu", "fpga:1", "emulator", "fpga:0"]], ids=lambda each: " ".join(each)
)
def test_every_card_has_a_domain(make_card, matrix, tmp_path, devices):
    card = make_card("u250", bank_bytes=64 << 20, devices=2)
    xclbin = card.add("bfs", units=2, capacity=1 << 16)
    values, used, edges, (num_bytes, edge_bytes, library) = ask(card, xclbin, matrix, tmp_path, "bfs", devices, root=5)
    wanted = csgraph.dijkstra(matrix, indices=5, unweighted=True)
    np.testing.assert_array_equal(np.where(values < 0, np.inf, values), wanted)
    assert [name.split(":")[0] for name in used] == [name.split(":")[0] for name in devices]
    assert sum(edges) == matrix.nnz
    # Of all cards together: an edge takes 4 + 4 bytes.
    on_cards = sum(count for name, count in zip(used, edges) if name.startswith("fpga"))
    assert num_bytes > edge_bytes >= 8 * on_cards > 0
    assert library.startswith("XRT")


def test_one_card_is_not_used_twice(make_card, matrix, tmp_path):
    card = make_card("u250", bank_bytes=64 << 20, devices=2)
    xclbin = card.add("bfs", units=2, capacity=1 << 16)
    with pytest.raises(AssertionError, match="fpga:1"):
        ask(card, xclbin, matrix, tmp_path, "bfs", ["fpga:1", "fpga:1"], root=5)
