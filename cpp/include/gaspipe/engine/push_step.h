// SPDX-License-Identifier: Apache-2.0
// A super-step that walks only the out-edges of the frontier, for programs that declare kIdempotent: the vertices whose
// property changed scatter, updates meet in one buffer over all vertices, and only the vertices hit are applied. Same
// hooks, same answer as the plain pipeline; it pays while the frontier has few edges.
#pragma once

#include <utility>

#include "gaspipe/engine/edge_map.h"
#include "gaspipe/engine/state.h"
#include "gaspipe/engine/vertex_map.h"

namespace gaspipe {
namespace engine {

constexpr EdgeCount kMostEdgesPushedSerially = 1 << 14;  // below, waking the threads gains nothing; 2^12 to 2^16 tie

template <class Program>
class PushStep {
  using Hooks = typename Program::Hooks;
  using Traits = gaspipe::Traits<Hooks>;
  using Property = typename Traits::Property;
  using EdgeProperty = typename Traits::EdgeProperty;
  using Update = typename Traits::Update;
  using Extra = typename Traits::Extra;
  using Arg = typename Traits::Arg;
  static_assert(!Traits::kIdempotent || sizeof(Update) <= 8, "updates of a pushed program must fit a machine word");

 public:
  explicit PushStep(State<Program>& state)
      : state_(state), pending_(make_block<Update>(state.num_vertices())), hit_(state.csr(), state.workers.size()) {
    vertex_map(state.workers, state.num_vertices(), [&](VertexId v, int) { pending_[v] = Traits::identity(); });
  }

  abi::Superstep operator()(int step) {
    Workers& workers = state_.workers;
    Frontier& frontier = state_.frontier;
    abi::Superstep stats{abi::kPushStep, frontier.size(), frontier.edges(), {}};
    const auto arg = read_arg(state_.program, step, state_.extras.total());
    Stopwatch watch;
    edge_map(workers, state_.rows, frontier, hit_, Scatter{state_.property.get(), pending_.get()},
             {kMostEdgesPushedSerially});
    stats.seconds[abi::kScatterGather] = watch.lap();
    frontier.clear();
    state_.extras.start(num_chunks(hit_.size()));
    vertex_map(workers, hit_, Apply{state_, pending_.get(), arg});
    state_.extras.finish();
    frontier.collect();
    stats.seconds[abi::kApply] = watch.lap();
    return stats;
  }

 private:
  // Gathers into pending_. The first update that changes an entry from the identity adds its vertex to hit_.
  struct Scatter {
    static constexpr bool kBranchless = false;
    const Property* property;
    Update* pending;

    Property source(VertexId v) const { return Hooks::preprocessProperty(property[v]); }
    bool update(const Property& source, const Edge<EdgeProperty>& edge) const {
      const Update sent = Hooks::scatterFunc(source, edge.weight());
      if (Traits::kFilters && !Traits::is_active(sent)) return false;
      Update& entry = pending[edge.neighbor()];
      const Update before = entry;
      entry = Hooks::gatherFunc(before, sent);
      return before == Traits::identity() && entry != before;
    }
    bool update_atomic(const Property& source, const Edge<EdgeProperty>& edge) const {
      const Update sent = Hooks::scatterFunc(source, edge.weight());
      if (Traits::kFilters && !Traits::is_active(sent)) return false;
      Update *const entry = pending + edge.neighbor(), before, after;
      __atomic_load(entry, &before, __ATOMIC_RELAXED);
      do {
        after = Hooks::gatherFunc(before, sent);
        if (after == before) return false;
      } while (!__atomic_compare_exchange(entry, &before, &after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
      return before == Traits::identity();
    }
    void finish(int /*worker*/) const {}
  };

  // Applies what was gathered for a vertex. Those whose property changes are the next frontier.
  struct Apply {
    State<Program>& state;
    Update* pending;
    const Arg arg;
    Extra extra[Traits::kExtraSlots] = {};

    void operator()(VertexId v, int worker) {
      const Update gathered = std::exchange(pending[v], Traits::identity());
      state.apply(v, gathered, arg, extra, worker);
    }
    void finish(std::uint64_t chunk) {
      for (int k = 0; k < Traits::kExtraSlots; ++k) state.extras.set(chunk, k, extra[k]);
    }
  };

  State<Program>& state_;
  Block<Update> pending_;  // updates gathered in this step; the identity everywhere between steps
  Frontier hit_;
};

}  // namespace engine
}  // namespace gaspipe
