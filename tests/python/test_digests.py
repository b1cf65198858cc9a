# SPDX-License-Identifier: Apache-2.0
"""A kernel's digest moves with the headers that its top includes, and with no file of the published pipeline."""

import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

from conftest import REPOSITORY
from gaspipe._card import kernels
from test_kernels import COMPILER, STUB, design, instances

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
    assert kernels.meaning(changed) != kernels.meaning(text)
    path.write_text(changed)
    try:
        yield
    finally:
        path.write_text(text)


def headers_of(folder, algorithm, number, tmp_path):
    """Return the headers of hls/ that a compiler reads for the tops of a design."""
    made, found = design(algorithm, number), set()
    for kernel in kernels.kernels_of(str(folder), made):
        top = tmp_path / f"{kernel}.cpp"
        top.write_text(kernels.render_kernel(str(folder), kernel, made, "kernel"))
        command = [*COMPILER, "-std=c++14", "-DGASPIPE_VITIS", "-I", STUB, "-I", folder, "-MM", top]
        listed = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout
        found |= {Path(word) for word in listed.replace("\\\n", " ").split() if word.startswith(str(folder / "hls"))}
    return found


def test_the_published_pipeline_is_in_no_digest(copy):
    assert {"kernel.h", "read.h", "gather.h", "memory.h"} <= set(PUBLISHED)
    made = [design(*instance) for instance in instances()]
    before = [kernels.digest(str(copy), one) for one in made]
    for name in PUBLISHED:
        with edited(copy / "hls" / "thundergp" / name):
            assert [kernels.digest(str(copy), one) for one in made] == before, name


@pytest.mark.parametrize(("algorithm", "number"), [("bfs", "uint32"), ("pagerank", "fixed")])
def test_every_header_that_a_kernel_includes_is_in_its_digest(algorithm, number, copy, tmp_path):
    made = design(algorithm, number)
    before = kernels.digest(str(copy), made)
    found = headers_of(copy, algorithm, number, tmp_path)
    assert {copy / "hls" / "kernel" / "apply.h", copy / "hls" / "types.h"} <= found
    for path in found:
        with edited(path):
            assert kernels.digest(str(copy), made) != before, path
    assert kernels.digest(str(copy), made) == before
