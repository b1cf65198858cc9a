// SPDX-License-Identifier: Apache-2.0
// As the partitioner made them: partitions in ascending order, sub-partition i on compute unit i.
#include <numeric>

#include "gaspipe/schedule.h"

namespace gaspipe {
namespace scheduler {

namespace {

std::vector<std::uint32_t> ascending(std::size_t size) {
  std::vector<std::uint32_t> ids(size);
  std::iota(ids.begin(), ids.end(), 0u);
  return ids;
}

}  // namespace

Scheduler in_order() {
  return {[](const Partitioning&) {}, [](const Partition& partition) { return ascending(partition.size()); },
          [](const Partitioning& partitions) { return ascending(partitions.size()); }};
}

}  // namespace scheduler
}  // namespace gaspipe
