// SPDX-License-Identifier: Apache-2.0
// What an engine of frontier programs holds of one graph, and what one call of it does.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "gaspipe/engine/first_hit_map.h"
#include "gaspipe/engine/vertex_map.h"
#include "gaspipe/error.h"
#include "gaspipe/frontier/accumulators.h"
#include "gaspipe/frontier/edge_functors.h"

namespace gaspipe {
namespace frontier {

// A graph that a host lends. The weight of an in-edge is the index that the same edge has in `csr`, where it is asked
// for `with_places`. Null where in-edges are not at hand and not needed.
struct LentGraph {
  abi::Csr csr;
  void* self;
  const abi::Csr* (*in_edges)(void* self, bool with_places, bool are_needed);
  // Of the vertices of `csr` in the whole graph, where that is a domain's (gaspipe/domain.h): what functors are told of
  // them. Null: as in `csr`.
  const VertexId* ids = nullptr;
  const EdgeCount* outdegrees = nullptr;
};

struct Call {
  explicit Call(const abi::Host& host) : workers(host) {}
  void lap(abi::Phase phase) { seconds[phase] += watch.lap(); }
  void throw_if_cancelled() const {
    if (workers.cancelled()) throw Cancelled();
  }

  engine::Workers workers;
  engine::Stopwatch total, watch;
  double seconds[abi::kNumPhases] = {};
  EdgeCount edges = 0;
  const char* how = "";
};

template <class VertexValue, class EdgeValue, class AccumValue>
struct State {
  static constexpr bool kHasEdgeValues = !std::is_empty_v<EdgeValue>;

  State(const LentGraph& lent, Call& now, int number, const AccumValue& default_accumulator,
        engine::Block<EdgeValue> values_of_edges)
      : graph(lent),
        csr(std::make_shared<const abi::Csr>(lent.csr)),
        num_workers(number),
        identity(default_accumulator),
        values(engine::make_block<VertexValue>(csr->num_vertices)),
        edge_values(std::move(values_of_edges)),
        accums(*csr, number, identity) {
    if constexpr (!kIsWord<VertexValue>) locks = Locks(csr->num_vertices);
    accums.reset(now.workers);
    engine::vertex_map(now.workers, csr->num_vertices, [&](VertexId v, int) { values[v] = VertexValue{}; });
  }

  VertexId num_vertices() const { return csr->num_vertices; }
  Ids ids() const { return {graph.ids}; }
  bool is_all(const engine::Frontier& frontier) const { return frontier.size() == csr->num_vertices; }
  const abi::Csr* find_in_edges(bool are_needed) {
    if (in_edges == nullptr) in_edges = graph.in_edges(graph.self, kHasEdgeValues, are_needed);
    return in_edges;
  }
  template <class F>
  GatherEdge<F, VertexValue, EdgeValue> gather_edge(const F& f) {
    return {f, values.get(), {edge_values.get()}, engine::Rows<>(*csr), graph.outdegrees};
  }
  template <class Functor>
  void each(Call& now, const engine::Frontier& from, const Functor& functor) const {
    if (is_all(from)) {
      engine::vertex_map(now.workers, csr->num_vertices, functor);
    } else {
      engine::vertex_map(now.workers, from, functor);
    }
  }

  const LentGraph graph;
  const std::shared_ptr<const abi::Csr> csr;
  const int num_workers;
  const AccumValue identity;
  const engine::Block<VertexValue> values;
  const engine::Block<EdgeValue> edge_values;  // none where it is an empty type
  Accumulators<AccumValue> accums;
  Locks locks;  // of values that are no words
  const abi::Csr* in_edges = nullptr;
};

}  // namespace frontier
}  // namespace gaspipe
