// SPDX-License-Identifier: Apache-2.0
// A vertex cover from a maximal matching: edges in the descending order of their ends' degrees, and both ends of every
// edge that has none in the cover yet.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gaspipe/cpu_algorithm.h"

namespace gaspipe {
namespace algorithm {
namespace vertex_cover {

constexpr CpuDescription kDescription = {
    "A vertex cover: vertices of which every edge has one, at most twice as many as are needed.",
    "Edges are taken by the sum of their ends' degrees, largest first (of equal ones the first stored), and both ends "
    "join the cover where neither is in it yet. The edges taken share no vertex, so any cover has as many vertices as "
    "there are such edges. A vertex with a self-loop is in every cover. Directions of edges and weights are ignored; "
    "degrees are those of the rows as stored. The accelerator of GraphOps' blocks reads all edges for every edge that "
    "is "
    "taken, in the same order.",
    "F. Gavril, in M. Garey, D. Johnson, \"Computers and Intractability\", 1979, page 134; T. Oguntebi, K. Olukotun, "
    "\"GraphOps: A Dataflow Library for Graph Analytics Acceleration\", FPGA 2016, doi:10.1145/2847263.2847337."};

struct Parameters {
  template <class Visit>
  void each(Visit&&) {}
};

struct Answer {
  Array<bool> member;
  std::int64_t size = 0, num_matched = 0;

  template <class Visit>
  void each(Visit&& visit) {
    visit("member", member, "whether the vertex is in the cover");
    visit("size", size, "how many vertices are");
    visit("num_matched", num_matched, "edges taken, self-loops apart: no cover has fewer vertices");
  }
};

// Edges by the sum of their ends' degrees, descending, stored order among equals.
struct ByDegrees {
  std::vector<EdgeCount> edges;
  std::vector<VertexId> owners;  // of each edge, by its place among the rows

  ByDegrees(const Csr& csr, Workers& workers) : edges(csr.num_edges()), owners(csr.num_edges()) {
    constexpr std::uint64_t kGrain = 1 << 10;
    std::uint64_t largest = 0;
    for (VertexId v = 0; v < csr.num_rows; ++v) largest = std::max<std::uint64_t>(largest, csr.degree(v));
    std::vector<std::uint64_t> key(csr.num_edges());
    workers.each(csr.num_rows, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t v = first; v < last; ++v) {
        for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
          owners[e] = static_cast<VertexId>(v);
          key[e] = 2 * largest - csr.degree(static_cast<VertexId>(v)) - csr.degree(csr.targets[e]);
        }
      }
    });
    workers.check();
    std::vector<EdgeCount> place(2 * largest + 2, 0);
    for (const std::uint64_t k : key) ++place[k + 1];
    for (std::size_t k = 1; k < place.size(); ++k) place[k] += place[k - 1];
    for (EdgeCount e = 0; e < edges.size(); ++e) edges[place[key[e]]++] = e;
    workers.check();
  }
};

inline Answer run(CpuRun& run, const Parameters&) {
  constexpr std::size_t kEdgesPerCheck = 1 << 16;
  const std::shared_ptr<const Csr> csr = run.view(View::kForward);
  const Writable<bool> member(csr->num_rows);
  std::fill_n(member.data(), csr->num_rows, false);
  Answer answer;
  const ByDegrees order(*csr, run.workers);
  run.workers.phase("edges", order.edges.size());
  for (std::size_t i = 0; i < order.edges.size(); ++i) {
    if (i % kEdgesPerCheck == 0) run.workers.done(i);
    const EdgeCount e = order.edges[i];
    const VertexId u = order.owners[e], v = csr->targets[e];
    if (member[u] || member[v]) continue;
    member[u] = member[v] = true;
    answer.size += u == v ? 1 : 2;
    answer.num_matched += u != v;
  }
  run.workers.done(order.edges.size());
  answer.member = member.freeze();
  return answer;
}

}  // namespace vertex_cover
}  // namespace algorithm
}  // namespace gaspipe
