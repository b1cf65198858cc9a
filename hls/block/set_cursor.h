// SPDX-License-Identifier: Apache-2.0
// SetCursor: walks the lines of a set, and says which lanes of each belong to it: a first line, lines in the middle, a
// last one, or a single line that is all. What GraphOps calls QRdrPktCntSM; where that counts packets in a queue of its
// own and stalls the sender between 256 and 64 of them, a block here reads a set's lines as they come, and the stream
// of sets is as deep as the chain declares.
#pragma once

#include "hls/block/types.h"

namespace gaspipe {
namespace block {

template <class T>
class SetCursor {
 public:
  static constexpr std::uint32_t kSize = Line<T>::kSize;

  void start(const SetMeta& meta) {
    GASPIPE_PRAGMA(HLS INLINE);
    const MemReq lines = lines_of<T>(meta.first, meta.last);
    owner_ = meta.owner;
    line_ = lines.first;
    left_ = lines.num;
    first_lane_ = static_cast<std::uint32_t>(meta.first % kSize);
    last_lane_ = static_cast<std::uint32_t>((meta.last - 1) % kSize);
    is_first_ = true;
  }
  // Whether there is a line at all, and whether it is the set's first or last.
  bool has_line() const { return left_ != 0; }
  bool is_first() const { return is_first_; }
  bool is_last() const { return left_ == 1; }
  // The lanes of the line that belong to the set.
  std::uint32_t lanes() const {
    GASPIPE_PRAGMA(HLS INLINE);
    const std::uint32_t from = is_first_ ? first_lane_ : 0, to = is_last() ? last_lane_ : kSize - 1;
    return (all_lanes<T>() >> (kSize - 1 - to)) & ~((1u << from) - 1);
  }
  VertexId owner() const { return owner_; }
  // Of the array along the edges.
  EdgeCount element(std::uint32_t lane) const { return line_ * kSize + lane; }
  void next() {
    GASPIPE_PRAGMA(HLS INLINE);
    ++line_;
    --left_;
    is_first_ = false;
  }

 private:
  VertexId owner_ = kNoVertex;
  std::uint64_t line_ = 0, left_ = 0;
  std::uint32_t first_lane_ = 0, last_lane_ = 0;
  bool is_first_ = false;
};

}  // namespace block
}  // namespace gaspipe
