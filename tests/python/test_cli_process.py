# SPDX-License-Identifier: Apache-2.0
"""The command line as a process: exit codes, Ctrl-C, closed pipes, terminals."""

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
import time

import numpy as np
import pytest

import gaspipe as gp
from command import environment, start

# The goal is 0.1 s on a quiet machine; a busy one gets some slack.
MOST_SECONDS_TO_STOP = 3.0
# Bars for work of any length.
EAGER = "from gaspipe import _progress; from gaspipe.cli import main, progress; _progress.DELAY = 0; "
EAGER += "main(prog_name='gaspipe')"
NO_TQDM = f"import sys; sys.modules['tqdm'] = None; {EAGER}"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("graphs")
    (folder / "two.txt").write_text("0 1\n1 2\n4 5\n")
    (folder / "chain.txt").write_text("".join(f"{v} {v + 1}\n" for v in range(100_000)))
    return folder


def finished(process, timeout=60):
    out, err = process.communicate(timeout=timeout)
    return process.returncode, out.decode(), err.decode()


def test_module_and_exit_codes_of_the_process(files, tmp_path):
    code, out, err = finished(start("bfs", files / "two.txt", "--out", "-"))
    assert (code, out.split()) == (0, ["0", "1", "2", "-1", "-1", "-1"])
    assert "gaspipe" in finished(start("--version"))[1]
    code, out, err = finished(start("bfs", tmp_path / "none.txt"))
    assert (code, out, err) == (3, "", f"Error: {tmp_path / 'none.txt'}: No such file or directory\n")
    code, out, err = finished(start("bfs"))
    assert (code, out) == (2, "")
    assert "gaspipe bfs" in err


def test_verification_that_fails_is_exit_code_1(files):
    spoil = """
import gaspipe as gp
from gaspipe.cli import main
right = gp.bfs
def wrong(*args, **options):
    result = right(*args, **options)
    result.values[2] = 7
    return result
gp.bfs = wrong
main(prog_name="gaspipe")
"""
    code, out, _ = finished(start("bfs", files / "two.txt", "--verify", code=spoil))
    assert code == 1
    assert "vertex 2: depth 7, expected 2; 1 of 6 differ" in out


@pytest.mark.parametrize("closed", ["2>&-", ">&-", ">&- 2>&-"])
def test_closed_streams_leave_the_work_as_it_is(files, tmp_path, closed):
    command = f"exec {sys.executable} -m gaspipe bfs {files / 'two.txt'} --out {tmp_path / 'd.npy'} {closed}"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, env=environment(), timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert np.load(tmp_path / "d.npy").tolist() == [0, 1, 2, -1, -1, -1]


def test_commands_run_without_docstrings(files):
    command = [sys.executable, "-OO", "-m", "gaspipe"]
    for arguments in (["--version"], ["generate", "kronecker", "--help"], ["bfs", files / "two.txt"]):
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, env=environment(), timeout=60)
        assert done.returncode == 0, done.stderr


def test_a_matrix_in_a_pipe_is_not_taken_for_a_list_of_edges():
    text = b"%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0.5\n2 3 1.5\n"
    process = start("info", "-", stdin=subprocess.PIPE)
    _, err = process.communicate(text, timeout=60)
    assert process.returncode == 3
    assert b'a Matrix Market file; read it with format="matrix_market"' in err
    process = start("info", "-", "--format", "matrix_market", stdin=subprocess.PIPE)
    out, err = process.communicate(text, timeout=60)
    assert b"3 vertices, 2 edges, float64 weights" in out, err


def test_graph_is_read_from_standard_input(files):
    process = start("wcc", "-", "--out", "-", stdin=subprocess.PIPE)
    out, err = process.communicate((files / "two.txt").read_bytes(), timeout=60)
    assert process.returncode == 0, err
    assert out.split() == [b"0", b"0", b"0", b"3", b"4", b"4"]


@pytest.mark.parametrize("where", ["reading", "running", "verifying"])
def test_ctrl_c_ends_at_once_with_130_and_leaves_no_file(files, tmp_path, where):
    target = tmp_path / "r.npy"
    if where == "reading":
        process = start("bfs", "-", "--out", target, stdin=subprocess.PIPE)
        process.stdin.write(b"0 1\n" * 100_000)  # more than a pipe holds: when this returns, it is being read
        process.stdin.flush()
    else:
        # Many super-steps; or few that plain Python takes long for.
        steps = {"running": "100000000", "verifying": "20000"}[where]
        options = ["--tol", "0", "--max-iter", steps, *(["--verify"] if where == "verifying" else [])]
        path = files / ("chain.txt" if where == "running" else "two.txt")
        code = "import gaspipe._verify as v, time, sys\n" + (
            "from gaspipe.cli import main\n"
            "m = v.reference('pagerank'); m.answer = lambda *a, **k: (print('now', flush=True), time.sleep(60))\n"
            "main(prog_name='gaspipe')"
        )
        process = start("pagerank", path, *options, "--out", target, code=code if where == "verifying" else None)
        wanted = b"now" if where == "verifying" else b"vertices"
        while wanted not in process.stdout.readline():
            assert process.poll() is None
        time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    code, _, err = finished(process)
    assert time.monotonic() - begin < MOST_SECONDS_TO_STOP
    assert code == 130
    assert err.strip() == "Interrupted"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [["spmv", "chain.txt", "--x", "ones", "--out", "-"], ["info", "chain.txt"]])
def test_closed_pipe_ends_quietly(files, arguments):
    process = start(*arguments, cwd=files)
    if arguments[0] == "spmv":
        process.stdout.readline()
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(timeout=60)
    assert process.returncode == 141
    for word in (b"Traceback", b"Exception", b"rror", b"roken"):
        assert word not in err, err


def on_a_terminal(*arguments, code, size=(24, 100), timeout=60):
    """Exit code, standard output and what the terminal shows of a process whose stderr is one."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE, stderr=theirs, env=environment()
    )
    os.close(theirs)
    shown = bytearray()

    def collect():
        try:
            while piece := os.read(ours, 4096):
                shown.extend(piece)
        except OSError:  # the other side is gone
            pass

    thread = threading.Thread(target=collect)
    thread.start()
    out, _ = process.communicate(timeout=timeout)
    thread.join(timeout)
    os.close(ours)
    return process.returncode, out.decode(), shown.decode()


@pytest.mark.needs("tqdm")
@pytest.mark.parametrize("size", [(24, 100), (0, 0)])  # some terminals do not tell theirs
def test_progress_shows_on_a_terminal(files, size):
    code, out, shown = on_a_terminal("pagerank", files / "chain.txt", "--json", code=EAGER, size=size)
    assert code == 0
    assert out.startswith("{")
    assert "reading:" in shown
    assert "pagerank:" in shown
    assert "super-steps" in shown
    # Bars are gone in the end: the last line was cleared.
    assert shown.rpartition("\r")[2].strip() == ""


@pytest.mark.needs("tqdm")
def test_progress_of_edges_that_stay_in_their_file_is_in_bytes(tmp_path):
    path = tmp_path / "graph.gaspipe"
    gp.Graph(tuple(np.random.default_rng(1).integers(0, 70_000, (2, 500_000)))).save(path, blocks=True)
    how = ["--memory", "2GB", "--tol", "0", "--max-iter", "200", "--json"]
    quick = EAGER.replace("DELAY = 0", "DELAY = 0; progress.PERIOD = 0.01")
    code, out, shown = on_a_terminal("pagerank", path, *how, code=quick)
    assert code == 0
    assert json.loads(out)
    assert re.search(r"pagerank: [\d.]+[MG]B .*super-steps", shown), shown[-500:]
    assert shown.rpartition("\r")[2].strip() == ""


@pytest.mark.needs("tqdm")
def test_generators_show_their_phases(tmp_path):
    how = ["kronecker", "--scale", "12", "--out", tmp_path / "web.txt"]
    code, out, shown = on_a_terminal("generate", *how, code=EAGER)
    assert code == 0
    assert out.startswith("Wrote ")
    assert re.search(r"kronecker: .* edges", shown), shown[-500:]
    assert shown.rpartition("\r")[2].strip() == ""
    assert on_a_terminal("generate", *how, "--no-progress", code=EAGER)[2] == ""


@pytest.mark.parametrize(
    ("code", "options"), [(EAGER, ["--no-progress"]), (NO_TQDM, []), (EAGER.replace("= 0", "= 99"), [])]
)
def test_no_progress_where_unwanted_impossible_or_soon_over(files, code, options):
    returned, _, shown = on_a_terminal("pagerank", files / "chain.txt", *options, code=code)
    assert (returned, shown) == (0, "")


def test_no_progress_where_stderr_is_no_terminal(files):
    code, _, err = finished(start("pagerank", files / "chain.txt", code=EAGER))
    assert (code, err) == (0, "")


def test_bar_counts_all_bytes_of_a_packed_file(tmp_path):
    import gzip

    from gaspipe import _files
    from gaspipe.graph import Graph

    path = tmp_path / "edges.txt.gz"
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 1000, (200_000, 2))
    with gzip.open(path, "wt") as file:
        file.write("\n".join(f"{u} {v}" for u, v in rows.tolist()))
    seen = []
    with _files.watching(lambda what, done, total: seen.append((what, done, total)), None):
        watched = Graph.from_file(path, format="edge_list")
    assert seen[-1] == ("reading", path.stat().st_size, None)
    assert watched.num_edges == Graph.from_file(path).num_edges == 200_000
