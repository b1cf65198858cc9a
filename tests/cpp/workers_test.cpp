// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/workers.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "gaspipe/error.h"
#include "gaspipe/find_first.h"

namespace gaspipe {
namespace {

TEST(Workers, CoverTheRangeOnce) {
  for (int threads : {1, 2, 5}) {
    Workers workers(threads);
    for (std::uint64_t n : {0u, 1u, 7u, 1000u}) {
      for (std::uint64_t grain : {0u, 1u, 3u, 5000u}) {
        std::vector<std::atomic<int>> seen(n);
        workers.each(n, grain, [&](std::uint64_t first, std::uint64_t last, int worker) {
          EXPECT_LE(last - first, std::max<std::uint64_t>(grain, 1));
          EXPECT_TRUE(worker >= 0 && worker < threads);
          for (std::uint64_t i = first; i < last; ++i) ++seen[i];
        });
        for (const auto& times : seen) EXPECT_EQ(times, 1);
      }
    }
  }
}

TEST(Workers, HelpOneThatIsHeldUp) {
  constexpr int kChunks = 100;
  Workers workers(2);
  bool was_helped = false;
  for (int turn = 0; turn < 20 && !was_helped; ++turn) {
    // Where other programs take the cores, loops are on one thread for up to a second.
    if (turn > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    std::atomic<int> done{0};
    const auto held_until = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    workers.each(kChunks, 1, [&](std::uint64_t i, std::uint64_t, int) {
      while (i == 0 && done < kChunks - 1 && std::chrono::steady_clock::now() < held_until) std::this_thread::yield();
      if (i == 0) was_helped = done == kChunks - 1;
      ++done;
    });
    EXPECT_EQ(done, kChunks);
  }
  EXPECT_TRUE(was_helped) << "the rest of its chunks was not taken";
}

TEST(Workers, GetTheSameChunksAgain) {
  Workers workers(3);
  int complete = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (complete < 3 && std::chrono::steady_clock::now() < end) {
    // One chunk for each. Each waits for all, so that none takes two; on a busy machine some come too late.
    std::vector<int> taker(300);
    std::atomic<int> here{0};
    workers.each(300, 100, [&](std::uint64_t first, std::uint64_t last, int worker) {
      const auto patience = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
      ++here;
      while (here < 3 && std::chrono::steady_clock::now() < patience) std::this_thread::yield();
      for (std::uint64_t i = first; i < last; ++i) taker[i] = worker;
    });
    if (std::set<int>(taker.begin(), taker.end()).size() < 3) continue;
    for (int i = 0; i < 300; ++i) EXPECT_EQ(taker[i], i / 100);
    ++complete;
  }
  EXPECT_EQ(complete, 3);
}

TEST(Workers, ThrowABodysException) {
  for (int threads : {1, 3}) {
    Workers workers(threads);
    EXPECT_THROW(workers.each(1000, 1,
                              [](std::uint64_t i, std::uint64_t, int) {
                                if (i == 500) throw InputError("no");
                              }),
                 InputError);
    int after = 0;
    workers.each(1, 1, [&](std::uint64_t, std::uint64_t, int) { ++after; });
    EXPECT_EQ(after, 1);
  }
}

TEST(Workers, StopSoonWhenInterrupted) {
  for (int threads : {1, 2}) {
    std::atomic<int> done{0};
    Workers workers(threads, [] { return true; });
    const auto body = [&](std::uint64_t, std::uint64_t, int) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ++done;
    };
    EXPECT_THROW(workers.each(100000, 1, body), Cancelled);
    EXPECT_LT(done, 1000);
    EXPECT_THROW(workers.each(1, 1, body), Cancelled) << "a cancelled call stays cancelled";
  }
}

using Told = std::tuple<std::string, std::uint64_t, std::uint64_t>;

TEST(Workers, ReportTheEndOfEveryPhase) {
  for (int threads : {1, 3}) {
    std::vector<Told> told;
    Workers workers(threads, {}, [&](const char* phase, std::uint64_t done, std::uint64_t total) {
      told.emplace_back(phase, done, total);
      return true;
    });
    const auto loop = [&](std::uint64_t n) { workers.each(n, 3, [](std::uint64_t, std::uint64_t, int) {}); };
    workers.phase("first", 0);
    loop(10);  // is no part of what the phase counts
    workers.phase("second", 4);
    workers.done(3);
    workers.phase("third", Workers::kNextLoop);
    loop(100);
    loop(10);  // nor is a second loop
    workers.phase("fourth", Workers::kNextLoop);
    loop(0);
    workers.end_phase();
    workers.end_phase();
    EXPECT_EQ(told, (std::vector<Told>{{"first", 0, 0}, {"second", 3, 4}, {"third", 100, 100}, {"fourth", 0, 0}}));
  }
}

TEST(Workers, ReportStepsWhereACallConsistsOfThemAndElseItsOwnPhases) {
  for (int threads : {1, 3}) {
    for (bool tells_steps : {true, false}) {
      std::vector<Told> told;
      Workers workers(threads, {}, [&](const char* phase, std::uint64_t done, std::uint64_t total) {
        told.emplace_back(phase, done, total);
        return true;
      });
      const auto loop = [&](std::uint64_t n) { workers.each(n, 3, [](std::uint64_t, std::uint64_t, int) {}); };
      if (tells_steps) workers.tell_steps();
      workers.phase("own", 7);
      workers.step("chunks", 1000);  // of 10 chunks
      loop(10);
      loop(5);
      workers.step("nothing", 0);
      loop(0);
      const char* const lists = "lists";
      workers.step_at(lists, 0, 8);
      loop(4);
      workers.step_at(lists, 8, 8);
      workers.end_phase();
      if (tells_steps) {
        EXPECT_EQ(told, (std::vector<Told>{{"own", 0, 7}, {"chunks", 1000, 1000}, {"nothing", 0, 0}, {"lists", 8, 8}}));
      } else {
        EXPECT_EQ(told, (std::vector<Told>{{"own", 0, 7}}));
      }
    }
  }
}

TEST(Workers, ReportAStepAsAShareOfItsTotal) {
  for (int threads : {1, 3}) {
    std::vector<Told> told;
    Workers workers(threads, {}, [&](const char* phase, std::uint64_t done, std::uint64_t total) {
      told.emplace_back(phase, done, total);
      return true;
    });
    workers.tell_steps();
    workers.step("edges", 12345);
    workers.each(50, 1,
                 [](std::uint64_t, std::uint64_t, int) { std::this_thread::sleep_for(std::chrono::milliseconds(10)); });
    workers.end_phase();
    ASSERT_GT(told.size(), 1u);
    EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
    for (const auto& [phase, done, total] : told) {
      EXPECT_EQ(total, 12345u);
      const double loops = static_cast<double>(done) * 50 / 12345;
      EXPECT_NEAR(loops, std::round(loops), 0.01);
    }
    EXPECT_EQ(std::get<1>(told.back()), 12345u);
  }
}

TEST(Workers, ReportWhileALoopGoesOn) {
  for (int threads : {1, 3}) {
    constexpr std::uint64_t kChunks = 100;
    std::vector<Told> told;
    const std::thread::id caller = std::this_thread::get_id();
    Workers workers(threads, {}, [&](const char* phase, std::uint64_t done, std::uint64_t total) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      told.emplace_back(phase, done, total);
      return true;
    });
    workers.phase("loop", Workers::kNextLoop);
    workers.each(2 * kChunks, 2,
                 [](std::uint64_t, std::uint64_t, int) { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
    workers.end_phase();
    ASSERT_GT(told.size(), 1u);
    EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));  // never back
    for (const auto& [phase, done, total] : told) EXPECT_EQ(total, 2 * kChunks);
    EXPECT_LT(std::get<1>(told.front()), 2 * kChunks);
    EXPECT_EQ(std::get<1>(told.back()), 2 * kChunks);
  }
}

TEST(Workers, AreCancelledByAReport) {
  int num_told = 0;
  Workers workers(2, {}, [&](const char*, std::uint64_t, std::uint64_t) { return ++num_told < 2; });
  workers.phase("first", 1);
  workers.phase("second", 2);
  EXPECT_THROW(workers.phase("third", 3), Cancelled);
  EXPECT_THROW(workers.end_phase(), Cancelled);
  EXPECT_EQ(num_told, 2);
}

TEST(Workers, WorkInAForkedChild) {
  Workers workers(2);
  const auto sum = [](Workers& lent) {
    std::atomic<std::uint64_t> total{0};
    lent.each(1000, 1, [&](std::uint64_t i, std::uint64_t, int) { total += i; });
    return total.load();
  };
  ASSERT_EQ(sum(workers), 499500u);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a hang ends as a failure
    Workers fresh(2);
    _exit(fresh.size() == 2 && sum(fresh) == 499500u && sum(workers) == 499500u ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(FindFirst, FindsTheSmallest) {
  Workers workers(3);
  EXPECT_EQ(find_first(1000000, workers, [](std::uint64_t i) { return i >= 300001; }), 300001u);
  EXPECT_EQ(find_first(1000000, workers, [](std::uint64_t) { return false; }), 1000000u);
}

}  // namespace
}  // namespace gaspipe
