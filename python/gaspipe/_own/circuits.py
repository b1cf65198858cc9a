# SPDX-License-Identifier: Apache-2.0
"""The hooks of an algorithm as circuits: which of them cannot be one, and the clock at which each loop closes.

A loop that starts an iteration every cycle has to finish, in that cycle, what its next iteration needs. Of the hooks
that is `updateMergeInRAWSolver` alone: the window of the hazard solver holds what it merges. Gathering is declared to
come back to a vertex after kRawWindow others, and extras are added by the kernel. The measure is that of `_circuit`.
"""

from __future__ import annotations

import functools
import hashlib
import json
import warnings
from pathlib import Path
from typing import Any, NamedTuple

from .. import _circuit, _compile, _notice, _paths
from .._card.boards import Board
from .._card.kernels import NUMBERS
from .cpp import KEYWORD_OF, Definition, header_name
from .libraries import Libraries

_NOT_MEASURED = "was not measured: "
_MOST_SECONDS = 60  # for the loop that waits for a hook; an addition takes 5
_ASSUMED_CLOCK_MHZ = 250  # as cpp/include/gaspipe/boards.h, where a board's is not known

# Leaves by the hooks in them: the first is the one that a loop waits for, or "".
_LEAVES = {
    "merges": ("updateMergeInRAWSolver", ("updateMergeInRAWSolver",)),
    "scatters": ("", ("preprocessProperty", "scatterFunc", "isActive")),
    "gathers": ("", ("gatherFunc",)),
    "adds": ("", ("applyMerge",)),
    "applies": ("", ("applyFunc", "isSource")),
}
_SOURCE = """#include "hls/module/activity.h"
#include "hls/module/apply.h"
#include "hls/module/property_process.h"
#include "hls/module/raw_solver.h"
#include "hls/module/source_property.h"
#include "{header}"
using namespace gaspipe;
using Hooks = algorithm::{name}::Hooks<{number}>;
using Property = Hooks::Property;
using Value = Traits<Hooks>::Update;
using Weight = Traits<Hooks>::EdgeProperty;
using Aux = Traits<Hooks>::Aux;
using Sum = Traits<Hooks>::Sum;
struct Pair {{ Value a, b; }};
struct Edge {{ Property source; Weight weight; VertexId destination; }};
struct Sent {{ Update<Value> update; bool is_active; }};
struct Vertex {{ Value gathered; Property property; Aux aux[Traits<Hooks>::kAuxSlots]; Traits<Hooks>::Arg arg; }};
struct Applied {{ Property property; Sum sums[Traits<Hooks>::kExtraSlots]; bool sends; }};
extern "C" void merges(stream<UpdateToken<Value>>& in, stream<UpdateToken<Value>>& out) {{ rawSolver<Hooks>(in, out); }}
extern "C" void scatters(stream<Edge>& in, stream<Sent>& out) {{
  while (true) {{
    GASPIPE_PIPELINE(1);
    const Edge e = in.read();
    Sent sent;
    sent.is_active = form_update<Hooks>(source_property<Hooks>(e.source), e.destination, e.weight, sent.update);
    out.write(sent);
  }}
}}
extern "C" void gathers(stream<Pair>& in, stream<Value>& out) {{
  while (true) {{
    GASPIPE_PIPELINE(1);
    const Pair p = in.read();
    out.write(Hooks::gatherFunc(p.a, p.b));
  }}
}}
extern "C" void adds(stream<Pair>& in, stream<Value>& out) {{
  while (true) {{
    GASPIPE_PIPELINE(1);
    const Pair p = in.read();
    out.write(Hooks::applyMerge(p.a, p.b));
  }}
}}
extern "C" void applies(stream<Vertex>& in, stream<Applied>& out) {{
  while (true) {{
    GASPIPE_PIPELINE(1);
    const Vertex v = in.read();
    Applied applied;
    for (int k = 0; k < Traits<Hooks>::kExtraSlots; ++k) {{
      GASPIPE_PRAGMA(HLS UNROLL);
      applied.sums[k] = 0;
    }}
    applied.property = apply_vertex<Hooks>(v.gathered, v.property, v.aux, v.arg, applied.sums);
    applied.sends = sends<Hooks>(v.property, applied.property);
    out.write(applied);
  }}
}}
"""


class Finding(NamedTuple):
    """Of hooks that one loop has."""

    hooks: tuple[str, ...]
    mhz: float  # the clock up to which the loop closes; 0 where it was not measured
    fault: str  # "is no circuit: " and why, with the line, or "was not measured: "; "" if it is one that was measured


class _NotKeptError(Exception):
    """Findings that the next measure may not find: the machine may be less busy."""

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__()
        self.findings = findings


def is_covered(definition: Definition) -> bool:
    """Whether circuits of an algorithm's numbers are made: floating point is not covered."""
    return not any(word in ("float", "double") for word in (definition.word, definition.edge_word))


def missing_packages() -> list[str]:
    """Return Debian's packages that must be installed before hooks are measured."""
    return _circuit.missing_packages()


def findings(definition: Definition, header: str) -> list[Finding]:
    """Return what there is to say of an algorithm's hooks, from the cache of compiled libraries or measured now."""
    source = _SOURCE.format(header=header_name(definition), name=definition.name, number=NUMBERS[definition.prop])
    parts = [source, header, _tool_digest(), _compile.headers_digest(_paths.get_include(), (source, header))]
    key = hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()

    def measure(folder: str, path: str) -> dict[str, Any]:
        with _notice.shown(f"measuring {definition.name}'s hooks as circuits, which takes some seconds ..."):
            found = _measure(Path(folder), definition, source, header)
        if any(f.fault.startswith(_NOT_MEASURED) for f in found):
            raise _NotKeptError(found)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(found, file)
        return {"algorithm": definition.name, "command": ["circuits"]}

    try:
        path, _ = _compile.store.stored(f"{definition.name}-circuits", key, measure)
    except _NotKeptError as error:
        return error.findings
    with open(path, encoding="utf-8") as file:
        return [Finding(tuple(hooks), mhz, fault) for hooks, mhz, fault in json.load(file)]


def _measure(folder: Path, definition: Definition, source: str, header: str) -> list[Finding]:
    file = folder / "circuits.cpp"
    file.write_text(source, encoding="utf-8")
    (folder / header_name(definition)).write_text(header, encoding="utf-8")
    found = []
    try:
        leaves = _circuit.Leaves(file, Path(_paths.get_include()), folder)
    except _circuit.CircuitError as error:
        return [Finding((), 0.0, f"is no circuit: {error}")]
    for name, (waited_for, hooks) in _LEAVES.items():
        try:
            mhz = min(leaves.cost(name, _MOST_SECONDS).mhz, 1e6) if waited_for else 0.0
            if not waited_for:
                leaves.circuit(name)
            found.append(Finding(hooks, mhz, ""))
        except _circuit.NotMeasured as error:
            found.append(Finding(hooks, 0.0, f"{_NOT_MEASURED}{error}"))
        except _circuit.CircuitError as error:
            found.append(Finding(hooks, 0.0, f"is no circuit: {error}"))
    return found


@functools.cache
def _tool_digest() -> str:
    folder = Path(_circuit.__file__).parent
    files = [*sorted(folder.glob("*.py")), *sorted(folder.glob("fifo/*")), *sorted(folder.glob("operator/*"))]
    return "".join(hashlib.sha256(f.read_bytes()).hexdigest() for f in files) + _circuit.identity()


def _keyword(definition: Definition, hook: str) -> str:
    """Return what a hook is called as a keyword: that of gathering where the algorithm merges as it gathers."""
    is_given = hook in definition.bodies or hook in definition.outline.functions
    merges = hook in ("updateMergeInRAWSolver", "applyMerge")
    return "gather" if merges and not is_given else KEYWORD_OF[hook]


def messages(libraries: Libraries, board: Board, clock_mhz: int) -> list[str]:
    """Return a message for every loop that does not close at a clock (0: the board's), and for hooks that are none.

    There is none for floating point, which is not covered, and without the tools; a log record tells of those.
    """
    definition, clock_mhz = libraries.definition, clock_mhz or board.clock_mhz or _ASSUMED_CLOCK_MHZ
    if not is_covered(definition):
        return []
    if packages := missing_packages():
        _notice.logger.info("%s: hooks not measured as circuits; install %s", definition.name, " ".join(packages))
        return []
    out = []
    for finding in findings(definition, libraries.header):
        names = " or ".join(dict.fromkeys(_keyword(definition, hook) for hook in finding.hooks)) or "a hook"
        if finding.fault:
            out.append(f"{definition.name}: {names} {finding.fault}")
        elif finding.mhz and finding.mhz < clock_mhz:
            out.append(
                f"{definition.name}: the loop with {names} closes at {int(finding.mhz)} MHz (yosys, a model of "
                f"UltraScale+'s delays), and the kernels for {board.name} are to run at {clock_mhz}; merge with fewer "
                f"operations one after the other, use smaller numbers, or ask for clock_mhz={int(finding.mhz)}"
            )
    return list(dict.fromkeys(out))


def warn(libraries: Libraries, board: Board, clock_mhz: int) -> None:
    """Warn the caller of a method of the algorithm of those."""
    for message in messages(libraries, board, clock_mhz):
        warnings.warn(message, RuntimeWarning, stacklevel=3)
