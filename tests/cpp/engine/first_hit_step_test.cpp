// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/engine/first_hit_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

// A tail, a dense part that it ends in, and a tail out of it: small frontiers, large ones, small ones again. Besides
// them loops, parallel edges and vertices without edges.
constexpr VertexId kTail = 30, kDense = 3000, kAll = 2 * kTail + kDense + 100;
Edges tails_and_a_ball(unsigned seed) {
  Edges edges;
  for (const auto& [a, b] : random_edges(kDense, 40000, seed)) edges.emplace_back(kTail + a, kTail + b);
  for (VertexId v = 0; v < kTail; ++v) {
    edges.emplace_back(v, v + 1);
    edges.emplace_back(kTail + kDense - 1 + v, kTail + kDense + v);
  }
  const Edges some(edges.begin(), edges.begin() + 500);
  edges.insert(edges.end(), some.begin(), some.end());
  for (VertexId v = 0; v < kAll; v += 7) edges.emplace_back(v, v);
  return edges;
}
Edges both_ways(Edges edges) {
  const std::size_t size = edges.size();
  for (std::size_t i = 0; i < size; ++i) edges.emplace_back(edges[i].second, edges[i].first);
  return edges;
}

std::vector<std::int32_t> levels(const Csr& csr, VertexId root) {
  std::vector<std::int32_t> level(csr.num_rows, -1);
  std::vector<VertexId> queue{root};
  level[root] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (EdgeCount e = csr.offsets[queue[i]]; e < csr.offsets[std::size_t(queue[i]) + 1]; ++e) {
      const VertexId target = csr.targets[e];
      if (level[target] >= 0) continue;
      level[target] = level[queue[i]] + 1;
      queue.push_back(target);
    }
  }
  return level;
}

RunOptions threads(int number) {
  RunOptions options;
  options.num_threads = number;
  return options;
}

bool has_pull(const Result& result) {
  const auto steps = result.stats.supersteps.records();
  return std::any_of(steps.begin(), steps.end(), [](const auto& step) { return step.kind == abi::kPullStep; });
}

TEST(FirstHitStep, PushesThenPullsThenPushes) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const Csr csr = csr_of(kAll, both_ways(tails_and_a_ball(seed)));
    const std::vector<std::int32_t> expected = levels(csr, 0);
    for (const int number : {1, 2, 7}) {
      const Result result = run(find_program("bfs"), Graph(csr), {}, threads(number));
      EXPECT_EQ(values_of<std::int32_t>(result), expected);
      const auto steps = result.stats.supersteps.records();
      EXPECT_EQ(steps.front().kind, abi::kPushStep);
      EXPECT_TRUE(has_pull(result));
      EXPECT_EQ(steps.back().kind, abi::kPushStep);
      EdgeCount looked_at = 0, sent = 0;
      for (const auto& step : steps) looked_at += step.edges, sent += step.active_vertices;
      EXPECT_LT(looked_at, csr.num_edges() / 2) << "a pull stops at the first hit";
      EXPECT_EQ(sent, kAll - std::count(expected.begin(), expected.end(), -1));
    }
  }
}

TEST(FirstHitStep, PushesAFrontierThatFewOthersKnow) {
  // A dense core, and a long band that only its last vertex leads to: a pull would walk the band for nothing.
  const VertexId core = 300, n = 20000;
  Edges edges;
  for (VertexId v = 0; v < core; ++v) {
    for (VertexId u = 0; u < v; ++u) edges.emplace_back(v, u);
  }
  for (VertexId v = core; v < n; ++v) {
    for (VertexId i = 1; i <= 8 && v - i + 1 >= core; ++i) edges.emplace_back(v, v - i);
  }
  const Csr csr = csr_of(n, both_ways(edges));
  const Result result = run(find_program("bfs"), Graph(csr), {}, threads(2));
  EXPECT_EQ(values_of<std::int32_t>(result), levels(csr, 0));
  EXPECT_FALSE(has_pull(result));
}

TEST(FirstHitStep, PullsOnADirectedGraphOnceItIsAskedAgain) {
  const Csr csr = csr_of(kAll, tails_and_a_ball(5));
  const Graph graph(csr);
  const std::vector<std::int32_t> expected = levels(csr, 0);
  const Result first = run(find_program("bfs"), graph, {}, threads(2));
  EXPECT_EQ(values_of<std::int32_t>(first), expected);
  EXPECT_FALSE(has_pull(first));
  for (const VertexId root : {0u, kTail + 5, kAll - 1}) {
    const Result again = run(find_program("bfs"), graph, {{"root", std::int64_t(root)}}, threads(2));
    EXPECT_EQ(values_of<std::int32_t>(again), levels(csr, root));
    if (root == 0) {
      EXPECT_TRUE(has_pull(again));
    }
  }
}

TEST(FirstHitStep, TakesWideOffsets) {
  Csr csr = csr_of(kAll, both_ways(tails_and_a_ball(6)));
  std::vector<std::uint64_t> wide;
  for (std::size_t i = 0; i < csr.offsets.size(); ++i) wide.push_back(csr.offsets[i]);
  csr.offsets = Offsets(array(wide));
  const Result result = run(find_program("bfs"), Graph(csr), {}, threads(2));
  EXPECT_TRUE(has_pull(result));
  EXPECT_EQ(values_of<std::int32_t>(result), levels(csr, 0));
}

// A program of a user's that declares what BFS declares. It starts at two vertices, does not cross edges of weight 0,
// and counts the out-degrees of what it reaches.
template <class Number>
struct SpreadHooks {
  using Property = Number;  // 0: not reached, else hops + 1
  static constexpr Property kIdentity = 0;
  static constexpr bool kReadsEdgeProperty = true;
  static constexpr bool kIdempotent = true;
  static constexpr bool kFinalOnceSet = true;
  static constexpr int kExtras = 2;
  static bool isActive(Property update) { return update != 0; }
  static bool isSource(Property hops) { return hops != 0; }
  static Property preprocessProperty(Property hops) { return hops == 0 ? 0 : hops + 1; }
  static Property scatterFunc(Property hops, Property weight) { return weight == 0 ? 0 : hops; }
  static Property updateMergeInRAWSolver(Property a, Property b) { return gatherFunc(a, b); }
  static Property gatherFunc(Property a, Property b) { return a == 0 || (b != 0 && b < a) ? b : a; }
  static Property applyMerge(Property a, Property b) { return gatherFunc(a, b); }
  static Property applyFunc(Property tProp, Property source, Property outDeg, unsigned (&extra)[2], unsigned) {
    const bool is_new = source == 0 && tProp != 0;
    extra[0] += is_new;
    extra[1] += is_new ? outDeg : 0;
    return source != 0 ? source : tProp;
  }
};
struct Counted {
  static inline std::uint64_t vertices, edges;
};
template <class Number>
struct SpreadProgram {
  using Hooks = SpreadHooks<Number>;
  using Value = std::int32_t;
  const Context<NoParameters>& context;
  Number initial(VertexId v) const { return v == 0 || v == kTail + 7; }
  Until until(int, const std::uint64_t* sums) const {
    Counted::vertices += sums[0];
    Counted::edges += sums[1];
    return done_if(sums[0] == 0);
  }
  Value finish(Number hops, VertexId) const { return static_cast<Value>(hops) - 1; }
};

TEST(FirstHitStep, RunsAUsersProgramLikeBfs) {
  Csr csr = csr_of(kAll, both_ways(tails_and_a_ball(8)));
  std::vector<std::int32_t> weights;
  Edges open;
  std::mt19937 random(3);
  for (VertexId v = 0; v < csr.num_rows; ++v) {
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[std::size_t(v) + 1]; ++e) {
      weights.push_back(random() % 3);
      if (weights.back() != 0) open.emplace_back(v, csr.targets[e]);
    }
  }
  csr.weights = array(weights);
  const Csr crossed = csr_of(kAll, open);
  const std::vector<std::int32_t> a = levels(crossed, 0), b = levels(crossed, kTail + 7);
  std::vector<std::int32_t> expected;
  std::uint64_t vertices = 0, edges = 0;
  for (VertexId v = 0; v < kAll; ++v) {
    expected.push_back(a[v] < 0 ? b[v] : b[v] < 0 ? a[v] : std::min(a[v], b[v]));
    if (expected[v] > 0) ++vertices, edges += csr.degree(v);
  }
  const Graph graph(csr);
  const auto& program = program_of<SpreadProgram, std::uint32_t>("spread");
  for (const int number : {1, 2, 7}) {
    for (const bool pulls : {number > 1, true}) {  // weights may differ by direction: the transpose is needed
      Counted::vertices = Counted::edges = 0;
      const Result result = run(program, graph, {}, threads(number));
      EXPECT_EQ(values_of<std::int32_t>(result), expected);
      EXPECT_EQ(has_pull(result), pulls);
      EXPECT_EQ(Counted::vertices, vertices);
      EXPECT_EQ(Counted::edges, edges);
    }
  }
}

// Short super-steps of run() are taken together; those of a Running that keeps properties one by one. Many steps share
// their time where most have a few edges.
void expect_the_same_one_by_one(const abi::Program& program, const Csr& csr, const Arguments& arguments,
                                bool are_timed_together = true) {
  for (const int number : {1, 2, 7}) {
    RunOptions options = threads(number);
    std::vector<std::uint64_t> told;
    options.progress = [&](std::uint64_t step, const abi::Superstep&) { told.push_back(step); };
    const Result together = run(program, Graph(csr), arguments, options);  // a graph anew: it learns from its runs
    ASSERT_EQ(told.size(), together.stats.supersteps.size());
    for (std::size_t i = 0; i < told.size(); ++i) EXPECT_EQ(told[i], i);
    const RunOptions one_by_one = threads(number);
    const Graph graph(csr);
    Running running(program, graph, arguments, one_by_one);
    std::uint64_t num_steps = 1;
    while (running.step()) ++num_steps;
    const Result single = running.result();
    EXPECT_EQ(single.stats.supersteps.size(), num_steps);
    EXPECT_EQ(values_of<std::int32_t>(together), values_of<std::int32_t>(single));
    const auto a = together.stats.supersteps.records(), b = single.stats.supersteps.records();
    ASSERT_EQ(a.size(), b.size());
    std::size_t num_of_series = 0;  // those of one have the same time, to the bit
    for (std::size_t i = 1; i < a.size(); ++i) {
      num_of_series += a[i].seconds[abi::kScatterGather] == a[i - 1].seconds[abi::kScatterGather];
    }
    if (are_timed_together) {
      EXPECT_GT(num_of_series, a.size() / 4);
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].kind, b[i].kind) << i;
      EXPECT_EQ(a[i].active_vertices, b[i].active_vertices) << i;
      EXPECT_EQ(a[i].edges, b[i].edges) << i;
      EXPECT_GT(a[i].seconds[abi::kScatterGather], 0) << i;
    }
  }
}

TEST(FirstHitStep, TakesShortStepsTogetherAsOneByOne) {
  Edges edges = both_ways(tails_and_a_ball(9));  // short, long, pulled, short
  const VertexId far = kAll + 500;
  for (VertexId v = kTail + kDense + kTail - 1; v + 1 < far; ++v) edges.emplace_back(v, v + 1);
  const Csr csr = csr_of(far, edges);
  ASSERT_GT(levels(csr, 0)[far - 1], 500);
  Csr weighted = csr;
  weighted.weights = array(std::vector<std::int32_t>(csr.num_edges(), 1));
  for (const std::int64_t root : {0, 1000, static_cast<int>(far) - 300}) {
    expect_the_same_one_by_one(find_program("bfs"), csr, {{"root", root}});
  }
  expect_the_same_one_by_one(program_of<SpreadProgram, std::uint32_t>("spread"), weighted, {});
  // Frontiers that grow to beyond what is short, and shrink again: 1, 2, 4, ..., 256, ..., 2, 1 vertices.
  Edges tree;
  for (VertexId v = 0; v < 255; ++v) {
    for (const VertexId child : {2 * v + 1, 2 * v + 2}) {
      tree.emplace_back(v, child);
      if (child < 510) tree.emplace_back(1100 - child, 1100 - v);
    }
  }
  for (VertexId leaf = 255; leaf < 511; ++leaf) tree.emplace_back(leaf, 1100 - leaf);
  expect_the_same_one_by_one(find_program("bfs"), csr_of(1101, tree), {});
}

// Vertices in random order, so that lists of threads cross each other.
Csr shuffled(VertexId n, Edges edges, unsigned seed) {
  std::vector<VertexId> ids(n);
  for (VertexId v = 0; v < n; ++v) ids[v] = v;
  std::shuffle(ids.begin(), ids.end(), std::mt19937(seed));
  for (auto& [source, target] : edges) source = ids[source], target = ids[target];
  return csr_of(n, both_ways(edges));
}

TEST(FirstHitStep, TakesStepsOfThreadsWithListsOfTheirOwnAsOneByOne) {
  const VertexId side = 300;
  Edges grid, tree;
  for (VertexId v = 0; v < side * side; ++v) {
    if ((v + 1) % side != 0) grid.emplace_back(v, v + 1);
    if (v + side < side * side) grid.emplace_back(v, v + side);
  }
  // Twice as many vertices a step, up to what all threads share, and half as many.
  const VertexId leaves = 1 << 13, n = 3 * leaves;
  for (VertexId v = 1; v < leaves; ++v) {
    for (const VertexId child : {2 * v, 2 * v + 1}) {
      tree.emplace_back(v, child);
      if (child < leaves) tree.emplace_back(n - child, n - v);
    }
  }
  for (VertexId leaf = leaves; leaf < 2 * leaves; ++leaf) tree.emplace_back(leaf, n - leaf / 2);
  for (const unsigned seed : {1u, 2u}) {
    const Csr csr = shuffled(side * side, grid, seed);
    expect_the_same_one_by_one(find_program("bfs"), csr, {{"root", std::int64_t(seed)}}, false);
    EXPECT_EQ(values_of<std::int32_t>(run(find_program("bfs"), Graph(csr), {{"root", std::int64_t(seed)}}, threads(3))),
              levels(csr, seed));
    expect_the_same_one_by_one(find_program("bfs"), shuffled(n, tree, seed), {}, false);
  }
  // More vertices than edges: a step leads to many that lead nowhere.
  Edges star;
  for (VertexId v = 2; v < 20000; ++v) star.emplace_back(v % 2, v);
  for (VertexId v = 2; v < 700; ++v) star.emplace_back(v, 20000 + v % 3);
  star.emplace_back(0, 1);
  const Csr csr = csr_of(20003, star);
  expect_the_same_one_by_one(find_program("bfs"), csr, {}, false);
  EXPECT_EQ(values_of<std::int32_t>(run(find_program("bfs"), Graph(csr), {}, threads(2))), levels(csr, 0));
  // Programs that count.
  Csr weighted = shuffled(side * side, grid, 3);
  weighted.weights = array(std::vector<std::int32_t>(weighted.num_edges(), 1));
  expect_the_same_one_by_one(program_of<SpreadProgram, std::uint32_t>("spread"), weighted, {}, false);
}

TEST(FirstHitStep, StopsInTheMiddleOfShortSteps) {
  Edges path;
  for (VertexId v = 0; v + 1 < 100000; ++v) path.emplace_back(v, v + 1);
  RunOptions options = threads(1);
  std::uint64_t last = 0;
  options.progress = [&](std::uint64_t step, const abi::Superstep&) {
    last = step;
    if (step == 1000) throw std::runtime_error("enough");
  };
  EXPECT_THROW(run(find_program("bfs"), graph_of(100000, path), {}, options), std::runtime_error);
  EXPECT_EQ(last, 1000u);
}

TEST(FirstHitStep, StopsWhenInterrupted) {
  Edges path;
  for (VertexId v = 0; v + 1 < 1000000; ++v) path.emplace_back(v, v + 1);
  const Graph graph = graph_of(1000000, path);
  for (const char* name : {"bfs", "sssp"}) {
    RunOptions options = threads(2);
    options.interrupted = [] { return true; };
    EXPECT_THROW(run(find_program(name), graph, {}, options), Cancelled) << name;
  }
}

}  // namespace
}  // namespace gaspipe
