# SPDX-License-Identifier: Apache-2.0
"""Puts a free-threaded CPython together, for Debian has none: python3.14t, with headers, below a folder.

The program and its modules in C are those of freeze-core (PyPI), which has them for cx_Freeze; modules in Python and
headers are Debian's of the same version. freeze-core's program starts a frozen application; start.c makes it the
interpreter that is in it.
"""

from __future__ import annotations

import shutil
import sys
import zipfile
from pathlib import Path

from debian import run

VERSION = "3.14"
HERE = Path(__file__).resolve().parent


def replaced(text: str, old: str, new: str) -> str:
    """The text with one thing replaced; an error unless it is there once."""
    if text.count(old) != 1:
        raise SystemExit(f"Debian's Python {VERSION} has {old!r} {text.count(old)} times, not once")
    return text.replace(old, new)


def bundled(folder: Path) -> Path:
    """freeze-core's wheel for that Python, unpacked below `folder`."""
    tag = f"cp{VERSION.replace('.', '')}t"
    wanted = ["--only-binary=:all:", "--no-deps", "--python-version", VERSION, "--abi", tag]
    wanted += ["--platform", "manylinux_2_17_x86_64", "--platform", "manylinux_2_28_x86_64"]
    run(sys.executable, "-m", "pip", "download", "-q", *wanted, "-d", folder, "freeze-core")
    wheel = next(folder.glob(f"freeze_core-*-{tag}-*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def describe(library: Path, name: str) -> None:
    """Write what `sysconfig` reads: Debian's, but free-threaded."""
    text = (library / "_sysconfigdata__x86_64-linux-gnu.py").read_text()
    plain = f"cpython-{VERSION.replace('.', '')}"
    described = f"{text}\nbuild_time_vars.update({{'Py_GIL_DISABLED': 1, 'ABIFLAGS': 't'}})\n"
    described += "for name in ('EXT_SUFFIX', 'SOABI'):\n"
    described += f"    build_time_vars[name] = build_time_vars[name].replace('{plain}-', '{plain}t-')\n"
    (library / f"{name}.py").write_text(described)


def assemble(folder: Path, debian: Path, headers: tuple[Path, ...]) -> Path:
    """The interpreter, below `folder`, from Debian's tree with modules in Python and its `headers`."""
    program = folder / "bin" / f"python{VERSION}t"
    if program.exists():
        return program
    made = folder.with_name(folder.name + ".part")
    shutil.rmtree(made, ignore_errors=True)
    library = made / "lib" / f"python{VERSION}t"
    ignored = shutil.ignore_patterns("*.so", "sitecustomize.py")  # the latter is a link to nothing there
    shutil.copytree(debian / "usr" / "lib" / f"python{VERSION}", library, ignore=ignored)
    core = bundled(made / "freeze-core")
    (library / "lib-dynload").mkdir(exist_ok=True)
    for module in (core / "freeze_core" / "lib").glob("*.so"):
        shutil.copy(module, library / "lib-dynload")
    shutil.move(core / "freeze_core.libs", made / "lib")  # where those modules look for libraries
    describe(library, "_sysconfigdata_t_linux_x86_64-linux-gnu")
    include = made / "include" / f"python{VERSION}t"
    shutil.copytree(headers[0], include)
    ours = headers[1] / "x86_64-linux-gnu" / f"python{VERSION}" / "pyconfig.h"
    text = replaced(ours.read_text(), "/* #undef Py_GIL_DISABLED */", "#define Py_GIL_DISABLED 1")
    (include / "pyconfig.h").write_text(text)
    (made / "bin").mkdir()
    binary = made / "bin" / program.name
    shutil.copy(next((core / "freeze_core" / "bases").glob("console-cpython-*")), binary)
    binary.chmod(0o755)
    flags = ("-shared", "-fPIC", "-O1", "-Wall", "-x", "c")
    run("g++", *flags, HERE / "start.c", "-o", made / "lib" / "libstart.so")
    run("patchelf", "--add-needed", "libstart.so", binary)
    shutil.rmtree(core)
    made.rename(folder)
    said = run(program, "-c", "import sys; print(sys._is_gil_enabled())").strip()
    if said != "False":
        raise SystemExit(f"{program} is to have no global lock, and says {said!r}")
    return program
