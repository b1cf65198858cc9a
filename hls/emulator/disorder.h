// SPDX-License-Identifier: Apache-2.0
// Delays and orders that hardware may have and the model of it has not: to see whether a design's answer depends on
// them. All come from a seed, so a run can be repeated.
#pragma once

#include <cstdint>

namespace gaspipe {
namespace emulator {

struct Disorder {
  std::uint64_t seed =
      0;  // 0: none; else ready tasks also run in random order, which changes neither answers nor cycles
  std::uint32_t most_stall = 0;  // cycles a task may stand still before it uses a stream
  std::uint32_t most_delay = 0;  // cycles a reply of memory may be late; those of one port keep their order
};

// SplitMix64: G. Steele, D. Lea, C. Flood, OOPSLA 2014.
class Random {
 public:
  explicit Random(std::uint64_t seed = 0, std::uint64_t number = 0) : state_(seed * 0xd1342543de82ef95u + number) {}

  // Up to `most`, all alike.
  std::uint32_t up_to(std::uint32_t most) {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t mixed = (state_ ^ (state_ >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return static_cast<std::uint32_t>(((mixed ^ (mixed >> 31)) >> 32) * (std::uint64_t(most) + 1) >> 32);
  }
  // Three of four times 0: mostly undisturbed, now and then long.
  std::uint32_t rarely_up_to(std::uint32_t most) { return up_to(3) != 0 ? 0 : up_to(most); }

 private:
  std::uint64_t state_;
};

}  // namespace emulator
}  // namespace gaspipe
