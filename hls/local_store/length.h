// SPDX-License-Identifier: Apache-2.0
// Lengths of edges and paths in 31 bits, which compare as integers do: integers, or floating-point numbers of 32 bits
// that are not negative, of which the sign is left out. Limits and widths of buckets are such lengths, too.
#pragma once

#include "hls/local_store/distances.h"
#include "hls/module/bits.h"

namespace gaspipe {

constexpr int kWiderBy = 2;  // a bucket that is too narrow is wider by a quarter: a shift

template <class Number>
struct Length;

template <>
struct Length<std::uint32_t> {
  // What would be longer is this, so that the host sees it.
  static constexpr std::uint32_t kFarthest = kNoDistance - 1;

  static std::uint32_t sum(std::uint32_t path, std::uint32_t edge) {
    GASPIPE_PRAGMA(HLS INLINE);
    const std::uint32_t both = path + edge;  // both have 31 bits
    return both < kFarthest ? both : kFarthest;
  }
  static std::uint32_t wider(std::uint32_t width) {
    GASPIPE_PRAGMA(HLS INLINE);
    return width < kNoDistance / 2 ? width + (width >> kWiderBy) + 1 : width;
  }
  static std::uint32_t narrower(std::uint32_t width) {
    GASPIPE_PRAGMA(HLS INLINE);
    return width > 1 ? width / 2 : width;
  }
  // The end of a bucket that begins at `nearest`, which is in it.
  static std::uint32_t limit(std::uint32_t nearest, std::uint32_t width) {
    GASPIPE_PRAGMA(HLS INLINE);
    return nearest < kNoDistance - width ? nearest + width : kNoDistance;
  }
};

template <>
struct Length<float> {
  static constexpr std::uint32_t kFarthest = 0x7f800000;  // infinity, likewise

  static std::uint32_t sum(std::uint32_t path, std::uint32_t edge) {
    GASPIPE_PRAGMA(HLS INLINE);
    return to_bits(from_bits<float>(path) + from_bits<float>(edge));
  }
  static std::uint32_t wider(std::uint32_t width) {
    GASPIPE_PRAGMA(HLS INLINE);
    const float by = 1 + 1.0f / (1 << kWiderBy);
    const std::uint32_t found = to_bits(from_bits<float>(width) * by);
    return found < kFarthest ? found : width;
  }
  static std::uint32_t narrower(std::uint32_t width) {
    GASPIPE_PRAGMA(HLS INLINE);
    const std::uint32_t half = to_bits(from_bits<float>(width) / 2);
    return half != 0 ? half : width;
  }
  // At least the next number, where `width` is too little to change the sum.
  static std::uint32_t limit(std::uint32_t nearest, std::uint32_t width) {
    GASPIPE_PRAGMA(HLS INLINE);
    const std::uint32_t end = sum(nearest, width);
    return end > nearest ? end : nearest + 1;
  }
};

}  // namespace gaspipe
