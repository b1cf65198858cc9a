// SPDX-License-Identifier: Apache-2.0
// How kernels are told what comes once per compute unit, and a super-step's argument.
#pragma once

#include "hls/platform.h"
#include "hls/types.h"

namespace gaspipe {

constexpr int kMostUnits = 16;

// The number of compute units: a constant of the hardware, or any up to kMost.
template <int units>
struct Units {
  static_assert(units >= 1 && units <= kMostUnits, "compute units: 1 to 16");
  static constexpr int kMost = units;
  constexpr operator int() const { return units; }
};
struct AnyUnits {
  static constexpr int kMost = kMostUnits;
  int units;
  constexpr operator int() const { return units; }
};

// Ports of one kind, by number. No array of pointers, which Vitis does not follow to the ports: with a constant
// `number`, as in an unrolled loop, what is left is one pointer.
template <class T, int n>
struct Banks {
  T* first;
  Banks<T, n - 1> others;
  template <class... Others>
  constexpr Banks(T* pointer, Others... rest) : first(pointer), others(rest...) {
    GASPIPE_PRAGMA(HLS INLINE);
  }
  constexpr T* operator[](int number) const {
    GASPIPE_PRAGMA(HLS INLINE);
    return number == 0 ? first : others[number - 1];
  }
};
template <class T>
struct Banks<T, 0> {
  constexpr T* operator[](int /*number*/) const {
    GASPIPE_PRAGMA(HLS INLINE);
    return nullptr;
  }
};

// A program's Arg travels as scalars of 32 bits, always this many, so that every program has the same registers: the
// bytes of the struct in memory, its first word first, little-endian; words past its end mean nothing. 32 bytes are
// eight numbers of 4 bytes or four of 8.
constexpr int kArgWords = 8;

template <class Arg, class... Words>
Arg to_arg(Words... words) {
  GASPIPE_PRAGMA(HLS INLINE);
  static_assert(sizeof...(words) == kArgWords, "every word has its port");
  static_assert(sizeof(Arg) % sizeof(std::uint32_t) == 0, "Arg is a plain struct of words of 4 or 8 bytes");
  static_assert(sizeof(Arg) <= kArgWords * sizeof(std::uint32_t),
                "Arg has at most 32 bytes; pass more per vertex, as Aux");
  union {
    std::uint32_t words[kArgWords];
    Arg arg;
  } const bits = {{words...}};
  return bits.arg;
}

}  // namespace gaspipe
