# SPDX-License-Identifier: Apache-2.0
"""Renders the kernels of one program for Vitis, and what belongs to them: ports, link configuration, digest.

The folder `hls/kernel` has the kernels: <name>.h is the region, <name>.ports.h its table of ports, <name>.cpp.in what
is around the region's text (region.py) in a top. `hls/kernel/pipelines.h` names the kernels that work together. All
functions take the folder with `hls/` in it as an argument.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import NamedTuple

from . import kinds as _kinds
from . import region as _region
from .meaning import meaning, user_meaning
from .numbers import NUMBERS as NUMBERS
from .port import READ as READ
from .port import SCALAR as SCALAR
from .port import SEND as SEND
from .port import TAKE as TAKE
from .port import WRITE as WRITE
from .port import Port as Port
from .port import interface, parameter, unit_of_memory

MOST_UNITS = 16
ARG_WORDS = 8
PES = (4, 8, 16)  # of a unit


def check_capacity(capacity: int) -> None:
    """ValueError for a number of vertices that no partition has."""
    if capacity < 16 or capacity % 16 or capacity > 1 << 31:
        raise ValueError(f"a capacity of {capacity} vertices; it must be a multiple of 16, up to 2^31")


@dataclass(frozen=True)
class Design:
    """What makes the kernels of one build differ from those of another."""

    algorithm: str
    number: str  # as in NUMBERS
    num_aux: int  # Traits<Hooks>::kAux
    weighted: bool
    units: int = 4
    lanes: int = 8
    pes: int = 8
    capacity: int = 1 << 20  # vertices of a partition that the chip has room for; 0 where it keeps none
    header: str = ""  # text of the header that holds the program, where it is none of hls/
    config: str = "plain"  # one of pipelines() or of kernels_alone()

    def __post_init__(self) -> None:
        if self.number not in NUMBERS:
            raise ValueError(f"number is {self.number!r}; allowed are {', '.join(NUMBERS)}")
        if not 1 <= self.units <= MOST_UNITS:
            raise ValueError(f"{self.units} compute units; allowed are 1 to {MOST_UNITS}")
        for name, value, allowed in (("lanes", self.lanes, (8, 16)), ("PEs", self.pes, PES)):
            if value not in allowed:
                raise ValueError(f"{value} {name}; allowed are {', '.join(map(str, allowed))}")
        if self.capacity:  # 0 is no choice of a call
            check_capacity(self.capacity)

    @property
    def included(self) -> str:
        """Name of the program's header, as in an #include."""
        return own_header(self.algorithm) if self.header else f"hls/algorithm/{self.algorithm}.h"

    def read(self, include: str, name: str) -> str:
        """Text of a header that the kernels need, by its name in an #include."""
        return self.header if self.header and name == self.included else read_text(include, name)


def own_header(algorithm: str) -> str:
    """Name of the header of a user's program."""
    return f"{algorithm}.program.h"


class Pipeline(NamedTuple):
    """Kernels that take a super-step together, as hls/kernel/pipelines.h has them."""

    name: str
    gather_scatter: str
    apply: str
    edges: str  # layout: plain or packed
    lanes: int  # this and the next: unless told otherwise
    pes: int
    most_capacity: int
    dense: str = ""  # of two kinds of pipelines, that for dense partitions; `gather_scatter` then is the sparse one

    @property
    def kernels(self) -> tuple[str, ...]:
        """Names of its kernels, in the order of a super-step."""
        return tuple(filter(None, (self.dense, self.gather_scatter, self.apply)))


class Alone(NamedTuple):
    """A kernel that is no part of a pipeline, as its table of ports has it."""

    name: str
    algorithm: str  # that it computes
    number: str  # its number format, where no hooks choose one: of an algorithm of the CPU; else ""
    units: tuple[int, ...]  # how many there may be, ascending
    most_capacity: int  # 0: it keeps no vertices on the chip
    vertex_bits: int  # that it keeps of each
    beside: str  # the kernel whose region its top has too, for a launch to run either; else ""
    numbers: tuple[str, ...]  # those that its top may be of, where it runs no hooks, but their number; else none
    method: str  # of its algorithm, that runs it on a card; "": none does
    design: str  # likewise: what an option calls it that is for all such kernels


_ROW = re.compile(
    r'    \{"(\w+)", PortKind::k(Read|Write|Scalar|Send|Take), "([\w:]+)", '
    r'Each::k(One|IfWeighted|Unit|Aux|ArgWord), Bank::k(\w+), "(\w+)"(, kAhead)?\},'
)
_TABLE = re.compile(r"^constexpr Port kPorts\[\] = \{\n(.*?)^\};", re.MULTILINE | re.DOTALL)
_INSTANCES = re.compile(r"^constexpr Each kInstances = Each::k(One|Unit);$", re.MULTILINE)
_SHORT_NAME = re.compile(r'^constexpr const char\* kShortName = "(\w+)";$', re.MULTILINE)
_UNITS = re.compile(r"^constexpr int kUnits\[\] = \{(\d+(?:, \d+)*)\};$", re.MULTILINE)
_NUMBERS = re.compile(r'^constexpr const char\* kNumbers\[\] = \{("\w+"(?:, "\w+")*)\};$', re.MULTILINE)
_VERTEX_BITS = re.compile(r"^constexpr int kVertexBits = (\d+);", re.MULTILINE)
_MOST_CAPACITY = re.compile(r"^constexpr int kMostCapacity = (\d+);", re.MULTILINE)
_PIPELINES = re.compile(r"^constexpr Pipeline kPipelines\[\] = \{\n(.*?)^\};", re.MULTILINE | re.DOTALL)
_PIPELINE = re.compile(r'    \{"(\w+)", "(\w+)", "(\w+)", EdgeLayout::k(\w+), (\d+), (\d+), (\d+), "(\w*)"\},')


def read_text(include: str, name: str) -> str:
    """Text of a file of hls/, by its name in an #include."""
    with open(os.path.join(include, *name.split("/")), encoding="utf-8") as file:
        return file.read()


def all_kernels(include: str) -> list[str]:
    """Names of the kernels: those of the tables of ports in hls/kernel, sorted."""
    names = os.listdir(os.path.join(include, "hls", "kernel"))
    return sorted(name.removesuffix(".ports.h") for name in names if name.endswith(".ports.h"))


def pipelines(include: str) -> dict[str, Pipeline]:
    """Pipelines by their names, the plain one first."""
    path = "hls/kernel/pipelines.h"
    table = _PIPELINES.search(read_text(include, path))
    found = {}
    for line in table[1].splitlines() if table else []:
        row = _PIPELINE.fullmatch(line)
        if row is None:
            raise ValueError(f"{path}: {line.strip()!r} is no row of the table of pipelines")
        name, scatter, apply, edges, lanes, pes, most, dense = row.groups()
        found[name] = Pipeline(name, scatter, apply, edges.lower(), int(lanes), int(pes), int(most), dense)
    if not found:
        raise ValueError(f"{path} has no table of pipelines")
    return found


def pipeline(include: str, config: str) -> Pipeline:
    """Return one by its name."""
    known = pipelines(include)
    if config not in known:
        allowed = ", ".join([*known, *kernels_alone(include)])
        only_predicted = "others can only be predicted: there are no kernels"
        raise ValueError(f"config is {config!r}; allowed are {allowed} ({only_predicted})")
    return known[config]


def kernels_alone(include: str) -> dict[str, Alone]:
    """Kernels that are no part of a pipeline, by their names, each of which is a `config`."""
    found = (kernel_alone(include, name) for name in all_kernels(include))
    return {kernel.name: kernel for kernel in found if kernel is not None}


def kernel_alone(include: str, config: str) -> Alone | None:
    """Return the kernel of that name, if it is one that is no part of a pipeline."""
    try:
        text = read_text(include, f"hls/kernel/{config}.ports.h")
    except FileNotFoundError:  # of a pipeline, as a rule
        return None
    return _alone(config, text)


@functools.lru_cache(maxsize=256)
def _alone(name: str, text: str) -> Alone | None:
    algorithm, number, beside = (_said(text, each) for each in ("kAlgorithm", "kNumber", "kBeside"))
    if not algorithm:
        return None
    bits, listed = _VERTEX_BITS.search(text), _NUMBERS.search(text)
    units, most_capacity = (_in_table(name, text, pattern) for pattern in (_UNITS, _MOST_CAPACITY))
    sizes = tuple(map(int, units.split(", "))), int(most_capacity), int(bits[1]) if bits else 1
    numbers = tuple(listed[1].replace('"', "").split(", ")) if listed else ()
    return Alone(name, algorithm, number, *sizes, beside, numbers, _said(text, "kMethod"), _said(text, "kDesign"))


def _said(text: str, constant: str) -> str:
    found = re.search(rf'^constexpr const char\* {constant} = "(\w+)";', text, re.MULTILINE)
    return found[1] if found else ""


def kernels_of(include: str, design: Design) -> tuple[str, ...]:
    """Kernels that a design is built of."""
    if kernel_alone(include, design.config):
        return (design.config,)
    return pipeline(include, design.config).kernels


def _of_table(include: str, kernel: str, pattern: re.Pattern[str]) -> str:
    return _in_table(kernel, read_text(include, f"hls/kernel/{kernel}.ports.h"), pattern)


def _in_table(kernel: str, text: str, pattern: re.Pattern[str]) -> str:
    found = pattern.search(text)
    if found is None:
        raise ValueError(f"hls/kernel/{kernel}.ports.h lacks a line like {pattern.pattern}")
    return found[1]


def is_per_unit(include: str, kernel: str) -> bool:
    """Whether every compute unit has one, or all have one together."""
    return _of_table(include, kernel, _INSTANCES) == "Unit"


def short_name(include: str, kernel: str) -> str:
    """Name of a kernel in names of functions and compute units."""
    return _of_table(include, kernel, _SHORT_NAME)


def read_ports(include: str, kernel: str) -> list[tuple[str, str, str, str, str, str, bool]]:
    """Rows of a kernel's table, hls/kernel/<name>.ports.h: name, kind, type, each, bank, bundle, ahead."""
    path = f"hls/kernel/{kernel}.ports.h"
    table = _TABLE.search(read_text(include, path))
    if table is None:
        raise ValueError(f"{path} has no table of ports")
    rows = []
    for line in table[1].splitlines():
        found = _ROW.fullmatch(line)
        if found is None:
            raise ValueError(f"{path}: {line.strip()!r} is no row of a table of ports")
        name, kind, element, each, bank, bundle, ahead = found.groups()
        known_bank = "" if bank == "None" else bank.lower()
        rows.append((name, kind.lower(), element, each, known_bank, bundle, ahead is not None))
    return rows


def ports(include: str, kernel: str, design: Design) -> list[Port]:
    """Arguments of a kernel, in their order."""
    num = {"One": 1, "IfWeighted": design.weighted, "Unit": design.units, "Aux": design.num_aux, "ArgWord": ARG_WORDS}
    shared, found = not is_per_unit(include, kernel), []
    for name, kind, element, each, bank, bundle, ahead in read_ports(include, kernel):
        for i in range(num[each]):
            suffix = "" if each in ("One", "IfWeighted") else f"_{i}"
            axi = f"gmem_{bundle}{suffix}" if kind in (READ, WRITE) else bundle
            unit = unit_of_memory(each, bank, i, design.units) if shared else 0
            found.append(Port(name + suffix, kind, element, bank, axi, name, unit, ahead))
    return found


def render(text: str, names: Mapping[str, str]) -> str:
    """Replace every @name@ of a template; one that `names` lacks is an error."""
    return re.sub(r"@(\w+)@", lambda found: names[found[1]], text)


def render_kernel(include: str, kernel: str, design: Design, name: str) -> str:
    """Return the source of a kernel as Vitis reads it; `name` is that of its function."""
    found = ports(include, kernel, design)
    expanded = _expand(include, kernel, design, found)
    other = _said(read_text(include, f"hls/kernel/{kernel}.ports.h"), "kBeside")
    beside = _expand(include, other, design, found) if other else _region.Region([], [])
    names = {
        "kernel": name,
        "algorithm": design.algorithm,
        "number": NUMBERS[design.number],
        "header": design.included,
        "units": str(design.units),
        "num_aux": str(design.num_aux),
        "lanes": str(design.lanes),
        "pes": str(design.pes),
        "capacity": str(design.capacity),
        "declarations": "\n".join(dict.fromkeys(expanded.declarations + beside.declarations)),
        "parameters": ",\n    ".join(parameter(port) for port in found),
        "controls": "\n".join(f"    control.take({port.name}[state]);" for port in found if port.row == found[0].row),
        "interfaces": "\n".join(line for port in found for line in interface(port))
        + "\n#pragma HLS INTERFACE s_axilite port = return bundle = control",
    }
    for part, region in (("region", expanded), ("beside", beside)):
        names[part] = "\n".join(f"  {line}" for line in region.statements)
        taken = [port for port in found if re.search(rf"\b{port.name}\b", names[part])]
        names[f"{part}_parameters"] = ",\n    ".join(map(parameter, taken))
        names[f"{part}_arguments"] = ", ".join(port.name for port in taken)
    return render(read_text(include, f"hls/kernel/{kernel}.cpp.in"), names)


def _expand(include: str, kernel: str, design: Design, found: list[Port]) -> _region.Region:
    known = {
        "units": design.units,
        "most_units": design.units,
        "weighted": design.weighted,
        "Width::kLanes": design.lanes,
        "Width::kPes": design.pes,
        "Width::kMaxCapacity": design.capacity,
        "Traits<Hooks>::kAux": design.num_aux,
        "Traits<Hooks>::kAuxSlots": max(design.num_aux, 1),
    }
    names: dict[str, list[str]] = {}
    for port in found:
        names.setdefault(port.row, []).append(port.name)
    indexed = {port.row for port in found if port.name != port.row}
    return _region.expand(lambda name: read_text(include, name), kernel, known, names, indexed)


def headers(include: str, design: Design) -> list[str]:
    """Headers that the kernels need under Vitis, those of headers too, sorted."""
    found: set[str] = set()
    waiting = [render_kernel(include, kernel, design, "kernel") for kernel in kernels_of(include, design)]
    while waiting:
        text = waiting.pop()
        for name in re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', text, re.MULTILINE):
            is_known = name.startswith("hls/") or name == design.included
            if not is_known and text == design.header:
                raise ValueError(f'{design.algorithm} includes "{name}", which no build has; put its text in its place')
            if is_known and name not in found and not name.startswith("hls/emulator/"):
                found.add(name)
                waiting.append(design.read(include, name))
    return sorted(found)


def digest(include: str, design: Design) -> str:
    """SHA-256 of what the kernels are made from: sources, ports and configuration, no versions, boards or words.

    Equal digests mean that a host may use an xclbin; what it was built for, its platform's own id says.
    """
    kernels = kernels_of(include, design)
    sources = [render_kernel(include, kernel, design, "kernel") for kernel in kernels]
    texts = {name: design.read(include, name) for name in headers(include, design)}
    described = {
        "kernels": [meaning(source) for source in sources],
        "headers": {n: user_meaning(text) if text == design.header else meaning(text) for n, text in texts.items()},
        "ports": [[list(port) for port in ports(include, kernel, design)] for kernel in kernels],
        "design": {**asdict(design), "header": ""},
    }
    return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()


class KernelName(NamedTuple):
    """What a kernel's name tells of it."""

    kernel: str  # one of all_kernels()
    digest: str  # its first 16 digits
    lanes: int = 0  # this and the rest: of a kernel per compute unit, 0 for others
    pes: int = 0  # this and the next also of a kernel alone that keeps vertices on the chip
    capacity: int = 0


_NAME = re.compile(r"([a-z]\w*?)(?:(?:_(8|16))?_(2|4|8|16)_([1-9a-f][0-9a-f]{0,6}))?_([0-9a-f]{16})")


def kernel_name(include: str, kernel: str, design: Design, digest: str) -> str:
    """Name of a kernel's function, from which an xclbin is known: gs_LANES_PES_(CAPACITY / 16)_DIGEST.

    Short, for an xclbin has 63 characters for `kernel:instance`. A kernel that units share has no sizes in it; one that
    is alone has PEs, and no lanes.
    """
    sizes = f"_{design.lanes}_{design.pes}_{design.capacity // 16:x}" if is_per_unit(include, kernel) else ""
    if design.config == kernel and design.capacity:
        sizes = f"_{design.units}_{design.capacity // 16:x}"
    return f"{short_name(include, kernel)}{sizes}_{digest[:16]}"


def parse_kernel_name(include: str, name: str) -> KernelName | None:
    """Return what a name by `kernel_name` says; None for any other."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    short, lanes, pes, capacity, digest = found.groups()
    kernel = next((kernel for kernel in all_kernels(include) if short_name(include, kernel) == short), None)
    if kernel is None or is_per_unit(include, kernel) != (lanes is not None):
        return None
    alone = kernel_alone(include, kernel)
    has_sizes = lanes is not None or (alone is not None and alone.most_capacity > 0)
    if pes is None:
        return None if has_sizes else KernelName(kernel, digest)
    if not has_sizes or int(pes) not in (PES if alone is None else alone.units):
        return None
    return KernelName(kernel, digest, int(lanes or 0), int(pes), 16 * int(capacity, 16))


def units_of(include: str, kernel: str, design: Design) -> range:
    """Numbers of the compute units that are instances of a kernel: all, or of two kinds the dense ones first."""
    if not is_per_unit(include, kernel) or kernel_alone(include, design.config):
        return range(design.units if is_per_unit(include, kernel) else 1)
    dense = pipeline(include, design.config).dense
    num_dense = _kinds.dense_units(lambda name: read_text(include, name), design.units) if dense else 0
    return range(num_dense) if kernel == dense else range(num_dense, design.units)


def instances(include: str, kernel: str, design: Design) -> list[str]:
    """Names of a kernel's compute units: gs_1, gs_2, ..., apply_1."""
    return [f"{short_name(include, kernel)}_{i + 1}" for i in range(len(units_of(include, kernel, design)))]
