// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/cpp/frontier/reference.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

// A value of 4, 8 (with padding), 12 and 40 bytes; reduces of every kind.
struct Count {
  std::int64_t gather(std::int32_t value, EdgeCount outdegree, NoValue&) const {
    return value * 1000 + std::int64_t(outdegree);
  }
  std::int64_t reduce(std::int64_t a, std::int64_t b) const { return a + b; }
};
struct Smallest {
  std::uint16_t gather(std::int32_t value, EdgeCount, NoValue&) const { return static_cast<std::uint16_t>(value); }
  std::uint16_t reduce(std::uint16_t a, std::uint16_t b) const { return std::min(a, b); }
};
struct Bits {
  std::uint8_t gather(std::int32_t value, EdgeCount, const float& edge) const {
    return static_cast<std::uint8_t>(value + int(edge));
  }
  std::uint8_t reduce(std::uint8_t a, std::uint8_t b) const { return a | b; }
};
struct Padded {
  std::int32_t number;
  std::int8_t count;
  bool operator==(const Padded& other) const { return number == other.number && count == other.count; }
};
struct SumPadded {
  Padded gather(std::int32_t value, EdgeCount, NoValue&) const { return {value, 1}; }
  Padded reduce(Padded a, Padded b) const {
    return {std::max(a.number, b.number), static_cast<std::int8_t>((a.count + b.count) & 63)};
  }
};
template <std::size_t length>
struct Several {
  std::int32_t of[length];
  bool operator==(const Several& other) const { return std::equal(of, of + length, other.of); }
};
template <std::size_t length>
struct SumSeveral {
  template <class Edge>
  Several<length> gather(std::int32_t value, EdgeCount outdegree, Edge&) const {
    Several<length> sent{};
    sent.of[0] = value;
    sent.of[length - 1] = static_cast<std::int32_t>(outdegree);
    return sent;
  }
  Several<length> reduce(const Several<length>& a, const Several<length>& b) const {
    Several<length> sum;
    for (std::size_t i = 0; i < length; ++i) sum.of[i] = a.of[i] + b.of[i];
    return sum;
  }
};
// Writes every edge that it sees: how often, and what it got.
struct Visit {
  std::int32_t times;
  std::int32_t outdegree;
  bool operator==(const Visit& other) const { return times == other.times && outdegree == other.outdegree; }
};
struct Log {
  double gather(std::int32_t value, EdgeCount outdegree, Visit& edge) const {
    edge = {edge.times + 1, static_cast<std::int32_t>(outdegree)};
    return value;
  }
  double reduce(double a, double b) const { return a + b; }
};

template <class E, class A, class F>
void expect_all_calls(const A& identity, F f) {
  for (const auto& [name, csr] : odd_graphs()) {
    const Graph graph(csr);
    const VertexId n = csr.num_rows;
    for (const FrontierOptions& options : all_options()) {
      FrontierEngine<std::int32_t, E, A> engine(identity, options);
      engine.readGraph(graph);
      const VertexSubset all(n, true);
      engine.vertexMap(all, [](std::int32_t& value, const A&, VertexId v) { value = static_cast<int>(v * 7 % 1009); });
      const auto values = copy(std::as_const(engine).vertex_values(), n);
      std::vector<E> edges(csr.num_edges(), csr.num_edges() > 0 && !std::is_empty_v<E> ? engine.edge_values()[0] : E{});
      VertexSubset dst;
      for (const VertexSubset& src : sets_of(n)) {  // one after the other: what was before does not matter
        SCOPED_TRACE(name + ", " + text_of(options, src));
        const Gathered<A> expected = gather_by_hand(csr, src, values, edges, identity, f);
        engine.edgeFilter(dst, src, f);
        ASSERT_EQ(dst.vertices(), expected.reached);
        ASSERT_EQ(dst.size(), expected.reached.size());
        ASSERT_EQ(engine.getWorkqueueSize(), expected.reached.size());
        ASSERT_EQ(copy(engine.accumulators(), n), expected.accums);
        if constexpr (!std::is_empty_v<E>) {
          ASSERT_EQ(copy(std::as_const(engine).edge_values(), edges.size()), edges);
        }
        gather_by_hand(csr, src, values, edges, identity, f);  // for what it writes
        engine.edgeMap(src, f);
        ASSERT_EQ(copy(engine.accumulators(), n), expected.accums) << "as without a set of destinations";
        ASSERT_EQ(copy(std::as_const(engine).vertex_values(), n), values);
        VertexSubset both(n, src.vertices());
        gather_by_hand(csr, src, values, edges, identity, f);
        engine.edgeFilter(both, both, f);
        ASSERT_EQ(both.vertices(), expected.reached) << "the source set may become the destination set";
      }
    }
  }
}

// OLV-3, OLV-7, OLV-8, OLV-11, OLV-33, OLV-38.
TEST(EdgeFilter, Sums) { expect_all_calls<NoValue, std::int64_t>(0, Count()); }
TEST(EdgeFilter, TakesMinimaOfShortNumbers) { expect_all_calls<NoValue, std::uint16_t>(0xffff, Smallest()); }
TEST(EdgeFilter, JoinsBitsOverEdgesWithValues) { expect_all_calls<float, std::uint8_t>(0, Bits()); }
TEST(EdgeFilter, ReducesStructsOf8Bytes) { expect_all_calls<NoValue, Padded>({-1, 0}, SumPadded()); }
TEST(EdgeFilter, ReducesStructsOf12Bytes) { expect_all_calls<NoValue, Several<3>>({}, SumSeveral<3>()); }
TEST(EdgeFilter, ReducesStructsOf40BytesOverEdgesWithValues) {
  expect_all_calls<std::int32_t, Several<10>>({}, SumSeveral<10>());
}
// OLV-4, OLV-7: every edge of the set once, with its source's outdegree; the next call sees what was written.
TEST(EdgeFilter, WritesEdgeValues) { expect_all_calls<Visit, double>(0, Log()); }

// OLV-14: a default that is no identity shows in every sum, once, whatever the direction.
TEST(EdgeFilter, StartsEveryAccumulatorAtItsDefault) { expect_all_calls<NoValue, std::int64_t>(5, Count()); }

TEST(EdgeFilter, SeesEdgeValuesThatWereWrittenBetweenPulls) {
  const Csr csr = csr_of(3, {{0, 1}, {0, 2}, {1, 2}, {2, 0}});
  FrontierOptions options;
  options.direction = Direction::kPull;
  FrontierEngine<std::int32_t, float, std::uint8_t> engine(0, options);
  engine.readGraph(Graph(csr));
  const VertexSubset all(3, true);
  engine.edgeMap(all, Bits());
  EXPECT_EQ(copy(engine.accumulators(), 3), (std::vector<std::uint8_t>{1, 1, 1})) << "without weights they are 1";
  engine.edge_values()[2] = 8;
  engine.edgeMap(all, Bits());
  EXPECT_EQ(copy(engine.accumulators(), 3), (std::vector<std::uint8_t>{1, 1, 9}));
}

// Sums of floats of all vertices have the order of the rows.
TEST(EdgeFilter, AddsFloatsInOneOrderForAnyNumberOfThreads) {
  const Csr csr = csr_of(500, random_edges(500, 20000, 4));
  std::vector<float> expected;
  for (const int num_threads : {1, 2, 5}) {
    FrontierOptions options;
    options.num_threads = num_threads;
    FrontierEngine<float, NoValue, float> engine(0, options);
    engine.readGraph(Graph(csr));
    const VertexSubset all(500, true);
    engine.vertexMap(all, [](float& value, float, VertexId v) { value = 1.0f / float(v + 1); });
    struct Add {
      float gather(float value, EdgeCount outdegree, NoValue&) const { return value / float(outdegree); }
      float reduce(float a, float b) const { return a + b; }
    };
    engine.edgeMap(all, Add());
    const auto found = copy(engine.accumulators(), 500);
    if (expected.empty()) expected = found;
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace gaspipe
