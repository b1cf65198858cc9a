# SPDX-License-Identifier: Apache-2.0
"""An emulated card: the real XRT, in software emulation, opens it and runs our kernels from an xclbin of ours.

    with EmulatedCard(folder, board="u250", banks=2, bank_bytes=1 << 20) as card:
        xclbin = card.add("bfs", units=2)
        subprocess.run([program, xclbin], env=card.environment())  # or, for this process: with card.active(): ...

XRT reads the environment when its library is loaded, so `active` comes before the first use of a card. What is compiled
(the device process, swemu_fix.cpp, a library per pair of kernels) is kept under GASPIPE_CARD_CACHE, by default in the
user's cache, named by its content. With GASPIPE_CARD_TRACE=file the device process writes down every call: buffers,
bytes that are moved, runs of compute units. While a file GASPIPE_CARD_HOLD is there, no run ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import xclbin

import gaspipe as gp
from gaspipe._card import boards as _boards
from gaspipe._card import build as _build
from gaspipe._card import kernels as _kernels

HERE = Path(__file__).resolve().parent
MODEL = Path("vitis", "data", "emulation", "unified", "cpu_em", "generic_pcie", "model", "genericpciemodel")
SHIM = "libxrt_swemu.so.2"
STANDARD = ["-std=c++17", "-Wall", "-Wextra", "-Wno-unknown-pragmas"]
LIBRARY = ["-fPIC", "-shared", "-fvisibility=hidden"]
# XRT takes them for installations of Vitis, which the card is not.
REMOVED = ("XILINX_HLS", "XILINX_VIVADO", "XILINX_SDX", "XILINX_OPENCL", "XILINX_SCOUT")


def compiler() -> list[str]:
    """Command of the C++ compiler: CXX, else g++."""
    return os.environ.get("CXX", "g++").split()


def available() -> str:
    """Why there can be no emulated card here; empty if there can be one."""
    if not sys.platform.startswith("linux"):
        return "XRT's emulation is for Linux"
    if shutil.which(compiler()[0]) is None:
        return f"there is no compiler {compiler()[0]}"
    if not os.path.isabs(_library(SHIM)):
        return f"the linker finds no {SHIM}; install XRT (Debian: libxrt-dev)"
    if _xrt_headers() is None:
        return "there are no headers of XRT; install libxrt-dev"
    return ""


def _library(name: str) -> str:
    """Path of a library as the linker finds it, or just its name."""
    command = [*compiler(), f"-print-file-name={name}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _xrt_headers() -> str | None:
    """Folder to include xrt/xrt_device.h from; Debian's is one level deeper than XRT's own."""
    folders = ("/opt/xilinx/xrt/include", "/usr/include/xrt", "/usr/include")
    return next((folder for folder in folders if os.path.exists(f"{folder}/xrt/xrt_device.h")), None)


def xrt_version() -> str:
    """Version in the name of the library that hosts are linked to, such as 2.13.0."""
    return os.path.realpath(_library("libxrt_coreutil.so")).rpartition(".so.")[2]


def cache_folder() -> Path:
    """Where what is compiled is kept."""
    given = os.environ.get("GASPIPE_CARD_CACHE")
    users = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(given) if given else Path(users, "gaspipe", "card")


def _cache() -> Path:
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _compile(name: str, options: Sequence[str], sources: Mapping[str, str], read: Sequence[Path] = ()) -> Path:
    """Compile what is not in the cache yet, once even if several processes want it.

    `sources` are texts by file name, of which the compiler gets those that end in .cpp; `read` are files that they
    include.
    """
    version = subprocess.run([*compiler(), "--version"], capture_output=True, text=True, check=True).stdout
    content = hashlib.sha256("\0".join([version, *compiler(), *options]).encode())
    for text in [*map(str, sources.items()), *(str((str(path), path.read_text())) for path in sorted(read))]:
        content.update(text.encode())
    made = _cache() / f"{name}-{content.hexdigest()[:24]}"
    with open(made.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if made.exists():
            return made
        with tempfile.TemporaryDirectory(dir=_cache()) as folder:
            for file, text in sources.items():
                Path(folder, file).write_text(text)
            command = [*compiler(), *STANDARD, "-I", folder, "-I", str(HERE)]
            command += [str(Path(folder, file)) for file in sources if file.endswith(".cpp")]
            done = subprocess.run([*command, *options, "-o", f"{folder}/made"], capture_output=True, text=True)
            if done.returncode != 0:
                raise RuntimeError(f"{name} does not compile:\n{done.stderr}")
            os.replace(f"{folder}/made", made)
    return made


def device_process() -> Path:
    """Compile the program that XRT starts as the card."""
    sources = {path.name: path.read_text() for path in sorted((HERE / "device").iterdir())}
    return _compile("device", ["-O1", "-pthread", "-ldl"], sources)


def swemu_fix() -> Path:
    """Compile what stands before XRT's shim."""
    text = (HERE / "swemu_fix.cpp").read_text()
    return _compile("swemu_fix", ["-O1", *LIBRARY, "-Wl,--no-as-needed", f"-l:{SHIM}", "-ldl"], {"fix.cpp": text})


def kernel_library(include: str, design: _kernels.Design, names: Mapping[str, str]) -> Path:
    """Compile the kernels of a design to a library that the device process loads.

    Two kernels are one source, in half the time; three have the same names in them. One that is alone is its own.
    """
    is_one_source = len(names) == 2
    extension = ".top.h" if is_one_source else ".cpp"
    texts = {
        f"{kernel}{extension}": _kernels.render_kernel(include, kernel, design, name)
        + f'#include "kernels.h"\nGASPIPE_CARD_KERNEL({name})\n'
        for kernel, name in names.items()
    }
    if is_one_source:
        texts["library.cpp"] = "".join(f'#include "{file}"\n' for file in texts)
    own = [HERE / "kernels.h", HERE / "device" / "kernel_abi.h"]
    read = [*own, *_included(include, [*texts.values(), *(path.read_text() for path in own), design.header])]
    # -O2 takes half as long again to compile, and saves nothing where graphs are small.
    options = ["-O1", *LIBRARY, "-I", include]
    if design.header:
        texts[design.included] = design.header
    return _compile(list(names.values())[-1], options, texts, read)


def _included(include: str, texts: list[str]) -> set[Path]:
    """Headers of hls/ that texts include, and those that these do."""
    found: set[Path] = set()
    while texts:
        named = {Path(include, name) for name in re.findall(r'^[ \t]*#[ \t]*include "(hls/[^"]+)"', texts.pop(), re.M)}
        texts += [path.read_text() for path in named - found]
        found |= named
    return found


def host_program(source: Path) -> Path:
    """Compile an ordinary program that uses XRT."""
    options = ["-O1", "-I", str(_xrt_headers()), "-lxrt_coreutil", "-luuid", "-pthread"]
    return _compile(source.stem, options, {source.name: source.read_text()})


class EmulatedCard:
    """A card that XRT finds, and the xclbins for it.

    Parameters
    ----------
    folder : path
        To lay it out in; the caller's to remove.
    board : str
        Of hls/device, for memory and shell.
    banks, bank_bytes : int, optional
        Instead of the board's; the size a power of two, at least 1024.
    platform : str, optional
        Name of the shell (VBNV) instead of the board's.
    devices : int
        Number of such cards.

    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        board: str = "u250",
        *,
        banks: int | None = None,
        bank_bytes: int | None = None,
        platform: str | None = None,
        devices: int = 1,
    ) -> None:
        found = _boards.read(board)
        self.folder = Path(folder).resolve()
        self.board = board
        self.memory = xclbin.Memory(found.memory, banks or found.num_banks, bank_bytes or found.bytes_per_bank)
        self.platform = platform or found.platform
        model, shim = self.folder / MODEL, self.folder / "xrt" / "lib" / SHIM
        for path, target in ((model, device_process()), (shim, swemu_fix())):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(target)
        (self.folder / "tmp").mkdir()
        (self.folder / "emconfig.json").write_text(xclbin.emconfig(self.platform, self.memory, devices))
        (self.folder / "xrt.ini").write_text("")  # that XRT looks for none elsewhere
        self.sockets = Path(tempfile.mkdtemp(prefix="gaspipe-card-", dir="/tmp"))  # XRT's place, by the user's name
        self._runs = self.sockets / "run"  # XRT gives it to a shell, without quotes, so spaces must not be in it
        self._runs.mkdir()

    def add(self, algorithm: str | gp.Algorithm, number: str | None = None, **sizes: Any) -> Path:
        """Make the xclbin of an algorithm's kernels; return its path.

        `sizes` are weighted, units, lanes, pes and capacity, with the meaning and the defaults of `gaspipe build`.
        """
        program = algorithm if isinstance(algorithm, str) else algorithm.description
        return self.add_design(_build.plan(gp.get_include(), program, self.board, number, **sizes).design)

    def add_design(self, design: _kernels.Design) -> Path:
        """Likewise, of any kernels."""
        include = gp.get_include()
        digest = _kernels.digest(include, design)
        names = {k: _kernels.kernel_name(include, k, design, digest) for k in _kernels.kernels_of(include, design)}
        library = kernel_library(include, design, names).read_bytes()
        path = self.folder / f"{design.algorithm}.{digest[:8]}.xclbin"
        path.write_bytes(xclbin.build(include, design, names, self.memory, self.platform, library))
        return path

    def variables(self) -> dict[str, str]:
        """What the environment of a process that sees the card has.

        Each call gives another folder for what runs leave: XRT goes elsewhere if two processes try one at a time.
        """
        run = tempfile.mkdtemp(dir=self._runs)
        return {
            "XCL_EMULATION_MODE": "sw_emu",
            "XILINX_XRT": str(self.folder / "xrt"),
            "XILINX_VITIS": str(self.folder / "vitis"),
            "EMCONFIG_PATH": str(self.folder),
            "SDACCEL_EM_RUN_DIR": run,
            "XRT_INI_PATH": str(self.folder / "xrt.ini"),
            "USER": self.sockets.name,
            "TMPDIR": str(self.folder / "tmp"),  # where gaspipe locks it, and no card of another test
            "VITIS_SW_EMU_DISABLE_SINGLE_MMAP": "1",  # of XRT 2.14 and later: host and card stay apart until a sync
        }

    def environment(self) -> dict[str, str]:
        """Return this process' environment, changed so that a child sees the card."""
        return {name: value for name, value in os.environ.items() if name not in REMOVED} | self.variables()

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """Let this process see the card; before XRT is loaded."""
        variables = self.variables()
        before = {name: os.environ.get(name) for name in [*variables, *REMOVED]}
        for name in REMOVED:
            os.environ.pop(name, None)
        os.environ.update(variables)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value

    def processes(self) -> list[int]:
        """Ids of the device processes that live."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                user = f"USER={self.sockets.name}".encode()
                is_ours = user in (folder / "environ").read_bytes().split(b"\0")
                if is_ours and os.path.samefile(folder / "exe", self.folder / MODEL):
                    found.append(int(folder.name))
        return found

    def close(self) -> None:
        """Remove sockets and what runs have left."""
        shutil.rmtree(self.sockets, ignore_errors=True)

    def __enter__(self) -> EmulatedCard:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
