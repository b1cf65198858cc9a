// SPDX-License-Identifier: Apache-2.0
// ArticleRank: PageRank whose contributions are divided by the out-degree plus the mean out-degree, so that a page with
// few links does not hand all its rank to one. The base is 1 - damping for every vertex, and what has no out-edges
// spreads nothing. A vertex's property is its contribution, as in pagerank.h, and `finish` undoes the division.
//
// Fixed<32>: words of value word / 2^scale_bits; the divisor is a real number, kept with kDivisorBits binary digits.
// Method: J. Li, P. Willett, "ArticleRank: a PageRank-based alternative to numbers of citations", ASLIB Proc. 61, 2009.
#pragma once

#include "hls/types.h"

namespace gaspipe {
namespace algorithm {
namespace article_rank {

constexpr Description kDescription = {
    "ArticleRank of every vertex: PageRank that trusts vertices with few out-edges less.",
    "rank(v) = 1 - damping + damping * sum over edges u -> v of rank(u) / (out-degree(u) + mean out-degree). Edge "
    "weights are ignored; parallel edges count as often as they are stored. Iteration starts from 1 - damping and "
    "stops when the L1 change of the whole vector is at most `tol`; with tol=0 after exactly `max_iter` super-steps.",
    "rank", "at least 1 - damping; the sum is not normalised",
    "J. Li, P. Willett, \"ArticleRank: a PageRank-based alternative to numbers of citations for analysing citation "
    "networks\", ASLIB Proceedings 61(6), 2009, doi:10.1108/00012530911005544."};

using Numbers = NumberList<double, float, Fixed<32>>;

template <class Number>
struct Arg {
  Number base;     // 1 - damping
  Number damping;  // share of what arrives over edges
};

enum Count { kChange, kSaturated, kNumCounts };

template <class Number>
struct Hooks {  // floating point
  using Property = Number;
  using Extra = double;
  using Arg = article_rank::Arg<Number>;
  static constexpr Property kIdentity = 0;
  static constexpr int kExtras = kSaturated;  // which floating point does not

  static Property preprocessProperty(Property contribution) { return contribution; }
  static Property scatterFunc(Property contribution, Property /*edge*/) { return contribution; }
  static Property updateMergeInRAWSolver(Property a, Property b) { return a + b; }
  static Property gatherFunc(Property sum, Property update) { return sum + update; }
  static Property applyMerge(Property a, Property b) { return a + b; }
  static Property applyFunc(Property tProp, Property source, Property divisor, Extra& changes, Arg arg) {
    const Property contribution = (arg.base + arg.damping * tProp) / divisor;
    const Property change = (contribution - source) * divisor;
    changes += change > -change ? change : -change;
    return contribution;
  }
};

constexpr int kDivisorBits = 16;

template <>
struct Hooks<Fixed<32>> {
  using Property = std::uint32_t;
  using Aux = std::uint64_t;  // the divisor, times 2^kDivisorBits
  using Extra = std::uint64_t;
  using Arg = article_rank::Arg<std::uint32_t>;
  static constexpr Property kIdentity = 0;
  static constexpr int kExtras = kNumCounts;

  static Property preprocessProperty(Property contribution) { return contribution; }
  static Property scatterFunc(Property contribution, Property /*edge*/) { return contribution; }
  static Property updateMergeInRAWSolver(Property a, Property b) { return saturating_add(a, b); }
  static Property gatherFunc(Property sum, Property update) { return saturating_add(sum, update); }
  static Property applyMerge(Property a, Property b) { return saturating_add(a, b); }
  static Property applyFunc(Property tProp, Property source, Aux divisor, Extra (&extra)[kExtras], Arg arg) {
    const Property ceiling = Fixed<32>::kMax;
    std::uint64_t rank = arg.base + multiply_fraction(tProp, arg.damping, kFractionBits);
    const bool saturated = tProp == ceiling || rank >= ceiling;
    if (saturated) rank = ceiling;
    const Property contribution = static_cast<Property>(((rank << kDivisorBits) + divisor / 2) / divisor);
    const Property change = contribution < source ? source - contribution : contribution - source;
    extra[kChange] += (change * divisor) >> kDivisorBits;
    extra[kSaturated] += saturated;
    return contribution;
  }
};

struct Parameters {
  double damping = 0.85;
  double tol = 1e-6;
  int max_iter = 100;
  template <class Visit>
  void each(Visit&& visit) {
    visit("damping", damping, Allowed::between(0, 1), "Probability of following an edge.");
    visit("tol", tol, Allowed::at_least(0), "L1 change of the whole vector at which to stop; 0: run `max_iter` steps.");
    visit("max_iter", max_iter, Allowed::at_least(1), "Most super-steps.");
  }
};

template <class Number>
struct Program {
  using Hooks = article_rank::Hooks<Number>;
  using Property = typename Hooks::Property;
  using Aux = typename contract::AuxOf<Hooks>::Type;
  using Sum = typename contract::SumOf<typename Hooks::Extra>::Type;
  using Value = double;
  static constexpr int kSaturations = Hooks::kExtras > kSaturated ? kSaturated : -1;
  const Context<Parameters>& context;
  Real<Number> format;
  double mean_degree;

  explicit Program(const Context<Parameters>& c)
      : context(c), format(c.scale_bits), mean_degree(static_cast<double>(c.num_edges) / c.num_vertices) {}
  // A rank of 1 to 2 fits; cited vertices bring the scale down from there.
  static int scale_bits(VertexId /*num_vertices*/, EdgeCount /*num_edges*/) { return 31; }

  double divisor(VertexId v) const {
    // The contribution of a vertex without out-edges is never read: the vertex keeps its rank.
    const auto degree = context.template out_degree_as<double>(v);
    return degree > 0 ? degree + mean_degree : 1.0;
  }
  Property initial(VertexId v) const { return format.word((1 - context.parameters.damping) / divisor(v)); }
  Aux aux(int /*k*/, VertexId v) const {
    return static_cast<Aux>(contract::Same<Number, Fixed<32>>::value ? divisor(v) * exp2_of(kDivisorBits) + 0.5
                                                                     : divisor(v));
  }
  typename Hooks::Arg arg(int /*step*/, const Sum* /*sums*/) const {
    const double damping = context.parameters.damping;
    return {format.word(1 - damping), format.fraction(damping)};
  }
  bool uses_sum(int k) const { return k != kChange || context.parameters.tol > 0; }
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

}  // namespace article_rank
}  // namespace algorithm
}  // namespace gaspipe
