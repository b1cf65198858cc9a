# SPDX-License-Identifier: Apache-2.0
"""Kernels that a build leaves out are compiled when first used."""

import ctypes
import logging

import pytest

import gaspipe as gp
from gaspipe._compile import missing

PART = 'extern "C" __attribute__((visibility("default"))) const int gaspipe_missing = {};\n'


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_parts_are_compiled_once_and_told_in_one_line(caplog):
    parts = [("one", PART.format(1)), ("two", PART.format(2))]
    with caplog.at_level(logging.INFO, "gaspipe"):
        paths = missing.libraries("a test", parts)
        assert missing.libraries("a test", parts) == paths
    assert [ctypes.c_int.in_dll(ctypes.CDLL(path), "gaspipe_missing").value for path in paths] == [1, 2]
    lines = [record.message for record in caplog.records]
    assert lines == ["compiling the kernels of a test, which takes some seconds the first time ..."]


def test_a_fault_is_an_error_with_what_the_compiler_says():
    with pytest.raises(gp.CompileError, match=r"two does not compile:\n.*error") as error:
        missing.libraries("a test", [("one", PART.format(1)), ("two", "int two = nothing;\n")])
    assert "nothing" in error.value.log


def test_without_a_compiler_the_error_names_both_ways_out(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(gp.CompileError) as error:
        missing.libraries("bfs", [("one", PART.format(1))])
    text = str(error.value)
    assert text.startswith("the kernels of bfs are compiled when first used, which needs a C++17 compiler")
    assert "apt install g++" in text
    assert "GASPIPE_KERNELS=built" in text
