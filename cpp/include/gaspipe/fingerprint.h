// SPDX-License-Identifier: Apache-2.0
// Whether every edge u -> v has its v -> u, just as often, from one pass over the edges in any order of sources: with a
// random number r for every vertex, the sum over all edges of r(u) r(v) (r(v) - r(u)) is 0 if that is so. Else it is a
// polynomial of degree 3 that is not 0 itself, and hardly ever in random numbers (R. Freivalds, 1977; J. Schwartz,
// 1980). Where what an edge adds is multiplied by a number for its weight, reverses must weigh the same too.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>

namespace gaspipe {

class Fingerprint {
 public:
  explicit Fingerprint(std::uint64_t key) : key_(key) {}

  static std::uint64_t random_key() {
    std::random_device device;
    return (std::uint64_t(device()) << 32) | device();
  }

  template <class Weight>
  static std::uint64_t factor_of(Weight weight, std::uint64_t key) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &weight, sizeof(weight));
    return mixed(mixed(bits + key) + 1);
  }

  // The destinations of one source, or some of them; then the source.
  void add_destination(std::uint64_t v, std::uint64_t factor = 1) {
    const std::uint64_t r = mixed(v + key_), term = r * factor;
    linear_ += term;
    square_ += term * r;
  }
  void end_row(std::uint64_t u) {
    const std::uint64_t r = mixed(u + key_);
    sum_ += r * (square_ - r * linear_);
    linear_ = square_ = 0;
  }
  std::uint64_t sum() const { return sum_; }

 private:
  // D. Stafford's mix 13, as in SplitMix64.
  static std::uint64_t mixed(std::uint64_t v) {
    v *= 0xbf58476d1ce4e5b9u;
    v = (v ^ (v >> 31)) * 0x94d049bb133111ebu;
    return v ^ (v >> 29);
  }

  std::uint64_t key_;
  std::uint64_t linear_ = 0, square_ = 0;  // sums of r(v) and r(v)^2 over a row
  std::uint64_t sum_ = 0;
};

}  // namespace gaspipe
