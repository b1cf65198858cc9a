// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/partition.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "gaspipe/graph.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

Edges edges_of(const SubPartition& sub) {
  const auto encoded = sub.encode();
  Edges edges;
  for (std::size_t i = 0; i < sub.num_edges(); ++i) edges.emplace_back(encoded.sources[i], encoded.destinations[i]);
  return edges;
}

TEST(Partitioning, HoldsEveryEdgeOnceInItsRangeSortedBySource) {
  for (const auto& [n, m] : {std::pair<VertexId, std::size_t>{1, 3}, {10, 40}, {70000, 20000}}) {
    const Edges edges = random_edges(n, m, 11);
    const Graph graph{csr_of(n, edges)};
    Edges expected = edges;
    std::sort(expected.begin(), expected.end());
    for (std::uint32_t capacity : {1u, 3u, 64u, 1u << 16, 100000u}) {
      if (n / capacity > 5000) continue;
      for (std::uint32_t units : {1u, 2u, 16u}) {
        for (const char* cut : {"equal", "balanced"}) {
          Workers workers(2);
          const auto parts = graph.partition(View::kForward, {capacity, units, cut}, abi::kNone, workers);
          ASSERT_EQ(parts->size(), (n + capacity - 1) / capacity);
          Edges all;
          for (std::size_t p = 0; p < parts->size(); ++p) {
            const Partition part = parts->get_partition(p);
            ASSERT_EQ(part.size(), units);
            EdgeCount next = 0;
            VertexId last_source = 0;
            for (std::size_t u = 0; u < units; ++u) {
              const SubPartition sub = part.get_sub_partition(u);
              ASSERT_EQ(sub.first_edge(), next);
              next += sub.num_edges();
              const Edges mine = edges_of(sub);
              for (const auto& [source, target] : mine) {
                ASSERT_GE(source, last_source);
                last_source = source;
                ASSERT_TRUE(target >= part.first_vertex() && target < part.last_vertex());
              }
              if (!mine.empty()) {
                ASSERT_EQ(sub.first_source(), mine.front().first);
                ASSERT_EQ(sub.last_source(), mine.back().first);
              }
              all.insert(all.end(), mine.begin(), mine.end());
            }
            ASSERT_EQ(next, part.num_edges());
          }
          std::sort(all.begin(), all.end());
          ASSERT_EQ(all, expected) << n << " vertices, capacity " << capacity << ", " << units << " units, " << cut;
        }
      }
    }
  }
}

// What partitions hold, by one walk over the edges: a source once per partition, with its edges in the row's order.
struct Plain {
  std::vector<std::uint32_t> run_sources, run_lengths, destinations;
  std::vector<double> weights;
};
std::vector<Plain> partition_plainly(const Csr& csr, std::uint32_t capacity, const std::vector<double>& weights) {
  std::vector<Plain> plain((std::uint64_t(csr.num_columns) + capacity - 1) / capacity);
  for (VertexId v = 0; v < csr.num_rows; ++v) {
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
      Plain& part = plain[csr.targets[e] / capacity];
      if (part.run_sources.empty() || part.run_sources.back() != v) {
        part.run_sources.push_back(v);
        part.run_lengths.push_back(0);
      }
      ++part.run_lengths.back();
      part.destinations.push_back(csr.targets[e] % capacity);
      part.weights.push_back(weights[e]);
    }
  }
  return plain;
}

template <class Destination, class Weight>
void expect_equal(const abi::Partition& part, const Plain& plain) {
  const auto* destinations = static_cast<const Destination*>(part.destinations);
  const auto* weights = static_cast<const Weight*>(part.weights);
  ASSERT_EQ(part.num_edges, plain.destinations.size());
  ASSERT_EQ(part.num_runs, plain.run_sources.size());
  EXPECT_TRUE(std::equal(plain.run_sources.begin(), plain.run_sources.end(), part.run_sources));
  EXPECT_TRUE(std::equal(plain.run_lengths.begin(), plain.run_lengths.end(), part.run_lengths));
  EXPECT_TRUE(std::equal(plain.destinations.begin(), plain.destinations.end(), destinations));
  EXPECT_TRUE(std::equal(plain.weights.begin(), plain.weights.end(), weights));
}

// Rows whose degrees `degree` draws, some of them twenty times as long; targets that often share a partition.
template <class Draw>
Csr rows_of(VertexId num_rows, VertexId num_columns, bool sorts, const Draw& degree) {
  std::mt19937 random(num_columns);
  std::vector<std::uint64_t> offsets{0};
  std::vector<VertexId> targets;
  for (VertexId v = 0; v < num_rows; ++v) {
    const std::size_t size = degree(random) * (v % 97 == 0 ? 20 : 1);
    const VertexId span = v % 3 == 0 ? std::min<VertexId>(num_columns, 300) : num_columns;
    const VertexId low = random() % (num_columns - span + 1);
    for (std::size_t i = 0; i < size; ++i) targets.push_back(low + random() % span);
    if (sorts) std::sort(targets.end() - size, targets.end());
    offsets.push_back(targets.size());
  }
  if (num_rows % 2 == 1) return {num_rows, num_columns, Offsets(array(offsets)), array(targets), {}};
  const std::vector<std::uint32_t> narrow(offsets.begin(), offsets.end());
  return {num_rows, num_columns, Offsets(array(narrow)), array(targets), {}};
}

template <class Weight>
void check_against_plain(const Csr& rows, const std::vector<std::uint32_t>& capacities, abi::Scalar type) {
  std::vector<double> plain_weights(rows.num_edges());
  std::vector<Weight> weights(rows.num_edges());
  for (std::size_t e = 0; e < weights.size(); ++e) plain_weights[e] = weights[e] = static_cast<Weight>(e % 1000003);
  const auto typed = array(weights);
  const Array<std::uint8_t> bytes(typed.owner(), reinterpret_cast<const std::uint8_t*>(typed.data()),
                                  typed.size() * sizeof(Weight));
  const auto csr = std::make_shared<const Csr>(rows);
  Workers workers(2);
  for (const std::uint32_t capacity : capacities) {
    SCOPED_TRACE(::testing::Message() << rows.num_rows << " x " << rows.num_columns << ", capacity " << capacity);
    const auto parts = Partitioning::make(csr, {capacity, 1, "equal"}, type, bytes, workers);
    const auto plain = partition_plainly(*csr, capacity, plain_weights);
    ASSERT_EQ(parts->size(), plain.size());
    ASSERT_EQ(parts->table().capacity, std::min(capacity, rows.num_columns));
    ASSERT_EQ(parts->table().destination_bytes, std::min(capacity, rows.num_columns) <= 65536 ? 2 : 4);
    for (std::size_t p = 0; p < plain.size(); ++p) {
      const abi::Partition& part = parts->table().partitions[p];
      parts->table().destination_bytes == 2 ? expect_equal<std::uint16_t, Weight>(part, plain[p])
                                            : expect_equal<std::uint32_t, Weight>(part, plain[p]);
    }
  }
}

const std::vector<std::uint32_t> kCapacities = {100, 1024, 4099, 1u << 16, (1u << 16) + 1, 70000};

TEST(Partitioning, HoldsRunsAsAPlainWalkFindsThem) {
  for (const unsigned most : {3u, 40u, 300u}) {
    const auto degree = [&](std::mt19937& random) { return random() % (most + 1); };
    check_against_plain<float>(rows_of(1000, 70000, true, degree), kCapacities, abi::kFloat32);
    check_against_plain<double>(rows_of(999, 70000, true, degree), kCapacities, abi::kFloat64);
  }
}

TEST(Partitioning, NamesASourceOnceWhereARowIsNotSorted) {
  const auto degree = [](std::mt19937& random) { return random() % 100; };
  check_against_plain<std::int32_t>(rows_of(1200, 70000, false, degree), kCapacities, abi::kInt32);
  check_against_plain<std::int64_t>(rows_of(1199, 70000, false, degree), kCapacities, abi::kInt64);
}

TEST(Partitioning, HoldsRunsWhereRowsEndWithABlockOfEdges) {
  const auto degree = [](std::mt19937& random) { return 64 * (random() % 3); };
  check_against_plain<float>(rows_of(1000, 70000, true, degree), kCapacities, abi::kFloat32);
}

TEST(Partitioning, HoldsRunsOfTheSmallestAndLargestCapacities) {
  const auto degree = [](std::mt19937& random) { return random() % 8; };
  check_against_plain<float>(rows_of(60, 50, true, degree), {1, 2, 3, 49, 50}, abi::kFloat32);
  check_against_plain<float>(rows_of(500, 0xfffffffe, true, degree),
                             {0x10000001, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff}, abi::kFloat32);
  check_against_plain<float>(rows_of(10, 50, true, [](std::mt19937&) { return 0; }), {1, 7, 64}, abi::kFloat32);
}

TEST(Partitioning, IsTheSameForAnyNumberOfThreads) {
  const Edges edges = random_edges(5000, 400000, 5);
  const Graph graph{csr_of(5000, edges)};
  std::vector<Edges> seen;
  for (int threads : {1, 2, 7}) {
    Workers workers(threads);
    const auto parts = Partitioning::make(graph.csr(), {1000, 3, "equal"}, abi::kNone, {}, workers);
    Edges all;
    for (std::size_t p = 0; p < parts->size(); ++p) {
      for (int u = 0; u < 3; ++u) {
        const Edges mine = edges_of(parts->get_partition(p).get_sub_partition(u));
        all.insert(all.end(), mine.begin(), mine.end());
      }
    }
    seen.push_back(all);
  }
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_EQ(seen[0], seen[2]);
}

TEST(Partitioning, PadsToWholeWords) {
  const Graph graph = graph_of(4, {{0, 1}, {0, 2}, {3, 0}});
  Workers workers(1);
  const auto parts = graph.partition(View::kForward, {4, 1, "equal"}, abi::kNone, workers);
  const SubPartition sub = parts->get_partition(0).get_sub_partition(0);
  EXPECT_EQ(sub.num_padded_edges(), 16u);
  const auto encoded = sub.encode();
  EXPECT_EQ(encoded.sources.size(), 16u);
  for (std::size_t i = 3; i < 16; ++i) {
    EXPECT_EQ(encoded.destinations[i], kNoVertex);
    EXPECT_EQ(encoded.sources[i], 3u);
  }
}

TEST(Partitioning, EqualCutDiffersByAtMostOneEdge) {
  const Graph graph{csr_of(100, random_edges(100, 1003, 2))};
  Workers workers(1);
  const auto parts = graph.partition(View::kForward, {100, 7, "equal"}, abi::kNone, workers);
  for (int u = 0; u < 7; ++u) {
    const EdgeCount edges = parts->get_partition(0).get_sub_partition(u).num_edges();
    EXPECT_TRUE(edges == 143 || edges == 144) << edges;
  }
}

TEST(Partitioning, BalancedCutGivesFewerEdgesToAWideSpanOfSources) {
  // 1000 edges from vertex 0, then one from each of 1000 vertices.
  Edges edges(1000, {0, 0});
  for (VertexId v = 1; v <= 1000; ++v) edges.emplace_back(v, 0);
  const Graph graph{csr_of(1001, edges)};
  Workers workers(1);
  const auto parts = graph.partition(View::kForward, {2000, 2, "balanced"}, abi::kNone, workers);
  const auto first = parts->get_partition(0).get_sub_partition(0),
             second = parts->get_partition(0).get_sub_partition(1);
  const auto cost = [](const SubPartition& sub) {
    return sub.num_edges() + 0.38 * (sub.last_source() - sub.first_source());
  };
  EXPECT_GT(first.num_edges(), second.num_edges());
  EXPECT_NEAR(cost(first), cost(second), 5);
}

// An edge lies before a cut if its number, counted from 1, and 0.2648 / 0.6971 for each source since the first make at
// most the cut's share of all edges and the whole span.
TEST(Partitioning, BalancedCutIsWhereAWalkOverTheEdgesFindsIt) {
  for (std::size_t num_edges : {1u, 2u, 50u, 3000u}) {
    Edges edges = random_edges(900, num_edges, static_cast<unsigned>(num_edges));
    for (std::size_t i = 0; i < num_edges / 3; ++i) edges[i].first = 400;  // a long run
    for (auto& edge : edges) edge.first += 50;
    if (num_edges == 50) edges.assign(num_edges = 16, {77, 3});  // a cut at each edge
    std::sort(edges.begin(), edges.end());
    const Graph graph{csr_of(1000, edges)};
    Workers workers(1);
    for (const std::uint32_t units : {2u, 3u, 7u, 16u}) {
      const auto parts = graph.partition(View::kForward, {1000, units, "balanced"}, abi::kNone, workers);
      const double ratio = 0.2648 / 0.6971, first = edges[0].first;
      const double total = static_cast<double>(num_edges) + ratio * (edges.back().first - first);
      for (std::uint32_t unit = 0; unit < units; ++unit) {
        EdgeCount before = 0;
        for (std::size_t e = 0; e < num_edges; ++e) {
          before += static_cast<double>(e + 1) + ratio * (edges[e].first - first) <= total * unit / units;
        }
        EXPECT_EQ(parts->get_partition(0).get_sub_partition(unit).first_edge(), before) << num_edges << ", " << unit;
      }
    }
  }
}

TEST(Partitioning, EqualCutGivesTheFirstUnitsOneMore) {
  const Graph graph{csr_of(100, random_edges(100, 1003, 2))};
  Workers workers(1);
  const auto parts = graph.partition(View::kForward, {100, 7, "equal"}, abi::kNone, workers);
  for (int u = 0; u < 7; ++u) {  // 1003 = 7 * 143 + 2
    EXPECT_EQ(parts->get_partition(0).get_sub_partition(u).num_edges(), u < 2 ? 144u : 143u);
  }
}

TEST(Partitioning, TellsItsBytesAndSourcesOfNothing) {
  const Graph graph = graph_of(8, {{1, 0}, {1, 2}, {1, 5}, {3, 0}});
  Workers workers(1);
  const auto parts = graph.partition(View::kForward, {4, 2, "equal"}, abi::kNone, workers);
  // Runs: 1 and 3 in the first partition, 1 in the second; 4 bytes each for source and length, 2 for an edge.
  EXPECT_EQ(parts->num_bytes(), 3 * 8 + 4 * 2u);
  const SubPartition empty = parts->get_partition(1).get_sub_partition(1);
  EXPECT_EQ(empty.num_edges(), 0u);
  EXPECT_EQ(empty.first_source(), 0u);
  EXPECT_EQ(empty.last_source(), 0u);
}

TEST(Partitioning, RefusesAVertexOfMoreEdgesThanARunCounts) {
  for (const std::uint64_t last : {std::uint64_t(1) << 32, (std::uint64_t(1) << 32) + 7}) {
    // Its edges are not there: offsets alone are looked at.
    const Csr rows{1, 10, Offsets(array(std::vector<std::uint64_t>{0, last})), array(std::vector<VertexId>{1}), {}};
    Workers workers(1);
    try {
      Partitioning::make(std::make_shared<const Csr>(rows), {10, 1, "equal"}, abi::kNone, {}, workers);
      FAIL();
    } catch (const CapacityError& error) {
      EXPECT_EQ(error.what(), message("vertex 0 has ", last, " edges; at most 2^32 - 1 are supported"));
    }
  }
}

TEST(Partitioning, CountsARowsEdgesFromTheRowsBegin) {
  // The first row's edges are there, as those of a whole block.
  const std::uint64_t last = (std::uint64_t(1) << 32) + 9;
  const Csr rows{
      2, 10, Offsets(array(std::vector<std::uint64_t>{0, 5, last})), array(std::vector<VertexId>(64, 3)), {}};
  Workers workers(1);
  try {
    Partitioning::make(std::make_shared<const Csr>(rows), {10, 1, "equal"}, abi::kNone, {}, workers);
    FAIL();
  } catch (const CapacityError& error) {
    EXPECT_EQ(error.what(), message("vertex 1 has ", last - 5, " edges; at most 2^32 - 1 are supported"));
  }
}

TEST(Partitioning, IsEmptyWithoutVertices) {
  const Csr rows{0, 0, Offsets(array(std::vector<std::uint64_t>{0})), array(std::vector<VertexId>{}), {}};
  Workers workers(1);
  const auto parts = Partitioning::make(std::make_shared<const Csr>(rows), {10, 1, "equal"}, abi::kNone, {}, workers);
  EXPECT_EQ(parts->size(), 0u);
  EXPECT_EQ(parts->num_bytes(), 0u);
}

TEST(Partitioning, KeepsNoWeightsWhereNoTypeIsAskedFor) {
  const auto rows = std::make_shared<const Csr>(csr_of(3, {{0, 1}, {1, 2}}));
  const Array<std::uint8_t> weights = array(std::vector<std::uint8_t>(8, 1));
  Workers workers(1);
  const auto parts = Partitioning::make(rows, {3, 1, "equal"}, abi::kNone, weights, workers);
  EXPECT_EQ(parts->table().partitions[0].weights, nullptr);
  EXPECT_EQ(parts->num_bytes(), 2 * 8 + 2 * 2u);
  const auto weighted = Partitioning::make(rows, {3, 1, "equal"}, abi::kFloat32, weights, workers);
  EXPECT_EQ(weighted->num_bytes(), 2 * 8 + 2 * (2 + 4u));
}

// Edges that end with their page, behind which is none.
TEST(Partitioning, ReadsNothingBehindTheLastEdge) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  auto* const end = reinterpret_cast<VertexId*>(static_cast<char*>(pages) + page);
  ASSERT_EQ(mprotect(end, page, PROT_NONE), 0);
  for (const std::uint64_t num_edges : {1u, 8u, 63u, 64u, 65u, 100u, 1000u}) {
    VertexId* const targets = end - num_edges;
    for (std::uint64_t e = 0; e < num_edges; ++e) targets[e] = static_cast<VertexId>(e * 7 % 50);
    const std::vector<std::uint64_t> offsets = {0, num_edges / 3, num_edges};
    const Csr rows{2, 50, Offsets(array(offsets)), Array<VertexId>(nullptr, targets, num_edges), {}};
    check_against_plain<float>(rows, {7, 50}, abi::kFloat32);
  }
  munmap(pages, 2 * page);
}

TEST(Partitioning, NamesTheIdsThatThereAre) {
  const Graph graph = graph_of(4, {{0, 1}});
  Workers workers(1);
  const auto parts = graph.partition(View::kForward, {2, 3, "equal"}, abi::kNone, workers);
  const auto said = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(said([&] { parts->get_partition(2); }), "there is no partition 2; ids go from 0 to 1");
  const Partition last = parts->get_partition(1);
  EXPECT_EQ(said([&] { last.get_sub_partition(-1); }), "there is no sub-partition -1; ids go from 0 to 2");
  EXPECT_EQ(said([&] { parts->get_partition(0); }), "");
  EXPECT_EQ(said([&] { graph.partition(View::kForward, {2, 16, "equal"}, abi::kNone, workers); }), "");
}

TEST(Partitioning, RefusesUnknownIdsAndConfigurations) {
  const Graph graph = graph_of(4, {{0, 1}});
  Workers workers(1);
  const auto parts = graph.partition(View::kForward, {2, 2, "equal"}, abi::kNone, workers);
  EXPECT_THROW(parts->get_partition(2), InputError);
  EXPECT_THROW(parts->get_partition(-1), InputError);
  EXPECT_THROW(parts->get_partition(0).get_sub_partition(2), InputError);
  EXPECT_THROW(graph.partition(View::kForward, {0, 1, "equal"}, abi::kNone, workers), InputError);
  EXPECT_THROW(graph.partition(View::kForward, {2, 0, "equal"}, abi::kNone, workers), InputError);
  EXPECT_THROW(graph.partition(View::kForward, {2, 17, "equal"}, abi::kNone, workers), InputError);
  EXPECT_THROW(graph.partition(View::kForward, {2, 1, "clever"}, abi::kNone, workers), InputError);
}

TEST(Partitioning, IsMadeOncePerConfiguration) {
  const Graph graph = graph_of(4, {{0, 1}});
  Workers workers(1);
  const auto parts = graph.partition(View::kForward, {2, 2, "equal"}, abi::kNone, workers);
  EXPECT_EQ(graph.partition(View::kForward, {2, 2, "equal"}, abi::kNone, workers), parts);
  EXPECT_NE(graph.partition(View::kForward, {2, 1, "equal"}, abi::kNone, workers), parts);
  graph.clear_cache();
  EXPECT_NE(graph.partition(View::kForward, {2, 2, "equal"}, abi::kNone, workers), parts);
}

}  // namespace
}  // namespace gaspipe
