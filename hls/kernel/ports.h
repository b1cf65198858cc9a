// SPDX-License-Identifier: Apache-2.0
// The ports of the kernels, in the order of their arguments: the one description from which the tops' signatures and
// pragmas, the link configuration, the manifest and the host's arguments are made. C++ uses the tables as they are;
// Python reads this text (python/gaspipe/_kernels.py), so that a description is neither generated nor written twice:
// one row per line, and no other lines in a table. Memory ports are 512 bits wide, scalars 32.
#pragma once

#include "hls/kernel/units.h"

namespace gaspipe {

enum class PortKind { kRead, kWrite, kScalar };

// How many there are of a port. More than one are called name_0, name_1, ...
enum class Each { kOne, kIfWeighted, kUnit, kAux, kArgWord };

// Which of a compute unit's memories it leads to. What is not per unit in the apply kernel lies with the first unit.
enum class Bank { kNone, kSources, kDestinations, kWeights, kVertices };

struct Port {
  const char* name;
  PortKind kind;
  const char* type;  // of a word's lanes, or of the scalar, as the tops name it
  Each each;
  Bank bank;
  const char* bundle;  // an AXI port, numbered as the port; may be shared by one that reads and one that writes
};

// Of every compute unit.
constexpr Port kGatherScatterPorts[] = {
    {"sources", PortKind::kRead, "VertexId", Each::kOne, Bank::kSources, "sources"},
    {"destinations", PortKind::kRead, "VertexId", Each::kOne, Bank::kDestinations, "destinations"},
    {"weights", PortKind::kRead, "EdgeProperty", Each::kIfWeighted, Bank::kWeights, "weights"},
    {"properties", PortKind::kRead, "Property", Each::kOne, Bank::kVertices, "vertices"},
    {"gathered", PortKind::kWrite, "Update", Each::kOne, Bank::kVertices, "vertices"},
    {"num_words", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
    {"first", PortKind::kScalar, "VertexId", Each::kOne, Bank::kNone, "control"},
    {"last", PortKind::kScalar, "VertexId", Each::kOne, Bank::kNone, "control"},
};

// Of all units together.
constexpr Port kApplyPorts[] = {
    {"gathered", PortKind::kRead, "Update", Each::kUnit, Bank::kVertices, "unit"},
    {"properties", PortKind::kRead, "Property", Each::kOne, Bank::kVertices, "vertices"},
    {"aux", PortKind::kRead, "Aux", Each::kAux, Bank::kVertices, "aux"},
    {"updated", PortKind::kWrite, "Property", Each::kUnit, Bank::kVertices, "unit"},
    {"sums", PortKind::kWrite, "Sum", Each::kOne, Bank::kVertices, "vertices"},
    {"first", PortKind::kScalar, "VertexId", Each::kOne, Bank::kNone, "control"},
    {"last", PortKind::kScalar, "VertexId", Each::kOne, Bank::kNone, "control"},
    {"arg", PortKind::kScalar, "std::uint32_t", Each::kArgWord, Bank::kNone, "control"},
};

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

}  // namespace gaspipe
