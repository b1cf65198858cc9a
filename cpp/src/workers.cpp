// SPDX-License-Identifier: Apache-2.0
// Every worker has a range of chunks, the same in every loop with as many chunks, so that data it wrote is still in its
// core's cache when it reads them. A worker that has finished its range takes chunks of the others.
#include "gaspipe/workers.h"

#include <omp.h>

#include <algorithm>
#include <exception>
#include <mutex>

#include "barrier.h"
#include "gaspipe/error.h"
#include "team.h"

namespace gaspipe {

int default_num_threads() { return omp_get_max_threads(); }

Workers::Workers(int num_threads, std::function<bool()> interrupted)
    : num_threads_(num_threads > 0 ? num_threads : default_num_threads()), interrupted_(std::move(interrupted)) {}

Workers::~Workers() = default;

void Workers::assemble() {
  if (num_threads_ == 1) return;
  if (!team_) {
    team_ = std::make_unique<Team>(num_threads_ - 1);
    num_threads_ = team_->num_helpers() + 1;
    shares_ = std::vector<Share>(num_threads_);
  }
  team_->wake();
}

bool Workers::poll(int worker) {
  if (worker == 0 && interrupted_ && !cancelled()) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_look_ > std::chrono::milliseconds(20)) {
      last_look_ = now;
      if (interrupted_()) cancel();
    }
  }
  return cancelled();
}

void Workers::check() {
  if (poll(0)) throw Cancelled();
}

struct Workers::Loop {
  Workers& workers;
  const std::uint64_t n, grain;
  const int num_workers;
  const std::function<void(std::uint64_t, std::uint64_t, int)>& body;
  std::atomic<bool> failed{false};
  std::exception_ptr failure{};
  std::mutex failure_guard{};
};

void Workers::work(Loop& loop, int worker) {
  const auto goes_on = [&] { return !loop.failed.load(std::memory_order_relaxed) && !poll(worker); };
  for (int i = 0; i < loop.num_workers && goes_on(); ++i) {
    Share& share = shares_[(worker + i) % loop.num_workers];
    while (share.next.load(std::memory_order_relaxed) < share.last && goes_on()) {
      const std::uint64_t chunk = share.next.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= share.last) break;
      try {
        loop.body(chunk * loop.grain, std::min((chunk + 1) * loop.grain, loop.n), worker);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(loop.failure_guard);
        if (!loop.failed.exchange(true)) loop.failure = std::current_exception();
      }
      if (worker == 0) team_->still_working();
    }
  }
}

void Workers::each(std::uint64_t n, std::uint64_t grain,
                   const std::function<void(std::uint64_t, std::uint64_t, int)>& body) {
  check();
  if (n == 0) return;
  if (grain == 0) grain = 1;
  const std::uint64_t num_chunks = (n - 1) / grain + 1;
  if (num_threads_ > 1 && num_chunks > 1 && !team_) assemble();
  if (num_threads_ == 1 || num_chunks == 1) {
    for (std::uint64_t first = 0; first < n; first += grain) {
      body(first, std::min(first + grain, n), 0);
      check();
    }
    return;
  }
  const int num_workers = static_cast<int>(std::min<std::uint64_t>(num_threads_, num_chunks));
  for (int i = 0; i < num_workers; ++i) {
    shares_[i].next = num_chunks * i / num_workers;
    shares_[i].last = num_chunks * (i + 1) / num_workers;
  }
  Loop loop{*this, n, grain, num_workers, body};
  team_->run(
      num_workers,
      [](void* context, int worker) {
        Loop& running = *static_cast<Loop*>(context);
        running.workers.work(running, worker);
      },
      &loop, [](void* context) { static_cast<Loop*>(context)->workers.poll(0); });
  if (loop.failure) std::rethrow_exception(loop.failure);
  if (cancelled()) throw Cancelled();
}

struct Workers::Together {
  Workers& workers;
  const int num_workers;
  const std::function<void(int, int)>& body;
  Barrier barrier;
  std::atomic<bool> failed{false};
  std::exception_ptr failure{};
  std::mutex failure_guard{};

  void work(int worker) {
    try {
      body(worker, num_workers);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(failure_guard);
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  }
  bool is_stopped() const { return failed.load(std::memory_order_relaxed) || workers.cancelled(); }
};

void Workers::together(const std::function<void(int, int)>& body) {
  check();
  if (num_threads_ > 1 && !team_) assemble();
  const int num_workers = team_ ? team_->num_workers() : 1;
  Together together{*this, num_workers, body, Barrier(num_workers, num_workers == 1 || team_->spins())};
  together_ = &together;
  if (num_workers == 1) {
    together.work(0);
  } else {
    team_->run_together(
        num_workers, [](void* context, int worker) { static_cast<Together*>(context)->work(worker); }, &together,
        [](void* context) { return static_cast<Together*>(context)->is_stopped(); },
        [](void* context) { static_cast<Together*>(context)->workers.poll(0); });
  }
  together_ = nullptr;
  if (together.failure) std::rethrow_exception(together.failure);
  if (cancelled()) throw Cancelled();
}

bool Workers::barrier(int worker) {
  Together& together = *together_;
  return together.barrier.wait(worker, [&] { return poll(worker) || together.is_stopped(); });
}

}  // namespace gaspipe
