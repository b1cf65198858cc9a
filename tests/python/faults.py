# SPDX-License-Identifier: Apache-2.0
"""Fails every call that public functions make, one at a time, and looks at what comes of it.

The program of a process into which tests/faults/fail_nth.cpp was loaded. Prints lines of JSON: which attempt begins,
what came of it, and what was wrong.

    LD_PRELOAD=fail_nth.so python faults.py FOLDER KIND CALL [--from N] [--every K]
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import sys
import warnings
from pathlib import Path

import gaspipe as gp
from faulty_calls import calls, compiled_calls, compiling_calls
from gaspipe._compile import store

KINDS = ("memory", "map", "open", "read", "write", "sync", "close", "thread", "process")
_MEMORY = (MemoryError, gp.CapacityError)
_OURS = {"memory": _MEMORY, "map": (*_MEMORY, OSError), "thread": (*_MEMORY, OSError, gp.Error)}


def is_told(kind: str, error: BaseException, folder: Path) -> bool:
    """Whether an error says what has failed."""
    if kind in _OURS:
        return isinstance(error, _OURS[kind])
    if kind == "process":
        return isinstance(error, (OSError, gp.Error))
    # A read that fails inside a format's library is told as that library does, with the file's name.
    return isinstance(error, OSError) and str(folder) in str(error)


class Faults:
    """The library in this process."""

    def __init__(self, folder: Path) -> None:
        self._library = ctypes.CDLL(None)
        for name in ("faults_followed", "faults_disarm"):
            getattr(self._library, name).restype = ctypes.c_int64
        self._library.faults_arm.argtypes = ctypes.c_int, ctypes.c_int64
        self._library.faults_watch(os.fsencode(folder))

    def attempt(self, kind: str, n: int, call):
        """Return the answer or the error, the number of calls, whether one failed, and blocks that are still there."""
        answer = error = None
        self._library.faults_arm(KINDS.index(kind), n)
        try:
            answer = call()
        except BaseException as caught:  # what an error leads to, of any kind, is what is looked at
            error = caught.with_traceback(None)
            error.__context__ = error.__cause__ = None
        seen = self._library.faults_disarm()
        gc.collect()
        return answer, error, seen, bool(self._library.faults_failed()), self._library.faults_followed()


def descriptors() -> int:
    """Files that are open."""
    return len(os.listdir("/proc/self/fd"))


def files_in(folder: Path) -> set[str]:
    """All files but libraries that are kept."""
    found = set(map(str, folder.rglob("*")))
    return {path for path in found if f"/{store.SNIPPETS}/" not in path or store.BUILD in path}


def fail_thread(faults: Faults, given: argparse.Namespace, call) -> None:
    """Fail one in the first call of this process: threads are kept for those that follow."""
    print(json.dumps({"at": given.first}), flush=True)
    answer, error, _, has_failed, _ = faults.attempt("thread", given.first, call)
    if not has_failed:
        return
    again = faults.attempt("thread", 0, call)
    wrong = ""
    if error is not None and not is_told("thread", error, given.folder):
        wrong = f"{type(error).__name__}: {error}"
    elif again[1] is not None:
        wrong = f"the next call is wrong: {again[1]}"
    elif error is None and answer != again[0]:
        wrong = "another answer"
    print(json.dumps({"failed": 1, "outcome": "answer" if error is None else "error"}), flush=True)
    if wrong:
        print(json.dumps({"n": given.first, "wrong": wrong}), flush=True)


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("call")
    parser.add_argument("--from", dest="first", type=int, default=1)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--most", type=int, default=10**9, help="of faults: more calls than that are sampled")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.call in ("Algorithm", "FrontierEngine", "Chain.run"):
        call = compiled_calls()[given.call]
    elif given.call == "Algorithm.compile":
        call = compiling_calls()[given.call]
    else:
        call = calls(given.folder)[given.call]
    faults = Faults(given.folder)
    if given.kind == "thread":
        return fail_thread(faults, given, call)
    for _ in range(3):  # modules imported, threads started, caches filled
        expected, error, total, _, left = faults.attempt(given.kind, 0, call)
        if error is not None:
            raise error
    files, listed = descriptors(), files_in(given.folder)
    n, step = given.first, max(given.every, -(-total // given.most))
    while n <= total + 3:
        print(json.dumps({"at": n}), flush=True)
        answer, error, _, has_failed, now = faults.attempt(given.kind, n, call)
        if not has_failed:
            break
        wrong = ""
        if error is not None and not is_told(given.kind, error, given.folder):
            wrong = f"{type(error).__name__}: {error}"
        elif error is None and answer != expected:
            wrong = "another answer"
        print(json.dumps({"failed": 1, "outcome": "error" if error is not None else "answer"}), flush=True)
        error = None
        if now > left:
            # What a first failure leaves may be kept for later; what leaks does so every time.
            now = min(faults.attempt(given.kind, n, call)[-1] for _ in range(3))
            wrong = wrong or (f"{now} blocks are left" if now > left else "")
        if descriptors() > files:
            before = descriptors()
            for _ in range(3):
                faults.attempt(given.kind, n, call)
            wrong = wrong or (f"{descriptors() - before} files are left open" if descriptors() >= before + 3 else "")
            files = descriptors()
        again = faults.attempt(given.kind, 0, call)
        if again[1] is not None or again[0] != expected:
            wrong = wrong or f"the next call is wrong: {again[1]}"
        more = files_in(given.folder) - listed
        if more:
            wrong = wrong or f"files are left: {sorted(more)}"
            listed |= more
        if wrong:
            print(json.dumps({"n": n, "wrong": wrong}), flush=True)
        n += step


if __name__ == "__main__":
    sys.exit(main())
