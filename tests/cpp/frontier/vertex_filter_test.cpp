// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/cpp/frontier/reference.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

struct Trio {
  std::int32_t number, received, times;
  bool operator==(const Trio& other) const {
    return number == other.number && received == other.received && times == other.times;
  }
};
struct Send {
  std::int32_t gather(const Trio& value, EdgeCount, NoValue&) const { return value.number; }
  std::int32_t reduce(std::int32_t a, std::int32_t b) const { return a + b; }
};
// Its condition depends on the value, the accumulator and the id.
struct Take : Send {
  bool cond(const Trio& value, std::int32_t received, VertexId id) const {
    return (value.number + received + int(id)) % 3 != 0;
  }
  void update(Trio& value, std::int32_t received, VertexId id) const {
    value.received = received + static_cast<std::int32_t>(id);
    ++value.times;
  }
};

using Engine = FrontierEngine<Trio, NoValue, std::int32_t>;

void start(Engine& engine, const Csr& csr) {
  engine.readGraph(Graph(csr));
  const VertexSubset all(csr.num_rows, true);
  engine.vertexMap(all, [](Trio& value, std::int32_t, VertexId v) { value = {static_cast<int>(v * 5 % 97), 0, 0}; });
}

// OLV-5, OLV-9, OLV-10 (each form of the source; queues give queues, bitmaps bitmaps), OLV-11.
TEST(VertexFilter, UpdatesTheVerticesThatItsConditionHoldsFor) {
  for (const auto& [name, csr] : odd_graphs()) {
    for (const FrontierOptions& options : all_options()) {
      Engine engine(0, options);
      start(engine, csr);
      const VertexId n = engine.getVertexCount();
      engine.edgeMap(VertexSubset(n, true), Send());
      VertexSubset dst;
      for (const VertexSubset& src : sets_of(n)) {
        SCOPED_TRACE(name + ", " + text_of(options, src));
        auto values = copy(std::as_const(engine).vertex_values(), n);
        std::vector<VertexId> expected;
        for (const VertexId v : src.vertices()) {
          if (!Take().cond(values[v], engine.accumulators()[v], v)) continue;
          Take().update(values[v], engine.accumulators()[v], v);
          expected.push_back(v);
        }
        engine.vertexFilter(dst, src, Take());
        ASSERT_EQ(dst.vertices(), expected);
        ASSERT_EQ(dst.size(), expected.size());
        ASSERT_EQ(engine.getWorkqueueSize(), expected.size());
        ASSERT_EQ(engine.allVerticesInactive(), expected.empty());
        ASSERT_EQ(copy(std::as_const(engine).vertex_values(), n), values);
        ASSERT_EQ(dst.is_bitmap(), src.is_bitmap());
      }
      engine.clearWorkqueue();
      EXPECT_TRUE(engine.allVerticesInactive());
    }
  }
}

// OLV-10: a round from a set in either form, into a set of either form.
TEST(VertexFilter, TakesWhatEdgeFilterReachesInEveryForm) {
  const Csr csr = csr_of(700, random_edges(700, 12000, 1));
  std::vector<Trio> expected;
  for (const bool from_bitmap : {false, true}) {
    for (const bool scan : {false, true}) {
      FrontierOptions options;
      options.num_threads = 2;
      options.direction = Direction::kPush;
      options.scan = scan;
      Engine engine(0, options);
      start(engine, csr);
      VertexSubset front(700, std::vector<VertexId>{1, 5, 600}), reached;
      for (int round = 0; round < 3; ++round) {
        if (from_bitmap) front.to_bitmap();
        engine.edgeFilter(reached, front, Send());
        EXPECT_EQ(reached.is_bitmap(), !scan);
        engine.vertexFilter(front, reached, Take());
        EXPECT_EQ(front.is_bitmap(), !scan);
      }
      const auto values = copy(std::as_const(engine).vertex_values(), 700);
      if (expected.empty()) expected = values;
      EXPECT_EQ(values, expected);
    }
  }
}

TEST(EdgeVertexFilter, IsOneAfterTheOther) {
  for (const auto& [name, csr] : odd_graphs()) {
    for (const FrontierOptions& options : all_options()) {
      const VertexId n = csr.num_rows;
      for (const VertexSubset& src : sets_of(n)) {
        SCOPED_TRACE(name + ", " + text_of(options, src));
        Engine engine(0, options);
        start(engine, csr);
        auto values = copy(std::as_const(engine).vertex_values(), n);
        std::vector<NoValue> edges(csr.num_edges());
        const auto gathered = gather_by_hand(csr, src, values, edges, 0, Send());
        std::vector<VertexId> expected;
        for (const VertexId v : gathered.reached) {
          if (!Take().cond(values[v], gathered.accums[v], v)) continue;
          Take().update(values[v], gathered.accums[v], v);
          expected.push_back(v);
        }
        VertexSubset dst;
        engine.edgeVertexFilter(dst, src, Take());
        ASSERT_EQ(dst.vertices(), expected);
        ASSERT_EQ(copy(std::as_const(engine).vertex_values(), n), values);
      }
    }
  }
}

// OLV-6.
TEST(VertexMap, VisitsEveryMemberOnce) {
  for (const FrontierOptions& options : all_options()) {
    for (const VertexId n : {1u, 64u, 20000u}) {
      FrontierEngine<std::int32_t, NoValue, std::int32_t> engine(3, options);
      engine.readGraph(Graph(csr_of(n, {})));
      for (const VertexSubset& src : sets_of(n)) {
        const VertexSubset all(n, true);
        engine.vertexMap(all, [](std::int32_t& value, std::int32_t) { value = 0; });
        engine.vertexMap(src, [](std::int32_t& value, std::int32_t accum) { value += accum; });
        for (VertexId v = 0; v < n; v += 1 + v / 1000) {
          ASSERT_EQ(std::as_const(engine).vertex_values()[v], src.contains(v) ? 3 : 0);
        }
      }
    }
  }
}

// OLV-15.
TEST(VertexReduce, AddsUpInOneOrder) {
  const VertexId n = 30000;
  double expected_of_all = 0, expected_of_some = 0;
  std::vector<VertexId> some;
  for (VertexId v = 0; v < n; ++v) {
    expected_of_all += std::sin(v);
    if (v % 7 == 2) expected_of_some += std::sin(v), some.push_back(v);
  }
  double first_all = 0, first_some = 0;
  for (const int num_threads : {1, 2, 5}) {
    FrontierOptions options;
    options.num_threads = num_threads;
    FrontierEngine<double, NoValue, double> engine(0, options);
    engine.readGraph(Graph(csr_of(n, {})));
    const VertexSubset set(n, some);
    engine.vertexMap(VertexSubset(n, true), [](double& value, double, VertexId v) { value = std::sin(v); });
    const auto add = [](double a, double b) { return a + b; };
    const double all = engine.vertexReduce(0.0, [](double value) { return value; }, add);
    const double of_some = engine.vertexReduce(set, 0.0, [](double value, VertexId) { return value; }, add);
    EXPECT_NEAR(all, expected_of_all, 1e-12 * std::fabs(expected_of_all));
    EXPECT_NEAR(of_some, expected_of_some, 1e-12 * std::fabs(expected_of_some));
    if (num_threads == 1) first_all = all, first_some = of_some;
    EXPECT_EQ(all, first_all);
    EXPECT_EQ(of_some, first_some);
    const auto larger = [](VertexId a, VertexId b) { return std::max(a, b); };
    EXPECT_EQ(engine.vertexReduce(set, VertexId(0), [](double, VertexId v) { return v; }, larger), some.back());
    EXPECT_EQ(engine.vertexReduce(
                  VertexSubset(n), 42.0, [](double value) { return value; },
                  [](double a, double b) { return std::min(a, b); }),
              42.0);
  }
}

// OLV-16, OLV-34: ids ascend, and what is written through the pointer is what the calls see.
TEST(VertexTransform, CollectsValuesInTheOrderOfTheIds) {
  FrontierEngine<std::int32_t, NoValue, std::int32_t> engine(0);
  engine.readGraph(Graph(csr_of(100, {})));
  std::iota(engine.vertex_values(), engine.vertex_values() + 100, 1000);
  std::vector<VertexId> ids;
  engine.vertexTransform([&](VertexId v, std::int32_t value) {
    EXPECT_EQ(value, 1000 + int(v));
    ids.push_back(v);
  });
  std::vector<VertexId> expected(100);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(ids, expected);
}

}  // namespace
}  // namespace gaspipe
