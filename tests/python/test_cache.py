# SPDX-License-Identifier: Apache-2.0
"""Compiled snippets: kept once, whole and private, whoever else wants them at the same time."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

import gaspipe as gp
from gaspipe import cache

KEY = "0123456789abcdef" * 4
EXPECTED = [0, 4, 0]  # vertex 1 adds (0 + 1) from two neighbours, twice
RUN = """
import gaspipe as gp, scipy.sparse as sp, numpy as np, warnings
warnings.simplefilter("error")
matrix = sp.csr_array(np.array([[0, 1, 0], [0, 0, 0], [0, 1, 0]]))
print(gp.Algorithm("add_up", gather="a + b", scatter="src + 1", until=("steps", 2))(matrix).values.tolist())
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache of this test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(cache, "_temporary", None)
    return tmp_path / "gaspipe" / "snippets-1"


@pytest.fixture
def counted(tmp_path, monkeypatch):
    """A compiler that counts its calls: a function that tells the number."""
    log, script = tmp_path / "calls", tmp_path / "compiler"
    script.write_text(f'#!/bin/sh\necho call >> "{log}"\nsleep "${{SLOW:-0}}"\nexec {shutil.which("c++")} "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("CXX", str(script))
    return lambda: log.read_text().count("call") if log.exists() else 0


def make(calls, text=b"library"):
    def compile(folder, path):
        calls.append(folder)
        Path(path).write_bytes(text)
        return {}

    return compile


def paths(folder, suffix):
    return sorted(p for p in folder.iterdir() if p.suffix == suffix)


def test_a_library_is_compiled_once(folder):
    calls = []
    path, is_new = cache.library("x", KEY, make(calls))
    assert is_new
    assert cache.library("x", KEY, make(calls)) == (path, False)
    assert cache.library("x", KEY[::-1], make(calls))[0] != path
    assert len(calls) == 2
    assert not any(os.path.exists(work) for work in calls)


def test_what_is_kept_is_private(folder):
    path, _ = cache.library("x", KEY, make([]))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(p.stat().st_mode) & 0o077 == 0 for p in folder.iterdir())
    assert Path(path).parent == folder


def damage_cut(path):
    path.write_bytes(path.read_bytes()[:3])


def damage_other(path):
    path.write_bytes(b"LIBRARY")


def damage_empty(path):
    path.write_bytes(b"")


def damage_writable(path):
    path.chmod(0o722)


def damage_link(path):
    path.rename(path.with_suffix(".moved"))
    path.symlink_to(path.with_suffix(".moved"))


def damage_folder(path):
    path.with_suffix(".json").unlink()


@pytest.mark.parametrize(
    "damage", [damage_cut, damage_other, damage_empty, damage_writable, damage_link, damage_folder]
)
def test_a_damaged_library_is_compiled_again(folder, damage):
    calls = []
    path, _ = cache.library("x", KEY, make(calls))
    damage(Path(path))
    assert cache.library("x", KEY, make(calls)) == (path, True)
    assert Path(path).read_bytes() == b"library"
    assert not Path(path).is_symlink()
    assert cache.library("x", KEY, make(calls)) == (path, False)
    assert len(calls) == 2


@pytest.mark.parametrize("text", ["", "{", "[]", '{"key": 1}', '{"sha256": null, "key": "' + KEY + '"}'])
def test_a_damaged_note_is_no_note(folder, text):
    path, _ = cache.library("x", KEY, make([]))
    Path(path).with_suffix(".json").write_text(text)
    assert cache.library("x", KEY, make([])) == (path, True)


def test_a_library_of_another_key_is_not_taken(folder):
    path, _ = cache.library("x", KEY, make([]))
    other = KEY[:32] + KEY[:31:-1]  # the same file name
    assert cache.library("x", other, make([], b"other")) == (path, True)


def test_a_failed_compile_leaves_nothing(folder):
    def fail(work, path):
        Path(path).write_bytes(b"half")
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        cache.library("x", KEY, fail)
    assert [p.suffix for p in folder.iterdir()] == [".lock"]


def test_clear_and_info(folder):
    assert cache.info() == cache.Info(str(folder), 0, 0, ())
    assert cache.clear() == 0
    cache.library("x", KEY, make([]))
    cache.library("y", KEY, make([]))
    (folder / ".build-dead").mkdir()
    found = cache.info()
    assert (found.num_libraries, found.algorithms) == (2, ("x", "y"))
    assert found.num_bytes > 14
    assert cache.clear() == 2
    assert list(folder.iterdir()) == []


def test_abandoned_builds_are_swept_away(folder):
    cache.library("x", KEY, make([]))
    old, young = folder / ".build-old", folder / ".build-young"
    old.mkdir()
    young.mkdir()
    os.utime(old, (1, 1))
    cache.library("y", KEY, make([]))
    assert not old.exists()
    assert young.exists()


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_may_write_is_not_trusted(folder, mode):
    folder.mkdir(parents=True)
    folder.chmod(mode)
    with pytest.warns(RuntimeWarning, match="others may write"):
        path, _ = cache.library("x", KEY, make([]))
    assert Path(path).parent != folder
    assert stat.S_IMODE(Path(path).parent.stat().st_mode) == 0o700
    assert list(folder.iterdir()) == []
    shutil.rmtree(Path(path).parent)


def test_a_folder_that_others_may_read_is_closed(folder):
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    cache.library("x", KEY, make([]))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of others")
def test_a_folder_of_another_user_is_not_trusted(folder):
    folder.mkdir(parents=True)
    os.chown(folder, 12345, 12345)
    with pytest.warns(RuntimeWarning, match="belongs to another user"):
        path, _ = cache.library("x", KEY, make([]))
    assert Path(path).parent != folder
    shutil.rmtree(Path(path).parent)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of others")
def test_a_library_of_another_user_is_compiled_again(folder):
    path, _ = cache.library("x", KEY, make([]))
    os.chown(path, 12345, 12345)
    assert cache.library("x", KEY, make([])) == (path, True)
    assert os.stat(path).st_uid == os.geteuid()


def test_a_home_that_cannot_be_written_gives_a_temporary_folder(tmp_path):
    """/proc takes no new folders, not even of root."""
    env = {k: v for k, v in os.environ.items() if k != "XDG_CACHE_HOME"} | {"HOME": "/proc", "TMPDIR": str(tmp_path)}
    run = RUN.replace('warnings.simplefilter("error")', "")
    done = subprocess.run([sys.executable, "-c", run], env=env, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == str(EXPECTED), done.stderr
    assert "RuntimeWarning: compiled snippets are kept for this process only: /proc/.cache" in done.stderr
    assert list(tmp_path.iterdir()) == []  # removed at the end


def test_sixteen_processes_compile_once(folder, counted, monkeypatch):
    monkeypatch.setenv("SLOW", "1")
    children = [
        subprocess.Popen([sys.executable, "-c", RUN], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(16)
    ]
    answers = [child.communicate(timeout=300) for child in children]
    assert {out.strip() for out, _ in answers} == {str(EXPECTED)}, answers
    assert counted() == 1
    assert len(paths(folder, ".so")) == 1


def test_a_compiling_process_that_is_killed_blocks_nobody(folder, counted, monkeypatch):
    monkeypatch.setenv("SLOW", "60")
    first = subprocess.Popen([sys.executable, "-c", RUN], start_new_session=True)
    deadline = time.time() + 60
    while counted() == 0:
        assert time.time() < deadline
        time.sleep(0.05)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    monkeypatch.setenv("SLOW", "0")
    done = subprocess.run([sys.executable, "-c", RUN], capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout.strip() == str(EXPECTED), done.stderr
    assert counted() == 2


def test_a_new_process_finds_what_another_compiled(folder, counted):
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", RUN], capture_output=True, text=True, check=False)
        assert done.stdout.strip() == str(EXPECTED), done.stderr
    assert counted() == 1
    library = paths(folder, ".so")[0]
    library.write_bytes(b"\x7fELF" + bytes(1000))
    done = subprocess.run([sys.executable, "-c", RUN], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == str(EXPECTED), done.stderr
    assert counted() == 2


def test_a_library_that_is_none_is_an_error(tmp_path):
    path = tmp_path / "x.so"
    path.write_bytes(b"no library")
    with pytest.raises(gp.Error, match=r"cannot load .*x\.so"):
        gp._core.load_program(str(path), "x")
    with pytest.raises(gp.Error, match="cannot load"):
        gp._core.load_program(str(tmp_path / "missing.so"), "x")
    with pytest.raises(gp.InputError, match="needs a folder"):
        gp._core.load_program("libm.so.6", "x")


def test_one_process_loads_any_number_of_libraries(folder):
    graph = gp.Graph(([0, 2], [1, 1]), num_vertices=3)
    add_up = gp.Algorithm("add_up", gather="a + b", scatter="src + 1", until=("steps", 2))
    assert add_up(graph, device="emulator").values.tolist() == EXPECTED
    library = next(folder.glob("*.so"))
    for i in range(200):  # each takes room of its own, as other algorithms' would
        shutil.copy(library, folder.parent / f"{i}.so")
    load = "import ctypes, sys\nfor path in sys.argv[1:]: ctypes.CDLL(path)"
    subprocess.run([sys.executable, "-c", load, *folder.parent.glob("*.so")], check=True)
