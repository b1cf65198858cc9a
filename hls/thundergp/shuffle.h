// SPDX-License-Identifier: Apache-2.0
// shuffleDecoder as published (X. Chen et al., "ThunderGP", FPGA 2021): every PE sees every set and packs what is its
// own, in order. Packing is a table: the bits of the lanes to keep (the opcode) give where each kept lane comes from,
// so it takes one look-up and one multiplexer per lane. Sets that hold nothing are not sent.
#pragma once

#include "hls/module/shuffle.h"

namespace gaspipe {
namespace thundergp {

// Those of a set that are for one PE, packed.
template <class Value, int lanes>
struct PackedSet {
  Update<Value> update[lanes];
  std::uint32_t num;
  bool end;
};

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

// The lanes of `bits`, in order, into the `update` and `num` of a packed set; what lies beyond `num` means nothing.
template <class Value>
void pack(const UpdateSet<Value, 8>& set, std::uint32_t bits, PackedSet<Value, 8>& packed) {
  GASPIPE_PRAGMA(HLS INLINE);
  packed.num = kPackTable.num[bits];
  for (int i = 0; i < 8; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    packed.update[i] = set.update[kPackTable.lane(bits, i)];
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

}  // namespace thundergp
}  // namespace gaspipe
