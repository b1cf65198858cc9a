// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;
using Vertices = std::vector<VertexId>;

// (destination, position in the list) of every edge, row by row.
using Rows = std::vector<std::vector<std::pair<VertexId, std::int64_t>>>;

// The edge list as rows, its positions as weights.
Csr numbered(VertexId n, const Edges& edges) {
  EdgeList list = edge_list(n, edges);
  std::vector<std::int64_t> weights(edges.size());
  std::iota(weights.begin(), weights.end(), 0);
  list.weights = array(weights);
  Workers workers(1);
  return build_csr(list, n, workers);
}

Rows rows_of(const Csr& csr) {
  Rows rows(csr.num_rows);
  for (VertexId v = 0; v < csr.num_rows; ++v) {
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e)
      rows[v].emplace_back(csr.targets[e], std::get<Array<std::int64_t>>(csr.weights)[e]);
  }
  return rows;
}

// The rows that select_vertices must make, straight from the edges.
Rows selected(VertexId n, const Edges& edges, const Vertices& order) {
  std::vector<std::int64_t> place(n, -1);
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = std::int64_t(i);
  Rows rows(order.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto [source, target] = edges[e];
    if (place[source] >= 0 && place[target] >= 0)
      rows[place[source]].emplace_back(VertexId(place[target]), std::int64_t(e));
  }
  for (auto& row : rows) std::sort(row.begin(), row.end());
  return rows;
}

// The smallest vertex of each vertex's component, by repeated relaxation of labels.
Vertices labels(VertexId n, const Edges& edges) {
  Vertices label(n);
  std::iota(label.begin(), label.end(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [a, b] : edges) {
      const VertexId low = std::min(label[a], label[b]);
      changed = changed || label[a] != low || label[b] != low;
      label[a] = label[b] = low;
    }
  }
  return label;
}

// The largest component.
Vertices component(VertexId n, const Edges& edges) {
  const Vertices label = labels(n, edges);
  Vertices size(n, 0), members;
  for (const VertexId l : label) ++size[l];
  const auto largest = VertexId(std::max_element(size.begin(), size.end()) - size.begin());
  for (VertexId v = 0; v < n; ++v) {
    if (label[v] == largest) members.push_back(v);
  }
  return members;
}

template <class Function>
std::string input_error(const Function& function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(DropSelfLoops, KeepsAllOtherEdgesAndTheirOrder) {
  const Edges edges = random_edges(300, 150000, 1);
  const Csr csr = csr_of(300, edges), weighted = numbered(300, edges);
  Rows wanted = rows_of(numbered(300, edges));
  for (VertexId v = 0; v < 300; ++v) {
    auto& row = wanted[v];
    row.erase(std::remove_if(row.begin(), row.end(), [&](const auto& edge) { return edge.first == v; }), row.end());
  }
  for (const int threads : {1, 2, 3}) {
    Workers workers(threads);
    const Csr found = drop_self_loops(weighted, workers), plain = drop_self_loops(csr, workers);
    EXPECT_EQ(rows_of(found), wanted);
    EXPECT_FALSE(plain.is_weighted());
    EXPECT_EQ(list(plain.targets), list(found.targets));
  }
}

TEST(Components, AreThoseThatRelaxationFinds) {
  for (const auto& [n, m] : {std::pair<VertexId, std::size_t>{1, 0}, {5, 0}, {40, 12}, {1000, 400}, {200000, 90000}}) {
    const Edges edges = random_edges(n, m, n);
    const Csr csr = csr_of(n, edges);
    const Vertices wanted = labels(n, edges);
    for (const int threads : {1, 2, 3}) {
      Workers workers(threads);
      EXPECT_EQ(list(components(csr, workers)), wanted) << n << ", " << threads;
    }
  }
}

// Both ways: a hub, id[0], its neighbors and theirs, which are nearly all; pairs; single vertices; tails of up to four
// edges behind those near the hub, of the last vertices.
Edges around_a_hub(const Vertices& id, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  const auto n = static_cast<VertexId>(id.size());
  const VertexId num_next = n / 8, num_near = n / 2, num_pairs = n / 20, num_tails = n / 25;
  Edges edges;
  const auto join = [&](VertexId a, VertexId b) {
    edges.emplace_back(id[a], id[b]);
    edges.emplace_back(id[b], id[a]);
  };
  for (VertexId v = 1; v <= num_next; ++v) join(0, v);
  for (VertexId v = num_next + 1; v <= num_near; ++v) join(v, static_cast<VertexId>(1 + rng() % num_next));
  for (VertexId v = num_near + 1; v < num_near + num_pairs; v += 2) join(v, v + 1);
  for (VertexId i = 1; i <= num_tails; ++i) {
    join(n - i, i % 4 == 1 ? static_cast<VertexId>(1 + rng() % num_near) : n - i + 1);
  }
  return edges;
}

TEST(Components, AroundAHubAreThoseThatRelaxationFinds) {
  for (const VertexId n : {60u, 3000u, 140000u}) {
    Vertices ascending(n);
    std::iota(ascending.begin(), ascending.end(), 0);
    Vertices shuffled = ascending;
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937_64(n));
    const Vertices tails_first(ascending.rbegin(), ascending.rend());
    Vertices singles_first = tails_first;  // then what is behind the hub's neighbors, these, the hub, and tails
    std::rotate(singles_first.begin(), singles_first.begin() + n / 25, singles_first.end());
    for (const Vertices& id : {ascending, shuffled, tails_first, singles_first}) {
      const Edges edges = around_a_hub(id, n);
      Edges one_way;
      for (std::size_t e = 0; e < edges.size(); e += 2) one_way.push_back(edges[e + e / 2 % 2]);
      const Vertices wanted = labels(n, edges);
      const Csr csr = csr_of(n, edges), half = csr_of(n, one_way);
      Vertices first_targets(n, ~VertexId(0));  // where there is none
      for (VertexId v = 0; v < n; ++v) {
        if (csr.degree(v) > 0) first_targets[v] = csr.targets[csr.offsets[v]];
      }
      for (const int threads : {1, 2, 3}) {
        Workers workers(threads);
        const std::string context = message(n, " vertices, the hub is ", id[0], ", ", threads, " threads");
        const Writable<VertexId> smallest(n);
        for (VertexId* const first : {static_cast<VertexId*>(nullptr), first_targets.data()}) {
          components(csr, /*is_symmetric=*/true, smallest.data(), workers, first);
          EXPECT_EQ(Vertices(smallest.data(), smallest.data() + n), wanted)
              << context << (first ? ", first targets" : "");
        }
        EXPECT_EQ(list(components(csr, workers)), wanted) << context;
        EXPECT_EQ(list(components(half, workers)), wanted) << context;
      }
    }
  }
}

TEST(LargestComponent, IsTheOneThatRelaxationFinds) {
  for (const auto& [n, m] : {std::pair<VertexId, std::size_t>{1, 0}, {5, 0}, {40, 12}, {1000, 400}, {200000, 90000}}) {
    const Edges edges = random_edges(n, m, n);
    const Csr csr = csr_of(n, edges);
    const Vertices wanted = component(n, edges);
    for (const int threads : {1, 2, 3}) {
      Workers workers(threads);
      EXPECT_EQ(list(largest_component(csr, workers)), wanted) << n << ", " << threads;
    }
  }
}

TEST(LargestComponent, OfEqualOnesIsThatOfTheSmallestVertex) {
  Workers workers(2);
  EXPECT_EQ(list(largest_component(csr_of(6, {{5, 4}, {3, 1}, {2, 2}}), workers)), (Vertices{1, 3}));
}

TEST(LargestComponent, FollowsEdgesAgainstTheirDirectionThroughLongPaths) {
  const VertexId n = 300000;  // even ids upwards, odd ids downwards, joined at the top
  Edges edges = {{n - 1, n - 2}};
  for (VertexId v = 2; v < n; ++v) edges.push_back(v % 2 == 0 ? std::pair(v - 2, v) : std::pair(v, v - 2));
  const Csr csr = csr_of(n, edges);
  for (const int threads : {1, 3}) {
    Workers workers(threads);
    EXPECT_EQ(largest_component(csr, workers).size(), n);
  }
}

TEST(DegreeOrder, FallsAndKeepsTheOrderOfEqualOnes) {
  for (const auto& [n, m] : {std::pair<VertexId, std::size_t>{1, 3}, {7, 0}, {500, 3000}, {150000, 400000}}) {
    const Csr csr = csr_of(n, random_edges(n, m, 7));
    Vertices wanted(n);
    std::iota(wanted.begin(), wanted.end(), 0);
    std::stable_sort(wanted.begin(), wanted.end(),
                     [&](VertexId a, VertexId b) { return csr.degree(a) > csr.degree(b); });
    for (const int threads : {1, 2, 3}) {
      Workers workers(threads);
      EXPECT_EQ(list(degree_order(csr, workers)), wanted);
    }
  }
}

TEST(HubOrder, KeepsTheOrderInsideItsEightClasses) {
  // Degrees 0 to 79 twice over, the mean being 39.5, and one vertex of many.
  for (const std::size_t hub : {0, 10000}) {
    Edges edges;
    for (VertexId v = 0; v < 160; ++v) {
      for (VertexId j = 0; j < v % 80; ++j) edges.emplace_back(v, j);
    }
    edges.insert(edges.end(), hub, {160, 0});
    const Csr csr = csr_of(161, edges);
    const auto heat = [&](VertexId v) {
      const double ratio = double(csr.degree(v)) * 161 / double(csr.num_edges());
      int floor = 0;
      for (const double bound : {0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0}) floor += ratio >= bound;
      return floor;
    };
    Vertices wanted(161);
    std::iota(wanted.begin(), wanted.end(), 0);
    std::stable_sort(wanted.begin(), wanted.end(), [&](VertexId a, VertexId b) { return heat(a) > heat(b); });
    for (const int threads : {1, 2, 3}) {
      Workers workers(threads);
      EXPECT_EQ(list(hub_order(csr, workers)), wanted);
    }
  }
}

TEST(HubOrder, OfEvenDegreesIsTheOrderThereWas) {
  Workers workers(2);
  EXPECT_EQ(list(hub_order(csr_of(4, {}), workers)), (Vertices{0, 1, 2, 3}));
  EXPECT_EQ(list(hub_order(csr_of(3, {{0, 1}, {1, 1}, {2, 0}}), workers)), (Vertices{0, 1, 2}));
}

TEST(SelectVertices, RenamesBothEndsAndMovesTheWeights) {
  const VertexId n = 400;
  const Edges edges = random_edges(n, 120000, 9);
  Vertices order(n);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(4));
  const Vertices some(order.begin(), order.begin() + 90);
  const Csr csr = csr_of(n, edges), weighted = numbered(n, edges);
  for (const Vertices& vertices : {order, some}) {
    const auto wanted = selected(n, edges, vertices);
    for (const int threads : {1, 2, 3}) {
      Workers workers(threads);
      const Csr found = select_vertices(weighted, array(vertices), workers);
      EXPECT_EQ(rows_of(found), wanted);
      EXPECT_EQ(list(select_vertices(csr, array(vertices), workers).targets), list(found.targets));
    }
  }
}

TEST(SelectVertices, TakesWideOffsets) {
  const Edges edges = random_edges(50, 300, 1);
  Csr csr = numbered(50, edges);
  std::vector<std::uint64_t> wide;
  for (std::size_t i = 0; i < csr.offsets.size(); ++i) wide.push_back(csr.offsets[i]);
  csr.offsets = Offsets(array(wide));
  Workers workers(2);
  const auto order = degree_order(csr, workers);
  EXPECT_EQ(rows_of(select_vertices(csr, order, workers)), selected(50, edges, list(order)));
}

TEST(SelectVertices, NamesTheFirstFault) {
  Workers workers(2);
  const auto fault = [&](const Vertices& order) {
    return input_error([&] { select_vertices(csr_of(4, {{0, 1}}), array(order), workers); });
  };
  EXPECT_EQ(fault({3, 1}), "no error");
  EXPECT_EQ(fault({0, 4, 9}), "order[1] is 4; 4 vertices allow 0 to 3");
  EXPECT_EQ(fault({2, 1, 2, 1}), "order[2] is 2, as order[0] is; every vertex may be there once");
}

TEST(VertexOrder, TakesEveryIdOfTheGraphAndNoOther) {
  Workers workers(2);
  EXPECT_EQ(list(vertex_order(array<std::int64_t>({2, 0, 1}), 3, workers)), (Vertices{2, 0, 1}));
  EXPECT_EQ(input_error([&] {
              vertex_order(array<std::int64_t>({2, 0, -1}), 3, workers);
            }),
            "order[2] is -1; 3 vertices allow 0 to 2");
  EXPECT_EQ(input_error([&] {
              vertex_order(array<std::uint64_t>({2, ~0ull, 1}), 3, workers);
            }),
            "order[1] is 18446744073709551615; 3 vertices allow 0 to 2");
  EXPECT_EQ(input_error([&] {
              vertex_order(array<std::uint64_t>({2, 0}), 3, workers);
            }),
            "order has 2 entries; a permutation of 3 vertices has 3");
}

TEST(DegreeHistogram, CountsBothDirectionsInBucketsThatDouble) {
  using Numbers = std::vector<std::int64_t>;
  // Out-degrees 0, 1, 3, 4, 9; in-degrees 17, 0, 0, 0, 0.
  Edges edges = {{1, 0}};
  for (const auto& [v, degree] : {std::pair<VertexId, int>{2, 3}, {3, 4}, {4, 9}}) {
    for (int i = 0; i < degree; ++i) edges.emplace_back(v, 0);
  }
  for (const int threads : {1, 2, 3}) {
    Workers workers(threads);
    const auto out = degree_histogram(csr_of(5, edges), false, workers);
    EXPECT_EQ(list(out.lower_bounds), (Numbers{0, 1, 2, 4, 8}));
    EXPECT_EQ(list(out.counts), (Numbers{1, 1, 1, 1, 1}));
    const auto in = degree_histogram(csr_of(5, edges), true, workers);
    EXPECT_EQ(list(in.lower_bounds), (Numbers{0, 1, 2, 4, 8, 16}));
    EXPECT_EQ(list(in.counts), (Numbers{4, 0, 0, 0, 0, 1}));
  }
}

TEST(Shape, StopsWhenInterrupted) {
  const Csr csr = csr_of(100, random_edges(100, 1000, 1));
  Workers workers(2);
  workers.cancel();
  EXPECT_THROW(largest_component(csr, workers), Cancelled);
  EXPECT_THROW(degree_order(csr, workers), Cancelled);
  EXPECT_THROW(hub_order(csr, workers), Cancelled);
  EXPECT_THROW(drop_self_loops(csr, workers), Cancelled);
  EXPECT_THROW(degree_histogram(csr, true, workers), Cancelled);
}

}  // namespace
}  // namespace gaspipe
