// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/engine/edge_map.h"

#include <gtest/gtest.h>

#include <atomic>

#include "tests/cpp/engine/parts.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;
using engine::edge_map;
using engine::edge_map_pull;
using engine::Frontier;
using engine::Pulled;
using engine::PushPolicy;
using engine::with_rows;

using WeightedEdge = engine::Edge<std::int32_t>;
constexpr VertexId kVertices = 5000;

// Marks vertices that are not marked yet, over edges of even weight. Counts the edges that it is called for.
struct Mark {
  static constexpr bool kBranchless = true;
  std::uint32_t* marks;
  std::atomic<std::uint64_t>* num_calls;
  std::uint64_t own_calls = 0;

  bool is_open(VertexId v) const { return marks[v] == 0; }
  std::uint32_t source(VertexId v) const { return v + 1; }
  bool update(std::uint32_t source, const WeightedEdge& edge) {
    ++own_calls;
    if (edge.weight() % 2 != 0 || marks[edge.neighbor()] != 0) return false;
    marks[edge.neighbor()] = source;
    return true;
  }
  bool update_atomic(std::uint32_t source, const WeightedEdge& edge) {
    ++own_calls;
    std::uint32_t before = 0;
    return edge.weight() % 2 == 0 && __atomic_compare_exchange_n(&marks[edge.neighbor()], &before, source, false,
                                                                 __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  }
  bool update_branchless(std::uint32_t source, const WeightedEdge& edge) { return update(source, edge); }
  Pulled pull(VertexId v, const WeightedEdge& edge) {
    ++own_calls;
    if (edge.weight() % 2 != 0) return Pulled::kNothing;
    if (v % 10 == 9) return Pulled::kEnough;
    marks[v] = source(edge.neighbor());
    return Pulled::kJoins;
  }
  void finish(int /*worker*/) { *num_calls += own_calls; }
};

struct Expected {
  std::set<VertexId> next;
  EdgeCount num_edges = 0;  // out of the frontier
};
Expected push_by_hand(const Csr& csr, const std::set<VertexId>& front, const std::set<VertexId>& marked) {
  Expected expected;
  const auto& weights = std::get<Array<std::int32_t>>(csr.weights);
  for (const VertexId v : front) {
    expected.num_edges += csr.degree(v);
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[std::size_t(v) + 1]; ++e) {
      if (weights[e] % 2 == 0 && marked.count(csr.targets[e]) == 0) expected.next.insert(csr.targets[e]);
    }
  }
  return expected;
}
void fill(Frontier& frontier, const std::set<VertexId>& vertices) {
  frontier.clear();
  for (const VertexId v : vertices) frontier.add(v, 0);
  frontier.collect();
}
std::vector<std::uint32_t> marks_of(const std::set<VertexId>& marked) {
  std::vector<std::uint32_t> marks(kVertices);
  for (const VertexId v : marked) marks[v] = kVertices + 1;
  return marks;
}

TEST(EdgeMap, PushesAlongEveryEdgeOfTheFrontierInEveryWay) {
  const Csr narrow = weighted(csr_of(kVertices, random_edges(kVertices, 40000, 1)), 2);
  constexpr EdgeCount kAlways = Frontier::kAnyEdges;
  for (const unsigned one_in : {1u, 3u, 200u}) {
    const auto front = random_vertices(kVertices, one_in, one_in), marked = random_vertices(kVertices, 3, 9);
    const Expected expected = push_by_hand(narrow, front, marked);
    for (const Csr& csr : {narrow, widened(narrow)}) {
      const abi::Csr table = abi_csr(csr);
      for (const int number : {1, 2, 7}) {
        Threads threads(number);
        for (const PushPolicy policy : {PushPolicy{0}, PushPolicy{kAlways}, PushPolicy{kAlways, true}}) {
          Frontier from(table, number), to(table, number);
          fill(from, front);
          fill(to, marked);  // what it held is gone
          std::vector<std::uint32_t> marks = marks_of(marked);
          std::atomic<std::uint64_t> num_calls{0};
          with_rows<std::int32_t>(table, [&](const auto& rows) {
            edge_map(threads.workers(), rows, from, to, Mark{marks.data(), &num_calls}, policy);
          });
          EXPECT_EQ(num_calls, expected.num_edges) << "every edge once";
          EXPECT_EQ(std::set<VertexId>(to.begin(), to.end()), expected.next);
          EXPECT_EQ(to.size(), expected.next.size());
          EdgeCount edges = 0;
          for (const VertexId v : expected.next) {
            edges += csr.degree(v);
            ASSERT_EQ(front.count(marks[v] - 1), 1u);
          }
          EXPECT_EQ(to.edges(), edges);
        }
      }
    }
  }
}

TEST(EdgeMap, PullsWhatItPushesAndStopsAtTheFirstHit) {
  const Csr csr = weighted(csr_of(kVertices, random_edges(kVertices, 40000, 3)), 4);
  Workers core(1);
  const Csr in_edges = transpose(csr, core);
  const auto& weights = std::get<Array<std::int32_t>>(in_edges.weights);
  for (const Csr& in : {in_edges, widened(in_edges)}) {
    const abi::Csr table = abi_csr(csr), in_table = abi_csr(in);
    for (const int number : {1, 2, 7}) {
      Threads threads(number);
      std::set<VertexId> front = random_vertices(kVertices, 20, 5), marked = front;
      std::vector<std::uint32_t> marks = marks_of(marked);
      Frontier from(table, number), to(table, number);
      fill(from, front);
      from.to_bitmap(threads.workers());
      engine::OpenVertices open(kVertices);
      for (int step = 0; step < 4; ++step) {
        EdgeCount looked_at = 0, calls = 0;
        std::set<VertexId> next;
        for (VertexId v = 0; v < kVertices; ++v) {
          if (marked.count(v) == 1) continue;
          for (EdgeCount e = in.offsets[v]; e < in.offsets[std::size_t(v) + 1]; ++e) {
            ++looked_at;
            if (front.count(in.targets[e]) == 0) continue;
            ++calls;
            if (weights[e] % 2 != 0) continue;
            if (v % 10 != 9) next.insert(v);
            break;
          }
        }
        Expected pushed = push_by_hand(csr, front, marked);
        for (VertexId v = 9; v < kVertices; v += 10) pushed.next.erase(v);
        ASSERT_EQ(next, pushed.next);
        std::atomic<std::uint64_t> num_calls{0};
        EXPECT_EQ(with_rows<std::int32_t>(in_table,
                                          [&](const auto& rows) {
                                            return edge_map_pull(threads.workers(), rows, from, to, open,
                                                                 Mark{marks.data(), &num_calls});
                                          }),
                  looked_at);
        EXPECT_EQ(num_calls, calls);
        EXPECT_TRUE(to.is_bitmap());
        EXPECT_EQ(to.size(), next.size());
        to.to_queue(threads.workers());
        EXPECT_EQ(std::set<VertexId>(to.begin(), to.end()), next);
        marked.insert(next.begin(), next.end());
        if (step == 1) {  // a push between the pulls closes vertices too
          for (VertexId v = 0; v < kVertices; v += 4) marked.insert(v), marks[v] = 1;
        }
        front = next;
        std::swap(from, to);
        from.to_bitmap(threads.workers());
      }
    }
  }
}

// Sums the weights of edges from the frontier, in the order in which they come.
struct SumWeights {
  std::vector<std::vector<std::int32_t>>& received;
  VertexId at = 0;

  void begin(VertexId v) { at = v; }
  void gather(const WeightedEdge& edge, bool is_in_front) {
    if (is_in_front) received[at].push_back(edge.weight());
  }
  void end(VertexId v) { EXPECT_EQ(v, at); }
  void finish(int /*worker*/) const {}
};

TEST(EdgeMap, GathersOverAllEdgesInTheOrderOfTheRows) {
  Workers core(1);
  const Csr in = transpose(weighted(csr_of(kVertices, random_edges(kVertices, 40000, 6)), 7), core);
  const auto& weights = std::get<Array<std::int32_t>>(in.weights);
  const abi::Csr table = abi_csr(in);
  for (const int number : {1, 2, 7}) {
    Threads threads(number);
    for (const bool is_all : {true, false}) {
      const auto front = random_vertices(kVertices, is_all ? 1 : 3, 8);
      engine::Bitmap bits(kVertices);
      for (const VertexId v : front) bits.set(v);
      std::vector<std::vector<std::int32_t>> received(kVertices), expected(kVertices);
      Frontier to(table, number, 0);
      engine::edge_map_gather(threads.workers(), engine::Rows<std::int32_t>(table), is_all ? nullptr : &bits, to,
                              SumWeights{received});
      std::uint64_t size = 0;
      for (VertexId v = 0; v < kVertices; ++v) {
        for (EdgeCount e = in.offsets[v]; e < in.offsets[std::size_t(v) + 1]; ++e) {
          if (front.count(in.targets[e]) == 1) expected[v].push_back(weights[e]);
        }
        size += !expected[v].empty();
        ASSERT_EQ(to.bits().get(v), !expected[v].empty());
      }
      EXPECT_EQ(received, expected);
      EXPECT_EQ(to.size(), size);
    }
  }
}

TEST(Shares, AreTakenInPiecesThatCoverTheList) {
  for (const int number : {1, 2, 7}) {
    for (const std::uint64_t size : {0u, 1u, 100u, 12345u}) {
      Threads threads(number);
      std::vector<std::atomic<int>> visits(size);
      std::vector<engine::Share> shares = engine::shares_of(size, number);
      threads.workers().each(number, 1, [&](std::uint64_t, std::uint64_t, int worker) {
        for (int i = 0; i < number; ++i) {
          shares[(worker + i) % number].take(threads.workers(), worker, 64,
                                             [&](std::uint64_t first, std::uint64_t last) {
                                               EXPECT_LE(last - first, 64u);
                                               for (std::uint64_t k = first; k < last; ++k) ++visits[k];
                                             });
        }
      });
      for (const auto& count : visits) ASSERT_EQ(count, 1);
    }
  }
}

}  // namespace
}  // namespace gaspipe
