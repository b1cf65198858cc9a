// SPDX-License-Identifier: Apache-2.0
// What a kernel that is run for its time alone is started with. Plain structs: its code may be in a library of its own,
// by another compiler.
#pragma once

#include "gaspipe/abi.h"
#include "hls/types.h"
#include "hls/word.h"

namespace gaspipe {
namespace timing {

// A sub-partition's edges, as in a device's memory (DeviceEdges); destinations in [first, last).
struct SubPartition {
  const Word<VertexId>*sources = nullptr, *destinations = nullptr;
  std::uint32_t num_words = 0;
  VertexId first = 0, last = 0;
};

struct FifoDepth {
  const char* stream;
  std::uint32_t depth;
};

struct Launch {
  VertexId num_vertices;  // of the graph; for apply, of the range
  std::int32_t num_units, num_aux;
  const FifoDepth* fifo_depths;  // other than declared
  std::uint64_t num_fifo_depths;
  // Of a gather-scatter kernel.
  const SubPartition* sub_partitions;
  std::uint64_t num_sub_partitions;
  VertexId capacity;                  // vertices of a full partition
  std::uint64_t* sub_partition_ends;  // out, in cycles: of a launch of several
};

// Runs a kernel with clocks, its buffers in one bank of a compute unit or in four; a Status, as of abi::Kernel.
using Kernel = std::int32_t (*)(const Launch* launch, abi::Emulation* emulation);

}  // namespace timing
}  // namespace gaspipe
