// SPDX-License-Identifier: Apache-2.0
// A set of up to `bits` things, one bit each. One of 512 bits fills a word of memory: 512 searches in one pass. The
// calls below take integers as sets too, of as many things as they have bits.
#pragma once

#include <cstdint>

#include "hls/word.h"

namespace gaspipe {

template <int bits>
struct BitSet;
template <>
struct BitSet<512> {
  std::uint64_t word[8];
};

// A word of memory that is one set.
template <>
struct alignas(64) Word<BitSet<512>> {
  static constexpr int kSize = 1;
  BitSet<512> lane[kSize];
};

// Written out: a loop here would have to be unrolled by a pragma, of which an algorithm's headers have none.
inline BitSet<512> operator|(const BitSet<512>& a, const BitSet<512>& b) {
  return {{a.word[0] | b.word[0], a.word[1] | b.word[1], a.word[2] | b.word[2], a.word[3] | b.word[3],
           a.word[4] | b.word[4], a.word[5] | b.word[5], a.word[6] | b.word[6], a.word[7] | b.word[7]}};
}
inline BitSet<512> operator&(const BitSet<512>& a, const BitSet<512>& b) {
  return {{a.word[0] & b.word[0], a.word[1] & b.word[1], a.word[2] & b.word[2], a.word[3] & b.word[3],
           a.word[4] & b.word[4], a.word[5] & b.word[5], a.word[6] & b.word[6], a.word[7] & b.word[7]}};
}
inline BitSet<512> operator~(const BitSet<512>& a) {
  return {{~a.word[0], ~a.word[1], ~a.word[2], ~a.word[3], ~a.word[4], ~a.word[5], ~a.word[6], ~a.word[7]}};
}

// Whether there is anything in a set.
inline bool has_any(std::uint32_t set) { return set != 0; }
inline bool has_any(std::uint64_t set) { return set != 0; }
inline bool has_any(const BitSet<512>& set) {
  return (set.word[0] | set.word[1] | set.word[2] | set.word[3] | set.word[4] | set.word[5] | set.word[6] |
          set.word[7]) != 0;
}

inline bool operator==(const BitSet<512>& a, const BitSet<512>& b) { return !has_any((a & ~b) | (b & ~a)); }
inline bool operator!=(const BitSet<512>& a, const BitSet<512>& b) { return !(a == b); }

// Adds 1 to the count of each that is in a set.
template <class Word, int bits>
void count_members(Word set, unsigned (&counts)[bits], int first = 0) {
  constexpr int kBits = 8 * sizeof(Word);
  for (int k = 0; k < kBits; ++k) counts[first + k] += static_cast<unsigned>(set >> k & 1u);
}
inline void count_members(const BitSet<512>& set, unsigned (&counts)[512]) {
  for (int i = 0; i < 8; ++i) count_members(set.word[i], counts, 64 * i);
}

// Puts number k into a set, where `is_in`.
inline void add_bit(std::uint32_t& set, int k, bool is_in) { set |= static_cast<std::uint32_t>(is_in) << k; }
inline void add_bit(std::uint64_t& set, int k, bool is_in) { set |= static_cast<std::uint64_t>(is_in) << k; }
inline void add_bit(BitSet<512>& set, int k, bool is_in) { add_bit(set.word[k / 64], k % 64, is_in); }

}  // namespace gaspipe
