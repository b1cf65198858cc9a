// SPDX-License-Identifier: Apache-2.0
// Super-steps of programs that declare kComponents, over domains. A domain finds the components of its own edges once;
// what arrives from the others then reaches all of a component in one step, however far that is. There are about as
// many steps as domains that a path has to cross, where labels would take one for every edge of it.
#pragma once

#include "gaspipe/engine/component_step.h"

namespace gaspipe {
namespace engine {

template <class Program>
class DomainComponentStep {
  using Traits = gaspipe::Traits<typename Program::Hooks>;
  using Property = typename Traits::Property;
  using Extra = typename Traits::Extra;
  using Arg = typename Traits::Arg;

 public:
  explicit DomainComponentStep(State<Program>& state) : state_(state) {}

  // Its frontier: own vertices whose property changes.
  abi::Superstep operator()(int step) {
    Workers& workers = state_.workers;
    const bool is_first = !smallest_;
    abi::Superstep stats{abi::kComponentStep, state_.frontier.size(), is_first ? state_.csr().num_edges : 0, {}};
    const Arg arg = read_arg(state_.program, step, state_.extras.total());
    Stopwatch watch;
    if (is_first && !find_components()) return {};
    // What own vertices have was gathered before.
    const VertexId first = is_first ? 0 : state_.num_own();
    vertex_map(workers, state_.num_vertices() - first, [&](VertexId i, int) {
      const VertexId v = first + i;
      if (smallest_[v] != v) gather_into<Program>(&gathered_[smallest_[v]], state_.property[v]);
    });
    stats.seconds[abi::kScatterGather] = watch.lap();
    state_.frontier.clear();
    state_.extras.start(num_chunks(state_.num_own()));
    vertex_map(workers, state_.num_own(), Apply{state_, smallest_.get(), gathered_.get(), arg});
    state_.extras.finish();
    state_.frontier.collect();
    stats.seconds[abi::kApply] = watch.lap();
    return stats;
  }

 private:
  bool find_components() {
    const VertexId n = state_.num_vertices();
    smallest_ = make_block<VertexId>(n);
    gathered_ = make_block<Property>(n);
    const abi::Forms& forms = *state_.run.forms;
    if (forms.components(forms.self, smallest_.get()) != 0) {
      state_.workers.cancel();
      return false;
    }
    vertex_map(state_.workers, n, [&](VertexId v, int) { gathered_[v] = state_.property[v]; });
    return true;
  }

  struct Apply {
    State<Program>& state;
    const VertexId* smallest;
    const Property* gathered;
    const Arg arg;
    Extra extra[Traits::kExtraSlots] = {};

    void operator()(VertexId v, int worker) { state.apply(v, gathered[smallest[v]], arg, extra, worker); }
    void finish(std::uint64_t chunk) {
      for (int k = 0; k < Traits::kExtraSlots; ++k) state.extras.set(chunk, k, extra[k]);
    }
  };

  State<Program>& state_;
  Block<VertexId> smallest_;  // vertex of the component, which is an own one: a ghost has edges to such
  Block<Property> gathered_;  // by that vertex: of all properties of the component so far
};

}  // namespace engine
}  // namespace gaspipe
