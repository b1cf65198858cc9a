// SPDX-License-Identifier: Apache-2.0
// How a thread waits for messages of workers on other threads: it spins for a short while, then gives its core to
// others that want it, and at last sleeps on its bell, which those ring after they have written. It wakes up every 20
// ms to look whether the search has been stopped.
//
// Threads that went to sleep early would never run together again: to wake up takes longer than a period, so that the
// others would be asleep by then.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "cpp/src/spin.h"

namespace gaspipe {
namespace local_store {

class alignas(64) Bell {
 public:
  // The order of the two counters makes sure that a thread on its way to sleep finds the ring, or is woken up.
  void ring() {
    rings_.fetch_add(1, std::memory_order_seq_cst);
    if (sleeps_.load(std::memory_order_seq_cst) != 0) wake_all(rings_);
  }

  // True once done(); false where gives_up(), which is asked before each sleep. `spins` where every thread has a core.
  template <class Done, class GivesUp>
  bool wait(bool spins, const Done& done, const GivesUp& gives_up) {
    if (spin(spins ? kSpin : std::chrono::microseconds(0), done)) return true;
    using Clock = std::chrono::steady_clock;
    for (const auto end = Clock::now() + kYield; Clock::now() < end;) {
      std::this_thread::yield();
      if (done()) return true;
    }
    const timespec interval{0, 20'000'000};
    while (!gives_up()) {
      const std::uint32_t rings = rings_.load(std::memory_order_seq_cst);
      sleeps_.store(1, std::memory_order_seq_cst);
      const bool is_done = done();
      if (!is_done) sleep_while(rings_, rings, &interval);
      sleeps_.store(0, std::memory_order_relaxed);
      if (is_done || done()) return true;
    }
    return false;
  }

 private:
  static constexpr std::chrono::microseconds kSpin{20}, kYield{2000};

  std::atomic<std::uint32_t> rings_{0};
  std::atomic<std::uint32_t> sleeps_{0};
};

}  // namespace local_store
}  // namespace gaspipe
