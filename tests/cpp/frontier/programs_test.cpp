// SPDX-License-Identifier: Apache-2.0
// The example programs against plain serial answers.
#include <gtest/gtest.h>

#include <queue>

#include "cpp/examples/bfs.h"
#include "cpp/examples/max_value.h"
#include "cpp/examples/pagerank.h"
#include "cpp/examples/sssp.h"
#include "gaspipe/generate.h"
#include "tests/cpp/frontier/reference.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;
using example::ProgramOptions;

// The shapes of Olive's ten sample graphs.
std::vector<NamedCsr> sample_graphs() {
  Workers workers(1);
  const Edges ordered = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {2, 4}, {3, 5}, {4, 5}, {5, 6}, {5, 7}, {6, 8}, {7, 8}};
  Edges disordered(ordered);
  std::shuffle(disordered.begin(), disordered.end(), std::mt19937(3));
  return {{"acyclic", acyclic(100, workers)},
          {"chain", chain(1000, true, workers)},
          {"ordered", csr_of(9, ordered)},
          {"disordered", csr_of(9, disordered)},
          {"grid", grid(3, 5, true, workers)},
          {"isolated", csr_of(1000, {})},
          {"maxflow", csr_of(100, random_edges(100, 395, 7))},
          {"singleton", csr_of(1, {})},
          {"star", star(1000, true, workers)},
          {"complete", complete(90, workers)}};
}
Csr weighted(Csr csr, unsigned seed, double low, double high) {
  std::mt19937 random(seed);
  std::vector<double> weights;
  for (EdgeCount e = 0; e < csr.num_edges(); ++e)
    weights.push_back(low + (high - low) * double(random() % 1000) / 1000);
  csr.weights = array(weights);
  return csr;
}

std::vector<int> levels_by_hand(const Csr& csr, VertexId source) {
  std::vector<int> levels(csr.num_rows, -1);
  std::queue<VertexId> waiting({source});
  levels[source] = 0;
  for (; !waiting.empty(); waiting.pop()) {
    const VertexId v = waiting.front();
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[std::size_t(v) + 1]; ++e) {
      if (levels[csr.targets[e]] >= 0) continue;
      levels[csr.targets[e]] = levels[v] + 1;
      waiting.push(csr.targets[e]);
    }
  }
  return levels;
}
std::vector<double> distances_by_hand(const Csr& csr, VertexId source) {
  const auto& weights = std::get<Array<double>>(csr.weights);
  std::vector<double> distances(csr.num_rows, std::numeric_limits<double>::infinity());
  using Entry = std::pair<double, VertexId>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> waiting;
  distances[source] = 0;
  waiting.push({0, source});
  while (!waiting.empty()) {
    const auto [distance, v] = waiting.top();
    waiting.pop();
    if (distance > distances[v]) continue;
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[std::size_t(v) + 1]; ++e) {
      double& there = distances[csr.targets[e]];
      if (distance + weights[e] >= there) continue;
      there = distance + weights[e];
      waiting.push({there, csr.targets[e]});
    }
  }
  return distances;
}
std::vector<double> ranks_by_hand(const Csr& csr, int num_rounds) {
  const double n = csr.num_rows;
  std::vector<double> ranks(csr.num_rows, 1 / n);
  for (int round = 0; round < num_rounds; ++round) {
    std::vector<double> next(csr.num_rows, 0.15 / n);
    for (VertexId v = 0; v < csr.num_rows; ++v) {
      for (EdgeCount e = csr.offsets[v]; e < csr.offsets[std::size_t(v) + 1]; ++e) {
        next[csr.targets[e]] += 0.85 * ranks[v] / double(csr.degree(v));
      }
    }
    ranks = next;
  }
  return ranks;
}
double l1(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::fabs(a[i] - b[i]);
  return sum;
}
ProgramOptions options_of(const FrontierOptions& engine) {
  ProgramOptions options;
  options.engine = engine;
  return options;
}

// OLV-1, OLV-39: the worked example, with its frontiers.
TEST(MaxValue, HasTheFrontiersOfTheExample) {
  const Graph graph = graph_of(4, {{0, 1}, {1, 0}, {1, 2}, {2, 0}, {2, 3}, {3, 2}});
  for (const FrontierOptions& engine : all_options()) {
    std::vector<std::vector<VertexId>> fronts;
    ProgramOptions options = options_of(engine);
    options.observe = [&](const VertexSubset& front) { fronts.push_back(front.vertices()); };
    const auto answer = example::max_value(graph, {1, 2, 5, 3}, options);
    EXPECT_EQ(fronts, (std::vector<std::vector<VertexId>>{{0, 1, 2, 3}, {0, 3}, {1}}));
    EXPECT_EQ(answer.num_rounds, 3u);
    EXPECT_EQ(answer.values, (std::vector<int>{5, 5, 5, 5}));
  }
}

// OLV-21, OLV-24.
TEST(Bfs, FindsTheLevelsOfEverySample) {
  for (const auto& [name, csr] : sample_graphs()) {
    const VertexId source = std::min<VertexId>(24, csr.num_rows - 1);
    const auto expected = levels_by_hand(csr, source);
    for (const FrontierOptions& engine : all_options()) {
      EXPECT_EQ(example::bfs(Graph(csr), source, options_of(engine)).values, expected) << name;
    }
  }
}

TEST(Bfs, PushesThenPullsThenPushes) {
  Workers workers(2);
  const Csr csr = simplify(build_csr(kronecker_edges(11, 16, 5, workers), 1 << 11, workers), {true, true}, workers);
  VertexId source = 0;
  while (csr.degree(source) == 0) ++source;
  const auto expected = levels_by_hand(csr, source);
  for (FrontierOptions engine : all_options()) {
    std::string directions;
    engine.log_level = LogLevel::kDebug;
    engine.log = [&](LogLevel, const std::string& text) {
      if (text.find("edgeVertexFilter, pu") == 0) directions += text[20];
    };
    for (int search = 0; search < 2; ++search) {
      ASSERT_EQ(example::bfs(Graph(csr), source, options_of(engine)).values, expected);
    }
    EXPECT_EQ(directions.find('l') == std::string::npos, engine.direction == Direction::kPush) << directions;
    EXPECT_EQ(directions.find('s') == std::string::npos, engine.direction == Direction::kPull) << directions;
  }
}

// Levels in structs that are no words: hits are under locks.
struct Vertex {
  int level;
  char other[20];
};
struct Search {
  static constexpr bool kFinalOnceSet = true;
  int gather(const Vertex& vertex, EdgeCount, const float&) const { return vertex.level + 1; }
  int reduce(int a, int b) const { return std::min(a, b); }
  bool cond(const Vertex& vertex, int, VertexId) const { return vertex.level < 0; }
  void update(Vertex& vertex, int level) const { vertex.level = level; }
};
TEST(Bfs, MayHaveAnyValues) {
  const Csr csr = csr_of(3000, random_edges(3000, 40000, 9));
  for (const FrontierOptions& options : all_options()) {
    FrontierEngine<Vertex, float, int> engine(1 << 20, options);
    engine.readGraph(Graph(csr));
    for (const VertexId source : {0u, 2999u}) {  // values that others change start a search anew
      engine.vertexMap(VertexSubset(3000, true), [](Vertex& vertex, int) { vertex.level = -1; });
      VertexSubset front(3000, source);
      engine.vertexMap(front, [](Vertex& vertex, int) { vertex.level = 0; });
      while (!front.empty()) engine.edgeVertexFilter(front, front, Search());
      const auto expected = levels_by_hand(csr, source);
      engine.vertexTransform([&](VertexId v, const Vertex& vertex) { ASSERT_EQ(vertex.level, expected[v]); });
    }
  }
}

// What another engine does with a set, or another search with the values, starts the search anew.
TEST(Bfs, MayShareItsSetsWithOtherEngines) {
  Workers workers(1);
  const Csr csr = simplify(build_csr(kronecker_edges(11, 16, 5, workers), 1 << 11, workers), {true, true}, workers);
  VertexId source = 0;
  while (csr.degree(source) == 0) ++source;
  const auto expected = levels_by_hand(csr, source);
  for (const FrontierOptions& options : all_options()) {
    FrontierEngine<int, NoValue, int> engine(1 << 20, options), other(1 << 20, options);
    engine.readGraph(Graph(csr));
    other.readGraph(Graph(csr));
    const VertexSubset all(csr.num_rows, true);
    engine.vertexMap(all, [](int& level, int) { level = -1; });
    other.vertexMap(all, [](int& level, int) { level = -1; });
    VertexSubset front(csr.num_rows, source), reached;
    engine.vertexMap(front, [](int& level, int) { level = 0; });
    for (int round = 0; !front.empty(); ++round) {
      if (round % 2 == 1) other.edgeVertexFilter(reached, front, example::Bfs());
      engine.edgeVertexFilter(reached, front, example::Bfs());
      if (round % 3 == 1) engine.vertexReduce(reached, 0, [](int level) { return level; }, std::plus<int>());
      std::swap(front, reached);
    }
    engine.vertexTransform([&](VertexId v, int level) { ASSERT_EQ(level, expected[v]); });
  }
}

// A condition that stays true breaks the promise of kFinalOnceSet: such a vertex does not join, rather than twice.
TEST(Bfs, SurvivesAWrongPromise) {
  struct Forever : example::Bfs {
    bool cond(int, int, VertexId) const { return true; }
  };
  const Csr csr = csr_of(700, random_edges(700, 12000, 1));
  for (const FrontierOptions& options : all_options()) {
    FrontierEngine<int, NoValue, int> engine(1 << 20, options);
    engine.readGraph(Graph(csr));
    VertexSubset front(700, true);
    engine.edgeVertexFilter(front, front, Forever());
    EXPECT_TRUE(front.empty());
  }
}

// OLV-22.
TEST(PageRank, ConvergesOrStopsAtItsRound) {
  for (const auto& [name, csr] : sample_graphs()) {
    const auto limit = ranks_by_hand(csr, 150);
    std::vector<double> ranks;
    std::uint64_t num_rounds = 0;
    for (const FrontierOptions& engine : all_options()) {
      ProgramOptions options = options_of(engine);
      const auto answer = example::pagerank(Graph(csr), options);
      if (num_rounds != answer.num_rounds) {
        num_rounds = answer.num_rounds;
        ranks = ranks_by_hand(csr, static_cast<int>(num_rounds));
      }
      EXPECT_LT(l1(answer.values, ranks), 1e-12) << name;
      EXPECT_LT(l1(answer.values, limit), 1e-6) << name;
      options.most_rounds = 2;
      const auto stopped = example::pagerank(Graph(csr), options);
      EXPECT_EQ(stopped.num_rounds, std::min<std::uint64_t>(2, num_rounds));
      EXPECT_LT(l1(stopped.values, ranks_by_hand(csr, static_cast<int>(stopped.num_rounds))), 1e-12) << name;
    }
  }
  Workers workers(1);
  const Csr csr = grid(3, 5, true, workers);
  EXPECT_LT(l1(example::pagerank(Graph(csr)).values, ranks_by_hand(csr, 300)), 1e-6);
  EXPECT_LT(l1(example::pagerank(Graph(csr), {}, 1e-9).values, ranks_by_hand(csr, 300)), 1e-7);
}

// OLV-24.
TEST(PageRank, ShrinksItsFrontier) {
  for (const auto& [name, csr] : sample_graphs()) {
    std::vector<std::uint64_t> sizes;
    ProgramOptions options;
    options.observe = [&](const VertexSubset& front) { sizes.push_back(front.size()); };
    const auto answer = example::shrinking_pagerank(Graph(csr), options);
    EXPECT_LT(l1(answer.values, ranks_by_hand(csr, 150)), 1e-6 * csr.num_rows) << name;
    EXPECT_TRUE(std::is_sorted(sizes.rbegin(), sizes.rend())) << name;
    EXPECT_EQ(sizes.front(), csr.num_rows);
  }
}

// OLV-9, OLV-14, OLV-23.
TEST(Sssp, FindsTheDistancesOfEverySample) {
  for (const auto& [name, unweighted] : sample_graphs()) {
    const Csr csr = weighted(unweighted, 5, 0, 10);
    const VertexId source = std::min<VertexId>(24, csr.num_rows - 1);
    for (const FrontierOptions& engine : all_options()) {
      const auto distances = example::sssp(Graph(csr), source, options_of(engine)).values;
      EXPECT_EQ(distances, distances_by_hand(csr, source)) << name;  // either way a path adds up from its start
    }
  }
}

TEST(Sssp, TakesNegativeWeightsButNoNegativeCycle) {
  Csr csr = csr_of(4, {{0, 1}, {1, 2}, {0, 2}, {2, 1}});
  csr.weights = array(std::vector<double>{4, 2, -3, 3.5});
  const auto infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(example::sssp(Graph(csr), 0).values, (std::vector<double>{0, 4, 1, infinity}));
  csr.weights = array(std::vector<double>{4, 2, -3, 2.5});
  try {
    example::sssp(Graph(csr), 0);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "distances still fall after 4 rounds: there is a cycle of negative weight; use weights without one");
  }
  EXPECT_EQ(example::sssp(Graph(csr), 3).values, (std::vector<double>{infinity, infinity, infinity, 0}));
}

// OLV-14: with a default of zero no distance arrives.
TEST(Sssp, NeedsItsDefaultAccumulator) {
  FrontierEngine<double, double, double> engine(0);
  engine.readGraph(graph_of(2, {{0, 1}}));
  engine.vertexMap(VertexSubset(2, 1), [](double& distance, double) { distance = 9; });
  VertexSubset front(2, 0);
  engine.edgeFilter(front, front, example::ShortestPaths());
  EXPECT_EQ(engine.accumulators()[1], 0) << "the minimum of the default and 1";
}

}  // namespace
}  // namespace gaspipe
