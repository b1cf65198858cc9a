// SPDX-License-Identifier: Apache-2.0
// Algorithms of the CPU, by one thread and several, against plain counting over a matrix of edges.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "gaspipe/cpu_algorithm.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using testing::Edges;

// Small graphs in which everything happens: dense and sparse parts, self-loops, parallel edges, vertices without edges.
std::vector<std::pair<VertexId, Edges>> graphs() {
  std::vector<std::pair<VertexId, Edges>> all = {
      {1, {}}, {1, {{0, 0}}}, {3, {}}, {4, {{0, 1}, {1, 0}, {1, 2}, {2, 3}}}};
  for (unsigned seed = 0; seed < 6; ++seed) all.push_back({24, testing::random_edges(24, 20 + 30 * seed, seed)});
  Edges both = testing::random_edges(30, 120, 9);
  for (const auto& [source, target] : Edges(both)) both.push_back({target, source});
  all.push_back({33, both});
  return all;
}

// Whether u -> v.
std::vector<std::vector<int>> matrix_of(VertexId n, const Edges& edges) {
  std::vector<std::vector<int>> count(n, std::vector<int>(n, 0));
  for (const auto& [source, target] : edges) ++count[source][target];
  return count;
}

template <class T>
std::vector<T> answer(const char* name, const Graph& graph, int num_threads, const Arguments& arguments = {}) {
  const CpuResult result = run(find_cpu_algorithm(name), graph, arguments, {num_threads, {}});
  const T* const values = static_cast<const T*>(result.values[0].data);
  EXPECT_EQ(result.stats.num_threads, num_threads);
  return std::vector<T>(values, values + result.values[0].size);
}

// Calls test(n, is_edge or how often, graph, threads) for all graphs.
template <class Test>
void each_graph(const Test& test) {
  for (const auto& [n, edges] : graphs()) {
    for (const int num_threads : {1, 3}) test(n, matrix_of(n, edges), testing::graph_of(n, edges), num_threads);
  }
}

TEST(CpuAlgorithms, TrianglesAndClusteringCountNeighborsThatAreNeighbors) {
  each_graph([](VertexId n, const auto& count, const Graph& graph, int num_threads) {
    const auto joined = [&](VertexId u, VertexId v) { return u != v && count[u][v] + count[v][u] > 0; };
    std::vector<std::int64_t> triangles(n, 0);
    std::vector<double> coefficient(n, 0);
    for (VertexId v = 0; v < n; ++v) {
      int degree = 0, links = 0;
      for (VertexId u = 0; u < n; ++u) {
        degree += joined(v, u);
        for (VertexId w = 0; w < n; ++w) {
          if (u == w || !joined(v, u) || !joined(v, w)) continue;
          links += count[u][w] > 0;
          triangles[v] += u < w && joined(u, w);
        }
      }
      if (degree > 1) coefficient[v] = static_cast<double>(links) / (degree * (degree - 1));
    }
    EXPECT_EQ(answer<std::int64_t>("triangles", graph, num_threads), triangles);
    EXPECT_EQ(answer<double>("clustering", graph, num_threads), coefficient);
  });
}

TEST(CpuAlgorithms, CoreNumbersAreWhatPeelingLeaves) {
  each_graph([](VertexId n, const auto& count, const Graph& graph, int num_threads) {
    std::vector<std::int32_t> core(n, 0);
    for (std::int32_t k = 1; k < static_cast<std::int32_t>(n); ++k) {
      std::vector<bool> is_in(n, true);
      for (bool changes = true; changes;) {
        changes = false;
        for (VertexId v = 0; v < n; ++v) {
          std::int32_t degree = 0;
          for (VertexId u = 0; u < n; ++u) degree += u != v && is_in[u] && count[u][v] + count[v][u] > 0;
          if (is_in[v] && degree < k) is_in[v] = false, changes = true;
        }
      }
      for (VertexId v = 0; v < n; ++v) core[v] = is_in[v] ? k : core[v];
    }
    EXPECT_EQ(answer<std::int32_t>("core_numbers", graph, num_threads), core);
  });
}

TEST(CpuAlgorithms, StrongComponentsReachEachOther) {
  each_graph([](VertexId n, const auto& count, const Graph& graph, int num_threads) {
    auto reaches = count;
    for (VertexId v = 0; v < n; ++v) reaches[v][v] = 1;
    for (VertexId k = 0; k < n; ++k) {
      for (VertexId u = 0; u < n; ++u) {
        for (VertexId v = 0; v < n; ++v) reaches[u][v] = reaches[u][v] || (reaches[u][k] && reaches[k][v]);
      }
    }
    std::vector<std::int64_t> component(n);
    for (VertexId v = 0; v < n; ++v) {
      VertexId u = 0;
      while (!reaches[u][v] || !reaches[v][u]) ++u;
      component[v] = u;
    }
    EXPECT_EQ(answer<std::int64_t>("scc", graph, num_threads), component);
  });
}

TEST(CpuAlgorithms, LabelsAreThoseOfMostNeighbors) {
  each_graph([](VertexId n, const auto& count, const Graph& graph, int num_threads) {
    std::vector<std::int64_t> labels(n);
    for (VertexId v = 0; v < n; ++v) labels[v] = v;
    for (int step = 0; step < 4; ++step) {
      std::vector<std::int64_t> next = labels;
      for (VertexId v = 0; v < n; ++v) {
        std::map<std::int64_t, int> votes;
        for (VertexId u = 0; u < n; ++u) votes[labels[u]] += count[u][v] + count[v][u];
        int most = 0;
        for (const auto& [label, number] : votes) {
          if (number > most) most = number, next[v] = label;
        }
      }
      labels = next;
    }
    EXPECT_EQ(answer<std::int64_t>("label_propagation", graph, num_threads, {{"max_iter", std::int64_t(4)}}), labels);
  });
}

TEST(CpuAlgorithms, ManyNeighborsVoteAsFewDo) {
  // 300 leaves, whose labels the hub counts in a table: 100 times 301, 200 times 302.
  Edges edges;
  for (VertexId leaf = 1; leaf <= 300; ++leaf) {
    edges.push_back({leaf, 0});
    for (int i = 0; i < 3; ++i) edges.push_back({leaf, leaf <= 100 ? 301 : 302});
  }
  const Graph graph = testing::graph_of(303, edges);
  const auto labels = answer<std::int64_t>("label_propagation", graph, 2, {{"max_iter", std::int64_t(2)}});
  EXPECT_EQ(labels[0], 302);
}

TEST(CpuAlgorithms, BetweennessIsTheShareOfShortestPaths) {
  each_graph([](VertexId n, const auto& count, const Graph& graph, int num_threads) {
    constexpr int kFar = 1 << 20;
    std::vector<std::vector<int>> hops(n, std::vector<int>(n, kFar));
    std::vector<std::vector<double>> paths(n, std::vector<double>(n, 0));
    for (VertexId s = 0; s < n; ++s) {
      hops[s][s] = 0;
      paths[s][s] = 1;
      for (int at = 0; at < static_cast<int>(n); ++at) {
        for (VertexId u = 0; u < n; ++u) {
          if (hops[s][u] != at) continue;
          for (VertexId v = 0; v < n; ++v) {
            if (count[u][v] == 0 || hops[s][v] <= at) continue;
            hops[s][v] = at + 1;
            paths[s][v] += paths[s][u] * count[u][v];
          }
        }
      }
    }
    std::vector<double> sum(n, 0);
    for (VertexId s = 0; s < n; ++s) {
      for (VertexId t = 0; t < n; ++t) {
        for (VertexId v = 0; v < n; ++v) {
          if (v == s || v == t || s == t || hops[s][t] == kFar || hops[s][v] + hops[v][t] != hops[s][t]) continue;
          sum[v] += paths[s][v] * paths[v][t] / paths[s][t];
        }
      }
    }
    const auto found = answer<double>("betweenness", graph, num_threads, {{"normalized", std::int64_t(0)}});
    ASSERT_EQ(found.size(), sum.size());
    for (VertexId v = 0; v < n; ++v) EXPECT_NEAR(found[v], sum[v], 1e-9) << v;
  });
}

TEST(CpuAlgorithms, AnInterruptEndsEveryOne) {
  const Graph graph = testing::graph_of(30000, testing::random_edges(30000, 400000, 3));
  for (const CpuAlgorithm* algorithm : cpu_algorithms()) {
    const CpuOptions options{2, [] { return true; }};
    try {
      // Some are done before the first look for an interrupt, after 20 ms.
      EXPECT_LT(run(*algorithm, graph, {}, options).stats.seconds, 0.1) << algorithm->program.name;
    } catch (const Cancelled&) {
    }
  }
}

TEST(CpuAlgorithms, AnUnknownNameListsTheKnownOnes) {
  try {
    find_cpu_algorithm("dance");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("\"dance\" of the CPU; known are betweenness, clustering"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace gaspipe
