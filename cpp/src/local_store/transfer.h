// SPDX-License-Identifier: Apache-2.0
// A DMA list: ranges of main memory, in the order in which they are to lie in a buffer of the local store. Between
// filling it and carrying it out a worker computes, and has its lines fetched into the cache meanwhile, a few at a
// time. Copying them a few at a time as well took longer.
//
// As on the Cell, an element is a word of 64 bits, and has 16-byte alignment: 48 bits of its place in main memory, in
// units of 16 bytes, and 16 bits of its length, in the same units.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "arena.h"

namespace gaspipe {
namespace local_store {

class Transfer {
 public:
  // `memory` is what places count from; `elements` bounds the list besides the limits.
  Transfer(const std::uint8_t* memory, Buffer<std::uint64_t> elements, const TransferLimits& limits)
      : memory_(memory),
        elements_(elements),
        most_entries_(std::min<std::uint64_t>(limits.most_entries, elements.size)),
        most_entry_bytes_(std::min<std::uint64_t>(limits.most_entry_bytes, kLongestEntry)) {}

  // Begins a list whose bytes go to `to`. The one before has been carried out.
  void begin(std::uint8_t* to) {
    to_ = to;
    num_entries_ = fetched_ = 0;
    fetched_bytes_ = 0;
  }
  // Appends a range; place and length are multiples of 16. Neighbours become one element, long ranges several. A list
  // that is full is carried out, and the next one begins.
  void add(std::uint64_t place, std::uint64_t num_bytes) {
    while (num_bytes > 0) {
      if (num_entries_ > 0) {
        std::uint64_t& last = elements_[num_entries_ - 1];
        if (place_of(last) + bytes_of(last) == place && bytes_of(last) < most_entry_bytes_) {
          const std::uint64_t joined = std::min(num_bytes, most_entry_bytes_ - bytes_of(last));
          last = element(place_of(last), bytes_of(last) + joined);
          place += joined;
          num_bytes -= joined;
          continue;
        }
      }
      if (num_entries_ == most_entries_) finish();
      const std::uint64_t taken = std::min(num_bytes, most_entry_bytes_);
      if (num_entries_ == 0) ++num_lists_;
      elements_[num_entries_++] = element(place, taken);
      ++num_total_;
      place += taken;
      num_bytes -= taken;
    }
  }

  // Fetches about so many bytes of what is left into the cache.
  void advance(std::uint64_t num_bytes) {
    while (fetched_ < num_entries_) {
      const std::uint8_t* const from = memory_ + place_of(elements_[fetched_]);
      const std::uint64_t before = reinterpret_cast<std::uintptr_t>(from) % kLine;  // from the beginning of its line
      const std::uint64_t whole = bytes_of(elements_[fetched_]) + before;
      for (; fetched_bytes_ < whole; fetched_bytes_ += kLine) {
        if (num_bytes < kLine) return;
        num_bytes -= kLine;
        __builtin_prefetch(from - before + fetched_bytes_);
      }
      ++fetched_;
      fetched_bytes_ = 0;
    }
  }
  // Carries out the list.
  void finish() {
    for (std::size_t i = 0; i < num_entries_; ++i) {
      std::memcpy(to_, memory_ + place_of(elements_[i]), bytes_of(elements_[i]));
      to_ += bytes_of(elements_[i]);
    }
    num_entries_ = fetched_ = 0;
    fetched_bytes_ = 0;
  }

  std::uint64_t num_lists() const { return num_lists_; }
  std::uint64_t num_entries() const { return num_total_; }
  // Of the list under way, for tests.
  std::size_t size() const { return num_entries_; }
  std::uint64_t place(std::size_t i) const { return place_of(elements_[i]); }
  std::uint64_t bytes(std::size_t i) const { return bytes_of(elements_[i]); }

 private:
  static constexpr std::uint64_t kLongestEntry = 0xffff * kTransferAlignment;

  static std::uint64_t element(std::uint64_t place, std::uint64_t num_bytes) {
    return place / kTransferAlignment << 16 | num_bytes / kTransferAlignment;
  }
  static std::uint64_t place_of(std::uint64_t element) { return (element >> 16) * kTransferAlignment; }
  static std::uint64_t bytes_of(std::uint64_t element) { return (element & 0xffff) * kTransferAlignment; }

  const std::uint8_t* memory_;
  Buffer<std::uint64_t> elements_;
  std::uint64_t most_entries_, most_entry_bytes_;
  std::uint8_t* to_ = nullptr;
  std::size_t num_entries_ = 0, fetched_ = 0;
  std::uint64_t fetched_bytes_ = 0;  // of the element under way
  std::uint64_t num_lists_ = 0, num_total_ = 0;
};

}  // namespace local_store
}  // namespace gaspipe
