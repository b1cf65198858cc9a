// SPDX-License-Identifier: Apache-2.0
// What travels between the modules of the pipeline. Plain structs of words: the vendor's 512-bit integers take a host
// 50 to 100 ns per lane. Every stream ends with one token whose `end` is set and whose payload means nothing.
#pragma once

#include "hls/platform.h"
#include "hls/types.h"
#include "hls/word.h"

namespace gaspipe {

// How wide a compute unit is. A sub-partition's edges come `kLanes` a cycle and go to `kPes` gather PEs, destination
// modulo kPes.
template <int lanes = 8, int pes = 8, VertexId max_capacity = 1 << 20>
struct Config {
  static_assert(lanes == 8 || lanes == 16, "edges per cycle: 8 or 16");
  static_assert(pes == 4 || pes == 8 || pes == 16, "gather PEs: 4, 8 or 16");
  static constexpr int kLanes = lanes;
  static constexpr int kPes = pes;
  static constexpr VertexId kMaxCapacity = max_capacity;  // vertices of a partition that the chip has room for
};

// Whether a value is a word of memory of its own.
template <class T>
constexpr bool fills_word() {
  return Word<T>::kSize == 1;
}
// `T` where `holds`: for tasks that differ for such values.
template <bool holds, class T>
struct EnabledIf {};
template <class T>
struct EnabledIf<true, T> {
  using Type = T;
};
template <bool holds, class T>
using EnableIf = typename EnabledIf<holds, T>::Type;

// A word's lanes as they travel: without the alignment of memory, which would make 128 bytes of a word and a bit.
template <class T>
struct Lanes {
  static constexpr int kSize = Word<T>::kSize;
  T lane[kSize];

  Lanes() = default;
  Lanes(const Word<T>& word) {
    GASPIPE_PRAGMA(HLS INLINE);
    for (int i = 0; i < kSize; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      lane[i] = word.lane[i];
    }
  }
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
struct WordToken {
  Lanes<T> word;
  bool end;
};

// A run of property words: `count` of them from `first`.
struct LineRun {
  std::uint32_t first, count;
  bool end;
};

// Edges of a cycle, with what their sources hold.
template <class Property, int lanes>
struct SourceToken {
  Property property[lanes];  // preprocessed
  bool end;
};

// Updates of a cycle; what is not active, or pads, is not valid.
template <class Value, int lanes>
struct UpdateSet {
  Update<Value> update[lanes];
  std::uint32_t valid;  // bit per lane
  bool end;
};

// A set, with a list of those that are for one PE.
template <class Value, int lanes>
struct ListedSet {
  Update<Value> update[lanes];
  std::uint64_t lane;  // theirs, in order, 4 bits each from the lowest on
  std::uint8_t num;
  bool end;
};

template <class Value>
struct UpdateToken {
  Update<Value> update;
  bool end;
};

// A word that lasts two cycles of `lanes` each: before the second one, its upper half becomes its lower. So no index
// depends on the cycle, which would make a multiplexer of all lanes instead of one of two.
template <int lanes, class T, int num>
void lower_half(T (&all)[num]) {
  GASPIPE_PRAGMA(HLS INLINE);
  static_assert(lanes == num || 2 * lanes == num, "a word lasts one cycle or two");
  for (int i = 0; i < lanes; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    all[i] = all[num - lanes + i];
  }
}

}  // namespace gaspipe
