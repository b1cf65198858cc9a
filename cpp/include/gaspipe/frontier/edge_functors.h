// SPDX-License-Identifier: Apache-2.0
// What an edge does in a frontier program: functors of engine/edge_map.h around the user's F. An edge of a push has its
// value at its own index; an edge of a pull names that index, as its weight.
#pragma once

#include <cstring>
#include <type_traits>

#include "gaspipe/engine/edge_map.h"
#include "gaspipe/frontier/accumulators.h"
#include "gaspipe/frontier/functor.h"

namespace gaspipe {
namespace frontier {

using Place = std::int64_t;  // of an edge in its engine's edge values

// The weight of in-edges: where their values are, for edges that have any.
template <class EdgeValue>
using PlaceOf = std::conditional_t<std::is_empty_v<EdgeValue>, engine::Unweighted, Place>;

template <class EdgeValue>
struct EdgeValues {
  EdgeValue* values;

  EdgeValue& operator[](const engine::Edge<engine::Unweighted>& edge) const { return values[edge.index()]; }
  EdgeValue& operator[](const engine::Edge<Place>& edge) const { return values[edge.weight()]; }
};

// Gathers over an edge.
template <class F, class VertexValue, class EdgeValue>
struct GatherEdge {
  F f;
  const VertexValue* values;
  EdgeValues<EdgeValue> edges;
  engine::Rows<> rows;
  const EdgeCount* outdegrees;  // null: those of the rows

  struct Source {
    VertexValue value;
    EdgeCount outdegree;
  };
  Source source(VertexId v) const { return {values[v], outdegrees != nullptr ? outdegrees[v] : rows.degree(v)}; }
  // Over all edges of a source, for they have no values.
  auto send(const Source& source) {
    EdgeValue none{};
    return f.gather(source.value, source.outdegree, none);
  }
  template <class Edge>
  auto operator()(const Source& source, const Edge& edge) {
    if constexpr (std::is_empty_v<EdgeValue>) {
      return send(source);
    } else {
      return f.gather(source.value, source.outdegree, edges[edge]);
    }
  }
};

// A push into the accumulators. Lists the vertices that it marks, or only marks them.
template <class F, class VertexValue, class EdgeValue, class AccumValue>
struct PushEdge {
  static constexpr bool kBranchless = false;
  GatherEdge<F, VertexValue, EdgeValue> gather;
  Accumulators<AccumValue>& accums;
  const bool lists;

  auto source(VertexId v) const { return gather.source(v); }
  template <class Source, class Edge>
  bool update(const Source& source, const Edge& edge) {
    return accums.add(gather.f, edge.neighbor(), gather(source, edge)) && lists;
  }
  template <class Source, class Edge>
  bool update_atomic(const Source& source, const Edge& edge) {
    return accums.add_atomic(gather.f, edge.neighbor(), gather(source, edge)) && lists;
  }
  void finish(int /*worker*/) const {}
};

// All vertices pull over all their edges.
template <class F, class VertexValue, class EdgeValue, class AccumValue>
struct PullEdges {
  GatherEdge<F, VertexValue, EdgeValue> gather_edge;
  AccumValue* accums;
  const AccumValue identity;
  AccumValue accum = identity;

  void begin(VertexId /*v*/) { accum = identity; }
  template <class Edge>
  void gather(const Edge& edge, bool is_in_front) {
    if (is_in_front) accum = gather_edge.f.reduce(accum, gather_edge(gather_edge.source(edge.neighbor()), edge));
  }
  void end(VertexId v) { accums[v] = accum; }
  void finish(int /*worker*/) const {}
};

// The same where edges have no values: what a vertex sends is the same over all its edges, and gathered once. Those
// that are not of the frontier send the identity. With `reduces_all` that is reduced too, which takes less time than an
// unpredictable branch around it.
template <bool reduces_all, class F, class AccumValue>
struct PullSent {
  F f;
  const AccumValue* sent;
  AccumValue* accums;
  const AccumValue identity;
  AccumValue accum = identity;

  void begin(VertexId /*v*/) { accum = identity; }
  template <class Edge>
  void gather(const Edge& edge, bool is_in_front) {
    if (reduces_all || is_in_front) accum = f.reduce(accum, sent[edge.neighbor()]);
  }
  void end(VertexId v) { accums[v] = accum; }
  void finish(int /*worker*/) const {}
};
// Whether `identity` may be reduced any number of times.
template <class F, class AccumValue>
bool is_neutral(F f, const AccumValue& identity) {
  const AccumValue both = f.reduce(identity, identity);
  return std::memcmp(&both, &identity, sizeof both) == 0;
}

// The first hit settles a vertex, where it lands. A vertex joins only where the condition held before and does not
// after: so it joins once, whatever F declares.
template <class F, class VertexValue, class EdgeValue, class AccumValue>
struct HitVertex {
  static constexpr bool kBranchless = kIsWord<VertexValue>;
  GatherEdge<F, VertexValue, EdgeValue> gather;
  VertexValue* values;
  const AccumValue identity;
  const Locks& locks;
  const Ids ids;

  bool is_open(VertexId v) { return is_open(values[v], v); }
  auto source(VertexId v) const { return gather.source(v); }
  template <class Source, class Edge>
  bool update(const Source& source, const Edge& edge) {
    const VertexId v = edge.neighbor();
    return is_open(v) && hit(values[v], source, edge, v);
  }
  template <class Source, class Edge>
  bool update_atomic(const Source& source, const Edge& edge) {
    const VertexId v = edge.neighbor();
    bool joins = false;
    change_atomic(values, v, locks, [&](VertexValue& value) {
      joins = is_open(value, v) && hit(value, source, edge, v);
      return joins;
    });
    return joins;
  }
  template <class Source, class Edge>
  bool update_branchless(const Source& source, const Edge& edge) {
    const VertexId v = edge.neighbor();
    const VertexValue before = values[v];
    VertexValue after = before;
    const bool was_open = is_open(before, v), is_closed = hit(after, source, edge, v);
    const bool joins = was_open & is_closed;
    values[v] = joins ? after : before;
    return joins;
  }
  template <class Edge>
  engine::Pulled pull(VertexId v, const Edge& edge) {
    return hit(values[v], source(edge.neighbor()), edge, v) ? engine::Pulled::kJoins : engine::Pulled::kEnough;
  }
  void finish(int /*worker*/) const {}

 private:
  bool is_open(const VertexValue& value, VertexId v) { return gather.f.cond(value, identity, ids[v]); }
  template <class Source, class Edge>
  bool hit(VertexValue& value, const Source& source, const Edge& edge, VertexId v) {
    const AccumValue received = gather.f.reduce(identity, gather(source, edge));
    frontier::update(gather.f, value, received, ids[v]);
    return !is_open(value, v);
  }
};

}  // namespace frontier
}  // namespace gaspipe
