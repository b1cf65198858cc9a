// SPDX-License-Identifier: Apache-2.0
// Domains against their definition: what one must be, from a list of the edges and the owner of every vertex.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "gaspipe/domain.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace testing {

inline std::vector<std::shared_ptr<const Domain>> all_of(const Domains& domains, View view = View::kForward,
                                                         abi::Scalar transitions = abi::kNone, int num_threads = 1) {
  Workers workers(num_threads);
  std::vector<std::shared_ptr<const Domain>> all;
  for (int rank = 0; rank < domains.size(); ++rank) {
    all.push_back(domains.domain(view, transitions, rank, workers));
  }
  return all;
}

// An edge with its weight, as any test compares it; 0 without weights.
struct Entry {
  VertexId source, target;
  double weight;
  bool operator==(const Entry& other) const {
    return source == other.source && target == other.target && weight == other.weight;
  }
};
inline double weight_at(const Weights& weights, EdgeCount e) {
  return std::visit(
      [&](const auto& values) -> double {
        if constexpr (std::is_same_v<std::decay_t<decltype(values)>, std::monostate>) {
          return 0;
        } else {
          return static_cast<double>(values[e]);
        }
      },
      weights);
}
inline std::vector<Entry> entries_of(const Csr& csr) {
  std::vector<Entry> entries;
  for (VertexId v = 0; v < csr.num_rows; ++v) {
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
      entries.push_back({v, csr.targets[e], weight_at(csr.weights, e)});
    }
  }
  return entries;
}

// What a domain must be, by the definition alone: from the edges as a list and the owner of every vertex.
struct Plain {
  std::vector<VertexId> ids, ghosts;
  std::vector<Entry> entries;  // in local numbers, by source
};
inline Plain plain_domain(const Csr& whole, const std::vector<int>& owners, int rank, bool combine) {
  Plain plain;
  for (VertexId v = 0; v < whole.num_rows; ++v) {
    if (owners[v] == rank) plain.ids.push_back(v);
  }
  const auto own_number = [&](VertexId id) {
    return static_cast<VertexId>(std::lower_bound(plain.ids.begin(), plain.ids.end(), id) - plain.ids.begin());
  };
  const auto first_ghost = static_cast<VertexId>(plain.ids.size());
  std::vector<std::pair<int, Entry>> from_others;  // by the owner of the source
  for (const Entry& edge : entries_of(whole)) {
    if (owners[edge.target] != rank) continue;
    if (owners[edge.source] == rank) {
      plain.entries.push_back({own_number(edge.source), own_number(edge.target), edge.weight});
    } else {
      from_others.push_back({owners[edge.source], edge});
    }
  }
  std::stable_sort(from_others.begin(), from_others.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first, a.second.source) < std::pair(b.first, b.second.source);
  });
  for (const auto& [owner, edge] : from_others) {
    if (!combine || plain.ghosts.empty() || plain.ghosts.back() != edge.source) plain.ghosts.push_back(edge.source);
    plain.entries.push_back(
        {static_cast<VertexId>(first_ghost + plain.ghosts.size() - 1), own_number(edge.target), edge.weight});
  }
  return plain;
}

inline void check_in_edges(const Domain& domain) {
  Workers workers(2);
  const auto in_edges = domain.graph->in_edges(View::kForward, /*with_weights=*/true, /*are_needed=*/true, workers);
  ASSERT_EQ(in_edges->num_rows, domain.num_own + domain.num_ghosts);
  std::vector<std::vector<Entry>> expected(in_edges->num_rows);
  for (const Entry& edge : entries_of(*domain.graph->csr())) {
    expected[edge.target].push_back({edge.target, edge.source, edge.weight});
  }
  std::vector<Entry> flat;
  for (const auto& row : expected) flat.insert(flat.end(), row.begin(), row.end());
  ASSERT_EQ(entries_of(*in_edges), flat);
  for (VertexId ghost = domain.num_own; ghost < in_edges->num_rows; ++ghost) ASSERT_EQ(in_edges->degree(ghost), 0u);
  ASSERT_EQ(in_edges, domain.graph->view(View::kReverse, workers));
}

inline void check(const Csr& whole, const std::vector<std::shared_ptr<const Domain>>& domains,
                  const Ownership& ownership, bool combine = true) {
  const int size = static_cast<int>(domains.size());
  std::vector<int> owners(whole.num_rows);
  for (VertexId v = 0; v < whole.num_rows; ++v) {
    owners[v] = ownership.owner(v);
    ASSERT_TRUE(owners[v] >= 0 && owners[v] < size);
  }
  for (int rank = 0; rank < size; ++rank) {
    const Domain& domain = *domains[rank];
    ASSERT_EQ(domain.rank, rank);
    ASSERT_EQ(domain.size, size);
    ASSERT_EQ(domain.num_vertices, whole.num_rows);
    ASSERT_EQ(domain.num_edges, whole.num_edges());
    ASSERT_EQ(domain.offsets.data(), whole.offsets.data());  // shared
    const Plain plain = plain_domain(whole, owners, rank, combine);
    std::vector<VertexId> ids;
    for (VertexId own = 0; own < domain.num_own; ++own) ids.push_back(domain.id(own));
    ASSERT_EQ(ids, plain.ids);
    ASSERT_EQ(list(domain.ghost_ids), plain.ghosts);
    ASSERT_EQ(domain.num_ghosts, plain.ghosts.size());
    ASSERT_EQ(domain.graph->num_vertices(), domain.num_own + domain.num_ghosts);
    ASSERT_EQ(domain.graph->csr()->num_columns, domain.num_own);
    ASSERT_EQ(domain.graph->csr()->offsets.size(), std::size_t(domain.num_own) + domain.num_ghosts + 1);
    ASSERT_EQ(domain.graph->csr()->offsets.is_wide(), whole.offsets.is_wide());
    ASSERT_EQ(domain.graph->csr()->weights.index(), whole.weights.index());
    ASSERT_EQ(entries_of(*domain.graph->csr()), plain.entries);
    check_in_edges(domain);

    // The maps of ids are a bijection, but for repeated ghosts.
    std::map<VertexId, VertexId> places;
    for (VertexId v = 0; v < domain.num_own + domain.num_ghosts; ++v) {
      places.emplace(v < domain.num_own ? domain.id(v) : domain.ghost_ids[v - domain.num_own], v);
    }
    if (combine) {
      ASSERT_EQ(places.size(), domain.num_own + domain.num_ghosts);
    }
    for (VertexId v = 0; v < whole.num_rows; ++v) {
      const auto place = places.find(v);
      ASSERT_EQ(domain.local(v, owners[v]), place == places.end() ? kNoVertex : place->second);
    }

    // Ghosts and mirrors pair off.
    ASSERT_EQ(domain.ghost_first.size(), std::size_t(size) + 1);
    ASSERT_EQ(domain.mirror_first.size(), std::size_t(size) + 1);
    ASSERT_EQ(domain.ghost_first.front(), 0u);
    ASSERT_EQ(domain.ghost_first.back(), domain.num_ghosts);
    ASSERT_EQ(domain.ghost_first[rank], domain.ghost_first[rank + 1]);
    ASSERT_EQ(domain.mirror_first.front(), 0u);
    ASSERT_EQ(domain.mirror_first.back(), domain.mirrors.size());
    for (int other = 0; other < size; ++other) {
      std::vector<VertexId> ghosts, mirrored;
      for (VertexId g = domain.ghost_first[other]; g < domain.ghost_first[other + 1]; ++g) {
        ghosts.push_back(domain.ghost_ids[g]);
        ASSERT_EQ(owners[ghosts.back()], other);
      }
      const Domain& owner = *domains[other];
      for (std::uint64_t m = owner.mirror_first[rank]; m < owner.mirror_first[rank + 1]; ++m) {
        ASSERT_LT(owner.mirrors[m], owner.num_own);
        mirrored.push_back(owner.id(owner.mirrors[m]));
      }
      ASSERT_EQ(ghosts, mirrored);
    }
  }
}

inline void check(const Domains& domains, View view = View::kForward, int num_threads = 1) {
  Workers workers(1);
  check(*domains.graph().view(view, workers), all_of(domains, view, abi::kNone, num_threads),
        *domains.ownership(view, workers), domains.options().combine);
}

inline Csr weighted(Csr csr, int type) {
  const auto filled = [&](auto one) {
    std::vector<decltype(one)> weights(csr.num_edges());
    for (std::size_t e = 0; e < weights.size(); ++e) weights[e] = static_cast<decltype(one)>((e * 2654435761u) % 1000);
    return array(weights);
  };
  if (type == 1) csr.weights = filled(std::int32_t());
  if (type == 2) csr.weights = filled(std::int64_t());
  if (type == 3) csr.weights = filled(float());
  if (type == 4) csr.weights = filled(double());
  return csr;
}

// Few vertices, so parallel edges and loops; enough edges for many chunks.
inline Graph some_graph(VertexId n, std::size_t m) { return graph_of(n, random_edges(n, m, n)); }

}  // namespace testing
}  // namespace gaspipe
