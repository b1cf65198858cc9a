// SPDX-License-Identifier: Apache-2.0
// PageRank by power iteration. A vertex's property is its contribution: its rank divided by its out-degree, so that
// scatter has nothing to compute; a vertex without out-edges keeps its rank, which is never read, and `finish` undoes
// the division. The rank of such dangling vertices is handed to all as the teleport is (through `arg`, one step late by
// nature: it is the sum of the step before). Two extras measure a step: the L1 change, and the dangling rank.
//
// Fixed<32>: properties and the teleport are words of value word / 2^scale_bits; damping and base are fractions of
// 2^31. Every product and quotient is rounded to nearest, sums saturate, and a word at the ceiling is counted in the
// third extra: the run is repeated in a coarser scale. The change is measured in stored words, so that it can reach 0.
// Method: L. Page et al., 1999; X. Chen et al., "ThunderGP", FPGA 2021, there with 2^30 as the scale, truncating.
#pragma once

#include "hls/types.h"

namespace gaspipe {
namespace algorithm {
namespace pagerank {

constexpr Description kDescription = {
    "PageRank of every vertex: the stationary distribution of a random surfer.",
    "Edge weights are ignored unless `weights` is true; parallel edges count as often as they are stored. The rank of "
    "vertices without out-edges is spread like the teleport. Iteration starts from 1/n and stops when the L1 change of "
    "the whole vector is at most `tol`; with tol=0 after exactly `max_iter` super-steps. (NetworkX stops at n * tol.) "
    "The ranks sum to 1 up to rounding, by which a step moves their sum at most 2^-41 in float64 and 2^-12 in float32 "
    "on the CPU; in float32 on an emulator or a card, which add one term after the other, 2^-24 for every edge into a "
    "vertex; in fixed point (edges / 2 + 3 * num_vertices) / 2^`stats.scale_bits`. All steps together move it at most "
    "1 / (1 - damping) times as much. In float32 rounding may keep the change above a small `tol`.",
    "rank", "sums to 1, up to the rounding that `gp.pagerank` states",
    "L. Page, S. Brin, R. Motwani, T. Winograd, \"The PageRank Citation Ranking\", Stanford InfoLab 1999-66."};

using Numbers = NumberList<double, float, Fixed<32>>;

template <class Number>
struct Arg {
  Number base;     // share of the teleport: 1 - damping + damping * dangling rank
  Number damping;  // share of what arrives over edges
};

enum Input { kOutDegree, kTeleport, kNumInputs };
enum Count { kChange, kDangling, kSaturated, kNumCounts };

template <class Number>
struct Hooks {  // floating point
  using Property = Number;
  using Extra = double;
  using Arg = pagerank::Arg<Number>;
  static constexpr Property kIdentity = 0;
  static constexpr int kAux = kNumInputs;
  static constexpr int kExtras = kSaturated;  // which floating point does not

  static Property preprocessProperty(Property contribution) { return contribution; }
  static Property scatterFunc(Property contribution, Property /*edge*/) { return contribution; }
  static Property updateMergeInRAWSolver(Property a, Property b) { return a + b; }
  static Property gatherFunc(Property sum, Property update) { return sum + update; }
  static Property applyMerge(Property a, Property b) { return a + b; }
  static Property applyFunc(Property tProp, Property source, const Property (&aux)[kAux], Extra (&extra)[kExtras],
                            Arg arg) {
    const Property rank = arg.base * aux[kTeleport] + arg.damping * tProp;
    // Maxima instead of conditions: neither dangling vertices nor the sign of a change can be predicted.
    const Property out_degree = aux[kOutDegree];
    const Property divisor = out_degree > 1 ? out_degree : Property(1);
    const Property contribution = rank / divisor;
    const Extra change = (contribution - source) * divisor;
    extra[kChange] += change > -change ? change : -change;
    extra[kDangling] += rank * (divisor - out_degree);
    return contribution;
  }
};

template <>
struct Hooks<Fixed<32>> {
  using Property = std::uint32_t;
  using Extra = std::uint64_t;
  using Arg = pagerank::Arg<std::uint32_t>;
  static constexpr Property kIdentity = 0;
  static constexpr int kAux = kNumInputs;
  static constexpr int kExtras = kNumCounts;

  static Property preprocessProperty(Property contribution) { return contribution; }
  static Property scatterFunc(Property contribution, Property /*edge*/) { return contribution; }
  static Property updateMergeInRAWSolver(Property a, Property b) { return saturating_add(a, b); }
  static Property gatherFunc(Property sum, Property update) { return saturating_add(sum, update); }
  static Property applyMerge(Property a, Property b) { return saturating_add(a, b); }
  static Property applyFunc(Property tProp, Property source, const Property (&aux)[kAux], Extra (&extra)[kExtras],
                            Arg arg) {
    const Property ceiling = Fixed<32>::kMax;
    std::uint64_t rank = multiply_fraction(aux[kTeleport], arg.base, kFractionBits) +
                         multiply_fraction(tProp, arg.damping, kFractionBits);
    const bool saturated = tProp == ceiling || aux[kTeleport] == ceiling || rank >= ceiling;
    if (saturated) rank = ceiling;
    const Property out_degree = aux[kOutDegree];
    const Property divisor = out_degree == 0 ? 1 : out_degree, dividend = static_cast<Property>(rank);
    // Rounded by the remainder: so the divider, of which every lane has one, has 32 bits, a quarter of the area of 64.
    const Property quotient = dividend / divisor, remainder = dividend - quotient * divisor;
    const Property contribution = quotient + (remainder >= divisor - divisor / 2);
    const Property change = contribution < source ? source - contribution : contribution - source;
    extra[kChange] += static_cast<Extra>(change) * divisor;
    extra[kDangling] += out_degree == 0 ? rank : 0;
    extra[kSaturated] += saturated;
    return contribution;
  }
};

struct Parameters {
  double damping = 0.85;
  double tol = 1e-6;
  int max_iter = 100;
  ArrayView personalization;
  bool weights = false;
  template <class Visit>
  void each(Visit&& visit) {
    visit("damping", damping, Allowed::between(0, 1), "Probability of following an edge.");
    visit("tol", tol, Allowed::at_least(0), "L1 change of the whole vector at which to stop; 0: run `max_iter` steps.");
    visit("max_iter", max_iter, Allowed::at_least(1), "Most super-steps.");
    visit(
        "personalization", personalization, Allowed::at_least(0),
        "Where the surfer lands on a teleport, one weight per vertex, any positive sum; by default everywhere alike.");
    visit("weights", weights, Allowed::any(),
          "Whether edges are followed in proportion to their weights, which must be finite and >= 0 then; a vertex "
          "whose weights sum to 0 counts as one without out-edges. (NetworkX's pagerank does so by default.)");
  }
};

template <class Number>
struct Program {
  using Hooks = pagerank::Hooks<Number>;
  using Property = typename Hooks::Property;
  using Sum = typename contract::SumOf<typename Hooks::Extra>::Type;
  using Value = double;
  static constexpr int kSaturations = Hooks::kExtras > kSaturated ? kSaturated : -1;
  const Context<Parameters>& context;
  Real<Number> format;
  Property uniform_teleport;
  double teleport_sum = 0;      // of the personalization
  double initial_dangling = 0;  // rank without out-edges before the first step

  explicit Program(const Context<Parameters>& c)
      : context(c), format(c.scale_bits), uniform_teleport(format.word(1.0 / c.num_vertices)) {
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
    // Whose hooks read no weights. Python's pagerank() starts the other program itself.
    if (context.parameters.weights) return "weights: the program that reads them is weighted_pagerank; run that";
    if (context.parameters.personalization.data == nullptr) return nullptr;
    if (!(teleport_sum > 0)) return "personalization sums to 0; give at least one vertex a positive weight";
    if (teleport_sum > 1.7976931348623157e308) return "personalization sums to more than a double holds; scale it down";
    return nullptr;
  }

  double divisor(VertexId v) const {
    const auto degree = context.template out_degree_as<double>(v);
    return degree > 1 ? degree : 1.0;
  }
  Property initial(VertexId v) const { return format.word(1.0 / context.num_vertices / divisor(v)); }
  Property aux(int k, VertexId v) const {
    if (k == kOutDegree) return context.template out_degree_as<Property>(v);
    const ArrayView& wanted = context.parameters.personalization;
    return wanted.data == nullptr ? uniform_teleport : format.word(wanted.data[v] / teleport_sum);
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
  Value finish(Property contribution, VertexId v) const {
    return format.value(static_cast<double>(contribution)) * divisor(v);
  }
};

}  // namespace pagerank
}  // namespace algorithm
}  // namespace gaspipe
