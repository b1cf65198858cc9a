// SPDX-License-Identifier: Apache-2.0
// Random walks, by one thread and several: along edges, the same for any number of threads, and as often as p and q
// say.
#include <algorithm>
#include <cstdint>

#include "tests/cpp/algorithm/undirected.h"

namespace gaspipe {
namespace {

using Walks = std::vector<std::int64_t>;

TEST(RandomWalks, FollowEdgesAndEndWhereThereAreNone) {
  testing::each_undirected_graph([](VertexId n, const auto&, const Graph& graph, int num_threads) {
    const Csr& csr = *graph.csr();
    for (const double p : {1.0, 0.3}) {
      const Arguments arguments{{"length", std::int64_t(9)}, {"num_walks", std::int64_t(2)}, {"p", p}};
      const Walks walks = testing::CpuAnswer("random_walks", graph, num_threads, arguments).list<std::int64_t>("walks");
      EXPECT_EQ(walks, testing::CpuAnswer("random_walks", graph, 2, arguments).list<std::int64_t>("walks"));
      ASSERT_EQ(walks.size(), std::size_t(n) * 20);
      for (std::size_t i = 0; i < walks.size(); ++i) {
        if (i % 10 == 0) {
          EXPECT_EQ(walks[i], static_cast<std::int64_t>(i / 20));
        } else if (walks[i - 1] < 0) {
          EXPECT_EQ(walks[i], -1);
        } else {
          const auto v = static_cast<VertexId>(walks[i - 1]);
          const VertexId* const first = csr.targets.data() + csr.offsets[v];
          const VertexId* const last = csr.targets.data() + csr.offsets[v + 1];
          if (walks[i] < 0) {
            EXPECT_EQ(first, last);
          } else {
            EXPECT_NE(std::find(first, last, static_cast<VertexId>(walks[i])), last);
          }
        }
      }
    }
  });
}

TEST(RandomWalks, GoBackAsOftenAsTheReturnParameterSays) {
  // A star of 4: from the center, back with weight 1 / p, elsewhere with 1 / q each.
  const Graph graph = testing::graph_of(5, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 0}, {2, 0}, {3, 0}, {4, 0}});
  for (const double p : {0.1, 1.0, 30.0}) {
    for (const double q : {0.5, 1.0, 20.0}) {
      const Walks walks = testing::CpuAnswer("random_walks", graph, 2,
                                             {{"length", std::int64_t(101)},
                                              {"num_walks", std::int64_t(400)},
                                              {"p", p},
                                              {"q", q},
                                              {"sources", testing::array<std::int64_t>({0})}})
                              .list<std::int64_t>("walks");
      double back = 0, all = 0;
      for (std::size_t i = 0; i < walks.size(); ++i) {
        const std::size_t step = i % 102;
        if (step < 3 || step % 2 == 0) continue;
        all += 1;
        back += walks[i] == walks[i - 2];
      }
      const double wanted = 1 / p / (1 / p + 3 / q);
      EXPECT_NEAR(back / all, wanted, 0.02) << p << ", " << q;
    }
  }
}

}  // namespace
}  // namespace gaspipe
