# SPDX-License-Identifier: Apache-2.0
"""Processes that see an emulated card: one that answers questions, and such as are to meet a fault."""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import pytest

import gaspipe as gp
from gaspipe._card import card, leases
from gaspipe.testing import assert_devices_agree

SECONDS = 60  # after which a process hangs
# XRT answers the death of the device process by SIGTERM to its own, unless it writes to the socket first.
ENDED = (-signal.SIGTERM, -signal.SIGPIPE)


class Worker:
    """A process that calls functions with the card in sight: what XRT does in there stays there."""

    def __init__(self, made, **variables):
        with made.active(), pytest.MonkeyPatch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, str(value))
            context = multiprocessing.get_context("spawn")
            self._pool = concurrent.futures.ProcessPoolExecutor(1, mp_context=context)
            self.pid = self._pool.submit(os.getpid).result(SECONDS)

    def __call__(self, function, *arguments, **keywords):
        return self._pool.submit(function, *arguments, **keywords).result(SECONDS)

    def close(self):
        self._pool.shutdown()


def agree(algorithm, matrix, xclbin, parameters, cut=None, devices=("cpu", "emulator", "fpga"), **keywords):
    """Ask all devices; return by device the answer, and of its stats what travels."""
    graph = matrix  # a rectangular one is no Graph
    if cut is not None:
        graph = gp.Graph(matrix)
        keywords["partitioning"] = graph.partition(**cut)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gp.NotConvergedWarning)  # rounding keeps float32 above any tolerance
        answers = assert_devices_agree(
            algorithm, graph, devices, options={"fpga": {"xclbin": xclbin}}, **parameters, **keywords
        )
    return {device: (result.values, told(result.stats)) for device, result in answers.items()}


def beside_cpu(algorithm, matrix, xclbin, parameters):
    """Ask a card and a CPU with a domain each, and the CPU for the whole graph."""
    graph = gp.Graph(matrix)
    call = getattr(gp, algorithm)
    result = call(graph, **parameters, device=["cpu", "fpga", "cpu"], xclbin=xclbin, fallback=False)
    return result.values, call(graph, **parameters).values, [domain.device for domain in result.stats.domains]


def told(stats):
    """Return the fields of a Stats that are plain values, and the number of super-steps."""
    plain = {k: v for k, v in vars(stats).items() if isinstance(v, (str, int, float, dict))}
    return {**plain, "num_supersteps": stats.num_supersteps}


class Session:
    """State that a worker keeps between calls: graphs by name."""

    graphs: dict = {}  # noqa: RUF012 - one per process


def keep(name, matrix):
    """Make a graph that stays."""
    Session.graphs[name] = gp.Graph(matrix)


def forget(name):
    del Session.graphs[name]


def ask(algorithm, name, xclbin, cut=None, **keywords):
    """Ask the card about a graph that was kept; return the answer and its stats."""
    graph = Session.graphs[name]
    if cut is not None:
        keywords["partitioning"] = graph.partition(**cut)
    result = getattr(gp, algorithm)(graph, device="fpga", fallback=False, xclbin=xclbin, **keywords)
    return result.values, told(result.stats)


def step_by_step(name, xclbin):
    """BFS by the accelerator's calls: its compute units, its profile, and why it tells no arguments by partition."""
    with gp.Accelerator("bfs", device="fpga", xclbin=xclbin) as accelerator:
        accelerator.acceleratorDataLoad(Session.graphs[name])
        accelerator.acceleratorDataPreprocess(root=0)
        profile = accelerator.acceleratorProfile(verify=True)
        with pytest.raises(gp.InputError) as told:
            accelerator.setGsKernel(0)
        return [kernel["instance"] for kernel in accelerator.kernelInit()], str(profile), str(told.value)


def on_every_schedule(name, xclbin, cut):
    """BFS from vertex 0 under each scheduler that there is, and one that turns everything round."""
    graph = Session.graphs[name]
    partitioning = graph.partition(**cut)

    def reversed_units(partition):
        return range(cut["compute_units"])[::-1]

    def reversed_order(parts):
        return range(len(parts))[::-1]

    own = (lambda parts: None, reversed_units, reversed_order)
    found = {}
    for label, scheduler in [*((s, s) for s in gp._core.schedulers()), ("own", own)]:
        with leases.lease("fpga", "bfs", graph, {}, "auto", xclbin) as lease:
            options = gp._core.RunOptions(device="fpga", num_threads=1, partitioning=partitioning)
            how = {"own_scheduler": own} if scheduler is own else {"scheduler": scheduler}
            values, stats = gp._core.run("bfs", graph._core, {}, options.replace(**how), card=lease.card)
        found[label] = (values, stats["device"])
    return found


def counts():
    """What was asked of the card that is open."""
    (slot,) = [slot for slot in card.slots() if slot.loaded is not None]
    return slot.loaded.counts()


# What every process of a fault starts with: a graph, its answer, and how it talks.
PRELUDE = """
import faulthandler, json, os, signal, sys, threading, time, warnings
import numpy as np
import gaspipe as gp

graph = gp.generate.uniform(3000, 30000, seed=5)
expected = gp.bfs(graph, root=0).depth


def bfs(graph=graph, **options):
    return gp.bfs(graph, root=0, **{"device": "fpga", "fallback": False, **options})


def agrees(result):
    return result.stats.device == "fpga" and bool((result.depth == expected).all())


def say(what):
    print(json.dumps(what), flush=True)


def wait():
    return sys.stdin.readline()


def error(call, *arguments, **options):
    try:
        call(*arguments, **options)
    except (gp.Error, KeyboardInterrupt) as found:
        return type(found).__name__ + ": " + str(found)


"""


class Process:
    """A Python program in a process group of its own, told and heard line by line; killed if it takes too long."""

    def __init__(self, made, code, **variables):
        self.card = made
        file, name = tempfile.mkstemp(prefix="stderr", dir=made.folder)
        self._stderr = Path(name)
        with open(file, "w") as errors:
            self.popen = subprocess.Popen(
                [sys.executable, "-c", PRELUDE + code],
                env={**made.environment(), **{name: str(value) for name, value in variables.items()}},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
            )
        self._watchdog = threading.Timer(SECONDS, self.kill_group)
        self._watchdog.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._watchdog.cancel()
        self.kill_group()
        self.popen.wait()
        self.popen.stdin.close()
        self.popen.stdout.close()

    def kill_group(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.popen.pid, signal.SIGKILL)

    def hear(self):
        """Return the next thing that it says."""
        line = self.popen.stdout.readline()
        assert line, f"ended with {self.popen.wait()}: {self.stderr()}"
        return json.loads(line)

    def tell(self, text=""):
        self.popen.stdin.write(text + "\n")
        self.popen.stdin.flush()

    def stderr(self):
        return self._stderr.read_text()

    def devices(self):
        """Ids of the device processes of this program's group."""
        found = []
        for device in self.card.processes():
            with contextlib.suppress(ProcessLookupError):
                if os.getpgid(device) == self.popen.pid:
                    found.append(device)
        return found

    def end(self, seconds=SECONDS):
        """Wait for the end, and for that of its device process; return the status."""
        asked = time.monotonic()
        status = self.popen.wait(seconds)
        wait_until(lambda: self.devices() == [], seconds)
        took = time.monotonic() - asked
        print(f"ended with {status} after {took:.2f} s:", self.stderr())
        assert took < seconds
        return status


def run(made, code, **variables):
    """Run a program to its end; return all that it said."""
    with Process(made, code, **variables) as process:
        heard = [json.loads(line) for line in process.popen.stdout]
        assert process.end() == 0
        return heard


def wait_until(condition, seconds=SECONDS):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.01)


def traced(path):
    """Lines that the device process has written so far (GASPIPE_CARD_TRACE)."""
    return Path(path).read_text().splitlines() if os.path.exists(path) else []


def pid_in(text):
    """Return the process that a message names."""
    return int(re.search(r"process (\d+)", text)[1])
