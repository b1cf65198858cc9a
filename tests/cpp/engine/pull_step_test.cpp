// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/engine/pull_step.h"

#include <gtest/gtest.h>

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
      const Result result = run(find_program("spmv"), graph, {{"x", array(x)}}, options);
      EXPECT_EQ(values_of<std::int32_t>(result), expected);
      ASSERT_EQ(result.stats.supersteps.size(), 1u);
      EXPECT_EQ(result.stats.supersteps[0].kind, abi::kPullStep);
      options.method = "gas";
      EXPECT_EQ(values_of<std::int32_t>(run(find_program("spmv"), graph, {{"x", array(x)}}, options)), expected);
    }
  }
}

}  // namespace
}  // namespace gaspipe
