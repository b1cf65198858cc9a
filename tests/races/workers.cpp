// SPDX-License-Identifier: Apache-2.0
// The worker team under ThreadSanitizer: callers that have teams of their own at the same time, loops that hand data
// from one to the next, barriers, bodies that throw. With the argument `race` a body adds to one variable without any
// order, which must be told. Compiled by tests/python/test_races.py with the team's sources alone.
#include "gaspipe/workers.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using gaspipe::Workers;

bool loops(int num_threads) {
  Workers workers(num_threads);
  constexpr std::uint64_t kSize = 3000, kGrain = 32;
  std::vector<std::uint64_t> one(kSize), other(kSize);
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(num_threads) * 8);
  for (std::uint64_t round = 1; round <= 12; ++round) {
    workers.each(kSize, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t i = first; i < last; ++i) one[i] = i * round;
    });
    workers.each(kSize, kGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
      for (std::uint64_t i = first; i < last; ++i) {
        other[i] = one[kSize - 1 - i];
        sums[static_cast<std::size_t>(worker) * 8] += other[i];
      }
    });
  }
  const std::uint64_t total = std::accumulate(sums.begin(), sums.end(), std::uint64_t(0));
  if (total != 78 * (kSize - 1) * kSize / 2) return false;

  std::vector<std::uint64_t> parts(8, 0), seen(8, 0);
  int num_workers = 0;
  workers.together([&](int worker, int count) {
    const auto own = static_cast<std::size_t>(worker);
    if (worker == 0) num_workers = count;
    for (std::uint64_t round = 1; round <= 20; ++round) {
      parts[own] = round;
      if (!workers.barrier(worker)) return;
      for (int w = 0; w < count; ++w) seen[own] += parts[static_cast<std::size_t>(w)];
      if (!workers.barrier(worker)) return;
    }
  });
  for (int w = 0; w < num_workers; ++w) {
    if (seen[static_cast<std::size_t>(w)] != 210u * static_cast<unsigned>(num_workers)) return false;
  }
  for (const bool is_together : {false, true}) {
    try {
      if (is_together) {
        workers.together([&](int worker, int) {
          if (worker == 0) throw std::runtime_error("as asked");
          workers.barrier(worker);
        });
      } else {
        workers.each(kSize, kGrain, [](std::uint64_t, std::uint64_t, int) { throw std::runtime_error("as asked"); });
      }
      return false;
    } catch (const std::runtime_error&) {
    }
  }
  return true;
}

void race(int num_threads) {
  Workers workers(num_threads);
  std::uint64_t total = 0;
  workers.together([&](int worker, int) {
    for (int round = 0; round < 50; ++round) {
      if (!workers.barrier(worker)) return;
      total += 1;
    }
  });
  std::printf("%llu\n", static_cast<unsigned long long>(total));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "race") == 0) {
    race(4);
    return 0;
  }
  for (int num_threads = 1; num_threads <= 8; ++num_threads) {
    bool is_right[3] = {};
    std::vector<std::thread> callers;
    for (bool& each : is_right) callers.emplace_back([&each, num_threads] { each = loops(num_threads); });
    for (std::thread& caller : callers) caller.join();
    if (!is_right[0] || !is_right[1] || !is_right[2]) {
      std::printf("another answer with %d threads\n", num_threads);
      return 1;
    }
  }
  std::puts("right");
  return 0;
}
