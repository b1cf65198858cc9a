// SPDX-License-Identifier: Apache-2.0
// What hardware does for all lanes of a set at once and plain code one by one: on a host, a few vector instructions.
#pragma once

#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace gaspipe {

// A bit per lane whose destination has `wanted` in the bits of `mask`; the mask has 16 bits at the most.
template <int lanes, class Update>
std::uint32_t matching_lanes(const Update (&update)[lanes], std::uint32_t mask, std::uint32_t wanted) {
  static_assert(lanes == 8 || lanes == 16, "whole vectors");
#ifdef __SSE2__
  const auto eight = [&](int i) {  // lanes, 16 bits of each
    __m128i ids = _mm_cvtsi32_si128(static_cast<int>(update[i].destination));
    const auto id = [&](int k) { return static_cast<int>(update[i + k].destination); };
    ids = _mm_insert_epi16(ids, id(1), 1);
    ids = _mm_insert_epi16(ids, id(2), 2);
    ids = _mm_insert_epi16(ids, id(3), 3);
    ids = _mm_insert_epi16(ids, id(4), 4);
    ids = _mm_insert_epi16(ids, id(5), 5);
    ids = _mm_insert_epi16(ids, id(6), 6);
    ids = _mm_insert_epi16(ids, id(7), 7);
    return _mm_cmpeq_epi16(_mm_and_si128(ids, _mm_set1_epi16(static_cast<short>(mask))),
                           _mm_set1_epi16(static_cast<short>(wanted)));
  };
  const __m128i high = lanes == 16 ? eight(lanes - 8) : _mm_setzero_si128();
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(eight(0), high)));
#else
  std::uint32_t bits = 0;
  for (int i = 0; i < lanes; ++i) bits |= std::uint32_t((update[i].destination & mask) == wanted) << i;
  return bits;
#endif
}

}  // namespace gaspipe
