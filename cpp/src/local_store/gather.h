// SPDX-License-Identifier: Apache-2.0
// Step 2: the lists of the codes in bQ are loaded into bG, as many whole ones as it holds. The lengths in the codes say
// how many these are, before any list is read. A list that is longer than bG comes in pieces, each with the list's
// header; the last piece is followed by whole lists.
//
// One half of bG is loaded, by a DMA list, while the other is dispatched.
#pragma once

#include <algorithm>
#include <cstdint>

#include "from_memory.h"
#include "gaspipe/local_store/split_lists.h"
#include "transfer.h"

namespace gaspipe {
namespace local_store {

// Lists in a half of bG, one record after the other.
struct Fill {
  const std::uint8_t* data = nullptr;
  std::uint64_t num_bytes = 0;
  std::uint64_t num_items = 0;
  std::uint64_t num_codes = 0;
  bool is_cut = false;                 // the first item is a piece of a list,
  std::uint32_t first = 0, count = 0;  // of these codes
};

template <class Code, class Lists = SplitLists, class From = FromMemory>
class Gather {
 public:
  Gather(const Lists& lists, Buffer<std::uint8_t> first, Buffer<std::uint8_t> second, Transfer<From> transfer)
      : lists_(lists),
        header_(header_bytes(lists.num_workers())),
        halves_{first, second},
        transfer_(std::move(transfer)) {}

  // Plans the next load, which advance() and finish() carry out, from codes.code(); codes.has_code() may load more of
  // them. False where nothing is left to load.
  template <class Codes>
  bool plan(Codes& codes) {
    const Buffer<std::uint8_t>& half = halves_[1 - active_];
    fill_ = {};
    fill_.data = half.data;
    transfer_.begin(half.data);
    if (cut_left_ > 0) take_piece(half.size);
    for (; codes.has_code(); codes.pop()) {
      const Code code = codes.code();
      const VertexId v = code_index(code, lists_.split());
      std::uint64_t length = code_length(code, lists_.split());
      if constexpr (From::kIsChecked) check(code);
      if (length == 0) continue;
      if (length == escape_length<Code>(lists_.split())) length = lists_.length(v);
      const std::uint64_t num_bytes = header_ + padded(length * sizeof(Code));
      if (num_bytes <= half.size - fill_.num_bytes) {
        transfer_.add(lists_.start(v), num_bytes);
        fill_.num_bytes += num_bytes;
        fill_.num_codes += length;
        ++fill_.num_items;
      } else if (num_bytes > half.size && fill_.num_items == 0) {
        cut_place_ = lists_.start(v);
        cut_first_ = 0;
        cut_left_ = static_cast<std::uint32_t>(length);
        take_piece(half.size);
      } else {
        break;
      }
    }
    transfer_.launch();
    return fill_.num_items > 0;
  }
  // Drops the rest of a list that is under way.
  void drop() { cut_left_ = 0; }
  bool is_cutting() const { return cut_left_ > 0; }
  const Fill& planned() const { return fill_; }

  void advance(std::uint64_t num_bytes) { transfer_.advance(num_bytes); }
  void finish() { transfer_.finish(); }
  // What has been planned is loaded; it stays until the next swap().
  Fill swap() {
    transfer_.finish();
    if constexpr (From::kIsChecked) check(fill_);
    active_ = 1 - active_;
    return fill_;
  }

  const Transfer<From>& transfer() const { return transfer_; }

 private:
  // As much as fits of the list that is under way; a piece that is not the last ends at an aligned place.
  void take_piece(std::uint64_t room) {
    const auto most = static_cast<std::uint32_t>(std::min<std::uint64_t>(
        (room - header_) / kTransferAlignment * kTransferAlignment / sizeof(Code), 0xfffffff0u));
    const std::uint32_t count = std::min(cut_left_, most);
    const std::uint64_t payload = padded(std::uint64_t(count) * sizeof(Code));
    fill_.is_cut = true;
    fill_.first = cut_first_;
    fill_.count = count;
    transfer_.add(cut_place_, header_);
    transfer_.add(cut_place_ + header_ + std::uint64_t(cut_first_) * sizeof(Code), payload);
    fill_.num_bytes += header_ + payload;
    fill_.num_codes += count;
    ++fill_.num_items;
    cut_first_ += count;
    cut_left_ -= count;
  }

  void check(Code code) const {
    if (code != lists_.template code<Code>(code_index(code, lists_.split()))) {
      lists_.refuse("a vertex code has another length than its list");
    }
  }
  // Whether headers lead nowhere but to what has been loaded.
  void check(const Fill& fill) const {
    const std::uint8_t* at = fill.data;
    std::uint64_t left = fill.num_bytes;
    for (std::uint64_t item = 0; item < fill.num_items; ++item) {
      const auto* const header = reinterpret_cast<const SubList*>(at);
      std::uint64_t length = 0;
      bool ascends = left >= header_;
      for (int owner = 0; ascends && owner < lists_.num_workers(); ++owner) {
        ascends = header[owner].offset == length;
        length += header[owner].length;
      }
      const bool is_piece = item == 0 && fill.is_cut;
      const std::uint64_t count = is_piece ? fill.count : length;
      const std::uint64_t num_bytes = header_ + padded(count * sizeof(Code));
      if (!ascends || length > 0xffffffffu || (is_piece && std::uint64_t(fill.first) + count > length) ||
          num_bytes > left) {
        lists_.refuse("a header is not that of its list");
      }
      at += num_bytes;
      left -= num_bytes;
    }
    if (left != 0) lists_.refuse("a header is not that of its list");
  }

  const Lists& lists_;
  std::uint64_t header_;
  Buffer<std::uint8_t> halves_[2];
  Transfer<From> transfer_;
  Fill fill_;
  int active_ = 0;
  std::uint64_t cut_place_ = 0;  // of the list under way
  std::uint32_t cut_first_ = 0, cut_left_ = 0;
};

}  // namespace local_store
}  // namespace gaspipe
