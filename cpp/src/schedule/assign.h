// SPDX-License-Identifier: Apache-2.0
// What schedulers share that go by estimated costs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace gaspipe {
namespace scheduler {

// Positions of `keys`, the largest key first; equal ones as they came.
template <class Key>
std::vector<std::uint32_t> largest_first(const std::vector<Key>& keys) {
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] > keys[b]; });
  return order;
}

// The unit of each sub-partition of a partition, given its costs and the units' sums so far: the longest to the unit
// with the least, and so on, which makes the largest of the new sums as small as this partition lets it be. Adds to
// the sums.
inline std::vector<std::uint32_t> longest_to_least(const std::vector<double>& costs, std::vector<double>& sums) {
  const std::vector<std::uint32_t> sub_partitions = largest_first(costs);
  std::vector<double> room(sums.size());
  for (std::size_t unit = 0; unit < sums.size(); ++unit) room[unit] = -sums[unit];
  const std::vector<std::uint32_t> units = largest_first(room);
  std::vector<std::uint32_t> unit_of(costs.size());
  for (std::size_t i = 0; i < sub_partitions.size(); ++i) {
    unit_of[sub_partitions[i]] = units[i];
    sums[units[i]] += costs[sub_partitions[i]];
  }
  return unit_of;
}

}  // namespace scheduler
}  // namespace gaspipe
