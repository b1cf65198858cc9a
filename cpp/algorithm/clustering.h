// SPDX-License-Identifier: Apache-2.0
// Local clustering coefficients.
#pragma once

#include <algorithm>

#include "cpp/algorithm/common/triangles.h"
#include "gaspipe/cpu_algorithm.h"

namespace gaspipe {
namespace algorithm {
namespace clustering {

constexpr CpuDescription kDescription = {
    "Local clustering coefficient of every vertex: edges among its neighbors, of those that there could be.",
    "Neighbors are the d vertices that an edge joins with the vertex, in either direction; they could have d (d - 1) "
    "edges, each direction counting, as LDBC Graphalytics defines it. In a graph with all edges in both directions "
    "that is triangles / (d (d - 1) / 2), NetworkX's `clustering`. Self-loops, edge weights and repeated edges are "
    "ignored.",
    "A. Iosup et al., \"LDBC Graphalytics: A Benchmark for Large-Scale Graph Analysis on Parallel and Distributed "
    "Platforms\", PVLDB 9(13), 2016, doi:10.14778/3007263.3007270."};

struct Parameters {
  template <class Visit>
  void each(Visit&&) {}
};

struct Answer {
  Array<double> coefficient;
  double mean = 0;

  template <class Visit>
  void each(Visit&& visit) {
    visit("coefficient", coefficient, "0 to 1; 0 of vertices with fewer than two neighbors");
    visit("mean", mean, "the coefficients' mean");
  }
};

// Whether u -> v is stored, in rows that are sorted.
template <class AnyRows>
bool has_edge(const AnyRows& rows, const VertexId* targets, VertexId u, VertexId v) {
  return std::binary_search(targets + rows.begin(u), targets + rows.end(u), v);
}

// Edges among the neighbors of every vertex, each direction counting; by id.
template <class AnyRows>
Writable<std::int64_t> links_among_neighbors(const AnyRows& undirected, const VertexId* undirected_targets,
                                             CpuRun& run) {
  if (run.graph.is_symmetric(run.workers)) {
    const Writable<std::int64_t> links = triangles_of(undirected, undirected_targets, run.workers);
    for (std::size_t v = 0; v < links.size(); ++v) links[v] *= 2;
    return links;
  }
  const Csr directed = simplify(*run.graph.csr(), {}, run.workers);
  const Oriented graph = engine::with_rows(table_of(directed), [&](const auto& rows) {
    const VertexId* const targets = directed.targets.data();
    return orient(
        undirected, true,
        [&](VertexId u, VertexId v) { return has_edge(rows, targets, u, v) + has_edge(rows, targets, v, u); },
        run.workers);
  });
  return sum_over_triangles<true>(graph, run.workers);
}

inline Answer run(CpuRun& run, const Parameters&) {
  const std::shared_ptr<const Csr> csr = run.view(View::kUndirected);
  return engine::with_rows(table_of(*csr), [&](const auto& rows) {
    const Writable<std::int64_t> links = links_among_neighbors(rows, csr->targets.data(), run);
    const Writable<double> coefficient(rows.num_vertices());
    double sum = 0;
    for (VertexId v = 0; v < rows.num_vertices(); ++v) {
      double degree = static_cast<double>(rows.degree(v));
      for (const auto edge : rows[v]) {
        if (edge.neighbor() < v) continue;
        degree -= edge.neighbor() == v;
        break;  // sorted
      }
      coefficient[v] = degree < 2 ? 0 : static_cast<double>(links[v]) / (degree * (degree - 1));
      sum += coefficient[v];
    }
    return Answer{coefficient.freeze(), sum / rows.num_vertices()};
  });
}

}  // namespace clustering
}  // namespace algorithm
}  // namespace gaspipe
