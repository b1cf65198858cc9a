# SPDX-License-Identifier: Apache-2.0
"""Writes a folder of files for v++, whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil

from .._core import InputError
from .._files import names_file
from .._flags import flag

MANIFEST = "manifest.json"
SCRIPT = "build.sh"


def write_folder(out: str, texts: dict[str, str]) -> list[str]:
    """Write files by their names in the folder `out`, whole or not at all, in place of what was there."""
    parent, mark = os.path.dirname(out), f".gaspipe-{secrets.token_hex(8)}"
    os.makedirs(parent, exist_ok=True)
    new, old = os.path.join(parent, f"{mark}.tmp"), os.path.join(parent, f"{mark}.old")
    try:
        for name, text in texts.items():
            path = os.path.join(new, *name.split("/"))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with names_file(os.path.join(out, name)), open(path, "w", encoding="utf-8") as file:
                file.write(text)
        script = os.path.join(new, SCRIPT)
        os.chmod(script, os.stat(script).st_mode | 0o111)
        if os.path.isdir(out) and os.listdir(out):
            os.replace(out, old)
        try:
            os.replace(new, out)
        except BaseException:
            if os.path.isdir(old):
                os.replace(old, out)
            raise
    except BaseException:
        with contextlib.suppress(OSError):
            shutil.rmtree(new)
        raise
    shutil.rmtree(old, ignore_errors=True)
    return list(texts)


def check(out: str, force: bool) -> None:
    """Refuse to write where something else is."""
    flag("force", force)
    if not os.path.lexists(out):
        return
    if os.path.islink(out) or not os.path.isdir(out):
        raise InputError(f"{out} is there and no folder; choose another name")
    if not os.listdir(out):
        return
    if not force:
        raise InputError(
            f"{out} is not empty; choose another folder, or --force to replace it and what was built in it"
        )
    if not os.path.isfile(os.path.join(out, MANIFEST)):
        raise InputError(f"{out} has no {MANIFEST}, so gaspipe did not write it and does not replace it")
