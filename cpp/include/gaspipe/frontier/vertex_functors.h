// SPDX-License-Identifier: Apache-2.0
// What happens at a vertex in a frontier program: functors of engine/vertex_map.h around the user's F.
#pragma once

#include <type_traits>

#include "gaspipe/engine/frontier.h"
#include "gaspipe/frontier/functor.h"

namespace gaspipe {
namespace frontier {

template <class F, class VertexValue, class AccumValue>
struct MapVertex {
  F f;
  VertexValue* values;
  const AccumValue* accums;
  const Ids ids;

  void operator()(VertexId v, int /*worker*/) { call(f, values[v], accums[v], ids[v]); }
};

// True where the condition holds; the value is updated then.
template <class F, class VertexValue, class AccumValue>
struct FilterVertex {
  F f;
  VertexValue* values;
  const AccumValue* accums;
  const Ids ids;

  bool operator()(VertexId v) {
    if (!f.cond(values[v], accums[v], ids[v])) return false;
    update(f, values[v], accums[v], ids[v]);
    return true;
  }
};
template <class Filter>
struct FilterToQueue {
  std::remove_const_t<Filter> filter;
  engine::Frontier& to;

  void operator()(VertexId v, int worker) {
    if (filter(v)) to.add(v, worker);
  }
};
// For loops over a bitmap, or over all vertices: no two threads share a word.
template <class Filter>
struct FilterToBits {
  std::remove_const_t<Filter> filter;
  engine::Bitmap& to;
  std::uint64_t* size;
  std::uint64_t own_size = 0;

  void operator()(VertexId v, int /*worker*/) {
    if (!filter(v)) return;
    to.set(v);
    ++own_size;
  }
  void finish(std::uint64_t /*chunk*/) { __atomic_fetch_add(size, own_size, __ATOMIC_RELAXED); }
};

// A chunk's values become one; chunks are reduced in their order afterwards.
template <class T, class Map, class Reduce, class VertexValue>
struct ReduceVertex {
  Map map;
  Reduce reduce;
  const VertexValue* values;
  T* sums;  // by chunk
  T sum;
  const Ids ids;

  void operator()(VertexId v, int /*worker*/) {
    if constexpr (std::is_invocable_v<Map&, const VertexValue&, VertexId>) {
      sum = reduce(sum, map(values[v], ids[v]));
    } else {
      sum = reduce(sum, map(values[v]));
    }
  }
  void finish(std::uint64_t chunk) { sums[chunk] = sum; }
};

// What a vertex sends over all its edges, where these have no values; the identity where it is not of the front.
template <class Edge, class AccumValue>
struct SendOnce {
  Edge edge;
  AccumValue* sent;
  const AccumValue identity;
  const engine::Bitmap* front;  // null: of all vertices

  void operator()(VertexId v, int /*worker*/) {
    if (front == nullptr || front->get(v)) {
      sent[v] = edge.send(edge.source(v));
    } else {
      sent[v] = identity;
    }
  }
};

struct CountEdges {
  engine::Rows<> rows;
  EdgeCount* total;
  EdgeCount edges = 0;

  void operator()(VertexId v, int /*worker*/) { edges += rows.degree(v); }
  void finish(std::uint64_t /*chunk*/) { __atomic_fetch_add(total, edges, __ATOMIC_RELAXED); }
};

}  // namespace frontier
}  // namespace gaspipe
