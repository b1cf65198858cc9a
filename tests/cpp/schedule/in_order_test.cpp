// SPDX-License-Identifier: Apache-2.0
// Making schedules: the scheduler that changes nothing, and those that are refused.
#include <gtest/gtest.h>

#include "gaspipe/error.h"
#include "tests/cpp/schedule/schedulers.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

std::shared_ptr<const Partitioning> two_by_three() {
  return partitioning_of({{{0, 9, 10}, {10, 19, 10}, {20, 29, 10}}, {{0, 9, 10}, {10, 19, 10}, {20, 29, 10}}}, 128);
}

std::string error_of(const Scheduler& scheduler) {
  try {
    make_schedule(scheduler, *two_by_three());
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(InOrder, KeepsTheOrderOfThePartitioner) {
  const Schedule schedule = make_schedule(make_scheduler("in_order"), *two_by_three());
  EXPECT_EQ(schedule.partitions, (Ids{0, 1}));
  EXPECT_EQ(schedule.units, (std::vector<Ids>{{0, 1, 2}, {0, 1, 2}}));
}

TEST(Scheduler, IsCalledInTheOrderOfItsParts) {
  std::string calls;
  const Scheduler scheduler = {[&](const Partitioning& all) { calls += message("init ", all.size(), "; "); },
                               [&](const Partition& part) {
                                 calls += message("partition ", part.index(), "; ");
                                 return part.index() == 0 ? Ids{2, 0, 1} : Ids{1, 2, 0};
                               },
                               [&](const Partitioning&) {
                                 calls += "order";
                                 return Ids{1, 0};
                               }};
  const Schedule schedule = make_schedule(scheduler, *two_by_three());
  EXPECT_EQ(calls, "init 2; partition 0; partition 1; order");
  EXPECT_EQ(schedule.partitions, (Ids{1, 0}));
  EXPECT_EQ(schedule.units, (std::vector<Ids>{{2, 0, 1}, {1, 2, 0}}));
}

TEST(Scheduler, IsRefusedForWhatIsNoPermutation) {
  const auto returning = [](const Ids& units, const Ids& partitions) {
    return error_of({[](const Partitioning&) {}, [units](const Partition&) { return units; },
                     [partitions](const Partitioning&) { return partitions; }});
  };
  EXPECT_EQ(returning({2, 1, 0}, {1, 0}), "no error");
  EXPECT_EQ(returning({0, 1}, {0, 1}),
            "the scheduler returned 2 ids as the compute units of partition 0's sub-partitions; 3 are needed");
  EXPECT_EQ(returning({0, 3, 1}, {0, 1}),
            "the scheduler returned 3 among the compute units of partition 0's sub-partitions; ids go from 0 to 2");
  EXPECT_EQ(
      returning({0, 1, 1}, {0, 1}),
      "the scheduler returned 1 twice among the compute units of partition 0's sub-partitions; each is needed once");
  EXPECT_EQ(returning({0, 1, 2}, {0, 0}),
            "the scheduler returned 0 twice among the order of the partitions; each is needed once");
  EXPECT_EQ(returning({0, 1, 2}, {}), "the scheduler returned 0 ids as the order of the partitions; 2 are needed");
}

TEST(Scheduler, IsRefusedWithoutOneOfItsParts) {
  for (int part = 0; part < 3; ++part) {
    Scheduler scheduler = make_scheduler("in_order");
    if (part == 0) scheduler.init = nullptr;
    if (part == 1) scheduler.arrange_sub_partitions = nullptr;
    if (part == 2) scheduler.arrange_partitions = nullptr;
    EXPECT_NE(error_of(scheduler).find("three parts"), std::string::npos) << part;
  }
}

TEST(Scheduler, IsFoundByItsName) {
  std::vector<std::string> names;
  for (const NamedScheduler& scheduler : schedulers()) names.emplace_back(scheduler.name);
  EXPECT_EQ(names, (std::vector<std::string>{"equal_cycles", "in_order", "longest_first"}));
  EXPECT_THROW(make_scheduler("fastest"), InputError);
  const Graph graph = graph_of(4, {{0, 1}});
  for (const char* device : {"cpu", "emulator"}) {
    RunOptions options;
    options.device = device;
    options.scheduler = "fastest";
    EXPECT_THROW(run(find_program("bfs"), graph, {}, options), InputError) << device;
  }
}

}  // namespace
}  // namespace gaspipe
