// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads, which hand over parts of a list of edges, against the domains of the whole graph.
#include "gaspipe/distributed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <thread>
#include <tuple>

#include "tests/cpp/domain/plain_domain.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

using ById = std::tuple<VertexId, VertexId, double>;  // by the ids of the whole graph, with the weight or 0

VertexId id_of(const Domain& domain, VertexId v) {
  return v < domain.num_own ? domain.id(v) : domain.ghost_ids[v - domain.num_own];
}

std::vector<ById> sorted_entries(const Domain& domain) {
  const Csr& rows = *domain.graph->csr();
  std::vector<ById> entries;
  for (VertexId v = 0; v < rows.num_rows; ++v) {
    for (EdgeCount e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e) {
      entries.push_back({id_of(domain, v), id_of(domain, rows.targets[e]), weight_at(rows.weights, e)});
    }
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

void expect_equal(const Domain& found, const Domain& expected) {
  EXPECT_EQ(found.rank, expected.rank);
  EXPECT_EQ(found.size, expected.size);
  EXPECT_EQ(found.num_vertices, expected.num_vertices);
  EXPECT_EQ(found.num_edges, expected.num_edges);
  EXPECT_EQ(found.num_own, expected.num_own);
  EXPECT_EQ(found.num_ghosts, expected.num_ghosts);
  ASSERT_EQ(found.offsets.size(), expected.offsets.size());
  for (std::size_t i = 0; i < found.offsets.size(); ++i) ASSERT_EQ(found.offsets[i], expected.offsets[i]);
  for (VertexId v = 0; v < found.num_own; ++v) ASSERT_EQ(found.id(v), expected.id(v));
  EXPECT_EQ(list(found.ghost_ids), list(expected.ghost_ids));
  EXPECT_EQ(found.ghost_first, expected.ghost_first);
  EXPECT_EQ(found.mirror_first, expected.mirror_first);
  EXPECT_EQ(list(found.mirrors), list(expected.mirrors));
  EXPECT_EQ(sorted_entries(found), sorted_entries(expected));
}

// On a thread for every rank; the first error that is no RankError is thrown.
void on_ranks(int size, const std::function<void(std::shared_ptr<Communicator>)>& body) {
  auto ranks = make_in_process(size, {});
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int r = 0; r < size; ++r) {
    threads.emplace_back([&, r] {
      const std::shared_ptr<Communicator> rank = std::move(ranks[static_cast<std::size_t>(r)]);
      try {
        body(rank);
      } catch (const std::exception& error) {
        errors[static_cast<std::size_t>(r)] = std::current_exception();
        rank->fail(error.what());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (!error) continue;
    try {
      std::rethrow_exception(error);
    } catch (const RankError&) {
    }
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

// Edges first to last of a list, in pieces of at most `piece`.
template <class Weight>
void add_part(DistributedEdges& edges, const Edges& all, const std::vector<Weight>& weights, std::size_t first,
              std::size_t last, std::size_t piece) {
  for (std::size_t at = first; at < last; at += piece) {
    const std::size_t end = std::min(at + piece, last);
    EdgeList list = edge_list(0, Edges(all.begin() + at, all.begin() + end));
    if (!weights.empty()) list.weights = array(std::vector<Weight>(weights.begin() + at, weights.begin() + end));
    edges.add(std::move(list));
  }
}

Array<std::uint16_t> owners_of(const Ownership& ownership, VertexId n) {
  std::vector<std::uint16_t> owners;
  for (VertexId v = 0; v < n; ++v) owners.push_back(static_cast<std::uint16_t>(ownership.owner(v)));
  return array(owners);
}

template <class Weight>
void check(VertexId n, const Edges& all, const std::vector<Weight>& weights, int size, const std::string& strategy,
           const std::vector<std::pair<View, abi::Scalar>>& views, std::uint64_t most_in_flight = 512) {
  EdgeList list = edge_list(n, all);
  if (!weights.empty()) list.weights = array(weights);
  Workers workers(1);
  const Graph whole(build_csr(list, n, workers));
  on_ranks(size, [&](const std::shared_ptr<Communicator>& communicator) {
    Workers own(1 + communicator->rank() % 2);
    DistributedEdges edges(communicator, {strategy, n, false, most_in_flight});
    const auto rank = static_cast<std::size_t>(communicator->rank()), ranks = static_cast<std::size_t>(size);
    add_part(edges, all, weights, all.size() * rank / ranks, all.size() * (rank + 1) / ranks, 37);
    edges.finish(own);
    EXPECT_EQ(edges.skeleton().num_vertices(), n);
    EXPECT_EQ(edges.skeleton().num_edges(), all.size());
    EXPECT_EQ(edges.skeleton().is_weighted(), !weights.empty());
    EXPECT_THROW(edges.skeleton().csr(), InputError);
    EXPECT_THROW(edges.skeleton().weight_facts(own), InputError);
    const Domains domains(whole, size, owners_of(edges.ownership(), n), {});
    for (const auto& [view, transitions] : views) {
      const auto found = edges.domain(view, transitions, communicator->rank(), own);
      expect_equal(*found, *domains.domain(view, transitions, communicator->rank(), own));
      EXPECT_EQ(found, edges.domain(view, transitions, communicator->rank(), own));  // kept
    }
  });
}

const std::vector<std::pair<View, abi::Scalar>> kViews = {
    {View::kForward, abi::kNone}, {View::kReverse, abi::kNone}, {View::kUndirected, abi::kNone}};

TEST(Distributed, HasTheDomainsOfTheWholeGraph) {
  for (const char* strategy : {"balanced", "hash", "mix"}) {
    for (const int size : {1, 2, 3, 5}) {
      SCOPED_TRACE(std::string(strategy) + " on " + std::to_string(size));
      check<std::int32_t>(97, random_edges(97, 1500, 3), {}, size, strategy, kViews);
    }
  }
}

TEST(Distributed, TakesOwnersAsGiven) {
  const Edges all = random_edges(97, 1500, 3);
  const Graph whole = graph_of(97, all);
  for (const int size : {1, 2, 5}) {
    std::vector<std::uint16_t> owners;
    for (unsigned v = 0; v < 97; ++v) owners.push_back(static_cast<std::uint16_t>(v * v % static_cast<unsigned>(size)));
    on_ranks(size, [&](const std::shared_ptr<Communicator>& communicator) {
      Workers own(1);
      DistributedEdges edges(communicator, {"squares", 97, false, 512, array(owners)});
      if (communicator->rank() == 0) edges.add(edge_list(0, all));
      edges.finish(own);
      const Domains domains(whole, size, array(owners), {});
      for (const auto& [view, transitions] : kViews) {
        expect_equal(*edges.domain(view, transitions, communicator->rank(), own),
                     *domains.domain(view, transitions, communicator->rank(), own));
      }
    });
  }
}

TEST(Distributed, CarriesWeightsOfAllTypes) {
  const Edges edges = random_edges(50, 700, 5);
  std::mt19937 random(7);
  std::vector<std::int32_t> small;
  std::vector<std::int64_t> large;
  std::vector<float> narrow;
  std::vector<double> wide;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    small.push_back(static_cast<std::int32_t>(random() % 100) - 50);
    large.push_back((static_cast<std::int64_t>(random()) << 20) - 5);
    narrow.push_back(static_cast<float>(random() % 1000) / 8);
    wide.push_back(static_cast<double>(random()) / 3);
  }
  for (const int size : {1, 3}) {
    check(50, edges, small, size, "balanced", kViews);
    check(50, edges, large, size, "mix", kViews);
    check(50, edges, narrow, size, "balanced", kViews);
    check(50, edges, wide, size, "hash", kViews);
  }
}

// Rows that ascend without parallel edges, so that sums over a row have the same order.
TEST(Distributed, HasTheTransitionsOfTheWholeGraph) {
  std::mt19937 random(11);
  std::map<std::pair<VertexId, VertexId>, double> weight_of;
  for (const auto& edge : random_edges(60, 800, 13)) weight_of[edge] = static_cast<double>(random() % 7) / 3;
  Edges edges;
  std::vector<double> weights;
  for (const auto& [edge, weight] : weight_of) {
    edges.push_back(edge);
    weights.push_back(weight);
  }
  const std::vector<std::pair<View, abi::Scalar>> views = {
      {View::kForward, abi::kFloat64}, {View::kForward, abi::kFloat32}, {View::kForward, abi::kUint32}};
  for (const int size : {1, 2, 5}) {
    for (const char* strategy : {"balanced", "mix"}) check(60, edges, weights, size, strategy, views);
  }
}

TEST(Distributed, RefusesWeightsThatAreNoProbabilities) {
  try {
    on_ranks(3, [](const std::shared_ptr<Communicator>& communicator) {
      Workers workers(1);
      DistributedEdges edges(communicator, {});
      if (communicator->rank() == 2) {
        EdgeList list = edge_list(0, {{4, 5}, {7, 2}});
        list.weights = array(std::vector<double>{1, -2.5});
        edges.add(std::move(list));
      }
      edges.finish(workers);
      edges.domain(View::kForward, abi::kFloat64, communicator->rank(), workers);
    });
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("edge 7 -> 2 has weight -2.5"), std::string::npos) << error.what();
  }
}

TEST(Distributed, AllowsRanksWithoutVerticesOrEdges) {
  check<std::int32_t>(3, {{0, 1}, {1, 2}, {2, 0}, {0, 0}}, {}, 5, "balanced", kViews);
  check<std::int32_t>(3, {{0, 1}, {1, 2}, {2, 0}, {0, 0}}, {}, 5, "mix", kViews);
  check<std::int32_t>(4, {}, {}, 3, "balanced", kViews);
  check<std::int32_t>(1, {}, {}, 2, "hash", kViews);
  check<std::int32_t>(200, Edges(300, {7, 9}), {}, 4, "balanced", kViews);  // all edges go to one rank
}

TEST(Distributed, DropsParallelEdgesOnRequest) {
  on_ranks(3, [](const std::shared_ptr<Communicator>& communicator) {
    Workers workers(1);
    DistributedEdges edges(communicator, {"balanced", 4, true});
    EdgeList list = edge_list(0, {{0, 1}, {2, 3}, {0, 1}});
    list.weights = array(std::vector<float>{5.0f - communicator->rank(), 2, 7});
    edges.add(std::move(list));
    edges.finish(workers);
    EXPECT_EQ(edges.skeleton().num_edges(), 2u);
    const auto domain = edges.domain(View::kForward, abi::kNone, communicator->rank(), workers);
    for (const auto& [source, target, weight] : sorted_entries(*domain)) {
      EXPECT_EQ(target, source + 1);
      EXPECT_EQ(weight, source == 0 ? 3 : 2);
    }
  });
}

TEST(Distributed, TakesTheTypeThatHoldsAllWeights) {
  on_ranks(2, [](const std::shared_ptr<Communicator>& communicator) {
    Workers workers(1);
    DistributedEdges edges(communicator, {});
    EdgeList list = edge_list(0, {{0, 1}, {1, 0}});
    if (communicator->rank() == 0) {
      list.weights = array(std::vector<std::int32_t>{3, -4});
    } else {
      list.weights = array(std::vector<double>{0.5, 1e9});
    }
    edges.add(std::move(list));
    edges.add(edge_list(0, {}));  // none tell of no type
    edges.finish(workers);
    const auto domain = edges.domain(View::kForward, abi::kNone, communicator->rank(), workers);
    ASSERT_TRUE(std::holds_alternative<Array<double>>(domain->graph->csr()->weights));
    const std::vector<ById> expected = communicator->rank() == 0 ? std::vector<ById>{{1, 0, -4}, {1, 0, 1e9}}
                                                                 : std::vector<ById>{{0, 1, 0.5}, {0, 1, 3}};
    EXPECT_EQ(sorted_entries(*domain), expected);
  });
}

TEST(Distributed, KeepsTheTypeOfWeightsWhereThereAreNoEdges) {
  on_ranks(3, [](const std::shared_ptr<Communicator>& communicator) {
    Workers workers(1);
    DistributedEdges edges(communicator, {"balanced", 5});
    EdgeList none = edge_list(0, {});
    if (communicator->rank() > 0) none.weights = array(std::vector<float>{});
    edges.add(std::move(none));
    edges.finish(workers);
    EXPECT_TRUE(std::holds_alternative<Array<float>>(edges.skeleton().skeleton().weights));
    for (const auto& [view, transitions] : kViews) {
      const auto domain = edges.domain(view, transitions, communicator->rank(), workers);
      EXPECT_TRUE(std::holds_alternative<Array<float>>(domain->graph->csr()->weights));
    }
  });
}

TEST(Distributed, CountsVerticesByTheLargestId) {
  on_ranks(3, [](const std::shared_ptr<Communicator>& communicator) {
    Workers workers(1);
    DistributedEdges edges(communicator, {});
    if (communicator->rank() == 1) edges.add(edge_list(0, {{41, 2}}));
    edges.finish(workers);
    EXPECT_EQ(edges.skeleton().num_vertices(), 42u);
    EXPECT_EQ(edges.skeleton().num_edges(), 1u);
  });
}

TEST(Distributed, SaysWhatIsWrongWithEdges) {
  const auto message_of = [](const std::function<void(DistributedEdges&, int rank)>& hand_over,
                             const std::function<DistributedOptions(int rank)>& options) -> std::string {
    try {
      on_ranks(2, [&](const std::shared_ptr<Communicator>& communicator) {
        Workers workers(1);
        DistributedEdges edges(communicator, options(communicator->rank()));
        hand_over(edges, communicator->rank());
        edges.finish(workers);
      });
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const auto standard = [](int) { return DistributedOptions(); };
  const auto none = [](DistributedEdges&, int) {};
  EXPECT_NE(message_of([](DistributedEdges& edges, int) { edges.add(edge_list(0, {{0, 9}})); },
                       [](int) { return DistributedOptions{"balanced", 9}; })
                .find("vertex 9 of edge 0 -> 9 is out of range; 9 vertices allow 0 to 8"),
            std::string::npos);
  EXPECT_NE(message_of(
                [](DistributedEdges& edges, int rank) {
                  EdgeList list = edge_list(0, {{0, 1}});
                  if (rank == 1) list.weights = array(std::vector<float>{1});
                  edges.add(std::move(list));
                },
                standard)
                .find("edges with weights (rank 1 has some) and edges without (rank 0)"),
            std::string::npos);
  EXPECT_NE(message_of(none, [](int rank) { return DistributedOptions{"balanced", 4 + rank}; })
                .find("num_vertices is 4 on rank 0 and 5 on rank 1"),
            std::string::npos);
  EXPECT_NE(message_of(none, [](int) { return DistributedOptions{"nearest", 4}; }).find("balanced"), std::string::npos);
  EXPECT_NE(message_of(none, [](int) { return DistributedOptions{"mix", 0}; }).find("num_vertices is 0"),
            std::string::npos);
  const auto with_owners = [&](const std::vector<std::uint16_t>& owners) {
    return message_of(none, [&](int) { return DistributedOptions{"own", 3, false, 512, array(owners)}; });
  };
  EXPECT_NE(with_owners({0, 1}).find("2 owners; 3 vertices need one each"), std::string::npos);
  EXPECT_NE(with_owners({0, 1, 9}).find("the owner of vertex 2 is domain 9"), std::string::npos);
}

TEST(Distributed, BalancesEdgesAsAWholeGraphDoes) {
  const Edges all = random_edges(5000, 40000, 17);
  Workers workers(1);
  const Graph whole = graph_of(5000, all);
  const Domains domains(whole, 4, {});
  const auto expected = domains.ownership(View::kForward, workers)->first;
  on_ranks(4, [&](const std::shared_ptr<Communicator>& communicator) {
    Workers own(1);
    DistributedEdges edges(communicator, {});
    const auto rank = static_cast<std::size_t>(communicator->rank());
    add_part<std::int32_t>(edges, all, {}, all.size() * rank / 4, all.size() * (rank + 1) / 4, 4096);
    edges.finish(own);
    EXPECT_EQ(edges.ownership().first, expected);
  });
}

// The whole way of a run: each rank has its values.
TEST(Distributed, RunsPrograms) {
  const Edges all = random_edges(300, 1200, 19);
  const Graph whole = graph_of(300, all);
  for (const char* name : {"bfs", "wcc", "pagerank"}) {
    const auto expected = run(find_program(name), whole, {});
    std::vector<std::vector<std::uint8_t>> found(3);
    std::vector<std::vector<VertexId>> ids(3);
    on_ranks(3, [&](const std::shared_ptr<Communicator>& communicator) {
      Workers own(1);
      DistributedEdges edges(communicator, {"mix", 300});
      const auto rank = static_cast<std::size_t>(communicator->rank());
      add_part<std::int32_t>(edges, all, {}, all.size() * rank / 3, all.size() * (rank + 1) / 3, 100);
      edges.finish(own);
      RunOptions options;
      options.num_threads = 1;
      options.source = std::shared_ptr<const DomainSource>(&edges, [](const DomainSource*) {});
      options.communicator = communicator.get();
      options.keep_properties = false;
      check_run(find_program(name), edges.skeleton(), {}, options);
      Running running(find_program(name), edges.skeleton(), {}, options);
      while (running.step()) continue;
      const Result result = running.result();
      ASSERT_EQ(result.size, edges.num_own());
      found[rank] = list(result.values);
      ids[rank] = edges.own_ids();
    });
    const std::size_t bytes = expected.values.size() / 300;
    for (std::size_t rank = 0; rank < 3; ++rank) {
      for (std::size_t i = 0; i < ids[rank].size(); ++i) {
        const std::uint8_t *const value = found[rank].data() + i * bytes, *const right = expected.values.data() +
                                                                                         ids[rank][i] * bytes;
        if (std::string(name) == "pagerank") {
          double a, b;
          std::memcpy(&a, value, 8);
          std::memcpy(&b, right, 8);
          ASSERT_EQ(bytes, 8u);
          ASSERT_NEAR(a, b, 1e-9);
        } else {
          ASSERT_EQ(std::memcmp(value, right, bytes), 0) << name << " " << ids[rank][i];
        }
      }
    }
  }
}

}  // namespace
}  // namespace gaspipe
