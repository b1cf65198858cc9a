// SPDX-License-Identifier: Apache-2.0
// The threads of one call, its way to stop, and what it says of its progress: loops of the library run through a
// Workers value, which on the calling thread looks for an interrupt and reports, while the others work. It throws
// Cancelled once all have stopped.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace gaspipe {

class Team;

class Workers {
 public:
  // What a call is at, how much of that is done and of how much; 0: not known. False cancels the call.
  using Report = std::function<bool(const char* phase, std::uint64_t done, std::uint64_t total)>;

  // num_threads 0: as OpenMP is set (OMP_NUM_THREADS, else one per core). `interrupted` is asked on the calling thread,
  // about every 20 ms; `report` is called there ten times a second, and at the end of a phase.
  explicit Workers(int num_threads = 0, std::function<bool()> interrupted = {}, Report report = {});
  ~Workers();

  int size() const { return num_threads_; }
  // Gets the threads ready for loops that come soon. Afterwards size() is their number, which is smaller than before
  // where the system makes no more. Without this call the first parallel loop gets them.
  void assemble();
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }

  // body(first, last, worker) for chunks of at most `grain` that cover [0, n), in no order; an exception of a body is
  // thrown here. Throws Cancelled when interrupted. Any number of the workers takes part, but always worker 0.
  void each(std::uint64_t n, std::uint64_t grain,
            const std::function<void(std::uint64_t first, std::uint64_t last, int worker)>& body);

  // body(worker, num_workers) on every worker, all at the same time, and with the same ids in every call; num_workers
  // is size(), or less where the system has fewer threads. Not inside another loop. An exception of a body is thrown
  // here once the others have ended: barriers let them go. Throws Cancelled when interrupted.
  void together(const std::function<void(int worker, int num_workers)>& body);
  // Inside `together`: waits until every worker is here, which all do equally often. False once the call is cancelled
  // or a body has thrown: the body then returns.
  bool barrier(int worker);

  // For long loops inside a body: true when the call is cancelled.
  bool poll(int worker);

  // On the calling thread, outside of loops. What comes now is `name`, a string that stays; the phase before has ended.
  // What is done of it is said by done(), or with kNextLoop is how far the next loop of each() is.
  static constexpr std::uint64_t kNextLoop = ~std::uint64_t(0);
  void phase(const char* name, std::uint64_t total);
  void done(std::uint64_t amount);  // so far; throws Cancelled when interrupted
  void end_phase();
  // Work that is part of many calls, such as sorting edges, is a step: a phase of those calls alone that have called
  // tell_steps(); nothing in others, whose phases go on. The next loop of each() is counted, as a share of `total`.
  void tell_steps() { tells_steps_ = true; }
  void step(const char* name, std::uint64_t total);
  // Likewise, of work that is no such loop: `amount` of it is done. `name` is the same pointer while the step goes on.
  void step_at(const char* name, std::uint64_t amount, std::uint64_t total);
  // For serial code on the calling thread: throws Cancelled when interrupted.
  void check();

 private:
  struct Loop;
  struct Together;
  // A worker's own chunks, which it takes first.
  struct alignas(64) Share {
    std::atomic<std::uint64_t> next{0};
    std::uint64_t last = 0;
  };

  struct Phase {
    const char* name = nullptr;
    std::uint64_t done = 0, total = 0;
  };

  void work(Loop& loop, int worker);
  void look();                                        // for an interrupt, and reports
  void count(std::uint64_t amount, std::uint64_t n);  // of a loop that is the phase
  void report();

  int num_threads_;
  std::unique_ptr<Team> team_;  // from the first parallel loop on
  std::vector<Share> shares_;
  Together* together_ = nullptr;  // under way
  std::function<bool()> interrupted_;
  Report report_;
  Phase phase_;
  bool is_counted_ = false;  // the phase is how far a loop is
  bool tells_steps_ = false;
  const Loop* loop_ = nullptr;  // which is this one
  std::atomic<bool> cancelled_{false};
  std::chrono::steady_clock::time_point last_look_ = std::chrono::steady_clock::now(), last_report_ = last_look_;
};

// Largest number of threads OpenMP would use now.
int default_num_threads();

}  // namespace gaspipe
