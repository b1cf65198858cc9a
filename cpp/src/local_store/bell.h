// SPDX-License-Identifier: Apache-2.0
// Where a thread that finds nothing to do sleeps until another one has done something.
#pragma once

#include <atomic>
#include <cstdint>

#include "cpp/src/spin.h"

namespace gaspipe {
namespace local_store {

class alignas(64) Bell {
 public:
  // After something has been done that the thread may wait for. The order of the two counters makes sure that a thread
  // on its way to sleep finds the ring, or is woken up.
  void ring() {
    rings_.fetch_add(1, std::memory_order_seq_cst);
    if (sleeps_.load(std::memory_order_seq_cst) != 0) wake_all(rings_);
  }

  // To be read before looking for something to do.
  std::uint32_t rings() const { return rings_.load(std::memory_order_seq_cst); }
  // Sleeps unless there has been a ring since; for at most 20 ms.
  void sleep(std::uint32_t rings) {
    const timespec interval{0, 20'000'000};
    sleeps_.store(1, std::memory_order_seq_cst);
    sleep_while(rings_, rings, &interval);
    sleeps_.store(0, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint32_t> rings_{0};
  std::atomic<std::uint32_t> sleeps_{0};
};

}  // namespace local_store
}  // namespace gaspipe
