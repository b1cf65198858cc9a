// SPDX-License-Identifier: Apache-2.0
// Copies values of vertices in another order.
#pragma once

#include <cstdint>
#include <type_traits>

#include "gaspipe/workers.h"

namespace gaspipe {

constexpr std::uint64_t kPermutedAtOnce = 1 << 14;

// `from` and `to` hold `num` values of 4 or 8 bytes each; place(v) is where the v-th is read and where it is written.
template <class Place>
void permute(const void* from, void* to, std::uint64_t value_bytes, std::uint64_t num, Workers& workers,
             const Place& place) {
  const auto copy = [&](auto* written) {
    using Value = std::remove_pointer_t<decltype(written)>;
    workers.each(num, kPermutedAtOnce, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t v = first; v < last; ++v) {
        const auto [source, destination] = place(v);
        written[destination] = static_cast<const Value*>(from)[source];
      }
    });
  };
  value_bytes == 8 ? copy(static_cast<std::uint64_t*>(to)) : copy(static_cast<std::uint32_t*>(to));
}

}  // namespace gaspipe
