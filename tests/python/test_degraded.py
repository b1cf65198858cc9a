# SPDX-License-Identifier: Apache-2.0
"""Machines and processes unlike one's own: other languages, odd paths, no home, forks, many calls, little of all."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csgraph

import gaspipe as gp

PROGRAM = r"""
import os
import gaspipe as gp

graph = gp.generate.chain(5)
for name in ("I i.TXT", "\u0131\u011f \U0001f980.MTX", "G.CSV.GZ"):
    graph.to_file(name)
    assert gp.Graph.from_file(name).num_edges == 8, name
graph.save("\U0001f980 I.gaspipe")
assert gp.Graph.load("\U0001f980 I.gaspipe").num_edges == 8
assert gp.bfs(graph, num_threads=2).depth.tolist() == [0, 1, 2, 3, 4]
child = os.fork()
if child == 0:  # threads do not come along
    os._exit(0 if gp.bfs(graph, num_threads=2).depth.tolist() == [0, 1, 2, 3, 4] else 1)
assert os.waitpid(child, 0)[1] == 0

def state():
    return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))

def kilobytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024

for _ in range(200):
    gp.bfs(graph, num_threads=2)
before, memory = state(), kilobytes()
for _ in range(3000):
    gp.bfs(graph, num_threads=2)
assert state() == before
assert kilobytes() < memory + 4096, (memory, kilobytes())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux")
def test_a_program_runs_in_turkish_below_an_odd_path_without_a_home_and_after_a_fork(tmp_path):
    folder = tmp_path / "a b \U0001f980 %s"
    folder.mkdir()
    language = {"LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8", "HOME": "/dev/null", "TMPDIR": str(folder)}
    environment = {**os.environ, **language, "PYTHONUTF8": "1"}
    environment.pop("XDG_CACHE_HOME", None)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


# The program's own checks: answers are SciPy's, or closed forms, whatever the machine lacks.
LESS = r"""
import ctypes, os, resource, signal, sys
import numpy as np
from scipy.sparse import csgraph

signal.alarm(100)  # a hang is a failure
missing = sys.argv[1]
if missing == "cores":
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
elif missing == "huge pages":
    assert ctypes.CDLL(None).prctl(41, 1, 0, 0, 0) == 0
elif missing == "priority":
    os.nice(5)
elif missing == "memory":
    import gaspipe, scipy.sparse.csgraph
    with open("/proc/self/statm") as file:
        size = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + (96 << 20), -1))

import gaspipe as gp

side = 70
grid = gp.generate.grid(side, side, weights=(1, 9))
matrix = grid.to_scipy()
hops = csgraph.shortest_path(matrix, unweighted=True, indices=0).astype(int)
assert np.array_equal(hops, np.add.outer(np.arange(side), np.arange(side)).ravel())
distance = csgraph.dijkstra(matrix, indices=0)
for threads in (1, 2, 5):
    for how in ({}, {"method": "gas"}, {"method": "local_store"}, {"domains": 2}):
        assert np.array_equal(gp.bfs(grid, 0, num_threads=threads, **how).depth, hops), (threads, how)
    assert np.array_equal(gp.sssp(grid, 0, num_threads=threads).distance, distance)
    assert not gp.wcc(grid, num_threads=threads).component.any()
    assert not gp.scc(grid, num_threads=threads).component.any()
    assert gp.core_numbers(grid, num_threads=threads).degeneracy == 2
    color = gp.coloring(grid, num_threads=threads).color
    assert (color[matrix.nonzero()[0]] != color[matrix.nonzero()[1]]).all()
    assert abs(gp.pagerank(grid, num_threads=threads).rank.sum() - 1) < 1e-9
if missing == "memory":
    try:
        gp.generate.kronecker(20, num_threads=2)
    except MemoryError as error:
        assert "no more memory for this call" in str(error), error
    else:
        sys.exit("memory is not short")
    assert np.array_equal(gp.bfs(grid, 0).depth, hops)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on memory is Linux's")
@pytest.mark.parametrize("missing", ["cores", "huge pages", "priority", "memory"])
def test_searches_end_with_the_same_answers_where_less_is_there(missing):
    # Without it, glibc reserves 64 MB for a thread where they happen to fit, and too little is left for stacks.
    environment = {**os.environ, "MALLOC_ARENA_MAX": "1"}
    done = subprocess.run(
        [sys.executable, "-c", LESS, missing], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


READ_ONLY = r"""
import os
import gaspipe as gp

assert not os.path.exists("/dev/shm") and not os.access(os.path.expanduser("~"), os.W_OK)
grid = gp.generate.grid(20, 20)
wanted = [i + j for i in range(20) for j in range(20)]
for how in ({}, {"domains": 2}, {"method": "local_store"}, {"num_threads": 3}):
    assert gp.bfs(grid, 0, **how).depth.tolist() == wanted
path = os.path.join(os.environ["TMPDIR"], "grid.gaspipe")
grid.save(path, blocks=True)
assert gp.bfs(gp.Graph.load(path, memory="300 MB"), 0).depth.tolist() == wanted
try:
    grid.save(os.path.expanduser("~/grid.gaspipe"))
except OSError as error:
    assert error.filename.endswith("grid.gaspipe"), error
else:
    raise SystemExit("the folder can be written")
"""


def sandbox(folder):
    """A command line's beginning: all is read-only but `folder`, and devices are few."""
    devices = [word for name in ("null", "urandom") for word in ("--dev-bind", f"/dev/{name}", f"/dev/{name}")]
    places = ["--ro-bind", "/", "/", "--tmpfs", "/dev", *devices, "--proc", "/proc", "--bind", str(folder), str(folder)]
    command = ["bwrap", *places, "--unshare-pid", "--die-with-parent", "--setenv", "TMPDIR", str(folder)]
    can = shutil.which("bwrap") and subprocess.run([*command, "true"], capture_output=True).returncode == 0
    return command if can else None


def test_a_read_only_home_without_shared_memory_is_enough(tmp_path):
    command = sandbox(tmp_path)
    if command is None:
        pytest.skip("bubblewrap cannot make a sandbox here")
    done = subprocess.run([*command, sys.executable, "-c", READ_ONLY], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


IN_GROUP = r"""
import sys
from pathlib import Path
import numpy as np

group, path = Path(sys.argv[1]), sys.argv[2]
(group / "cgroup.procs").write_text("0")
import gaspipe as gp

gp.bfs(gp.generate.grid(40, 40), num_threads=2)  # libraries are loaded, threads started
is_new = (group / "memory.max").exists()
used = int((group / ("memory.current" if is_new else "memory.usage_in_bytes")).read_text())
(group / ("memory.max" if is_new else "memory.limit_in_bytes")).write_text(str(used + (40 << 20)))
np.save(sys.argv[3], gp.sssp(gp.Graph.load(path, memory="2 GB"), 0, num_threads=2).distance)
"""


def group_with_limits():
    """A control group below that of this process, whose memory can be limited; None where there can be none."""
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, own = line.split(":", 2)
        for _, mounted, kind, options, *_ in mounts:
            if kind == "cgroup" and "memory" in controllers.split(",") and "memory" in options.split(","):
                limit = "memory.limit_in_bytes"
            elif kind == "cgroup2" and controllers == "":
                limit = "memory.max"
            else:
                continue
            group = Path(mounted + own) / f"gaspipe_test_{os.getpid()}"
            try:
                group.mkdir()
            except OSError:
                continue
            if (group / limit).exists() and os.access(group / "cgroup.procs", os.W_OK):
                return group
            group.rmdir()
    return None


@pytest.mark.skipif(sys.platform != "linux", reason="control groups are Linux's")
def test_a_graph_larger_than_its_groups_memory_is_searched_in_its_file(tmp_path):
    graph = gp.generate.uniform(3000, 9_000_000, seed=4, weights=(1, 9))
    graph.save(tmp_path / "graph.gaspipe", blocks=True)
    assert (tmp_path / "graph.gaspipe").stat().st_size > 48 << 20
    group = group_with_limits()
    if group is None:
        pytest.skip("no control group can be made here")
    try:
        command = [sys.executable, "-c", IN_GROUP, group, tmp_path / "graph.gaspipe", tmp_path / "found.npy"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    finally:
        group.rmdir()
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    least = np.full((3000, 3000), np.inf, np.float32)
    np.minimum.at(least, (np.repeat(np.arange(3000), graph.out_degrees()), graph.indices), graph.weights)
    np.testing.assert_array_equal(np.load(tmp_path / "found.npy"), csgraph.dijkstra(least, indices=0))
