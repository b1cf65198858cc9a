// SPDX-License-Identifier: Apache-2.0
// What of an array of PEs a board has room for. `gaspipe build` decides the same (python/gaspipe/_card/build.py).
#include "cpp/src/predict/resources.h"
#include "gaspipe/pe_array.h"
#include "hls/local_store/code.h"

namespace gaspipe {
namespace pe_array {
namespace {

// Eight banks of one block each: a smaller bitmap takes no fewer.
constexpr VertexId kLeastCapacity = 8 * kMarksPerRow * predict::kUramRows;

}  // namespace

int uram_blocks(VertexId capacity) {
  return 8 * predict::blocks(capacity / (8 * kMarksPerRow), 8, predict::kUramRows, predict::kUramBits);
}

VertexId capacity_on(const Board& board, int num_pes) {
  if (board.num_uram() == 0) return kLeastCapacity;  // unknown
  for (VertexId capacity = kMostOwned; capacity >= kLeastCapacity; capacity /= 2) {
    if (predict::units_that_fit(board, uram_blocks(capacity), predict::kUsable) >= num_pes) return capacity;
  }
  return 0;
}

std::size_t bank_of(const Board& board, int num_pes, int pe) {
  const int own = board.memory.num_banks / num_pes;
  return static_cast<std::size_t>(own == 0 ? pe % board.memory.num_banks : pe * own);
}

}  // namespace pe_array
}  // namespace gaspipe
