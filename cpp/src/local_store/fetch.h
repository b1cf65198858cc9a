// SPDX-License-Identifier: Apache-2.0
// Step 1: parts of a worker's queue pass from main memory, or a file, through bQ. One half of it is read while the
// other is filled.
#pragma once

#include <algorithm>
#include <cstdint>

#include "arena.h"
#include "memory_queue.h"

namespace gaspipe {
namespace local_store {

template <class Code, class Source = typename MemoryQueues<Code>::Source>
class Fetch {
 public:
  Fetch(Buffer<Code> first, Buffer<Code> second) : halves_{first, second} {}

  // Begins with another queue; neither half holds anything of it yet.
  void begin(Source queue, std::uint64_t count) {
    queue_ = queue;
    left_ = count;
    count_[0] = count_[1] = 0;
    at_ = 0;
  }
  // Drops what is left.
  void drop() { begin(Source(), 0); }

  // Fills the half that is not being read, if it is empty: with as much of the queue as it holds.
  void load() {
    const int other = 1 - active_;
    if (count_[other] > 0 || left_ == 0) return;
    count_[other] = std::min<std::uint64_t>(left_, halves_[other].size);
    queue_.read(halves_[other].data, count_[other]);
    left_ -= count_[other];
  }
  // Begins to read the other half; the one read so far becomes empty. False where nothing has been loaded.
  bool swap() {
    count_[active_] = 0;
    active_ = 1 - active_;
    at_ = 0;
    return count_[active_] > 0;
  }

  // Whether the half that is being read has a next code.
  bool has_code() const { return at_ < count_[active_]; }
  Code code() const { return halves_[active_][at_]; }
  void pop() { ++at_; }
  // Whether there are codes that have not been read, here or in main memory.
  bool has_more() const { return has_code() || count_[1 - active_] > 0 || left_ > 0; }

  // What load() has filled and swap() will begin to read.
  Buffer<const Code> loaded() const { return {halves_[1 - active_].data, count_[1 - active_]}; }

 private:
  Buffer<Code> halves_[2];
  std::size_t count_[2] = {0, 0};
  Source queue_;
  std::uint64_t left_ = 0;
  int active_ = 0;
  std::size_t at_ = 0;
};

}  // namespace local_store
}  // namespace gaspipe
