// SPDX-License-Identifier: Apache-2.0
// PageRank of a surfer who prefers heavy edges. Edges arrive with transition probabilities, weights divided by the sum
// of the weights that leave their source, which the host computes once per graph. So a vertex's property is its rank
// itself, and scatter multiplies. Edges of weight 0 are left out: a vertex without edges is dangling, and its rank is
// handed to all as in pagerank.h, one step late.
//
// Fixed<32>: ranks are words of value word / 2^scale_bits; transition probabilities, damping and base are fractions of
// 2^31, and the probabilities of a vertex's edges add up to 2^31 exactly. Products are rounded to nearest, sums
// saturate, and a word at the ceiling is counted in the third extra: the run is repeated in a coarser scale.
// Method: L. Page et al., 1999, with weights as in NetworkX; X. Chen et al., "ThunderGP", FPGA 2021.
#pragma once

#include "hls/types.h"

namespace gaspipe {
namespace algorithm {
namespace weighted_pagerank {

constexpr Description kDescription = {
    "PageRank of every vertex, for a surfer who follows edges in proportion to their weights.",
    "An edge u -> v is followed with probability weight(u, v) / (sum of the weights of u's edges). Weights must be "
    "finite and >= 0; without weights every edge weighs 1; parallel edges add up. The rank of vertices whose weights "
    "sum to 0 is spread like the teleport. This is what `gp.pagerank(graph, weights=True)` runs, and what NetworkX's "
    "pagerank does by default. Iteration starts and ends as that of `gp.pagerank`.",
    "rank", "sums to 1, up to the rounding that `gp.pagerank` states",
    "L. Page, S. Brin, R. Motwani, T. Winograd, \"The PageRank Citation Ranking\", Stanford InfoLab 1999-66."};

using Numbers = NumberList<double, float, Fixed<32>>;

template <class Number>
struct Arg {
  Number base;     // share of the teleport: 1 - damping + damping * dangling rank
  Number damping;  // share of what arrives over edges
};

enum Input { kIsDangling, kTeleport, kNumInputs };
enum Count { kChange, kDangling, kSaturated, kNumCounts };

template <class Number>
struct Hooks {  // floating point
  using Property = Number;
  using Extra = double;
  using Arg = weighted_pagerank::Arg<Number>;
  static constexpr Property kIdentity = 0;
  static constexpr bool kReadsEdgeProperty = true;
  static constexpr int kAux = kNumInputs;
  static constexpr int kExtras = kSaturated;  // which floating point does not

  static Property preprocessProperty(Property rank) { return rank; }
  static Property scatterFunc(Property rank, Property probability) { return rank * probability; }
  static Property updateMergeInRAWSolver(Property a, Property b) { return a + b; }
  static Property gatherFunc(Property sum, Property update) { return sum + update; }
  static Property applyMerge(Property a, Property b) { return a + b; }
  static Property applyFunc(Property tProp, Property source, const Property (&aux)[kAux], Extra (&extra)[kExtras],
                            Arg arg) {
    const Property rank = arg.base * aux[kTeleport] + arg.damping * tProp;
    const Extra change = rank - source;
    extra[kChange] += change > -change ? change : -change;
    extra[kDangling] += rank * aux[kIsDangling];
    return rank;
  }
};

template <>
struct Hooks<Fixed<32>> {
  using Property = std::uint32_t;
  using Extra = std::uint64_t;
  using Arg = weighted_pagerank::Arg<std::uint32_t>;
  static constexpr Property kIdentity = 0;
  static constexpr bool kReadsEdgeProperty = true;
  static constexpr int kAux = kNumInputs;
  static constexpr int kExtras = kNumCounts;

  static Property preprocessProperty(Property rank) { return rank; }
  static Property scatterFunc(Property rank, Property probability) {
    return static_cast<Property>(multiply_fraction(rank, probability, kFractionBits));
  }
  static Property updateMergeInRAWSolver(Property a, Property b) { return saturating_add(a, b); }
  static Property gatherFunc(Property sum, Property update) { return saturating_add(sum, update); }
  static Property applyMerge(Property a, Property b) { return saturating_add(a, b); }
  static Property applyFunc(Property tProp, Property source, const Property (&aux)[kAux], Extra (&extra)[kExtras],
                            Arg arg) {
    const Property ceiling = Fixed<32>::kMax;
    const std::uint64_t sum = multiply_fraction(aux[kTeleport], arg.base, kFractionBits) +
                              multiply_fraction(tProp, arg.damping, kFractionBits);
    const bool saturated = tProp == ceiling || aux[kTeleport] == ceiling || sum >= ceiling;
    const Property rank = saturated ? ceiling : static_cast<Property>(sum);
    extra[kChange] += rank < source ? source - rank : rank - source;
    extra[kDangling] += aux[kIsDangling] != 0 ? rank : 0;
    extra[kSaturated] += saturated;
    return rank;
  }
};

struct Parameters {
  double damping = 0.85;
  double tol = 1e-6;
  int max_iter = 100;
  ArrayView personalization;
  template <class Visit>
  void each(Visit&& visit) {
    visit("damping", damping, Allowed::between(0, 1), "Probability of following an edge.");
    visit("tol", tol, Allowed::at_least(0), "L1 change of the whole vector at which to stop; 0: run `max_iter` steps.");
    visit("max_iter", max_iter, Allowed::at_least(1), "Most super-steps.");
    visit(
        "personalization", personalization, Allowed::at_least(0),
        "Where the surfer lands on a teleport, one weight per vertex, any positive sum; by default everywhere alike.");
  }
};

template <class Number>
struct Program {
  using Hooks = weighted_pagerank::Hooks<Number>;
  using Property = typename Hooks::Property;
  using Sum = typename contract::SumOf<typename Hooks::Extra>::Type;
  using Value = double;
  static constexpr bool kTransitionProbabilities = true;
  static constexpr int kSaturations = Hooks::kExtras > kSaturated ? kSaturated : -1;
  const Context<Parameters>& context;
  Real<Number> format;
  Property uniform;             // rank of all before the first step, and their teleport
  double teleport_sum = 0;      // of the personalization
  double initial_dangling = 0;  // rank without out-edges before the first step

  explicit Program(const Context<Parameters>& c)
      : context(c), format(c.scale_bits), uniform(format.word(1.0 / c.num_vertices)) {
    VertexId num_dangling = 0;
    for (VertexId v = 0; v < c.num_vertices; ++v) num_dangling += c.out_degree(v) == 0;
    initial_dangling = static_cast<double>(num_dangling) / c.num_vertices;
    const ArrayView& wanted = c.parameters.personalization;
    for (std::uint64_t v = 0; v < wanted.size; ++v) teleport_sum += wanted.data[v];
  }
  // The largest scale at which equal ranks fit with one bit to spare; a graph with hubs comes down from there.
  static int scale_bits(VertexId num_vertices, EdgeCount /*num_edges*/) {
    int bits = 31;
    for (VertexId n = num_vertices; n > 1; n /= 2) ++bits;
    return bits;
  }
  const char* problem() const {
    if (context.parameters.personalization.data == nullptr) return nullptr;
    if (!(teleport_sum > 0)) return "personalization sums to 0; give at least one vertex a positive weight";
    if (teleport_sum > 1.7976931348623157e308) return "personalization sums to more than a double holds; scale it down";
    return nullptr;
  }

  Property initial(VertexId /*v*/) const { return uniform; }
  Property aux(int k, VertexId v) const {
    if (k == kIsDangling) return static_cast<Property>(context.out_degree(v) == 0);
    const ArrayView& wanted = context.parameters.personalization;
    return wanted.data == nullptr ? uniform : format.word(wanted.data[v] / teleport_sum);
  }
  typename Hooks::Arg arg(int step, const Sum* sums) const {
    const double damping = context.parameters.damping;
    const double dangling = step == 0 ? initial_dangling : format.value(static_cast<double>(sums[kDangling]));
    return {format.fraction(1 - damping + damping * dangling), format.fraction(damping)};
  }
  bool uses_sum(int k) const {
    if (k == kChange) return context.parameters.tol > 0;
    return k != kDangling || initial_dangling > 0;
  }
  Until until(int step, const Sum* sums) const {
    const double tol = context.parameters.tol;
    if (tol > 0 && format.value(static_cast<double>(sums[kChange])) <= tol) return Until::kDone;
    if (step + 1 < context.parameters.max_iter) return Until::kGoOn;
    return tol > 0 ? Until::kNotConverged : Until::kDone;
  }
  Value finish(Property rank, VertexId /*v*/) const { return format.value(static_cast<double>(rank)); }
};

}  // namespace weighted_pagerank
}  // namespace algorithm
}  // namespace gaspipe
