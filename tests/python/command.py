# SPDX-License-Identifier: Apache-2.0
"""Runs the command line for its tests, in this process or in one of its own."""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from click.testing import CliRunner

import gaspipe as gp
from gaspipe import cli

# Newer click always keeps the two streams apart.
SPLIT = {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}


def random_matrix(rows, columns, seed):
    """Sparse matrix with a fifth of its entries stored."""
    rng = np.random.default_rng(seed)
    return sp.csr_array(rng.random((rows, columns)) * (rng.random((rows, columns)) < 0.2))


def gaspipe(*arguments, code=0):
    """Result of `gaspipe ARGUMENTS` in this process; fails unless it exits with `code`."""
    result = CliRunner(**SPLIT).invoke(cli.main, [str(a) for a in arguments])
    shown = f"{result.stdout}\n{result.stderr}\n{result.exception!r}"
    assert result.exit_code == code, shown
    assert result.exception is None or isinstance(result.exception, SystemExit), shown
    assert "Traceback" not in shown
    return result


def environment():
    """Variables of a process that imports the package under test."""
    paths = [str(Path(gp.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "OMP_NUM_THREADS": "2"}


def start(*arguments, code=None, **options):
    """Start `python -m gaspipe ARGUMENTS`, or a program that calls main() itself."""
    command = [sys.executable, *(["-m", "gaspipe"] if code is None else ["-c", code]), *map(str, arguments)]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.Popen(command, env=environment(), **streams)
