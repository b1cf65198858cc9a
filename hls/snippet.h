// SPDX-License-Identifier: Apache-2.0
// What a user's snippet (gp.Algorithm) finds at hand, and what the header generated around it is made of. Names of the
// snippet hide those of `snippet`, so whatever it defines itself is what it uses. C++14, as all that becomes hardware.
#pragma once

#include "hls/types.h"

namespace gaspipe {
namespace snippet {

// For programs that keep their frontier in bit 31 of the property and start from buffers filled with zeros.
constexpr std::uint32_t VERTEX_ACTIVE_BIT_MASK = 0x80000000u;
constexpr std::int32_t MAX_PROP = 2147483646;  // 2^31 - 2

// As C's own comparison: both sides in their common type.
template <class A, class B>
constexpr auto min(A a, B b) -> decltype(a + b) {
  return b < a ? b : a;
}
template <class A, class B>
constexpr auto max(A a, B b) -> decltype(a + b) {
  return a < b ? b : a;
}
template <class T>
constexpr T abs(T value) {
  return value < T(0) ? T(0) - value : value;
}

}  // namespace snippet

namespace contract {

template <bool condition, class A, class B>
struct Either {
  using Type = A;
};
template <class A, class B>
struct Either<false, A, B> {
  using Type = B;
};

// |after - before|, summed in 64 bits for words of 32, in double for all others: a sum of differences of 64 bits could
// wrap around to 0. Infinities that stay, and NaN that stays, have not changed.
template <class Property>
struct Change {
  using Type = double;
  static Type of(Property before, Property after) {
    if (before == after || (before != before && after != after)) return 0;
    return before < after ? static_cast<double>(after) - static_cast<double>(before)
                          : static_cast<double>(before) - static_cast<double>(after);
  }
};
template <>
struct Change<std::uint32_t> {
  using Type = std::uint64_t;
  static Type of(std::uint32_t before, std::uint32_t after) { return before < after ? after - before : before - after; }
};
template <>
struct Change<std::int32_t> {
  using Type = std::uint64_t;
  static Type of(std::int32_t before, std::int32_t after) {
    const std::int64_t difference = static_cast<std::int64_t>(after) - before;
    return static_cast<Type>(difference < 0 ? -difference : difference);
  }
};

template <class T>
bool at_ceiling(const T& word) {
  return word == static_cast<T>(-1);
}
template <class T, int n>
bool at_ceiling(const T (&words)[n]) {
  bool any = false;
  for (int k = 0; k < n; ++k) any |= at_ceiling(words[k]);
  return any;
}

}  // namespace contract

// Hooks that count, after what applyFunc counts itself, how much the property changed (kChange) and, where words
// saturate, how many applied values or inputs are at the ceiling (kSaturated).
template <class Base, bool saturates = false>
struct Measured : Base {
  using Property = typename Base::Property;
  using Update = typename Traits<Base>::Update;
  using Own = typename Traits<Base>::Extra;
  using Extra = typename contract::Either<contract::Same<typename contract::SumOf<Own>::Type, double>::value, double,
                                          typename contract::Change<Property>::Type>::Type;
  static constexpr int kChange = Traits<Base>::kExtraSlots;
  static constexpr int kSaturated = kChange + 1;
  static constexpr int kExtras = kChange + (saturates ? 2 : 1);

  template <class Aux>
  static Property applyFunc(const Update& tProp, const Property& source, const Aux& aux, Extra (&extra)[kExtras],
                            const typename Traits<Base>::Arg& arg) {
    Own own[kChange] = {};
    const Property after =
        Base::applyFunc(tProp, source, aux, contract::PassExtra<(Traits<Base>::kExtras > 1)>::pass(own), arg);
    for (int k = 0; k < kChange; ++k) extra[k] += static_cast<Extra>(own[k]);
    extra[kChange] += static_cast<Extra>(contract::Change<Property>::of(source, after));
    if (saturates) {
      extra[kExtras - 1] += contract::at_ceiling(tProp) || contract::at_ceiling(source) ||
                            contract::at_ceiling(after) || contract::at_ceiling(aux);
    }
    return after;
  }
};

}  // namespace gaspipe
