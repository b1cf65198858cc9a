# SPDX-License-Identifier: Apache-2.0
"""The compiled libraries of a custom algorithm: one for each kind of device."""

from __future__ import annotations

import functools

from .. import _compile, _core
from .._core import InputError
from .._executors import CPU
from .cpp import KEYWORDS, Definition, header_name, kernel_header, library_source, program_header
from .orders import orders_source
from .snippet import lint


def _places(device: str) -> str:
    """Names of what a library has for a device."""
    return _core.find_executor(device).places


class Libraries:
    """Libraries of an algorithm, each compiled when a device first needs it.

    Attributes
    ----------
    header, kernel_header : str
        Text of the program's C++ header, and of the part that kernels include.

    """

    def __init__(self, definition: Definition, text: str | None) -> None:
        self.definition = definition
        self.header, self._quoted = program_header(definition)
        self.kernel_header = kernel_header(definition)
        if text is not None:
            self._quoted[definition.file_name] = text
        self._programs: dict[str, _core.Program] = {}

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_programs": {}}  # another process loads its own

    def program(self, device: str, also_cpu: bool = False) -> _core.Program:
        """Return what runs on a device, and on request on the CPU as well."""
        places, on_cpu = _places(device), _places(CPU)
        if also_cpu and places != on_cpu:
            places = f"{on_cpu}, {places}"
        if places not in self._programs:
            self._programs[places] = _core.load_program(self.path(device, places), self.definition.name)
        return self._programs[places]

    def path(self, device: str, places: str = "") -> str:
        """Path of the library for a device, compiled if need be."""
        d = self.definition
        if _core.find_executor(device).has_kernels:
            self.check_hardware(device)
        source = library_source(d, places or _places(device))
        return _compile.library(d.name, {"gaspipe.cpp": source, header_name(d): self.header}, self._quoted)

    def orders_path(self) -> str:
        """Path of the library that merges updates in any order, compiled if need be."""
        d = self.definition
        sources = {"gaspipe.cpp": orders_source(d), header_name(d): self.header}
        return _compile.library(d.name, sources, self._quoted)

    @functools.cached_property
    def faults(self) -> list[str]:
        """What of the hooks cannot become hardware."""
        hooks = {self.definition.file_name} | {f"{self.definition.name}.{key}" for key in KEYWORDS}
        return [f for name, text in self._quoted.items() if name in hooks for f in lint(text, name)]

    def check_hardware(self, device: str) -> None:
        """Refuse hooks that cannot become hardware, which the emulator is to predict."""
        faults = self.faults
        if faults:
            more = f"\n({len(faults) - 5} more)" if len(faults) > 5 else ""
            raise InputError(
                f"{self.definition.name} cannot run with device={device!r}, which takes what can be hardware; "
                "device='cpu' can:\n" + "\n".join(faults[:5]) + more
            )
