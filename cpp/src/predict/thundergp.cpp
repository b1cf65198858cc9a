// SPDX-License-Identifier: Apache-2.0
// The published pipeline (hls/thundergp/kernel.h), timed: X. Chen et al., "ThunderGP", FPGA 2021,
// doi:10.1145/3431920.3439290.
#include "hls/thundergp/kernel.h"
#include "resources.h"
#include "timed_hooks.h"

namespace gaspipe {
namespace predict {
namespace {

using Width = Config<8, 16>;

template <class Hooks, bool weighted>
struct ThunderGpKernel {
  template <class Weights, class Properties, class Gathered>
  static void run(const Word<VertexId>* sources, const Word<VertexId>* destinations, Weights weights,
                  Properties properties, Gathered gathered, std::uint32_t num_words, VertexId first, VertexId last,
                  std::uint32_t num_lines) {
    thundergp::gather_scatter<Hooks, Width, weighted>(sources, destinations, weights, properties, gathered, num_words,
                                                      first, last, num_lines);
  }
};
// It flushes all that the partition has room for, used or not.
// As published, whatever the numbers: two cycles an update.
KernelTiming gather_scatter_time(const GatherScatterLaunch& launch, const Surroundings& around,
                                 const TimedNumbers& numbers) {
  const VertexId last = launch.sub_partitions[0].first + launch.capacity;
  return numbers.word_bytes == 8 ? OneSubPartition<std::uint64_t, ThunderGpKernel>::run(launch, around, last)
                                 : OneSubPartition<std::uint32_t, ThunderGpKernel>::run(launch, around, last);
}

// Buffers of rows of 64 bits, and the source cache: 8 copies of 4 banks of 4096 rows (the code; with the delay pool,
// which the end tokens make needless here, the published SCATTER_URAM_COST is 40).
int uram(VertexId capacity, int word_bytes) {
  return Width::kPes * blocks(capacity / Width::kPes * static_cast<unsigned>(word_bytes) / 8, 8, kUramRows, kUramBits) +
         32;
}

}  // namespace

const KernelConfig kThunderGp = {
    {"thundergp", "the published pipeline: bursts read in full, two cycles per update, all of the buffer flushed",
     Width::kLanes, Width::kPes, Width::kMaxCapacity, 8},
    false,
    false,
    true,
    {2.8, 1.05, 2.4},  // what the published times come to: 0.175 cycles an edge, 0.066 a vertex, 155 per 1024 flushed
    "filtered",
    uram,
    gather_scatter_time,
};

}  // namespace predict
}  // namespace gaspipe
