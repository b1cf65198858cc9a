// SPDX-License-Identifier: Apache-2.0
// Where the time of a run goes: named phases that add up to its seconds.
#include "gaspipe/phases.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "gaspipe/run.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

double sum_of(const PhaseSeconds& phases) { return std::accumulate(phases.begin(), phases.end(), 0.0); }

TEST(Phases, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const char* name : kPhaseNames) names.insert(name);
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kNumRunPhases));
  EXPECT_EQ(names.count(""), 0u);
}

TEST(Phases, AddUpToTheSecondsOfARun) {
  const VertexId n = 20000;
  const Graph graph = graph_of(n, random_edges(n, 400000, 3));
  for (const NamedProgram& program : programs()) {
    Arguments arguments;
    if (program.name == std::string("spmv")) arguments["x"] = array(std::vector<double>(n, 1.0));
    if (program.name == std::string("closeness")) arguments["vertices"] = array<std::int64_t>({0, 1, 2});
    if (std::string(program.name).find("rank") != std::string::npos) {
      arguments = {{"max_iter", std::int64_t(4)}, {"tol", 0.0}};
    }
    for (const char* method : {"auto", "gas"}) {
      RunOptions options;
      options.method = method;
      options.num_threads = 2;
      const Stats stats = run(*program.table(), graph, arguments, options).stats;
      EXPECT_NEAR(sum_of(stats.phases), stats.seconds, std::max(0.05 * stats.seconds, 1e-3)) << program.name << method;
      for (int phase = 0; phase < kNumRunPhases; ++phase) EXPECT_GE(stats.phases[phase], 0) << kPhaseNames[phase];
      double of_steps = 0;
      for (const auto& step : stats.supersteps.records()) {
        of_steps += std::accumulate(std::begin(step.seconds), std::end(step.seconds), 0.0);
      }
      EXPECT_NEAR(of_steps,
                  stats.phases[abi::kScatterGather] + stats.phases[abi::kApply] + stats.phases[abi::kFrontier], 1e-6);
    }
  }
}

// The graph's transposed rows are made in the first pull: that is preparation, and no phase.
TEST(Phases, LeaveOutWhatIsPrepared) {
  const VertexId n = 20000;
  const Graph graph = graph_of(n, random_edges(n, 400000, 4));
  RunOptions options;
  options.method = "gas";
  const Stats first = run(find_program("bfs"), graph, {}, options).stats;
  EXPECT_GT(first.prepare_seconds, 0);
  EXPECT_NEAR(sum_of(first.phases), first.seconds, std::max(0.05 * first.seconds, 1e-3));
}

TEST(Phases, TellOfAttemptsInAFinerScale) {
  // All but one vertex lead to the last, whose rank does not fit the finest scale.
  Edges star;
  for (VertexId v = 0; v + 1 < 3000; ++v) star.emplace_back(v, 2999);
  RunOptions options;
  options.number = "fixed";
  const Stats stats = run(find_program("pagerank"), graph_of(3000, star), {}, options).stats;
  ASSERT_GT(stats.attempts, 1);
  EXPECT_GT(stats.phases[kEarlierAttempts], 0);
  EXPECT_NEAR(sum_of(stats.phases), stats.seconds, std::max(0.05 * stats.seconds, 1e-3));
}

}  // namespace
}  // namespace gaspipe
