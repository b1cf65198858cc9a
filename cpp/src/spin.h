// SPDX-License-Identifier: Apache-2.0
// How a thread waits for others: it spins for a short while, then sleeps on a word until another thread wakes it.
#pragma once

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

namespace gaspipe {

inline long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* timeout) {
  static_assert(sizeof(word) == sizeof(std::uint32_t), "a futex is a word");
  return syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, timeout, nullptr, 0);
}
// What the calling thread has slept so far.
inline std::chrono::nanoseconds& time_slept() {
  static thread_local std::chrono::nanoseconds time{0};
  return time;
}
inline void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value, const timespec* timeout = nullptr) {
  const auto start = std::chrono::steady_clock::now();
  futex(word, FUTEX_WAIT, value, timeout);
  time_slept() += std::chrono::steady_clock::now() - start;
}
inline void wake_one(std::atomic<std::uint32_t>& word) { futex(word, FUTEX_WAKE, 1, nullptr); }
inline void wake_all(std::atomic<std::uint32_t>& word) { futex(word, FUTEX_WAKE, 0x7fffffff, nullptr); }

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// The core that each of some threads was last seen on.
class Cores {
 public:
  explicit Cores(int num_threads) : cores_(static_cast<std::size_t>(num_threads)) {}

  // Whether another thread was last seen on this one's core: it cannot go on while this one spins.
  bool share(int thread) {
    const int core = sched_getcpu();
    cores_[static_cast<std::size_t>(thread)].store(core, std::memory_order_relaxed);
    for (std::size_t i = 0; i < cores_.size(); ++i) {
      if (static_cast<int>(i) != thread && cores_[i].load(std::memory_order_relaxed) == core) return true;
    }
    return false;
  }

 private:
  struct Core : std::atomic<int> {
    Core() : std::atomic<int>(-1) {}
  };
  std::vector<Core> cores_;
};

// Moves the calling thread to another of the cores that it may run on; later it may come back. Whether there is one.
inline bool leave_core(int core) {
  cpu_set_t all, others;
  if (sched_getaffinity(0, sizeof(all), &all) != 0 || core < 0 || core >= CPU_SETSIZE) return false;
  others = all;
  CPU_CLR(core, &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof(others), &others) != 0) return false;
  sched_setaffinity(0, sizeof(all), &all);
  return true;
}

// Whether `done()` came true within `limit`.
template <class Done>
bool spin(std::chrono::microseconds limit, const Done& done) {
  if (done()) return true;
  if (limit.count() == 0) return false;
  using Clock = std::chrono::steady_clock;
  for (const auto end = Clock::now() + limit; Clock::now() < end;) {
    for (int i = 0; i < 16; ++i) {
      if (done()) return true;
      relax();
    }
  }
  return done();
}

}  // namespace gaspipe
