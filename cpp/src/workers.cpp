// SPDX-License-Identifier: Apache-2.0
// Every worker has a range of chunks, the same in every loop with as many chunks, so that data it wrote is still in its
// core's cache when it reads them. A worker that has finished its range takes chunks of the others.
#include "gaspipe/workers.h"

#include <omp.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

#include "barrier.h"
#include "clock.h"
#include "gaspipe/error.h"
#include "team.h"

namespace gaspipe {

int default_num_threads() { return omp_get_max_threads(); }

Workers::Workers(int num_threads, std::function<bool()> interrupted, Report report)
    : num_threads_(num_threads > 0 ? num_threads : default_num_threads()),
      interrupted_(std::move(interrupted)),
      report_(std::move(report)) {}

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
  if (worker == 0 && (interrupted_ || report_) && !cancelled()) look();
  return cancelled();
}

void Workers::look() {
  const auto now = recently();
  if (now - last_look_ <= std::chrono::milliseconds(20)) return;
  last_look_ = now;
  if (interrupted_ && interrupted_()) return cancel();
  if (phase_.name != nullptr && now - last_report_ > std::chrono::milliseconds(100)) report();
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

// Chunks that have been taken, with those at hand.
void Workers::report() {
  if (loop_ != nullptr) {
    std::uint64_t chunks = 0;
    for (int i = 0; i < loop_->num_workers; ++i) {
      const std::uint64_t last = shares_[i].last, first = i > 0 ? shares_[i - 1].last : 0;
      chunks += std::min(shares_[i].next.load(std::memory_order_relaxed), last) - first;
    }
    count(std::min(chunks * loop_->grain, loop_->n), loop_->n);
  }
  last_report_ = recently();
  if (!report_(phase_.name, phase_.done, phase_.total)) cancel();
}

void Workers::phase(const char* name, std::uint64_t total) {
  if (!report_) return;
  end_phase();
  is_counted_ = total == kNextLoop;
  phase_ = {name, 0, is_counted_ ? 0 : total};
}

void Workers::step(const char* name, std::uint64_t total) {
  if (!tells_steps_) return;
  phase(name, kNextLoop);
  phase_.total = total;
}

void Workers::step_at(const char* name, std::uint64_t amount, std::uint64_t total) {
  if (!tells_steps_) return;
  if (phase_.name != name) phase(name, total);
  done(amount);
}

void Workers::count(std::uint64_t amount, std::uint64_t n) {
  const double share = static_cast<double>(amount) / static_cast<double>(n);
  phase_.done = phase_.total == n ? amount : static_cast<std::uint64_t>(share * static_cast<double>(phase_.total));
}

void Workers::done(std::uint64_t amount) {
  phase_.done = amount;
  check();
}

void Workers::end_phase() {
  check();  // nothing is reported by a call that has been cancelled
  if (phase_.name == nullptr) return;
  report();
  phase_.name = nullptr;
  check();
}

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
  const bool counts = std::exchange(is_counted_, false);
  if (counts && phase_.total == 0) phase_.total = n;
  if (n == 0) return;
  if (grain == 0) grain = 1;
  const std::uint64_t num_chunks = (n - 1) / grain + 1;
  if (num_threads_ > 1 && num_chunks > 1 && !team_) assemble();
  if (num_threads_ == 1 || num_chunks == 1) {
    for (std::uint64_t first = 0; first < n; first += grain) {
      const std::uint64_t last = std::min(first + grain, n);
      body(first, last, 0);
      if (counts) count(last, n);
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
  if (counts) loop_ = &loop;
  team_->run(
      num_workers,
      [](void* context, int worker) {
        Loop& running = *static_cast<Loop*>(context);
        running.workers.work(running, worker);
      },
      &loop, [](void* context) { static_cast<Loop*>(context)->workers.poll(0); });
  loop_ = nullptr;
  if (counts) count(n, n);
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
