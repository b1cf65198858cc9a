# SPDX-License-Identifier: Apache-2.0
"""Type checkers see the package as installed: right programs pass, and each mistake is found in its line."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gaspipe as gp
from gaspipe import _algorithms

RIGHT = """
import numpy as np
from numpy.typing import NDArray

import gaspipe as gp


def depths(sources: NDArray[np.int32], destinations: NDArray[np.int32]) -> NDArray[np.int32]:
    graph: gp.Graph = gp.Graph((sources, destinations), num_vertices=10, copy=None)
    result: gp.Result = gp.bfs(graph, 0, num_threads=2)
    steps: int = result.stats.num_supersteps
    name: str = result.field
    print(steps, name, len(result), result.to_dict())
    return result.values


def ranks(graph: gp.Graph) -> float:
    def report(step: int, active: int, edges: int) -> None:
        print(step, active, edges)

    rank = gp.pagerank(graph, damping=0.9, personalization=np.ones(10), progress=report).rank
    distance = gp.sssp(graph.transpose(), root=3, method="gas").distance
    parts: gp.Partitioning = graph.partition(capacity=100, compute_units=2)
    part: gp.Partition = parts[0]
    sub: gp.SubPartition = part[0]
    vertices: int = part.first_vertex + sub.num_edges
    labels = graph.labels
    if labels is not None:
        print(labels.tolist(), vertices, gp.algorithms, gp.get_include())
    try:
        gp.Graph.from_file("edges.txt", relabel=True)
    except gp.GraphFormatError as error:
        print(error)
    return float(rank.sum() + distance.sum() + gp.generate.kronecker(10, weights=(1, 5)).num_edges)


def named(graph: gp.Graph) -> gp.BfsResult:
    gp.bfs(graph, root="amy")
    gp.bfs(graph, root=(2, 3))
    gp.closeness(graph, vertices=["amy", "bob"])
    gp.closeness(graph, vertices=gp.index([0, 3]))
    gp.closeness(graph, vertices=np.array([0, 3]))
    gp.pagerank(graph, personalization={"amy": 1, "bob": 2.5})
    ids: NDArray[np.int64] = graph.ids_of(["amy", "bob"])
    third: gp.Index = gp.index(int(ids[0]))
    return gp.bfs(graph, third)


def fields(graph: gp.Graph, any_of: str) -> None:
    depth: NDArray[np.int32] = gp.bfs(graph).depth
    rank: NDArray[np.float64] = gp.article_rank(graph).rank
    component: NDArray[np.int64] = gp.wcc(graph).values
    found: NDArray[np.bool_] = gp.bfs(graph) == -1
    print(depth, rank, component, found.sum(), (gp.bfs(graph) > 0).sum())
    print(gp.Algorithm("ours", gather="a + b", field="gain")(graph).gain.sum())
    print(gp.predict(any_of, graph).depth, gp.predict(any_of, graph).stats.prediction)
    with gp.Accelerator(any_of) as accelerator:
        print(accelerator.result().depth)
"""

WRONG = """
import gaspipe as gp

graph = gp.Graph(([0], [1]))
gp.nope()  # error
gp.bfs(graph, speed=3)  # error
gp.bfs(graph, root=["a"])  # error
gp.bfs(graph, root="a")
gp.bfs(graph).rank  # error
gp.bfs(graph).depth
gp.pagerank(graph).depth  # error
gp.pagerank(graph).rank
gp.pagerank(graph, personalization={"a": "b"})  # error
gp.closeness(graph, vertices=3)  # error
gp.bfs(graph).depth.nope  # error
gp.bfs(graph).stats.converge  # error
gp.predict(gp.bfs, graph).depth
graph.num_edge  # error
gp.index("a").value
gp.testing.nope  # error
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Folder of the package as a wheel has it; an editable install keeps what the build wrote elsewhere."""
    package = Path(gp.__file__).parent
    written = Path(_algorithms.__file__)
    if written.parent == package:
        return ""
    folder = tmp_path_factory.mktemp("installed")
    shutil.copytree(package, folder / "gaspipe", ignore=shutil.ignore_patterns("__pycache__", "data", "templates"))
    shutil.copy(written, folder / "gaspipe")
    return str(folder)


@pytest.mark.slow
def test_right_programs_pass_and_each_mistake_is_found(tmp_path, installed):
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text(WRONG)
    assert (Path(gp.__file__).parent / "py.typed").exists()
    command = f"{sys.executable} -m mypy --strict --follow-imports=silent --config-file= --hide-error-codes".split()
    done = subprocess.run(
        [*command, "right.py", "wrong.py"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": installed},
    )
    output = done.stdout + done.stderr
    assert "right.py" not in output, output
    found = sorted({int(line) for line in re.findall(r"^wrong\.py:(\d+): error: ", output, re.MULTILINE)})
    assert found == [k for k, line in enumerate(WRONG.splitlines(), 1) if line.endswith("# error")], output
    assert 'Module has no attribute "nope"' in output
    assert '"BfsResult" has no attribute "rank"' in output
