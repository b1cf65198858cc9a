// SPDX-License-Identifier: Apache-2.0
// For code that works on any type of weights, or on none: what a visitor of `Weights` asks of its argument.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <variant>

namespace gaspipe {
namespace detail {

template <class W>
constexpr bool is_weighted_v = !std::is_same_v<std::decay_t<W>, std::monostate>;

// Element type of a weight array; any type for "none", where no element is ever made.
template <class W>
struct ElementOf {
  using Type = typename W::Element;
};
template <>
struct ElementOf<std::monostate> {
  using Type = std::int32_t;
};

// Ascending, with NaN last: an order, which < alone is not.
template <class T>
bool is_lighter(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a < b || (!std::isnan(a) && std::isnan(b));
  } else {
    return a < b;
  }
}

}  // namespace detail
}  // namespace gaspipe
