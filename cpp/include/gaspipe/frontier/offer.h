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

// Whether a class has a member of a name, of whatever kind: with that of another base class it is ambiguous.
template <class F, class Other>
struct Both : F, Other {};
template <class F, class Other, template <class> class Named, class = void>
struct HasMember : std::true_type {};
template <class F, class Other, template <class> class Named>
struct HasMember<F, Other, Named, std::void_t<Named<Both<F, Other>>>> : std::false_type {};

struct WithGather {
  int gather;
};
template <class F>
using NamedGather = decltype(&F::gather);
template <class F>
using HasGather = HasMember<F, WithGather, NamedGather>;
struct WithReduce {
  int reduce;
};
template <class F>
using NamedReduce = decltype(&F::reduce);
template <class F>
using HasReduce = HasMember<F, WithReduce, NamedReduce>;
struct WithCond {
  int cond;
};
template <class F>
using NamedCond = decltype(&F::cond);
template <class F>
using HasCond = HasMember<F, WithCond, NamedCond>;
struct WithUpdate {
  int update;
};
template <class F>
using NamedUpdate = decltype(&F::update);
template <class F>
using HasUpdate = HasMember<F, WithUpdate, NamedUpdate>;
struct WithMap {
  int map;
};
template <class F>
using NamedMap = decltype(&F::map);
template <class F>
using HasMap = HasMember<F, WithMap, NamedMap>;
struct WithParameters {
  int parameters;
};
template <class F>
using NamedParameters = decltype(&F::parameters);
template <class F>
using HasParameters = HasMember<F, WithParameters, NamedParameters>;

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
