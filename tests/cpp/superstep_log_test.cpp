// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/superstep_log.h"

#include <gtest/gtest.h>

namespace gaspipe {
namespace {

TEST(SuperstepLog, KeepsTheFirstAndTheLastAndCountsAll) {
  constexpr std::uint64_t kept = SuperstepLog::kKept;
  for (std::uint64_t size :
       {std::uint64_t(0), std::uint64_t(1), kept, kept + 1, 2 * kept, 2 * kept + 1, 5 * kept + 7}) {
    SuperstepLog log;
    for (std::uint64_t step = 0; step < size; ++step) {
      log.add({abi::kPushStep, 2 * step, 3 * step, 0, 0});
      ASSERT_EQ(log.back().step, step);
      ASSERT_EQ(log.back().active_vertices, 2 * step);
    }
    SuperstepLog joined = log;
    joined.join(log);
    EXPECT_EQ(joined.size(), size);
    EXPECT_EQ(joined.edges(), 2 * log.edges());
    EXPECT_EQ(log.size(), size);
    EXPECT_EQ(log.empty(), size == 0);
    EXPECT_EQ(log.edges(), size == 0 ? 0 : 3 * (size * (size - 1) / 2));
    const auto records = log.records(), of_two = joined.records();
    ASSERT_EQ(records.size(), std::min(size, 2 * kept));
    for (std::uint64_t i = 0; i < records.size(); ++i) {
      const std::uint64_t step = i < kept ? i : size - records.size() + i;
      ASSERT_EQ(records[i].step, step);
      ASSERT_EQ(records[i].edges, 3 * step);
      ASSERT_EQ(of_two[i].active_vertices, 4 * step);
    }
  }
}

}  // namespace
}  // namespace gaspipe
