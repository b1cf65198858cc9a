// SPDX-License-Identifier: Apache-2.0
// A DMA list: ranges of where lists lie, main memory or a file, in the order in which they are to lie in a buffer of
// the local store. `From` carries it out: see from_memory.h and from_file.h.
//
// As on the Cell, an element is a word of 64 bits, and has 16-byte alignment: 48 bits of its place, in units of 16
// bytes, and 16 bits of its length, in the same units.
#pragma once

#include <algorithm>
#include <cstdint>

#include "arena.h"

namespace gaspipe {
namespace local_store {

// An element's fields, in bytes.
constexpr std::uint64_t transfer_element(std::uint64_t place, std::uint64_t num_bytes) {
  return place / kTransferAlignment << 16 | num_bytes / kTransferAlignment;
}
constexpr std::uint64_t transfer_place(std::uint64_t element) { return (element >> 16) * kTransferAlignment; }
constexpr std::uint64_t transfer_bytes(std::uint64_t element) { return (element & 0xffff) * kTransferAlignment; }

template <class From>
class Transfer {
 public:
  // `elements` bounds the list besides the limits.
  Transfer(From from, Buffer<std::uint64_t> elements, const TransferLimits& limits)
      : from_(std::move(from)),
        elements_(elements),
        most_entries_(std::min<std::uint64_t>(limits.most_entries, elements.size)),
        most_entry_bytes_(std::min<std::uint64_t>(limits.most_entry_bytes, kLongestEntry)) {}

  // Begins a list whose bytes go to `to`. The one before has been carried out, or is not wanted.
  void begin(std::uint8_t* to) {
    to_ = to;
    num_entries_ = 0;
    from_.begin();
  }
  // Appends a range; place and length are multiples of 16. Neighbours become one element, long ranges several. A list
  // that is full is carried out, and the next one begins.
  void add(std::uint64_t place, std::uint64_t num_bytes) {
    while (num_bytes > 0) {
      if (num_entries_ > 0) {
        std::uint64_t& last = elements_[num_entries_ - 1];
        const std::uint64_t last_bytes = transfer_bytes(last);
        if (transfer_place(last) + last_bytes == place && last_bytes < most_entry_bytes_) {
          const std::uint64_t joined = std::min(num_bytes, most_entry_bytes_ - last_bytes);
          last = transfer_element(transfer_place(last), last_bytes + joined);
          place += joined;
          num_bytes -= joined;
          continue;
        }
      }
      if (num_entries_ == most_entries_) finish();
      const std::uint64_t taken = std::min(num_bytes, most_entry_bytes_);
      if (num_entries_ == 0) ++num_lists_;
      elements_[num_entries_++] = transfer_element(place, taken);
      ++num_total_;
      place += taken;
      num_bytes -= taken;
    }
  }
  // The list is whole; it is carried out beside other work from here on.
  void launch() { from_.launch(list()); }

  // Beside other work: about so many bytes of what is left.
  void advance(std::uint64_t num_bytes) { from_.advance(list(), num_bytes); }
  // Carries out the list.
  void finish() {
    to_ = from_.finish(list(), to_);
    num_entries_ = 0;
  }

  const From& from() const { return from_; }
  std::uint64_t num_lists() const { return num_lists_; }
  std::uint64_t num_entries() const { return num_total_; }
  // Of the list under way, for tests.
  std::size_t size() const { return num_entries_; }
  std::uint64_t place(std::size_t i) const { return transfer_place(elements_[i]); }
  std::uint64_t bytes(std::size_t i) const { return transfer_bytes(elements_[i]); }

 private:
  static constexpr std::uint64_t kLongestEntry = 0xffff * kTransferAlignment;

  Buffer<const std::uint64_t> list() const { return {elements_.data, num_entries_}; }

  From from_;
  Buffer<std::uint64_t> elements_;
  std::uint64_t most_entries_, most_entry_bytes_;
  std::uint8_t* to_ = nullptr;
  std::size_t num_entries_ = 0;
  std::uint64_t num_lists_ = 0, num_total_ = 0;
};

}  // namespace local_store
}  // namespace gaspipe
