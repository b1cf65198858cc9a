// SPDX-License-Identifier: Apache-2.0
// Kernels of an array of PEs on an emulated board: what they do to memory, and the time that this would take. Or on a
// card, which has them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cpp/src/backend/card/kernel_alone.h"
#include "cpp/src/predict/predictor.h"
#include "cpp/src/predict/timed_kernels.h"
#include "gaspipe/boards.h"
#include "gaspipe/prediction.h"
#include "gaspipe/run_options.h"
#include "gaspipe/stats.h"
#include "gaspipe/workers.h"
#include "hls/emulator/memory.h"

namespace gaspipe {
namespace pe_array {

const Board& board_of(const RunOptions& options);
// InputError for options that an array of PEs does not take.
void check_options(const RunOptions& options);

// What PEs have in memory, in bytes of each.
struct Share {
  const char* name;
  std::vector<std::uint64_t> bytes;
};
// CapacityError where a PE's banks do not hold its rows and what it has of vertices; `instead`: what to do then. Of
// several channels of HBM rows have all but one; elsewhere a PE has one bank, or a share of it.
void check_banks(const Board& board, const Share& rows, const Share& vertices, const char* instead);

class OnBoard {
 public:
  // `kernel`: what a card must have.
  OnBoard(const RunOptions& options, const char* kernel);

  const Board& board() const { return board_; }
  KernelAlone* card() const { return card_.get(); }  // null: emulated
  bool is_timed() const { return execution_ != abi::kFast; }
  // Cycles until a word of memory is there.
  std::uint64_t memory_latency() const { return static_cast<std::uint64_t>(around_.channel.latency); }

  // A launch of the region of `kernel`: `fast` without streams or clocks, or `timed` on the emulator, with `memory`
  // added to the board's. DeviceError where it cannot go on, Cancelled when interrupted.
  predict::KernelTiming launch(const char* kernel, const std::function<void()>& fast,
                               const std::function<void()>& timed,
                               const std::function<void(emulator::MemoryMap&)>& memory);

  // A prediction begins, of kernels of `num_units` PEs with `uram` blocks of UltraRAM that use these banks.
  void describe(const char* config, int num_units, int uram, EdgeCount num_edges, std::vector<std::size_t> banks);
  // A super-step's time. `kernel`: which of several it was; `starts`: the host launches it.
  void take(const predict::KernelTiming& timing, int kernel, bool starts, std::uint64_t num_edges);

  // Where a run was, and its prediction.
  void describe(Stats& stats, const char* method) const;
  // The statistics of a run whose super-steps are there.
  void finish(Stats& stats, const char* method, EdgeCount num_edges) const;

 private:
  const Board& board_;
  std::unique_ptr<KernelAlone> card_;
  abi::Execution execution_;
  predict::Surroundings around_;
  Workers workers_;
  std::vector<std::size_t> banks_;
  std::vector<int> known_;  // kernels whose FIFOs are counted
  std::optional<Prediction> prediction_;
};

}  // namespace pe_array
}  // namespace gaspipe
