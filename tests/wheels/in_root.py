# SPDX-License-Identifier: Apache-2.0
"""Runs in the root of trial.py: installs the wheel of /wheels and runs all that needs no compiler, each answer checked.

The answers are compared by `--verify`, with the plain implementations that are in the wheel and share no code with it.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import time
import venv

COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "clang++", "zig", "make", "cmake", "ninja")
GRAPH = "0 1\n1 2\n2 0\n2 3\n3 4\n4 2\n5 6\n"
FIRST = "import gaspipe as gp; print(gp.bfs(([0, 1, 1], [1, 2, 3]), root=0).depth.tolist())"
CARD = FIRST.replace("root=0", "root=0, device='fpga', fallback=False")
PREDICTION = """
import gaspipe as gp
graph = gp.generate.kronecker(8)
run = gp.predict("bfs", graph, root=0)
print((run.depth == gp.bfs(graph, root=0).depth).all(), run.stats.prediction.cycles >= graph.num_edges / 64)
"""
# Without the interpreter's lock, where Python has none: a graph in 8 threads, dicts that are read while they change.
SHARED = """
import sys, threading
from concurrent.futures import ThreadPoolExecutor
import numpy as np
import gaspipe as gp
locked = getattr(sys, "_is_gil_enabled", lambda: True)()

def asked(graph, i):
    calls = (
        lambda: gp.bfs(graph, root=i).depth,
        lambda: gp.sssp(graph, root=i).distance,
        lambda: gp.wcc(graph).component,
        lambda: gp.core_numbers(graph).values,
        lambda: gp.triangles(graph).values,
        lambda: graph.transpose().indices,
    )
    return calls[i % len(calls)]()

one = [asked(gp.generate.kronecker(10, weights=(1, 9)), i) for i in range(240)]
with ThreadPoolExecutor(8) as pool:
    for _ in range(5):
        graph = gp.generate.kronecker(10, weights=(1, 9))
        same = all(map(np.array_equal, one, pool.map(lambda i: asked(graph, i), range(240))))
        if not same:
            sys.exit("8 threads get other answers than one")
rows = {v: {(v + k) % 1000: {"weight": float(k)} for k in range(1, 9)} for v in range(1000)}
stop = threading.Event()

def change():
    i = 0
    while not stop.is_set():
        i += 1
        edges = rows[i % 1000]
        edges[1000 + i] = {"weight": float(i)}
        edges.pop(next(iter(edges)))
        next(iter(edges.values()))["weight"] = i + 0.5

changing = threading.Thread(target=change, daemon=True)
changing.start()
with ThreadPoolExecutor(4) as pool:
    read = list(pool.map(lambda _: gp._core.edge_attribute(rows, "weight", 1.0), range(300)))
stop.set()
changing.join()
print(locked, all(one is not None and one.dtype == np.float64 and 8000 <= len(one) < 9000 for one in read))
"""
BLOCKS = ("conductance", "vertex_cover")  # in the emulator as accelerators of GraphOps' blocks


def run(*command, status=0, **kwargs):
    """What a command prints; an error unless it ends with `status`."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **kwargs)
    if done.returncode != status:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}, not {status}:\n{done.stdout}")
    return done.stdout


def main():
    """Install, run, compare."""
    found = [name for name in COMPILERS if shutil.which(name)]
    if found:
        sys.exit(f"this root has {found}, and is to have no compiler")
    venv.create("/tmp/venv", symlinks=True, with_pip=True)  # as python -m venv does
    python, command = "/tmp/venv/bin/python", "/tmp/venv/bin/gaspipe"
    start, used = time.monotonic(), os.times()
    before = used.children_user + used.children_system
    run(python, "-m", "pip", "install", "-q", "--no-index", "--find-links", "/wheels", "gaspipe")
    installed = time.monotonic() - start
    answer = run(python, "-c", FIRST).splitlines()[-1]
    if answer != "[0, 1, 2, 2]":
        sys.exit(f"the first answer is {answer}")
    seconds = time.monotonic() - start
    used = os.times()
    busy = used.children_user + used.children_system - before
    with open("/tmp/graph.txt", "w") as file:
        file.write(GRAPH)
    listed = "import gaspipe as gp, json; print(json.dumps([gp.algorithms, gp.cpu_algorithms]))"
    both, cpu_alone = json.loads(run(python, "-c", listed).splitlines()[-1])
    jobs = [(name, "cpu") for name in both] + [(name, None) for name in cpu_alone]
    jobs += [(name, "emulator:u250") for name in (*both, *BLOCKS)]
    for name, device in jobs:
        options = ["--device", device] if device else []
        if name == "spmv":
            options += ["--x", "random:1"]
        if device and name in BLOCKS:
            options += ["--design", "graphops"]
        printed = run(command, name, "/tmp/graph.txt", "--verify", *options)
        if "Verified in" not in printed:
            sys.exit(f"{name} {options} does not say that it was verified:\n{printed}")
    predicted = run(python, "-c", PREDICTION).split()
    if predicted != ["True", "True"]:  # no card of 64 PEs takes more than an edge in each and a cycle
        sys.exit(f"a predicted run has the right answer, and enough cycles: {predicted}")
    if "All answers agree." not in run(command, "demo"):
        sys.exit("gaspipe demo does not say that all answers agree")
    has_lock = not sysconfig.get_config_var("Py_GIL_DISABLED")
    shared = run(python, "-W", "error", "-c", SHARED).split()
    if shared != [str(has_lock), "True"]:
        sys.exit(f"threads share a graph, with the interpreter's lock only where Python always has it: {shared}")
    run(command, "doctor", "--json")
    card = run(python, "-c", CARD, status=1)
    if "DeviceError" not in card:
        sys.exit(f"without a card and XRT there is no DeviceError:\n{card}")
    where = f"Python {platform.python_version()}, {os.confstr('CS_GNU_LIBC_VERSION')}"
    print(
        f"          {where}: pip install {installed:.1f} s, with the first answer {seconds:.1f} s; {busy:.1f} s of CPU"
    )
    print(f"          {len(jobs)} runs verified; {card.strip().splitlines()[-1]}")


if __name__ == "__main__":
    main()
