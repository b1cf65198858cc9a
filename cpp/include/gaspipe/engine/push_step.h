// SPDX-License-Identifier: Apache-2.0
// A super-step that walks only the out-edges of the frontier, for programs that declare kIdempotent: the vertices whose
// property changed scatter, updates meet in one buffer over all vertices by compare-and-swap, and only the vertices hit
// are applied. Same hooks, same answer as the plain pipeline; worth it while the frontier has few edges.
#pragma once

#include "gaspipe/engine/state.h"

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
  static_assert(!Traits::kIdempotent || sizeof(Update) <= 8, "updates of a pushed program must fit a machine word");

 public:
  explicit PushStep(State<Program>& state)
      : state_(state), pending_(make_block<Update>(state.num_vertices())), hit_(state.workers.size()) {
    state.workers.each(state.num_vertices(), kVertexGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      std::fill(pending_.get() + first, pending_.get() + last, Traits::identity());
    });
  }

  abi::Superstep operator()(int step) {
    Workers& workers = state_.workers;
    Frontier& frontier = state_.frontier;
    // `edges` of a frontier counts one per vertex besides: taking it off gives what is streamed.
    abi::Superstep stats{abi::kPushStep, frontier.size, frontier.edges - frontier.size, 0, 0};
    const auto arg = read_arg(state_.program, step, state_.extras.total());
    Stopwatch watch;
    const bool serial = frontier.edges <= kMostEdgesPushedSerially;
    const std::uint64_t grain = serial ? frontier.vertices.size() : 64;
    workers.each(frontier.vertices.size(), grain, [&](std::uint64_t first, std::uint64_t last, int worker) {
      for (std::uint64_t i = first; i < last; ++i) {
        serial ? scatter<false>(frontier.vertices[i], worker) : scatter<true>(frontier.vertices[i], worker);
      }
    });
    stats.scatter_gather_seconds = watch.lap();
    touched_.clear();
    for (std::vector<VertexId>& hit : hit_) {
      touched_.insert(touched_.end(), hit.begin(), hit.end());
      hit.clear();
    }
    const std::uint64_t chunks = (touched_.size() + kVertexGrain - 1) / kVertexGrain;
    state_.extras.start(chunks);
    workers.each(chunks, 1, [&](std::uint64_t chunk, std::uint64_t, int worker) {
      const std::uint64_t last = std::min<std::uint64_t>((chunk + 1) * kVertexGrain, touched_.size());
      Extra extra[Traits::kExtraSlots] = {};
      typename Traits::Aux aux[Traits::kAuxSlots];
      for (std::uint64_t i = chunk * kVertexGrain; i < last; ++i) {
        const VertexId v = touched_[i];
        const Property before = state_.property[v];
        read_aux(state_.program, v, state_.degree(v), aux);
        const Property after = Traits::apply(pending_[v], before, aux, extra, arg);
        pending_[v] = Traits::identity();
        if (after != before) {
          state_.property[v] = after;
          state_.parts[worker].add(v, state_.degree(v), state_.most_pushed_edges);
        }
      }
      for (int k = 0; k < Traits::kExtraSlots; ++k) state_.extras.set(chunk, k, extra[k]);
    });
    state_.extras.finish();
    state_.collect_frontier();
    stats.apply_seconds = watch.lap();
    return stats;
  }

 private:
  template <bool shared>
  void scatter(VertexId v, int worker) {
    const abi::Csr& csr = state_.csr();
    const Weights<EdgeProperty> weights{static_cast<const EdgeProperty*>(csr.weights)};
    const Property source = Hooks::preprocessProperty(state_.property[v]);
    const EdgeCount end = state_.offset(std::uint64_t(v) + 1);
    for (EdgeCount e = state_.offset(v); e < end; ++e) {
      const Update update = Hooks::scatterFunc(source, weights[e]);
      if (Traits::kFilters && !Traits::is_active(update)) continue;
      const VertexId destination = csr.targets[e];
      if (land<shared>(pending_.get() + destination, update)) hit_[worker].push_back(destination);
    }
  }

  // Gathers into an entry; true for whoever is first to change it from the identity.
  template <bool shared>
  static bool land(Update* entry, Update update) {
    if constexpr (!shared) {
      const Update before = *entry;
      *entry = Hooks::gatherFunc(before, update);
      return before == Traits::identity() && *entry != before;
    } else {
      Update before, after;
      __atomic_load(entry, &before, __ATOMIC_RELAXED);
      do {
        after = Hooks::gatherFunc(before, update);
        if (after == before) return false;
      } while (!__atomic_compare_exchange(entry, &before, &after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
      return before == Traits::identity();
    }
  }

  State<Program>& state_;
  Block<Update> pending_;                   // updates gathered in this step; the identity everywhere between steps
  std::vector<std::vector<VertexId>> hit_;  // per worker, the vertices it was first to hit
  std::vector<VertexId> touched_;
};

}  // namespace engine
}  // namespace gaspipe
