# SPDX-License-Identifier: Apache-2.0
"""The line that tells of a compilation: on a terminal and in a notebook only, and gone afterwards."""

import io
import logging
import os
import subprocess
import sys
import types

import pytest

from command import environment
from gaspipe import _notice

TEXT = "compiling it, which takes some seconds the first time ..."


class Terminal(io.StringIO):
    def isatty(self):
        return True


def during_and_after(stream):
    with _notice.shown(TEXT):
        during = stream.getvalue()
    return during, stream.getvalue()[len(during) :]


@pytest.mark.parametrize(("term", "ends"), [("xterm", ("...", "\r\x1b[K")), ("dumb", ("...\n", ""))])
def test_a_terminal_shows_a_line_that_ends(monkeypatch, term, ends):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("COLUMNS", "80")
    during, after = during_and_after(sys.stderr)
    assert (during, after) == (f"gaspipe: {TEXT[:-3]}{ends[0]}", ends[1])


def test_the_line_ends_where_the_work_fails(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with pytest.raises(ValueError, match="wrong"), _notice.shown(TEXT):
        raise ValueError("wrong")
    assert sys.stderr.getvalue().endswith("\r\x1b[K")


def test_a_narrow_terminal_keeps_it_to_one_line(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "30")
    assert len(during_and_after(sys.stderr)[0]) == 29


@pytest.mark.parametrize("stream", [io.StringIO(), None])
def test_programs_see_nothing_but_a_record(monkeypatch, caplog, stream):
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    with caplog.at_level(logging.INFO), _notice.shown(TEXT):
        pass
    assert stream is None or stream.getvalue() == ""
    assert [(r.name, r.levelname, r.getMessage()) for r in caplog.records] == [("gaspipe", "INFO", TEXT)]


def test_who_wants_none_sees_none(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(_notice.logger, "level", logging.WARNING)
    assert during_and_after(sys.stderr) == ("", "")
    monkeypatch.setattr(_notice.logger, "level", logging.NOTSET)
    token = _notice.wanted.set(False)
    assert during_and_after(sys.stderr) == ("", "")
    _notice.wanted.reset(token)
    assert during_and_after(sys.stderr) != ("", "")


def test_a_notebook_shows_it_and_takes_it_back(monkeypatch):
    """As a display of its own, for what is on stderr looks like an error there."""
    told = []

    class Handle:
        def update(self, data, raw):
            told.append(data)

    def display(data, raw, display_id):
        told.append(data)
        return Handle()

    shell = types.SimpleNamespace(get_ipython=lambda: "a shell", display=types.SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "ipykernel", shell)
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", shell.display)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with _notice.shown(TEXT):
        assert told == [{"text/plain": f"gaspipe: {TEXT}"}]
    assert told[1:] == [{"text/plain": ""}]
    assert sys.stderr.getvalue() == ""


CODE = """
import gaspipe as gp
algorithm = gp.Algorithm("seen", gather="a + b", until=("steps", 1))
algorithm(([0], [1]))
print("again")
gp.Algorithm("seen", gather="a + b", until=("steps", 1))(([0], [1]))
"""


def test_a_process_on_a_terminal_is_told_once(tmp_path):
    """Through a real terminal; what comes from the cache is not announced."""
    ours, theirs = os.openpty()
    try:
        variables = {**environment(), "TERM": "xterm", "COLUMNS": "100", "XDG_CACHE_HOME": str(tmp_path)}
        process = subprocess.run([sys.executable, "-c", CODE], stderr=theirs, env=variables, timeout=300, check=True)
        assert process.returncode == 0
        shown = os.read(ours, 10_000).decode()
    finally:
        os.close(ours)
        os.close(theirs)
    assert shown == "gaspipe: compiling seen, which takes some seconds the first time ...\r\x1b[K"


def test_a_process_on_a_pipe_is_told_nothing(tmp_path):
    variables = {**environment(), "XDG_CACHE_HOME": str(tmp_path)}
    process = subprocess.run([sys.executable, "-c", CODE], capture_output=True, env=variables, timeout=300, check=True)
    assert process.stderr == b""
