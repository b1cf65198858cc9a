// SPDX-License-Identifier: Apache-2.0
// What both ways of exchange.h share: copies of values, and sums behind them.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "gaspipe/abi.h"

namespace gaspipe {
namespace detail {

constexpr std::uint64_t kGrain = 1 << 14;

// Copies of values, by their size.
template <class F>
void with_size(std::int32_t bytes, const F& f) {
  switch (bytes) {
    case 4:
      return f(std::integral_constant<std::size_t, 4>());
    case 8:
      return f(std::integral_constant<std::size_t, 8>());
    case 16:
      return f(std::integral_constant<std::size_t, 16>());
    default:
      return f(static_cast<std::size_t>(bytes));
  }
}

template <class T>
void add_up(void* sums, const std::uint8_t* more, std::int32_t count) {
  for (std::int32_t k = 0; k < count; ++k) {
    T sum, term;
    std::memcpy(&sum, static_cast<std::uint8_t*>(sums) + 8 * k, 8);
    std::memcpy(&term, more + 8 * k, 8);
    sum += term;
    std::memcpy(static_cast<std::uint8_t*>(sums) + 8 * k, &sum, 8);
  }
}

// In the order of the ranks, so that sums of doubles are the same on all of them.
template <class From>
void add_sums(const abi::Exchange& what, std::size_t num_ranks, const From& from) {
  if (what.num_sums == 0) return;
  std::vector<std::uint64_t> total(static_cast<std::size_t>(what.num_sums));
  std::memcpy(total.data(), from(0), total.size() * 8);
  for (std::size_t rank = 1; rank < num_ranks; ++rank) {
    what.sum_type == abi::kFloat64 ? add_up<double>(total.data(), from(rank), what.num_sums)
                                   : add_up<std::uint64_t>(total.data(), from(rank), what.num_sums);
  }
  std::memcpy(what.sums, total.data(), total.size() * 8);
}

}  // namespace detail
}  // namespace gaspipe
