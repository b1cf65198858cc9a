// SPDX-License-Identifier: Apache-2.0
// Elements of several fields in a word, as arrays along the edges hold them. GraphOps has 48 bits, so that a burst of
// its platform holds a power of 2 of them; a line of 512 bits has lanes of 32 or 64. Its packets are here too, with
// their documented widths, for data that others made.
#pragma once

#include "hls/block/types.h"

namespace gaspipe {
namespace block {

// Bits [first, first + width) of a word.
template <int first, int width>
struct Field {
  static_assert(first >= 0 && width >= 1 && first + width <= 64, "fields of a word of 64 bits");
  static constexpr std::uint64_t kMost = width == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << (width % 64)) - 1;
  static constexpr std::uint64_t get(std::uint64_t word) { return word >> first & kMost; }
  // What does not fit must not come: `fits` says so, on the host.
  static constexpr std::uint64_t put(std::uint64_t value) { return (value & kMost) << first; }
  static constexpr bool fits(std::uint64_t value) { return value <= kMost; }
};

// A search: the level of a neighbor, and the neighbor. Seed24 is GraphOps', of 48 bits.
template <int bits = 32>
struct BfsElement {
  using Level = Field<bits, bits>;
  using Neighbor = Field<0, bits>;
  static constexpr std::uint64_t pack(std::uint64_t level, std::uint64_t neighbor) {
    return Level::put(level) | Neighbor::put(neighbor);
  }
};
// A cover: of an edge the owner and the neighbor, each with its degree and whether it is in the cover.
// GraphOps: cover 4 and degree 8 bits each, and the edge's number in 24.
template <int cover_bits = 1, int degree_bits = 31, int edge_bits = 0>
struct CoverElement {
  static constexpr int kEnd = cover_bits + degree_bits;
  using Cover = Field<edge_bits + degree_bits, cover_bits>;
  using Degree = Field<edge_bits, degree_bits>;
  using OwnerCover = Field<edge_bits + kEnd + degree_bits, cover_bits>;
  using OwnerDegree = Field<edge_bits + kEnd, degree_bits>;
  using Edge = Field<0, edge_bits == 0 ? 1 : edge_bits>;
  static constexpr std::uint64_t pack(std::uint64_t owner_cover, std::uint64_t owner_degree, std::uint64_t cover,
                                      std::uint64_t degree, std::uint64_t edge = 0) {
    return OwnerCover::put(owner_cover) | OwnerDegree::put(owner_degree) | Cover::put(cover) | Degree::put(degree) |
           (edge_bits == 0 ? 0 : Edge::put(edge));
  }
};
// A vertex: its degree and whether it is a member. GraphOps: degree 32, member 16 bits.
template <int degree_bits = 31, int member_bits = 1>
struct MemberElement {
  using Degree = Field<member_bits, degree_bits>;
  using Member = Field<0, member_bits>;
  static constexpr std::uint64_t pack(std::uint64_t degree, std::uint64_t member) {
    return Degree::put(degree) | Member::put(member);
  }
};
// PageRank in GraphOps: degree 16 bits, the bits of a float 32.
struct RankElement {
  using Degree = Field<32, 16>;
  using Rank = Field<0, 32>;
  static constexpr std::uint64_t pack(std::uint64_t degree, std::uint64_t rank) {
    return Degree::put(degree) | Rank::put(rank);
  }
};

// GraphOps' memory request (45 bits): enable, address in bursts of `burst_lines` lines, size in bursts.
struct PackedMemReq {
  using Enable = Field<44, 1>;
  using First = Field<16, 28>;
  using Num = Field<0, 16>;
  static bool fits(const MemReq& request) { return First::fits(request.first) && Num::fits(request.num); }
  static std::uint64_t pack(const MemReq& request) {
    return Enable::put(1) | First::put(request.first) | Num::put(request.num);
  }
  static MemReq unpack(std::uint64_t word) {
    MemReq request;
    request.first = First::get(word);
    request.num = Num::get(word);
    request.end = Enable::get(word) == 0;
    return request;
  }
};

// GraphOps' metadata packet (96 bits): owner 32, packets 16, last element 24, first element 24, both included. A set
// whose elements lie beyond 2^24 does not fit; SetMeta has 64 bits.
struct PackedSetMeta {
  std::uint32_t owner;
  std::uint64_t rest;  // 64 bits: packets, last, first
  using Packets = Field<48, 16>;
  using Last = Field<24, 24>;
  using First = Field<0, 24>;

  // `packet_elements` of an element's array, two packets a burst.
  static bool fits(const SetMeta& meta, std::uint32_t packet_elements) {
    return meta.first < meta.last && Last::fits(meta.last - 1) && Packets::fits(num_packets(meta, packet_elements));
  }
  static std::uint64_t num_packets(const SetMeta& meta, std::uint32_t packet_elements) {
    const std::uint64_t burst = 2 * std::uint64_t(packet_elements);
    return 2 * ((meta.last - 1) / burst - meta.first / burst + 1);
  }
  static PackedSetMeta pack(const SetMeta& meta, std::uint32_t packet_elements) {
    PackedSetMeta packet;
    packet.owner = meta.owner;
    packet.rest = Packets::put(num_packets(meta, packet_elements)) | Last::put(meta.last - 1) | First::put(meta.first);
    return packet;
  }
  SetMeta unpack() const {
    SetMeta meta;
    meta.owner = owner;
    meta.first = First::get(rest);
    meta.last = Last::get(rest) + 1;
    meta.end = false;
    return meta;
  }
};

}  // namespace block
}  // namespace gaspipe
