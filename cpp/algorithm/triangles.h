// SPDX-License-Identifier: Apache-2.0
// Triangles at every vertex.
#pragma once

#include <atomic>
#include <numeric>

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
  std::atomic<std::int64_t> corners{0};
  run.workers.each(counts.size(), 1 << 14, [&](std::uint64_t first, std::uint64_t last, int) {
    corners += std::accumulate(counts.data() + first, counts.data() + last, std::int64_t(0));
  });
  return {counts.freeze(), corners / 3};
}

}  // namespace triangles
}  // namespace algorithm
}  // namespace gaspipe
