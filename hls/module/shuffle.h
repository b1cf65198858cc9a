// SPDX-License-Identifier: Apache-2.0
// From a set of updates to the PEs they are for: every PE sees every set and keeps what is its own, packed, in order.
// Packing is a table: the bits of the lanes to keep (the opcode, 8 lanes) give where each kept lane comes from, so it
// takes one look-up and one multiplexer per lane; 16 lanes are two halves. Sets that hold nothing are not sent.
// Method: X. Chen et al., "ThunderGP", FPGA 2021.
#pragma once

#include "hls/module/tokens.h"
#include "hls/platform.h"
#include "hls/stream.h"

namespace gaspipe {

// The same tokens to each of `n`. Fan-out to many PEs is a tree of these: 1 to 4, each of them to 4.
template <int n, class Token>
void broadcast(stream<Token>& in, stream<Token> (&out)[n]) {
  Token token;
  token.end = false;
  while (!token.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 2097152);
    read_from_stream(in, token);
    for (int i = 0; i < n; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      write_to_stream(out[i], token);
    }
  }
}

// Per opcode: how many lanes it keeps, and the kept lanes in order, 3 bits each from the lowest on.
struct PackTable {
  std::uint32_t lanes[256];
  std::uint8_t num[256];
  constexpr PackTable() : lanes(), num() {
    for (int op = 0; op < 256; ++op) {
      int kept = 0;
      for (int lane = 0; lane < 8; ++lane) {
        if ((op >> lane & 1) == 0) continue;
        lanes[op] |= std::uint32_t(lane) << (3 * kept);
        ++kept;
      }
      num[op] = static_cast<std::uint8_t>(kept);
    }
  }
  constexpr int lane(std::uint32_t op, int i) const { return static_cast<int>(lanes[op] >> (3 * i) & 7u); }
};
constexpr PackTable kPackTable;

// A bit per lane that is valid and for PE `pe`.
template <int pes, class Value, int lanes>
std::uint32_t opcode(const UpdateSet<Value, lanes>& set, int pe) {
  GASPIPE_PRAGMA(HLS INLINE);
  std::uint32_t bits = 0;
  for (int i = 0; i < lanes; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    bits |= std::uint32_t(set.update[i].destination % pes == std::uint32_t(pe)) << i;
  }
  return bits & set.valid;
}

// The lanes of `bits`, in order, into the `update` and `num` of a packed set; what lies beyond `num` means nothing.
template <class Value, int lanes, class Packed>
void pack(const UpdateSet<Value, lanes>& set, std::uint32_t bits, Packed& packed) {
  GASPIPE_PRAGMA(HLS INLINE);
  static_assert(lanes == 8 || lanes == 16, "one half or two");
  const std::uint32_t low = bits & 255u, high = bits >> 8, num_low = kPackTable.num[low];
  packed.num = num_low + (lanes > 8 ? kPackTable.num[high] : 0);
  for (int i = 0; i < 8; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    packed.update[i] = set.update[kPackTable.lane(low, i)];
  }
  for (int i = 0; i < lanes; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    if (lanes > 8 && std::uint32_t(i) >= num_low && std::uint32_t(i) < packed.num) {
      packed.update[i] = set.update[8 % lanes + kPackTable.lane(high, i - static_cast<int>(num_low))];
    }
  }
}

// What is for PE `pe`: destination % pes == pe.
template <int lanes, int pes, class Value>
void shuffleDecoder(int pe, stream<UpdateSet<Value, lanes>>& in, stream<PackedSet<Value, lanes>>& out) {
  UpdateSet<Value, lanes> set;
  PackedSet<Value, lanes> packed;
  packed.num = 0;
  packed.end = false;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 2097152);
    read_from_stream(in, set);
    if (set.end) break;
    const std::uint32_t bits = opcode<pes>(set, pe);
    if (bits != 0) {
      pack(set, bits, packed);
      write_to_stream(out, packed);
    }
  }
  packed.end = true;
  write_to_stream(out, packed);
}

}  // namespace gaspipe
