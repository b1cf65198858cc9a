# SPDX-License-Identifier: Apache-2.0
"""Who may include whom (STYLE.md, section 3), read from the #include and import lines."""

import ast
import re

import pytest

import gaspipe as gp
from conftest import REPOSITORY

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
CPP = {".h", ".cpp", ".in"}


def sources(*folders):
    return sorted(f for folder in folders for f in (REPOSITORY / folder).rglob("*") if f.suffix in CPP)


def includes(path):
    return INCLUDE.findall(path.read_text(encoding="utf-8"))


def name(path):
    return str(path.relative_to(REPOSITORY))


def wrong(paths, is_allowed):
    return [f"{name(path)} includes {what}" for path in paths for what in includes(path) if not is_allowed(path, what)]


def is_own(what):
    return what.startswith(("hls/", "gaspipe/")) or ("/" not in what and what.endswith(".h"))


def test_there_is_something_to_read():
    assert len(sources("hls")) > 3
    assert len(sources("cpp")) > 10


def test_algorithms_include_the_types_and_nothing_else():
    assert not wrong(sources("hls/algorithm"), lambda _, what: what in ("hls/types.h", "hls/bit_set.h"))


def test_every_algorithm_header_is_an_algorithm_of_the_package():
    assert {path.stem for path in sources("hls/algorithm")} == set(gp.algorithms)


def test_hls_includes_nothing_of_cpp():
    assert not wrong(sources("hls"), lambda _, what: not what.startswith("gaspipe/"))


def circles(included):
    """A circle of each set of files or folders that include one another."""
    state, found = {}, []

    def visit(at, path):
        state[at] = "open"
        for to in sorted(included.get(at, ())):
            if state.get(to) == "open":
                found.append(" -> ".join([*path[path.index(to) :], to]))
            elif to not in state:
                visit(to, [*path, to])
        state[at] = "done"

    for start in sorted(included):
        if start not in state:
            visit(start, [start])
    return found


def test_circles_are_found():
    assert circles({"a": {"b", "d"}, "b": {"c"}, "c": {"a", "d"}}) == ["a -> b -> c -> a"]


def test_folders_of_hls_include_one_another_in_no_circle():
    included = {}
    for path in sources("hls"):
        folders = {what.rpartition("/")[0] for what in includes(path) if what.startswith("hls/")}
        included.setdefault(str(path.parent.relative_to(REPOSITORY)), set()).update(folders)
    for folder, others in included.items():
        others.discard(folder)
    assert included["hls/module"] == {"hls"}
    assert included["hls/block"] == {"hls", "hls/module"}
    assert circles(included) == []


def test_hls_asks_no_compiler_which_one_it_is():
    asking = re.compile(r"__SYNTHESIS__|GASPIPE_VITIS|__VITIS_HLS__")
    found = [name(p) for p in sources("hls") if asking.search(p.read_text(encoding="utf-8"))]
    assert set(found) <= {"hls/platform.h"}


def test_pybind11_appears_in_the_bindings_alone():
    outside = [p for p in sources("hls", "cpp") if "bindings" not in p.parts]
    assert not wrong(outside, lambda _, what: not what.startswith("pybind11"))
    assert not wrong(outside, lambda _, what: what != "Python.h")


def test_xrt_appears_in_its_backend_alone():
    elsewhere = [p for p in sources("hls", "cpp") if not name(p).startswith("cpp/src/backend/card/xrt/")]
    assert not wrong(elsewhere, lambda _, what: not what.startswith(("xrt", "experimental/xrt", "CL/")))


def test_openmp_appears_in_no_header():
    # The engine is instantiated by programs that bring no OpenMP runtime.
    headers = [p for p in sources("hls", "cpp") if p.suffix == ".h"]
    assert not wrong(headers, lambda _, what: what != "omp.h")
    assert not [name(p) for p in headers if "#pragma omp" in p.read_text(encoding="utf-8")]


def test_public_headers_include_public_headers():
    def is_allowed(_, what):
        return not is_own(what) or (what.startswith(("gaspipe/", "hls/")) and exists(what))

    def exists(what):
        return (REPOSITORY / "cpp" / "include" / what).exists() or (REPOSITORY / what).exists()

    assert not wrong(sources("cpp/include"), is_allowed)


def test_bindings_include_the_public_headers_and_their_own():
    def is_allowed(path, what):
        if path.parent.name == "fpga" and what == "dlfcn.h":
            return True
        return not is_own(what) or what.startswith("gaspipe/") or what in ("bindings.h", "python_domain.h")

    assert not wrong(sources("cpp/bindings"), is_allowed)


def test_engine_includes_nothing_of_the_core():
    # A program compiled by a user includes the engine; the core's classes must not come with it.
    def is_allowed(_, what):
        return not what.startswith("gaspipe/") or what.startswith("gaspipe/engine/") or what == "gaspipe/abi.h"

    assert not wrong(sources("cpp/include/gaspipe/engine"), is_allowed)


@pytest.mark.parametrize("path", sources("hls", "cpp"), ids=name)
def test_source_starts_with_its_licence_and_headers_guard_themselves(path):
    text = path.read_text(encoding="utf-8")
    comment = "#" if path.name.endswith((".cmake.in", ".pc.in")) else "//"
    assert text.startswith(f"{comment} SPDX-License-Identifier: Apache-2.0\n")
    assert path.suffix != ".h" or "\n#pragma once\n" in text


def imports(path):
    """Absolute imports that run when the module does; those in functions and for types only are left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module


def python_files():
    return sorted((REPOSITORY / "python").rglob("*.py"))


# What may be needed as soon as a module is imported; anything else that users may lack is imported where it is used.
NEEDED = {
    "cli": {"click", "gaspipe"},
    "_gaspipe_command": {"click"},
    "demo.py": {"gaspipe"},
    "_networkx": {"networkx", "_gaspipe_networkx"},  # NetworkX imports it
}


@pytest.mark.parametrize("path", python_files(), ids=name)
def test_python_modules_import_numpy_and_the_standard_library_only(path):
    import sys

    allowed = (
        set(sys.stdlib_module_names) | {"numpy"} | NEEDED.get(path.name, set()) | NEEDED.get(path.parent.name, set())
    )
    assert {module.partition(".")[0] for module in imports(path)} <= allowed
    assert path.read_text(encoding="utf-8").startswith("# SPDX-License-Identifier: Apache-2.0\n")


def test_the_builds_writer_imports_the_standard_library_only():
    package = REPOSITORY / "python" / "gaspipe"
    for path in (package / "_description.py", *(package / "_render").glob("*.py")):
        assert "numpy" not in "".join(imports(path))


def test_classes_of_the_bindings_have_names_of_their_own():
    """Of two classes with one name, each in its file's unnamed namespace, pybind11 sees one where Clang compiles."""
    found = []
    for path in (REPOSITORY / "cpp" / "bindings").glob("*.cpp"):
        found += re.findall(r"^(?:class|struct) (\w+)[^;<]*\{", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(found) > 10
    assert sorted(found) == sorted(set(found))
