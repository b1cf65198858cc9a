// SPDX-License-Identifier: Apache-2.0
// The kernels for packed edges (hls/kernel/packed_gather_scatter.h); and, for an ablation, with a launch for
// every sub-partition, and without passing over those that no vertex sends along.
#include "hls/kernel/pipelines.h"
#include "resources.h"
#include "timed_kernels.h"

namespace gaspipe {
namespace predict {
namespace {

using PackedWidth = PipelineConfig<kPackedPipeline>;

// Two banks of rows of 64 bits in every PE.
int packed_uram(VertexId capacity, int word_bytes) {
  const std::uint64_t rows = capacity / PackedWidth::kPes * static_cast<unsigned>(word_bytes) / 8;
  return PackedWidth::kPes * 2 * blocks(rows, 8, kUramRows, kUramBits);
}

constexpr KernelConfig packed_config(const char* name, const char* summary, bool one_launch, Skips skips,
                                     bool is_balanced = false) {
  return {{name, summary, PackedWidth::kLanes, PackedWidth::kPes, PackedWidth::kMaxCapacity, 4},
          one_launch,
          skips,
          false,
          {1.2, 1.2, 1},
          "filtered",
          packed_uram,
          "packed",
          nullptr,
          is_balanced};
}

}  // namespace

const KernelConfig kPacked = packed_config(
    "packed",
    "4 bytes an edge, 16 edges a cycle, a sub-partition sent while the next is gathered, idle edges passed over", true,
    Skips::kBothEnds, true);
const KernelConfig kPackedSingle = packed_config(
    "packed-single", "as packed, but a launch per sub-partition, none passed over", false, Skips::kNothing);
const KernelConfig kPackedAll =
    packed_config("packed-all", "as packed, but no edges are passed over", true, Skips::kNothing);

}  // namespace predict
}  // namespace gaspipe
