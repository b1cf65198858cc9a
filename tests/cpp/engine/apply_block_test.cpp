// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/engine/apply_block.h"

#include <gtest/gtest.h>

#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

int used_sums;

// Counts edges in one sum and vertices in the other, and says which of them it reads.
template <class Number>
struct ThriftyHooks {
  using Property = Number;
  using Extra = std::uint64_t;
  static constexpr int kAux = 0, kExtras = 2;
  static Property preprocessProperty(Property p) { return p; }
  static Property scatterFunc(Property, Property) { return 1; }
  static Property updateMergeInRAWSolver(Property a, Property b) { return a + b; }
  static Property gatherFunc(Property a, Property b) { return a + b; }
  static Property applyMerge(Property a, Property b) { return a + b; }
  static Property applyFunc(Property tProp, Property source, Property, Extra (&extra)[kExtras], unsigned) {
    extra[0] += tProp;
    extra[1] += 1;
    return source + tProp;
  }
};
template <class Number>
struct ThriftyProgram {
  using Hooks = ThriftyHooks<Number>;
  using Value = std::uint32_t;
  const Context<NoParameters>& context;
  Number initial(VertexId v) const { return v; }
  bool uses_sum(int k) const { return used_sums >> k & 1; }
  Until until(int step, const std::uint64_t* sums) const {
    if (uses_sum(0)) EXPECT_EQ(sums[0], context.num_edges);
    if (uses_sum(1)) EXPECT_EQ(sums[1], context.num_vertices);
    return step == 2 ? Until::kDone : Until::kGoOn;
  }
  Value finish(Number p, VertexId) const { return p; }
};

TEST(ApplyBlock, AddsUpTheSumsThatAreUsed) {
  const VertexId n = 3000;
  const Edges edges = random_edges(n, 9000, 4);
  std::vector<std::uint32_t> expected(n);
  for (VertexId v = 0; v < n; ++v) expected[v] = v;
  for (const auto& edge : edges) expected[edge.second] += 3;
  const auto& program = program_of<ThriftyProgram, std::uint32_t>("thrifty");
  const Graph graph = graph_of(n, edges);
  for (used_sums = 0; used_sums < 4; ++used_sums) {
    for (const int threads : {1, 2}) {
      RunOptions options;
      options.num_threads = threads;
      EXPECT_EQ(values_of<std::uint32_t>(run(program, graph, {}, options)), expected);
      EXPECT_EQ(values_of<std::uint32_t>(run(program, graph, {}, gas(512, 2, threads))), expected);
    }
  }
}

}  // namespace
}  // namespace gaspipe
