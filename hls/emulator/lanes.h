// SPDX-License-Identifier: Apache-2.0
// What hardware does for all lanes of a set at once and plain code one by one: on a host, a few vector instructions.
#pragma once

#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace gaspipe {

// A bit per lane whose destination has `wanted` in the bits of `mask`; the mask has 16 bits at the most.
template <int lanes, class Update>
std::uint32_t matching_lanes(const Update (&update)[lanes], std::uint32_t mask, std::uint32_t wanted) {
  static_assert(lanes == 8 || lanes == 16, "whole vectors");
  static_assert(sizeof(Update) == 8 || sizeof(Update) == 16, "values of 4 or 8 bytes; wider ones go by whole_word.h");
  static_assert(__builtin_offsetof(Update, destination) == 0, "where vectors look for it");
#ifdef __SSE2__
  const auto load = [&](int i) {  // whole updates, as they are copied: no member becomes a variable of its own
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(&update[i]));
  };
  const auto matching = [&](__m128i ids) {  // 32 bits of each
    return _mm_cmpeq_epi32(_mm_and_si128(ids, _mm_set1_epi32(static_cast<int>(mask))),
                           _mm_set1_epi32(static_cast<int>(wanted)));
  };
  const auto four = [&](int i) {  // lanes
    if constexpr (sizeof(Update) == 8) {
      const __m128 low = _mm_castsi128_ps(load(i)), high = _mm_castsi128_ps(load(i + 2));
      return matching(_mm_castps_si128(_mm_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0))));
    } else {
      const __m128i low = _mm_unpacklo_epi32(load(i), load(i + 1)), high = _mm_unpacklo_epi32(load(i + 2), load(i + 3));
      return matching(_mm_unpacklo_epi64(low, high));
    }
  };
  const __m128i low = _mm_packs_epi32(four(0), four(4));
  const __m128i high = lanes == 16 ? _mm_packs_epi32(four(lanes - 8), four(lanes - 4)) : _mm_setzero_si128();
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
#else
  std::uint32_t bits = 0;
  for (int i = 0; i < lanes; ++i) bits |= std::uint32_t((update[i].destination & mask) == wanted) << i;
  return bits;
#endif
}

template <int lanes, class T>
void copy_lanes(const T (&from)[lanes], T (&to)[lanes]) {
  std::memcpy(to, from, sizeof to);
}

// To be copied several times: a compiler that keeps a member in a register would store it, and then load it as part of
// a vector, before every copy.
template <class T>
void keep_whole(T& token) {
  asm("" : "+m"(token));
}

}  // namespace gaspipe
