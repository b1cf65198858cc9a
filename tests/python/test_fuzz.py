# SPDX-License-Identifier: Apache-2.0
"""Some changes of the seeds of every fuzz target in Python (tests/fuzz/python_targets.py), and what was found once.

benchmarks/fuzz.py runs them for longer, and the targets in C++, whose corpora gaspipe_tests replays.
"""

from __future__ import annotations

import itertools
import os
import sys

import numpy as np
import pytest

import gaspipe as gp
from conftest import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tests" / "fuzz"))
import python_seeds
import python_targets as fuzz

from streams import AMPLE

CHANGES = 400


@pytest.mark.parametrize("name", fuzz.TARGETS)
def test_changes_of_the_seeds_keep_the_promises(name, tmp_path):
    target, seed = fuzz.TARGETS[name], int(os.environ.get("GASPIPE_SEED", "20240611"))
    seeds = [*target.seeds(tmp_path)]
    folder = REPOSITORY / "tests" / "fuzz" / "corpus" / name
    found = [path.read_bytes() for path in sorted(folder.iterdir())] if folder.is_dir() else []
    for data in (*seeds, *found, *itertools.islice(fuzz.changes(seeds, seed, target.longest), CHANGES)):
        print(f"GASPIPE_SEED={seed}", data)
        target.run(data, tmp_path)


def test_seeds_of_saved_graphs_are_read(tmp_path):
    """What the target makes of them has right checksums, also where what they protect was changed."""
    seeds = [*python_seeds.saved(tmp_path)]
    assert len(seeds) == 15
    path = tmp_path / "changed.gaspipe"
    for seed in seeds:
        assert fuzz.renewed(seed[1:]) == seed[1:]
        path.write_bytes(seed[1:])
        targets = gp.Graph.load(path).indices.tolist()
        place = seed[1:].index(b"targets") if b'"targets"' in seed else None
        if place is None:  # blocks
            continue
        changed = bytearray(seed[1:])
        word = b"".join(int(v).to_bytes(4, "little") for v in targets)
        changed[changed.rindex(word)] = 0
        path.write_bytes(changed)
        with pytest.raises(gp.GraphFormatError, match="checksum"):
            gp.Graph.load(path)
        path.write_bytes(fuzz.renewed(bytes(changed)))
        assert gp.Graph.load(path).indices.tolist() == [0, *targets[1:]]


def test_edges_beyond_the_graph_are_refused_where_they_stay_in_the_file(tmp_path):
    """Also with a checksum that was made to be right: predecessors were looked up beyond their array."""
    graph = gp.Graph((np.array([0, 1, 2, 2, 4]), np.array([1, 2, 0, 4, 3]), np.array([5, 6, 7, 8, 9])))
    path = tmp_path / "blocks.gaspipe"
    graph.save(path, blocks=True, views=("forward", "reverse", "undirected"))
    changed = bytearray(path.read_bytes())
    place = changed.index(np.array([1, 2, 0, 4, 3], "<u2").tobytes())
    changed[place + 8 : place + 10] = (60000).to_bytes(2, "little")
    path.write_bytes(fuzz.renewed(bytes(changed)))
    for call in (gp.bfs, gp.sssp, gp.pagerank, lambda g: gp.bfs(g, parents=True)):  # all of the forward edges
        with pytest.raises(gp.GraphFormatError, match="an edge leads to vertex 60000 of 5"):
            call(gp.Graph.load(path, memory=AMPLE))
    with pytest.raises(gp.GraphFormatError, match="60000"):
        gp.Graph.load(path)


def test_a_target_sees_what_is_wrong(tmp_path):
    """The targets' own check of a graph would tell."""

    class Wrong:
        shape, num_edges, indptr, indices = (2, 2), 1, [0, 1, 1], [5]

    with pytest.raises(AssertionError):
        fuzz.check(Wrong())
