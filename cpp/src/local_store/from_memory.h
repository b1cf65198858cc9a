// SPDX-License-Identifier: Apache-2.0
// Carries out DMA lists of ranges of main memory. Between filling a list and carrying it out a worker computes, and has
// its lines fetched into the cache meanwhile, a few at a time. Copying them a few at a time as well took longer.
#pragma once

#include <cstdint>
#include <cstring>

#include "transfer.h"

namespace gaspipe {
namespace local_store {

class FromMemory {
 public:
  static constexpr bool kIsChecked = false;  // what comes from there was made here

  // `memory` is what places count from.
  explicit FromMemory(const std::uint8_t* memory) : memory_(memory) {}

  void begin() { fetched_ = fetched_bytes_ = 0; }
  void launch(Buffer<const std::uint64_t> /*list*/) {}
  // Fetches about so many bytes of what is left into the cache.
  void advance(Buffer<const std::uint64_t> list, std::uint64_t num_bytes) {
    while (fetched_ < list.size) {
      const std::uint8_t* const from = memory_ + transfer_place(list[fetched_]);
      const std::uint64_t before = reinterpret_cast<std::uintptr_t>(from) % kLine;  // from the beginning of its line
      const std::uint64_t whole = transfer_bytes(list[fetched_]) + before;
      for (; fetched_bytes_ < whole; fetched_bytes_ += kLine) {
        if (num_bytes < kLine) return;
        num_bytes -= kLine;
        __builtin_prefetch(from - before + fetched_bytes_);
      }
      ++fetched_;
      fetched_bytes_ = 0;
    }
  }
  // Copies the list to `to`; returns where it ends.
  std::uint8_t* finish(Buffer<const std::uint64_t> list, std::uint8_t* to) {
    for (const std::uint64_t element : list) {
      std::memcpy(to, memory_ + transfer_place(element), transfer_bytes(element));
      to += transfer_bytes(element);
    }
    begin();
    return to;
  }

 private:
  const std::uint8_t* memory_;
  std::size_t fetched_ = 0;          // elements
  std::uint64_t fetched_bytes_ = 0;  // of the element under way
};

}  // namespace local_store
}  // namespace gaspipe
