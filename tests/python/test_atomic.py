# SPDX-License-Identifier: Apache-2.0
"""Files that appear whole or not at all (_files/atomic.py)."""

import os
import resource
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from gaspipe._card.folder import write_folder
from gaspipe._files import atomic_write


class Stopped(Exception):
    pass


@pytest.fixture
def umask():
    old = os.umask(0o027)
    yield 0o027
    os.umask(old)


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.mark.parametrize("kind", [str, os.fsencode, Path])
def test_the_file_is_there_when_the_block_has_ended(tmp_path, kind):
    path = tmp_path / "new"
    with atomic_write(kind(path)) as file:
        file.write(b"whole")
        file.flush()
        assert not path.exists()
    assert path.read_bytes() == b"whole"
    assert os.listdir(tmp_path) == ["new"]


@pytest.mark.parametrize("error", [Stopped, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("old", [None, b"old"])
def test_after_an_exception_nothing_has_changed(tmp_path, error, old):
    path = tmp_path / "file"
    if old is not None:
        path.write_bytes(old)
    with pytest.raises(error), atomic_write(path) as file:
        file.write(b"half" * 10_000)
        raise error
    assert os.listdir(tmp_path) == ([] if old is None else ["file"])
    assert old is None or path.read_bytes() == old


def test_a_new_file_has_the_permissions_that_open_gives(tmp_path, umask):
    with atomic_write(tmp_path / "new"):
        pass
    with open(tmp_path / "opened", "wb"):
        pass
    assert mode(tmp_path / "new") == mode(tmp_path / "opened") == 0o666 & ~umask


@pytest.mark.parametrize("bits", [0o600, 0o644, 0o666, 0o755])
def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path, umask, bits):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(bits)
    with atomic_write(path) as file:
        file.write(b"new")
    assert (path.read_bytes(), mode(path)) == (b"new", bits)


def test_a_link_stays_and_its_file_is_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    target, link, outer = tmp_path / "there" / "file", tmp_path / "link", tmp_path / "outer"
    link.symlink_to("there/file")
    outer.symlink_to(link)
    for content in (b"first", b"second"):  # the link leads nowhere, then to a file
        with atomic_write(outer) as file:
            file.write(content)
        assert outer.is_symlink()
        assert link.is_symlink()
        assert not target.is_symlink()
        assert target.read_bytes() == content
    assert sorted(os.listdir(tmp_path)) == ["link", "outer", "there"]
    assert os.listdir(tmp_path / "there") == ["file"]


def test_long_names_are_no_problem(tmp_path):
    path = tmp_path / ("x" * 255)
    with atomic_write(path) as file:
        file.write(b"long")
    assert path.read_bytes() == b"long"


def test_a_pipe_is_written_to_as_it_is(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read = []
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()), daemon=True)
    reader.start()
    with atomic_write(path) as file:
        file.write(b"through")
    reader.join(30)
    assert read == [b"through"]
    assert path.is_fifo()


WRITE_TO_STDOUT = """
import sys
from gaspipe._files import atomic_write
print("before")
with atomic_write(sys.argv[1]) as file:
    file.write(b"text\\n")
print("after", flush=True)
"""


def test_standard_output_may_be_a_pipe_or_a_file(tmp_path):
    (tmp_path / "link").symlink_to("/dev/stdout")
    for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", tmp_path / "link"):
        command = [sys.executable, "-c", WRITE_TO_STDOUT, name]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=60)
        assert done.stdout == b"before\ntext\nafter\n"
        (tmp_path / "out").write_bytes(b"mine\n")
        with open(tmp_path / "out", "ab") as out:
            subprocess.run(command, stdout=out, check=True, timeout=60)
        assert (tmp_path / "out").read_bytes() == b"mine\nbefore\ntext\nafter\n"
        with open(tmp_path / "out", "wb") as out:  # as `> out`: the next write goes where the last one ended
            subprocess.run(command, stdout=out, check=True, timeout=60)
        assert (tmp_path / "out").read_bytes() == b"before\ntext\nafter\n"
        assert sorted(os.listdir(tmp_path)) == ["link", "out"]


def test_a_full_device_is_an_error(tmp_path):
    with pytest.raises(OSError, match="No space"), atomic_write("/dev/full") as file:
        file.write(b"x")


@pytest.mark.parametrize("name", ["", "nowhere/file", "folder", "folder/", "file/below"])
def test_errors_are_those_of_open(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    path = os.path.join(tmp_path, name) if name else ""
    with pytest.raises(OSError) as expected, open(path, "wb"):
        pass
    with pytest.raises(type(expected.value)) as raised, atomic_write(path):
        pass
    assert raised.value.errno == expected.value.errno
    assert raised.value.filename == expected.value.filename
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


@pytest.fixture
def shared_folder():
    """A folder of ours that another user may enter; root may write anywhere, so root becomes one."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        was_root = os.geteuid() == 0
        if was_root:
            os.seteuid(65534)
        else:
            os.chmod(folder, 0o555)
        try:
            yield Path(folder)
        finally:
            if was_root:
                os.seteuid(0)
            else:
                os.chmod(folder, 0o755)


def test_a_folder_that_takes_no_file_is_a_permission_error(shared_folder):
    path = shared_folder / "file"
    with pytest.raises(PermissionError) as raised, atomic_write(path):
        pass
    assert raised.value.filename == str(path)
    assert not os.listdir(shared_folder)


def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(b"old")
        path.chmod(0o444)
        was_root = os.geteuid() == 0
        if was_root:
            os.chown(folder, 65534, -1)
            os.seteuid(65534)
        try:
            with pytest.raises(PermissionError), atomic_write(path) as file:
                file.write(b"new")
        finally:
            if was_root:
                os.seteuid(0)
        assert path.read_bytes() == b"old"
        assert os.listdir(folder) == ["file"]


LIMITED = """
import resource, signal, sys
from gaspipe._files import atomic_write
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    with atomic_write(sys.argv[1]) as file:
        for _ in range(1000):
            file.write(b"x" * 1000)
except OSError as error:
    print(error.strerror)
"""


@pytest.mark.parametrize("old", [None, b"old"])
def test_no_space_leaves_what_was_there(tmp_path, old):
    path = tmp_path / "file"
    if old is not None:
        path.write_bytes(old)
    command = [sys.executable, "-c", LIMITED, path]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=60, text=True)
    assert done.stdout == "File too large\n"
    assert os.listdir(tmp_path) == ([] if old is None else ["file"])
    assert old is None or path.read_bytes() == old


def test_a_build_folder_that_does_not_fit_is_told_with_the_files_name(tmp_path):
    most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, most[1]))
    try:
        with pytest.raises(OSError) as told:
            write_folder(str(tmp_path / "made"), {"a.cpp": "a" * 50, "b.cpp": "b" * 5000})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, most)
    assert told.value.filename == str(tmp_path / "made" / "b.cpp")
    assert list(tmp_path.iterdir()) == []
