// SPDX-License-Identifier: Apache-2.0
// The kernels that `gaspipe build` builds (hls/kernel), timed; and the same ones twice as wide.
#include "hls/kernel/gather_scatter.h"
#include "hls/kernel/pipelines.h"
#include "resources.h"
#include "timed_hooks.h"

namespace gaspipe {
namespace predict {
namespace {

using Narrow = PipelineConfig<kPlainPipeline>;
using Wide = Config<16, 16>;

template <class Width, class Hooks, bool weighted>
struct PlainKernel {
  template <class Weights, class Properties, class Gathered>
  static void run(const Word<VertexId>* sources, const Word<VertexId>* destinations, Weights weights,
                  Properties properties, Gathered gathered, std::uint32_t num_words, VertexId first, VertexId last,
                  std::uint32_t /*num_lines*/) {
    gather_scatter<Hooks, Width, weighted>(sources, destinations, weights, properties, gathered, num_words, first,
                                           last);
  }
};
template <class Hooks, bool weighted>
using NarrowKernel = PlainKernel<Narrow, Hooks, weighted>;
template <class Hooks, bool weighted>
using WideKernel = PlainKernel<Wide, Hooks, weighted>;
template <template <class, bool> class Kernel>
KernelTiming gather_scatter_time(const GatherScatterLaunch& launch, const Surroundings& around,
                                 const TimedNumbers& numbers) {
  return with_numbers(numbers, [&](auto value, auto is_idempotent) {
    return OneSubPartition<decltype(value), Kernel, decltype(is_idempotent)::value>::run(launch, around,
                                                                                         launch.sub_partitions[0].last);
  });
}

// A value of either size fills a row of 72 bits.
template <class Width>
int uram(VertexId capacity, int /*word_bytes*/) {
  return Width::kPes * blocks(capacity / Width::kPes, 8, kUramRows, kUramBits);
}

}  // namespace

const KernelConfig kPlain = {
    {"plain", "the kernels that `gaspipe build` builds: 8 edges a cycle, two words of ids per edge", Narrow::kLanes,
     Narrow::kPes, Narrow::kMaxCapacity, 8},
    false,
    false,
    false,
    {2, 2, 4},  // as in cpp/src/schedule/equal_cycles.cpp
    "filtered",
    uram<Narrow>,
    gather_scatter_time<NarrowKernel>,
};

const KernelConfig kWide = {
    {"wide", "as plain, but 16 edges a cycle to 16 PEs", Wide::kLanes, Wide::kPes, Wide::kMaxCapacity, 8},
    false,
    false,
    false,
    {2, 2, 2},
    "filtered",
    uram<Wide>,
    gather_scatter_time<WideKernel>,
};

}  // namespace predict
}  // namespace gaspipe
