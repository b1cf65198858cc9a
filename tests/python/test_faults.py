# SPDX-License-Identifier: Apache-2.0
"""Some of the faults of benchmarks/faults.py: calls of the system that fail are told, and nothing is left."""

from __future__ import annotations

import sys

import pytest

import gaspipe as gp
from conftest import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "benchmarks"))
import faults as benchmark
from faulty_calls import calls

SOME = [  # kind, call, every K-th
    ("memory", "bfs over domains", 97),
    ("memory", "Graph.from_file txt", 23),
    ("memory", "checkpoint", 101),
    ("map", "convert", 1),
    ("open", "Graph.from_file mtx", 1),
    ("read", "Graph.load mmap=False", 2),
    ("read", "wcc on ranks", 2),
    ("memory", "Chain.run", 18),
    ("write", "Graph.to_file txt", 1),
    ("sync", "checkpoint", 2),
    ("thread", "bfs over domains", 1),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return benchmark.library(tmp_path_factory.mktemp("library"))


@pytest.mark.needs("g++")
@pytest.mark.parametrize(("kind", "call", "every"), SOME)
def test_a_call_that_fails_is_told_and_leaves_nothing(library, kind, call, every):
    found = benchmark.tried(library, kind, call, every, timeout=60)
    assert found.wrong == []
    assert found.failed > 0


def test_every_algorithm_is_among_the_calls(tmp_path):
    assert {name for name in (*gp.algorithms, *gp.cpu_algorithms) if hasattr(gp, name)} <= calls(tmp_path).keys()
