// SPDX-License-Identifier: Apache-2.0
// Workers::together: bodies that are all live at the same time, and the barrier between them.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "gaspipe/error.h"
#include "gaspipe/workers.h"

namespace gaspipe {
namespace {

using Clock = std::chrono::steady_clock;

// A hang ends as a failure.
class WorkersTogether : public ::testing::Test {
 protected:
  void SetUp() override { alarm(120); }
  void TearDown() override { alarm(0); }
};

TEST_F(WorkersTogether, RunOneBodyPerWorkerWithTheSameIdsEveryTime) {
  for (int threads = 1; threads <= 8; ++threads) {
    Workers workers(threads);
    std::vector<std::thread::id> first(static_cast<std::size_t>(threads));
    for (int round = 0; round < 20; ++round) {
      std::vector<std::thread::id> seen(static_cast<std::size_t>(threads));
      std::atomic<int> num_bodies{0};
      workers.together([&](int worker, int num_workers) {
        EXPECT_EQ(num_workers, threads);
        seen[static_cast<std::size_t>(worker)] = std::this_thread::get_id();
        ++num_bodies;
      });
      EXPECT_EQ(num_bodies, threads);
      if (round == 0) first = seen;
      EXPECT_EQ(seen, first);
      EXPECT_EQ(seen[0], std::this_thread::get_id());
    }
  }
}

TEST_F(WorkersTogether, WaitForEachOtherAtTheBarrier) {
  // A running sum over neighbours: wrong at once if a worker runs ahead of the others.
  for (int threads = 1; threads <= 8; ++threads) {
    Workers workers(threads);
    const int rounds = 2000 / threads;
    std::vector<long> now(static_cast<std::size_t>(threads), 1), next(now);
    workers.together([&](int worker, int num_workers) {
      for (int round = 0; round < rounds; ++round) {
        const auto i = static_cast<std::size_t>(worker),
                   neighbour = static_cast<std::size_t>((worker + 1) % num_workers);
        next[i] = (now[i] + now[neighbour]) % 1000003;
        if (!workers.barrier(worker)) return;
        now[i] = next[i];
        if (!workers.barrier(worker)) return;
      }
    });
    long expected = 1;
    for (int round = 0; round < rounds; ++round) expected = expected * 2 % 1000003;
    EXPECT_EQ(now, std::vector<long>(static_cast<std::size_t>(threads), expected)) << threads;
  }
}

TEST_F(WorkersTogether, WaitForHelpersThatStartLate) {
  Workers workers(4);
  workers.each(1000, 1, [](std::uint64_t, std::uint64_t, int) {});
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the helpers fall asleep
  std::atomic<int> ended{0};
  workers.together([&](int worker, int) {
    if (worker > 0) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    ++ended;
  });
  EXPECT_EQ(ended, 4);
}

TEST_F(WorkersTogether, LetTheOthersGoWhenABodyThrows) {
  for (int threads = 1; threads <= 8; ++threads) {
    for (int thrower = 0; thrower < threads; ++thrower) {
      Workers workers(threads);
      std::atomic<int> released{0};
      const auto body = [&](int worker, int) {
        if (!workers.barrier(worker)) return;
        if (worker == thrower) throw std::runtime_error("mine");
        if (!workers.barrier(worker)) ++released;
      };
      EXPECT_THROW(workers.together(body), std::runtime_error);
      EXPECT_EQ(released, threads - 1);
      EXPECT_FALSE(workers.cancelled());
      std::atomic<int> num_bodies{0};  // they can be used again
      workers.together([&](int worker, int) { num_bodies += workers.barrier(worker); });
      EXPECT_EQ(num_bodies, threads);
    }
  }
}

TEST_F(WorkersTogether, StopWhenInterruptedAtABarrier) {
  for (int threads : {2, 3, 8}) {
    std::atomic<bool> is_interrupted{false};
    Workers workers(threads, [&] { return is_interrupted.load(); });
    std::atomic<int> released{0};
    const auto body = [&](int worker, int) {
      EXPECT_TRUE(workers.barrier(worker));  // all have begun
      is_interrupted = true;
      // The last worker never arrives; all others wait.
      if (worker == threads - 1) {
        while (!workers.poll(worker)) std::this_thread::yield();
      } else if (!workers.barrier(worker)) {
        ++released;
      }
    };
    EXPECT_THROW(workers.together(body), Cancelled);
    EXPECT_EQ(released, threads - 1);
  }
}

TEST_F(WorkersTogether, StopWhenTheCallerHasEndedAndAHelperIsInterrupted) {
  const auto start = Clock::now();
  Workers workers(2, [&] { return Clock::now() - start > std::chrono::milliseconds(60); });
  const auto body = [&](int worker, int) {
    while (worker == 1 && !workers.poll(worker)) std::this_thread::yield();
  };
  EXPECT_THROW(workers.together(body), Cancelled);
}

TEST_F(WorkersTogether, ThrowWhenCancelledBefore) {
  Workers workers(3);
  workers.cancel();
  EXPECT_THROW(workers.together([](int, int) { ADD_FAILURE(); }), Cancelled);
}

TEST_F(WorkersTogether, AreOneInAForkedProcess) {
  Workers workers(3);
  workers.together([](int, int num_workers) { EXPECT_EQ(num_workers, 3); });
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    int seen = 0;
    workers.together([&](int worker, int num_workers) { seen = workers.barrier(worker) ? num_workers : 0; });
    _exit(seen == 1 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(WorkersTogether, MixWithLoopsUnderLoad) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> load;
  for (int i = 0; i < 3; ++i) {
    load.emplace_back([&] {
      while (!stop) continue;
    });
  }
  Workers workers(4);
  long sum = 0;
  for (int round = 0; round < 50; ++round) {
    std::vector<long> parts(4, 0);
    workers.together([&](int worker, int num_workers) {
      for (long i = worker; i < 1000; i += num_workers) parts[static_cast<std::size_t>(worker)] += i;
      if (!workers.barrier(worker)) return;
      if (worker == 1) sum += std::accumulate(parts.begin(), parts.end(), 0L);
    });
    std::atomic<long> looped{0};
    workers.each(1000, 10, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t i = first; i < last; ++i) looped += static_cast<long>(i);
    });
    sum -= looped;
  }
  EXPECT_EQ(sum, 0);
  stop = true;
  for (std::thread& thread : load) thread.join();
}

}  // namespace
}  // namespace gaspipe
