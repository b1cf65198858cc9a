// SPDX-License-Identifier: Apache-2.0
// Closeness centrality: how near a vertex is to all that can reach it. Breadth-first searches from 32, 64 or 512
// vertices run in one pass, one bit of a word each: a vertex's property is the set of searches that have found it, the
// merge is OR, and apply counts for every search the vertices that it found in this super-step. Their distances are
// summed between super-steps. Searches run against the edges, for distances count towards a vertex. Method: M. Then et
// al., "The More the Merrier: Efficient Multi-Source Graph Traversal", PVLDB 8(4), 2014; 32 sources in one pass as in
// X. Chen et al., "ThunderGP", FPGA 2021.
#pragma once

#include "hls/bit_set.h"
#include "hls/types.h"

namespace gaspipe {
namespace algorithm {
namespace closeness {

constexpr Description kDescription = {
    "Closeness centrality of every vertex, or of some.",
    "closeness(v) = r / (sum of the distances in hops to v from the r other vertices that reach it), exact; times "
    "r / (num_vertices - 1) with `wf_improved`. Edge weights are ignored. As in NetworkX, distances count along the "
    "edges towards v; for those from v pass the transpose. All vertices take a pass over the graph per 64, "
    "and with `number=\"bits512\"` per 512, where a word of memory has a bit for each.",
    "closeness", "0 where no other vertex reaches; NaN where not asked for",
    "L. C. Freeman, \"Centrality in social networks: conceptual clarification\", Social Networks 1, 1979, "
    "doi:10.1016/0378-8733(78)90021-7; S. Wasserman, K. Faust, \"Social Network Analysis\", 1994; "
    "M. Then et al., \"The More the Merrier: Efficient Multi-Source Graph Traversal\", PVLDB 8(4), 2014, "
    "doi:10.14778/2735496.2735507."};

using Numbers = NumberList<std::uint64_t, std::uint32_t, BitSet<512>>;

template <class Number>
struct Hooks {
  using Property = Number;             // bit k: search k has been here
  using EdgeProperty = std::uint32_t;  // not read
  static constexpr bool kIdempotent = true;
  static constexpr int kAux = 0;
  static constexpr int kExtras = 8 * sizeof(Number);  // vertices found, per search
  static bool isActive(const Property& update) { return has_any(update); }
  static bool isSource(const Property& searches) { return has_any(searches); }

  static Property preprocessProperty(Property searches) { return searches; }
  static Property scatterFunc(Property searches, EdgeProperty /*edge*/) { return searches; }
  static Property updateMergeInRAWSolver(Property a, Property b) { return a | b; }
  static Property gatherFunc(Property searches, Property update) { return searches | update; }
  static Property applyMerge(Property a, Property b) { return a | b; }
  static Property applyFunc(Property tProp, Property source, Property /*outDeg*/, unsigned (&extra)[kExtras],
                            unsigned /*arg*/) {
    const Property found = tProp & ~source;
    if (has_any(found)) count_members(found, extra);
    return source | tProp;
  }
};

struct Parameters {
  VertexListView vertices;
  bool wf_improved = true;
  template <class Visit>
  void each(Visit&& visit) {
    visit("vertices", vertices, Allowed::vertex(), "Vertices to answer for; by default all.");
    visit("wf_improved", wf_improved, Allowed::any(),
          "Scale by the share of vertices that reach v (Wasserman and Faust), as NetworkX does by default.");
  }
};

template <class Number>
struct Program {
  using Hooks = closeness::Hooks<Number>;
  using Value = double;
  static constexpr View kView = View::kReverse;
  static constexpr Value kMissing = __builtin_nan("");
  static constexpr std::uint64_t kSearches = Hooks::kExtras;
  const Context<Parameters>& context;
  std::uint64_t num_searches = 0;         // of this pass
  VertexId roots[kSearches] = {};         // where they start
  VertexId lowest = 0, highest = 0;       // of these
  std::uint64_t found[kSearches] = {};    // other vertices so far
  std::uint64_t farness[kSearches] = {};  // sum of their distances

  explicit Program(const Context<Parameters>& c) : context(c) {}

  std::uint64_t num_roots() const {
    const VertexListView& wanted = context.parameters.vertices;
    return wanted.data == nullptr ? context.num_vertices : wanted.size;
  }
  std::uint64_t num_passes() const { return (num_roots() + kSearches - 1) / kSearches; }
  void start(std::uint64_t pass) {
    const VertexListView& wanted = context.parameters.vertices;
    const std::uint64_t first = pass * kSearches, left = num_roots() - first;
    num_searches = left < kSearches ? left : kSearches;
    for (std::uint64_t k = 0; k < num_searches; ++k) {
      roots[k] = wanted.data == nullptr ? static_cast<VertexId>(first + k) : wanted.data[first + k];
      found[k] = farness[k] = 0;
      lowest = k == 0 || roots[k] < lowest ? roots[k] : lowest;
      highest = k == 0 || roots[k] > highest ? roots[k] : highest;
    }
  }
  Number initial(VertexId v) const {
    Number searches{};
    if (v < lowest || v > highest) return searches;
    for (std::uint64_t k = 0; k < num_searches; ++k) add_bit(searches, static_cast<int>(k), roots[k] == v);
    return searches;
  }
  void collect(int step, const std::uint64_t* sums) {
    for (std::uint64_t k = 0; k < num_searches; ++k) {
      found[k] += sums[k];
      farness[k] += sums[k] * (static_cast<std::uint64_t>(step) + 1);
    }
  }
  Until until(int /*step*/, const std::uint64_t* sums) const {
    std::uint64_t any = 0;
    for (std::uint64_t k = 0; k < num_searches; ++k) any |= sums[k];
    return done_if(any == 0);
  }
  void publish(Value* values) const {
    for (std::uint64_t k = 0; k < num_searches; ++k) {
      const Value reached = static_cast<Value>(found[k]);
      Value closeness = found[k] == 0 ? 0 : reached / static_cast<Value>(farness[k]);
      if (context.parameters.wf_improved && found[k] != 0) closeness *= reached / (context.num_vertices - 1);
      values[roots[k]] = closeness;
    }
  }
};

}  // namespace closeness
}  // namespace algorithm
}  // namespace gaspipe
