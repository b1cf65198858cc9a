// SPDX-License-Identifier: Apache-2.0
// A set of vertices as a bit per id, and the place of each in the order of their ids.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "hls/types.h"

namespace gaspipe {
namespace detail {

class IdSet {
 public:
  explicit IdSet(std::uint64_t num_ids) : words_((num_ids + 63) / 64), before_(words_.size() / kWords + 1) {}

  // From any thread.
  void insert(VertexId id) {
    std::atomic<std::uint64_t>& word = words_[id / 64];
    const std::uint64_t bit = std::uint64_t(1) << id % 64;
    if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
  }
  bool contains(VertexId id) const { return (word(id / 64) >> id % 64 & 1) != 0; }

  // After the last insert. Returns how many there are.
  std::uint64_t count() {
    std::uint64_t sum = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
      if (w % kWords == 0) before_[w / kWords] = static_cast<VertexId>(sum);
      sum += static_cast<unsigned>(__builtin_popcountll(word(w)));
    }
    return sum;
  }
  // How many smaller ones there are; after count().
  VertexId place(VertexId id) const {
    std::size_t w = id / 64 / kWords * kWords;
    std::uint64_t sum = before_[w / kWords];
    for (; w < id / 64; ++w) sum += static_cast<unsigned>(__builtin_popcountll(word(w)));
    sum += static_cast<unsigned>(__builtin_popcountll(word(w) & ((std::uint64_t(1) << id % 64) - 1)));
    return static_cast<VertexId>(sum);
  }
  // In ascending order.
  template <class F>
  void each(const F& f) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t bits = word(w); bits != 0; bits &= bits - 1) {
        f(static_cast<VertexId>(w * 64 + static_cast<unsigned>(__builtin_ctzll(bits))));
      }
    }
  }

 private:
  static constexpr std::size_t kWords = 8;  // with one count

  std::uint64_t word(std::size_t w) const { return words_[w].load(std::memory_order_relaxed); }

  std::vector<std::atomic<std::uint64_t>> words_;
  std::vector<VertexId> before_;
};

}  // namespace detail
}  // namespace gaspipe
