# SPDX-License-Identifier: Apache-2.0
"""What the tests share: where the real graphs lie, and a random generator that says its seed."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from card_fixtures import card, emulated_card, make_card, xrt  # noqa: F401  (fixtures)
from card_scene import card_with_bfs, scene  # noqa: F401  (fixtures)
from cards import cards, empty  # noqa: F401  (fixtures)
from tools import REPOSITORY, require

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell; the tests interrupt processes
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header():
    """Say what stands behind device="fpga" in this run: the XRT that gaspipe's own module loads."""
    code = "from gaspipe import _fpga; print(_fpga.library())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    library = done.stdout.strip() if done.returncode == 0 else f"no XRT: {done.stderr.strip().splitlines()[-1]}"
    reason = card.available()
    return f"gaspipe: {library}, " + (f"no emulated card: {reason}" if reason else "emulated card")


# Files that take more than about a minute, the longest first: two processes that take a file each end together only if
# none of these is left for the end.
LONG_FILES = (
    "notebooks", "site", "rtl", "laws", "algorithm", "headers", "packaging", "stored", "emulator_hbm", "emulator",
    "frontier_kernels", "documentation", "kernels", "distributed", "card", "cache", "circuit", "own_card", "plot",
    "predict", "cli_new",
)  # fmt: skip


def pytest_collection_modifyitems(items):
    """Mark the tests that use the data folder; long files come first, and tests of a file together as they are."""
    rank = {f"test_{name}.py": place for place, name in enumerate(LONG_FILES)}
    items.sort(key=lambda item: rank.get(item.path.name, len(rank)))
    for item in items:
        if "data_dir" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.data)


def pytest_runtest_setup(item):
    """Skip a test without its tools; in CI, fail."""
    for mark in item.iter_markers("needs"):
        for tool in mark.args:
            require(tool)


@pytest.fixture(autouse=True)
def circuits_where_asked(request, monkeypatch):
    """Hooks are measured as circuits, which takes seconds, only in tests that need the tools for it."""
    if not any("circuit" in mark.args for mark in request.node.iter_markers("needs")):
        monkeypatch.setattr("gaspipe._own.circuits.missing_packages", lambda: ["yosys"])


@pytest.fixture(scope="session")
def data_dir():
    """Folder of the real graphs: GASPIPE_DATA, else ../shared/data beside the repository."""
    folder = Path(os.environ.get("GASPIPE_DATA") or REPOSITORY.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"there is no folder {folder}; set GASPIPE_DATA to where the graphs are")
    return folder


@pytest.fixture
def rng():
    """Random generator; GASPIPE_SEED replaces its seed, which a failing test prints."""
    seed = int(os.environ.get("GASPIPE_SEED", "20240611"))
    print(f"GASPIPE_SEED={seed}")
    return np.random.default_rng(seed)


@pytest.fixture(scope="session")
def compiled_snippets(tmp_path_factory):
    """Folder of snippets that the session has compiled; each costs a second, in the emulator several.

    By clang++ at -O0 where there is one, for graphs are small: an emulator takes 2.6 s to compile, 8.3 by g++ at -O1,
    13.4 as for users. What is about compilers has users' (test_compile.py, test_cache.py). All workers of pytest-xdist
    have one folder; tests/run keeps it for the next run (GASPIPE_TESTS_COMPILED), which finds by its content what has
    not changed.
    """
    base = tmp_path_factory.getbasetemp()
    here = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = Path(os.environ.get("GASPIPE_TESTS_COMPILED") or here) / "snippets"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("GASPIPE_CARD_CACHE", str(card.cache_folder()))  # one for all tests that have a card
        patched.setenv("XDG_CACHE_HOME", str(folder))
        known = [*(f"clang++-{version}" for version in (16, 19, 18, 17, 15)), "clang++"]
        quick = next(filter(shutil.which, known), None)
        if quick:
            patched.setenv("CXX", quick)
        patched.setenv("CXXFLAGS", "-O0" if quick else "-O1")
        yield folder


@pytest.fixture
def users_compiler(monkeypatch):
    """Snippets are compiled as for users, whatever `compiled_snippets` chose: its messages differ."""
    monkeypatch.delenv("CXX", raising=False)
