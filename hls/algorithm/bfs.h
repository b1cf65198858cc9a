// SPDX-License-Identifier: Apache-2.0
// Breadth-first search: the level of every vertex, in hops from one root.
// Merge is the minimum and kUnreached its identity, so updates may meet in any order.
// Method: X. Chen et al., "ThunderGP", FPGA 2021, doi:10.1145/3431920.3439290.
#pragma once

#include "hls/types.h"

namespace gaspipe {
namespace algorithm {
namespace bfs {

constexpr Description kDescription = {
    "Level of every vertex, in hops from `root`.",
    "Edge weights are ignored. The graph is walked along its edges, from i to j where A[i, j] is stored.", "depth",
    "hops from `root`; -1 where unreached",
    "X. Chen et al., \"ThunderGP: HLS-based Graph Processing Framework on FPGAs\", FPGA 2021, "
    "doi:10.1145/3431920.3439290."};

using Numbers = NumberList<std::uint32_t>;

template <class Number>
struct Hooks {
  using Property = Number;
  static constexpr Property kUnreached = 0xffffffffu;
  static constexpr Property kIdentity = kUnreached;
  static constexpr bool kReadsEdgeProperty = false;
  static constexpr bool kIdempotent = true;
  static constexpr bool kFinalOnceSet = true;
  static constexpr int kAux = 0;
  static bool isActive(Property update) { return update != kUnreached; }
  static bool isSource(Property level) { return level != kUnreached; }

  static Property preprocessProperty(Property level) { return level == kUnreached ? level : level + 1; }
  static Property scatterFunc(Property level, Property /*edge*/) { return level; }
  static Property updateMergeInRAWSolver(Property a, Property b) { return gatherFunc(a, b); }
  static Property gatherFunc(Property level, Property update) { return update < level ? update : level; }
  static Property applyMerge(Property a, Property b) { return gatherFunc(a, b); }
  static Property applyFunc(Property tProp, Property source, Property /*outDeg*/, unsigned& extra, unsigned /*arg*/) {
    extra += tProp < source;  // vertices reached in this super-step; the run ends at none
    return gatherFunc(source, tProp);
  }
};

struct Parameters {
  VertexId root = 0;
  template <class Visit>
  void each(Visit&& visit) {
    visit("root", root, Allowed::vertex(), "Start vertex.");
  }
};

template <class Number>
struct Program {
  using Hooks = bfs::Hooks<Number>;
  using Value = std::int32_t;
  const Context<Parameters>& context;

  typename Hooks::Property initial(VertexId v) const { return v == context.parameters.root ? 0 : Hooks::kUnreached; }
  Until until(int /*step*/, const std::uint64_t* sums) const { return done_if(sums[0] == 0); }
  Value finish(typename Hooks::Property level, VertexId /*v*/) const {
    return level == Hooks::kUnreached ? -1 : static_cast<Value>(level);
  }
};

}  // namespace bfs
}  // namespace algorithm
}  // namespace gaspipe
