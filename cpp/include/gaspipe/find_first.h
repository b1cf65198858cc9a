// SPDX-License-Identifier: Apache-2.0
// The first position that fails a check, found on all workers: what an error message names, whichever worker finds it.
#pragma once

#include <algorithm>
#include <atomic>

#include "gaspipe/workers.h"

namespace gaspipe {

// Smallest i in [0, count) with is_bad(i), or `count`. Blocks are looked at whole, without a branch, for nearly always
// nothing is bad.
template <class IsBad>
std::uint64_t find_first(std::uint64_t count, Workers& workers, const IsBad& is_bad) {
  constexpr std::uint64_t kBlock = 1 << 10;
  std::atomic<std::uint64_t> found{count};
  workers.each(count, 1 << 16, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t block = first; block < last; block += kBlock) {
      const std::uint64_t end = std::min(block + kBlock, last);
      unsigned any = 0;
      for (std::uint64_t i = block; i < end; ++i) any |= is_bad(i) ? 1u : 0u;
      if (any == 0) continue;
      std::uint64_t i = block;
      while (!is_bad(i)) ++i;
      std::uint64_t best = found;
      while (i < best && !found.compare_exchange_weak(best, i)) {
      }
      return;
    }
  });
  return found;
}

}  // namespace gaspipe
