// SPDX-License-Identifier: Apache-2.0
// Single-source shortest paths: the least sum of edge weights from one root, by repeated relaxation (Bellman-Ford),
// for any weights >= 0. A sum that leaves the number format counts as no path, and is not sent. A vertex that only such
// sums reach is found at the end of the run (kLargestSum), which is then repeated in a wider format, or refused. The
// merge is a minimum, exact in floating point too: any order gives the same.
// Method: X. Chen et al., "ThunderGP", FPGA 2021; there a vertex's first distance is final, here it is relaxed further.
#pragma once

#include "hls/types.h"

namespace gaspipe {
namespace algorithm {
namespace sssp {

constexpr Description kDescription = {
    "Length of the shortest path to every vertex from `root`.",
    "Edge weights are lengths, >= 0; an edge without a weight has length 1, one of length inf cannot be taken. Of "
    "parallel edges the shortest counts. A distance that fits no number format is a CapacityError; in integers the "
    "largest that fits is 2**63 - 1.",
    "distance",
    "sum of weights from `root`: int64 for integer weights, -1 where unreached; else the weights' float type, inf "
    "where unreached",
    "X. Chen et al., \"ThunderGP: HLS-based Graph Processing Framework on FPGAs\", FPGA 2021, "
    "doi:10.1145/3431920.3439290; R. Bellman, \"On a routing problem\", Quart. Appl. Math. 16, 1958."};

using Numbers = NumberList<std::uint32_t, std::uint64_t, float, double>;

// Distances in a number format: "unreached", the largest, and a sum, which is "unreached" where it is larger.
template <class Number>
struct Distance {  // unsigned words; answers are signed ones of 64 bits
  using Value = std::int64_t;
  static constexpr Number kUnreached = static_cast<Number>(-1);
  static constexpr Number kLargest = sizeof(Number) == 8 ? kUnreached >> 1 : kUnreached - 1;
  static Number add(Number distance, Number weight) {
    if (distance == kUnreached) return kUnreached;  // of all edges of a row alike: engines leave the row out
    return weight > kLargest - distance ? kUnreached : distance + weight;
  }
  static Value finish(Number distance) { return distance == kUnreached ? -1 : static_cast<Value>(distance); }
};
template <class Number>
struct FloatDistance {
  using Value = Number;
  static constexpr Number kUnreached = static_cast<Number>(__builtin_huge_val());
  static constexpr Number kLargest = static_cast<Number>(sizeof(Number) == 4 ? __FLT_MAX__ : __DBL_MAX__);
  static Number add(Number distance, Number weight) { return distance + weight; }
  static Value finish(Number distance) { return distance; }
};
template <>
struct Distance<float> : FloatDistance<float> {};
template <>
struct Distance<double> : FloatDistance<double> {};

template <class Number>
struct Hooks {
  using Property = Number;
  using Format = Distance<Number>;
  static constexpr Property kIdentity = Format::kUnreached;
  static constexpr bool kReadsEdgeProperty = true;
  static constexpr bool kIdempotent = true;
  static constexpr int kAux = 0;
  static bool isActive(Property update) { return update != kIdentity; }
  static bool isSource(Property distance) { return distance != kIdentity; }
  static Property priority(Property distance) { return distance; }

  static Property preprocessProperty(Property distance) { return distance; }
  static Property scatterFunc(Property distance, Property weight) { return Format::add(distance, weight); }
  static Property updateMergeInRAWSolver(Property a, Property b) { return gatherFunc(a, b); }
  static Property gatherFunc(Property distance, Property update) { return update < distance ? update : distance; }
  static Property applyMerge(Property a, Property b) { return gatherFunc(a, b); }
  static Property applyFunc(Property tProp, Property source, Property /*outDeg*/, unsigned& extra, unsigned /*arg*/) {
    extra += tProp < source;  // vertices that came nearer
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
  using Hooks = sssp::Hooks<Number>;
  using Value = typename Hooks::Format::Value;
  static constexpr bool kNonNegative = true;
  static constexpr double kLargestSum = static_cast<double>(Hooks::Format::kLargest);
  const Context<Parameters>& context;

  typename Hooks::Property initial(VertexId v) const { return v == context.parameters.root ? 0 : Hooks::kIdentity; }
  Until until(int /*step*/, const std::uint64_t* sums) const { return done_if(sums[0] == 0); }
  Value finish(typename Hooks::Property distance, VertexId /*v*/) const { return Hooks::Format::finish(distance); }
};

}  // namespace sssp
}  // namespace algorithm
}  // namespace gaspipe
