// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/csr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "gaspipe/graph.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

// Rows by brute force, in input order.
std::vector<std::vector<VertexId>> rows_of(VertexId n, const Edges& edges) {
  std::vector<std::vector<VertexId>> rows(n);
  for (const auto& [source, target] : edges) rows[source].push_back(target);
  return rows;
}
std::vector<std::vector<VertexId>> rows_of(const Csr& csr) {
  std::vector<std::vector<VertexId>> rows(csr.num_rows);
  for (VertexId v = 0; v < csr.num_rows; ++v) {
    rows[v].assign(csr.targets.begin() + csr.offsets[v], csr.targets.begin() + csr.offsets[v + 1]);
  }
  return rows;
}

TEST(BuildCsr, KeepsEveryEdgeInTheOrderOfTheListForAnyNumberOfThreads) {
  for (const auto& [n, m] :
       {std::pair<VertexId, std::size_t>{1, 0}, {1, 5}, {7, 3}, {1000, 200000}, {300000, 100000}}) {
    const Edges edges = random_edges(n, m, n);
    for (int threads : {1, 2, 5})
      EXPECT_EQ(rows_of(csr_of(n, edges, threads)), rows_of(n, edges)) << n << " vertices, " << threads << " threads";
  }
}

TEST(BuildCsr, MovesWeightsWithTheirEdges) {
  EdgeList edges = edge_list(3, {{2, 0}, {0, 1}, {2, 1}, {0, 0}});
  edges.weights = array<double>({20, 1, 21, 0});
  Workers workers(1);
  EXPECT_EQ(list(std::get<Array<double>>(build_csr(edges, 3, workers).weights)), (std::vector<double>{1, 0, 20, 21}));
}

TEST(Transpose, ReversesEveryEdgeAndSortsTheRows) {
  const Edges edges = random_edges(500, 90000, 3);
  Edges reversed;
  for (const auto& [source, target] : edges) reversed.emplace_back(target, source);
  std::stable_sort(reversed.begin(), reversed.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  for (int threads : {1, 3}) {
    Workers workers(threads);
    EXPECT_EQ(rows_of(transpose(csr_of(500, edges), workers)), rows_of(500, reversed));
  }
}

TEST(Transpose, SwapsTheSidesOfARectangle) {
  Workers workers(1);
  const Csr wide = build_csr(edge_list(2, {{0, 4}, {1, 0}}), 5, workers);
  const Csr tall = transpose(wide, workers);
  EXPECT_EQ(tall.num_rows, 5u);
  EXPECT_EQ(tall.num_columns, 2u);
  EXPECT_EQ(rows_of(tall), (std::vector<std::vector<VertexId>>{{1}, {}, {}, {}, {0}}));
}

TEST(Simplify, KeepsTheSmallestWeightOfParallelEdges) {
  EdgeList edges = edge_list(3, {{0, 1}, {0, 1}, {1, 0}, {2, 2}, {0, 2}});
  edges.weights = array<std::int32_t>({5, 3, 4, 9, 7});
  Workers workers(2);
  const Csr csr = build_csr(edges, 3, workers);
  const Csr simple = simplify(csr, {}, workers);
  EXPECT_EQ(rows_of(simple), (std::vector<std::vector<VertexId>>{{1, 2}, {0}, {2}}));
  EXPECT_EQ(list(std::get<Array<std::int32_t>>(simple.weights)), (std::vector<std::int32_t>{3, 7, 4, 9}));
  const Csr both = simplify(csr, {/*add_reverse=*/true, /*drop_self_loops=*/true}, workers);
  EXPECT_EQ(rows_of(both), (std::vector<std::vector<VertexId>>{{1, 2}, {0}, {0}}));
  EXPECT_EQ(list(std::get<Array<std::int32_t>>(both.weights)), (std::vector<std::int32_t>{3, 7, 3, 7}));
}

TEST(Simplify, MergesRowsInAnyOrderAsAMapDoes) {
  const VertexId n = 60;
  EdgeList edges = edge_list(n, random_edges(n, 3000, 5));  // rows do not ascend, and have parallel edges
  std::vector<std::int64_t> weights(3000);
  for (std::size_t e = 0; e < weights.size(); ++e) weights[e] = static_cast<std::int64_t>(e * 7919 % 997);
  edges.weights = array(weights);
  Workers workers(2);
  const Csr csr = build_csr(edges, n, workers);
  for (const bool add_reverse : {false, true}) {
    for (const bool drop_self_loops : {false, true}) {
      std::map<std::pair<VertexId, VertexId>, std::int64_t> lightest;
      const auto add = [&](VertexId source, VertexId target, std::int64_t weight) {
        if (drop_self_loops && source == target) return;
        const auto [entry, is_new] = lightest.try_emplace({source, target}, weight);
        if (!is_new) entry->second = std::min(entry->second, weight);
      };
      for (std::size_t e = 0; e < weights.size(); ++e) {
        add(edges.sources[e], edges.targets[e], weights[e]);
        if (add_reverse) add(edges.targets[e], edges.sources[e], weights[e]);
      }
      const Csr simple = simplify(csr, {add_reverse, drop_self_loops}, workers);
      auto wanted = lightest.begin();
      ASSERT_EQ(simple.num_edges(), lightest.size());
      for (VertexId v = 0; v < n; ++v) {
        for (EdgeCount e = simple.offsets[v]; e < simple.offsets[v + 1]; ++e, ++wanted) {
          EXPECT_EQ(wanted->first, std::make_pair(v, simple.targets[e]));
          EXPECT_EQ(wanted->second, std::get<Array<std::int64_t>>(simple.weights)[e]);
        }
      }
    }
  }
}

TEST(Simplify, TakesNanForLargerThanAnyWeight) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Edges edges;
  std::vector<double> weights;
  for (int i = 0; i < 40; ++i) {  // enough to be sorted in earnest
    edges.emplace_back(0, 1);
    weights.push_back(i % 3 == 0 ? nan : 100 - i);
    edges.emplace_back(1, 0);
    weights.push_back(nan);
  }
  EdgeList list_of_edges = edge_list(2, edges);
  list_of_edges.weights = array(weights);
  Workers workers(1);
  const Csr simple = simplify(build_csr(list_of_edges, 2, workers), {}, workers);
  const auto left = list(std::get<Array<double>>(simple.weights));
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(left[0], 62);
  EXPECT_TRUE(std::isnan(left[1]));
}

TEST(Validate, NamesTheFirstFault) {
  Workers workers(2);
  const auto fault = [&](std::vector<std::uint32_t> offsets, std::vector<VertexId> targets) {
    Csr csr;
    csr.num_rows = csr.num_columns = 2;
    csr.offsets = Offsets(array(offsets));
    csr.targets = array(targets);
    try {
      validate(csr, workers);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(fault({0, 1, 2}, {0, 1}), "");
  EXPECT_NE(fault({0, 2}, {0, 1}).find("2 rows need 3"), std::string::npos);
  EXPECT_NE(fault({1, 1, 2}, {0, 1}).find("must start with 0"), std::string::npos);
  EXPECT_NE(fault({0, 1, 3}, {0, 1}).find("must be equal"), std::string::npos);
  EXPECT_NE(fault({0, 3, 2}, {0, 1}).find("at row 1"), std::string::npos);
  EXPECT_NE(fault({0, 1, 2}, {0, 2}).find("indices[1] is 2"), std::string::npos);
  EXPECT_NE(fault({0, 1, 2}, {0xffffffff, 7}).find("indices[0] is -1"), std::string::npos);
}

TEST(Offsets, OverflowOfANarrowTypeIsAnError) {
  const std::vector<std::uint32_t> counts = {100, 100, 56};
  EXPECT_THROW(detail::offsets_from_counts<std::uint8_t>(counts.data(), 3), CapacityError);
  const auto fits = detail::offsets_from_counts<std::uint8_t>(counts.data(), 2);
  EXPECT_EQ(list(fits), (std::vector<std::uint8_t>{0, 100, 200}));
  const std::vector<std::uint32_t> large = {0xffffffff, 0xffffffff};
  EXPECT_THROW(detail::offsets_from_counts<std::uint32_t>(large.data(), 2), CapacityError);
  EXPECT_EQ(detail::offsets_from_counts<std::uint64_t>(large.data(), 2)[2], 2 * std::uint64_t(0xffffffff));
}

TEST(Offsets, WideOnesGiveTheSameAnswers) {
  const Edges edges = random_edges(50, 300, 1);
  Csr csr = csr_of(50, edges);
  const Graph narrow{Csr(csr)};
  std::vector<std::uint64_t> wide;
  for (std::size_t i = 0; i < csr.offsets.size(); ++i) wide.push_back(csr.offsets[i]);
  csr.offsets = Offsets(array(wide));
  const Graph same(std::move(csr));
  for (const char* name : {"bfs", "sssp", "pagerank"}) {
    const Result a = run(find_program(name), narrow, {}), b = run(find_program(name), same, {});
    EXPECT_EQ(list(a.values), list(b.values)) << name;
  }
}

TEST(Graph, ConvertsWeightsOrSaysWhichDoesNotFit) {
  Workers workers(2);
  Csr csr = csr_of(2, {{0, 1}, {1, 0}});
  csr.weights = array<std::int64_t>({1, std::int64_t(1) << 32});
  EXPECT_THROW(convert_weights(csr, abi::kUint32, workers), InputError);
  EXPECT_EQ(convert_weights(csr, abi::kUint64, workers).data(),
            reinterpret_cast<const std::uint8_t*>(std::get<Array<std::int64_t>>(csr.weights).data()))
      << "same bits: shared, not copied";
  csr.weights = array<double>({1, 2.5});
  EXPECT_THROW(convert_weights(csr, abi::kInt32, workers), InputError);
  csr.weights = array<double>({1, 4294967295.0});
  EXPECT_THROW(convert_weights(csr, abi::kInt32, workers), InputError);
  const auto words = convert_weights(csr, abi::kUint32, workers);
  EXPECT_EQ(reinterpret_cast<const std::uint32_t*>(words.data())[1], 4294967295u);
}

TEST(Graph, RefusesWhatIsNotSquareOrEmpty) {
  Workers workers(1);
  EXPECT_THROW(Graph(build_csr(edge_list(2, {}), 3, workers)), InputError);
  EXPECT_THROW(Graph(build_csr(edge_list(0, {}), 0, workers)), InputError);
}

}  // namespace
}  // namespace gaspipe
