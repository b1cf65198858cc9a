# SPDX-License-Identifier: Apache-2.0
"""What v++ needs to make one program's xclbin for one board, in a folder that needs nothing beside it."""

from __future__ import annotations

import functools
import json
import os
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from .. import _description, _weighted
from .._core import CapacityError, InputError
from .._description import Description
from . import alone as _alone
from . import boards as _boards
from . import fabric as _fabric
from . import kernels as _kernels
from . import links as _links
from .boards import Board
from .folder import MANIFEST, SCRIPT, check, write_folder
from .kernels import Design
from .numbers import bytes_of
from .placing import (
    CAPACITY_UNKNOWN,
    check_kinds,
    largest_capacity,
    most_units,
    of_units,
    place,
    units_that_fit,
    uram_blocks,
    uram_blocks_of_kinds,
)

__all__ = [
    "MANIFEST",
    "SCRIPT",
    "TARGETS",
    "Plan",
    "check",
    "commands",
    "describe",
    "design_of",
    "files",
    "largest_capacity",
    "manifest",
    "most_masters",
    "numbers",
    "place",
    "plan",
    "script",
    "too_many_masters",
    "uram_blocks",
    "write",
    "write_folder",
]

TARGETS = ("hw", "hw_emu")
_FORMAT = 2
_MOST_UNITS_BY_DEFAULT = 8
_LEAST_PES_PACKED = 8  # words_per_row of hls/module/uram_word.h
_MOST_BYTES_PACKED = 8  # UramWord, likewise
# AXI ports that v++ connects: to a DDR channel (UG1702, "Memory Information": Max Masters), and to all of an HBM's
# (UG1393, "HBM Configuration and Use": 32 interfaces; Vitis_Accel_Examples issue 75: with 32 ports they are exhausted).
_MOST_MASTERS = {"DDR": 15, "HBM": 31}


@dataclass(frozen=True)
class Plan:
    """A build: the kernels, the board, and how they are put there."""

    design: Design
    board: Board
    platform: str
    target: str
    clock_mhz: int
    slrs: list[int]  # of every compute unit, then of the apply kernel; empty where v++ is to place them
    names: dict[str, str]  # of the kernels
    digest: str
    reads_weights: bool  # the algorithm; the kernels may be built without
    uram: int = 0  # blocks, of all compute units
    fabric: tuple[_fabric.Fabric, ...] = ()  # of every compute unit, then of apply; empty where it is not counted

    @property
    def takes(self) -> str:
        """URAM, BRAM and LUTs of all kernels, of those that the board has."""
        return _fabric.taken(self.board, self.uram, self.fabric)

    @property
    def xclbin(self) -> str:
        """Name of the file that v++ makes; files of several builds may lie in one folder."""
        design = self.design
        without = "_no_weights" if self.reads_weights and not design.weighted else ""
        config = "" if design.config == "plain" else f"_{design.config}"
        return f"{design.algorithm}_{design.number}{without}{config}_{self.board.name}.{self.target}.xclbin"


def numbers(description: Description) -> list[str]:
    """Number formats of an algorithm that make a kernel, the preferred one first.

    Doubles do not: an addition takes longer than the cycles that the hazard solver keeps between two updates of one
    vertex, and programs with doubles have fixed-point numbers or floats as well.
    """
    return sorted(
        (n for n in description.numbers if n in _kernels.NUMBERS and n != "float64"), key=lambda n: n != "fixed"
    )


def describe(algorithm: str) -> Description:
    """Description of a built-in algorithm."""
    algorithms = _description.algorithms()
    if algorithm not in algorithms:
        raise InputError(f"algorithm is {algorithm!r}; known are {', '.join(algorithms)}")
    return algorithms[algorithm]


def design_of(
    description: Description,
    number: str,
    weighted: bool,
    units: int,
    lanes: int,
    pes: int,
    capacity: int,
    config: str = "plain",
) -> Design:
    """Kernels of a program."""
    num_aux = description.instance(number).num_aux if description.is_pipeline else 0
    header = description.kernel_header
    return Design(description.name, number, num_aux, weighted, units, lanes, pes, capacity, header, config)


def plan(
    include: str,
    algorithm: str | Description,
    board: str,
    number: str | None = None,
    weighted: bool | None = None,
    units: int | None = None,
    lanes: int | None = None,
    pes: int | None = None,
    capacity: int | None = None,
    target: str = "hw",
    platform: str | None = None,
    clock_mhz: int | None = None,
    config: str = "plain",
) -> Plan:
    """Decide what is not told, and check the rest. `algorithm` is a name, or any description.

    Raises
    ------
    InputError
        For an unknown algorithm, board or number, or sizes that no kernel has.
    CapacityError
        If the kernels take more URAM, BRAM or LUTs than the board's regions have.

    """
    of_cpu = _alone.describe(include, algorithm, config) if isinstance(algorithm, str) else None
    description = of_cpu or (describe(algorithm) if isinstance(algorithm, str) else algorithm)
    name = description.name
    alone = _kernels.kernel_alone(include, config)
    read = functools.partial(_kernels.read_text, include)
    allowed = [alone.number] if of_cpu and alone else numbers(description)
    if not allowed:
        raise InputError(f"{name} computes in {', '.join(description.numbers)}, which no kernel has")
    if number is not None and number not in allowed:
        raise InputError(f"number is {number!r}; kernels of {name} may have {', '.join(allowed)}")
    chosen = number or allowed[0]
    reads_weights = of_cpu is None and description.instance(chosen).reads_weights
    if weighted and not reads_weights:
        other = f", or build {_weighted.WEIGHTED[name]}" if name in _weighted.WEIGHTED else ""
        raise InputError(f"{name} reads no weights; build it without{other}")
    if weighted is False and reads_weights and description.instance(chosen).transition_probabilities:
        raise InputError(f"{name} needs weights, also for graphs without; build it with them")
    if alone is not None:
        sizes = {"units": units, "lanes": lanes, "pes": pes, "capacity": capacity}
        _alone.check(include, alone, name, chosen, weighted=weighted, **sizes)
    try:
        if capacity is not None:
            _kernels.check_capacity(capacity)
        found = _boards.read(board)
        pipeline = _alone.as_pipeline(alone) if alone else _kernels.pipeline(include, config)
        design = design_of(
            description,
            chosen,
            reads_weights if weighted is None else weighted,
            (alone.units[0] if alone else 1) if units is None else units,
            pipeline.lanes if lanes is None else lanes,
            pipeline.pes if pes is None else pes,
            pipeline.most_capacity if capacity is None else capacity,
            config,
        )
        if pipeline.dense:
            check_kinds(read, config, found, units, capacity)
        if pipeline.edges == "packed" and design.pes < _LEAST_PES_PACKED:
            raise ValueError(f"{design.pes} PEs; config {config!r} has rows of at least {_LEAST_PES_PACKED}")
        if pipeline.edges == "packed" and bytes_of(chosen) > _MOST_BYTES_PACKED:
            raise ValueError(f"number is {chosen!r}, whose values fill words; config {config!r} packs several in a row")
        _kernels.headers(include, design)  # all are there
    except ValueError as error:
        raise InputError(str(error)) from None

    def fabric_of(units: int) -> list[_fabric.Fabric]:
        return [] if alone else _fabric.of_design(read, replace(design, units=units), pipeline)

    if units is None and alone is not None:  # as many as have a bank of their own
        for units in alone.units:
            wider = replace(design, units=units)
            if units <= found.num_banks and not too_many_masters(include, wider, found):
                design = wider
    elif units is None:
        units = min(found.num_banks, _MOST_UNITS_BY_DEFAULT)
        if pipeline.dense:  # as many as fit with partitions as large as may be; wider values halve those
            width = 4 if capacity is None else bytes_of(chosen)

            def blocks(units: int) -> list[int]:
                return uram_blocks_of_kinds(read, units, design.lanes, design.pes, width, design.capacity)

            units = units_that_fit(config, found, most_units(read, found), blocks, fabric_of)
        elif found.slrs:  # as many as there are BRAM and LUTs for
            while units > 1 and place(found, units, 0, fabric_of(units)) is None:
                units -= 1
        while units > 1 and too_many_masters(include, replace(design, units=units), found):
            units -= 1
        design = replace(design, units=units)
    if target not in TARGETS:
        raise InputError(f"target is {target!r}; allowed are {', '.join(TARGETS)}")
    if clock_mhz is not None and clock_mhz < 1:
        raise InputError(f"a clock of {clock_mhz} MHz; it must be positive")
    masters = too_many_masters(include, design, found)
    if masters:
        raise CapacityError(f"{design.units} compute units on {board}: {masters}; use fewer compute units")
    word_bytes = bytes_of(design.number)
    needs: Callable[[int], int | list[int]] = functools.partial(
        uram_blocks, pes=design.pes, edges=pipeline.edges, word_bytes=word_bytes
    )
    if pipeline.dense:
        needs = functools.partial(uram_blocks_of_kinds, read, design.units, design.lanes, design.pes, word_bytes)
    unknown = CAPACITY_UNKNOWN
    if alone is not None:
        needs, unknown = functools.partial(_alone.blocks, alone, design.units), _alone.least_capacity(alone)
    fabric = fabric_of(design.units)
    largest = largest_capacity(found, design.units, design.pes, pipeline.most_capacity, needs, unknown, fabric)
    if capacity is None:
        design = replace(design, capacity=largest)
    elif found.slrs and design.capacity > largest:
        raise CapacityError(
            f"partitions of {capacity} vertices in {design.units} compute units of {design.pes} PEs need "
            f"{sum(of_units(design.units, needs(design.capacity)))} URAM blocks, and {board} has {found.num_uram}; "
            f"at most {largest} fit, or fewer compute units"
        )
    if platform is not None and os.path.isfile(platform):
        platform = os.path.abspath(platform)  # the script runs elsewhere
    digest = _kernels.digest(include, design)
    return Plan(
        design,
        found,
        platform or found.platform,
        target,
        found.clock_mhz if clock_mhz is None else clock_mhz,
        # One kernel of many PEs takes several SLRs.
        [] if alone else place(found, design.units, needs(design.capacity), fabric) or [],
        {k: _kernels.kernel_name(include, k, design, digest) for k in _kernels.kernels_of(include, design)},
        digest,
        reads_weights,
        sum(of_units(design.units, needs(design.capacity))),
        tuple(fabric),
    )


def too_many_masters(include: str, design: Design, board: Board) -> str:
    """Return what is wrong if the kernels have more AXI ports than the board's memory; "" if nothing is."""
    count = _links.num_masters(include, design, board.memory, board.num_banks)
    most, name = max((number, name) for name, number in count.items())
    limit = most_masters(board)
    return f"{most} AXI ports lead to {name}, which takes {limit}" if most > limit else ""


def most_masters(board: Board) -> int:
    """AXI ports that a channel of DDR takes, or all of HBM's."""
    return _MOST_MASTERS[board.memory]


def script(plan: Plan) -> str:
    """Return the commands that build the xclbin; PLATFORM in the environment names another shell."""
    clock = f" --kernel_frequency {plan.clock_mhz}" if plan.clock_mhz else ""
    common = f'--target {plan.target} --platform "$PLATFORM"'
    linked = plan.xclbin.replace(".xclbin", ".link.xclbin")
    lines = [
        "#!/bin/sh",
        f"# Makes {plan.xclbin} of what lies here, with v++ of Vitis: gaspipe build, {plan.board.name}.",
        "set -e",
        'cd "$(dirname "$0")"',
        f'[ -n "$PLATFORM" ] || PLATFORM={shlex.quote(plan.platform)}',
    ]
    for kernel in plan.names:
        lines.append(
            f"v++ --compile {common}{clock} -D GASPIPE_VITIS -I include "
            f"--kernel {plan.names[kernel]} --output {kernel}.xo {kernel}.cpp"
        )
    objects = " ".join(f"{kernel}.xo" for kernel in plan.names)
    lines.append(f"v++ --link {common} --config link.cfg --output {linked} {objects}")
    lines.append(f"v++ --package {common} --package.out_dir package --output {plan.xclbin} {linked}")
    if plan.target == "hw_emu":
        lines.append('emconfigutil --platform "$PLATFORM"')
    return "\n".join(lines) + "\n"


def commands(plan: Plan) -> list[str]:
    """Return the lines of the script that run a tool, with the platform filled in."""
    tools = ("v++ ", "emconfigutil ")
    lines = [line for line in script(plan).splitlines() if line.startswith(tools)]
    return [line.replace('"$PLATFORM"', shlex.quote(plan.platform)) for line in lines]


def manifest(include: str, plan: Plan) -> dict[str, Any]:
    """Return what a host must know of the xclbin."""
    design, board = plan.design, plan.board
    kernels = {}
    for kernel in plan.names:
        cus = _kernels.instances(include, kernel, design)
        kernels[kernel] = {
            "name": plan.names[kernel],
            "compute_units": [
                {
                    "name": cu,
                    "arguments": _links.arguments(include, kernel, design, unit, board.memory, board.num_banks),
                }
                for unit, cu in zip(_kernels.units_of(include, kernel, design), cus)
            ],
        }
    return {
        "format": _FORMAT,
        "digest": plan.digest,
        "algorithm": design.algorithm,
        "number": design.number,
        "config": design.config,
        "weighted": design.weighted,
        "units": design.units,
        "lanes": design.lanes,
        "pes": design.pes,
        "capacity": design.capacity,
        "board": board.name,
        "platform": plan.platform,
        "target": plan.target,
        "clock_mhz": plan.clock_mhz,
        "xclbin": plan.xclbin,
        "kernels": kernels,
    }


def files(include: str, plan: Plan) -> dict[str, str]:
    """Text of every file of the folder, by its name."""
    found = {
        f"{kernel}.cpp": _kernels.render_kernel(include, kernel, plan.design, plan.names[kernel])
        for kernel in plan.names
    }
    for name in _kernels.headers(include, plan.design):
        found[f"include/{name}"] = plan.design.read(include, name)
    board = plan.board
    found["link.cfg"] = _links.link_configuration(
        include, plan.design, plan.names, board.memory, board.num_banks, plan.slrs, plan.clock_mhz
    )
    found[SCRIPT] = script(plan)
    found[MANIFEST] = json.dumps(manifest(include, plan), indent=1) + "\n"
    return found


def write(include: str, plan: Plan, out: str, force: bool = False) -> list[str]:
    """Write the folder, whole or not at all; return the names of its files.

    Raises
    ------
    InputError
        If `out` is there and not an empty folder; with `force`, if it is none that this function wrote.
    OSError
        If the folder cannot be written.

    """
    out = os.path.abspath(out)
    check(out, force)
    return write_folder(out, files(include, plan))
