// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "gaspipe/domain.h"
#include "tests/cpp/domain/plain_domain.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

TEST(Domains, HaveEveryEdgeOnceWithTheGhostsAndMirrorsThatItNeeds) {
  for (const auto& [n, m] :
       {std::pair<VertexId, std::size_t>{1, 0}, {1, 3}, {5, 0}, {5, 12}, {300, 2000}, {2000, 3000}}) {
    const Graph graph = some_graph(n, m);
    for (const int size : {1, 2, 3, 8, 17}) {
      for (const DomainStrategy& strategy : domain_strategies()) {
        for (const bool combine : {true, false}) {
          SCOPED_TRACE(message(n, " vertices, ", m, " edges, ", size, " domains, ", strategy.name, ", ", combine));
          check(Domains(graph, size, {strategy.name, combine}));
        }
      }
    }
  }
}

TEST(Domains, CarryWeightsOfEveryTypeAndOffsetsOfBothWidths) {
  for (int type = 0; type <= 4; ++type) {
    for (const bool is_wide : {false, true}) {
      Csr csr = weighted(csr_of(400, random_edges(400, 5000, 7)), type);
      if (is_wide) {
        std::vector<std::uint64_t> wide;
        for (std::size_t i = 0; i < csr.offsets.size(); ++i) wide.push_back(csr.offsets[i]);
        csr.offsets = Offsets(array(wide));
      }
      const Graph graph{std::move(csr)};
      SCOPED_TRACE(message("weights ", type, ", wide ", is_wide));
      check(Domains(graph, 3, {"mix", true}));
      check(Domains(graph, 3, {"balanced", false}));
    }
  }
}

TEST(Domains, AreTheSameForAnyNumberOfThreads) {
  const Graph graph{weighted(csr_of(20000, random_edges(20000, 100000, 5)), 4)};
  for (const char* strategy : {"hash", "mix", "balanced"}) {
    const Domains one(graph, 5, {strategy, true}), four(graph, 5, {strategy, true});
    const auto serial = all_of(one, View::kForward, abi::kNone, 1),
               parallel = all_of(four, View::kForward, abi::kNone, 4);
    for (int rank = 0; rank < 5; ++rank) {
      const Domain &a = *serial[rank], &b = *parallel[rank];
      ASSERT_EQ(a.num_own, b.num_own);
      ASSERT_EQ(list(a.ids), list(b.ids));
      ASSERT_EQ(list(a.ghost_ids), list(b.ghost_ids));
      ASSERT_EQ(a.ghost_first, b.ghost_first);
      ASSERT_EQ(list(a.mirrors), list(b.mirrors));
      ASSERT_EQ(a.mirror_first, b.mirror_first);
      ASSERT_EQ(entries_of(*a.graph->csr()), entries_of(*b.graph->csr()));
    }
    check(four, View::kForward, 4);
  }
}

TEST(Domains, FollowTheViewThatIsWalked) {
  const Graph graph{weighted(csr_of(200, random_edges(200, 1500, 3)), 1)};
  for (const View view : {View::kForward, View::kReverse, View::kUndirected}) {
    check(Domains(graph, 4, {"balanced", true}), view);
    check(Domains(graph, 4, {"mix", true}), view);
  }
}

TEST(Domains, HaveTheEdgesOfTransitionsWithOwnersOfTheGraph) {
  Workers workers(2);
  const Graph graph{weighted(csr_of(300, random_edges(300, 4000, 9)), 3)};  // some weigh 0
  const Graph walked = graph.transitions(abi::kFloat64, workers);
  ASSERT_LT(walked.num_edges(), graph.num_edges());
  const Domains domains(graph, 3, {});
  check(*walked.csr(), all_of(domains, View::kForward, abi::kFloat64), *domains.ownership(View::kForward, workers));
}

TEST(Domains, ShareTheEdgesOfAnOnlyDomain) {
  const Graph graph = some_graph(100, 500);
  const auto domain = all_of(Domains(graph, 1, {"hash", true}))[0];
  EXPECT_EQ(domain->graph->csr()->targets.data(), graph.csr()->targets.data());
  EXPECT_EQ(domain->ids.size(), 0u);
}

TEST(Domains, ArePartitionedOverTheirOwnVerticesOnly) {
  const Graph graph = some_graph(1000, 9000);
  Workers workers(1);
  for (const int size : {3, 1200}) {
    const auto domains = all_of(Domains(graph, size, {"mix", true}));
    for (const auto& domain : domains) {
      const auto parts = domain->graph->partition(View::kForward, {64, 2, "equal"}, abi::kNone, workers);
      ASSERT_EQ(parts->size(), (domain->num_own + 63) / 64);
      std::vector<Entry> found;
      for (std::size_t p = 0; p < parts->size(); ++p) {
        ASSERT_LE(parts->get_partition(p).last_vertex(), domain->num_own);
        for (std::size_t u = 0; u < 2; ++u) {
          const SubPartition sub = parts->get_partition(p).get_sub_partition(u);
          const auto encoded = sub.encode();
          for (EdgeCount e = 0; e < sub.num_edges(); ++e) {
            found.push_back({encoded.sources[e], encoded.destinations[e], 0});
          }
        }
      }
      auto expected = entries_of(*domain->graph->csr());
      const auto before = [](const Entry& a, const Entry& b) {
        return std::pair(a.source, a.target) < std::pair(b.source, b.target);
      };
      std::sort(found.begin(), found.end(), before);
      std::sort(expected.begin(), expected.end(), before);
      ASSERT_EQ(found, expected);
    }
  }
}

TEST(Domains, HaveInEdgesAtHandWhereTheGraphIsSymmetric) {
  Workers workers(1);
  Edges edges = random_edges(100, 600, 2);
  const Graph directed = graph_of(100, edges);
  for (std::size_t i = 0; i < 600; ++i) edges.emplace_back(edges[i].second, edges[i].first);
  const Graph symmetric = graph_of(100, edges);
  const auto found = [&](const Graph& graph, View view) {
    const auto domain = Domains(graph, 2, {}).domain(view, abi::kNone, 0, workers);
    EXPECT_FALSE(domain->graph->is_symmetric(workers));
    return domain->graph->in_edges(View::kForward, false, /*are_needed=*/false, workers) != nullptr;
  };
  EXPECT_TRUE(found(symmetric, View::kForward));
  EXPECT_TRUE(found(symmetric, View::kReverse));
  EXPECT_TRUE(found(directed, View::kUndirected));
  EXPECT_FALSE(found(directed, View::kForward));
}

TEST(Domains, HaveConvertedWeightsInTheOrderOfTheirInEdges) {
  Workers workers(1);
  const Graph graph{weighted(csr_of(80, random_edges(80, 700, 4)), 1)};
  for (const auto& domain : all_of(Domains(graph, 3, {"mix", true}))) {
    const auto in_edges = domain->graph->in_edges(View::kForward, true, true, workers);
    const auto weights = domain->graph->weights_as(View::kReverse, abi::kFloat64, workers);
    ASSERT_EQ(weights.size(), in_edges->num_edges() * sizeof(double));
    for (EdgeCount e = 0; e < in_edges->num_edges(); ++e) {
      double weight;
      std::memcpy(&weight, weights.data() + e * sizeof(double), sizeof(double));
      ASSERT_EQ(weight, weight_at(in_edges->weights, e));
    }
  }
}

TEST(Domains, AreThoseOfOwnersThatACallerNames) {  // OLV-28
  const Graph graph = some_graph(500, 3000);
  std::vector<std::uint16_t> owners(500);
  for (std::size_t v = 0; v < owners.size(); ++v)
    owners[v] = static_cast<std::uint16_t>(v * v % 5);  // 2 and 3 have none
  const Domains domains(graph, 5, array(owners), {"squares", true});
  check(domains);
  Workers workers(1);
  for (VertexId v = 0; v < 500; ++v) EXPECT_EQ(domains.ownership(View::kReverse, workers)->owner(v), owners[v]);
  EXPECT_EQ(all_of(domains)[2]->num_own, 0u);
}

}  // namespace
}  // namespace gaspipe
