// SPDX-License-Identifier: Apache-2.0
// Step 5: of the codes that have arrived, those whose vertex is not marked yet are marked and kept. Only the owner has
// the bitmap, so no operation is atomic.
//
// Two passes over a batch: the first drops what is marked already, which is most. It stores nothing in the bitmap, and
// has no branch that depends on it, so reads of the bitmap overlap. The second marks what is left, each vertex once.
#pragma once

#include <algorithm>
#include <cstdint>

#include "arena.h"
#include "gaspipe/local_store/vertex_code.h"

namespace gaspipe {
namespace local_store {

template <class Code>
class Marks {
 public:
  // Of the vertices from `first` on.
  Marks(Buffer<std::uint64_t> words, VertexId first, CodeSplit split) : words_(words), first_(first), split_(split) {}

  bool insert(VertexId v) {
    std::uint64_t& word = words_[(v - first_) / 64];
    const std::uint64_t bit = std::uint64_t(1) << (v - first_) % 64;
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }

  // Marks the vertices of `count` codes, and writes to `fresh` the codes of those that were not marked, each once;
  // returns how many these are. `fresh` has room for `count`.
  std::size_t mark(const Code* codes, std::size_t count, Code* fresh) {
    std::size_t num_fresh = 0;
    Code open[kBatch];
    for (std::size_t begin = 0; begin < count; begin += kBatch) {
      const std::size_t end = std::min(count, begin + kBatch);
      std::size_t num_open = 0;
      for (std::size_t i = begin; i < end; ++i) {
        const VertexId place = code_index(codes[i], split_) - first_;
        open[num_open] = codes[i];
        num_open += (words_.data[place / 64] >> place % 64 & 1) == 0;
      }
      for (std::size_t i = 0; i < num_open; ++i) {
        const VertexId place = code_index(open[i], split_) - first_;
        std::uint64_t& word = words_.data[place / 64];
        const std::uint64_t bit = std::uint64_t(1) << place % 64;
        fresh[num_fresh] = open[i];
        num_fresh += (word & bit) == 0;
        word |= bit;
      }
    }
    return num_fresh;
  }

 private:
  static constexpr std::size_t kBatch = 256;

  Buffer<std::uint64_t> words_;
  VertexId first_;
  CodeSplit split_;
};

}  // namespace local_store
}  // namespace gaspipe
