// SPDX-License-Identifier: Apache-2.0
// Where the workers of one Workers::together wait for each other. The last one to arrive opens the next round; the
// others spin for a short while, if no other worker needs their core, then sleep, and look every 20 ms whether they are
// to give up.
#pragma once

#include <atomic>
#include <cstdint>

#include "spin.h"

namespace gaspipe {

class Barrier {
 public:
  // `spins` where every worker has a core of its own.
  Barrier(int num_workers, bool spins)
      : num_workers_(static_cast<std::uint32_t>(num_workers)), spins_(spins), cores_(num_workers) {}

  // True once all workers are here. False where `gives_up()`, which is asked before and while waiting; from then on
  // the barrier is of no more use, and all others must give up as well.
  template <class GivesUp>
  bool wait(int worker, const GivesUp& gives_up) {
    if (gives_up()) return false;
    const bool spins = spins_ && !cores_.share(worker);
    const std::uint32_t round = round_.load(std::memory_order_relaxed);  // it ends with this worker's arrival at most
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == num_workers_) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      if (num_workers_ > 1) wake_all(round_);
      return true;
    }
    const auto is_over = [&] { return round_.load(std::memory_order_acquire) != round; };
    const timespec interval{0, 20'000'000};
    if (spins && spin(kSpin, is_over)) return true;
    while (!is_over()) {
      if (gives_up()) return false;
      sleep_while(round_, round, &interval);
    }
    return true;
  }

 private:
  static constexpr std::chrono::microseconds kSpin{100};

  const std::uint32_t num_workers_;
  const bool spins_;
  Cores cores_;
  alignas(64) std::atomic<std::uint32_t> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> round_{0};
};

}  // namespace gaspipe
