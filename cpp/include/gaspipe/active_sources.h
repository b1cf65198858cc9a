// SPDX-License-Identifier: Apache-2.0
// Which vertices send in the next super-step, from the words that the apply kernel wrote for the partitions
// (hls/module/activity.h): for a host to pass over sub-partitions along which no vertex sends. A host does so by a
// launch without words of edges, which writes identity for the sub-partition's destinations.
#pragma once

#include <cstddef>
#include <vector>

#include "hls/module/activity.h"

namespace gaspipe {

class ActiveSources {
 public:
  // Partitions of `capacity` vertices each, the last of fewer. Until an apply says otherwise, every vertex sends.
  ActiveSources(VertexId num_vertices, VertexId capacity)
      : num_vertices_(num_vertices),
        capacity_(capacity),
        words_((std::uint64_t(num_vertices) + capacity - 1) / capacity, all()) {}

  void set(std::size_t partition, const ActivityWord& word) { words_[partition] = word; }
  // After properties were written from outside.
  void set_all() { words_.assign(words_.size(), all()); }

  // Whether a vertex in [first, last] may send: a sub-partition's first and last source.
  bool any(VertexId first, VertexId last) const {
    for (std::size_t p = first / capacity_; p <= last / capacity_; ++p) {
      const auto base = static_cast<VertexId>(p * capacity_);
      const VertexId size = num_vertices_ - base < capacity_ ? num_vertices_ - base : capacity_;
      const std::uint32_t log_block = log_block_size(size);
      const VertexId from = first > base ? first - base : 0, to = last - base < size ? last - base : size - 1;
      for (std::uint32_t block = from >> log_block; block <= to >> log_block; ++block) {
        if ((words_[p].lane[block / 64] >> (block % 64) & 1) != 0) return true;
      }
    }
    return false;
  }

 private:
  static ActivityWord all() {
    ActivityWord word;
    for (std::uint64_t& lane : word.lane) lane = ~std::uint64_t(0);
    return word;
  }

  VertexId num_vertices_, capacity_;
  std::vector<ActivityWord> words_;
};

}  // namespace gaspipe
