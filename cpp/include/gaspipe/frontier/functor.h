// SPDX-License-Identifier: Apache-2.0
// What the functors of a frontier program may look like. Of the calls named, F offers
//
//   AccumValue gather(const VertexValue& source, EdgeCount outdegree, EdgeValue& edge)     edges
//   AccumValue reduce(AccumValue a, AccumValue b)                                          edges
//   bool cond(const VertexValue& value, AccumValue accumulator, VertexId id)               vertexFilter
//   void update(VertexValue& value, AccumValue accumulator)                                vertexFilter
//   void operator()(VertexValue& value, AccumValue accumulator)                            vertexMap
//
// The last two may take the VertexId as a third argument. All are pure, but for what they are given to write: reduce is
// commutative and associative, and gather only writes its edge. Every thread has copies of F. It may declare
//
//   static constexpr bool kFinalOnceSet = true     the first hit is the answer
//
// for edgeVertexFilter, which then may stop at the first edge that hits a vertex. It promises that each of the values
// gathered for a vertex in a call serves as well as all of them reduced, and that cond does not depend on the
// accumulator, is false for the vertices of the source set, for all that were updated, and, in the calls that follow
// with the result as their source set, for all for which it was false once.
#pragma once

#include <type_traits>
#include <utility>

#include "hls/types.h"

namespace gaspipe {
namespace frontier {

// The value of edges that have none.
struct NoValue {};

// What functors are told of a vertex: its id in the whole graph, which a domain has a part of.
struct Ids {
  const VertexId* ids;  // null: the same

  VertexId operator[](VertexId v) const { return ids != nullptr ? ids[v] : v; }
};

template <class F, class = void>
struct FinalOnceSet : std::false_type {};
template <class F>
struct FinalOnceSet<F, std::void_t<decltype(F::kFinalOnceSet)>> : std::bool_constant<F::kFinalOnceSet> {};

template <class F, class V, class E>
using GatherResult =
    decltype(std::declval<F&>().gather(std::declval<const V&>(), std::declval<EdgeCount>(), std::declval<E&>()));
template <class F, class A>
using ReduceResult = decltype(std::declval<F&>().reduce(std::declval<const A&>(), std::declval<const A&>()));
template <class F, class V, class A>
using CondResult = decltype(std::declval<F&>().cond(std::declval<const V&>(), std::declval<const A&>(), VertexId()));
template <class F, class V, class A>
using UpdateResult = decltype(std::declval<F&>().update(std::declval<V&>(), std::declval<const A&>()));
template <class F, class V, class A>
using UpdateWithIdResult =
    decltype(std::declval<F&>().update(std::declval<V&>(), std::declval<const A&>(), VertexId()));

// Whether Result<Arguments...> is a type, and converts to Wanted (void: any).
template <class Wanted, template <class...> class Result, class, class... Arguments>
struct Offered : std::false_type {};
template <class Wanted, template <class...> class Result, class... Arguments>
struct Offered<Wanted, Result, std::void_t<Result<Arguments...>>, Arguments...>
    : std::bool_constant<std::is_void_v<Wanted> || std::is_convertible_v<Result<Arguments...>, Wanted>> {};
template <class Wanted, template <class...> class Result, class... Arguments>
constexpr bool kOffers = Offered<Wanted, Result, void, Arguments...>::value;

// Whether F's gather takes its edge's value as a constant, or a copy of it.
template <class F, class VertexValue, class EdgeValue, class AccumValue>
constexpr bool kOnlyReadsEdges = kOffers<AccumValue, GatherResult, F, VertexValue, const EdgeValue>;

// False after one message that says what F lacks.
template <class F, class V, class E, class A>
constexpr bool has_edge_functions() {
  constexpr bool gathers = kOffers<A, GatherResult, F, V, E>;
  constexpr bool reduces = kOffers<A, ReduceResult, F, A>;
  static_assert(
      gathers, "this functor lacks AccumValue gather(const VertexValue& source, EdgeCount outdegree, EdgeValue& edge)");
  static_assert(
      !gathers || reduces,
      "this functor lacks AccumValue reduce(AccumValue a, AccumValue b), a pure function: it returns what the "
      "two are together, and the engine stores it");
  return gathers && reduces;
}
template <class F, class V, class A>
constexpr bool has_vertex_functions() {
  constexpr bool asks = kOffers<bool, CondResult, F, V, A>;
  constexpr bool updates = kOffers<void, UpdateResult, F, V, A> || kOffers<void, UpdateWithIdResult, F, V, A>;
  static_assert(asks, "this functor lacks bool cond(const VertexValue& value, AccumValue accumulator, VertexId id)");
  static_assert(
      !asks || updates,
      "this functor lacks void update(VertexValue& value, AccumValue accumulator), with or without a VertexId "
      "as the third argument");
  return asks && updates;
}
template <class F, class V, class A>
constexpr bool is_vertex_function() {
  constexpr bool is_callable = std::is_invocable_v<F&, V&, const A&> || std::is_invocable_v<F&, V&, const A&, VertexId>;
  static_assert(
      is_callable,
      "vertexMap needs a function (VertexValue& value, AccumValue accumulator), with or without a VertexId as "
      "the third argument");
  return is_callable;
}

template <class F, class V, class A>
void update(F& f, V& value, const A& accum, VertexId v) {
  if constexpr (kOffers<void, UpdateWithIdResult, F, V, A>) {
    f.update(value, accum, v);
  } else {
    f.update(value, accum);
  }
}
template <class F, class V, class A>
void call(F& f, V& value, const A& accum, VertexId v) {
  if constexpr (std::is_invocable_v<F&, V&, const A&, VertexId>) {
    f(value, accum, v);
  } else {
    f(value, accum);
  }
}

}  // namespace frontier
}  // namespace gaspipe
