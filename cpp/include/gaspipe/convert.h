// SPDX-License-Identifier: Apache-2.0
// Arrays converted to the element type of a number format; what does not fit is refused, never rounded to an integer.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "gaspipe/abi.h"
#include "gaspipe/array.h"
#include "gaspipe/error.h"
#include "gaspipe/find_first.h"
#include "gaspipe/workers.h"

namespace gaspipe {
namespace detail {

template <class T>
Array<std::uint8_t> as_bytes(const Array<T>& array) {
  return Array<std::uint8_t>(array.owner(), reinterpret_cast<const std::uint8_t*>(array.data()),
                             array.size() * sizeof(T));
}

template <class From, class To>
bool fits(From value) {
  if constexpr (std::is_floating_point_v<To>) {
    return true;
  } else if constexpr (std::is_floating_point_v<From>) {
    // Powers of two are exact, so these bounds are too.
    return value == std::trunc(value) &&
           value >= (std::is_signed_v<To> ? -std::ldexp(1.0, std::numeric_limits<To>::digits) : 0.0) &&
           value < std::ldexp(1.0, std::numeric_limits<To>::digits);
  } else {
    const To converted = static_cast<To>(value);
    return (converted < 0) == (value < 0) && static_cast<From>(converted) == value;
  }
}

template <class To, class From, class Complain>
Array<std::uint8_t> convert(const Array<From>& values, const char* type, Workers& workers, const Complain& complain) {
  // Signed and unsigned words of one width hold the same bits for every value that fits both.
  constexpr bool same_bits =
      std::is_same_v<From, To> || (std::is_integral_v<From> && std::is_integral_v<To> && sizeof(From) == sizeof(To));
  const std::uint64_t bad =
      find_first(values.size(), workers, [&](std::uint64_t i) { return !fits<From, To>(values[i]); });
  if (bad < values.size()) throw InputError(complain(bad, type));
  if constexpr (same_bits) {
    return as_bytes(values);
  } else {
    Writable<To> converted(values.size());
    workers.each(values.size(), 1 << 16, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t i = first; i < last; ++i) converted[i] = static_cast<To>(values[i]);
    });
    return as_bytes(converted.freeze());
  }
}

}  // namespace detail

// The array itself where it has the type. `complain(index, type)` is the InputError's message for what does not fit.
template <class From, class Complain>
Array<std::uint8_t> converted(const Array<From>& values, abi::Scalar type, Workers& workers, const Complain& complain) {
  switch (type) {
    case abi::kInt32:
      return detail::convert<std::int32_t>(values, "int32", workers, complain);
    case abi::kUint32:
      return detail::convert<std::uint32_t>(values, "uint32", workers, complain);
    case abi::kInt64:
      return detail::convert<std::int64_t>(values, "int64", workers, complain);
    case abi::kUint64:
      return detail::convert<std::uint64_t>(values, "uint64", workers, complain);
    case abi::kFloat32:
      return detail::convert<float>(values, "float32", workers, complain);
    case abi::kFloat64:
      return detail::convert<double>(values, "float64", workers, complain);
    default:
      return {};
  }
}

}  // namespace gaspipe
