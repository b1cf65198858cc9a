// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cpp/src/backend/executor.h"
#include "gaspipe/error.h"
#include "hls/edge_codec.h"

namespace gaspipe {

void check_capacity(const PartitionConfig& config, const Csr& csr, std::uint32_t most, const std::string& who) {
  if (config.capacity % PlainEdgeCodec::kEdgesPerWord != 0 && config.capacity < csr.num_columns) {
    throw InputError(message("partitions have a capacity of ", config.capacity, "; ", who, " needs a multiple of ",
                             PlainEdgeCodec::kEdgesPerWord, ", for a partition starts a 64-byte word"));
  }
  if (std::min(config.capacity, csr.num_columns) > most) {
    throw CapacityError(message("partitions have a capacity of ", config.capacity, "; the kernels of ", who,
                                " have room for ", most, " vertices; use a smaller capacity"));
  }
}

}  // namespace gaspipe
