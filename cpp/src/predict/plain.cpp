// SPDX-License-Identifier: Apache-2.0
// The kernels that `gaspipe build` builds (hls/kernel), and the same ones twice as wide.
#include "hls/kernel/pipelines.h"
#include "resources.h"
#include "timed_kernels.h"

namespace gaspipe {
namespace predict {
namespace {

using Narrow = PipelineConfig<kPlainPipeline>;
using Wide = Config<16, 16>;

// A value of 4 or 8 bytes fills a row of 72 bits, and one of 64 bytes eight.
template <class Width>
int plain_uram(VertexId capacity, int word_bytes) {
  const auto bytes = static_cast<std::uint64_t>(word_bytes);
  return Width::kPes * blocks(capacity / Width::kPes, bytes, kUramRows, kUramBits);
}

}  // namespace

const KernelConfig kPlain = {
    {"plain", "the kernels that `gaspipe build` builds: 8 edges a cycle, two words of ids per edge", Narrow::kLanes,
     Narrow::kPes, Narrow::kMaxCapacity, 8},
    false,
    Skips::kEnd,
    false,
    {2, 2, 4},  // as in cpp/src/schedule/equal_cycles.cpp
    "filtered",
    plain_uram<Narrow>,
    "plain",
};

const KernelConfig kWide = {
    {"wide", "as plain, but 16 edges a cycle to 16 PEs", Wide::kLanes, Wide::kPes, Wide::kMaxCapacity, 8},
    false,
    Skips::kNothing,
    false,
    {2, 2, 2},
    "filtered",
    plain_uram<Wide>,
    "wide",
};

}  // namespace predict
}  // namespace gaspipe
