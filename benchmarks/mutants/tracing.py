# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest: which mutants each test reaches, and its processor time, as lines of JSON."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

_MAP, _OUT = Path(os.environ["GASPIPE_REACHED"]), Path(os.environ["GASPIPE_TRACED"])
_SIZE = _MAP.stat().st_size


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    """Clear the map before a test, fixtures included, and read it behind."""
    with open(_MAP, "r+b") as file:
        file.write(bytes(_SIZE))
    item.starts = sum(os.times()[:4]), time.monotonic()
    item.good = False
    yield
    if item.good:
        reached = _MAP.read_bytes()
        line = {
            "name": item.nodeid.split("/")[-1],
            "seconds": sum(os.times()[:4]) - item.starts[0],
            "reached": [n for n in range(1, _SIZE) if reached[n] == 1],
            "forbidden": [n for n in range(1, _SIZE) if reached[n] == 2],
        }
        with open(_OUT, "a") as file:
            file.write(json.dumps(line) + "\n")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Keep whether the test passed."""
    report = (yield).get_result()
    if report.when == "call":
        item.good = report.passed
