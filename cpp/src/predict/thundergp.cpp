// SPDX-License-Identifier: Apache-2.0
// The published pipeline (hls/thundergp/kernel.h): X. Chen et al., "ThunderGP", FPGA 2021,
// doi:10.1145/3431920.3439290.
#include "hls/module/tokens.h"
#include "resources.h"
#include "timed_kernels.h"

namespace gaspipe {
namespace predict {
namespace {

using ThunderGpWidth = Config<8, 16>;

// Buffers of rows of 64 bits, and the source cache: 8 copies of 4 banks of 4096 rows (the code; with the delay pool,
// which the end tokens make needless here, the published SCATTER_URAM_COST is 40).
int thundergp_uram(VertexId capacity, int word_bytes) {
  const std::uint64_t rows = capacity / ThunderGpWidth::kPes * static_cast<unsigned>(word_bytes) / 8;
  return ThunderGpWidth::kPes * blocks(rows, 8, kUramRows, kUramBits) + 32;
}

}  // namespace

const KernelConfig kThunderGp = {
    {"thundergp", "the published pipeline: bursts read in full, two cycles per update, all of the buffer flushed",
     ThunderGpWidth::kLanes, ThunderGpWidth::kPes, ThunderGpWidth::kMaxCapacity, 8},
    false,
    Skips::kNothing,
    true,
    {2.8, 1.05, 2.4},  // what the published times come to: 0.175 cycles an edge, 0.066 a vertex, 155 per 1024 flushed
    "filtered",
    thundergp_uram,
    "thundergp",
};

}  // namespace predict
}  // namespace gaspipe
