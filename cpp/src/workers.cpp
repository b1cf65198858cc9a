// SPDX-License-Identifier: Apache-2.0
// Every worker has a run of chunks, the same in every loop of as many, so that what it wrote is still in its core's
// cache when it is read; who is done takes from the others. OpenMP's pool does not survive a fork, so a forked child
// works on one thread instead of hanging in it.
#include "gaspipe/workers.h"

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <vector>

#include "gaspipe/error.h"

namespace gaspipe {
namespace {

std::atomic<bool> used_threads{false};
std::atomic<bool> forked_after_use{false};

// A worker's own chunks, which it takes first.
struct alignas(64) Share {
  std::atomic<std::uint64_t> next{0};
  std::uint64_t last = 0;
};

void watch_for_forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] {
    if (used_threads) forked_after_use = true;
  });
  (void)registered;
}

}  // namespace

int default_num_threads() { return forked_after_use ? 1 : omp_get_max_threads(); }

Workers::Workers(int num_threads, std::function<bool()> interrupted)
    : num_threads_(num_threads > 0 && !forked_after_use ? num_threads : default_num_threads()),
      interrupted_(std::move(interrupted)) {}

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

void Workers::each(std::uint64_t n, std::uint64_t grain,
                   const std::function<void(std::uint64_t, std::uint64_t, int)>& body) {
  check();
  if (n == 0) return;
  if (grain == 0) grain = 1;
  const std::uint64_t num_chunks = (n - 1) / grain + 1;
  if (num_threads_ == 1 || num_chunks == 1) {
    for (std::uint64_t first = 0; first < n; first += grain) {
      body(first, std::min(first + grain, n), 0);
      check();
    }
    return;
  }
  watch_for_forks();
  used_threads = true;
  const int team = static_cast<int>(std::min<std::uint64_t>(num_threads_, num_chunks));
  std::vector<Share> shares(team);
  for (int i = 0; i < team; ++i) {
    shares[i].next = num_chunks * i / team;
    shares[i].last = num_chunks * (i + 1) / team;
  }
  std::atomic<bool> failed{false};
  std::exception_ptr failure;
  std::mutex failure_guard;
#pragma omp parallel num_threads(team)
  {
    const int worker = omp_get_thread_num();
    const auto goes_on = [&] { return !failed.load(std::memory_order_relaxed) && !poll(worker); };
    for (int i = 0; i < team && goes_on(); ++i) {
      Share& share = shares[(worker + i) % team];
      while (share.next.load(std::memory_order_relaxed) < share.last && goes_on()) {
        const std::uint64_t chunk = share.next.fetch_add(1, std::memory_order_relaxed);
        if (chunk >= share.last) break;
        try {
          body(chunk * grain, std::min((chunk + 1) * grain, n), worker);
        } catch (...) {
          const std::lock_guard<std::mutex> lock(failure_guard);
          if (!failed.exchange(true)) failure = std::current_exception();
        }
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
  if (cancelled()) throw Cancelled();
}

}  // namespace gaspipe
