// SPDX-License-Identifier: Apache-2.0
// A super-step of all vertices along their in-edges, where the core has those at hand: no partitions are needed, and
// nothing but the sums is written.
#pragma once

#include "gaspipe/engine/state.h"

namespace gaspipe {
namespace engine {

template <class Program>
class PullStep {
  using Hooks = typename Program::Hooks;
  using Traits = gaspipe::Traits<Hooks>;
  using Property = typename Traits::Property;
  using EdgeProperty = typename Traits::EdgeProperty;
  using Update = typename Traits::Update;
  using Extra = typename Traits::Extra;

 public:
  PullStep(State<Program>& state, const abi::Csr& in_edges)
      : state_(state), in_edges_(in_edges), next_(make_block<Property>(state.num_vertices())) {}

  abi::Superstep operator()(int step) {
    return in_edges_.offset_bytes == 8 ? pull(step, static_cast<const std::uint64_t*>(in_edges_.offsets))
                                       : pull(step, static_cast<const std::uint32_t*>(in_edges_.offsets));
  }

 private:
  static constexpr std::uint64_t kGrain = 1 << 11;

  template <class Offset>
  abi::Superstep pull(int step, const Offset* offsets) {
    const std::uint64_t n = state_.num_vertices();
    abi::Superstep stats{abi::kPullStep, n, in_edges_.num_edges, 0, 0};
    Stopwatch watch;
    const auto arg = read_arg(state_.program, step, state_.extras.total());
    state_.extras.start((n + kGrain - 1) / kGrain);
    const Weights<EdgeProperty> weights{static_cast<const EdgeProperty*>(in_edges_.weights)};
    const VertexId* sources = in_edges_.targets;
    state_.workers.each(n, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      const Property* property = state_.property.get();
      Property* next = next_.get();
      Extra extra[Traits::kExtraSlots] = {};
      typename Traits::Aux aux[Traits::kAuxSlots];
      for (std::uint64_t v = first; v < last; ++v) {
        Update sum = Traits::identity();
        for (EdgeCount e = offsets[v]; e < offsets[v + 1]; ++e) {
          const Update update = Hooks::scatterFunc(Hooks::preprocessProperty(property[sources[e]]), weights[e]);
          if (Traits::is_active(update)) sum = Hooks::gatherFunc(sum, update);
        }
        read_aux(state_.program, static_cast<VertexId>(v), 0, aux);
        next[v] = Traits::apply(sum, property[v], aux, extra, arg);
      }
      for (int k = 0; k < Traits::kExtraSlots; ++k) state_.extras.set(first / kGrain, k, extra[k]);
    });
    state_.extras.finish();
    std::swap(state_.property, next_);
    stats.scatter_gather_seconds = watch.lap();
    return stats;
  }

  State<Program>& state_;
  const abi::Csr& in_edges_;
  Block<Property> next_;
};

}  // namespace engine
}  // namespace gaspipe
