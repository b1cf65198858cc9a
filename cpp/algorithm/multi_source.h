// SPDX-License-Identifier: Apache-2.0
// Depths from many sources.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>

#include "cpp/algorithm/common/memory.h"
#include "cpp/algorithm/common/searches.h"
#include "gaspipe/cpu_algorithm.h"

namespace gaspipe {
namespace algorithm {
namespace multi_source {

constexpr CpuDescription kDescription = {
    "Depth of every vertex from many sources, in hops: a breadth-first search from each.",
    "Searches follow the edges in their direction; weights, self-loops and "
    "repeated edges play no part. SciPy's `shortest_path(unweighted=True, indices=sources)` in integers. The answer "
    "takes 4 bytes times the sources times the vertices.",
    "M. Then et al., \"The More the Merrier: Efficient Multi-Source Graph Traversal\", PVLDB 8(4), 2014, "
    "doi:10.14778/2735496.2735507."};

struct Parameters {
  VertexListView sources;

  template <class Visit>
  void each(Visit&& visit) {
    visit("sources", sources, Allowed::vertex(), "Where searches start; by default everywhere. One may come twice.");
  }
};

struct Answer {
  Table<std::int32_t> depth{"num_sources, num_vertices"};
  Table<VertexId> sources{"num_sources", /*has_vertices=*/true};

  template <class Visit>
  void each(Visit&& visit) {
    visit("depth", depth, "a row per source, hops; -1 where unreached");
    visit("sources", sources, "where the search of each row started");
  }
};

// The sources that were asked for, where there is room for the answer.
inline Writable<VertexId> sources_of(const Csr& csr, const Parameters& parameters) {
  const std::uint64_t n = csr.num_rows, num_sources = parameters.sources.data ? parameters.sources.size : n;
  check_memory(message("depths from ", num_sources, " sources to ", n, " vertices"),
               4.0 * double(num_sources) * double(n), "give fewer sources=, some at a time");
  const Writable<VertexId> sources(num_sources);
  if (parameters.sources.data != nullptr) {
    std::copy_n(parameters.sources.data, num_sources, sources.data());
  } else {
    std::iota(sources.data(), sources.data() + n, VertexId(0));
  }
  return sources;
}

constexpr std::uint64_t kBundlesAtOnce = 8;  // of every worker, between reports of progress

inline Answer run(CpuRun& run, const Parameters& parameters) {
  const Csr& csr = *run.graph.csr();
  const Writable<VertexId> sources = sources_of(csr, parameters);
  const std::uint64_t n = csr.num_rows, num_sources = sources.size();
  const Writable<std::int32_t> depth(num_sources * n);
  // Edges are reversed where that is less work than the searches.
  const std::shared_ptr<const Csr> in =
      run.prepare([&] { return run.graph.in_edges(View::kForward, false, num_sources >= Bundle::kMost, run.workers); });
  Searches searches(csr, in.get(), run.workers);
  run.workers.phase("searches", num_sources);
  const std::uint64_t at_once = kBundlesAtOnce * Bundle::kMost * static_cast<std::uint64_t>(run.workers.size());
  for (std::uint64_t first = 0, size = 0; first < num_sources; first += size) {
    size = std::min(at_once, num_sources - first);
    searches.run(sources.data() + first, size, depth.data() + first * n);
    run.workers.done(first + size);
  }
  return {{"num_sources, num_vertices", false, depth.freeze(), n}, {"num_sources", true, sources.freeze()}};
}

}  // namespace multi_source
}  // namespace algorithm
}  // namespace gaspipe
