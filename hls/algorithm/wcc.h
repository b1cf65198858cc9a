// SPDX-License-Identifier: Apache-2.0
// Weakly connected components: every vertex takes the smallest id that it receives over edges in either direction,
// until no vertex receives a smaller one. Merge is the minimum, so updates may meet in any order.
// Method: label propagation, as in X. Chen et al., "ThunderGP", FPGA 2021; there one seed spreads, here every vertex's
// id.
#pragma once

#include "hls/types.h"

namespace gaspipe {
namespace algorithm {
namespace wcc {

constexpr Description kDescription = {
    "Weakly connected component of every vertex.", "Edges count in both directions, weights are ignored.", "component",
    "the smallest vertex id in the component",
    "X. Chen et al., \"ThunderGP: HLS-based Graph Processing Framework on FPGAs\", FPGA 2021, "
    "doi:10.1145/3431920.3439290."};

using Numbers = NumberList<std::uint32_t>;

template <class Number>
struct Hooks {
  using Property = Number;
  static constexpr Property kIdentity = 0xffffffffu;  // no vertex
  static constexpr bool kIdempotent = true;
  static constexpr bool kComponents = true;
  static constexpr int kAux = 0;

  static Property preprocessProperty(Property component) { return component; }
  static Property scatterFunc(Property component, Property /*edge*/) { return component; }
  static Property updateMergeInRAWSolver(Property a, Property b) { return gatherFunc(a, b); }
  static Property gatherFunc(Property component, Property update) { return update < component ? update : component; }
  static Property applyMerge(Property a, Property b) { return gatherFunc(a, b); }
  static Property applyFunc(Property tProp, Property source, Property /*outDeg*/, unsigned& extra, unsigned /*arg*/) {
    extra += tProp < source;  // vertices that moved; the run ends at none
    return gatherFunc(source, tProp);
  }
};

struct Parameters {
  template <class Visit>
  void each(Visit&& /*visit*/) {}
};

template <class Number>
struct Program {
  using Hooks = wcc::Hooks<Number>;
  using Value = std::int64_t;
  static constexpr View kView = View::kUndirected;
  static constexpr bool kAsksDegrees = false;
  const Context<Parameters>& context;

  typename Hooks::Property initial(VertexId v) const { return v; }
  Until until(int /*step*/, const std::uint64_t* sums) const { return done_if(sums[0] == 0); }
  Value finish(typename Hooks::Property component, VertexId /*v*/) const { return component; }
};

}  // namespace wcc
}  // namespace algorithm
}  // namespace gaspipe
