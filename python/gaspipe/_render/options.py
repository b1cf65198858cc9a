# SPDX-License-Identifier: Apache-2.0
"""The options of a run: keywords that the function of every algorithm takes and hands to `_call.call`."""

from __future__ import annotations

from typing import Any, NamedTuple


class RunOption(NamedTuple):
    """A keyword of every function."""

    name: str
    type: str  # annotation in the signature
    default: Any
    head: str  # name and type in the docstring
    doc: str


RUN_OPTIONS = (
    RunOption(
        "device",
        "str",
        "cpu",
        'device : {"cpu", "emulator", "fpga", "auto"}, or with a board: "emulator:u250", or a card: "fpga:1"',
        "Where to run; `result.stats.device` says what really ran, `gaspipe.devices()` lists what there is. An "
        "automatic number format is on a card that of the CPU if there are such kernels; else, for doubles, fixed "
        "point or floats.",
    ),
    RunOption(
        "xclbin",
        "str | os.PathLike[str] | None",
        None,
        "xclbin : path, optional",
        "Kernels for a card: an .xclbin file, or a folder with some. By default those of the environment variable "
        "GASPIPE_XCLBIN and of the user's data folder, gaspipe/xclbin.",
    ),
    RunOption(
        "execution",
        "str",
        "auto",
        'execution : {"auto", "fast", "exact", "shallow"}',
        'How the emulator runs the kernels: "fast" block by block; "exact" with every task and bounded stream of '
        'the hardware, and clocks, which predict cycles; "shallow" likewise, with streams as shallow as the design '
        'declares legal. "auto" is exact where a board is named, else fast. The answer is the same bits.',
    ),
    RunOption(
        "method",
        "str",
        "auto",
        'method : {"auto", "gas"}',
        '"gas" runs the plain pipeline in every super-step; the answer is the same.',
    ),
    RunOption(
        "num_threads",
        "int | None",
        None,
        "num_threads : int, optional",
        "Threads to use; by default as OpenMP is set, and one on a small graph.",
    ),
    RunOption(
        "partitioning",
        "Partitioning | None",
        None,
        "partitioning : Partitioning, optional",
        "From `Graph.partition()`: stream partitions of its configuration; what is pushed or pulled needs none.",
    ),
    RunOption(
        "scheduler",
        "str",
        "in_order",
        "scheduler : str",
        "Order of the kernels of an emulator or a card; the answer is the same bits. An InputError where device is "
        '"cpu", which has none; a CPU that stands in for a card needs none.',
    ),
    RunOption(
        "progress",
        "Progress | None",
        None,
        "progress : callable, optional",
        "Called as `progress(step, active_vertices, edges)` after every super-step.",
    ),
    RunOption(
        "fallback",
        "bool",
        True,
        "fallback : bool",
        "Whether the CPU may stand in for a card that cannot be used (with a warning).",
    ),
)
