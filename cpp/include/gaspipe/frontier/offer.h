// SPDX-License-Identifier: Apache-2.0
// What a functor of a user's serves, found out by the compiler.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "gaspipe/frontier/abi.h"
#include "gaspipe/frontier/loops.h"

namespace gaspipe {
namespace frontier {

// Whether a class has a member of a name, of whatever kind.
#define GASPIPE_HAS_MEMBER(Trait, name)                                \
  template <class F>                                                   \
  class Trait {                                                        \
    struct Other {                                                     \
      int name;                                                        \
    };                                                                 \
    struct Both : F, Other {};                                         \
    template <class T>                                                 \
    static std::false_type ask(decltype(&T::name)*);                   \
    template <class T>                                                 \
    static std::true_type ask(...);                                    \
                                                                       \
   public:                                                             \
    static constexpr bool value = decltype(ask<Both>(nullptr))::value; \
  }
GASPIPE_HAS_MEMBER(HasGather, gather);
GASPIPE_HAS_MEMBER(HasReduce, reduce);
GASPIPE_HAS_MEMBER(HasCond, cond);
GASPIPE_HAS_MEMBER(HasUpdate, update);
GASPIPE_HAS_MEMBER(HasMap, map);
GASPIPE_HAS_MEMBER(HasParameters, parameters);
#undef GASPIPE_HAS_MEMBER

template <class F, class V>
using MapResult = decltype(std::declval<F&>().map(std::declval<const V&>()));
template <class F, class V>
using MapWithIdResult = decltype(std::declval<F&>().map(std::declval<const V&>(), VertexId()));
template <class F>
using IdentityResult = decltype(std::declval<F&>().identity());

// What a functor of a user's can do with the types of an engine.
template <class Types, class F>
struct Offer {
  using V = typename Types::Vertex;
  using E = typename Types::Edge;
  using A = typename Types::Accum;
  using Engine = Loops<V, E, A>;
  using P = typename Types::Parameters;

  static constexpr bool kGathers = kOffers<A, GatherResult, F, V, E>;
  static constexpr bool kReduces = kOffers<A, ReduceResult, F, A>;
  static constexpr bool kAsks = kOffers<bool, CondResult, F, V, A>;
  static constexpr bool kUpdates = kOffers<void, UpdateResult, F, V, A> || kOffers<void, UpdateWithIdResult, F, V, A>;
  static constexpr bool kMaps = kOffers<void, MapResult, F, V> || kOffers<void, MapWithIdResult, F, V>;
  static constexpr bool kSums = kMaps && kOffers<void, IdentityResult, F>;
  static constexpr bool kEdges = kGathers && kReduces && !kSums;
  static constexpr bool kVertices = kAsks && kUpdates;
  static constexpr bool kCalled =
      std::is_invocable_v<F&, V&, const A&> || std::is_invocable_v<F&, V&, const A&, VertexId>;
  static constexpr bool kDrives = std::is_invocable_v<F&, Engine&> || std::is_invocable_v<F&, Engine&, const P&>;

  static constexpr std::uint32_t calls() {
    return (kEdges ? 1u << abi::kEdgeFilter | 1u << abi::kEdgeMap : 0) | (kVertices ? 1u << abi::kVertexFilter : 0) |
           (kCalled ? 1u << abi::kVertexMap : 0) | (kEdges && kVertices ? 1u << abi::kEdgeVertexFilter : 0) |
           (kSums ? 1u << abi::kVertexReduce : 0) | (kDrives ? 1u << abi::kDriver : 0) |
           (kOnlyReadsEdges<F, V, E, A> ? 1u << abi::kNumFrontierCalls : 0);
  }
};

}  // namespace frontier
}  // namespace gaspipe
