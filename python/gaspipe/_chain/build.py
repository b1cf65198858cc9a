# SPDX-License-Identifier: Apache-2.0
"""Writes the folder in which v++ builds a chain for a card."""

from __future__ import annotations

import json
import os
import re
import shlex
from typing import TYPE_CHECKING

from .._card import boards as _boards
from .._card import build as _build
from .._card import kernels as _kernels
from .._core import CapacityError, InputError
from .._paths import get_include
from .source import kernel_text, ports
from .wiring import Wired

if TYPE_CHECKING:
    from .._card.boards import Board

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"(hls/[^"]+)"', re.MULTILINE)
_NOT_FOR_VENDOR = "hls/emulator/"


def write(wired: Wired, board: str, folder: str | os.PathLike[str], force: bool) -> list[str]:
    """Write the folder, whole or not at all; return the names of its files."""
    try:
        found = _boards.read(board)
    except ValueError as error:
        raise InputError(str(error)) from None
    _check_masters(wired, found)
    out = os.path.abspath(os.fspath(folder))
    _build.check(out, force)
    return _build.write_folder(out, _files(wired, found))


def _files(wired: Wired, board: Board) -> dict[str, str]:
    include = get_include()
    kernel = str(kernel_text(wired))
    texts = {f"{wired.name}.cpp": kernel}
    waiting = [kernel]
    while waiting:
        for name in _INCLUDE.findall(waiting.pop()):
            if f"include/{name}" not in texts and not name.startswith(_NOT_FOR_VENDOR):
                texts[f"include/{name}"] = text = _kernels.read_text(include, name)
                waiting.append(text)
    texts["link.cfg"] = _links(wired, board)
    texts[_build.SCRIPT] = _script(wired, board)
    listed = [{"name": port.name, "array": port.array, "element": port.element} for port in ports(wired)]
    manifest = {"chain": wired.name, "board": board.name, "ports": listed, "numbers": wired.numbers}
    texts[_build.MANIFEST] = json.dumps(manifest, indent=1) + "\n"
    return texts


def _banks(wired: Wired, board: Board) -> dict[str, int]:
    return {name: i % board.num_banks for i, name in enumerate([*wired.arrays, ""])}


def _check_masters(wired: Wired, board: Board) -> None:
    banks = _banks(wired, board)
    used = [banks[port.array] if board.memory == "DDR" else 0 for port in ports(wired)]
    used.append(banks[""] if board.memory == "DDR" else 0)
    most, limit = max(map(used.count, set(used))), _build.most_masters(board)
    if most > limit:
        raise CapacityError(
            f"chain {wired.name} has {most} ports at one memory of {board.name}, which takes {limit}; use fewer blocks "
            "that read memory"
        )


def _links(wired: Wired, board: Board) -> str:
    banks = _banks(wired, board)
    lines = [f"kernel_frequency={board.clock_mhz}"] if board.clock_mhz else []
    lines += ["", "[connectivity]", f"nk={wired.name}:1:{wired.name}_1"]
    lines += [f"sp={wired.name}_1.{port.name}:{board.memory}[{banks[port.array]}]" for port in ports(wired)]
    lines.append(f"sp={wired.name}_1.ends:{board.memory}[{banks['']}]")
    return "\n".join(lines).lstrip("\n") + "\n"


def _script(wired: Wired, board: Board) -> str:
    name = wired.name
    clock = f" --kernel_frequency {board.clock_mhz}" if board.clock_mhz else ""
    common = '--target hw --platform "$PLATFORM"'
    return "\n".join(
        [
            "#!/bin/sh",
            f"# Makes {name}.xclbin of what lies here, with v++ of Vitis: gp.Chain, {board.name}.",
            "set -e",
            'cd "$(dirname "$0")"',
            f'[ -n "$PLATFORM" ] || PLATFORM={shlex.quote(board.platform)}',
            f"v++ --compile {common}{clock} -D GASPIPE_VITIS -I include --kernel {name} --output {name}.xo {name}.cpp",
            f"v++ --link {common} --config link.cfg --output {name}.link.xclbin {name}.xo",
            f"v++ --package {common} --package.out_dir package --output {name}.xclbin {name}.link.xclbin",
            "",
        ]
    )
