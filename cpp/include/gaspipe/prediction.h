// SPDX-License-Identifier: Apache-2.0
// What a run would take on a board: kernels timed by the emulator, queues and launches around them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gaspipe/boards.h"
#include "hls/types.h"

namespace gaspipe {

// Asks the emulator for time beside the values.
struct PredictionOptions {
  std::string config = "plain";           // a kernel_configs() name
  std::shared_ptr<const OwnBoard> board;  // instead of the one that the device names
  double clock_mhz = 0;                   // 0: the board's, or the kernels' if that is lower; the published ones
  EdgeCount sample_edges = 0;             // timed per super-step, in whole sub-partitions; 0: all
  std::vector<std::pair<std::string, std::uint32_t>> fifo_depths;  // streams that get another depth than declared
  int uram_latency = 0, decoder_interval = 0;  // in cycles, of configurations without kernels; 0: as they have them
};

// A pipeline that can be timed: one gather-scatter kernel and one apply kernel.
struct KernelConfigDescription {
  const char *name, *summary;
  int lanes, pes;
  std::uint32_t most_capacity;
  double edge_bytes;  // streamed per edge without weights
};
const std::vector<KernelConfigDescription>& kernel_configs();

struct StreamUse {
  std::string name;  // "packed[3]"
  std::uint32_t depth = 0, most = 0, token_bytes = 0;
  std::uint64_t tokens = 0, reader_waited = 0, writer_waited = 0;  // cycles
};
struct TaskUse {
  std::string name;
  std::uint64_t busy = 0, waited_in = 0, waited_out = 0, waited_memory = 0;  // cycles
};
struct UnitUse {
  std::int32_t unit = 0;  // kApplyUnit for the apply kernel
  double busy_seconds = 0;
  EdgeCount edges = 0;
  std::uint64_t bytes = 0;
};
struct ChannelUse {
  std::uint64_t bytes = 0;
  double busy_seconds = 0;  // delivering
};
// Of the chip, for all kernels together.
struct Resources {
  int uram = 0, bram = 0;                                          // blocks: 4096 x 72 bits; 36 kbit
  int luts = 0;                                                    // an estimate; 0: not estimated
  int uram_available = 0, bram_available = 0, luts_available = 0;  // 0: unknown
};

struct StepPrediction {
  double seconds = 0;
  EdgeCount edges = 0, timed_edges = 0;
  double scatter_gather_seconds = 0;  // until the last compute unit is done
  double apply_seconds = 0;           // that apply adds after that, and after the host's time if it lies beside
  std::uint64_t bytes = 0;

  void add(const StepPrediction& other) {
    seconds += other.seconds;
    edges += other.edges;
    timed_edges += other.timed_edges;
    scatter_gather_seconds += other.scatter_gather_seconds;
    apply_seconds += other.apply_seconds;
    bytes += other.bytes;
  }
};

struct Prediction {
  static constexpr std::size_t kMostSteps = 1 << 16;

  std::string board, config;
  double clock_mhz = 0;
  int num_units = 0;
  double launch_seconds = 0, step_overhead_seconds = 0;
  EdgeCount graph_edges = 0;
  double peak_bytes_per_second = 0;   // of all channels in use
  std::vector<StepPrediction> steps;  // by add_step: at most kMostSteps, the last is the sum of those that follow too
  std::vector<UnitUse> units;
  std::vector<ChannelUse> channels;
  // Of the gather-scatter kernels that were timed, summed; `most` is the maximum.
  std::vector<StreamUse> streams;
  std::vector<TaskUse> tasks;
  // Likewise of the apply kernels: one for every partition in every super-step.
  std::vector<StreamUse> apply_streams;
  std::vector<TaskUse> apply_tasks;
  std::vector<std::uint64_t> pe_updates;
  EdgeCount source_edges = 0;      // that they streamed
  std::uint64_t source_lines = 0;  // 512-bit words of source properties that they read for these
  Resources resources;

  void add_step(const StepPrediction& step) {
    if (steps.size() < kMostSteps) {
      steps.push_back(step);
    } else {
      steps.back().add(step);
    }
  }
};

}  // namespace gaspipe
