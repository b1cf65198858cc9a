// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/engine/buckets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <queue>

#include "gaspipe/domain.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

// A grid with both directions of every street: long paths, small frontiers.
Edges grid(VertexId side) {
  Edges edges;
  const auto street = [&](VertexId a, VertexId b) {
    edges.emplace_back(a, b);
    edges.emplace_back(b, a);
  };
  for (VertexId v = 0; v < side * side; ++v) {
    if (v % side + 1 < side) street(v, v + 1);
    if (v + side < side * side) street(v, v + side);
  }
  return edges;
}

template <class T>
std::vector<double> dijkstra(const Csr& csr, const std::vector<T>& weights) {
  std::vector<double> distance(csr.num_rows, std::numeric_limits<double>::infinity());
  std::priority_queue<std::pair<double, VertexId>, std::vector<std::pair<double, VertexId>>, std::greater<>> heap;
  distance[0] = 0;
  heap.emplace(0, 0);
  while (!heap.empty()) {
    const auto [length, v] = heap.top();
    heap.pop();
    if (length > distance[v]) continue;
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
      const double longer = length + static_cast<double>(weights[e]);
      if (longer >= distance[csr.targets[e]]) continue;
      distance[csr.targets[e]] = longer;
      heap.emplace(longer, csr.targets[e]);
    }
  }
  return distance;
}

// On the whole graph, and in domains with buckets of their own.
template <class F>
void each_way(const Graph& graph, const F& f) {
  for (const int threads : {1, 3}) {
    RunOptions options;
    options.num_threads = threads;
    f(options);
    options.num_threads = 2 * threads;
    for (const char* strategy : {"balanced", "hash"}) {
      options.domains = std::make_shared<const Domains>(graph, 1 + threads, DomainOptions{strategy, threads == 1});
      f(options);
    }
  }
}

TEST(Buckets, SettleMostVerticesOfARoadGridOnce) {
  Csr csr = csr_of(80 * 80, grid(80));
  std::mt19937 random(7);
  std::vector<std::int32_t> weights;
  for (EdgeCount e = 0; e < csr.num_edges(); ++e) weights.push_back(1 + random() % 1000);
  csr.weights = array(weights);
  const std::vector<double> expected = dijkstra(csr, weights);
  const EdgeCount num_edges = csr.num_edges();
  const Graph graph(std::move(csr));
  for (int threads : {1, 2}) {
    RunOptions options;
    options.num_threads = threads;
    const Result result = run(find_program("sssp"), graph, {}, options);
    const auto distance = values_of<std::int64_t>(result);
    EXPECT_EQ(std::vector<double>(distance.begin(), distance.end()), expected);
    EXPECT_LT(result.stats.supersteps.edges(), 2 * num_edges)
        << "without an order, every shorter detour is walked again";
  }
}

TEST(Buckets, TakeWeightsOfAnySize) {
  const Edges edges = random_edges(400, 900, 5);
  const double inf = std::numeric_limits<double>::infinity();
  for (const double scale : {0.0, 1e-300, 1e-3, 1.0, 1e300, inf}) {
    Csr csr = csr_of(400, edges);
    std::mt19937 random(9);
    std::vector<double> weights;
    for (EdgeCount e = 0; e < csr.num_edges(); ++e)
      weights.push_back(random() % 4 == 0 ? scale : (random() % 100) * 1e-3);
    csr.weights = array(weights);
    const std::vector<double> expected = dijkstra(csr, weights);
    const Graph graph(std::move(csr));
    each_way(graph, [&](const RunOptions& options) {
      EXPECT_EQ(values_of<double>(run(find_program("sssp"), graph, {}, options)), expected) << scale;
    });
  }
}

TEST(Buckets, SendVerticesReachedInTheBucketOfTheUnreached) {
  Edges path;
  for (VertexId v = 0; v < 6; ++v) path.emplace_back(v, v + 1);
  Csr csr = csr_of(7, path);
  csr.weights = array(std::vector<std::int32_t>(6, 1000000000));
  const Result result = run(find_program("sssp"), Graph(std::move(csr)), {});
  EXPECT_EQ(result.stats.number, "uint64");
  std::vector<std::int64_t> expected;
  for (std::int64_t v = 0; v < 7; ++v) expected.push_back(v * 1000000000);
  EXPECT_EQ(values_of<std::int64_t>(result), expected);
}

TEST(Buckets, SendVerticesReachedOverAnEdgeOfAnotherMagnitude) {
  Edges edges = random_edges(1000, 8000, 6);
  for (auto& [source, target] : edges) {
    if ((source < 500) != (target < 500)) target = source;
  }
  edges.emplace_back(0, 999);  // the only way to the other half; among 8000 weights it is not sampled
  Csr csr = csr_of(1000, edges);
  std::vector<double> weights;
  std::mt19937 random(9);
  for (VertexId v = 0; v < 1000; ++v) {
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
      weights.push_back(v < 500 && csr.targets[e] == 999 ? 1e15 : (1 + random() % 100) * 1e-8);
    }
  }
  csr.weights = array(weights);
  const std::vector<double> expected = dijkstra(csr, weights);
  EXPECT_GT(std::count_if(expected.begin() + 500, expected.end(), [](double d) { return d < 1e300; }), 400);
  EXPECT_EQ(values_of<double>(run(find_program("sssp"), Graph(std::move(csr)), {})), expected);
}

// Shortest paths in signed words, in a custom order.
template <class Number, class Order>
struct SignedHooks {
  using Property = Number;
  static constexpr Property kIdentity = std::numeric_limits<Number>::max();
  static constexpr bool kReadsEdgeProperty = true;
  static constexpr bool kIdempotent = true;
  static constexpr int kAux = 0;
  static bool isActive(Property update) { return update != kIdentity; }
  static bool isSource(Property distance) { return distance != kIdentity; }
  static Property priority(Property distance) { return Order::priority(distance); }
  static Property preprocessProperty(Property distance) { return distance; }
  static Property scatterFunc(Property distance, Property weight) {
    return distance == kIdentity ? kIdentity : distance + weight;
  }
  static Property updateMergeInRAWSolver(Property a, Property b) { return std::min(a, b); }
  static Property gatherFunc(Property a, Property b) { return std::min(a, b); }
  static Property applyMerge(Property a, Property b) { return std::min(a, b); }
  static Property applyFunc(Property tProp, Property distance, Property, unsigned& extra, unsigned) {
    extra += tProp < distance;
    return std::min(distance, tProp);
  }
};
template <class Number, class Order>
struct SignedProgram {
  using Hooks = SignedHooks<Number, Order>;
  using Value = Number;
  const Context<NoParameters>& context;
  Number initial(VertexId v) const { return v == 0 ? 0 : Hooks::kIdentity; }
  Until until(int, const std::uint64_t* sums) const { return done_if(sums[0] == 0); }
  Value finish(Number distance, VertexId) const { return distance; }
};
struct NearestFirst {
  static std::int32_t priority(std::int32_t distance) { return distance; }
};
struct FarthestFirst {  // so that a vertex that comes nearer goes later
  static std::int32_t priority(std::int32_t distance) { return -distance; }
};
struct Scattered {
  static std::int32_t priority(std::int32_t distance) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(distance) * 2654435761u >> 12);
  }
};
template <class Number>
using NearestFirstProgram = SignedProgram<Number, NearestFirst>;
template <class Number>
using FarthestFirstProgram = SignedProgram<Number, FarthestFirst>;
template <class Number>
using ScatteredProgram = SignedProgram<Number, Scattered>;

// Without cycles, so that weights may be below 0: distances fall below the bucket at work after they have been sent.
TEST(Buckets, AreRightInAnyOrder) {
  const abi::Program* programs[] = {&program_of<NearestFirstProgram, std::int32_t>("nearest_first"),
                                    &program_of<FarthestFirstProgram, std::int32_t>("farthest_first"),
                                    &program_of<ScatteredProgram, std::int32_t>("scattered")};
  constexpr std::int32_t kUnreached = SignedHooks<std::int32_t, NearestFirst>::kIdentity;
  struct Shape {
    VertexId num_vertices, reach;
  };
  for (const auto& [num_vertices, reach] : {Shape{600, 70}, Shape{1000, 500}}) {
    std::mt19937 random(reach);
    Edges edges;
    for (VertexId v = 1; v < num_vertices; ++v) {
      for (int k = 0; k < 4; ++k) edges.emplace_back(v - 1 - random() % std::min(v, reach), v);
    }
    Csr csr = csr_of(num_vertices, edges);
    std::vector<std::int32_t> weights;
    for (EdgeCount e = 0; e < csr.num_edges(); ++e) weights.push_back(static_cast<int>(random() % 1000) - 100);
    csr.weights = array(weights);
    std::vector<std::int32_t> expected(num_vertices, kUnreached);
    expected[0] = 0;
    for (VertexId v = 0; v < num_vertices; ++v) {  // in topological order
      if (expected[v] == kUnreached) continue;
      for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
        expected[csr.targets[e]] = std::min(expected[csr.targets[e]], expected[v] + weights[e]);
      }
    }
    const Graph graph(std::move(csr));
    each_way(graph, [&](const RunOptions& options) {
      for (const abi::Program* program : programs) {
        EXPECT_EQ(values_of<std::int32_t>(run(*program, graph, {}, options)), expected) << program->name;
      }
    });
  }
}

// The widest path: more is better, and the unreached are in the bucket of the narrowest.
template <class Number>
struct WidestHooks {
  using Property = Number;
  static constexpr Property kIdentity = 0;
  static constexpr bool kReadsEdgeProperty = true;
  static constexpr bool kIdempotent = true;
  static constexpr int kAux = 0;
  static bool isActive(Property update) { return update != 0; }
  static bool isSource(Property width) { return width != 0; }
  static double priority(Property width) { return -static_cast<double>(width); }
  static Property preprocessProperty(Property width) { return width; }
  static Property scatterFunc(Property width, Property weight) { return std::min(width, weight); }
  static Property updateMergeInRAWSolver(Property a, Property b) { return std::max(a, b); }
  static Property gatherFunc(Property a, Property b) { return std::max(a, b); }
  static Property applyMerge(Property a, Property b) { return std::max(a, b); }
  static Property applyFunc(Property tProp, Property width, Property, unsigned& extra, unsigned) {
    extra += tProp > width;
    return std::max(width, tProp);
  }
};
template <class Number>
struct WidestProgram {
  using Hooks = WidestHooks<Number>;
  using Value = Number;
  const Context<NoParameters>& context;
  Number initial(VertexId v) const { return v == 0 ? 1000000 : 0; }
  Until until(int, const std::uint64_t* sums) const { return done_if(sums[0] == 0); }
  Value finish(Number width, VertexId) const { return width; }
};

TEST(Buckets, FindTheWidestPath) {
  const auto& program = program_of<WidestProgram, std::uint32_t>("widest");
  const Edges edges = random_edges(2000, 6000, 4);
  Csr csr = csr_of(2000, edges);
  std::mt19937 random(4);
  std::vector<std::int32_t> weights;
  for (EdgeCount e = 0; e < csr.num_edges(); ++e) weights.push_back(1 + random() % 100 * (random() % 100));
  csr.weights = array(weights);
  std::vector<std::uint32_t> expected(2000, 0);
  expected[0] = 1000000;
  for (bool changed = true; changed;) {
    changed = false;
    for (VertexId v = 0; v < 2000; ++v) {
      for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
        const std::uint32_t width = std::min(expected[v], static_cast<std::uint32_t>(weights[e]));
        if (width <= expected[csr.targets[e]]) continue;
        expected[csr.targets[e]] = width;
        changed = true;
      }
    }
  }
  const Graph graph(std::move(csr));
  each_way(graph, [&](const RunOptions& options) {
    EXPECT_EQ(values_of<std::uint32_t>(run(program, graph, {}, options)), expected);
  });
}

// A street of few vertices a super-step, with a city at its end.
TEST(Buckets, BecomeWiderOnTheWay) {
  constexpr VertexId kStreet = 4000, kNumVertices = 30000;
  std::mt19937 random(3);
  Edges edges;
  for (VertexId v = 1; v < kStreet; ++v) edges.emplace_back(v - 1, v);
  for (VertexId v = kStreet; v < kNumVertices; ++v) {
    edges.emplace_back(kStreet - 1 + random() % (v - kStreet + 1), v);
    edges.emplace_back(v, kStreet + random() % (kNumVertices - kStreet));
  }
  Csr csr = csr_of(kNumVertices, edges);
  std::vector<std::int32_t> weights;
  for (EdgeCount e = 0; e < csr.num_edges(); ++e) weights.push_back(1 + random() % 100000);
  csr.weights = array(weights);
  const std::vector<double> expected = dijkstra(csr, weights);
  const Graph graph(std::move(csr));
  const auto check = [&](const RunOptions& options) {
    const auto distance = values_of<std::int64_t>(run(find_program("sssp"), graph, {}, options));
    EXPECT_EQ(std::vector<double>(distance.begin(), distance.end()), expected);
  };
  RunOptions options;
  options.num_threads = 2;
  check(options);
  options.num_threads = 4;
  options.domains = std::make_shared<const Domains>(graph, 3, DomainOptions{"balanced", false});
  check(options);
}

// A street, at whose end crossings lead to all of a city. Wider buckets than at first have all of it, and every
// crossing makes the way to it shorter: it is sent again as often, so that buckets become narrower. Then come its
// suburbs.
TEST(Buckets, BecomeNarrowerAgain) {
  constexpr VertexId kStreet = 1000, kCrossings = 70, kCity = engine::kManyVertices + 200;
  constexpr VertexId kFirstOfCity = kStreet + kCrossings, kFirstSuburb = kFirstOfCity + kCity;
  static_assert(kCrossings > 2 * engine::kStepsPerWidth && kStreet > 8 * engine::kStepsPerWidth);
  std::mt19937 random(3);
  std::vector<std::uint32_t> offsets{0};
  std::vector<VertexId> targets;
  std::vector<std::int32_t> weights;
  std::vector<std::int64_t> expected{0};
  const auto lead = [&](VertexId target, std::int32_t weight) {
    targets.push_back(target);
    weights.push_back(weight);
  };
  const auto end_row = [&] { offsets.push_back(static_cast<std::uint32_t>(targets.size())); };
  for (VertexId v = 0; v + 1 < kFirstOfCity; ++v) {
    if (v >= kStreet) {
      const auto after = static_cast<std::int32_t>(kFirstOfCity - v);
      for (VertexId i = 0; i < kCity; ++i) lead(kFirstOfCity + i, 2 * after + static_cast<std::int32_t>(i % 30));
    }
    lead(v + 1, v + 1 < kStreet ? static_cast<std::int32_t>(1 + random() % 100000) : 1);
    expected.push_back(expected.back() + weights.back());
    end_row();
  }
  const std::int64_t last_crossing = expected.back();
  for (VertexId i = 0; i < kCity; ++i) lead(kFirstOfCity + i, 2 + static_cast<std::int32_t>(i % 30));
  end_row();
  for (VertexId i = 0; i < kCity; ++i) {
    lead(kFirstSuburb + i, static_cast<std::int32_t>(1 + random() % 2000000));
    expected.push_back(last_crossing + 2 + i % 30);
    end_row();
  }
  for (VertexId i = 0; i < kCity; ++i) {
    expected.push_back(expected[kFirstOfCity + i] + weights[offsets[kFirstOfCity + i]]);
    end_row();
  }
  const VertexId n = kFirstSuburb + kCity;
  const Graph graph(Csr{n, n, Offsets(array(offsets)), array(targets), array(weights)});
  RunOptions options;
  options.num_threads = 1;  // for each thread the city would have to be as large
  EXPECT_EQ(values_of<std::int64_t>(run(find_program("sssp"), graph, {}, options)), expected);
}

}  // namespace
}  // namespace gaspipe
