# SPDX-License-Identifier: Apache-2.0
"""The wheel that CI installs, read from its files; tests/wheels/make.py makes those for other machines."""

import ctypes
import errno
import subprocess
import sys
import time
import zipfile

import numpy as np
import packaging.tags
import pytest

from tools import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tests" / "wheels"))
import check
import pythons


@pytest.mark.needs("wheel")
def test_wheel_of_this_run_needs_no_xrt_no_newer_processor_and_no_newer_glibc_than_can_be_linked():
    wheels = sorted((REPOSITORY / "build" / "wheel").glob("gaspipe-*.whl"))
    assert check.findings(wheels[-1]) == []


def test_check_finds_foreign_libraries_and_what_was_built_for_this_machine_alone(tmp_path):
    # NumPy's module as the core: it needs libraries that are in NumPy's wheel, and says nothing of processors.
    wheel = tmp_path / "gaspipe-0.1.0-cp311-cp311-manylinux_2_28_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(np._core._multiarray_umath.__file__, "gaspipe/_core.so")
        archive.write(np._core._multiarray_umath.__file__, "gaspipe.libs/libxrt_coreutil-1.so.2")
    found = "\n".join(check.findings(wheel))
    for part in (
        "gaspipe/_core.so needs libscipy_openblas64_",
        "gaspipe.libs/libxrt_coreutil-1.so.2; the one library of others may be libgomp",
        "gaspipe/_core.so says it needs no processor in particular, not x86-64-baseline",
    ):
        assert part in found
    assert "looks for libraries in" not in found  # but beside itself


def test_tag_of_an_interpreter_is_its_own(monkeypatch, tmp_path):
    own = next(packaging.tags.sys_tags())
    assert pythons.of_interpreter(sys.executable).tag == f"{own.interpreter}-{own.abi}"
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="there is no python3\\.7 in PATH, and Debian has 3\\.9, "):
        pythons.find("3.7", REPOSITORY / "build")
    broken = tmp_path / "python3.7"
    broken.write_text("#!/bin/sh\necho no such version >&2\nexit 127\n")
    broken.chmod(0o755)
    with pytest.raises(SystemExit, match=r"python3\.7 does not run \(no such version\); give an interpreter"):
        pythons.find("3.7", REPOSITORY / "build")


@pytest.mark.needs("g++")
def test_what_an_old_glibc_lacks_waits_and_draws_as_a_new_one(tmp_path):
    made = tmp_path / "old_glibc.so"
    source = REPOSITORY / "tests" / "wheels" / "old_glibc.c"
    subprocess.run(["g++", "-x", "c", "-O1", "-fPIC", "-shared", source, "-o", made], check=True)
    old = ctypes.CDLL(str(made))
    condition, mutex = ctypes.create_string_buffer(128), ctypes.create_string_buffer(128)  # zeros: as initialized
    seconds = time.clock_gettime(time.CLOCK_MONOTONIC) + 0.05
    until = (ctypes.c_long * 2)(int(seconds), int(seconds % 1 * 1e9))
    libc = ctypes.CDLL(None)
    assert libc.pthread_mutex_lock(mutex) == 0
    ended = old.pthread_cond_clockwait(condition, mutex, time.CLOCK_MONOTONIC, until)
    assert ended == errno.ETIMEDOUT
    assert seconds - 1e-3 < time.clock_gettime(time.CLOCK_MONOTONIC) < seconds + 20
    assert len({old.arc4random() for _ in range(8)}) == 8
