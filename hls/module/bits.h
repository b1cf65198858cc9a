// SPDX-License-Identifier: Apache-2.0
// Values as the plain integers that memory of the chip holds: synthesis tools split an array of structs by members, and
// the members' words then share the ports.
#pragma once

#include <cstdint>

#include "hls/platform.h"

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

}  // namespace gaspipe
