// SPDX-License-Identifier: Apache-2.0
// How kernels are told what comes once per compute unit, and a super-step's argument.
#pragma once

#include "hls/platform.h"
#include "hls/types.h"

namespace gaspipe {

constexpr int kMostUnits = 16;

// In a region, in template arguments of a task that is called in a loop: the number of the turn. A top has the number
// itself, so that each call is a function with memory of its own (GASPIPE_ON_CHIP_KEPT); the emulator's tasks have that
// anyway.
constexpr int kCopy = 0;

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
