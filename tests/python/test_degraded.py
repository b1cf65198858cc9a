# SPDX-License-Identifier: Apache-2.0
"""Machines and processes that are not as one's own: other languages, odd paths, no home, forks, many calls."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

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
