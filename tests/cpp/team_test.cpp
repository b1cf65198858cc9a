// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/team.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "cpp/src/spin.h"
#include "gaspipe/workers.h"

namespace gaspipe {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

// Calls f(worker) on the team.
template <class F>
void run(Team& team, int num_workers, F&& f) {
  team.run(
      num_workers, [](void* context, int worker) { (*static_cast<F*>(context))(worker); }, &f, [](void*) {});
}

// Until it happens, or for 20 s.
template <class Condition>
bool eventually(const Condition& condition) {
  const auto end = steady_clock::now() + seconds(20);
  while (!condition()) {
    if (steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

// Runs loops until every worker has taken part in one; the machine may be too busy for that at first.
bool all_take_part(Team& team) {
  return eventually([&] {
    std::atomic<int> here{0};
    const int wanted = team.num_helpers() + 1;
    run(team, wanted, [&](int) {
      ++here;
      const auto end = steady_clock::now() + milliseconds(50);
      while (here < wanted && steady_clock::now() < end) std::this_thread::yield();
    });
    return here == wanted;
  });
}

TEST(Team, CallsEveryWorkerAtMostOnce) {
  Team team(3);
  ASSERT_EQ(team.num_helpers(), 3);
  for (int loop = 0; loop < 2000; ++loop) {
    std::atomic<int> calls[4] = {};
    const int num_workers = 1 + loop % 4;
    run(team, num_workers, [&](int worker) {
      ASSERT_TRUE(worker >= 0 && worker < num_workers);
      ++calls[worker];
    });
    EXPECT_EQ(calls[0], 1);
    for (const auto& count : calls) EXPECT_LE(count, 1);
  }
}

TEST(Team, TakesPart) {
  Team team(2);
  EXPECT_TRUE(all_take_part(team));
  std::this_thread::sleep_for(milliseconds(20));  // asleep by now
  EXPECT_TRUE(all_take_part(team));
  std::this_thread::sleep_for(milliseconds(20));
  team.wake();
  EXPECT_TRUE(all_take_part(team));
}

TEST(Team, WaitsForHelpersThatAreInside) {
  Team team(1);
  ASSERT_TRUE(eventually([&] {
    std::atomic<bool> inside{false}, done{false};
    run(team, 2, [&](int worker) {
      if (worker == 1) {
        inside = true;
        std::this_thread::sleep_for(milliseconds(30));  // longer than anybody spins
        done = true;
      } else {
        const auto end = steady_clock::now() + milliseconds(50);
        while (!inside && steady_clock::now() < end) std::this_thread::yield();
      }
    });
    EXPECT_EQ(inside, done);
    return inside.load();
  }));
}

TEST(Team, DoesNotWaitForHelpersThatHaveNotEntered) {
  Team team(1);
  constexpr int kLoops = 200;
  int own = 0;
  std::atomic<int> joined{0};
  for (int i = 0; i < kLoops; ++i) {
    std::this_thread::sleep_for(milliseconds(1));  // the helper sleeps; the loop is over before it could be awake
    run(team, 2, [&](int worker) { worker == 0 ? ++own : ++joined; });
  }
  EXPECT_EQ(own, kLoops);
  EXPECT_LT(joined, kLoops);
}

TEST(Team, AreBorrowedByManyThreadsAtOnce) {
  std::atomic<std::uint64_t> total{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        Workers workers(3);
        workers.each(10, 1, [&](std::uint64_t first, std::uint64_t, int) { total += first; });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total, 4u * 200 * 45);
}

// Runs `body` in a forked child, and returns what it returns.
template <class Body>
int in_child(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // a hang ends as a failure
    _exit(body());
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Team, ShrinksWhereTheSystemMakesNoMoreThreads) {
  const int verdict = in_child([] {
    const rlimit limit{1, 1};
    if (setrlimit(RLIMIT_NPROC, &limit) != 0) return 1;
    if (getuid() == 0 && setuid(65534) != 0) return 1;  // the limit is not for root
    Workers workers(64);
    workers.assemble();
    if (workers.size() != 1) return 2;
    std::atomic<std::uint64_t> total{0};
    workers.each(1000, 1, [&](std::uint64_t first, std::uint64_t, int) { total += first; });
    return total == 499500u ? 0 : 3;
  });
  EXPECT_EQ(verdict, 0);
}

TEST(Team, OfAParentDoesNoHarmInAForkedChild) {
  Team team(2);
  ASSERT_TRUE(all_take_part(team));
  const int verdict = in_child([&] {
    int calls = 0;
    for (int i = 0; i < 100; ++i) run(team, 3, [&](int worker) { calls += worker == 0; });
    Team fresh(2);
    return calls == 100 && fresh.num_helpers() == 2 && all_take_part(fresh) ? 0 : 1;
  });
  EXPECT_EQ(verdict, 0);
  EXPECT_TRUE(all_take_part(team));
}

TEST(Team, HelpersTakeNoSignals) {
  Team team(1);
  std::atomic<bool> blocks{false};
  ASSERT_TRUE(eventually([&] {
    std::atomic<bool> inside{false};
    run(team, 2, [&](int worker) {
      if (worker == 1) {
        sigset_t set;
        pthread_sigmask(SIG_BLOCK, nullptr, &set);
        blocks = sigismember(&set, SIGINT) == 1 && sigismember(&set, SIGTERM) == 1;
        inside = true;
      } else {
        const auto end = steady_clock::now() + milliseconds(50);
        while (!inside && steady_clock::now() < end) std::this_thread::yield();
      }
    });
    return inside.load();
  }));
  EXPECT_TRUE(blocks);
}

TEST(Cores, TellWhetherAnotherThreadNeedsThisOne) {
  std::thread([] {
    cpu_set_t all, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    Cores cores(3);
    EXPECT_FALSE(cores.share(0));
    EXPECT_FALSE(cores.share(0));  // with itself
    EXPECT_TRUE(cores.share(2));
    EXPECT_TRUE(cores.share(0));
  }).join();
}

TEST(LeaveCore, MovesToAnotherAllowedCoreAndAllowsAllAgain) {
  std::thread([] {
    cpu_set_t all, one, after;
    ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
    if (CPU_COUNT(&all) > 1) {
      EXPECT_TRUE(eventually([] {  // the scheduler may bring it back before this looks
        const int core = sched_getcpu();
        return leave_core(core) && sched_getcpu() != core;
      }));
      ASSERT_EQ(sched_getaffinity(0, sizeof(after), &after), 0);
      EXPECT_TRUE(CPU_EQUAL(&after, &all));
    }
    EXPECT_FALSE(leave_core(-1));
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    EXPECT_FALSE(leave_core(sched_getcpu()));
    ASSERT_EQ(sched_getaffinity(0, sizeof(after), &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&after, &one));
  }).join();
}

TEST(SleepWhile, IsCountedAsTimeSlept) {
  std::atomic<std::uint32_t> word{7};
  const timespec interval{0, 10'000'000};
  const auto before = time_slept();
  sleep_while(word, 8, &interval);  // no longer 8: it returns at once
  EXPECT_LT(time_slept() - before, milliseconds(10));
  const auto middle = time_slept();
  sleep_while(word, 7, &interval);
  EXPECT_GE(time_slept() - middle, milliseconds(9));
}

// Contention, on a clock of the test's own.

SteadyTime at(int ms) { return SteadyTime(seconds(1000)) + milliseconds(ms); }

TEST(Contention, RisesWhereMuchIsLostInAShortTime) {
  Contention contention;
  EXPECT_FALSE(contention.is_high(at(0)));
  contention.report(milliseconds(2), at(0));
  contention.report(milliseconds(2), at(5));
  EXPECT_FALSE(contention.is_high(at(5)));
  contention.report(milliseconds(2), at(10));
  EXPECT_TRUE(contention.is_high(at(11)));
  EXPECT_TRUE(contention.is_high(at(29)));
  EXPECT_FALSE(contention.is_high(at(31)));
}

TEST(Contention, IgnoresALossNowAndThen) {
  Contention contention;
  for (int ms = 0; ms < 1000; ms += 25) {
    contention.report(milliseconds(3), at(ms));
    EXPECT_FALSE(contention.is_high(at(ms)));
  }
}

TEST(Contention, PausesLongerEachTimeUntilItIsQuiet) {
  Contention contention;
  int now = 0, last = 0;
  for (int time = 0; time < 8; ++time) {
    contention.report(milliseconds(5), at(now));
    int end = now;
    while (contention.is_high(at(end))) ++end;
    EXPECT_GE(end - now, last);
    EXPECT_LE(end - now, 1000);
    last = end - now;
    now = end + 25;
  }
  EXPECT_EQ(last, 1000);
  contention.report({}, at(now));
  contention.report({}, at(now + 25));  // nothing in a whole window
  contention.report(milliseconds(5), at(now + 50));
  EXPECT_TRUE(contention.is_high(at(now + 60)));
  EXPECT_FALSE(contention.is_high(at(now + 75)));
}

TEST(LostTime, IsWhatAThreadDoesNotGet) {
  LostTime lost;
  const auto start = steady_clock::now();
  lost.restart(start);
  std::this_thread::sleep_for(milliseconds(30));  // as good as being switched out
  const auto end = steady_clock::now();
  const auto taken = lost.take(end);
  EXPECT_GE(taken, milliseconds(25));
  EXPECT_LE(taken, end - start);
  EXPECT_EQ(lost.start(), end);
}

}  // namespace
}  // namespace gaspipe
