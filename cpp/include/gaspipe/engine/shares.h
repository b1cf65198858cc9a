// SPDX-License-Identifier: Apache-2.0
// A list that threads work on, cut into a share for each. A thread takes pieces of its own share first, for what it
// added to a list itself lies together and is still in its cache, and then of the others'.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gaspipe/engine/workers.h"

namespace gaspipe {
namespace engine {

struct alignas(64) Share {
  std::uint64_t next = 0, last = 0;

  // Calls body(first, last) for pieces of at most `grain`, until none is left or the run is cancelled.
  template <class Body>
  void take(const Workers& workers, int worker, std::uint64_t grain, const Body& body) {
    while (__atomic_load_n(&next, __ATOMIC_RELAXED) < last && !workers.poll(worker)) {
      const std::uint64_t first = __atomic_fetch_add(&next, grain, __ATOMIC_RELAXED);
      if (first < last) body(first, std::min(first + grain, last));
    }
  }
};

// The shares of a list of `size`, one per worker.
inline std::vector<Share> shares_of(std::uint64_t size, int num_workers) {
  std::vector<Share> shares(num_workers);
  const auto count = static_cast<std::uint64_t>(num_workers);
  for (std::uint64_t i = 0; i < count; ++i) shares[i].next = size * i / count, shares[i].last = size * (i + 1) / count;
  return shares;
}

}  // namespace engine
}  // namespace gaspipe
