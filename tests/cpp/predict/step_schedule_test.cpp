// SPDX-License-Identifier: Apache-2.0
// Super-steps whose times can be counted by hand.
#include "../../../cpp/src/predict/step_schedule.h"

#include <gtest/gtest.h>

namespace gaspipe {
namespace predict {
namespace {

// Kernels that move nothing.
KernelRun takes(double seconds) { return {seconds, {}}; }

StepPlan plan(std::vector<std::vector<KernelRun>> launches, std::vector<std::vector<KernelRun>> applies,
              double launch_seconds = 0) {
  return {std::move(launches), std::move(applies), launch_seconds, 100};
}

TEST(StepSchedule, UnitsRunSideBySideAndApplyComesAfterTheSlowest) {
  const StepTime time = schedule_step(plan({{takes(3), takes(5)}}, {{takes(2)}}));
  EXPECT_DOUBLE_EQ(time.scatter_gather_seconds, 5);
  EXPECT_DOUBLE_EQ(time.seconds, 7);
  EXPECT_DOUBLE_EQ(time.unit_seconds[0], 3);
  EXPECT_DOUBLE_EQ(time.unit_seconds[1], 5);
  EXPECT_DOUBLE_EQ(time.apply_seconds, 2);
}

TEST(StepSchedule, ApplyOfAPartitionRunsBesideTheNextPartitionsKernels) {
  // Unit 0: 3, then 3; unit 1: 5, then 1. The first apply may start at 5, the second at 6 and after the first.
  const StepTime time = schedule_step(plan({{takes(3), takes(5)}, {takes(3), takes(1)}}, {{takes(2)}, {takes(2)}}));
  EXPECT_DOUBLE_EQ(time.scatter_gather_seconds, 6);
  EXPECT_DOUBLE_EQ(time.seconds, 9);
}

TEST(StepSchedule, AUnitDoesNotWaitForTheOthers) {
  // Unit 0 is through with both of its kernels before unit 1 has ended its first.
  const StepTime time = schedule_step(plan({{takes(1), takes(5)}, {takes(1), takes(1)}}, {{takes(0.5)}, {takes(0.5)}}));
  EXPECT_DOUBLE_EQ(time.scatter_gather_seconds, 6);
  EXPECT_DOUBLE_EQ(time.seconds, 6.5);
}

TEST(StepSchedule, EveryKernelWaitsForItsLaunch) {
  // Launch 1 and kernel 3, twice; apply of the first at 4 + 1, of the second at 8 + 1.
  const StepTime time = schedule_step(plan({{takes(3)}, {takes(3)}}, {{takes(2)}, {takes(2)}}, 1));
  EXPECT_DOUBLE_EQ(time.scatter_gather_seconds, 8);
  EXPECT_DOUBLE_EQ(time.seconds, 11);
  EXPECT_DOUBLE_EQ(time.unit_seconds[0], 6);
}

TEST(StepSchedule, ApplyWaitsForTheHost) {
  // Launch 1 and kernel 3; apply's launch at 4, or when the host is through.
  for (const auto& [host, ends] : {std::pair<double, double>(3.5, 7), {4, 7}, {6, 9}, {20, 23}}) {
    StepPlan waits = plan({{takes(3)}}, {{takes(2)}}, 1);
    waits.host_seconds = host;
    const StepTime time = schedule_step(waits);
    EXPECT_DOUBLE_EQ(time.scatter_gather_seconds, 4);
    EXPECT_DOUBLE_EQ(time.seconds, ends);
    EXPECT_DOUBLE_EQ(time.apply_seconds, 2);
  }
  // Gather-scatter of the second partition goes on meanwhile.
  StepPlan waits = plan({{takes(3)}, {takes(3)}}, {{takes(2)}, {takes(2)}});
  waits.host_seconds = 5;
  EXPECT_DOUBLE_EQ(schedule_step(waits).scatter_gather_seconds, 6);
  EXPECT_DOUBLE_EQ(schedule_step(waits).seconds, 9);
}

TEST(StepSchedule, WhatIsNotLaunchedTakesNoTime) {
  const StepTime time = schedule_step(plan({{takes(0), takes(4)}, {takes(2), takes(0)}}, {{takes(1)}, {takes(1)}}, 1));
  // Unit 1 ends at 5, unit 0 at 3. The first apply: 5 + 1 to 7; the second: to 9.
  EXPECT_DOUBLE_EQ(time.scatter_gather_seconds, 5);
  EXPECT_DOUBLE_EQ(time.seconds, 9);
}

TEST(StepSchedule, KernelsThatShareAChannelSlowDownTogether) {
  // A channel delivers 100 a second. Apply asks for 60 and the second kernel for 60: each runs at 100 / 120.
  const StepPlan shared = {{{{1, {100.0}}}, {{6, {360.0}}}}, {{{3, {180.0}}}, {}}, 0, 100};
  const StepTime time = schedule_step(shared);
  // Both start at 1. Apply is done after 3 * 1.2 = 3.6; the kernel then has 6 - 3 = 3 left, alone.
  EXPECT_DOUBLE_EQ(time.scatter_gather_seconds, 1 + 3.6 + 3);
  EXPECT_DOUBLE_EQ(time.seconds, 7.6);
}

TEST(StepSchedule, OtherChannelsAreNotSlowed) {
  const StepPlan apart = {{{{1, {100.0, 0}}}, {{6, {600.0, 0}}}}, {{{3, {0, 300.0}}}, {}}, 0, 100};
  EXPECT_DOUBLE_EQ(schedule_step(apart).seconds, 7);
}

TEST(StepSchedule, NothingTakesNoTime) {
  EXPECT_DOUBLE_EQ(schedule_step(plan({}, {})).seconds, 0);
  EXPECT_DOUBLE_EQ(schedule_step(plan({{takes(0)}}, {{}})).seconds, 0);
}

}  // namespace
}  // namespace predict
}  // namespace gaspipe
