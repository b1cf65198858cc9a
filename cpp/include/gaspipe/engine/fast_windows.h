// SPDX-License-Identifier: Apache-2.0
// The windows of raw solvers (hls/module/raw_solver.h) as a host runs them fast: the same updates are merged and leave
// in the same order, so the bits are the same. Hardware compares an update with all that wait, and shifts them. Here
// every address has a note of the place at which its last update waited, so one comparison tells whether that is still
// there, and the places are a ring.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "hls/module/raw_solver.h"

namespace gaspipe {
namespace engine {

// Of `num` updates of a launch, about so many in the order of edges go through windows: all, or none where hardware
// merges none. Merges are commutative and associative; where they round nothing, because updates are integers or the
// better one of two is kept, windows change no bits. There they have the first ones only, which is all that small
// graphs have: a merge that does something else than gatherFunc shows with them.
constexpr std::uint64_t kMostInWindows = 1 << 16;
template <class Hooks>
constexpr bool merges_exactly() {
  return Traits<Hooks>::kIdempotent || std::is_integral_v<typename Traits<Hooks>::Update>;
}
template <class Hooks>
constexpr std::uint64_t in_windows(std::uint64_t num) {
  if (!merges_at_once<Hooks>()) return 0;
  return merges_exactly<Hooks>() ? std::min(num, kMostInWindows) : num;
}

// A window per part: a PE or a lane. An address belongs to one part.
template <class Entry, int parts>
class FastWindows {
  static constexpr int kPlaces = kRawWindow * parts;
  static_assert((kPlaces & (kPlaces - 1)) == 0 && kPlaces <= 256, "rings of a power of two, notes of a byte");

 public:
  // Addresses [0, num_addresses), at most 2^32 - 1.
  explicit FastWindows(std::size_t num_addresses) : place_(num_addresses) {
    for (std::uint32_t& address : address_) address = kNothing;
    for (int part = 0; part < parts; ++part) oldest_[part] = static_cast<std::uint32_t>(part);
  }
  // merge(waiting) where an update of `address` waits in the part's window; else `entry` waits from now on, and
  // leave(address, entry) is called for the oldest that has waited, if the window was full.
  template <class Merge, class Leave>
  void take(std::uint32_t part, std::uint32_t address, const Entry& entry, const Merge& merge, const Leave& leave) {
    std::uint8_t& place = place_[address];
    if (address_[place] == address) return merge(entry_[place]);
    const std::uint32_t oldest = oldest_[part];
    oldest_[part] = (oldest + parts) % kPlaces;
    if (address_[oldest] != kNothing) leave(address_[oldest], entry_[oldest]);
    address_[oldest] = address;
    entry_[oldest] = entry;
    place = static_cast<std::uint8_t>(oldest);
  }
  // Everything that waits leaves. Of a part, the oldest first.
  template <class Leave>
  void finish(const Leave& leave) {
    for (std::uint32_t& oldest : oldest_) {
      for (int i = 0; i < kRawWindow; ++i) {
        if (address_[oldest] != kNothing) leave(address_[oldest], entry_[oldest]);
        address_[oldest] = kNothing;
        oldest = (oldest + parts) % kPlaces;
      }
    }
  }

 private:
  static constexpr std::uint32_t kNothing = 0xffffffffu;

  std::vector<std::uint8_t> place_;  // of the update that an address had last
  std::uint32_t address_[kPlaces];   // that wait; of part p at p, p + parts, ...
  Entry entry_[kPlaces];
  std::uint32_t oldest_[parts];  // the place of each part's
};

}  // namespace engine
}  // namespace gaspipe
