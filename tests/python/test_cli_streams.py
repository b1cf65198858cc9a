# SPDX-License-Identifier: Apache-2.0
"""The command's standard streams: of any encoding, full, closed, a socket, read in part, or not blocking."""

import gzip
import os
import socket
import subprocess
import sys
import time

import pytest

import gaspipe as gp
from command import environment, start

CITIES = "K\u00f6ln", "\u041c\u043e\u0441\u043a\u0432\u0430"
EDGES = b"0 1\n1 2\n4 5\n"


def ended(*arguments, variables=None, **streams):
    """Exit code, standard output and standard error of a command that has ended."""
    process = start(*arguments, code=None if variables is None else with_variables(variables), **streams)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def with_variables(variables):
    """A program that runs the command in a process with these variables."""
    command = "[sys.executable, '-m', 'gaspipe', *sys.argv[1:]]"
    return f"import os, sys; os.execve(sys.executable, {command}, {{**os.environ, **{variables!r}}})"


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_letters_that_an_encoding_lacks_are_shown_by_their_numbers(tmp_path, encoding):
    nodes = "".join(f'<node id="{city}"/>' for city in CITIES)
    edge = '<edge source="{}" target="{}"/>'.format(*CITIES)
    (tmp_path / "names.graphml").write_text(f"<graphml><graph>{nodes}{edge}</graph></graphml>", encoding="utf-8")
    variables = {"PYTHONIOENCODING": encoding}

    def shown(text):  # click takes ASCII for a mistake, and writes UTF-8
        return [text.encode(encoding, "backslashreplace"), *([text.encode()] if encoding == "ascii" else [])]

    for arguments in (["info", "names.graphml"], ["khop", "names.graphml", "--sources", CITIES[0], "--out", "-"]):
        code, out, err = ended(*arguments, variables=variables, cwd=tmp_path)
        assert code == 0, err
        for city in CITIES:
            assert any(text in out for text in shown(city)), out
    code, _, err = ended("info", "\u0416.csv", variables=variables, cwd=tmp_path)
    assert code == 3
    assert any(err == b"Error: %s: No such file or directory\n" % name for name in shown("\u0416.csv")), err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the device files are Linux's")
@pytest.mark.parametrize("arguments", ["--version", "--help", "algorithms"])
def test_what_is_told_without_work_has_the_exit_codes_of_work(arguments):
    with open("/dev/full", "wb") as full:
        assert ended(*arguments.split(), stdout=full) == (3, None, b"Error: No space left on device\n")
    reading, writing = os.pipe()
    os.close(reading)
    assert ended(*arguments.split(), stdout=writing) == (141, None, b"")
    os.close(writing)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the device files are Linux's")
def test_exit_codes_do_not_depend_on_standard_error():
    with open("/dev/full", "wb") as full:
        assert ended("info", "/none.txt", stderr=full)[0] == 3


def test_an_answer_for_a_closed_standard_output_is_refused_before_the_work():
    code = "import os, sys; os.close(1); os.execv(sys.executable, [sys.executable, '-m', 'gaspipe', *sys.argv[1:]])"
    process = start("bfs", "/none.txt", "--out", "-", code=code)
    assert process.communicate(timeout=60)[1] == b"Error: -: standard output is closed; name a file\n"
    assert process.returncode == 3


@pytest.mark.parametrize("kind", ["txt", "txt.gz", "npz", "mtx", "gaspipe"])
@pytest.mark.parametrize("before", [b"", b"a line that was read\n"])
def test_standard_input_is_read_from_where_it_has_got_to(tmp_path, kind, before):
    wanted = gp.Graph(([0, 1, 4], [1, 2, 5]))
    path, source, target = tmp_path / f"graph.{kind}", tmp_path / "source", tmp_path / "out.gaspipe"
    path.write_bytes(gzip.compress(EDGES)) if kind == "txt.gz" else wanted.to_file(path)
    source.write_bytes(before + path.read_bytes())
    for how in ([], ["--memory", "1GB"]):
        with open(source, "rb", buffering=0) as file:
            file.read(len(before))
            code, _, err = ended("convert", "-", target, *how, stdin=file)
        assert (code, err) == (0, b"")
        ends = gp.Graph.load(target).to_scipy().nonzero()
        assert [b"%d %d" % pair for pair in zip(*ends)] == EDGES.splitlines()


def test_standard_input_may_be_a_socket():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(EDGES)
        ours.shutdown(socket.SHUT_WR)
        code, out, err = ended("wcc", "-", "--out", "-", stdin=theirs)
    assert (code, out.split()) == (0, [b"0", b"0", b"0", b"3", b"4", b"4"]), err


def test_standard_input_that_does_not_block_is_waited_for():
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    process = start("wcc", "-", "--out", "-", stdin=reading)
    for line in EDGES.splitlines(keepends=True):
        time.sleep(0.5)
        os.write(writing, line)
    os.close(writing)
    os.close(reading)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out.split()) == (0, [b"0", b"0", b"0", b"3", b"4", b"4"]), err


def test_standard_input_that_is_closed_is_one_line():
    command = 'exec "$0" -m gaspipe info - <&-'
    done = subprocess.run(
        ["/bin/sh", "-c", command, sys.executable], capture_output=True, env=environment(), timeout=60
    )
    assert (done.returncode, done.stderr) == (3, b"Error: /dev/stdin: standard input is closed\n")
