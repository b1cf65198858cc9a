// SPDX-License-Identifier: Apache-2.0
#include "resources.h"

#include <cmath>
#include <limits>

#include "gaspipe/error.h"

namespace gaspipe {
namespace predict {
Blocks blocks_of(const emulator::RunStats& stats, double share) {
  Blocks sum;
  for (const emulator::MemoryStats& memory : stats.memories) {
    if (memory.kind == emulator::MemoryKind::kUram) {
      const bool is_of_destinations = memory.name != "cache";  // of sources
      const double words = static_cast<double>(memory.num_words) * (is_of_destinations ? share : 1);
      sum.uram += blocks(static_cast<std::uint64_t>(std::ceil(words)), memory.word_bytes, kUramRows, kUramBits);
    } else if (memory.kind == emulator::MemoryKind::kBram) {
      sum.bram += blocks(memory.num_words, memory.word_bytes, kBramRows, kBramBits);
    }
  }
  for (const emulator::StreamStats& stream : stats.streams) {
    // Without tokens: of a compute unit that is not there.
    if (stream.depth > kShiftRegister && stream.num_tokens > 0)
      sum.bram += blocks(stream.depth, stream.token_bytes, kBramRows, kBramBits);
  }
  return sum;
}

int units_that_fit(const Board& board, int uram_per_unit, double usable) {
  if (board.num_uram() == 0 || uram_per_unit == 0) return std::numeric_limits<int>::max();
  int units = 0;
  for (int i = 0; i < board.num_slrs; ++i) units += static_cast<int>(usable * board.slr[i].num_uram) / uram_per_unit;
  return units;
}

VertexId capacity_on(const KernelConfig& config, const Board& board, int num_units, int word_bytes,
                     VertexId otherwise) {
  if (board.num_uram() == 0) return otherwise;
  VertexId capacity = config.description.most_capacity;
  while (capacity > 1024 && units_that_fit(board, config.uram(capacity, word_bytes), kUsable) < num_units) {
    capacity /= 2;
  }
  return capacity;
}

void check_resources(const KernelConfig& config, const Board& board, int num_units, int word_bytes, VertexId capacity) {
  const int uram = config.uram(capacity, word_bytes), fit = units_that_fit(board, uram, 1);
  if (fit >= num_units) return;
  std::string regions;
  for (int i = 0; i < board.num_slrs; ++i) regions += message(i == 0 ? "" : ", ", board.slr[i].num_uram);
  throw CapacityError(message("a compute unit of configuration \"", config.description.name, "\" with room for ",
                              capacity, " vertices takes ", uram, " blocks of URAM, and ", num_units,
                              " units are asked for; ", board.name, " has room for ", fit, " (regions of ", regions,
                              " blocks); use a capacity of at most ",
                              capacity_on(config, board, num_units, word_bytes, 0), " or fewer units"));
}

}  // namespace predict
}  // namespace gaspipe
