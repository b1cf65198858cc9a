# SPDX-License-Identifier: Apache-2.0
"""Eigen's sparse product, from headers in /usr/include/eigen3 or another folder; eigen.cpp is compiled for a run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from cpu.answers import Answer, Told
from cpu.peer import Absent, Program, compile_cpp


class Peer(Program):
    name = "Eigen"
    home = "https://eigen.tuxfamily.org"
    variants: ClassVar = {"spmv32": ("",), "spmv64": ("",)}
    timer = r"^seconds: (\S+)"

    def find(self) -> dict[str, str]:
        headers = Path(self.folder or "/usr/include/eigen3")
        macros = headers / "Eigen/src/Core/util/Macros.h"
        if not macros.is_file():
            raise Absent(f"no Eigen/src/Core/util/Macros.h in {headers}")
        numbers = re.findall(r"^#define EIGEN_(?:WORLD|MAJOR|MINOR)_VERSION (\d+)", macros.read_text(), re.M)
        self.built = self.built or ".".join(numbers)
        return {"": compile_cpp(Path(__file__).with_suffix(".cpp"), "-I", str(headers))}

    def options(self, case: Any, algorithm: str, variant: str, root: int) -> list[object]:
        bits = algorithm[-2:]
        return [case.file("graphw.csr"), case.file(f"vector{bits}"), bits]

    def told(self, case: Any, algorithm: str, variant: str, text: str, dump: Path) -> Answer:
        return np.fromfile(dump, f"float{algorithm[-2:]}") if dump.exists() else Told()
