# SPDX-License-Identifier: Apache-2.0
"""Tries a wheel in a root that has Python, libc and libstdc++, no compiler and no network (bubblewrap)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import free_threaded
from debian import run
from pythons import ROOT_VERSION, Python, root_of

HERE = Path(__file__).resolve().parent


def root_for(python: Python, build: Path) -> Path:
    """Folder with a Debian that has the version, or what an interpreter from elsewhere needs."""
    version = ROOT_VERSION if python.interpreter else python.version
    if python.version.endswith("t"):  # its pip is where Debian has it
        version = free_threaded.VERSION
    root = root_of(version, build)
    for folder in ("tmp", "proc", "dev", "wheels", "etc"):
        (root / folder).mkdir(exist_ok=True)
    for folder in ("bin", "lib", "lib64"):  # Debian's tree, where no package of these has its links
        if not (root / folder).exists():
            (root / folder).symlink_to(f"usr/{folder}")
    # Made when the package is installed, which it is not: Debian's pip reads it at its start.
    certificates = root / "etc" / "ssl" / "certs" / "ca-certificates.crt"
    certificates.parent.mkdir(parents=True, exist_ok=True)
    certificates.write_text("".join(p.read_text() for p in sorted(root.glob("usr/share/ca-certificates/**/*.crt"))))
    return root


def wheels_for(python: Python, wheel: Path, build: Path) -> Path:
    """Folder with the wheel and what it depends on, for a machine without a network."""
    folder = build / f"house-{python.tag}"
    folder.mkdir(exist_ok=True)
    interpreter, abi = python.tag.split("-")
    wanted = [
        "--only-binary=:all:",
        "--python-version",
        interpreter[2:],
        "--abi",
        abi,
        "--abi",
        "abi3",
        "--abi",
        "none",
    ]
    platforms = ["manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux2014_x86_64", "any"]
    wanted += [word for name in platforms for word in ("--platform", name)]
    run(sys.executable, "-m", "pip", "download", "-q", *wanted, "-d", folder, "numpy>=1.22", "click>=8")
    shutil.copy(wheel, folder)
    return folder


def findings(wheel: Path, python: Python, build: Path) -> list[str]:
    """Install the wheel and run what needs no compiler; what went wrong, as texts. Prints times."""
    if shutil.which("bwrap") is None:
        raise SystemExit("a trial of a wheel needs bubblewrap (Debian: apt-get install bubblewrap), or give --no-try")
    root, house = root_for(python, build), wheels_for(python, wheel, build)
    interpreter, more = f"/usr/bin/python{python.version}", []
    if python.interpreter:
        home = python.interpreter.resolve().parents[1]
        (root / home.relative_to("/")).mkdir(parents=True, exist_ok=True)
        interpreter, more = str(python.interpreter.resolve()), ["--ro-bind", str(home), str(home)]
    command = ["bwrap", "--ro-bind", root, "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", *more]
    command += ["--ro-bind", house, "/wheels", "--ro-bind", HERE / "in_root.py", "/tmp/in_root.py"]
    command += ["--unshare-all", "--die-with-parent", "--clearenv", "--setenv", "PATH", "/usr/bin:/bin"]
    command += ["--setenv", "HOME", "/tmp", "--chdir", "/tmp", interpreter, "/tmp/in_root.py"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=1800)
    print(done.stdout, end="")
    return [] if done.returncode == 0 else [f"{wheel.name} in a root of {root.name}: {done.stderr.strip()[-3000:]}"]
