// SPDX-License-Identifier: Apache-2.0
// Values as the plain integers that memory of the chip holds: synthesis tools split an array of structs by members, and
// the members' words then share the ports.
#pragma once

#include <cstdint>

#include "hls/platform.h"
#include "hls/word.h"

namespace gaspipe {

template <int num_bytes>
struct BitsOfBytes;
template <>
struct BitsOfBytes<4> {
  using Type = std::uint32_t;
};
template <>
struct BitsOfBytes<8> {
  using Type = std::uint64_t;
};
template <class Value>
using BitsOf = typename BitsOfBytes<sizeof(Value)>::Type;

template <class Value>
BitsOf<Value> to_bits(const Value& value) {
  GASPIPE_PRAGMA(HLS INLINE);
  union {
    Value value;
    BitsOf<Value> word;
  } const bits = {value};
  return bits.word;
}
template <class Value>
Value from_bits(BitsOf<Value> word) {
  GASPIPE_PRAGMA(HLS INLINE);
  union {
    BitsOf<Value> word;
    Value value;
  } const bits = {word};
  return bits.value;
}
// A word of memory that holds values of another type, as words of 32 bits.
template <class Value, class Stored>
struct StoredWord {
  static Word<Value> values(const Word<std::uint32_t>& bits) {
    GASPIPE_PRAGMA(HLS INLINE);
    constexpr int kLanes = int(sizeof(Value) / sizeof(std::uint32_t));  // of a value
    Word<Value> word;
    for (int i = 0; i < Word<Value>::kSize; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      BitsOf<Value> one = BitsOf<Value>(bits.lane[i * kLanes]);
      if (kLanes == 2) one |= BitsOf<Value>(std::uint64_t(bits.lane[(2 * i + 1) % Word<std::uint32_t>::kSize]) << 32);
      word.lane[i] = from_bits<Value>(one);
    }
    return word;
  }
};
template <class Value>
struct StoredWord<Value, Value> {
  static Word<Value> values(const Word<Value>& word) {
    GASPIPE_PRAGMA(HLS INLINE);
    return word;
  }
};
template <class Value, class Stored>
Word<Value> values_of(const Word<Stored>& word) {
  GASPIPE_PRAGMA(HLS INLINE);
  return StoredWord<Value, Stored>::values(word);
}

}  // namespace gaspipe
