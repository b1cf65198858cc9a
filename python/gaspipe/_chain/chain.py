# SPDX-License-Identifier: Apache-2.0
"""`gp.Chain`: blocks by name, wired by streams."""

from __future__ import annotations

import ctypes
import functools
import re
from typing import TYPE_CHECKING, Any

from .._core import InputError
from .._flags import flag
from .._own.names import is_cpp_word
from . import types, wiring
from .parts import Part
from .result import ChainResult
from .specs import BLOCKS, SEED_NAMES, Spec

if TYPE_CHECKING:
    import os

    from .._predict import BoardLike

_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
_C_WORDS = "assert hls offsetof setjmp va_arg va_copy va_end va_start"  # macros, and a namespace of Vitis' headers
_OPTIONS = ("device", "board", "shallow")  # of run(), which takes arrays and numbers by name too


class Chain:
    """An accelerator of blocks, as a graph of streams between them. [1]_

    Blocks are added by name and wired by the names of streams and of arrays in memory. A run takes the arrays, executes
    the chain in the emulator with the clocks and the memory of a board, and gives back what was written, with what
    every port and stream did. `build` writes the same chain for v++.

    Parameters
    ----------
    name : str
        Of the kernel: lower case, digits, underscores.

    Raises
    ------
    InputError
        For a name that C++ does not take.

    See Also
    --------
    gaspipe.Block : a block of your own.

    References
    ----------
    .. [1] T. Oguntebi, K. Olukotun, "GraphOps: A Dataflow Library for Graph Analytics Acceleration", FPGA 2016,
           doi:10.1145/2847263.2847337.

    Examples
    --------
    The sum of what the in-neighbors of every vertex have:

    >>> chain = gp.Chain("sums")
    >>> chain.array("rows", "uint64")
    >>> chain.array("along_edges", "float32")
    >>> chain.array("sums", "float32")
    >>> chain.add("for_all_prop_rdr", rows="rows", values="along_edges", sets="sets", lines="lines")
    >>> chain.add("nbr_prop_red", sets="sets", lines="lines", out="new", functor=gp.Chain.SUM)
    >>> chain.add("elem_update", updates="new", values="sums")
    >>> chain.run(rows=offsets, along_edges=x[columns], sums=np.zeros(n, np.float32)).arrays["sums"]

    """

    #: Functor of nbr_prop_red: the sum of float32 or float64 elements, in 8 cycles a line.
    SUM = """static Value identity() { return 0; }
static Value map(Value element, Args) { return element; }
static Value combine(Value a, Value b) { return a + b; }
static Value finish(Value sum, Args) { return sum; }
static constexpr int kCycles = 8;"""

    def __init__(self, name: str) -> None:
        _check_name(name, "a chain")
        if is_cpp_word(name) or _is_of_c(name):
            raise InputError(f"the name of a chain is {name!r}, which C++ needs itself; choose another")
        self.name = name
        self._parts: list[Part] = []
        self._arrays: dict[str, str] = {}  # C++ types
        self._depths: dict[str, int] = {}
        self._library: Any = None

    def array(self, name: str, dtype: Any) -> None:
        """Declare an array in memory.

        Parameters
        ----------
        name : str
            By which blocks and runs call it.
        dtype : dtype
            float32, float64, int32, uint32, int64 or uint64. Rows are uint64: offsets of n + 1 vertices.

        """
        _check_name(name, "an array")
        if name in self._arrays:
            raise InputError(f"chain {self.name} has an array {name!r} already")
        self._arrays[name] = types.cpp_type(dtype, f"array {name!r}")
        self._library = None

    def stream(self, name: str, depth: int) -> None:
        """Give a stream a depth, in tokens; a circle of blocks needs one stream with a depth of its own.

        Streams that are not declared have the depth that their block suggests.
        """
        _check_name(name, "a stream")
        if not isinstance(depth, int) or isinstance(depth, bool) or not 1 <= depth <= 1 << 16:
            raise InputError(f"depth of stream {name!r} is {depth!r}; 1 to 65536 tokens are allowed")
        self._depths[name] = depth
        self._library = None

    def add(self, block: str | Spec, *, name: str | None = None, **wires: Any) -> None:
        """Add a block.

        Parameters
        ----------
        block : str or Block
            One of `gp.Chain.blocks()`, by gaspipe's name or GraphOps' ("nbr_prop_red", "NbrPropRed"), or a
            :func:`gaspipe.Block`.
        name : str, optional
            Of this one, if there are several; by default the block's, with a number from the second on.
        **wires
            For every stream of the block the name of a stream of the chain, for every array the name of an array. Then
            what else it takes: `functor`, the body of a struct of functions in C++, in which `Value` is the type of
            its results; `value`, their dtype (default: that of the elements); `args`, two numbers, or names of numbers
            that a run gives, which functors see as `Args`; `policy` of elem_update, "overwrite", "least", or a struct's
            body; its `order`, "ascending" (SeqCoalescer) or "any" (BestEffortCoalescer); `throttle`, cycles between
            two vertices; `dtype` of set_reader.

        Raises
        ------
        InputError
            For a block, a port or an option that does not exist.

        """
        spec = block if isinstance(block, Spec) else BLOCKS.get(block) or SEED_NAMES.get(block)
        if spec is None:
            raise InputError(f"block is {block!r}; known are {', '.join(BLOCKS)}, and what gp.Block defines")
        names = {part.name for part in self._parts}
        if name is None:
            count = sum(part.spec is spec for part in self._parts)
            name = spec.name if count == 0 else f"{spec.name}_{count + 1}"
        _check_name(name, "a block")
        if name in names:
            raise InputError(f"chain {self.name} has a block {name!r} already; give this one another name=")
        self._parts.append(Part.make(name, spec, wires))
        self._library = None

    @staticmethod
    def blocks() -> dict[str, str]:
        """What there is: names and what they do."""
        return {name: spec.doc for name, spec in BLOCKS.items()}

    def check(self) -> None:
        """Find what is wrong with the wiring, without running anything; nothing, if it can run.

        Raises
        ------
        InputError
            Names the block and the port: a port left open, a stream without a writer or a reader or with two, types
            that differ, a circle without a buffer, an array that one block writes while another reads it.

        """
        self._wired()

    def _wired(self) -> wiring.Wired:
        return wiring.wire(self.name, self._parts, self._arrays, self._depths)

    def run(
        self,
        *,
        device: str = "emulator:u250",
        board: BoardLike | None = None,
        shallow: bool = False,
        **given: Any,
    ) -> ChainResult:
        """Run the chain in the emulator.

        Parameters
        ----------
        device : str
            "emulator:<board>": whose memory and clock are modeled.
        board : str, path, mapping or Board, optional
            Another board to model, instead of the one that `device` names; see :class:`gaspipe.Board`.
        shallow : bool
            With streams as shallow as is legal: slower, the same answer.
        **given
            Every array, one-dimensional, by its name; those that blocks write are copied, and come back in the result.
            Every number: `num_vertices` (default: one less than the rows have), `root`, `num_groups`, those of `args`.

        Returns
        -------
        ChainResult
            What was written, and what ports, streams and blocks did; cycles are predicted.

        Raises
        ------
        InputError
            For wiring that `check` refuses, and arrays or numbers that are missing or of another type.
        CompileError
            With the compiler's messages, for a functor that it does not take.
        DeviceError
            When the chain stops before its end; names the blocks that wait, and what for.

        """
        from . import run

        wired = self._wired()
        taken = [name for name in (*wired.arrays, *wired.numbers) if name in _OPTIONS]
        if taken:
            raise InputError(
                f"chain {self.name} calls an array or a number {taken[0]!r}, an option of run(); rename it"
            )
        flag("shallow", shallow)
        if self._library is None:
            self._library = run.load(wired)
        return run.run(wired, self._library, device, board, shallow, given)

    def source(self) -> str:
        """Return the C++ of the kernel, as `build` writes it."""
        from .source import kernel_text

        return str(kernel_text(self._wired()))

    def plot(self, ax: Any = None) -> Any:
        """Draw the blocks and the streams between them; returns the axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            To draw on; by default a new figure.

        """
        from . import plot

        return plot.draw(self._wired(), None, ax)

    def build(self, board: str, folder: str | os.PathLike[str], *, force: bool = False) -> list[str]:
        """Write what v++ needs to build the chain for a card: kernel, headers, link configuration, a script.

        Parameters
        ----------
        board : str
            Of `gp.devices()`, e.g. "u250".
        folder : path
            To write; not there yet, or empty.
        force : bool
            Replace a folder that gaspipe wrote.

        Returns
        -------
        list of str
            Names of the files.

        """
        from . import build

        return build.write(self._wired(), board, folder, force)

    def __repr__(self) -> str:
        return f"Chain({self.name!r}: {', '.join(part.name for part in self._parts) or 'no blocks'})"


def _is_of_c(name: str) -> bool:
    """Whether C's headers may declare a name: the kernel is a function of C, and would be another of that name."""
    return name in _C_WORDS.split() or name.endswith("_t") or hasattr(_c_library(), name)


@functools.cache
def _c_library() -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL("libm.so.6")  # and libc, which it needs
    except OSError:  # another C library than GNU's
        return None


def _check_name(name: object, what: str) -> None:
    if not isinstance(name, str) or not _NAME.match(name):
        raise InputError(f"the name of {what} is {name!r}; lower case letters, digits and underscores are allowed")
