// SPDX-License-Identifier: Apache-2.0
// An undirected graph with numbered edges. Vertices are ranks, by falling degree, and rows are ascending: those of
// higher degree come first in a row. Edges are numbered by their end of higher degree, then by the other.
// Triangles are counted by edge, each at its vertex of lowest degree: T. Schank, D. Wagner, "Finding, Counting and
// Listing All Triangles in Large Graphs", WEA 2005, doi:10.1007/11427186_54.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "gaspipe/array.h"
#include "gaspipe/engine/rows.h"
#include "gaspipe/workers.h"

namespace gaspipe {
namespace algorithm {

template <class Id>
struct EdgeRows {
  struct Entry {
    VertexId neighbor;
    Id edge;
  };
  struct Ends {
    VertexId high, low;  // by degree; high is the smaller rank
  };
  Writable<VertexId> vertex;   // of every rank
  Writable<EdgeCount> begins;  // of the rows
  Writable<EdgeCount> lower;   // where a row's neighbors of lower degree begin
  Writable<EdgeCount> ends;
  Writable<Entry> entries;
  Writable<Ends> edges;

  VertexId num_vertices() const { return static_cast<VertexId>(vertex.size()); }
};

// From rows that are without repetition, and symmetric; self-loops are left out.
template <class Id, class AnyRows>
EdgeRows<Id> number_edges(const AnyRows& rows, Workers& workers) {
  constexpr VertexId kCheck = 1 << 12;
  const VertexId n = rows.num_vertices();
  EdgeRows<Id> out;
  out.vertex = Writable<VertexId>(n);
  Writable<VertexId> rank(n);
  EdgeCount most = 0;
  for (VertexId v = 0; v < n; ++v) most = std::max(most, rows.degree(v));
  std::vector<VertexId> next(most + 2, 0);
  for (VertexId v = 0; v < n; ++v) ++next[most - rows.degree(v) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (VertexId v = 0; v < n; ++v) {
    rank[v] = next[most - rows.degree(v)]++;
    out.vertex[rank[v]] = v;
  }

  out.begins = Writable<EdgeCount>(n);
  out.lower = Writable<EdgeCount>(n);
  out.ends = Writable<EdgeCount>(n);
  EdgeCount sum = 0;
  for (VertexId r = 0; r < n; ++r) {
    out.begins[r] = out.lower[r] = out.ends[r] = sum;
    sum += rows.degree(out.vertex[r]);
  }
  out.entries = Writable<typename EdgeRows<Id>::Entry>(sum);
  // Every vertex in turn enters the rows of its neighbors, which are ascending so.
  for (VertexId r = 0; r < n; ++r) {
    if (r % kCheck == 0) workers.check();
    for (const auto edge : rows[out.vertex[r]]) {
      const VertexId to = rank[edge.neighbor()];
      if (to == r) continue;
      out.entries[out.ends[to]++].neighbor = r;
      out.lower[to] += r < to;
    }
  }
  EdgeCount num_edges = 0;
  for (VertexId r = 0; r < n; ++r) num_edges += out.ends[r] - out.lower[r];
  out.edges = Writable<typename EdgeRows<Id>::Ends>(num_edges);
  std::vector<EdgeCount> place(out.begins.data(), out.begins.data() + n);
  Id edge = 0;
  for (VertexId r = 0; r < n; ++r) {
    if (r % kCheck == 0) workers.check();
    for (EdgeCount e = out.lower[r]; e < out.ends[r]; ++e) {
      const VertexId to = out.entries[e].neighbor;
      out.entries[e].edge = out.entries[place[to]++].edge = edge;
      out.edges[edge++] = {r, to};
    }
  }
  return out;
}

// The number of triangles that every edge is in.
template <class Id>
Writable<std::uint32_t> count_triangles(const EdgeRows<Id>& rows, Workers& workers) {
  constexpr std::uint64_t kGrain = 64;
  const VertexId n = rows.num_vertices();
  const auto* const entries = rows.entries.data();
  Writable<std::uint32_t> counts(rows.edges.size());
  std::uint32_t* const count = counts.data();
  workers.each(counts.size(), 1 << 14,
               [&](std::uint64_t first, std::uint64_t last, int) { std::fill(count + first, count + last, 0u); });
  const auto add = [count](Id edge, std::uint32_t found) {
    if (found != 0) __atomic_fetch_add(count + edge, found, __ATOMIC_RELAXED);
  };
  struct Scratch {
    std::vector<std::uint32_t> place;  // by rank, of the neighbors of the vertex at hand: 1, 2, ...
    std::vector<std::uint32_t> found;  // by place
  };
  std::vector<Scratch> scratches(static_cast<std::size_t>(workers.size()));
  workers.each(n, kGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
    Scratch& mine = scratches[static_cast<std::size_t>(worker)];
    if (mine.place.empty()) mine.place.resize(n, 0);
    std::uint32_t* const place = mine.place.data();
    // A triangle u > v > w, by rank.
    for (std::uint64_t u = first; u < last; ++u) {
      const EdgeCount begin = rows.begins[u], end = rows.lower[u];
      if (end - begin < 2) continue;
      mine.found.assign(end - begin + 1, 0);
      std::uint32_t* const found = mine.found.data();
      for (EdgeCount e = begin; e < end; ++e) {
        const VertexId v = entries[e].neighbor;
        std::uint32_t of_uv = 0;
        // Neighbors before v in the row of u are marked already.
        for (EdgeCount f = rows.begins[v]; f < rows.lower[v]; ++f) {
          const std::uint32_t at = place[entries[f].neighbor];
          if (at == 0) continue;
          ++found[at];
          ++of_uv;
          add(entries[f].edge, 1);
        }
        place[v] = static_cast<std::uint32_t>(e - begin + 1);
        found[e - begin + 1] += of_uv;
      }
      for (EdgeCount e = begin; e < end; ++e) {
        place[entries[e].neighbor] = 0;
        add(entries[e].edge, found[e - begin + 1]);
      }
    }
  });
  return counts;
}

}  // namespace algorithm
}  // namespace gaspipe
