# SPDX-License-Identifier: Apache-2.0
"""What must hold of every wheel, read from its files: `python tests/wheels/check.py FILE.whl...`."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

GLIBC = (2, 28)
# Libraries of the system that a module may want; auditwheel brings libgomp along.
SYSTEM = r"(lib(c|m|pthread|dl|rt|gcc_s|stdc\+\+|gomp[-\w.]*)\.so\.\d+(\.\d+)*|ld-linux-[-\w]+\.so\.\d)"
# Newer in this machine's glibc, which moved them into libc or made them anew; an old one has them elsewhere.
OLDER_TOO = {
    *("dlclose", "dlerror", "dlinfo", "dlopen", "dlsym", "exp", "exp2", "fstat", "log", "log2", "lstat", "pow", "stat"),
    *("fstat64", "lstat64", "stat64", "hypot", "fmod", "sem_open", "pthread_cond_clockwait", "__libc_single_threaded"),
    *("arc4random", "__libc_start_main"),
}


def readelf(*arguments: str | Path) -> str:
    """What readelf prints."""
    return subprocess.run(["readelf", "-W", *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def too_new(file: Path) -> list[str]:
    """Symbols of glibc that the file takes from a newer one than GLIBC, as name@version."""
    names = re.findall(r"UND (\w+)@(GLIBC_([\d.]+)) ", readelf("--dyn-syms", file))
    return [f"{name}@{whole}" for name, whole, said in names if tuple(map(int, said.split("."))) > GLIBC]


def of_file(file: Path, name: str, is_final: bool) -> list[str]:
    """What is wrong with one shared object; `is_final`: it is to run with an old glibc as it is."""
    found = []
    dynamic = readelf("-d", file)
    for wanted in re.findall(r"NEEDED.*\[(.+)\]", dynamic):
        if not re.fullmatch(SYSTEM, wanted):
            found.append(f"{name} needs {wanted}; XRT is opened at run time, and nothing else is needed")
    for path in re.findall(r"R(?:UN)?PATH.*\[(.+)\]", dynamic):
        if not path.startswith("$ORIGIN"):
            found.append(f"{name} looks for libraries in {path}, a folder of the machine that built it")
    new = too_new(file)
    if not is_final:
        new = [s for s in new if s.split("@")[0] not in OLDER_TOO and not s.startswith(("pthread_", "sem_"))]
    if new:
        found.append(f"{name} needs a glibc newer than {'.'.join(map(str, GLIBC))}: {', '.join(new)}")
    is_ours = name.startswith("gaspipe/")
    processor = re.findall(r"x86 ISA needed: (.+)", readelf("-n", file))
    of_intel = "Advanced Micro Devices X86-64" in readelf("-h", file)
    if of_intel and processor != ["x86-64-baseline"] and (is_ours or processor):
        said = " ".join(processor) or "no processor in particular"
        found.append(f"{name} says it needs {said}, not x86-64-baseline")
    if is_final and is_ours and "libstdc++" in dynamic:
        found.append(f"{name} needs libstdc++, whose version on an old system is another")
    return found


def findings(wheel: Path) -> list[str]:
    """What is wrong with a wheel, as texts; none if it is as it should be."""
    found = []
    is_final = "manylinux" in wheel.name
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        libraries = [name for name in archive.namelist() if re.search(r"\.so(\.|$)", name)]
        for name in libraries:
            found += of_file(Path(archive.extract(name, folder)), name, is_final)
    modules = sorted(name.split("/")[1].split(".")[0] for name in libraries if name.startswith("gaspipe/"))
    if modules not in (["_core"], ["_core", "_fpga"]):
        found.append(f"modules are {modules}; they must be _core and, where XRT's headers were, _fpga")
    others = [name for name in libraries if not name.startswith("gaspipe/")]
    if [name for name in others if not re.fullmatch(r"gaspipe\.libs/libgomp[-\w.]*", name)]:
        found.append(f"holds {', '.join(others)}; the one library of others may be libgomp")
    return found


if __name__ == "__main__":
    wrong = [f"{file}: {text}" for file in sys.argv[1:] for text in findings(Path(file))]
    print("\n".join(wrong) or f"{len(sys.argv) - 1} wheels are as they should be")
    sys.exit(bool(wrong))
