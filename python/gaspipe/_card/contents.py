# SPDX-License-Identifier: Apache-2.0
"""Which kernels of ours an xclbin holds, by their names."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

from .._core import DeviceError
from .._paths import get_include
from . import kernels as _kernels

if TYPE_CHECKING:
    from .xclbin import Xclbin

LANES, PES = 8, 8  # of a kernel alone, in its design (alone.as_pipeline): it has none
include = functools.cache(get_include)


class Contents(NamedTuple):
    """Kernels of ours in a file, as their names tell them."""

    gather_scatter: str  # the kernels' names
    apply: str  # "": the other one is alone, with PEs in place of units
    digest: str  # its first 16 digits
    lanes: int
    pes: int
    capacity: int
    units: tuple[str, ...]  # instances of gather_scatter, by compute unit; of `dense` before them
    apply_unit: str
    config: str = "plain"  # the pipeline that the kernels make
    dense: str = ""  # of two kinds of pipelines, that for dense partitions
    num_dense: int = 0  # of the units

    @property
    def is_alone(self) -> bool:
        """Whether the kernel is no part of a pipeline."""
        return not self.apply

    @property
    def sizes(self) -> tuple[int, int, int, int, str]:
        """Of the design: units, lanes, PEs, capacity and configuration."""
        if self.is_alone:  # PEs are its units, of which it may have none
            return self.pes or 1, LANES, PES, self.capacity, self.config
        return len(self.units), self.lanes, self.pes, self.capacity, self.config


def contents(xclbin: Xclbin) -> Contents:
    """Kernels of ours in a file; DeviceError where there are none, or not those of one build."""
    folder = include()
    names = dict.fromkeys(unit.kernel for unit in xclbin.units)
    parsed = [(name, _kernels.parse_kernel_name(folder, name)) for name in names]
    ours = [(name, found) for name, found in parsed if found is not None]
    if not ours:
        held = f"kernels of others ({', '.join(names)})" if names else "no kernels"
        raise DeviceError(f"{xclbin.path} holds {held}; gaspipe build makes those that are needed")
    by_kernel = {found.kernel: (name, found) for name, found in ours}
    alone = _kernels.kernel_alone(folder, ours[0][1].kernel)
    if alone is not None and len(ours) == 1:
        return _alone(xclbin, alone, *ours[0])
    pipelines = _kernels.pipelines(folder).values()
    pipeline = next((each for each in pipelines if set(by_kernel) == set(each.kernels)), None)
    if len(ours) != len(by_kernel) or pipeline is None or len({found.digest for _, found in ours}) != 1:
        raise DeviceError(
            f"{xclbin.path} holds the kernels {', '.join(name for name, _ in ours)}; one gather_scatter and one apply "
            "of one build are needed, or a kernel that is alone"
        )
    (scatter, sizes), (apply, _) = by_kernel[pipeline.gather_scatter], by_kernel[pipeline.apply]
    shorts = [_kernels.short_name(folder, kernel) for kernel in pipeline.kernels]
    *found, applies = ([u.instance for u in xclbin.units if u.kernel == by_kernel[k][0]] for k in pipeline.kernels)
    units = [unit for own in found for unit in own]
    wanted = [f"{name}_{i + 1}" for name, own in zip(shorts, found) for i in range(len(own))]
    if sorted(units) != sorted(wanted) or applies != [f"{shorts[-1]}_1"] or len(units) > _kernels.MOST_UNITS:
        raise DeviceError(
            f"{xclbin.path} has the compute units {', '.join(units + applies)}; needed are {shorts[0]}_1 to "
            f"{shorts[0]}_N, with N at most {_kernels.MOST_UNITS}, and {shorts[-1]}_1, as gaspipe build calls them"
        )
    dense = (by_kernel[pipeline.dense][0], len(found[0])) if pipeline.dense else ("", 0)
    return Contents(scatter, apply, *sizes[1:], tuple(wanted), applies[0], pipeline.name, *dense)


def _alone(xclbin: Xclbin, kernel: _kernels.Alone, name: str, sizes: _kernels.KernelName) -> Contents:
    wanted = f"{_kernels.short_name(include(), kernel.name)}_1"
    units = [unit.instance for unit in xclbin.units if unit.kernel == name]
    if units != [wanted]:
        raise DeviceError(
            f"{xclbin.path} has the compute units {', '.join(units)}; needed is {wanted}, as gaspipe build calls it"
        )
    return Contents(name, "", sizes.digest, LANES, sizes.pes, sizes.capacity, (wanted,), "", kernel.name)
