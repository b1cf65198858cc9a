# SPDX-License-Identifier: Apache-2.0
"""Compiled snippets: kept once, whole and private, whoever else wants them at the same time."""

import errno
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
from gaspipe._compile import private, store

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
    monkeypatch.setattr(store, "_temporary", None)
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


def library(name, key, compile):
    """As store.stored, with the path that its open folder has."""
    path, is_new = store.stored(name, key, compile)
    assert path.startswith(f"/proc/{os.getpid()}/fd/") or not os.path.isdir("/proc/self/fd")
    return str(Path(path).parent.resolve() / Path(path).name), is_new


def paths(folder, suffix):
    return sorted(p for p in folder.iterdir() if p.suffix == suffix)


def test_a_library_is_compiled_once(folder):
    calls = []
    path, is_new = library("x", KEY, make(calls))
    assert is_new
    assert library("x", KEY, make(calls)) == (path, False)
    assert library("x", KEY[::-1], make(calls))[0] != path
    assert len(calls) == 2
    assert not any(os.path.exists(work) for work in calls)


def test_what_is_kept_is_private(folder):
    path, _ = library("x", KEY, make([]))
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
    path, _ = library("x", KEY, make(calls))
    damage(Path(path))
    assert library("x", KEY, make(calls)) == (path, True)
    assert Path(path).read_bytes() == b"library"
    assert not Path(path).is_symlink()
    assert library("x", KEY, make(calls)) == (path, False)
    assert len(calls) == 2


@pytest.mark.parametrize("text", ["", "{", "[]", '{"key": 1}', '{"sha256": null, "key": "' + KEY + '"}'])
def test_a_damaged_note_is_no_note(folder, text):
    path, _ = library("x", KEY, make([]))
    Path(path).with_suffix(".json").write_text(text)
    assert library("x", KEY, make([])) == (path, True)


def test_a_library_of_another_key_is_not_taken(folder):
    path, _ = library("x", KEY, make([]))
    other = KEY[:32] + KEY[:31:-1]  # the same file name
    assert library("x", other, make([], b"other")) == (path, True)


def test_a_failed_compile_leaves_nothing(folder):
    def fail(work, path):
        Path(path).write_bytes(b"half")
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        library("x", KEY, fail)
    assert [p.suffix for p in folder.iterdir()] == [".lock"]


def test_clear_and_info(folder):
    assert cache.info() == cache.Info(str(folder), 0, 0, ())
    assert cache.clear() == 0
    library("x", KEY, make([]))
    library("y", KEY, make([]))
    (folder / ".build-dead").mkdir()
    found = cache.info()
    assert (found.num_libraries, found.algorithms) == (2, ("x", "y"))
    assert found.num_bytes > 14
    assert cache.clear() == 2
    assert list(folder.iterdir()) == []


def test_clear_leaves_what_is_being_compiled(folder):
    library("x", KEY, make([]))

    def compile(work, path):
        before = set(os.listdir(folder))
        assert cache.clear() == 1  # x
        assert set(os.listdir(folder)) == {name for name in before if "y-" in name}
        return make([])(work, path)

    path, _ = library("y", KEY, compile)
    assert Path(path).read_bytes() == b"library"
    assert cache.info().algorithms == ("y",)


def test_a_lock_that_is_deleted_meanwhile_is_taken_anew(folder, monkeypatch):
    """Else two processes would hold what they both take for the lock of one library."""
    import fcntl

    lock, deleted = folder / f"x-{KEY[:32]}.lock", []
    flock = fcntl.flock

    def delete_once(descriptor, how):
        flock(descriptor, how)
        if not deleted:
            deleted.append(lock.unlink())

    monkeypatch.setattr(fcntl, "flock", delete_once)
    calls = []

    def compile(work, path):
        with pytest.raises(BlockingIOError), open(lock) as file:
            flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return make(calls)(work, path)

    assert library("x", KEY, compile)[1]
    assert (len(calls), len(deleted)) == (1, 1)


def test_abandoned_builds_are_swept_away(folder):
    library("x", KEY, make([]))
    old, young = folder / ".build-old", folder / ".build-young"
    old.mkdir()
    young.mkdir()
    os.utime(old, (1, 1))
    library("y", KEY, make([]))
    assert not old.exists()
    assert young.exists()


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_may_write_is_not_trusted(folder, mode):
    folder.mkdir(parents=True)
    folder.chmod(mode)
    with pytest.warns(RuntimeWarning, match="others may write"):
        path, _ = library("x", KEY, make([]))
    assert Path(path).parent != folder
    assert stat.S_IMODE(Path(path).parent.stat().st_mode) == 0o700
    assert list(folder.iterdir()) == []
    shutil.rmtree(Path(path).parent)


def test_a_folder_that_others_may_read_is_closed(folder):
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    library("x", KEY, make([]))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of others")
def test_a_folder_of_another_user_is_not_trusted(folder):
    folder.mkdir(parents=True)
    os.chown(folder, 12345, 12345)
    with pytest.warns(RuntimeWarning, match="belongs to another user"):
        path, _ = library("x", KEY, make([]))
    assert Path(path).parent != folder
    shutil.rmtree(Path(path).parent)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of others")
def test_a_library_of_another_user_is_compiled_again(folder):
    path, _ = library("x", KEY, make([]))
    os.chown(path, 12345, 12345)
    assert library("x", KEY, make([])) == (path, True)
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


# Who may replace what lies above the folder


def private_problem(folder):
    """What is said of a cache that is not used, from the warning."""
    with pytest.warns(RuntimeWarning, match="kept for this process only") as caught:
        path, _ = library("x", KEY, make([]))
    assert Path(path).parent != folder
    shutil.rmtree(Path(path).parent)
    store._temporary = None
    return str(caught[0].message)


def test_a_folder_whose_parent_others_may_write_is_not_trusted(folder, monkeypatch):
    monkeypatch.setattr(private, "_is_own_group", lambda group: False)  # root's is
    library("x", KEY, make([]))
    folder.parents[1].chmod(0o777)
    assert f"others may write {folder.parents[1]} (mode 777) and replace" in private_problem(folder)
    folder.parents[1].chmod(0o770)
    assert "(mode 770)" in private_problem(folder)
    folder.parents[1].chmod(0o1777)  # as /tmp: what is ours stays ours
    calls = []
    assert library("x", KEY, make(calls)) == (str(folder / f"x-{KEY[:32]}.so"), False)
    assert not calls


def test_a_group_of_this_user_alone_may_write(folder, monkeypatch):
    library("x", KEY, make([]))
    folder.parents[1].chmod(0o770)
    monkeypatch.setattr(private, "_is_own_group", lambda group: group == folder.parents[1].stat().st_gid)
    assert library("x", KEY, make([])) == (str(folder / f"x-{KEY[:32]}.so"), False)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of others")
def test_a_parent_or_link_of_another_user_is_not_trusted(folder, tmp_path_factory):
    library("x", KEY, make([]))
    os.chown(folder.parent, 12345, 12345)
    assert f"{folder.parent} belongs to another user" in private_problem(folder)
    os.chown(folder.parent, 0, 0)
    # As in /tmp, where anybody may make the link before the folder is there. Its target is all this user's.
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "gaspipe"
    folder.parent.rename(elsewhere)
    folder.parents[1].chmod(0o1777)
    folder.parent.symlink_to(elsewhere)
    os.chown(folder.parent, 12345, 12345, follow_symlinks=False)
    assert f"{folder.parent} is a link of another user" in private_problem(folder)
    assert cache.info().num_libraries == 0
    assert cache.clear() == 0  # nor is anything deleted there
    assert paths(elsewhere / "snippets-1", ".so")
    os.chown(folder.parent, 0, 0, follow_symlinks=False)
    assert library("x", KEY, make([]))[1] is False


def test_links_of_this_user_are_followed(folder, tmp_path_factory):
    library("x", KEY, make([]))
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "gaspipe"
    folder.parent.rename(elsewhere)
    folder.parent.symlink_to(os.path.relpath(elsewhere, folder.parents[1]))
    assert library("x", KEY, make([])) == (str(elsewhere / "snippets-1" / f"x-{KEY[:32]}.so"), False)
    folder.parent.unlink()
    folder.parent.symlink_to("gaspipe")
    assert "Too many levels of symbolic links" in private_problem(folder)
    folder.parent.unlink()
    folder.parent.write_text("")
    assert f"{folder.parent} is no folder" in private_problem(folder)


def test_what_was_checked_is_what_is_loaded_whoever_swaps_a_parent(folder):
    """The folder above is replaced after the check: the path still leads to what was checked."""
    path, _ = store.stored("x", KEY, make([]))
    folder.parent.rename(folder.parent.with_name("moved"))
    folder.mkdir(parents=True)
    (folder / Path(path).name).write_bytes(b"evil")
    assert Path(path).read_bytes() == b"library"


def test_a_library_is_loaded_through_the_folder_that_was_checked(folder, monkeypatch):
    graph = gp.Graph(([0, 2], [1, 1]), num_vertices=3)
    load, loaded = gp._core.load_program, []

    def swap_then_load(path, name):
        loaded.append(path)
        folder.parent.rename(folder.parent.with_name(f"moved{len(loaded)}"))
        folder.mkdir(parents=True, mode=0o700)
        (folder / Path(path).name).write_bytes(b"evil")
        return load(path, name)

    monkeypatch.setattr(gp._core, "load_program", swap_then_load)
    add_up = gp.Algorithm("add_up", gather="a + b", scatter="src + 1", until=("steps", 2))
    assert add_up(graph).values.tolist() == EXPECTED
    assert loaded


def test_a_process_that_closes_all_files_finds_its_libraries_again(folder):
    run = RUN.replace("print(", "import os\nfor _ in range(2):\n  print(") + "  os.closerange(3, 100)\n"
    done = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, check=False)
    assert done.stdout.split("\n")[:2] == [str(EXPECTED)] * 2, done.stderr


# Paths, names and disks


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux")
def test_a_cache_path_that_is_no_utf8_serves(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff"
    env = {**os.environb, b"XDG_CACHE_HOME": path}
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", RUN], env=env, capture_output=True, text=True, check=False)
        assert done.stdout.strip() == str(EXPECTED), done.stderr
    done = subprocess.run([sys.executable, "-m", "gaspipe", "cache"], env=env, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert rb"\udcff/gaspipe/snippets-1: 1 compiled snippets" in done.stdout


def test_a_home_that_is_none_gives_a_temporary_folder(folder, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert "there is no home folder" in private_problem(folder)


def test_a_name_of_many_letters_is_cut_in_the_cache(folder):
    path, _ = library("x" * 300, KEY, make([]))
    assert Path(path).name == f"{'x' * 64}-{KEY[:32]}.so"
    assert library("x" * 300, KEY, make([]))[1] is False
    with pytest.raises(gp.InputError, match="makes a file name of 302 bytes; at most 255"):
        gp.Algorithm("x" * 300, gather="a + b", scatter="src + 1")(gp.generate.chain(3))


def test_a_lone_surrogate_in_a_snippet_is_an_input_error(folder):
    with pytest.raises(gp.InputError, match=r"lone surrogate '\\ud800'"):
        gp.Algorithm("x", gather="a + b /* \ud800 */", scatter="src + 1")(gp.generate.chain(3))


def test_a_full_disk_is_told_as_one(folder, monkeypatch):
    def fill(work, path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    with pytest.raises(gp.Error, match=r"cannot be kept in .*: No space left on device; make room") as caught:
        store.stored("x", KEY, fill)
    assert str(folder) in str(caught.value)
    # A compiler that finds none; real ones say the same.
    compiler = folder.parents[1] / "compiler"
    compiler.write_text("#!/bin/sh\necho 'ld: final link failed: No space left on device' >&2\nexit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    with pytest.raises(gp.CompileError, match="there is no room to compile x: ld: final link failed: No space left"):
        gp.Algorithm("x", gather="a + b", scatter="src + 1")(gp.generate.chain(3))


FULL = """
import resource
import gaspipe as gp
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
try:
    gp.Algorithm("x", gather="a + b", scatter="src + 1")(gp.generate.chain(3))
except gp.Error as error:
    print(error)
"""


def test_a_compiler_that_may_write_no_more_is_no_fault_of_the_snippet(folder):
    done = subprocess.run([sys.executable, "-c", FULL], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("there is no room to compile x: "), done.stderr
