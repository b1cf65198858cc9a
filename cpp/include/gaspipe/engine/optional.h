// SPDX-License-Identifier: Apache-2.0
// The optional members of a Program (hls/program.h), each with its default. C++17, host only.
#pragma once

#include <type_traits>
#include <utility>

#include "hls/types.h"

namespace gaspipe {
namespace engine {

template <class P, class = void>
struct ViewOf : std::integral_constant<View, View::kForward> {};
template <class P>
struct ViewOf<P, std::void_t<decltype(P::kView)>> : std::integral_constant<View, P::kView> {};

template <class P, class = void>
struct Rectangular : std::false_type {};
template <class P>
struct Rectangular<P, std::void_t<decltype(P::kRectangular)>> : std::bool_constant<P::kRectangular> {};

template <class P, class = void>
struct HasPasses : std::false_type {};
template <class P>
struct HasPasses<P, std::void_t<decltype(&P::num_passes)>> : std::true_type {};

template <class P, class = void>
struct NonNegative : std::false_type {};
template <class P>
struct NonNegative<P, std::void_t<decltype(P::kNonNegative)>> : std::bool_constant<P::kNonNegative> {};

template <class P, class = void>
struct TransitionProbabilities : std::false_type {};
template <class P>
struct TransitionProbabilities<P, std::void_t<decltype(P::kTransitionProbabilities)>>
    : std::bool_constant<P::kTransitionProbabilities> {};

template <class P, class = void>
struct AsksDegrees : std::true_type {};
template <class P>
struct AsksDegrees<P, std::void_t<decltype(P::kAsksDegrees)>> : std::bool_constant<P::kAsksDegrees> {};

template <class P, class = void>
struct HasInitialValues : std::false_type {};
template <class P>
struct HasInitialValues<P, std::void_t<decltype(std::declval<const P&>().initial_values())>> : std::true_type {};

template <class P, class = void>
struct Saturations : std::integral_constant<int, -1> {};
template <class P>
struct Saturations<P, std::void_t<decltype(P::kSaturations)>> : std::integral_constant<int, P::kSaturations> {};

template <class P, class = void>
struct LargestSum {
  static constexpr double value = 0;
};
template <class P>
struct LargestSum<P, std::void_t<decltype(P::kLargestSum)>> {
  static constexpr double value = P::kLargestSum;
};

template <class P, class = void>
struct HasScale : std::false_type {};
template <class P>
struct HasScale<P, std::void_t<decltype(P::scale_bits(VertexId{}, EdgeCount{}))>> : std::true_type {};

template <class P, class = void>
struct HasAux : std::false_type {};
template <class P>
struct HasAux<P, std::void_t<decltype(std::declval<const P&>().aux(0, VertexId{}))>> : std::true_type {};

template <class P, class = void>
struct HasArg : std::false_type {};
template <class P>
struct HasArg<P, std::void_t<decltype(&P::arg)>> : std::true_type {};

template <class P, class = void>
struct HasUsesSum : std::false_type {};
template <class P>
struct HasUsesSum<P, std::void_t<decltype(std::declval<const P&>().uses_sum(0))>> : std::true_type {};

template <class P, class = void>
struct HasProblem : std::false_type {};
template <class P>
struct HasProblem<P, std::void_t<decltype(&P::problem)>> : std::true_type {};

template <class P, class = void>
struct HasFinish : std::false_type {};
template <class P>
struct HasFinish<P, std::void_t<decltype(&P::finish)>> : std::true_type {};

// The answer of vertex v.
template <class Program, class Property>
typename Program::Value value_of(const Program& program, const Property& property, VertexId v) {
  if constexpr (HasFinish<Program>::value) {
    return program.finish(property, v);
  } else {
    return static_cast<typename Program::Value>(property);
  }
}

// The read-only inputs of vertex v.
template <class Program, class Aux, int n>
void read_aux(const Program& program, VertexId v, EdgeCount out_degree, Aux (&aux)[n]) {
  constexpr int num_aux = Traits<typename Program::Hooks>::kAux;
  if constexpr (num_aux == 0) {
    aux[0] = Aux{};
  } else if constexpr (HasAux<Program>::value) {
    for (int k = 0; k < n; ++k) aux[k] = program.aux(k, v);
  } else {
    static_assert(num_aux == 1, "a program with several aux inputs must define aux(k, v)");
    aux[0] = static_cast<Aux>(out_degree);
  }
}

template <class Program, class Sum>
typename Traits<typename Program::Hooks>::Arg read_arg(const Program& program, int step, const Sum* sums) {
  if constexpr (HasArg<Program>::value) {
    return program.arg(step, sums);
  } else {
    return {};
  }
}

}  // namespace engine
}  // namespace gaspipe
