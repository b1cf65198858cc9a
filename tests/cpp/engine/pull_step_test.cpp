// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/engine/pull_step.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

TEST(PullStep, MultipliesWithTheRowsAsTheyAre) {
  const VertexId n = 9000;
  for (const bool weighted : {false, true}) {
    Csr csr = csr_of(n, random_edges(n, 60000, 13));
    std::mt19937 random(2);
    std::vector<std::int32_t> weights, x;
    for (EdgeCount e = 0; e < csr.num_edges(); ++e) weights.push_back(static_cast<std::int32_t>(random()));
    for (VertexId v = 0; v < n; ++v) x.push_back(static_cast<std::int32_t>(random()));
    if (weighted) csr.weights = array(weights);
    std::vector<std::int32_t> expected;
    for (VertexId v = 0; v < n; ++v) {
      std::uint32_t sum = 0;
      for (EdgeCount e = csr.offsets[v]; e < csr.offsets[std::size_t(v) + 1]; ++e) {
        sum += (weighted ? static_cast<std::uint32_t>(weights[e]) : 1u) * static_cast<std::uint32_t>(x[csr.targets[e]]);
      }
      expected.push_back(static_cast<std::int32_t>(sum));
    }
    const Graph graph(csr);
    for (const int threads : {1, 2, 7}) {
      RunOptions options;
      options.num_threads = threads;
      options.number = "int32";
      const Array<std::int32_t> given = array(x);
      const Result result = run(find_program("spmv"), graph, {{"x", given}}, options);
      EXPECT_EQ(list(given), x) << "read where it is, and only read";
      EXPECT_EQ(values_of<std::int32_t>(result), expected);
      ASSERT_EQ(result.stats.supersteps.size(), 1u);
      EXPECT_EQ(result.stats.supersteps.records()[0].kind, abi::kPullStep);
      options.method = "gas";
      EXPECT_EQ(values_of<std::int32_t>(run(find_program("spmv"), graph, {{"x", array(x)}}, options)), expected);
    }
  }
}

// Adds up the odd ones of the sources' numbers, and the out-degree.
template <class Number>
struct OddHooks {
  using Property = Number;
  static constexpr Property kIdentity = 0;
  static constexpr bool kReadsEdgeProperty = true;
  static bool isActive(Property update) { return update % 2 == 1; }
  static Property preprocessProperty(Property p) { return p; }
  static Property scatterFunc(Property p, Property weight) { return p * weight; }
  static Property updateMergeInRAWSolver(Property a, Property b) { return a + b; }
  static Property gatherFunc(Property a, Property b) { return a + b; }
  static Property applyMerge(Property a, Property b) { return a + b; }
  static Property applyFunc(Property tProp, Property source, Property out_degree, unsigned& extra, unsigned) {
    extra += tProp != 0;
    return 3 * source + tProp + 1000 * out_degree;
  }
};
template <class Number>
struct OddProgram {
  using Hooks = OddHooks<Number>;
  using Value = std::uint32_t;
  const Context<NoParameters>& context;
  Number initial(VertexId v) const { return v; }
  Until until(int step, const std::uint64_t* sums) const {
    EXPECT_GT(sums[0], 0u);
    return step == 2 ? Until::kDone : Until::kGoOn;
  }
  Value finish(Number p, VertexId) const { return p; }
};

bool are_all(const Result& result, abi::StepKind kind) {
  const auto steps = result.stats.supersteps.records();
  return std::all_of(steps.begin(), steps.end(), [&](const auto& step) { return step.kind == kind; });
}

// Short rows and long ones, of all lengths around those of the loop.
Csr fans(VertexId num_vertices) {
  Edges edges = random_edges(num_vertices, 3 * std::size_t(num_vertices), 5);
  for (VertexId v = 0; v < 40; ++v) {
    for (VertexId i = 0; i < v; ++i) edges.emplace_back((17 * i + v) % num_vertices, v);
  }
  return csr_of(num_vertices, edges);
}

TEST(PullStep, GathersWhatArrivesWithDegreesWeightsAndInactiveUpdates) {
  const VertexId n = 2000;
  Csr csr = fans(n);
  std::mt19937 random(8);
  std::vector<std::int32_t> weights;
  for (EdgeCount e = 0; e < csr.num_edges(); ++e) weights.push_back(static_cast<std::int32_t>(random() % 1000));
  csr.weights = array(weights);
  std::vector<std::uint32_t> expected;
  for (VertexId v = 0; v < n; ++v) expected.push_back(v);
  for (int step = 0; step < 3; ++step) {
    std::vector<std::uint32_t> next;
    for (VertexId v = 0; v < n; ++v) next.push_back(3 * expected[v] + 1000 * static_cast<std::uint32_t>(csr.degree(v)));
    for (VertexId v = 0; v < n; ++v) {
      for (EdgeCount e = csr.offsets[v]; e < csr.offsets[std::size_t(v) + 1]; ++e) {
        const std::uint32_t update = expected[v] * static_cast<std::uint32_t>(weights[e]);
        if (update % 2 == 1) next[csr.targets[e]] += update;
      }
    }
    expected = next;
  }
  const auto& program = program_of<OddProgram, std::uint32_t>("odd");
  for (const int threads : {1, 2, 7}) {
    RunOptions options;
    options.num_threads = threads;
    const Result result = run(program, Graph(csr), {}, options);
    EXPECT_EQ(values_of<std::uint32_t>(result), expected);
    EXPECT_TRUE(are_all(result, abi::kPullStep));
    EXPECT_EQ(values_of<std::uint32_t>(run(program, Graph(csr), {}, gas(512, 2, threads))), expected);
  }
}

TEST(PullStep, IsForWhatPartitionsWouldNotGain) {
  const VertexId n = 1 << 17;
  const std::uint64_t all = n * sizeof(std::uint32_t);  // bytes of properties
  const auto& program = program_of<OddProgram, std::uint32_t>("odd");
  Edges chain, hubs;
  for (VertexId v = 0; v + 1 < n; ++v) chain.emplace_back(v, v + 1);
  for (const auto& [source, target] : random_edges(n, n, 3)) hubs.emplace_back(source % 512, target);
  RunOptions options;
  options.near_bytes = all / 2;
  EXPECT_TRUE(are_all(run(program, graph_of(n, chain), {}, options), abi::kPullStep));
  const Graph long_runs = graph_of(n, hubs), short_runs = graph_of(n, random_edges(n, 4 * n, 3));
  EXPECT_TRUE(are_all(run(program, long_runs, {}, options), abi::kGasStep));
  EXPECT_TRUE(are_all(run(program, short_runs, {}, options), abi::kGasStep));
  EXPECT_TRUE(are_all(run(program, graph_of(n / 4, random_edges(n / 4, n / 4, 3)), {}, options), abi::kPullStep));
  options.near_bytes = all;
  EXPECT_TRUE(are_all(run(program, short_runs, {}, options), abi::kPullStep)) << "all properties are near";
  options.near_bytes = all - 1;
  EXPECT_TRUE(are_all(run(program, short_runs, {}, options), abi::kGasStep));
}

}  // namespace
}  // namespace gaspipe
