# SPDX-License-Identifier: Apache-2.0
"""Every header compiles alone: what it needs, it includes.

A header that comes first in a source of the build has shown that there, and is not compiled again.

Nearly all that a header of the host takes is for what it includes. So one that several others include is compiled once
for them, into a file that clang keeps of it (PCH): a header starts from the largest of these that has nothing but what
it includes itself. A header that has compiled alone, with all that it includes as it is now, leaves a file that says
so, and is not compiled again.
"""

import functools
import hashlib
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
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"]
HOST = ["-std=c++17", "-I", str(REPOSITORY / "cpp" / "include"), *(f"-isystem{place}" for place in XRT)]
VITIS = ["-std=c++14", "-DGASPIPE_VITIS", "-I", str(REPOSITORY / "tests" / "hls" / "vitis_stub")]
SEVERAL = 4  # headers that include one, for it to be kept


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


def direct(header):
    """Headers of the tree that one includes under no condition."""
    depth = 0
    for line in (REPOSITORY / header).read_text(encoding="utf-8").splitlines():
        depth += bool(re.match(r"\s*#\s*if", line)) - bool(re.match(r"\s*#\s*endif", line))
        name = re.match(r'#include "([^"]+)"', line)
        if name and depth == 0:
            places = [folder / name[1] for folder in (header.parent, Path(), Path("cpp", "include"))]
            yield next(place for place in places if (REPOSITORY / place).is_file())


@functools.cache
def included(header):
    """The header and all that it includes, directly or through others."""
    found, new = set(), [header]
    while new:
        found.add(new[-1])
        new += set(direct(new.pop())) - found
    return frozenset(found)


def largest(header, kept):
    """Which of the headers that are kept has most of what this one includes, and nothing else."""
    fitting = [other for other in kept if included(other) < included(header)]
    return max(fitting, key=lambda other: len(included(other)), default=None)


def errors(header, flags, compiler="g++", start=None, out=None):
    """What the compiler says of a source that includes this header only; a PCH to start from, and one to write."""
    command = [compiler, "-x", "c++" if out is None else "c++-header", *WARNINGS, *flags, "-I", str(REPOSITORY), "-"]
    command += ["-fsyntax-only"] if out is None else ["-o", str(out)]
    command += [] if start is None else ["-include-pch", str(start)]
    source = f'#include "{REPOSITORY / header}"\n'
    run = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    return f"{header}: {run.stderr}" if run.returncode else ""


def stamp(header):
    """A file that is there if the header, and all that it includes, was as it is now when it compiled alone."""
    content = hashlib.sha256("\0".join([compiler_version(), *HOST, *WARNINGS]).replace(str(REPOSITORY), "").encode())
    for each in sorted(included(header)):
        content.update(f"{each}\0".encode() + (REPOSITORY / each).read_bytes())
    kept = os.environ.get("GASPIPE_TESTS_COMPILED") or REPOSITORY / "build"
    return Path(kept, "snippets", "headers", content.hexdigest())


@functools.cache
def compiler_version():
    return subprocess.run(["clang++", "--version"], capture_output=True, text=True, check=True).stdout


def compile_alone(found, flags):
    with ThreadPoolExecutor(max(2, os.cpu_count() or 1)) as pool:
        return [text for text in pool.map(lambda header: errors(header, flags), found) if text]


def compile_from_others(found, kept, folder):
    """Likewise by clang++, where some headers are kept for others."""
    waiting = {}

    def path(header):
        return folder / ("-".join(header.relative_to(header.anchor).parts) + ".pch")

    def compile(header):
        base = largest(header, kept)
        if base is not None:
            waiting[base].result()
        # What starts from another and has no error has none alone. Else only a header that is compiled alone tells:
        # the other may be the one with an error, and clang 14 crashes where it adds to some files.
        out = path(header) if header in kept else None
        if base is not None and path(base).exists() and not errors(header, HOST, "clang++", path(base), out):
            return ""
        return errors(header, HOST, "clang++", None, out)

    with ThreadPoolExecutor(max(2, os.cpu_count() or 1)) as pool:
        for header in sorted({*found, *kept}, key=lambda header: len(included(header))):  # after what it starts from
            waiting[header] = pool.submit(compile, header)
        return [text for each in waiting.values() if (text := each.result())]


@pytest.mark.needs("g++")
def test_headers_of_the_hardware_compile_alone_as_vitis_reads_them():
    # On a host they differ by what platform.h includes, which is tested below.
    found = [header for header in headers("hls") if "emulator" not in header.parts]
    assert len(found) > 40
    assert compile_alone(found, VITIS) == []


@pytest.mark.needs("clang++")
def test_headers_of_the_host_compile_alone(tmp_path):
    found = [
        *filter(is_of_the_host, headers("hls")),
        *headers("cpp/include", "cpp/src", "cpp/algorithm", "cpp/examples"),
    ]
    if not XRT:
        found = [header for header in found if "xrt" not in header.parts]
    assert len(found) > 200
    found = sorted(set(found) - proven())
    assert len(found) > 50
    stamps = {header: stamp(header) for header in found}
    found = [header for header in found if not stamps[header].exists()]
    includes = [included(header) for header in found]
    several = [other for other in set().union(*includes) if sum(other in all for all in includes) > SEVERAL]
    assert compile_from_others(found, several, tmp_path) == []
    for header in found:
        stamps[header].parent.mkdir(parents=True, exist_ok=True)
        stamps[header].touch()


@pytest.mark.needs("g++")
def test_a_header_that_lacks_an_include_is_found(tmp_path):
    (tmp_path / "lacks.h").write_text("#pragma once\ninline std::uint32_t f() { return 1; }\n")
    assert "uint32_t" in errors(tmp_path / "lacks.h", HOST)


@pytest.mark.needs("clang++")
def test_a_header_that_lacks_what_others_include_is_found(tmp_path):
    """Whatever is kept: what it starts from, or what is kept for others, has none of it."""
    texts = {
        "small": "#include <cstddef>\ninline std::size_t one() { return 1; }\n",
        "large": f'#include <vector>\n#include "{tmp_path}/small.h"\nstd::vector<int> two();\n',
        "right": f'#include "{tmp_path}/large.h"\ninline auto three() {{ return two().size() + one(); }}\n',
        "lacks": f'#include "{tmp_path}/small.h"\ninline auto four() {{ return std::vector<int>(one()); }}\n',
        "broken": f'#include "{tmp_path}/small.h"\ninline int five() {{ return six; }}\n',
        "upon": f'#include "{tmp_path}/broken.h"\ninline int seven() {{ return 7; }}\n',
    }
    made = {name: tmp_path / f"{name}.h" for name in texts}
    for name, text in texts.items():
        made[name].write_text(f"#pragma once\n{text}")
    kept = [made["small"], made["large"], made["broken"]]
    found = compile_from_others(list(made.values()), kept, tmp_path)
    assert sorted(Path(text.partition(":")[0]).stem for text in found) == ["broken", "lacks", "upon"]
