// SPDX-License-Identifier: Apache-2.0
// What an array of PEs tells of a search besides its statistics.
#pragma once

#include <cstdint>
#include <vector>

#include "gaspipe/array.h"
#include "gaspipe/csr.h"

namespace gaspipe {
namespace pe_array {

struct Profile {
  int num_pes = 0;
  VertexId capacity = 0;          // vertices that a PE of the board has room for
  std::uint64_t lists_bytes = 0;  // of all PEs: their lists and, where they pull, the rows of sources
  Array<std::int64_t> parent;     // the vertex that each was found from, a root's is itself; -1 where unreached
  std::vector<std::uint64_t> level_cycles;  // of the kernel; empty where it had no clock
  std::vector<bool> level_pulled;           // which levels were pulled
  std::uint64_t edges = 0;                  // of the vertices that were reached
};

}  // namespace pe_array
}  // namespace gaspipe
