// SPDX-License-Identifier: Apache-2.0
// The threads that help a calling thread through its parallel loops. They are kept for the process and borrowed for a
// call. OpenMP says how many a call gets (gaspipe/workers.h), but does not provide them: its runtimes end the process
// where a thread cannot be made, and spin at barriers for milliseconds, which stalls every loop once another program
// takes a core.
//
// A loop never waits for a helper that has not entered it: the calling thread works from the start, and closes the
// loop when no work is left. It waits only for helpers that are inside. Threads spin for a short while and then sleep.
//
// Where other programs take the cores, a helper is switched out in the middle of its work and the calling thread waits
// for the scheduler. The time that threads lose in this way is measured: the wall time of a thread that does not sleep,
// less its CPU time. Where it is too much, the process works on one thread for a while (`Contention`), then tries
// again.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

namespace gaspipe {

using SteadyTime = std::chrono::steady_clock::time_point;

// Whether other programs take the cores that the threads of this process run on.
class Contention {
 public:
  // True while parallel loops are better run on one thread.
  bool is_high(SteadyTime now) const { return now < until_.load(std::memory_order_relaxed); }
  // Threads lost so much time in parallel loops since the last report.
  void report(std::chrono::nanoseconds lost, SteadyTime now);

 private:
  std::atomic<SteadyTime> until_{SteadyTime()};
  std::atomic<SteadyTime> window_{SteadyTime()};
  std::atomic<std::int64_t> lost_ns_{0};   // in the window
  std::atomic<std::int64_t> pause_ms_{0};  // the last one; 0 after a quiet window
};

// Whether this process had better run on one thread for now.
bool is_contended();

// Measures the time that the calling thread loses to others while it does not sleep.
class LostTime {
 public:
  SteadyTime start() const { return start_; }
  void restart(SteadyTime now);
  // Since restart(); restarts.
  std::chrono::nanoseconds take(SteadyTime now);

 private:
  SteadyTime start_;
  std::chrono::nanoseconds cpu_{0};
};

class Helper;

// The calling thread and its helpers.
class Team {
 public:
  using Work = void (*)(void* context, int worker);

  // Borrows helpers. There are fewer than asked for where the system makes no more threads.
  explicit Team(int num_helpers);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int num_helpers() const { return static_cast<int>(helpers_.size()); }
  // Helpers that sleep wake up while the caller prepares its first loop.
  void wake();
  // Calls work(context, 0) here and work(context, i) on every helper i < num_workers that arrives before that returns.
  // `wait` is called now and then while helpers finish, about every 20 ms.
  void run(int num_workers, Work work, void* context, void (*wait)(void* context));
  // To be called between the chunks of worker 0: opens the loop to helpers that were not called at its start.
  void still_working();

  // The most workers of run_together. In a process that was forked since the helpers were borrowed there is only one.
  int num_workers() const;
  // Calls work(context, i) on every worker i < num_workers, all at the same time: they may wait for each other. Once
  // `may_skip(context)`, helpers that have not begun are not waited for.
  void run_together(int num_workers, Work work, void* context, bool (*may_skip)(void* context),
                    void (*wait)(void* context));
  bool spins() const { return spins_; }

 private:
  void open(bool waits_inside = false);
  template <class MaySkip>
  void close(const MaySkip& may_skip, void (*wait)(void*));
  void check_contention(SteadyTime now);
  std::chrono::nanoseconds take_lost_time_of_helpers();

  std::vector<Helper*> helpers_;
  std::uint64_t forks_;  // of the process, when the helpers were borrowed
  Work work_ = nullptr;
  void* context_ = nullptr;
  int num_called_ = 0;
  bool is_open_ = false, was_short_ = false, spins_ = true;
  SteadyTime start_;
  LostTime lost_time_;  // of the calling thread
  std::chrono::nanoseconds slept_{0};
};

}  // namespace gaspipe
