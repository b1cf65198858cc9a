# SPDX-License-Identifier: Apache-2.0
"""Makes the C++ of leaves: the `extern "C"` functions that become circuits, and a testbench of each for Verilator."""

from __future__ import annotations

from pathlib import Path

from leaf import PROGRAMS, Leaf, Memory, Stream

_SLOW = Path(__file__).resolve().parent / "slow.h"  # whatever repository is measured
_HEAD = f"""#include "hls/algorithm/bfs.h"
#include "hls/algorithm/closeness.h"
#include "hls/algorithm/pagerank.h"
#include "hls/algorithm/sssp.h"
#include "hls/kernel/apply.h"
#include "hls/kernel/graphops_conductance.h"
#include "hls/kernel/graphops_vertex_cover.h"
#include "hls/kernel/delta_stepping.h"
#include "hls/kernel/pull_bfs.h"
#include "hls/kernel/apply_parts.h"
#include "hls/kernel/dense_gather_scatter.h"
#include "hls/kernel/packed_gather_scatter.h"
#include "{_SLOW}"
using namespace gaspipe;
using U = std::uint32_t;
using L = std::uint64_t;
using B = BitSet<512>;
"""


def source(leaves: list[Leaf]) -> str:
    """Return the file of the leaves that become circuits."""
    out = [_HEAD]
    for leaf in leaves:
        params = [f"{type_} {name}" for name, type_, _ in leaf.scalars]
        params += [f"{'' if m.is_written else 'const '}Word<{m.value}>* {m.name}" for m in leaf.memories]
        params += [_parameter(s) for s in (*leaf.inputs, *leaf.outputs)]
        body = f"using Hooks = {PROGRAMS[leaf.program]}; " if leaf.program else ""
        head = f'extern "C" __attribute__((flatten)) void {leaf.name}({", ".join(params)})'
        out.append(f"{head} {{ {body}gaspipe::{leaf.call}; }}")
    return "\n".join(out) + "\n"


def _parameter(s: Stream) -> str:
    return f"stream<{s.token}> (&{s.name})[{s.count}]" if s.count else f"stream<{s.token}>& {s.name}"


def _ports(s: Stream) -> list[tuple[str, str]]:
    """Return the ports of a stream, each with the suffix of its variables."""
    return [(f"{s.name}_{i}", f"[{i}]") for i in range(s.count)] if s.count else [(s.name, "")]


def testbench(leaf: Leaf) -> str:
    """Return the program that compares a leaf's circuit with the emulator: its output is a line of JSON."""
    both = [*leaf.inputs, *leaf.outputs]
    out = [f'#include "V{leaf.name}.h"', '#include "bench.h"']
    out += ["using namespace gaspipe;", "using namespace gaspipe::rtl;"]
    if leaf.program:
        out.append(f"using Hooks = {PROGRAMS[leaf.program]};")
    out += ["int main() {", "  Random random(7);"]
    out += [f"  const {type_} {name} = {value};" for name, type_, value in leaf.scalars]
    out += [f"  {leaf.data}"] if leaf.data else []
    for s in leaf.inputs:
        for port, at in _ports(s):
            index = f"const int i = {at[1:-1]}; static_cast<void>(i); " if at else ""
            tokens = s.each or s.tokens
            out.append(f"  const std::vector<{s.token}> in_{port} = [&] {{ {index}return {tokens}; }}();")
    for m in leaf.memories:
        out.append(f"  std::vector<Word<{m.value}>> first_{m.name} = {m.words};")
    for s in leaf.outputs:
        out += [f"  std::vector<{s.token}> want_{port};" for port, _ in _ports(s)]
    out += _emulated(leaf, both)
    out += ["  const long emulated = long(emulator::Engine::last_cycles());", "  long bad = 0, cycles = 0;"]
    out += ["  for (int stall : {0, 3}) {", *_simulated(leaf), "  }"]
    out.append('  std::printf("{\\"bad\\": %ld, \\"rtl\\": %ld, \\"emulator\\": %ld}\\n", bad, cycles, emulated);')
    return "\n".join([*out, "  return 0;", "}"]) + "\n"


def _pointers(leaf: Leaf, prefix: str) -> list[str]:
    return [f"    Word<{m.value}>* const {m.name} = {prefix}_{m.name}.data();" for m in leaf.memories]


def _emulated(leaf: Leaf, both: list[Stream]) -> list[str]:
    """Return the leaf in the emulator: at first untimed, to know how many tokens come out."""
    out = []
    for m in leaf.memories:
        out.append(f"  std::vector<Word<{m.value}>> want_{m.name} = first_{m.name};")
    for s in leaf.outputs:
        out += [f"  std::size_t num_{port} = 0;" for port, _ in _ports(s)]
    out += ["  {", *_pointers(leaf, "want")]
    for s in both:
        out.append(f"    stream<{s.token}> {s.name}{f'[{s.count}]' if s.count else ''};")
    for s in leaf.inputs:
        out += [f"    for (const auto& t : in_{port}) {s.name}{at}.write(t);" for port, at in _ports(s)]
    out.append(f"    {leaf.call};")
    for s in leaf.outputs:
        out += [f"    num_{port} = {s.name}{at}.size();" for port, at in _ports(s)]
    for m in leaf.memories:
        out.append(f"    want_{m.name} = first_{m.name};")
    out += ["  }", "  {", *_pointers(leaf, "want")]
    out.append("    GASPIPE_DATAFLOW;")
    for s in both:
        out.append(f"    using T_{s.name} = {s.token};")
        many = f"S(T_{s.name}, {s.name}, {s.count}" if s.count else f"(T_{s.name}, {s.name}"
        out.append(f"    GASPIPE_STREAM{many}, 1 << 20);")
    for s in leaf.inputs:
        out += [f"    GASPIPE_TASK(feed(in_{port}, {s.name}{at}));" for port, at in _ports(s)]
    out.append(f"    GASPIPE_TASK({leaf.call});")
    for s in leaf.outputs:
        out += [f"    GASPIPE_TASK(drain({s.name}{at}, num_{port}, want_{port}));" for port, at in _ports(s)]
    return [*out, "    GASPIPE_RUN;", "  }"]


def _simulated(leaf: Leaf) -> list[str]:
    out = [f"    auto dut = std::make_unique<V{leaf.name}>();"]
    out += [f"    dut->p_{name} = {name};" for name, _, _ in leaf.scalars]
    ins, outs, reads, writes = [], [], [], []
    for s in leaf.inputs:
        for p, _ in _ports(s):
            ins.append(f"&i_{p}")
            out.append(f"    In i_{p} = in<{s.token}>(dut->{p}_dout, dut->{p}_empty_n, dut->{p}_read, in_{p});")
    for s in leaf.outputs:
        for p, _ in _ports(s):
            outs.append(f"&o_{p}")
            out.append(f"    Out o_{p} = out<{s.token}>(dut->{p}_din, dut->{p}_full_n, dut->{p}_write);")
    for m in leaf.memories:
        out += _bus(m)
        (writes if m.is_written else reads).append(f"&b_{m.name}")
    lists = ", ".join(f"{{{', '.join(names)}}}" for names in (ins, outs, reads, writes))
    out.append(f"    const long c = simulate(*dut, {lists}, stall);")
    out += ["    if (stall == 0) cycles = c;", "    bad += c < 0;"]
    for s in leaf.outputs:
        out += [f"    bad += differences(want_{p}, of_bytes<{s.token}>(o_{p}.tokens));" for p, _ in _ports(s)]
    for s in leaf.inputs:
        out += [f"    bad += i_{p}.at != in_{p}.size();" for p, _ in _ports(s)]
    return out + [f"    bad += differences(want_{m.name}, words_{m.name});" for m in leaf.memories if m.is_written]


def _bus(m: Memory) -> list[str]:
    n, copy = m.name, f"    std::vector<Word<{m.value}>> words_{m.name} = first_{m.name};"
    if m.is_written:
        ports = f"dut->{n}_wdata, dut->{n}_waddr, dut->{n}_wmask, dut->{n}_write, dut->{n}_wready"
        return [copy, f"    WriteBus b_{n} = write_bus<{m.value}>({ports}, words_{n});"]
    ports = f"dut->{n}_rdata, dut->{n}_raddr, dut->{n}_read, dut->{n}_rvalid"
    return [copy, f"    ReadBus b_{n} = read_bus<{m.value}>({ports}, words_{n});"]
