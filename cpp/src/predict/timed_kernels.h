// SPDX-License-Identifier: Apache-2.0
// Kernels run for their time alone (gaspipe/timing): one set of them times every program of the same TimedNumbers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gaspipe/abi.h"
#include "gaspipe/edge_slices.h"
#include "gaspipe/prediction.h"
#include "gaspipe/timing/launch.h"
#include "hls/emulator/memory.h"

namespace gaspipe {
namespace predict {

// Memory and clock around a kernel.
struct Surroundings {
  emulator::ChannelConfig channel;
  bool is_hbm = false;  // every unit has a channel for each of its memories; else one for all
  const std::vector<std::pair<std::string, std::uint32_t>>* fifo_depths = nullptr;
  bool (*stopped)(void*) = nullptr;
  void* stopped_self = nullptr;
};
constexpr std::size_t kHbmChannels = 4;  // sources, destinations, weights, vertices
inline std::size_t num_channels(bool is_hbm) { return is_hbm ? kHbmChannels : 1; }

// What cycles depend on: the size of words (properties, updates and weights alike), whether updates are floating-point
// numbers, whether they merge by a comparison (kIdempotent), whether extras are floating-point numbers.
struct TimedNumbers {
  int word_bytes = 4;
  bool is_floating = false, is_idempotent = false, has_floating_sums = false;
};

struct KernelTiming {
  std::uint64_t cycles = 0;
  EdgeCount edges = 0;                            // that it streamed, without padding
  std::vector<std::uint64_t> sub_partition_ends;  // of a launch of several
  std::vector<double> bytes;                      // per channel
  double channel_cycles = 0;                      // in which channels delivered
  emulator::RunStats stats;
};

// Of a program's own kernel.
KernelTiming timing_from(const abi::KernelUse& use);

// Runs a kernel as `around` says; its depths of streams are added. Throws emulator::DesignError and emulator::Stopped.
KernelTiming time_kernel(timing::Kernel kernel, timing::Launch launch, const Surroundings& around);

struct PipelineShape;

// Cycles that a sub-partition's words, lines of properties and rows of 16 destinations cost about, for what is not
// timed.
struct SubPartitionCost {
  double per_word, per_line, per_row;
};

struct KernelConfig {
  KernelConfigDescription description;
  bool one_launch;    // takes sub-partitions of several partitions, and works on the next while it sends the last
  Skips skips;        // of edges whose sources do not send
  bool is_published;  // flushes all that it has room for; its clocks are the published_clocks()
  SubPartitionCost cost;
  const char* pe_stream;                           // its tokens are a PE's updates, and an end token per sub-partition
  int (*uram)(VertexId capacity, int word_bytes);  // blocks of a gather-scatter kernel
  const char* kernel;                              // of gaspipe/timing
  // Of a design that is estimated as a whole, by a PipelineTimer: as large as it gets. Else kernels are timed.
  const PipelineShape* pipelines = nullptr;
  bool is_balanced = false;  // over the PEs: vertices of a line change places (gaspipe/line_order.h)
};

// The kernels that time a configuration: compiled when first asked for, or found among those that were built in.
struct TimedKernels {
  timing::Kernel gather_scatter, apply;
};
// What they depend on. As published, whatever the numbers: two cycles an update, sums of integers. Integers merge in a
// cycle, whatever they do, and programs with more inputs are timed as with two.
struct TimedShape {
  std::string kernel;
  int word_bytes, num_aux;
  bool is_floating, is_weighted, is_idempotent, is_published, has_floating_sums;
};
TimedKernels find_kernels(const TimedShape& shape);
TimedShape shape_of(const KernelConfig& config, const TimedNumbers& numbers, bool is_weighted, int num_aux);
const KernelConfig& find_config(const std::string& name);  // InputError lists the known ones

extern const KernelConfig kPlain, kWide, kThunderGp, kPacked, kPackedSingle, kPackedAll, kReGraphConfig, kHbmConfig;

}  // namespace predict
}  // namespace gaspipe
