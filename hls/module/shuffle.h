// SPDX-License-Identifier: Apache-2.0
// From a set of updates to the PEs they are for: every PE sees every set and lists the lanes that are its own, in
// order. The updates stay where they are: the filter behind takes them from there one by one, with one multiplexer,
// where packing them takes one per lane. Sets that hold nothing are not sent. Method: X. Chen et al., "ThunderGP", FPGA
// 2021, whose PEs pack their updates (hls/thundergp/shuffle.h).
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
    keep_whole(token);
    for (int i = 0; i < n; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      write_to_stream(out[i], token);
    }
  }
}

// Of the lanes 4 g to 4 g + 3, by their four bits of an opcode: those that are set, in order, 4 bits each from the
// lowest on; and how many are.
constexpr std::uint16_t kLaneLists[4][16] = {
    {0, 0x0, 0x1, 0x10, 0x2, 0x20, 0x21, 0x210, 0x3, 0x30, 0x31, 0x310, 0x32, 0x320, 0x321, 0x3210},
    {0, 0x4, 0x5, 0x54, 0x6, 0x64, 0x65, 0x654, 0x7, 0x74, 0x75, 0x754, 0x76, 0x764, 0x765, 0x7654},
    {0, 0x8, 0x9, 0x98, 0xa, 0xa8, 0xa9, 0xa98, 0xb, 0xb8, 0xb9, 0xb98, 0xba, 0xba8, 0xba9, 0xba98},
    {0, 0xc, 0xd, 0xdc, 0xe, 0xec, 0xed, 0xedc, 0xf, 0xfc, 0xfd, 0xfdc, 0xfe, 0xfec, 0xfed, 0xfedc}};
constexpr std::uint8_t kNumBits[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

// A bit per lane that is valid and for PE `pe`.
template <int pes, class Value, int lanes>
std::uint32_t opcode(const UpdateSet<Value, lanes>& set, int pe) {
  GASPIPE_PRAGMA(HLS INLINE);
  static_assert((pes & (pes - 1)) == 0, "destination % pes are its lowest bits");
  return matching_lanes(set.update, pes - 1, std::uint32_t(pe)) & set.valid;
}

// Lists the lanes of an opcode: `lane` and `num` of a ListedSet or MarkedSet, to which the updates are copied.
template <int lanes, class Listed>
void list_bits(std::uint32_t bits, Listed& listed) {
  GASPIPE_PRAGMA(HLS INLINE);
  std::uint64_t list = 0;
  std::uint32_t num = 0;
  for (int group = 0; group < lanes / 4; ++group) {
    GASPIPE_PRAGMA(HLS UNROLL);
    const std::uint32_t four = bits >> (4 * group) & 15u;
    list |= static_cast<std::uint64_t>(kLaneLists[group][four]) << (4 * num);
    num += kNumBits[four];
  }
  listed.lane = list;
  listed.num = static_cast<std::uint8_t>(num);
}
template <class Value, int lanes, class Listed>
void list_lanes(const UpdateSet<Value, lanes>& set, std::uint32_t bits, Listed& listed) {
  GASPIPE_PRAGMA(HLS INLINE);
  copy_lanes(set.update, listed.update);
  list_bits<lanes>(bits, listed);
}

// What is for PE `pe`: destination % pes == pe.
template <int lanes, int pes, class Value>
void shuffleDecoder(int pe, stream<UpdateSet<Value, lanes>>& in, stream<ListedSet<Value, lanes>>& out) {
  UpdateSet<Value, lanes> set;
  set.end = false;
  while (!set.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 2097152);
    read_from_stream(in, set);
    const std::uint32_t bits = opcode<pes>(set, pe);
    if (bits != 0 || set.end) {
      ListedSet<Value, lanes> listed;  // of this cycle alone: no register has to hold it
      list_lanes(set, bits, listed);
      listed.end = set.end;
      write_to_stream(out, listed);
    }
  }
}

}  // namespace gaspipe
