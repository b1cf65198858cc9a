// SPDX-License-Identifier: Apache-2.0
// The two queues of a worker, Q and Qnext, in main memory.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "gaspipe/array.h"

namespace gaspipe {
namespace local_store {

template <class Code>
class MemoryQueues {
 public:
  // Where the codes of a queue come from.
  class Source {
   public:
    Source(const Code* at = nullptr) : at_(at) {}
    void read(Code* to, std::size_t count) {
      std::memcpy(to, at_, count * sizeof(Code));
      at_ += count;
    }

   private:
    const Code* at_;
  };
  // Where codes go.
  class Sink {
   public:
    static constexpr bool kSorts = false;
    Sink(Code* at = nullptr) : at_(at) {}
    void write(const Code* codes, std::size_t count) {
      std::memcpy(at_, codes, count * sizeof(Code));
      at_ += count;
    }

   private:
    Code* at_;
  };

  // Each holds all vertices of the worker.
  explicit MemoryQueues(std::size_t num_vertices) : queue_(num_vertices), next_queue_(num_vertices) {}

  // The queue filled so far becomes the one to read.
  void swap() { std::swap(queue_, next_queue_); }
  Source source() { return queue_.data(); }
  Sink sink() { return next_queue_.data(); }

 private:
  Writable<Code> queue_, next_queue_;
};

}  // namespace local_store
}  // namespace gaspipe
