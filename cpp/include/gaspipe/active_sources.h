// SPDX-License-Identifier: Apache-2.0
// Which vertices send in the next super-step, from the words that the apply kernel wrote for the partitions
// (hls/module/activity.h): for a host to pass over edges along which no vertex sends. A sub-partition without any is
// launched without words of edges, which writes identity for its destinations, or not at all where those are identity
// already.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "hls/module/activity.h"

namespace gaspipe {

class ActiveSources {
 public:
  // Partitions that begin at these vertices, in ascending order from 0 on; the last ends at `end`. Until an apply says
  // otherwise, every vertex sends; so do vertices from `end` on, always.
  ActiveSources(std::vector<VertexId> firsts, VertexId end)
      : firsts_(std::move(firsts)), end_(end), words_(firsts_.size(), all()) {}

  void set(std::size_t partition, const ActivityWord& word) {
    words_[partition] = word;
    bits_.clear();
  }
  // After properties were written from outside: `bits` say which vertices may send, or are empty, and all may.
  void restart(const std::vector<std::uint64_t>& bits) {
    bits_ = bits;
    words_.assign(words_.size(), all());
    for (std::size_t p = 0; !bits.empty() && p < firsts_.size(); ++p) {
      const std::uint32_t log_block = log_block_size(size(p));
      words_[p] = ActivityWord{};
      for (std::uint32_t at = 0; at < size(p); ++at) {
        const VertexId v = firsts_[p] + at;
        if (bits[v / 64] == 0) {
          at += 63 - v % 64;  // to the last of the 64
        } else if ((bits[v / 64] >> v % 64 & 1) != 0) {
          words_[p].lane[(at >> log_block) / 64] |= std::uint64_t(1) << (at >> log_block) % 64;
        }
      }
    }
  }

  // Of what restart was told, only what apply's words would tell.
  void forget_vertices() { bits_.clear(); }

  // Whether a vertex in [first, last] may send: as the blocks of apply's words tell, but exactly until there are some.
  bool any(VertexId first, VertexId last) const {
    if (last >= end_) return true;
    if (!bits_.empty()) return any_bit(bits_.data(), first, last);
    auto p = static_cast<std::size_t>(std::upper_bound(firsts_.begin(), firsts_.end(), first) - firsts_.begin()) - 1;
    for (; p < firsts_.size() && firsts_[p] <= last; ++p) {
      const std::uint32_t log_block = log_block_size(size(p));
      const VertexId from = first > firsts_[p] ? first - firsts_[p] : 0;
      const VertexId to = std::min(last - firsts_[p], size(p) - 1);
      if (any_bit(words_[p].lane, from >> log_block, to >> log_block)) return true;
    }
    return false;
  }

 private:
  static ActivityWord all() {
    ActivityWord word;
    for (std::uint64_t& lane : word.lane) lane = ~std::uint64_t(0);
    return word;
  }
  VertexId size(std::size_t p) const { return (p + 1 < firsts_.size() ? firsts_[p + 1] : end_) - firsts_[p]; }
  // Bits `first` to `last`, 64 at a time.
  static bool any_bit(const std::uint64_t* words, std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t i = first / 64; i <= last / 64; ++i) {
      std::uint64_t bits = words[i];
      if (i == first / 64) bits &= ~std::uint64_t(0) << first % 64;
      if (i == last / 64) bits &= ~std::uint64_t(0) >> (63 - last % 64);
      if (bits != 0) return true;
    }
    return false;
  }

  std::vector<VertexId> firsts_;
  VertexId end_;
  std::vector<ActivityWord> words_;
  std::vector<std::uint64_t> bits_;  // of all vertices, before the first apply
};

}  // namespace gaspipe
