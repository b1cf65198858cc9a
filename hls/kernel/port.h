// SPDX-License-Identifier: Apache-2.0
// What a kernel says of itself in hls/kernel/<name>.ports.h: its ports, in the order of their arguments. From these
// tables the tops' signatures and pragmas, the link configuration, the manifest and the host's arguments are made. C++
// uses the tables as they are; Python reads their text (python/gaspipe/_card/kernels.py), so that a description is
// neither generated nor written twice: one row per line, and no other lines in a table. Memory ports are 512 bits wide,
// scalars 32.
#pragma once

#include "hls/kernel/units.h"

namespace gaspipe {

// Memory that is read or written; a number; a stream to or from another kernel.
enum class PortKind { kRead, kWrite, kScalar, kSend, kTake };
constexpr bool is_memory(PortKind kind) { return kind == PortKind::kRead || kind == PortKind::kWrite; }

// How many there are of a port, or of a kernel. More than one port are called name_0, name_1, ...
enum class Each { kOne, kIfWeighted, kUnit, kAux, kArgWord };

// Which of a compute unit's memories a port leads to: edges in destination ranges (the first three), arrays by vertex,
// and the other forms of a graph that a device holds (gaspipe/device_graph.h). In a kernel of which there is one, what
// is not per unit is spread over the units (unit_of_memory), or lies in one of kMemoriesOfApply memories behind those
// of all units: what it reads of vertices (kOld), what it writes (kNew), and its inputs, every other in the same.
enum class Bank { kNone, kSources, kDestinations, kWeights, kVertices, kRows, kReplicas, kSets, kOld, kNew, kInputs };
constexpr int kMemoriesOfApply = 4;

struct Port {
  const char* name;
  PortKind kind;
  const char* type;  // of a word's lanes, or of the scalar, as the tops name it
  Each each;
  Bank bank;
  // An AXI port, numbered as the port; in a region, may be shared by one that reads and one that writes. Of a stream,
  // what both of its ends are called.
  const char* bundle;
  bool ahead = false;  // kAhead: a short range at a time, many of them under way; so are all ports of the bundle
};
constexpr bool kAhead = true;

// What a kernel's number of ports depends on. The index of an argument is the number of those before it.
struct KernelShape {
  bool weighted;
  int units, num_aux;
};

constexpr int num_of(Each each, const KernelShape& shape) {
  return each == Each::kIfWeighted ? int(shape.weighted)
         : each == Each::kUnit     ? shape.units
         : each == Each::kAux      ? shape.num_aux
         : each == Each::kArgWord  ? kArgWords
                                   : 1;
}

// Of a kernel of which there is one: the unit to whose memory the i-th port of a row leads. Every unit's memory has as
// much of what there is for each, so the rest is spread: the first input lies behind the old properties.
constexpr int unit_of_memory(Each each, int i, int units) {
  return each == Each::kUnit ? i : (each == Each::kAux ? 2 + i : 1) % units;
}

}  // namespace gaspipe
