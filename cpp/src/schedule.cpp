// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/schedule.h"

#include "gaspipe/error.h"

namespace gaspipe {
namespace {

void check_permutation(const std::vector<std::uint32_t>& ids, std::size_t size, const std::string& what) {
  if (ids.size() != size) {
    throw InputError(message("the scheduler returned ", ids.size(), " ids as ", what, "; ", size, " are needed"));
  }
  std::vector<bool> seen(size);
  for (const std::uint32_t id : ids) {
    if (id >= size) {
      throw InputError(message("the scheduler returned ", id, " among ", what, "; ids go from 0 to ", size - 1));
    }
    if (seen[id]) {
      throw InputError(message("the scheduler returned ", id, " twice among ", what, "; each is needed once"));
    }
    seen[id] = true;
  }
}

}  // namespace

Schedule make_schedule(const Scheduler& scheduler, const Partitioning& partitioning) {
  if (!scheduler.init || !scheduler.arrange_sub_partitions || !scheduler.arrange_partitions) {
    throw InputError("a scheduler has three parts: init, arrange_sub_partitions, arrange_partitions; one is missing");
  }
  scheduler.init(partitioning);
  Schedule schedule;
  for (std::size_t p = 0; p < partitioning.size(); ++p) {
    const Partition partition = partitioning.get_partition(static_cast<std::int64_t>(p));
    schedule.units.push_back(scheduler.arrange_sub_partitions(partition));
    check_permutation(schedule.units.back(), partition.size(),
                      message("the compute units of partition ", p, "'s sub-partitions"));
  }
  schedule.partitions = scheduler.arrange_partitions(partitioning);
  check_permutation(schedule.partitions, partitioning.size(), "the order of the partitions");
  return schedule;
}

}  // namespace gaspipe
