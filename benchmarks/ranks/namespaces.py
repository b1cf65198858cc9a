# SPDX-License-Identifier: Apache-2.0
"""Network namespaces that stand for machines: each with a host name, a network for control and one with limits.

Ranks exchange over `data0`: a tap device whose bandwidth tc limits (tbf), and whose frames delay.py hands on after the
latency. The launcher and gaspipe's watch use a bridge without limits. All of it needs root.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_TUNSETIFF, _TAP_WITHOUT_HEAD = 0x400454CA, 0x1002
_HEAD_OF_FRAME, _HEADS_OF_SEGMENT = 14, 52
_DATA, _CONTROL = "198.18.0", "198.19.0"  # for benchmarks (RFC 2544)


@dataclass(frozen=True)
class Limits:
    """Of a network.

    Attributes
    ----------
    seconds : float
        By which every frame is held up.
    bits_per_second : int
        That a rank can send, frames as a whole; 0: no limit.

    """

    seconds: float
    bits_per_second: int

    @property
    def frame(self) -> int:
        """Largest payload of a frame: small at small rates, as tbf lets one pass at once."""
        return 1500 if 0 < self.bits_per_second < 500_000_000 else 9000

    @property
    def bytes_per_second(self) -> float:
        """What TCP can carry."""
        share = (self.frame - _HEADS_OF_SEGMENT) / (self.frame + _HEAD_OF_FRAME)
        return self.bits_per_second / 8 * share


class Namespaces:
    """So many namespaces with equal limits."""

    def __init__(self, size: int, folder: Path, tag: str) -> None:
        self.names = [f"{tag}n{i}" for i in range(size)]
        self.launcher = folder / "launch.sh"
        self._hosts = folder / "hosts"

    def command(self, mpiexec: str, line: Sequence[str]) -> list[str]:
        """Command of an MPI job with a rank in each of them (MPICH's mpiexec)."""
        return [
            *(mpiexec, "-localhost", f"{_CONTROL}.254", "-launcher", "ssh", "-launcher-exec", str(self.launcher)),
            *("-hosts", ",".join(self.names), "-ppn", "1", "-n", str(len(self.names)), *line),
        ]

    @staticmethod
    def environment() -> dict[str, str]:
        """Of the job: MPICH over TCP, and over the limited network."""
        return {"MPIR_CVAR_CH4_NETMOD": "ucx", "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "data0"}

    def write(self) -> None:
        """Write what stands for ssh: `launch.sh [options] host command...`."""
        lines = ["127.0.0.1 localhost", f"{_CONTROL}.254 launcher"]
        lines += [f"{_CONTROL}.{i} {name}" for i, name in enumerate(self.names, 1)]
        self._hosts.write_text("\n".join(lines) + "\n")
        self.launcher.write_text(
            '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nhost=$1; shift\n'
            'exec ip netns exec "$host" unshare --uts --mount '
            f'sh -c "hostname $host; mount --bind {self._hosts} /etc/hosts; exec $*"\n'
        )
        self.launcher.chmod(0o755)


def why_not() -> str:
    """Why namespaces cannot be had here; empty if they can."""
    if os.geteuid() != 0:
        return "namespaces need root"
    missing = [tool for tool in ("ip", "tc", "unshare", "mount", "hostname") if shutil.which(tool) is None]
    if missing:
        return f"{', '.join(missing)} missing; install iproute2, util-linux and hostname"
    return "" if os.path.exists("/dev/net/tun") else "/dev/net/tun is missing; load the kernel's module tun"


@contextlib.contextmanager
def namespaces(size: int, limits: Limits) -> Iterator[Namespaces]:
    """Make namespaces; they are gone afterwards."""
    tag = f"gp{os.getpid() % 100_000}"
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        made = Namespaces(size, Path(folder), tag)
        made.write()
        bridge = f"{tag}b"
        stack.callback(_try, "ip", "link", "del", bridge)
        _run("ip", "link", "add", bridge, "type", "bridge")
        _run("ip", "addr", "add", f"{_CONTROL}.254/24", "dev", bridge)
        _run("ip", "link", "set", bridge, "up")
        taps: list[int] = []
        for i, name in enumerate(made.names):
            stack.callback(_try, "ip", "netns", "del", name)
            _run("ip", "netns", "add", name)
            _run("ip", "-n", name, "link", "set", "lo", "up")
            outer = f"{tag}v{i}"
            _run("ip", "link", "add", outer, "type", "veth", "peer", "name", "control0", "netns", name)
            _run("ip", "link", "set", outer, "master", bridge, "up")
            _run("ip", "-n", name, "addr", "add", f"{_CONTROL}.{i + 1}/24", "dev", "control0")
            _run("ip", "-n", name, "link", "set", "control0", "up")
            taps.append(_tap(f"{tag}t{i}", name, i + 1, limits))
            stack.callback(os.close, taps[-1])
        relay = _relay(limits, taps)
        stack.callback(_end, relay)
        yield made


def _tap(device: str, name: str, number: int, limits: Limits) -> int:
    descriptor = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(descriptor, _TUNSETIFF, struct.pack("16sH22x", device.encode(), _TAP_WITHOUT_HEAD))
    _run("ip", "link", "set", device, "netns", name)
    link = ["ip", "-n", name, "link", "set"]
    _run(*link, device, "name", "data0")
    _run(*link, "data0", "address", f"02:00:00:00:00:{number:02x}", "mtu", str(limits.frame), "txqueuelen", "10000")
    _run("ip", "-n", name, "addr", "add", f"{_DATA}.{number}/24", "dev", "data0")
    _run(*link, "data0", "up")
    if limits.bits_per_second:
        rate = ["rate", f"{limits.bits_per_second}bit", "burst", str(limits.frame + 500), "limit", "64mb"]
        _run("tc", "-n", name, "qdisc", "replace", "dev", "data0", "root", "tbf", *rate)
    return descriptor


def _relay(limits: Limits, taps: list[int]) -> subprocess.Popen[str]:
    line = [sys.executable, str(Path(__file__).with_name("delay.py")), repr(limits.seconds), *map(str, taps)]
    relay = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=taps, text=True)
    output: IO[str] | None = relay.stdout
    if output is None or output.readline() != "ready\n":
        relay.wait()
        sys.exit("the relay between namespaces did not start")
    return relay


def _end(relay: subprocess.Popen[str]) -> None:
    if relay.stdin is not None:
        relay.stdin.close()
    try:
        relay.wait(5)
    except subprocess.TimeoutExpired:
        relay.kill()
        relay.wait()


def _run(*line: str) -> None:
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(line)}: {done.stderr.strip()}")


def _try(*line: str) -> None:
    subprocess.run(line, capture_output=True)
