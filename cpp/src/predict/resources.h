// SPDX-License-Identifier: Apache-2.0
// The chip's memory that kernels take, counted from what they declare, and whether a board has it.
#pragma once

#include "hls/device/board.h"
#include "hls/emulator/engine.h"
#include "timed_kernels.h"

namespace gaspipe {
namespace predict {

constexpr std::uint64_t kUramRows = 4096, kBramRows = 512;  // UG573: 4096 x 72 and, of 36 kbit, 512 x 72 bits
constexpr std::uint64_t kUramBits = 72, kBramBits = 72;
constexpr double kUsable = 0.9;  // of a region's blocks, as the published design's generator takes
// FIFOs up to this depth are shift registers. A look-up table holds one of 32 places, or two of 16 (AM005, which says
// so of Versal and of earlier families): the bits of a FIFO have one address and one enable.
constexpr std::uint32_t kShiftRegister = 32, kPairedShiftRegister = 16;

// Blocks of a memory of `num_words` words.
constexpr int blocks(std::uint64_t num_words, std::uint64_t word_bytes, std::uint64_t rows, std::uint64_t bits) {
  return static_cast<int>((num_words + rows - 1) / rows * ((8 * word_bytes + bits - 1) / bits));
}

struct Blocks {
  int uram = 0, bram = 0;
};
// Of a kernel that ran. Its buffers of destinations are declared for the most that it has room for; `share` of that is
// built.
Blocks blocks_of(const emulator::RunStats& stats, double share);

// Compute units of so many blocks each that a board's regions have room for, a unit within one region, if `usable` of a
// region may be used; as many as you like where the regions are unknown.
int units_that_fit(const Board& board, int uram_per_unit, double usable);

// Vertices of a partition that `config` has room for on a board: the largest power of two that leaves a tenth of every
// region's URAM free. Where the board's regions are unknown, `otherwise`.
VertexId capacity_on(const KernelConfig& config, const Board& board, int num_units, int word_bytes, VertexId otherwise);
// CapacityError where the units do not fit the board.
void check_resources(const KernelConfig& config, const Board& board, int num_units, int word_bytes, VertexId capacity);

}  // namespace predict
}  // namespace gaspipe
