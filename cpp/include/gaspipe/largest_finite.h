// SPDX-License-Identifier: Apache-2.0
// The largest of many numbers, found on all workers.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "gaspipe/workers.h"

namespace gaspipe {

// The largest of the finite numbers above 0, as a double; 0 where there is none.
template <class T>
double largest_finite(const T* numbers, std::uint64_t count, Workers& workers) {
  constexpr std::uint64_t kLanes = 16;  // each on its own: one maximum would wait for the one before
  const auto take = [](T& largest, T number) {
    const bool is_better = (number > largest) & (number <= std::numeric_limits<T>::max());
    largest = is_better ? number : largest;
  };
  std::vector<T> largest(static_cast<std::size_t>(workers.size()));
  workers.each(count, 1 << 16, [&](std::uint64_t first, std::uint64_t last, int worker) {
    T lanes[kLanes] = {};
    std::uint64_t i = first;
    for (; i + kLanes <= last; i += kLanes) {
      for (std::uint64_t k = 0; k < kLanes; ++k) take(lanes[k], numbers[i + k]);
    }
    for (; i < last; ++i) take(lanes[0], numbers[i]);
    for (const T lane : lanes) take(largest[static_cast<std::size_t>(worker)], lane);
  });
  return static_cast<double>(*std::max_element(largest.begin(), largest.end()));
}

}  // namespace gaspipe
