# SPDX-License-Identifier: Apache-2.0
"""Runs a function of gaspipe in a process of its own, which may crash or never end."""

from __future__ import annotations

import importlib
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from .._core import Error


class CrashError(Error):
    """A snippet crashed, or did not end in time, in a process of its own; this one goes on."""


def call_isolated(what: str, function: str, argument: Any, timeout: float) -> Any:
    """Return `function(argument)`, or raise what it raises.

    Parameters
    ----------
    what : str
        Whose work it is, for messages.
    function : str
        As "module:name", inside this package.
    argument : object
        Picklable, as is what the function returns.
    timeout : float
        Seconds after which the process is ended.

    Raises
    ------
    CrashError
        If the process crashes or takes too long.

    """
    folder = str(Path(__file__).absolute().parents[2])  # that gaspipe lies in
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([folder, *filter(None, sys.path)])}
    child = subprocess.Popen(
        # Python looks for modules in the current folder first, which may be anybody's.
        [sys.executable, "-c", f"import sys; del sys.path[0]; from {__name__} import main; main()", function],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        out, err = child.communicate(pickle.dumps(argument), timeout=timeout)
    except subprocess.TimeoutExpired:
        raise CrashError(
            f"{what} did not end within {timeout:g} s; is there a loop without an end in a hook, or a run that never "
            "converges (max_iter=)?"
        ) from None
    finally:  # after KeyboardInterrupt too
        child.kill()
        child.communicate()
    if child.returncode < 0:
        name = signal.Signals(-child.returncode).name
        raise CrashError(f"{what} crashed ({name}); does a hook divide by zero, or use memory that is not its own?")
    if child.returncode > 0:
        raise CrashError(f"{what} ended with status {child.returncode}: {err.decode(errors='replace').strip()[-500:]}")
    good, value = pickle.loads(out)
    if not good:
        raise value
    return value


def main() -> None:
    """Do the work in the other process: the argument and the answer go through its pipes."""
    module, _, name = sys.argv[1].partition(":")
    argument = pickle.load(sys.stdin.buffer)
    # What a snippet prints is not part of the answer.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        answer = True, getattr(importlib.import_module(f"{__package__}.{module}"), name)(argument)
    except Exception as error:
        answer = False, error
    pickle.dump(answer, answers)
    answers.flush()
