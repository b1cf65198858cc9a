// SPDX-License-Identifier: Apache-2.0
// The threads of one call, and its way to stop: loops of the library run through a Workers value, which looks for an
// interrupt on the calling thread while the others work, and throws Cancelled once all have stopped.
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
  // num_threads 0: as OpenMP is set (OMP_NUM_THREADS, else one per core). `interrupted` is asked on the calling thread,
  // about every 20 ms.
  explicit Workers(int num_threads = 0, std::function<bool()> interrupted = {});
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

  void work(Loop& loop, int worker);

  int num_threads_;
  std::unique_ptr<Team> team_;  // from the first parallel loop on
  std::vector<Share> shares_;
  Together* together_ = nullptr;  // under way
  std::function<bool()> interrupted_;
  std::atomic<bool> cancelled_{false};
  std::chrono::steady_clock::time_point last_look_ = std::chrono::steady_clock::now();
};

// Largest number of threads OpenMP would use now.
int default_num_threads();

}  // namespace gaspipe
