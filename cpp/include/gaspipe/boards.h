// SPDX-License-Identifier: Apache-2.0
// The boards that a device may name: one per header of hls/device; and boards that a user describes.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hls/device/board.h"

namespace gaspipe {

constexpr const char* kDefaultBoard = "u250";

const std::vector<const Board*>& boards();
const Board& find_board(const std::string& name);  // InputError lists the known ones

// Clocks in MHz that the published kernels reached on a board, by algorithm.
using Clocks = std::vector<std::pair<std::string, int>>;
Clocks published_clocks(const std::string& board);  // of a known board; empty where none were published

// A board that no header describes, and the texts that it points to.
struct OwnBoard {
  std::string name, platform;
  Clocks clocks;
  Board board{};
};
// Points the board to its texts. InputError for figures that no board can have; 0 stays unknown where that is allowed.
std::shared_ptr<const OwnBoard> make_board(OwnBoard described);

// What is unknown of a board is taken as of the default one: rounded, and no more than an assumption.
constexpr int kAssumedClockMhz = 250;
constexpr double kAssumedEfficiency = 0.9;
constexpr double kAssumedDdrBytesPerSecond = 19.2e9;  // DDR4-2400
constexpr double kAssumedHbmBytesPerSecond = 14.4e9;  // a pseudo-channel of HBM2
constexpr double kAssumedLatencyNs = 230;             // as VCU1525, and the next two
constexpr double kAssumedLaunchUs = 50;
constexpr double kAssumedStepUs = 300;
constexpr int clock_mhz(const Board& board) { return board.clock_mhz > 0 ? board.clock_mhz : kAssumedClockMhz; }
constexpr double peak_bytes_per_second(const Memory& memory) {
  return memory.peak_bytes_per_second > 0  ? memory.peak_bytes_per_second
         : memory.kind == MemoryKind::kDdr ? kAssumedDdrBytesPerSecond
                                           : kAssumedHbmBytesPerSecond;
}
// What a bank delivers.
constexpr double bytes_per_second(const Memory& memory) {
  return peak_bytes_per_second(memory) * (memory.efficiency > 0 ? memory.efficiency : kAssumedEfficiency);
}
constexpr double latency_ns(const Memory& memory) {
  return memory.latency_ns > 0 ? memory.latency_ns : kAssumedLatencyNs;
}
constexpr double launch_seconds(const Board& board) {
  return (board.launch_us > 0 ? board.launch_us : kAssumedLaunchUs) * 1e-6;
}
constexpr double step_seconds(const Board& board) {
  return (board.step_us > 0 ? board.step_us : kAssumedStepUs) * 1e-6;
}
// What a bank delivers in a cycle of the kernels.
constexpr double bytes_per_cycle(const Board& board) {
  return bytes_per_second(board.memory) / (clock_mhz(board) * 1e6);
}

}  // namespace gaspipe
