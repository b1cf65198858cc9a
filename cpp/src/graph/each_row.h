// SPDX-License-Identifier: Apache-2.0
// Loops over rows on all workers.
#pragma once

#include "gaspipe/csr.h"

namespace gaspipe {
namespace detail {

// body(first, last) for ranges of rows of about equal work, a row counting as its degree + 1: hubs may come together.
template <class Body>
void each_row(const Offsets& offsets, Workers& workers, const Body& body) {
  constexpr std::uint64_t kGrain = 1 << 16;
  const std::uint64_t num_rows = offsets.size() - 1;
  const auto row_at = [&](std::uint64_t work) {  // the first row that starts at or after it
    std::uint64_t low = 0, high = num_rows;
    while (low < high) {
      const std::uint64_t middle = (low + high) / 2;
      if (offsets[middle] + middle < work) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  workers.each(offsets[num_rows] + num_rows, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    const std::uint64_t first_row = row_at(first), last_row = row_at(last);
    if (first_row < last_row) body(first_row, last_row);
  });
}

}  // namespace detail
}  // namespace gaspipe
