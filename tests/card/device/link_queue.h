// SPDX-License-Identifier: Apache-2.0
// A stream between two compute units, of words of 64 bytes: as long as it takes, for each end has a FIFO of its own.
#pragma once

#include <array>
#include <cstring>
#include <deque>
#include <mutex>

#include "kernel_abi.h"

namespace gaspipe {
namespace card {

class LinkQueue {
 public:
  CardStream end(bool sends) {
    return {[](void* self, const void* word) { static_cast<LinkQueue*>(self)->push(word); },
            [](void* self, void* word) { return static_cast<LinkQueue*>(self)->pop(word); }, this, sends ? 1 : 0};
  }

 private:
  using Word = std::array<char, 64>;

  void push(const void* word) {
    const std::lock_guard<std::mutex> lock(mutex_);
    words_.emplace_back();
    std::memcpy(words_.back().data(), word, sizeof(Word));
  }
  int pop(void* word) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (words_.empty()) return 0;
    std::memcpy(word, words_.front().data(), sizeof(Word));
    words_.pop_front();
    return 1;
  }

  std::mutex mutex_;
  std::deque<Word> words_;
};

}  // namespace card
}  // namespace gaspipe
