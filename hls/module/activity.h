// SPDX-License-Identifier: Apache-2.0
// Which vertices send in the next super-step: a bit per block of a partition's vertices. Apply writes the word of these
// bits behind its sums, and a sub-partition along which no vertex sends need not be streamed.
//
// A vertex sends if it is a source (isSource) and, in a program that declares kIdempotent, if this apply changed its
// property. The contract (hls/program.h) allows no more: updates of a vertex that is no source are inactive and
// dropped, and a vertex of a kIdempotent program that did not change need not send again. In a program that declares
// neither, every vertex sends and every bit is set. No apply precedes the first super-step, so it streams every
// sub-partition.
//
// The bits are exact: one is set if and only if a vertex of its block sends. A host compares them with the range of a
// sub-partition's sources, which ascend. That is conservative: a vertex that sends in the range, or in a block at its
// ends, need not have an edge in the sub-partition.
//
// Blocks are as small as 512 bits allow: the least power of two vertices, at least the 16 of a cycle, of which 512
// cover the partition (2048 for 2^20 vertices).
#pragma once

#include "hls/module/tokens.h"
#include "hls/platform.h"

namespace gaspipe {

using ActivityWord = Word<std::uint64_t>;

constexpr std::uint32_t kMostBlocks = 512;
constexpr int kLogLeastBlock = 4, kLogMostBlock = 23;  // 512 of 2^23 are all that have ids

// A block of a partition with `num_vertices` has 2 to the power of this.
inline std::uint32_t log_block_size(std::uint32_t num_vertices) {
  GASPIPE_PRAGMA(HLS INLINE);
  std::uint32_t log = kLogLeastBlock;
  for (int i = kLogLeastBlock; i < kLogMostBlock; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    log += num_vertices > kMostBlocks << i ? 1 : 0;
  }
  return log;
}

// Whether a property counts as changed; only kIdempotent programs compare.
template <bool idempotent>
struct Changed {
  template <class Property>
  static bool test(const Property& before, const Property& after) {
    GASPIPE_PRAGMA(HLS INLINE);
    return !(before == after);
  }
};
template <>
struct Changed<false> {
  template <class Property>
  static bool test(const Property& /*before*/, const Property& /*after*/) {
    GASPIPE_PRAGMA(HLS INLINE);
    return true;
  }
};

template <class Hooks>
bool sends(const typename Hooks::Property& before, const typename Hooks::Property& after) {
  GASPIPE_PRAGMA(HLS INLINE);
  return Traits<Hooks>::is_source(after) && Changed<Traits<Hooks>::kIdempotent>::test(before, after);
}

// Sets the bit of vertex `at` of a partition, if `active`.
inline void mark_active(ActivityWord& word, std::uint32_t at, std::uint32_t log_block, bool active) {
  GASPIPE_PRAGMA(HLS INLINE);
  const std::uint32_t block = at >> log_block;
  for (std::uint32_t i = 0; i < ActivityWord::kSize; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    if (active && block / 64 == i) word.lane[i] |= std::uint64_t(1) << (block % 64);
  }
}

}  // namespace gaspipe
