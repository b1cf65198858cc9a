// SPDX-License-Identifier: Apache-2.0
// Triangles at every vertex.
#pragma once

#include "cpp/algorithm/common/triangles.h"
#include "gaspipe/cpu_algorithm.h"

namespace gaspipe {
namespace algorithm {
namespace triangles {

constexpr CpuDescription kDescription = {
    "Triangles at every vertex, and how many there are in all.",
    "A triangle is three vertices, each joined with both others, whatever the directions of the edges. Self-loops, "
    "edge weights and repeated edges are ignored.",
    "T. Schank, D. Wagner, \"Finding, Counting and Listing All Triangles in Large Graphs\", WEA 2005, "
    "doi:10.1007/11427186_54."};

struct Parameters {
  template <class Visit>
  void each(Visit&&) {}
};

struct Answer {
  Array<std::int64_t> triangles;
  std::int64_t total = 0;

  template <class Visit>
  void each(Visit&& visit) {
    visit("triangles", triangles, "triangles that the vertex is a corner of");
    visit("total", total, "triangles in the graph");
  }
};

inline Answer run(CpuRun& run, const Parameters&) {
  const std::shared_ptr<const Csr> csr = run.view(View::kUndirected);
  const Writable<std::int64_t> counts = engine::with_rows(
      table_of(*csr), [&](const auto& rows) { return triangles_of(rows, csr->targets.data(), run.workers); });
  std::int64_t corners = 0;
  for (std::size_t v = 0; v < counts.size(); ++v) corners += counts[v];
  return {counts.freeze(), corners / 3};
}

}  // namespace triangles
}  // namespace algorithm
}  // namespace gaspipe
