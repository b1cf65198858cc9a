// SPDX-License-Identifier: Apache-2.0
// Step 6: the codes that were marked go from bQnext to Qnext in main memory, or a file, and their vertices' levels into
// the answer. One half of bQnext is filled while the other is stored.
#pragma once

#include <algorithm>
#include <cstdint>

#include "arena.h"
#include "gaspipe/local_store/vertex_code.h"
#include "memory_queue.h"

namespace gaspipe {
namespace local_store {

template <class Code, class Sink = typename MemoryQueues<Code>::Sink>
class Commit {
 public:
  Commit(Buffer<Code> first, Buffer<Code> second, CodeSplit split, std::int32_t* depth)
      : halves_{first, second}, split_(split), depth_(depth) {}

  // Codes go to `queue` from now on, and are of this level.
  void begin(Sink queue, std::int32_t level) {
    queue_ = queue;
    level_ = level;
    count_ = 0;
  }

  // Room of the half that is being filled; added() says how much of it has been.
  Buffer<Code> room() const { return {halves_[active_].data + filled_, halves_[active_].size - filled_}; }
  void added(std::size_t count) { filled_ += count; }
  bool is_empty() const { return filled_ == 0; }

  // The half that was filled is to be stored, once the other has been.
  void swap() {
    finish();
    pending_ = halves_[active_].data;
    num_pending_ = filled_;
    if constexpr (Sink::kSorts) std::sort(halves_[active_].data, halves_[active_].data + filled_);
    active_ = 1 - active_;
    filled_ = 0;
  }
  // Stores about so many codes of it.
  void advance(std::size_t count) {
    count = std::min(count, num_pending_);
    if (count == 0) return;
    queue_.write(pending_, count);
    for (std::size_t i = 0; i < count; ++i) depth_[code_index(pending_[i], split_)] = level_;
    count_ += count;
    pending_ += count;
    num_pending_ -= count;
  }
  void finish() { advance(num_pending_); }

  std::uint64_t count() const { return count_; }  // codes stored in this level

 private:
  Buffer<Code> halves_[2];
  CodeSplit split_;
  std::int32_t* depth_;
  Sink queue_;
  std::int32_t level_ = 0;
  std::uint64_t count_ = 0;
  int active_ = 0;
  std::size_t filled_ = 0;
  const Code* pending_ = nullptr;
  std::size_t num_pending_ = 0;
};

}  // namespace local_store
}  // namespace gaspipe
