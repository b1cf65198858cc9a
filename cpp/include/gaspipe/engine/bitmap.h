// SPDX-License-Identifier: Apache-2.0
// A set of vertices, one bit each.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gaspipe/engine/block.h"
#include "hls/types.h"

namespace gaspipe {
namespace engine {

class Bitmap {
 public:
  using Word = std::uint64_t;
  static constexpr std::uint64_t kWordBits = 64;

  Bitmap() = default;
  // Of vertices 0 to size - 1; empty at first.
  explicit Bitmap(std::uint64_t size) : words_(make_block<Word>(words_for(size))), size_(size) { clear(); }

  std::uint64_t size() const { return size_; }
  std::uint64_t num_words() const { return words_for(size_); }

  bool get(VertexId v) const { return (words_[v / kWordBits] >> (v % kWordBits) & 1) != 0; }
  void set(VertexId v) { words_[v / kWordBits] |= bit(v); }
  // Beside other threads; true for the one that sets the bit.
  bool set_atomic(VertexId v) {
    return (__atomic_fetch_or(&words_[v / kWordBits], bit(v), __ATOMIC_RELAXED) & bit(v)) == 0;
  }
  void clear(VertexId v) { words_[v / kWordBits] &= ~bit(v); }

  void clear() { clear_words(0, num_words()); }
  // Loops over a range of words, which is how threads share a bitmap: vertices from 64 * first to 64 * last - 1.
  void clear_words(std::uint64_t first, std::uint64_t last) { std::fill(words_.get() + first, words_.get() + last, 0); }
  // The set becomes the vertices of the range for which test(v) is true.
  template <class Test>
  void assign_words(std::uint64_t first, std::uint64_t last, const Test& test) {
    for (std::uint64_t w = first; w < last; ++w) {
      const std::uint64_t base = w * kWordBits, end = std::min(kWordBits, size_ - base);
      Word word = 0;
      for (std::uint64_t i = 0; i < end; ++i) word |= Word(test(static_cast<VertexId>(base + i))) << i;
      words_[w] = word;
    }
  }
  // Calls visit(v) for every vertex of the set in the range, in ascending order. It may change the set.
  template <class Visit>
  void each_in_words(std::uint64_t first, std::uint64_t last, const Visit& visit) const {
    for (std::uint64_t w = first; w < last; ++w) {
      for (Word word = words_[w]; word != 0; word &= word - 1) {
        visit(static_cast<VertexId>(w * kWordBits + static_cast<unsigned>(__builtin_ctzll(word))));
      }
    }
  }
  std::uint64_t count() const {
    std::uint64_t sum = 0;
    for (std::uint64_t w = 0; w < num_words(); ++w) sum += static_cast<unsigned>(__builtin_popcountll(words_[w]));
    return sum;
  }

 private:
  static std::uint64_t words_for(std::uint64_t size) { return (size + kWordBits - 1) / kWordBits; }
  static Word bit(VertexId v) { return Word(1) << (v % kWordBits); }

  Block<Word> words_;
  std::uint64_t size_ = 0;
};

}  // namespace engine
}  // namespace gaspipe
