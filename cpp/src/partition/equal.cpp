// SPDX-License-Identifier: Apache-2.0
// Sub-partitions with equally many edges (to one): right where every edge costs the same.
#include <algorithm>

#include "gaspipe/partition.h"

namespace gaspipe {
namespace partitioner {

std::vector<EdgeCount> equal(const abi::Partition& partition, std::uint32_t num_units) {
  std::vector<EdgeCount> edges(num_units + 1);
  const EdgeCount share = partition.num_edges / num_units, rest = partition.num_edges % num_units;
  for (std::uint32_t unit = 0; unit <= num_units; ++unit) edges[unit] = share * unit + std::min<EdgeCount>(unit, rest);
  return edges;
}

}  // namespace partitioner
}  // namespace gaspipe
