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

  const Word* words() const { return words_.get(); }
  bool get(VertexId v) const { return (words_[v / kWordBits] >> (v % kWordBits) & 1) != 0; }
  void set(VertexId v) { words_[v / kWordBits] |= bit(v); }
  void clear(VertexId v) { words_[v / kWordBits] &= ~bit(v); }
  // True where the bit was not set.
  bool insert(VertexId v) {
    const bool is_new = !get(v);
    set(v);
    return is_new;
  }
  // Beside other threads; true for the one that sets the bit. Reads first: threads can share a cache line that none
  // writes.
  bool set_atomic(VertexId v) {
    Word* const word = &words_[v / kWordBits];
    if ((__atomic_load_n(word, __ATOMIC_RELAXED) & bit(v)) != 0) return false;
    return (__atomic_fetch_or(word, bit(v), __ATOMIC_RELAXED) & bit(v)) == 0;
  }
  void clear_atomic(VertexId v) { __atomic_fetch_and(&words_[v / kWordBits], ~bit(v), __ATOMIC_RELAXED); }

  void clear() { clear_words(0, num_words()); }
  void fill() {
    std::fill_n(words_.get(), num_words(), ~Word(0));
    trim();
  }
  // With a set of any size: this one keeps its own, and what the other has no bit for is not in the other.
  Bitmap& operator&=(const Bitmap& other) {
    return combine(other, [](Word a, Word b) { return a & b; });
  }
  Bitmap& operator|=(const Bitmap& other) {
    return combine(other, [](Word a, Word b) { return a | b; });
  }
  Bitmap& operator^=(const Bitmap& other) {
    return combine(other, [](Word a, Word b) { return a ^ b; });
  }
  // Loops over a range of words, which is how threads share a bitmap: vertices from 64 * first to 64 * last - 1.
  void clear_words(std::uint64_t first, std::uint64_t last) { std::fill(words_.get() + first, words_.get() + last, 0); }
  // Of a set of the same size.
  void copy_words(const Bitmap& from, std::uint64_t first, std::uint64_t last) {
    std::copy(from.words_.get() + first, from.words_.get() + last, words_.get() + first);
  }
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
  template <class Operation>
  Bitmap& combine(const Bitmap& other, const Operation& operation) {
    for (std::uint64_t w = 0; w < num_words(); ++w) {
      words_[w] = operation(words_[w], w < other.num_words() ? other.words_[w] : Word(0));
    }
    trim();
    return *this;
  }
  // Clears the bits past the last vertex.
  void trim() {
    if (size_ % kWordBits != 0) words_[num_words() - 1] &= bit(static_cast<VertexId>(size_)) - 1;
  }

  Block<Word> words_;
  std::uint64_t size_ = 0;
};

}  // namespace engine
}  // namespace gaspipe
