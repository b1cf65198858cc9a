# SPDX-License-Identifier: Apache-2.0
"""A digest moves with the headers that its top includes and no others; kernels are named by it and by what they are."""

import re
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

from conftest import REPOSITORY
from gaspipe._card import build as _build
from gaspipe._card import kernels as _kernels
from test_kernels import COMPILER, INCLUDE, STUB, design, instances

PUBLISHED = sorted(path.name for path in (REPOSITORY / "hls" / "thundergp").glob("*.h"))


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """Return a folder with a copy of hls/."""
    folder = tmp_path_factory.mktemp("include")
    shutil.copytree(REPOSITORY / "hls", folder / "hls")
    return folder


@contextmanager
def edited(path):
    """Add a declaration to a header."""
    text = path.read_text()
    changed = text + "struct Added {};\n"
    assert _kernels.meaning(changed) != _kernels.meaning(text)
    path.write_text(changed)
    try:
        yield
    finally:
        path.write_text(text)


def headers_of(folder, algorithm, number, tmp_path):
    """Return the headers of hls/ that a compiler reads for the tops of a design."""
    made, found = design(algorithm, number), set()
    for kernel in _kernels.kernels_of(str(folder), made):
        top = tmp_path / f"{kernel}.cpp"
        top.write_text(_kernels.render_kernel(str(folder), kernel, made, "kernel"))
        command = [*COMPILER, "-std=c++14", "-DGASPIPE_VITIS", "-I", STUB, "-I", folder, "-MM", top]
        listed = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout
        found |= {Path(word) for word in listed.replace("\\\n", " ").split() if word.startswith(str(folder / "hls"))}
    return found


def test_the_published_pipeline_is_in_no_digest(copy):
    assert {"kernel.h", "read.h", "gather.h", "memory.h"} <= set(PUBLISHED)
    made = [design(*instance) for instance in instances()]
    before = [_kernels.digest(str(copy), one) for one in made]
    for name in PUBLISHED:
        with edited(copy / "hls" / "thundergp" / name):
            assert [_kernels.digest(str(copy), one) for one in made] == before, name


@pytest.mark.parametrize(("algorithm", "number"), [("bfs", "uint32"), ("pagerank", "fixed")])
def test_every_header_that_a_kernel_includes_is_in_its_digest(algorithm, number, copy, tmp_path):
    made = design(algorithm, number)
    before = _kernels.digest(str(copy), made)
    found = headers_of(copy, algorithm, number, tmp_path)
    assert {copy / "hls" / "kernel" / "apply.h", copy / "hls" / "types.h"} <= found
    for path in found:
        with edited(path):
            assert _kernels.digest(str(copy), made) != before, path
    assert _kernels.digest(str(copy), made) == before


def test_digests_change_with_the_hardware_and_with_nothing_else(tmp_path):
    copy = tmp_path / "include"
    shutil.copytree(INCLUDE + "/hls", copy / "hls")
    made = design("bfs", "uint32")
    digest = _kernels.digest(str(copy), made)
    assert digest == _kernels.digest(INCLUDE, made)
    others = [
        design("bfs", "uint32", **change) for change in ({"units": 5}, {"lanes": 16}, {"pes": 4}, {"capacity": 32})
    ]
    assert len({digest, *(_kernels.digest(INCLUDE, other) for other in others)}) == 5

    def edited(name, old, new):
        path = copy / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        found = _kernels.digest(str(copy), made)
        path.write_text(text)
        return found

    header = "hls/algorithm/bfs.h"
    assert edited(header, "// Breadth-first search", "// A search, breadth first /* ") == digest
    assert edited(header, "Level of every vertex", "Depth of every vertex") == digest
    assert edited(header, "\n", "\n\n") == digest
    assert edited("hls/algorithm/wcc.h", "Hooks", "Other") == digest
    assert edited(header, "level + 1", "level + 2") != digest
    assert edited("hls/module/latency.h", "kRawWindow = 4", "kRawWindow = 5") != digest
    assert edited("hls/kernel/gather_scatter.h", "kMemoryDepth = 128", "kMemoryDepth = 64") != digest
    assert edited("hls/kernel/apply.h", "cuDuplicate(first, last, units", "cuDuplicate(first, last, 1") != digest
    tables = "hls/kernel/apply.ports.h", "hls/kernel/gather_scatter.ports.h"
    assert edited(tables[0], 'Bank::kVertices, "aux"', 'Bank::kSources, "aux"') == digest  # bfs has none
    assert edited(tables[1], '"destinations"}', '"sources"}') != digest


def test_names_of_kernels_fit_an_xclbin_and_tell_what_they_are():
    made = [
        _kernels.Design("any", "uint32", 0, False, units, lanes, pes, capacity, config=config)
        for config in _kernels.pipelines(INCLUDE)
        for units in (1, 16)
        for lanes in (8, 16)
        for pes in (4, 8, 16)
        for capacity in (16, 4096, 1 << 20, (1 << 31) - 16, 1 << 31)
    ]
    digest = "0123456789abcdef" * 4
    for one, kernel in [(each, kernel) for each in made for kernel in _kernels.kernels_of(INCLUDE, each)]:
        name = _kernels.kernel_name(INCLUDE, kernel, one, digest)
        assert re.fullmatch("[a-z][a-z0-9_]*", name)
        cus = _kernels.instances(INCLUDE, kernel, one)
        assert len(cus) == len(set(cus)) == len(_kernels.units_of(INCLUDE, kernel, one))
        assert all(len(f"{name}:{cu}") <= 63 for cu in cus)
        told = _kernels.parse_kernel_name(INCLUDE, name)
        sizes = (one.lanes, one.pes, one.capacity) if _kernels.is_per_unit(INCLUDE, kernel) else (0, 0, 0)
        assert told == (kernel, digest[:16], *sizes)
    for kernel in _kernels.kernels_alone(INCLUDE).values():
        for units in kernel.units:
            one = _kernels.Design("any", "uint32", 0, False, units, capacity=kernel.most_capacity, config=kernel.name)
            name = _kernels.kernel_name(INCLUDE, kernel.name, one, digest)
            (unit,) = _kernels.instances(INCLUDE, kernel.name, one)
            assert len(f"{name}:{unit}") <= 63
            sizes = (0, units, kernel.most_capacity) if kernel.most_capacity else (0, 0, 0)
            assert _kernels.parse_kernel_name(INCLUDE, name) == (kernel.name, digest[:16], *sizes)
    assert _kernels.kernel_name(INCLUDE, "gather_scatter", made[2], digest) == "gs_8_4_10000_0123456789abcdef"
    plan = _build.plan(INCLUDE, "bfs", "u250", units=4)
    assert all(name.endswith(f"_{plan.digest[:16]}") for name in plan.names.values())


@pytest.mark.parametrize(
    "name",
    [
        "",
        "vadd",
        "gs_0123456789abcdef",
        "apply_0123456789abcde",
        "apply_0123456789abcdef0",
        "apply_0123456789abcdeF",
        "apply_0123456789abcdef\n",
        "gs_8_8_0_0123456789abcdef",
        "gs_8_8_010_0123456789abcdef",
        "gs_4_8_10_0123456789abcdef",
        "gs_8_5_10_0123456789abcdef",
        "gs_8_8_123456789_0123456789abcdef",
        "apply_8_8_10_0123456789abcdef",
        "unknown_8_8_10_0123456789abcdef",
        "gs_8_2_10_0123456789abcdef",
        "pull_0123456789abcdef",
        "pull_16_10_0123456789abcdef",
        "pull_8_8_10_0123456789abcdef",
        "go_bfs_8_10_0123456789abcdef",
    ],
)
def test_other_names_tell_nothing(name):
    assert _kernels.parse_kernel_name(INCLUDE, name) is None
