# SPDX-License-Identifier: Apache-2.0
"""Measures a leaf: its circuit's tokens and cycles against the emulator's (Verilator), LUTs and recurrence (yosys)."""

from __future__ import annotations

import csv
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType

import bench
from leaf import Leaf

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
TABLE = HERE / "leaves.csv"
# What may differ from the table before it has to be written anew: yosys' versions and small changes of the code.
LUT_MARGIN, CLOCK_MARGIN = 0.05, 0.05


def _package() -> ModuleType:
    """Return this repository's gaspipe._circuit, which needs nothing of gaspipe to be built."""
    name, folder = "gaspipe_circuit", REPOSITORY / "python" / "gaspipe" / "_circuit"
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


circuit = _package()
_CIRCUIT = Path(circuit.__file__).parent
# Returns what was made under a key, for a file of that purpose, or makes it.
Keep = Callable[[Path, str, Callable[[], dict]], dict]


@dataclass(frozen=True)
class Measure:
    """What was found of a leaf; what was not asked for is None."""

    leaf: str
    luts: int | None = None
    levels: int | None = None
    mhz: int | None = None  # that the recurrence allows; 9999 without one
    bad: int | None = None  # tokens that differ, ends that are missing
    rtl: int | None = None  # cycles
    emulator: int | None = None
    warnings: tuple[str, ...] = ()

    def line(self) -> str:
        """Return it as a line of a report."""
        out = f"{self.leaf:32s}"
        if self.luts is not None:
            out += f" {self.luts:6d} LUT {self.levels:3d} levels {self.mhz:5d} MHz"
        if self.bad is not None:
            equal = "equal" if self.bad == 0 else "DIFFERENT"
            out += f"  tokens {equal}, cycles {self.rtl}, emulator {self.emulator}"
        return out + "".join(f"\n    {w}" for w in self.warnings)


def measure(
    leaf: Leaf,
    repository: Path,
    work: Path,
    *,
    simulate: bool = True,
    synthesize: bool = True,
    emulated: Path = REPOSITORY,
    keep: Keep | None = None,
) -> Measure:
    """Measure a leaf of a repository; what was measured of the same code before is kept in `work`, or by `keep`.

    The emulator, that the circuit is compared with, is of the repository `emulated`.
    """
    keep = keep or _kept
    folder = work / leaf.name
    folder.mkdir(parents=True, exist_ok=True)
    source, test = folder / f"{leaf.name}_leaf.cpp", folder / "testbench.cpp"
    source.write_text(bench.source([leaf]), encoding="utf-8")
    test.write_text(bench.testbench(leaf), encoding="utf-8")
    leaves = circuit.Leaves(source, repository, folder)
    made = leaves.circuit(leaf.name, joined=leaf.joined)
    arrays = leaves.undeclared_arrays(leaf.name)
    warnings = [*made.warnings, *(f"{a}: {n} variable indices, no ARRAY_PARTITION" for a, n in arrays.items())]
    found = Measure(leaf.name, warnings=tuple(warnings))
    values = asdict(found)
    if synthesize:
        key = made.synthesized + digests([_CIRCUIT / "synthesis.py", *sorted(_CIRCUIT.glob("operator/*.v"))])
        values.update(keep(folder / "cost.json", key, lambda: _cost(made, folder)))
    if simulate:
        key = made.text + test.read_text(encoding="utf-8") + headers(emulated)
        key += digests([HERE / "bench.h", *sorted(HERE.glob("*tokens.h"))])
        values.update(keep(folder / "bench.json", key, lambda: _bench(leaf.name, made.text, test, emulated)))
    return Measure(**values)


def _kept(file: Path, key: str, make: Callable[[], dict]) -> dict:
    """Return what a file holds under a key, or make it."""
    digest = hashlib.sha256(key.encode()).hexdigest()
    if file.exists():
        kept = json.loads(file.read_text(encoding="utf-8"))
        if kept["digest"] == digest:
            return kept["values"]
    values = make()
    file.write_text(json.dumps({"digest": digest, "values": values}), encoding="utf-8")
    return values


def digests(files: list[Path]) -> str:
    return "".join(hashlib.sha256(f.read_bytes()).hexdigest() for f in files)


def headers(repository: Path) -> str:
    """Return the digests of a repository's headers."""
    return digests(sorted((repository / "hls").rglob("*.h")))


def _cost(made, folder: Path) -> dict:
    cost = circuit.synthesize(made, folder)
    return {"luts": cost.luts, "levels": cost.levels, "mhz": round(min(cost.mhz, 9999))}


def _bench(name: str, text: str, test: Path, repository: Path) -> dict:
    """Run the circuit and the emulator on the same tokens."""
    folder = test.parent
    (folder / f"{name}.v").write_text(text, encoding="utf-8")
    program = verilate(name, [folder / f"{name}.v", test], folder / "obj", repository)
    return json.loads(run([str(program)]).splitlines()[-1])


def verilate(top: str, files: list[Path], objects: Path, repository: Path) -> Path:
    """Return the program of modules and C++ that drives the one called `top`; headers are those of a repository."""
    shutil.rmtree(objects, ignore_errors=True)
    flags = f"-std=c++17 -O1 -w -fno-strict-aliasing -ftrivial-auto-var-init=zero -I{repository} -I{HERE}"
    warnings = ["-Wno-fatal", "-Wno-WIDTH", "-Wno-UNOPTFLAT", "-Wno-STMTDLY", "-Wno-UNSIGNED"]
    command = ["verilator", "-O3", "--cc", "--exe", "--build", "-j", "1", "--x-initial", "0", *warnings]
    command += ["--top-module", top, "--Mdir", str(objects), "-CFLAGS", flags, *map(str, files)]
    run(command)
    return objects / f"V{top}"


def run(command: list[str]) -> str:
    # Verilator's own sources are compiled for every program, a third of its time: ccache has them from the first.
    environment = {"OBJCACHE": "ccache", **os.environ} if shutil.which("ccache") else None
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environment)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed:\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


def read_table(file: Path = TABLE) -> dict[str, dict[str, int]]:
    """Return LUTs, levels, clock and cycles that are committed, by leaf."""
    with file.open(encoding="utf-8", newline="") as text:
        return {row.pop("leaf"): {k: int(v) for k, v in row.items() if v} for row in csv.DictReader(text)}


def write_table(found: list[Measure], file: Path = TABLE) -> None:
    """Write the table; rows of leaves that were not measured stay."""
    rows = read_table(file) if file.exists() else {}
    for m in found:
        values = {k: getattr(m, k) for k in ("luts", "levels", "mhz", "rtl", "emulator")}
        rows[m.leaf] = {**rows.get(m.leaf, {}), **{k: v for k, v in values.items() if v is not None}}
    with file.open("w", encoding="utf-8", newline="") as text:
        writer = csv.DictWriter(text, ["leaf", "luts", "levels", "mhz", "rtl", "emulator"], lineterminator="\n")
        writer.writeheader()
        writer.writerows({"leaf": leaf, **row} for leaf, row in sorted(rows.items()))


def findings(m: Measure, table: dict[str, dict[str, int]]) -> list[str]:
    """Return what is wrong with a leaf: unequal to the emulator, or worse than the table has it."""
    out = list(m.warnings)
    if m.bad:
        out.append(f"{m.bad} tokens or words differ from the emulator's")
    pinned = table.get(m.leaf)
    if pinned is None:
        return [*out, "no row in leaves.csv: tests/rtl/run --update writes it"]
    if m.rtl is not None and m.emulator is not None:
        # A cycle more where a loop begins or ends within a loop: a task's own, which the emulator does not count.
        known = max(16, abs(pinned.get("rtl", 0) - pinned.get("emulator", 0)))
        if abs(m.rtl - m.emulator) > known + m.emulator // 500:
            out.append(f"{m.rtl} cycles, the emulator takes {m.emulator}; leaves.csv has a difference of {known}")
    if m.luts is not None and "luts" in pinned and m.luts > pinned["luts"] * (1 + LUT_MARGIN) + 20:
        out.append(f"{m.luts} LUTs, leaves.csv has {pinned['luts']}: tests/rtl/run --update if that is meant")
    if m.mhz is not None and "mhz" in pinned and m.mhz < pinned["mhz"] * (1 - CLOCK_MARGIN):
        out.append(f"{m.mhz} MHz, leaves.csv has {pinned['mhz']}: tests/rtl/run --update if that is meant")
    return out
