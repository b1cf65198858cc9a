// SPDX-License-Identifier: Apache-2.0
#include "hls/fixed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace gaspipe {
namespace {

TEST(Fixed, AdditionSaturatesInAnyOrder) {
  const std::uint32_t edge[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
  for (std::uint32_t a : edge) {
    for (std::uint32_t b : edge) {
      const std::uint64_t exact = std::uint64_t(a) + b;
      EXPECT_EQ(saturating_add(a, b), std::min<std::uint64_t>(exact, 0xffffffff));
      for (std::uint32_t c : edge)
        EXPECT_EQ(saturating_add(saturating_add(a, b), c), saturating_add(a, saturating_add(b, c)));
    }
  }
}

TEST(Fixed, ProductsRoundToNearest) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t value = static_cast<std::uint32_t>(random()),
                        fraction = static_cast<std::uint32_t>(random()) >> 1;
    const long double exact = static_cast<long double>(value) * fraction / 2147483648.0L;
    EXPECT_LE(std::abs(static_cast<double>(multiply_fraction(value, fraction, 31) - exact)), 0.5);
  }
}

TEST(Fixed, ConversionRoundsAndClamps) {
  EXPECT_EQ(to_word(0.5 * exp2_of(4)), 8u);
  EXPECT_EQ(to_word(exp2_of(2) / 3), 1u);
  EXPECT_EQ(to_word(1e-6 * exp2_of(37)), static_cast<std::uint32_t>(std::llround(std::ldexp(1e-6, 37))));
  EXPECT_EQ(to_word(4294967294.4), 4294967294u);
  EXPECT_EQ(to_word(4294967296.0), 0xffffffffu);
  EXPECT_EQ(to_word(std::numeric_limits<double>::infinity()), 0xffffffffu);
  EXPECT_EQ(to_word(-1), 0u);
  EXPECT_EQ(to_word(std::nan("")), 0u);
}

}  // namespace
}  // namespace gaspipe
