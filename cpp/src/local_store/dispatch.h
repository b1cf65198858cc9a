// SPDX-License-Identifier: Apache-2.0
// Step 3: the lists in bG are divided among Qout[0] to Qout[P - 1] by owner. The headers say which block of a list goes
// where, so blocks are copied and no target is looked at. Where a Qout is full the round ends, and the next one goes on
// at the same place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gather.h"

namespace gaspipe {
namespace local_store {

template <class Code>
class Dispatch {
 public:
  // The memory behind bG and behind each Qout may be read and written up to 16 bytes further: a block is copied 16
  // bytes at a time.
  Dispatch(std::vector<Buffer<Code>> outs) : outs_(std::move(outs)), counts_(outs_.size(), 0) {
    header_ = header_bytes(static_cast<int>(outs_.size()));
  }

  void begin(const Fill& fill) {
    fill_ = fill;
    at_ = fill.data;
    item_ = 0;
    owner_ = 0;
    done_ = 0;
  }
  void drop() { fill_.num_items = item_ = 0; }
  bool is_done() const { return item_ == fill_.num_items; }

  // A round: copies blocks to owners that are not full, until lists end or the next block does not fit. Calls
  // tick(codes) after every few.
  template <class Tick>
  void run(const std::vector<std::uint8_t>& is_full, const Tick& tick) {
    constexpr std::uint64_t kTick = 128;
    const std::size_t num_workers = outs_.size();
    std::uint64_t since_tick = 0;
    for (; item_ < fill_.num_items; ++item_) {
      const auto* const header = reinterpret_cast<const SubList*>(at_);
      const auto* const payload = reinterpret_cast<const Code*>(at_ + header_);
      const bool is_piece = item_ == 0 && fill_.is_cut;
      const std::uint32_t first = is_piece ? fill_.first : 0;
      const SubList& final = header[num_workers - 1];
      const std::uint32_t count = is_piece ? fill_.count : final.offset + final.length;
      for (; owner_ < num_workers; ++owner_, done_ = 0) {
        const SubList& list = header[owner_];
        if (list.length == 0 || is_full[owner_] != 0) continue;
        const std::uint64_t begin = std::max(list.offset, first) + std::uint64_t(done_);
        const std::uint64_t end = std::min(std::uint64_t(list.offset) + list.length, std::uint64_t(first) + count);
        if (begin >= end) continue;
        const std::uint64_t room = outs_[owner_].size - counts_[owner_], length = end - begin;
        copy(payload + (begin - first), std::min(length, room));
        if (length > room) {
          done_ += static_cast<std::uint32_t>(room);
          return;
        }
      }
      owner_ = 0;
      at_ += header_ + padded(std::uint64_t(count) * sizeof(Code));
      if ((since_tick += count) >= kTick) {
        tick(since_tick);
        since_tick = 0;
      }
    }
  }

  Buffer<const Code> out(int owner) const { return {outs_[owner].data, counts_[owner]}; }
  // Begins the next round.
  void clear() { std::fill(counts_.begin(), counts_.end(), 0); }

 private:
  void copy(const Code* from, std::uint64_t length) {
    constexpr std::uint64_t kChunk = 16 / sizeof(Code), kShort = 32 * kChunk;
    Code* const to = outs_[owner_].data + counts_[owner_];
    if (length <= kShort && length + kChunk <= outs_[owner_].size - counts_[owner_]) {
      for (std::uint64_t i = 0; i < length; i += kChunk) std::memcpy(to + i, from + i, 16);
    } else {
      std::memcpy(to, from, length * sizeof(Code));
    }
    counts_[owner_] += length;
  }

  std::vector<Buffer<Code>> outs_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t header_;
  Fill fill_;
  const std::uint8_t* at_ = nullptr;  // the item under way,
  std::uint64_t item_ = 0;            // its number,
  std::size_t owner_ = 0;             // the block of it under way,
  std::uint32_t done_ = 0;            // and how much of that has been copied
};

}  // namespace local_store
}  // namespace gaspipe
