# SPDX-License-Identifier: Apache-2.0
"""Writes gaspipe/_algorithms.py, as a step of the build: `write_algorithms.py <_core extension> <folder> <output>`.

The package as a whole cannot be imported yet, since it imports the file that is written here. So its folder,
python/gaspipe, becomes a package without its `__init__.py`, and its extension is the one just built.
"""

import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType


def main(extension: str, folder: str, output: str) -> None:
    """Write the file."""
    package = ModuleType("gaspipe")
    package.__path__ = [folder]
    loader = ExtensionFileLoader("gaspipe._core", extension)
    spec = spec_from_file_location("gaspipe._core", extension, loader=loader)
    assert spec is not None
    core = module_from_spec(spec)
    loader.exec_module(core)
    sys.modules["gaspipe"], sys.modules["gaspipe._core"] = package, core
    package._core = core

    from gaspipe import _description, _render

    with open(output, "w", encoding="utf-8") as file:
        file.write(_render.render_module(list(_description.built_in().values())))


if __name__ == "__main__":
    main(*sys.argv[1:])
