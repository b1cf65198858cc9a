// SPDX-License-Identifier: Apache-2.0
// Kernels run for their time alone. When a token moves depends on words and on which updates are valid, never on what
// hooks compute, so one set of kernels times every program of the same TimedNumbers: their hooks copy, and an edge
// whose update the program would drop comes as padding. (A test holds their cycles against those of the programs' own
// kernels.)
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gaspipe/abi.h"
#include "gaspipe/prediction.h"
#include "hls/emulator/memory.h"
#include "hls/word.h"

namespace gaspipe {
namespace predict {

// A sub-partition's edges, as in a device's memory (DeviceEdges); destinations in [first, last).
struct TimedSubPartition {
  const Word<VertexId>*sources = nullptr, *destinations = nullptr;
  std::uint32_t num_words = 0;
  VertexId first = 0, last = 0;
};

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

struct GatherScatterLaunch {
  std::vector<TimedSubPartition> sub_partitions;
  VertexId num_vertices = 0;
  bool weighted = false;
  VertexId capacity = 0;  // vertices of a full partition
};
struct ApplyLaunch {
  VertexId num_vertices = 0;  // of the range
  int num_units = 1, num_aux = 0;
};

struct PipelineShape;

// Cycles that a sub-partition's words, lines of properties and rows of 16 destinations cost about, for what is not
// timed.
struct SubPartitionCost {
  double per_word, per_line, per_row;
};

struct KernelConfig {
  KernelConfigDescription description;
  bool one_launch;    // takes sub-partitions of several partitions, and works on the next while it sends the last
  bool skips_idle;    // sub-partitions without active sources are not streamed
  bool is_published;  // flushes all that it has room for; its clocks are the published_clocks()
  SubPartitionCost cost;
  const char* pe_stream;                           // its tokens are a PE's updates, and an end token per sub-partition
  int (*uram)(VertexId capacity, int word_bytes);  // blocks of a gather-scatter kernel
  KernelTiming (*gather_scatter)(const GatherScatterLaunch&, const Surroundings&, const TimedNumbers&);
  const PipelineShape* pipelines = nullptr;  // estimated as a whole, by a PipelineTimer; else kernels are timed
};
KernelTiming time_apply(const ApplyLaunch& launch, bool published, const Surroundings& around,
                        const TimedNumbers& numbers);
const KernelConfig& find_config(const std::string& name);  // InputError lists the known ones

extern const KernelConfig kPlain, kWide, kThunderGp, kPacked, kPackedSingle, kPackedAll, kReGraphConfig, kHbmConfig;

}  // namespace predict
}  // namespace gaspipe
