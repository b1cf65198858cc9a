// SPDX-License-Identifier: Apache-2.0
// What a program gets of the core's threads (abi::Host), by the engine's own wrapper.
#include "cpp/src/run/lending.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "gaspipe/engine/workers.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace {

TEST(Lending, RunsWorkersTogetherWithABarrier) {
  for (int threads : {1, 2, 5}) {
    Workers workers(threads);
    const RunOptions options;
    Lending lending(workers, options);
    const abi::Host host = lending.host();
    engine::Workers lent(host);
    std::atomic<int> arrived{0};
    lent.together([&](int worker, int num_workers) {
      EXPECT_EQ(num_workers, lent.size());
      ++arrived;
      EXPECT_TRUE(lent.barrier(worker));
      EXPECT_EQ(arrived, threads);
    });
    EXPECT_FALSE(lent.cancelled());
    EXPECT_EQ(arrived, threads);
  }
}

TEST(Lending, ReleasesTheBarrierOfACancelledRun) {
  for (int threads : {1, 2, 4}) {
    std::atomic<bool> is_interrupted{false};
    Workers workers(threads, [&] { return is_interrupted.load(); });
    const RunOptions options;
    Lending lending(workers, options);
    const abi::Host host = lending.host();
    engine::Workers lent(host);
    std::atomic<int> released{0};
    lent.together([&](int worker, int num_workers) {
      EXPECT_TRUE(lent.barrier(worker));  // all have begun
      is_interrupted = true;
      if (worker == num_workers - 1) {
        while (!lent.poll(worker)) continue;
      } else if (!lent.barrier(worker)) {
        ++released;
      }
    });
    EXPECT_TRUE(lent.cancelled());
    EXPECT_EQ(released, threads - 1);
    bool has_run = false;
    lent.together([&](int, int) { has_run = true; });
    EXPECT_FALSE(has_run);
    ASSERT_TRUE(lending.failure());
    EXPECT_THROW(std::rethrow_exception(lending.failure()), Cancelled);
  }
}

}  // namespace
}  // namespace gaspipe
