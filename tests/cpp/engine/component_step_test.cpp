// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/engine/component_step.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "gaspipe/domain.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

// The smallest vertex of every component: a flood from each vertex that no earlier one has reached.
std::vector<std::int64_t> floods(VertexId num_vertices, const Edges& edges) {
  std::vector<std::vector<VertexId>> neighbours(num_vertices);
  for (const auto& [a, b] : edges) {
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  }
  std::vector<std::int64_t> component(num_vertices, -1);
  for (VertexId root = 0; root < num_vertices; ++root) {
    if (component[root] >= 0) continue;
    std::vector<VertexId> stack{root};
    component[root] = root;
    while (!stack.empty()) {
      const VertexId v = stack.back();
      stack.pop_back();
      for (const VertexId next : neighbours[v]) {
        if (component[next] >= 0) continue;
        component[next] = root;
        stack.push_back(next);
      }
    }
  }
  return component;
}

Edges both_ways(Edges edges) {
  const std::size_t size = edges.size();
  for (std::size_t i = 0; i < size; ++i) edges.emplace_back(edges[i].second, edges[i].first);
  return edges;
}

TEST(ComponentStep, FindsTheSmallestVertexOfEveryComponent) {
  const VertexId n = 20000;
  for (const std::size_t num_edges : {0, 5000, 12000, 100000}) {
    Edges edges = random_edges(n, num_edges, static_cast<unsigned>(num_edges));
    edges.insert(edges.end(), edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(num_edges / 10));
    for (VertexId v = 0; v < n; v += 9) edges.emplace_back(v, v);
    for (const Edges& walked : {edges, both_ways(edges)}) {
      const Graph graph = graph_of(n, walked);
      const std::vector<std::int64_t> expected = floods(n, edges);
      for (const int threads : {1, 2, 7}) {
        RunOptions options;
        options.num_threads = threads;
        const Result result = run(find_program("wcc"), graph, {}, options);
        EXPECT_EQ(values_of<std::int64_t>(result), expected) << num_edges;
        ASSERT_EQ(result.stats.supersteps.size(), 1u);
        EXPECT_EQ(result.stats.supersteps.records()[0].kind, abi::kComponentStep);
      }
    }
  }
}

TEST(ComponentStep, DoesNotWalkALongPathVertexByVertex) {
  // The hub of a star at the end of a path of odd ids: joined, skipped and scanned edges all matter.
  const VertexId n = 200001;
  Edges path;
  for (VertexId v = 2; v + 1 < n; ++v) path.emplace_back(v + 1, v);
  std::vector<VertexId> shuffled(n);
  std::iota(shuffled.begin(), shuffled.end(), 0);
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(11));
  Edges mixed;
  for (VertexId v = 0; v + 1 < n; ++v) mixed.emplace_back(shuffled[v], shuffled[v + 1]);
  std::vector<std::int64_t> of_path(n, 2), of_mixed(n, 0);
  of_path[0] = 0, of_path[1] = 1;
  for (const Edges& edges : {path, mixed, both_ways(mixed)}) {
    RunOptions options;
    options.num_threads = 2;
    EXPECT_EQ(values_of<std::int64_t>(run(find_program("wcc"), graph_of(n, edges), {}, options)),
              edges[0] == path[0] ? of_path : of_mixed);
  }
}

// A user's program: the largest of a component's marks, which are neither unique nor at the smallest vertex.
template <class Number>
struct LargestHooks {
  using Property = Number;
  static constexpr Property kIdentity = 0;
  static constexpr bool kIdempotent = true;
  static constexpr bool kComponents = true;
  static constexpr int kAux = 0;
  static Property preprocessProperty(Property mark) { return mark; }
  static Property scatterFunc(Property mark, Property) { return mark; }
  static Property updateMergeInRAWSolver(Property a, Property b) { return gatherFunc(a, b); }
  static Property gatherFunc(Property a, Property b) { return a < b ? b : a; }
  static Property applyMerge(Property a, Property b) { return gatherFunc(a, b); }
  static Property applyFunc(Property tProp, Property source, Property, unsigned& extra, unsigned) {
    extra += source < tProp;
    return gatherFunc(source, tProp);
  }
};
template <class Number>
struct LargestProgram {
  using Hooks = LargestHooks<Number>;
  using Value = std::uint32_t;
  static constexpr View kView = View::kUndirected;
  static constexpr bool kAsksDegrees = false;
  const Context<NoParameters>& context;
  static Number mark(VertexId v) { return v * 2654435761u >> 20; }
  Number initial(VertexId v) const { return mark(v); }
  Until until(int, const std::uint64_t* sums) const { return done_if(sums[0] == 0); }
  Value finish(Number mark, VertexId) const { return mark; }
};

TEST(ComponentStep, GathersTheInitialPropertiesOfAUsersProgram) {
  using Program = LargestProgram<std::uint32_t>;
  const VertexId n = 100000;  // more than a thread takes at once, as edges both ways are
  const Edges edges = random_edges(n, 135000, 21);
  const std::vector<std::int64_t> component = floods(n, edges);
  std::vector<std::uint32_t> largest(n, 0), expected;
  for (VertexId v = 0; v < n; ++v) {
    largest[component[v]] = std::max(largest[component[v]], Program::mark(v));
  }
  for (VertexId v = 0; v < n; ++v) expected.push_back(largest[component[v]]);
  const auto& program = program_of<LargestProgram, std::uint32_t>("largest");
  const Graph graph = graph_of(n, edges);
  for (const int threads : {1, 2, 7}) {
    RunOptions options;
    options.num_threads = threads;
    EXPECT_EQ(values_of<std::uint32_t>(run(program, graph, {}, options)), expected);
  }
  EXPECT_EQ(values_of<std::uint32_t>(run(program, graph, {}, gas(512, 1, 3))), expected);
  for (const auto& [strategy, combine] : {std::pair("balanced", true), std::pair("hash", false)}) {
    RunOptions options;
    options.domains = std::make_shared<const Domains>(graph, 3, DomainOptions{strategy, combine});
    options.num_threads = combine ? 1 : 7;
    EXPECT_EQ(values_of<std::uint32_t>(run(program, graph, {}, options)), expected) << strategy;
  }
}

// The same, but that the first gather takes longer than runs go on without a look whether they are interrupted.
std::atomic<bool> sleeps{false};
template <class Number>
struct SleepyHooks : LargestHooks<Number> {
  static Number gatherFunc(Number a, Number b) {
    if (sleeps.exchange(false)) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return LargestHooks<Number>::gatherFunc(a, b);
  }
};
template <class Number>
struct SleepyProgram : LargestProgram<Number> {
  using Hooks = SleepyHooks<Number>;
};

TEST(ComponentStep, StopsWhenInterrupted) {
  const VertexId n = 100000;
  const Graph graph = graph_of(n, random_edges(n, 300000, 3));
  const auto& program = program_of<SleepyProgram, std::uint32_t>("sleepy");
  for (const int threads : {1, 2}) {
    RunOptions options;
    options.num_threads = threads;
    options.interrupted = [] { return !sleeps; };
    sleeps = true;
    EXPECT_THROW(run(program, graph, {}, options), Cancelled) << threads << " threads";
  }
}

}  // namespace
}  // namespace gaspipe
