// SPDX-License-Identifier: Apache-2.0
// Unsigned fixed point in a machine word: value = word / 2^scale_bits. The scale is no part of the type; a run picks it
// for its graph (it may exceed the word's width: ranks of large graphs are small) and keeps it in the Context.
// Addition saturates, so it stays commutative and associative, and a result that hit the ceiling shows.
#pragma once

#include <cstdint>

namespace gaspipe {

// Names a number format; a program is instantiated per format it lists. `Fixed<32>` is stored in 32 bits.
template <int bits>
struct Fixed;
template <>
struct Fixed<32> {
  using Word = std::uint32_t;
  static constexpr Word kMax = 0xffffffffu;
};

inline std::uint32_t saturating_add(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t sum = a + b;
  return sum < a ? 0xffffffffu : sum;
}

// A product whose second factor is a fraction with `fraction_bits` binary digits, rounded to nearest.
inline std::uint64_t multiply_fraction(std::uint64_t value, std::uint32_t fraction, int fraction_bits) {
  return (value * fraction + (std::uint64_t(1) << (fraction_bits - 1))) >> fraction_bits;
}

// 2^bits as a double, for conversions on the host.
inline double exp2_of(int bits) {
  double power = 1;
  for (int i = 0; i < bits; ++i) power *= 2;
  return power;
}

// The nearest word to a scaled value, clamped to the word's range; 0 for NaN.
inline std::uint32_t to_word(double scaled) {
  if (!(scaled > 0)) return 0;
  return scaled >= 4294967294.5 ? 0xffffffffu : static_cast<std::uint32_t>(scaled + 0.5);
}

// Real values in a number format, for the host's side of a program: values in the format's scale, and fractions of 1
// (damping, shares), which have kFractionBits in fixed point.
constexpr int kFractionBits = 31;

template <class Number>
struct Real {
  explicit Real(int /*scale_bits*/) {}
  Number word(double value) const { return static_cast<Number>(value); }
  double value(double word) const { return word; }
  static Number fraction(double value) { return static_cast<Number>(value); }
};
template <>
struct Real<Fixed<32>> {
  double unit;  // words in 1
  explicit Real(int scale_bits) : unit(exp2_of(scale_bits)) {}
  std::uint32_t word(double value) const { return to_word(value * unit); }
  double value(double word) const { return word / unit; }
  static std::uint32_t fraction(double value) { return to_word(value * exp2_of(kFractionBits)); }
};

}  // namespace gaspipe
