// SPDX-License-Identifier: Apache-2.0
// Sub-partitions with equally many edges (to one): right where every edge costs the same.
#include "gaspipe/partition.h"

namespace gaspipe {
namespace partitioner {

std::vector<PartitionPiece> equal(const abi::Partition& partition, std::uint32_t num_units) {
  std::vector<PartitionPiece> pieces;
  const EdgeCount share = partition.num_edges / num_units, rest = partition.num_edges % num_units;
  for (std::uint32_t unit = 0; unit < num_units; ++unit) pieces.push_back({share + (unit < rest ? 1 : 0), unit});
  return pieces;
}

}  // namespace partitioner
}  // namespace gaspipe
