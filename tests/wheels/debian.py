# SPDX-License-Identifier: Apache-2.0
"""Debian's packages of any suite, unpacked into a folder and not installed: old libraries, and roots for tests."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


def run(*command: str | Path, **kwargs: object) -> str:
    """Run a command; what it prints, or an error with all of that."""
    done = subprocess.run(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **kwargs
    )
    if done.returncode:
        raise SystemExit(f"{done.stdout}\n{' '.join(map(str, command))} failed; what it printed is above")
    return done.stdout


def unpack(suite: str, packages: list[str], folder: Path, *, alone: bool = False) -> Path:
    """Fill `folder` with Debian packages of a suite, from the mirror that this machine uses.

    With all that they depend on, or `alone`. A folder that was filled before is taken as it is.
    """
    done = folder.with_name(folder.name + ".unpacked")
    if done.exists():
        return folder
    if shutil.which("apt-get") is None:
        raise SystemExit(f"{suite}'s {', '.join(packages)} come from Debian, by apt-get, which is not here")
    state = folder.with_name(folder.name + ".apt")
    for part in ("lists/partial", "archives/partial"):
        (state / part).mkdir(parents=True, exist_ok=True)
    (state / "status").write_text("")
    mirror = run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Label: Debian").split()
    if not mirror:
        raise SystemExit("apt-get has no mirror of Debian here; apt-get update, on a Debian machine, reads one")
    (state / "sources.list").write_text(f"deb [signed-by={KEYRING}] {mirror[0]} {suite} main\n")
    places = {
        "Dir::State": state,
        "Dir::State::status": state / "status",
        "Dir::Cache": state,
        "Dir::Etc::SourceList": state / "sources.list",
        "Dir::Etc::SourceParts": "/dev/null",
        "APT::Sandbox::User": "root",
    }
    apt = ["apt-get", "-q", "--no-install-recommends", *(f"-o{name}={place}" for name, place in places.items())]
    run(*apt, "update")
    if alone:
        run(*apt, "download", *packages, cwd=state / "archives")
    else:
        run(*apt, "--download-only", "-y", "install", *packages)
    folder.mkdir(parents=True, exist_ok=True)
    for package in sorted((state / "archives").glob("*.deb")):
        run("dpkg", "-x", package, folder)
    shutil.rmtree(state)
    done.touch()
    return folder
