// SPDX-License-Identifier: Apache-2.0
// The array of PEs against a queue: CEL-18 of the seeds' checklist.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "hls/emulator/engine.h"
#include "hls/local_store/dispatch.h"
#include "tests/hls/kernel/searches.h"

namespace gaspipe {
namespace {

using pe_array::DeviceLists;
using testing::expect_tree;
using testing::Found;
using testing::Named;
using testing::values;

Found search(const DeviceLists& lists, VertexId root, const char* execution = "exact", const char* board = "u250") {
  RunOptions options;
  options.device = std::string("emulator:") + board;
  options.execution = execution;
  options.workers = lists.num_pes();
  return pe_array::run(testing::borrowed(lists), root, options);
}
DeviceLists lists_of(const Csr& csr, int num_pes) {
  Workers workers(1);
  return DeviceLists(csr, num_pes, workers);
}

// CEL-18
TEST(LocalStoreBfs, FindsTheLevelsOfAQueueWithTwoFourAndEightPes) {
  for (const Named& graph : testing::graphs()) {
    for (const int num_pes : {2, 4, 8}) {
      const DeviceLists lists = lists_of(graph.csr, num_pes);
      const VertexId root = std::min<VertexId>(num_pes == 4 ? 5 : 0, graph.csr.num_rows - 1);
      SCOPED_TRACE(std::string(graph.name) + ", PEs: " + std::to_string(num_pes) + ", root " + std::to_string(root));
      const Found exact = search(lists, root);
      EXPECT_EQ(values(exact.depth), testing::plain_levels(graph.csr, root));
      expect_tree(graph.csr, root, exact);
      for (const char* const execution : {"shallow", "fast"}) {
        const Found other = search(lists, root, execution);
        EXPECT_EQ(values(other.depth), values(exact.depth)) << execution;
        EXPECT_EQ(values(other.profile().parent), values(exact.profile().parent)) << execution;
      }
    }
  }
}

// Delays and orders of tasks and replies change no parent.
TEST(LocalStoreBfs, DependsOnNoTiming) {
  const Csr csr = testing::csr_of(701, testing::random_edges(701, 9000, 4));
  const DeviceLists lists = lists_of(csr, 4);
  const Found plain = search(lists, 0);
  emulator::Options& options = emulator::Engine::current_options();
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    options.disorder = {seed, 9, 300};
    const Found other = search(lists, 0, seed % 2 == 0 ? "exact" : "shallow");
    options.disorder = {};
    EXPECT_EQ(values(other.depth), values(plain.depth));
    EXPECT_EQ(values(other.profile().parent), values(plain.profile().parent));
  }
}

// The bound that exchange.h derives is needed: with fewer places, a sender's period can fill a stream that its receiver
// does not read yet.
TEST(LocalStoreBfs, DeadlocksWithStreamsThatHoldNoWholePeriod) {
  testing::Edges edges;
  for (VertexId v = 0; v < 2000; ++v) edges.insert(edges.end(), {{0, v}, {1000, v}, {v, 1999 - v}});
  const Csr csr = testing::csr_of(2000, edges);
  const DeviceLists lists = lists_of(csr, 2);
  emulator::Options& options = emulator::Engine::current_options();
  const auto with_depth = [&](std::uint32_t depth) {
    options.depths = {{"wires", depth}};
    const auto restore = [&] { options.depths.clear(); };
    try {
      const Found run = search(lists, 0);
      restore();
      EXPECT_EQ(values(run.depth), testing::plain_levels(csr, 0));
      return true;
    } catch (const DeviceError& error) {
      restore();
      EXPECT_NE(std::string(error.what()).find("deadlock"), std::string::npos) << error.what();
      return false;
    }
  };
  EXPECT_TRUE(with_depth(kPeriodTokens));
  EXPECT_FALSE(with_depth(8));
}

// Loading, computing and storing of different periods share the time of a level.
TEST(LocalStoreBfs, LoadsComputesAndStoresAtATime) {
  const Csr csr = testing::csr_of(4000, testing::random_edges(4000, 120'000, 5));
  const Found run = search(lists_of(csr, 4), 0);
  const Prediction& prediction = *run.stats.prediction;
  std::uint64_t cycles = 0, load = 0, compute = 0;
  for (const std::uint64_t level : run.profile().level_cycles) cycles += level;
  for (const TaskUse& task : prediction.tasks) {
    const std::uint64_t time = task.busy + task.waited_memory;
    if (task.name.rfind("loadLists", 0) == 0) load = std::max(load, time);
    if (task.name.rfind("markCodes", 0) == 0) compute = std::max(compute, time);
  }
  EXPECT_GT(load, cycles / 4);
  EXPECT_GT(compute, cycles / 2);
  EXPECT_LT(cycles, load + compute);
  // Four PEs mark four codes a cycle at the most.
  EXPECT_GE(cycles, csr.num_edges() / 4);
  EXPECT_EQ(prediction.steps.size(), run.profile().level_cycles.size());
  EXPECT_EQ(run.stats.supersteps.edges(), csr.num_edges());
}

TEST(LocalStoreBfs, RefusesWhatABoardDoesNotHold) {
  const Csr small = testing::csr_of(10, {{0, 1}});
  const auto error_of = [](const auto& f) -> std::string {
    try {
      f();
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_NE(error_of([&] { lists_of(small, 3); }).find("2, 4 or 8"), std::string::npos);
  const Csr large = testing::csr_of(1u << 23, {{0, 1}});
  const auto lists = lists_of(large, 2);
  const std::string queue = error_of([&] { search(lists, 0, "fast", "u50"); });
  EXPECT_NE(queue.find("take 269484160 bytes of u50's memory, and 268435456"), std::string::npos) << queue;
  EXPECT_NE(queue.find("more workers"), std::string::npos) << queue;
  EXPECT_EQ(search(lists, 0, "fast", "u250").depth[1], 1);
  EXPECT_NE(error_of([&] { search(lists_of(small, 2), 10); }).find("root is 10"), std::string::npos);
}

}  // namespace
}  // namespace gaspipe
