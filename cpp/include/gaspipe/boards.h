// SPDX-License-Identifier: Apache-2.0
// The boards that a device may name: one per header of hls/device.
#pragma once

#include <string>
#include <vector>

#include "hls/device/board.h"

namespace gaspipe {

constexpr const char* kDefaultBoard = "u250";

const std::vector<const Board*>& boards();
const Board& find_board(const std::string& name);  // InputError lists the known ones

// What is unknown of a board is taken as of the default one: rounded, and no more than an assumption.
constexpr int kAssumedClockMhz = 250;
constexpr double kAssumedEfficiency = 0.9;
constexpr double kAssumedDdrBytesPerSecond = 19.2e9;  // DDR4-2400
constexpr double kAssumedHbmBytesPerSecond = 14.4e9;  // a pseudo-channel of HBM2
constexpr int clock_mhz(const Board& board) { return board.clock_mhz > 0 ? board.clock_mhz : kAssumedClockMhz; }
// What a bank delivers in a cycle of the kernels.
constexpr double bytes_per_cycle(const Board& board) {
  const double assumed = board.memory.kind == MemoryKind::kDdr ? kAssumedDdrBytesPerSecond : kAssumedHbmBytesPerSecond;
  return (board.memory.peak_bytes_per_second > 0 ? board.memory.peak_bytes_per_second : assumed) *
         (board.memory.efficiency > 0 ? board.memory.efficiency : kAssumedEfficiency) / (clock_mhz(board) * 1e6);
}

}  // namespace gaspipe
