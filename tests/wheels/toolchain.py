# SPDX-License-Identifier: Apache-2.0
"""A folder to link wheels against: an old glibc, which Zig (PyPI: ziglang) makes stubs of, and an old libgomp.

g++ compiles with the headers of this machine's glibc and of its own libstdc++, which goes into the modules. What
of that needs a newer glibc would be missing when a module is linked; old_glibc.c has it.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from debian import run, unpack

GLIBC = "2.28"  # of RHEL 8 and its kin, Debian 10, Ubuntu 18.10
PLATFORM = "manylinux_2_28_x86_64"
LIBGOMP_SUITE = "bullseye"  # the oldest suite that Debian's mirrors have
HERE = Path(__file__).resolve().parent


def stubs_of_glibc(folder: Path) -> None:
    """Put glibc's libraries, as a linker sees them, into `folder`."""
    cache = folder.with_name("zig")
    source = folder / "nothing.c"
    source.write_text("")
    variables = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(cache), "ZIG_LOCAL_CACHE_DIR": str(cache)}
    target = f"x86_64-linux-gnu.{GLIBC}"
    run(
        *(sys.executable, "-m", "ziglang", "cc", "-target", target, "-shared", source, "-o", folder / "nothing.so"),
        *("-lm", "-lpthread", "-ldl", "-lrt"),
        env=variables,
    )
    for made in cache.rglob("lib*"):
        if ".so." in made.name or made.name == "libc_nonshared.a":
            shutil.copy(made, folder)
    for name, file in {"m": "m.so.6", "pthread": "pthread.so.0", "dl": "dl.so.2", "rt": "rt.so.1"}.items():
        (folder / f"lib{name}.so").symlink_to(f"lib{file}")
    parts = f"{folder}/libc.so.6 {folder}/libc_nonshared.a AS_NEEDED ( {folder}/libld.so.2 )"
    (folder / "libc.so").write_text(f"GROUP ( {parts} )\n")


def link_folder(build: Path) -> tuple[Path, Path]:
    """Folder of stubs, and the folder of libgomp and its licence; made below `build` unless they are there."""
    folder, gomp = build / f"glibc-{GLIBC}", build / "libgomp"
    if not (folder / "old_glibc.o").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        stubs_of_glibc(folder)
        flags = ("-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-Werror")
        run("g++", *flags, "-x", "c", "-c", HERE / "old_glibc.c", "-o", folder / "old_glibc.o")
    if not gomp.exists():
        unpacked = unpack(LIBGOMP_SUITE, ["libgomp1"], build / "libgomp-unpacked")
        gomp.mkdir()
        shutil.copy(next(unpacked.rglob("libgomp.so.1")), gomp)
        shutil.copy(next(unpacked.glob("usr/share/doc/gcc-*-base/copyright")), gomp / "libgomp-copyright.txt")
    return folder, gomp


def settings(build: Path) -> dict[str, str]:
    """CMake's variables for a build that is linked against that folder."""
    folder, gomp = link_folder(build)
    return {
        "CMAKE_CXX_COMPILER": "g++",
        "CMAKE_MODULE_LINKER_FLAGS": f"{folder}/old_glibc.o -L{folder} -static-libstdc++ -Wl,--exclude-libs,ALL",
        "OpenMP_gomp_LIBRARY": f"{gomp}/libgomp.so.1",
        "OpenMP_pthread_LIBRARY": f"{folder}/libpthread.so.0",
    }
