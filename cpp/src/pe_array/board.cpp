// SPDX-License-Identifier: Apache-2.0
// What of an array of PEs a board has room for. `gaspipe build` decides the same (python/gaspipe/_card/build.py).
#include "cpp/src/predict/resources.h"
#include "gaspipe/pe_array.h"
#include "hls/local_store/distances.h"
#include "hls/local_store/pull.h"

namespace gaspipe {
namespace pe_array {
namespace {

// Eight banks of one block each: a smaller bitmap takes no fewer.
constexpr VertexId kLeastCapacity = 8 * kMarksPerRow * predict::kUramRows;

int blocks_of_bitmap(std::uint64_t num_vertices) {
  return 8 * predict::blocks(static_cast<VertexId>(num_vertices / (8 * kMarksPerRow)), 8, predict::kUramRows,
                             predict::kUramBits);
}

}  // namespace

int uram_blocks(VertexId capacity, int num_pes, bool pulls) {
  const int marks = blocks_of_bitmap(capacity);
  if (!pulls) return marks;
  // Each way has the marks, and what pulls all PEs' frontier twice.
  return 2 * marks + 2 * blocks_of_bitmap(std::uint64_t(capacity) * static_cast<unsigned>(num_pes));
}

VertexId capacity_on(const Board& board, int num_pes, bool pulls) {
  if (board.num_uram() == 0) return kLeastCapacity;  // unknown
  const VertexId most = pulls ? kMostPulled : kMostOwned;
  const VertexId least = pulls ? kLeastCapacity / static_cast<unsigned>(num_pes) : kLeastCapacity;
  for (VertexId capacity = most; capacity >= least; capacity /= 2) {
    const int blocks = uram_blocks(capacity, num_pes, pulls);
    if (predict::units_that_fit(board, blocks, predict::kUsable) >= num_pes) return capacity;
  }
  return 0;
}

int settled_uram_blocks(VertexId capacity) {
  return 8 * predict::blocks(capacity / kCellsPerWord, 8, predict::kUramRows, predict::kUramBits);
}

VertexId settled_capacity_on(const Board& board, int num_pes) {
  if (board.num_uram() == 0) return kMostSettled;  // unknown
  for (VertexId capacity = kMostSettled; capacity >= kCellsPerWord * predict::kUramRows; capacity /= 2) {
    if (predict::units_that_fit(board, settled_uram_blocks(capacity), predict::kUsable) >= num_pes) return capacity;
  }
  return 0;
}

std::size_t bank_of(const Board& board, int num_pes, int pe) {
  const int own = board.memory.num_banks / num_pes;
  return static_cast<std::size_t>(own == 0 ? pe % board.memory.num_banks : pe * own);
}

std::size_t rows_bank_of(const Board& board, int num_pes, int pe) {
  const int own = board.memory.num_banks / num_pes;
  return bank_of(board, num_pes, pe) + static_cast<std::size_t>(own > 1 ? own - 1 : 0);
}

}  // namespace pe_array
}  // namespace gaspipe
