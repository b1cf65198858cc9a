# SPDX-License-Identifier: Apache-2.0
"""Pythons to make wheels for: of each, its headers are enough to build, and a root with it to test in."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import free_threaded
from debian import unpack

# The suite of Debian that has a version of Python.
SUITES = {"3.9": "bullseye", "3.11": "bookworm", "3.13": "trixie", "3.14": "forky"}
ROOT_VERSION = "3.11"  # of Debian's, in the root for an interpreter from elsewhere


@dataclass(frozen=True)
class Python:
    """A version, as "3.13t" (t: free-threaded), where its headers lie, and the interpreter where it is not Debian's."""

    version: str
    headers: tuple[Path, ...]
    interpreter: Path | None = None

    @property
    def tag(self) -> str:
        """Tag of its interpreter and ABI in wheels' names."""
        plain = "cp" + self.version.rstrip("t").replace(".", "")
        return f"{plain}-{'cp' + self.version.replace('.', '')}"

    @property
    def suffix(self) -> str:
        """What names of extension modules end in."""
        return f".cpython-{self.version.replace('.', '')}-x86_64-linux-gnu.so"


def of_interpreter(interpreter: str) -> Python:
    """The Python that a program is: itself, where that is a script which starts it, or a virtual environment's."""
    code = "import sys, sysconfig as s; v = s.get_config_var; p = s.get_path"
    code += "; print(v('py_version_short') + 't' * bool(v('Py_GIL_DISABLED')), p('include'), v('EXT_SUFFIX')"
    code += ", getattr(sys, '_base_executable', sys.executable), sep='\\n')"
    try:
        done = subprocess.run([interpreter, "-c", code], capture_output=True, text=True)
    except OSError as error:
        raise SystemExit(f"{interpreter} does not run ({error.strerror}); give an interpreter, or a version") from None
    if done.returncode:
        raise SystemExit(f"{interpreter} does not run ({done.stderr.strip()}); give an interpreter, or a version")
    version, headers, suffix, itself = done.stdout.split("\n")[:4]
    python = Python(version, (Path(headers),), Path(itself))
    if suffix != python.suffix:
        raise SystemExit(f"{interpreter} loads modules named {suffix}; wheels are made for {python.suffix} alone")
    return python


def of_debian(version: str, build: Path) -> Python:
    """That version of Debian's, whose headers are unpacked below `build`."""
    name = f"libpython{version}-dev"
    usr = unpack(SUITES[version], [name], build / name, alone=True) / "usr" / "include"
    return Python(version, (usr / f"python{version}", usr))


def root_of(version: str, build: Path) -> Path:
    """Folder with that version of Debian's and what it needs, as a root to run in."""
    suite = SUITES[version]
    return unpack(suite, [f"python{version}-venv", "libstdc++6"], build / f"root-{suite}")


def find(wanted: str, build: Path) -> Python:
    """The Python of a version or an interpreter's path."""
    if not re.fullmatch(r"\d\.\d+t?", wanted):
        return of_interpreter(wanted)
    if wanted in SUITES:
        return of_debian(wanted, build)
    if installed := shutil.which(f"python{wanted}"):
        return of_interpreter(installed)
    if wanted == f"{free_threaded.VERSION}t":
        version = free_threaded.VERSION
        folder = build / f"python{wanted}"
        made = free_threaded.assemble(folder, root_of(version, build), of_debian(version, build).headers)
        return Python(wanted, (folder / "include" / f"python{wanted}",), made)
    raise SystemExit(
        f"there is no python{wanted} in PATH, and Debian has {', '.join(SUITES)}; give the path of an interpreter "
        "(its headers are taken from beside it)"
    )
