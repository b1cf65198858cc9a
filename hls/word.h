// SPDX-License-Identifier: Apache-2.0
// A word of memory as ports see it: 512 bits, of lanes of 32 or 64. In a token its lanes travel without its alignment,
// which would make 128 bytes of a word and a bit; each converts to the other.
#pragma once

#include "hls/platform.h"

namespace gaspipe {

template <class T>
struct Word;

template <class T>
struct Lanes {
  static constexpr int kSize = 64 / sizeof(T);
  T lane[kSize];

  operator Word<T>() const {
    GASPIPE_PRAGMA(HLS INLINE);
    Word<T> word;
    for (int i = 0; i < kSize; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      word.lane[i] = lane[i];
    }
    return word;
  }
};

template <class T>
struct alignas(64) Word {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "words of 32 or 64 bits");
  static constexpr int kSize = 64 / sizeof(T);
  T lane[kSize];

  operator Lanes<T>() const {
    GASPIPE_PRAGMA(HLS INLINE);
    Lanes<T> lanes;
    for (int i = 0; i < kSize; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      lanes.lane[i] = lane[i];
    }
    return lanes;
  }
};

}  // namespace gaspipe
