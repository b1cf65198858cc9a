# SPDX-License-Identifier: Apache-2.0
"""Every header compiles alone: what it needs, it includes.

A header that comes first in a source of the build has shown that there, and is not compiled again.
"""

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conftest import REPOSITORY

# Debian's XRT has its headers one folder deeper than others.
PLACES = [Path(os.environ.get("XILINX_XRT", "/opt/xilinx/xrt"), "include"), Path("/usr/include/xrt")]
XRT = [str(place) for place in PLACES if (place / "xrt" / "xrt_device.h").exists()]
HOST = ["-std=c++17", "-I", str(REPOSITORY / "cpp" / "include"), *(f"-isystem{place}" for place in XRT)]
VITIS = ["-std=c++14", "-DGASPIPE_VITIS", "-I", str(REPOSITORY / "tests" / "hls" / "vitis_stub")]


def headers(*folders):
    return sorted(path.relative_to(REPOSITORY) for folder in folders for path in (REPOSITORY / folder).rglob("*.h"))


def is_of_the_host(header):
    return "emulator" in header.parts or header.name == "platform.h"


def proven():
    """What sources of the engine include before anything else."""
    firsts = set()
    for source in (REPOSITORY / "cpp").rglob("*.cpp"):
        first = re.search(r'^#include (?:"([^"]+)"|<)', source.read_text(), re.MULTILINE)
        if first and first[1]:
            firsts |= {Path(first[1]), Path("cpp", "include", first[1])}
    return firsts


def errors(header, flags):
    """What the compiler says of a source that includes this header only."""
    command = ["g++", "-x", "c++", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", *flags]
    source = f'#include "{REPOSITORY / header}"\n'
    run = subprocess.run(
        [*command, "-I", str(REPOSITORY), "-"], input=source, capture_output=True, text=True, check=False
    )
    return f"{header}: {run.stderr}" if run.returncode else ""


def compile_alone(found, flags):
    with ThreadPoolExecutor(max(2, os.cpu_count() or 1)) as pool:
        return [text for text in pool.map(lambda header: errors(header, flags), found) if text]


@pytest.mark.needs("g++")
def test_headers_of_the_hardware_compile_alone_as_vitis_reads_them():
    # On a host they differ by what platform.h includes, which is tested below.
    found = [header for header in headers("hls") if "emulator" not in header.parts]
    assert len(found) > 40
    assert compile_alone(found, VITIS) == []


@pytest.mark.needs("g++")
def test_headers_of_the_host_compile_alone():
    found = [
        *filter(is_of_the_host, headers("hls")),
        *headers("cpp/include", "cpp/src", "cpp/algorithm", "cpp/examples"),
    ]
    if not XRT:
        found = [header for header in found if "xrt" not in header.parts]
    assert len(found) > 200
    found = sorted(set(found) - proven())
    assert len(found) > 50
    assert compile_alone(found, HOST) == []


@pytest.mark.needs("g++")
def test_a_header_that_lacks_an_include_is_found(tmp_path):
    (tmp_path / "lacks.h").write_text("#pragma once\ninline std::uint32_t f() { return 1; }\n")
    assert "uint32_t" in errors(tmp_path / "lacks.h", HOST)
