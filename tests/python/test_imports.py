# SPDX-License-Identifier: Apache-2.0
"""Which Python modules import which: no circles, and private packages through their face alone.

Imports in functions count too; those for type checkers alone do not.
"""

import ast
from pathlib import Path

import pytest

import gaspipe
from conftest import REPOSITORY

PACKAGE = REPOSITORY / "python" / "gaspipe"
COMPILED = {"gaspipe._core", "gaspipe._fpga"}


def modules():
    """{name: file} of the package; `_algorithms` is made by the build."""
    found = {"gaspipe._algorithms": Path(gaspipe._algorithms.__file__)}
    for file in PACKAGE.rglob("*.py"):
        if "templates" not in file.parts:
            parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def statements(node):
    """All nodes below one, but for those under `if TYPE_CHECKING:`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
            rest = ast.Module(child.orelse, [])
            yield from statements(rest)
        else:
            yield child
            yield from statements(child)


def imported(name, text, is_package, known):
    """Modules among the known ones that the text of a module imports."""
    package = name.split(".") if is_package else name.split(".")[:-1]
    for node in statements(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                if inner in known or source in known:
                    yield inner if inner in known else source


def import_graph():
    files = modules()
    known = {*files, *COMPILED}
    return {
        name: set(imported(name, file.read_text(encoding="utf-8"), file.name == "__init__.py", known))
        for name, file in files.items()
    }


def circles(graph):
    """Groups of modules that import each other, directly or not."""

    def reached(start):
        found, ahead = set(), [start]
        while ahead:
            new = graph.get(ahead.pop(), set()) - found
            found |= new
            ahead += new
        return found

    reach = {name: reached(name) for name in graph}
    groups = {frozenset(other for other in reach[name] if name in reach.get(other, ())) for name in graph}
    return sorted(sorted(group) for group in groups if group)


def listed(name, file):
    """Modules that the face of a package lists in `__all__`: they are part of it."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            yield from (
                f"{name}.{ast.literal_eval(item)}" for item in node.value.elts if isinstance(item, ast.Constant)
            )


def faces_passed_by(graph, packages, faces=()):
    """Imports of what is inside a private package, from outside of it, but for modules that are part of a face."""
    inside = [(package, f"{package}.") for package in packages if package.rpartition(".")[2].startswith("_")]
    return sorted(
        f"{name} imports {target}"
        for name, targets in graph.items()
        for target in targets
        for package, start in inside
        if target.startswith(start) and target not in faces and name != package and not name.startswith(start)
    )


def test_no_module_imports_itself_by_way_of_others():
    graph = import_graph()
    assert len(graph) > 50
    assert circles(graph) == []


def test_private_packages_are_imported_by_their_face():
    packages = {name: file for name, file in modules().items() if file.name == "__init__.py"}
    assert "gaspipe._formats" in packages
    faces = {module for name, file in packages.items() for module in listed(name, file)}
    assert "gaspipe._card.build" in faces
    assert faces_passed_by(import_graph(), packages, faces) == []


def test_circles_and_passed_faces_are_found():
    graph = {"p": {"p.a"}, "p.a": {"p.b"}, "p.b": {"p.a"}, "p._c": {"p._c.d"}, "p._c.d": set(), "p.e": {"p._c.d"}}
    assert circles(graph) == [["p.a", "p.b"]]
    assert faces_passed_by(graph, ["p", "p._c"]) == ["p.e imports p._c.d"]
    assert faces_passed_by(graph, ["p", "p._c"], {"p._c.d"}) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from . import a", {"p.a"}),
        ("from .q import b", {"p.q.b"}),
        ("from .q import name", {"p.q"}),
        ("def f():\n    from .. import a", set()),
        ("def f():\n    import p.a", {"p.a"}),
        ("from p import q", {"p.q"}),
        ("if TYPE_CHECKING:\n    from . import a\nelse:\n    from . import q", {"p.q"}),
    ],
)
def test_imports_are_read(text, expected):
    known = {"p", "p.a", "p.q", "p.q.b"}
    assert set(imported("p.m", text, False, known)) == expected
    assert set(imported("p.q.b", "from .. import a\nfrom . import b", False, known)) == {"p.a", "p.q.b"}
