// SPDX-License-Identifier: Apache-2.0
// An undirected graph with every edge once, from its end of lower degree to the other, and vertices numbered in that
// order: ranks. No row is longer than the square root of twice the edges, so neighbors of neighbors are few.
// Method: T. Schank, D. Wagner, "Finding, Counting and Listing All Triangles in Large Graphs", WEA 2005,
// doi:10.1007/11427186_54.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <vector>

#include "gaspipe/engine/rows.h"
#include "gaspipe/rows.h"
#include "gaspipe/workers.h"

namespace gaspipe {
namespace algorithm {

struct Oriented {
  Writable<VertexId> vertex;          // of every rank
  Writable<EdgeCount> offsets;        // by rank, and the number of edges
  Writable<VertexId> targets;         // ranks, above that of the row
  Writable<std::uint8_t> directions;  // if asked for: in how many of its two directions the edge is stored

  VertexId num_vertices() const { return static_cast<VertexId>(vertex.size()); }
};

// The ranks of vertices: by degree, of equal ones by id.
template <class AnyRows>
Writable<VertexId> ranks_by_degree(const AnyRows& rows, const Writable<VertexId>& vertex) {
  const VertexId n = rows.num_vertices();
  EdgeCount most = 0;
  for (VertexId v = 0; v < n; ++v) most = std::max(most, rows.degree(v));
  std::vector<VertexId> first(most + 2, 0);
  for (VertexId v = 0; v < n; ++v) ++first[rows.degree(v) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  Writable<VertexId> rank(n);
  for (VertexId v = 0; v < n; ++v) {
    rank[v] = first[rows.degree(v)]++;
    vertex[rank[v]] = v;
  }
  return rank;
}

// From rows that are without repetition, and symmetric; self-loops are left out. `directions_of(u, v)`, of two
// vertices, is asked for every edge where they are wanted.
template <class AnyRows, class DirectionsOf>
Oriented orient(const AnyRows& rows, bool with_directions, const DirectionsOf& directions_of, Workers& workers) {
  constexpr std::uint64_t kGrain = 1 << 10;
  const VertexId n = rows.num_vertices();
  Oriented out{Writable<VertexId>(n), Writable<EdgeCount>(std::size_t(n) + 1), Writable<VertexId>(),
               Writable<std::uint8_t>()};
  const Writable<VertexId> rank = ranks_by_degree(rows, out.vertex);
  workers.each(n, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t r = first; r < last; ++r) {
      EdgeCount count = 0;
      for (const auto edge : rows[out.vertex[r]]) count += rank[edge.neighbor()] > r;
      out.offsets[r] = count;
    }
  });
  EdgeCount sum = 0;
  for (std::uint64_t r = 0; r < n; ++r) {
    const EdgeCount count = out.offsets[r];
    out.offsets[r] = sum;
    sum += count;
  }
  out.offsets[n] = sum;
  out.targets = Writable<VertexId>(sum);
  if (with_directions) out.directions = Writable<std::uint8_t>(sum);
  workers.each(n, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t r = first; r < last; ++r) {
      EdgeCount at = out.offsets[r];
      const VertexId v = out.vertex[r];
      for (const auto edge : rows[v]) {
        if (rank[edge.neighbor()] > r) out.targets[at++] = rank[edge.neighbor()];
      }
      std::sort(out.targets.data() + out.offsets[r], out.targets.data() + at);  // reads in order, nearly
      if (!with_directions) continue;
      for (EdgeCount e = out.offsets[r]; e < at; ++e) out.directions[e] = directions_of(v, out.vertex[out.targets[e]]);
    }
  });
  return out;
}

// For every vertex, over the triangles that it is a corner of: 1, or of the edge that faces it the directions in which
// it is stored. By id.
template <bool counts_directions>
Writable<std::int64_t> sum_over_triangles(const Oriented& graph, Workers& workers) {
  constexpr std::uint64_t kGrain = 64;
  struct Scratch {
    std::vector<std::uint64_t> is_neighbor;  // a bit per rank: of the vertex at hand
    std::vector<std::uint32_t> sum;          // by rank of those
    std::vector<std::uint8_t> directions;    // likewise
  };
  const VertexId n = graph.num_vertices();
  const EdgeCount* const offsets = graph.offsets.data();
  const VertexId* const targets = graph.targets.data();
  const std::uint8_t* const directions = graph.directions.data();
  std::vector<std::atomic<std::int64_t>> sums(n);
  std::vector<Scratch> scratches(static_cast<std::size_t>(workers.size()));
  workers.phase("vertices", Workers::kNextLoop);
  workers.each(n, kGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
    Scratch& mine = scratches[static_cast<std::size_t>(worker)];
    if (mine.sum.empty()) {
      mine.is_neighbor.resize(n / 64 + 1);
      mine.sum.resize(n);
      if (counts_directions) mine.directions.resize(n);
    }
    std::uint64_t* const is_neighbor = mine.is_neighbor.data();
    std::uint32_t* const sum = mine.sum.data();
    std::uint8_t* const uw_directions = mine.directions.data();
    for (std::uint64_t u = first; u < last; ++u) {
      if (offsets[u + 1] - offsets[u] < 2) continue;
      for (EdgeCount e = offsets[u]; e < offsets[u + 1]; ++e) {
        is_neighbor[targets[e] / 64] |= std::uint64_t(1) << targets[e] % 64;
        if (counts_directions) uw_directions[targets[e]] = directions[e];
      }
      std::int64_t of_u = 0;
      for (EdgeCount uv = offsets[u]; uv < offsets[u + 1]; ++uv) {
        const VertexId v = targets[uv];
        const std::uint32_t faces_w = counts_directions ? directions[uv] : 1;
        std::uint32_t of_v = 0;
        for (EdgeCount vw = offsets[v]; vw < offsets[std::uint64_t(v) + 1]; ++vw) {
          const VertexId w = targets[vw];
          if ((is_neighbor[w / 64] >> w % 64 & 1) == 0) continue;
          of_v += counts_directions ? uw_directions[w] : 1;
          sum[w] += faces_w;
          if (counts_directions) of_u += directions[vw];
        }
        if (!counts_directions) of_u += of_v;
        sum[v] += of_v;
      }
      for (EdgeCount e = offsets[u]; e < offsets[u + 1]; ++e) {
        const VertexId v = targets[e];
        is_neighbor[v / 64] = 0;
        if (sum[v] != 0) sums[v].fetch_add(sum[v], std::memory_order_relaxed);
        sum[v] = 0;
      }
      if (of_u != 0) sums[u].fetch_add(of_u, std::memory_order_relaxed);
    }
  });
  Writable<std::int64_t> by_id(n);
  for (VertexId r = 0; r < n; ++r) by_id[graph.vertex[r]] = sums[r].load(std::memory_order_relaxed);
  return by_id;
}

}  // namespace algorithm
}  // namespace gaspipe
