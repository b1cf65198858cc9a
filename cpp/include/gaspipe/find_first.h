// SPDX-License-Identifier: Apache-2.0
// The first position that fails a check, found on all workers: what an error message names, whoever finds it.
#pragma once

#include <atomic>

#include "gaspipe/workers.h"

namespace gaspipe {

// Smallest i in [0, count) with is_bad(i), or `count`.
template <class IsBad>
std::uint64_t find_first(std::uint64_t count, Workers& workers, const IsBad& is_bad) {
  std::atomic<std::uint64_t> found{count};
  workers.each(count, 1 << 16, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) {
      if (!is_bad(i)) continue;
      std::uint64_t best = found;
      while (i < best && !found.compare_exchange_weak(best, i)) {
      }
      return;
    }
  });
  return found;
}

}  // namespace gaspipe
