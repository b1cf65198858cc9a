# SPDX-License-Identifier: Apache-2.0
"""Pythons to make wheels for: of each, its headers are enough to build, and a root with it to test in."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from debian import unpack

# The suite of Debian that has a version of Python.
SUITES = {"3.9": "bullseye", "3.11": "bookworm", "3.13": "trixie", "3.14": "forky"}
ROOT_SUITE = "bookworm"  # of a root for an interpreter from elsewhere


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
    """The Python that a program is."""
    code = "import sysconfig as s; v = s.get_config_var; p = s.get_path"
    code += (
        "; print(v('py_version_short') + 't' * bool(v('Py_GIL_DISABLED')), p('include'), v('EXT_SUFFIX'), sep='\\n')"
    )
    try:
        done = subprocess.run([interpreter, "-c", code], capture_output=True, text=True)
    except OSError as error:
        raise SystemExit(f"{interpreter} does not run ({error.strerror}); give an interpreter, or a version") from None
    if done.returncode:
        raise SystemExit(f"{interpreter} does not run ({done.stderr.strip()}); give an interpreter, or a version")
    version, headers, suffix = done.stdout.split("\n")[:3]
    python = Python(version, (Path(headers),), Path(interpreter))
    if suffix != python.suffix:
        raise SystemExit(f"{interpreter} loads modules named {suffix}; wheels are made for {python.suffix} alone")
    return python


def of_debian(version: str, build: Path) -> Python:
    """That version of Debian's, whose headers are unpacked below `build`."""
    name = f"libpython{version}-dev"
    usr = unpack(SUITES[version], [name], build / name, alone=True) / "usr" / "include"
    return Python(version, (usr / f"python{version}", usr))


def find(wanted: str, build: Path) -> Python:
    """The Python of a version or an interpreter's path."""
    if re.fullmatch(r"\d\.\d+t?", wanted):
        if wanted in SUITES:
            return of_debian(wanted, build)
        raise SystemExit(
            f"Debian has no Python {wanted}, but {', '.join(SUITES)}; give the path of an interpreter (its headers are "
            "taken from beside it)"
        )
    return of_interpreter(wanted)
