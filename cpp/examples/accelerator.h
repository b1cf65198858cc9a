// SPDX-License-Identifier: Apache-2.0
// Runs the accelerator of weighted_average.h in the emulator, with a board's clock and memory.
#pragma once

#include <cstdint>
#include <vector>

#include "gaspipe/boards.h"
#include "gaspipe/csr.h"

namespace gaspipe {
namespace example {

struct AverageRun {
  std::vector<float> averages;      // by vertex; NaN of vertices without neighbors
  std::uint64_t cycles, num_bytes;  // of the kernel, predicted; moved by all its ports
  double seconds;                   // at the board's clock
};

// The neighbors of a vertex are the targets of its row. A neighbor's weight is its own number of neighbors, or 1 if it
// has none. InputError unless there is a value for every vertex.
AverageRun run_weighted_average(const Csr& rows, const std::vector<float>& values, const Board& board);

}  // namespace example
}  // namespace gaspipe
