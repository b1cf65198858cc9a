# SPDX-License-Identifier: Apache-2.0
"""What a chain's run gave, and what its blocks, streams and ports did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from . import types
from .wiring import Wired

if TYPE_CHECKING:
    from .._files import Path
    from .._report import Report

_LEAST_SHARE = 0.5  # of the cycles, that a block must be busy to be called the limit


class ChainResult:
    """Result of :meth:`Chain.run`.

    Attributes
    ----------
    arrays : dict of str to numpy.ndarray
        Arrays that blocks wrote, as they are after the run.
    words : dict of str to int
        Last words of blocks, e.g. "glob_nbr_red.value"; 64 bits.
    board : str
        Whose memory and clock the emulator modeled.
    cycles : int
        Of the kernel, predicted.
    seconds : float
        The same at the board's clock, predicted.
    blocks : dict of str to dict
        Of every block: `busy`, `waited_in`, `waited_out`, `waited_memory`, shares of the kernel's cycles, of its
        busiest task.
    streams : dict of str to dict
        Of every stream between blocks: `depth`, `most` tokens held at once, `tokens`, `reader_waited` and
        `writer_waited`, cycles.
    ports : dict of str to dict
        Of every array: `bytes_read`, `bytes_written`, `beats` of 64 bytes, `share` of what its bank could move in these
        cycles.
    limit : str
        What limits the run: a block that is busy or waits for memory most of the time, or "latency".

    """

    def __init__(
        self,
        wired: Wired,
        board: Any,
        clock_mhz: int,
        arrays: dict[str, NDArray[Any]],
        ends: NDArray[Any],
        told: dict[str, Any],
    ) -> None:
        from . import source

        self._wired = wired
        self.board = board.name
        self.arrays = arrays
        self.words = {
            f"{block}.{word}": int(ends[2 + i])
            for i, (block, word) in enumerate(wired.ends)
            if word in next(part.spec.words for part in wired.parts if part.name == block)
        }
        self.cycles = int(told["cycles"])
        self.seconds = self.cycles / (clock_mhz * 1e6)
        cycles = max(self.cycles, 1)
        self.blocks: dict[str, dict[str, float]] = {}
        for task, (_, finish, waited_in, waited_out, waited_memory) in zip(source.tasks(wired), told["tasks"]):
            busy = (finish - waited_in - waited_out - waited_memory) / cycles
            if task.block in self.blocks and self.blocks[task.block]["busy"] >= busy:
                continue
            self.blocks[task.block] = {
                "busy": busy,
                "waited_in": waited_in / cycles,
                "waited_out": waited_out / cycles,
                "waited_memory": waited_memory / cycles,
            }
        by_name = {name: rest for name, *rest in told["streams"]}
        self.streams = {
            name: dict(zip(("depth", "most", "tokens", "reader_waited", "writer_waited"), by_name[f"{name}_s"]))
            for name in wired.wires
        }
        most = board.memory.modeled_bytes_per_second / (clock_mhz * 1e6) * cycles
        self.ports = {}
        for port, (read, written) in zip(source.ports(wired), told["arrays"]):
            self.ports[port.array] = {
                "bytes_read": int(read),
                "bytes_written": int(written),
                "beats": int(read + written) // types.LINE_BYTES,
                "share": float((read + written) / most),
            }
        self.limit = self._limit()

    def _limit(self) -> str:
        port = max(self.ports, key=lambda name: self.ports[name]["share"], default="")
        block = max((name for name in self.blocks if name != "end_collect"), key=lambda n: self.blocks[n]["busy"])
        busy = self.blocks[block]["busy"]
        share = self.ports[port]["share"] if port else 0.0
        if max(busy, share) < _LEAST_SHARE:
            return "latency"
        return block if busy >= share else f"memory of {port}"

    def report(self, num_edges: int | None = None) -> str:
        """Return a table of ports, and of what every block did.

        Parameters
        ----------
        num_edges : int, optional
            To say bytes per edge.

        """
        lines = [
            f"chain {self._wired.name} on {self.board}: {self.cycles:,} cycles, {1e6 * self.seconds:,.1f} us predicted"
        ]
        lines.append(f"limited by {self.limit}")
        per = "" if num_edges is None else f"{'bytes/edge':>12}"
        lines.append(f"{'array':<20}{'beats':>12}{per}{'of its bank':>13}")
        for name, port in self.ports.items():
            total = port["bytes_read"] + port["bytes_written"]
            each = "" if num_edges is None else f"{total / max(num_edges, 1):>12.2f}"
            lines.append(f"{name:<20}{port['beats']:>12,}{each}{100 * port['share']:>11.1f} %")
        lines.append(f"{'block':<20}{'busy':>12}{'for input':>12}{'for output':>12}{'for memory':>12}")
        for name, block in self.blocks.items():
            shares = "".join(f"{100 * share:>10.1f} %" for share in block.values())
            lines.append(f"{name:<20}{shares}")
        return "\n".join(lines)

    def to_html(self, path: Path | None = None, *, other: Any = None) -> Report:
        """Return a report of the chain to look at, as :meth:`Result.report` does of a run; `report` is text.

        Parameters
        ----------
        path, other
            As of :meth:`Result.report`.

        """
        from .. import _report

        return _report.report(self, path, other=other)

    def plot(self, ax: Any = None) -> Any:
        """Draw the chain: every stream with how full it was, the limiting block in color; returns the axes."""
        from . import plot

        return plot.draw(self._wired, self, ax)

    def __repr__(self) -> str:
        return (
            f"ChainResult({self._wired.name} on {self.board}: {self.cycles:,} cycles predicted, "
            f"limited by {self.limit}; "
            f"arrays {', '.join(self.arrays) or 'none'})"
        )
