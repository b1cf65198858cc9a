# SPDX-License-Identifier: Apache-2.0
"""The package as installed: its files, its headers, an editable install, and an algorithm dropped into the tree."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import gaspipe as gp

ROOT = Path(__file__).resolve().parents[2]

# A whole algorithm in the least number of lines: how many edges enter each vertex.
IN_DEGREE = """
#pragma once
#include "hls/types.h"
namespace gaspipe {
namespace algorithm {
namespace in_degree {
constexpr Description kDescription = {"Number of edges into every vertex.", "", "degree", "edges", "none"};
using Numbers = NumberList<std::uint32_t>;
template <class Number>
struct Hooks {
  using Property = Number;
  static Property preprocessProperty(Property) { return 1; }
  static Property scatterFunc(Property p, Property) { return p; }
  static Property updateMergeInRAWSolver(Property a, Property b) { return a + b; }
  static Property gatherFunc(Property a, Property b) { return a + b; }
  static Property applyMerge(Property a, Property b) { return a + b; }
  static Property applyFunc(Property t, Property, Property, unsigned&, unsigned) { return t; }
};
struct Parameters {
  int offset = 7;
  template <class Visit>
  void each(Visit&& visit) {
    visit("offset", offset, Allowed::at_least(0), "Added to the count.");
  }
};
template <class Number>
struct Program {
  using Hooks = in_degree::Hooks<Number>;
  using Value = std::int32_t;
  const Context<Parameters>& context;
  Number initial(VertexId) const { return 0; }
  Until until(int, const std::uint64_t*) const { return Until::kDone; }
  Value finish(Number p, VertexId) const { return static_cast<Value>(p) + context.parameters.offset; }
};
}  // namespace in_degree
}  // namespace algorithm
}  // namespace gaspipe
"""


def run_python(python, code, **kwargs):
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=600, **kwargs)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_no_text_tells_to_install_gaspipe_from_an_index():
    """What an index calls gaspipe may be somebody else's: hints name the packages, or the clone."""
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for folder in ("python", "notebooks", "benchmarks", "docs", "README.md", "CONTRIBUTING.md", "CHANGELOG.md")
        for path in ([ROOT / folder] if folder.endswith(".md") else (ROOT / folder).rglob("*"))
        if path.suffix in (".py", ".md", ".ipynb", ".pyi", ".in", ".h")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"gaspipe\[[a-z]+\]|pip install [^.]*gaspipe", line)
    ]
    assert not found


def test_version_of_package_core_and_metadata_agree():
    assert gp.__version__ == importlib.metadata.version("gaspipe")


def test_get_include_finds_headers_a_compiler_can_use(tmp_path):
    source = tmp_path / "uses.cpp"
    source.write_text(
        '#include "gaspipe/engine/instance.h"\n#include "hls/algorithm/bfs.h"\n'
        "int main() { return gaspipe::algorithm::bfs::Hooks<std::uint32_t>::preprocessProperty(3) == 4 ? 0 : 1; }\n"
    )
    program = tmp_path / "uses"
    compiler = os.environ.get("CXX", "c++").split()
    subprocess.run([*compiler, "-std=c++17", "-I", gp.get_include(), source, "-o", program], check=True)
    assert subprocess.run([program]).returncode == 0


def test_algorithm_headers_compile_as_cxx14(tmp_path):
    # Vitis reads the hooks with a C++14 front end.
    headers = sorted((Path(gp.get_include()) / "hls" / "algorithm").glob("*.h"))
    assert [h.stem for h in headers] == list(gp.algorithms)
    source = tmp_path / "all.cpp"
    source.write_text("".join(f'#include "hls/algorithm/{h.name}"\n' for h in headers))
    compiler = os.environ.get("CXX", "c++").split()
    command = [*compiler, "-std=c++14", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", gp.get_include(), source]
    subprocess.run(command, check=True)


@pytest.mark.needs("wheel")
def test_wheel_holds_types_stubs_data_licence_and_headers():
    wheels = sorted((ROOT / "build" / "wheel").glob("gaspipe-*.whl"))
    names = zipfile.ZipFile(wheels[-1]).namelist()
    for wanted in [
        "gaspipe/py.typed",
        "gaspipe/_core.pyi",
        "gaspipe/_algorithms.py",
        "gaspipe/data/roads-ny.txt.xz",
        "gaspipe/include/hls/program.h",
        "gaspipe/include/hls/device/u250.h",
        "gaspipe/include/hls/kernel/apply.cpp.in",
        "gaspipe/include/gaspipe/abi.h",
        "gaspipe/include/gaspipe/card.h",
        "gaspipe/_fpga.pyi",
        "gaspipe/templates/struct.py.in",
        *(f"gaspipe/reference/{name}.py" for name in gp.algorithms),
    ]:
        assert wanted in names
    assert any(name.endswith("LICENSE") for name in names)
    if any(Path(prefix, "include/xrt").exists() for prefix in ("/usr", "/opt/xilinx/xrt")):
        assert any(name.startswith("gaspipe/_fpga.") and name.endswith(".so") for name in names)
    others = set(names) - {"gaspipe/testing.py"}  # for users' tests
    assert not any("test" in name or name.endswith((".a", ".o")) for name in others)


@pytest.mark.slow
def test_editable_install_picks_up_an_algorithm_dropped_into_the_folder(tmp_path):
    tree = tmp_path / "gaspipe"
    ignored = shutil.ignore_patterns(".git", "build", ".venv*", "__pycache__", ".*_cache", ".hypothesis", "*.npz")
    shutil.copytree(ROOT, tree, ignore=ignored)
    # One or two built-ins of each kind are enough, and quicker.
    for folder, kept in (("hls", ("bfs", "closeness")), ("cpp", ("triangles", "multi_source"))):
        for header in (tree / folder / "algorithm").glob("*.h"):
            if header.stem not in kept:
                header.unlink()
    (tree / "hls" / "algorithm" / "in_degree.h").write_text(IN_DEGREE)
    # A fresh environment that sees the build tools and NumPy of this one, as if it lay in the tree: to ccache what is
    # included from there then is what the wheel included.
    env = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", env], check=True)
    python = env / "bin" / "python"
    site = next((env / "lib").glob("python*/site-packages"))
    tools, prefix = Path(np.__file__).parents[1], Path(sys.prefix)
    if prefix.is_relative_to(ROOT) and tools.is_relative_to(prefix):
        (tree / prefix.relative_to(ROOT)).symlink_to(prefix)
        tools = tree / tools.relative_to(ROOT)
    (site / "parent.pth").write_text(f"{tools}\n")
    # In tests/run, ccache has what the wheel was made of. Elsewhere that is compiled unoptimized, for it is hardly run.
    settings = ()
    if "CCACHE_DIR" not in os.environ:
        settings = ("cmake.build-type=Debug", "cmake.define.CMAKE_CXX_FLAGS_DEBUG=-O0")
    settings += ("cmake.define.GASPIPE_UNITY=ON",)  # as the wheel was made
    quick = [f"--config-settings={setting}" for setting in settings]
    install = [python, "-m", "pip", "install", "-q", "--no-build-isolation", "--no-deps", *quick, "-e", tree]
    # CXX and CXXFLAGS are those of snippets in tests; the wheel was made without.
    variables = {name: value for name, value in os.environ.items() if name not in ("CXX", "CXXFLAGS")}
    subprocess.run(install, check=True, timeout=900, env={**variables, "CCACHE_BASEDIR": str(tree)})
    out = run_python(
        python,
        "import gaspipe as gp, numpy as np, os\n"
        "print(os.path.dirname(gp.__file__))\n"
        "r = gp.in_degree(([0, 1, 2, 2], [1, 0, 1, 1]), offset=10)\n"
        "print(gp.algorithms, r.degree.tolist(), type(r) is gp.InDegreeResult, gp.InDegreeResult.__annotations__)\n"
        "print(os.path.isfile(os.path.join(gp.get_include(), 'hls', 'algorithm', 'in_degree.h')))\n"
        "print('Added to the count. 0 <= offset.' in gp.in_degree.__doc__)\n"
        # Kernels are left out and compiled now; the wheel that is tested otherwise has them built in.
        "edges = ([0, 1, 2, 2], [1, 0, 1, 1])\n"
        "print(gp.build_info()['kernels'], gp.bfs(edges, root=2, device='emulator:u250').depth.tolist())\n",
        cwd=tmp_path,
    ).splitlines()
    assert Path(out[0]).resolve() == (tree / "python" / "gaspipe").resolve()
    types = {"values": "NDArray[np.int32]", "degree": "NDArray[np.int32]"}
    assert out[1:] == [
        f"('bfs', 'closeness', 'in_degree') [11, 13, 10] True {types}",
        "True",
        "True",
        "on-demand [2, 1, 0]",
    ]


def test_stub_of_the_core_matches_the_extension(tmp_path):
    # What pybind11's classes look like inside is not for a stub to say.
    allowed = tmp_path / "allowed.txt"
    allowed.write_text(r"gaspipe\._core\.[A-Z]\w+(\.(__init__|__pybind11_native_enum__))?" + "\n")
    command = [
        sys.executable,
        "-m",
        "mypy.stubtest",
        "gaspipe._core",
        "--allowlist",
        allowed,
        "--ignore-unused-allowlist",
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
