// SPDX-License-Identifier: Apache-2.0
// Super-steps of programs that declare kFinalOnceSet, isSource and kIdempotent: a vertex is settled by its first hit.
// A small frontier is pushed, its updates applied where they land. For a large one every vertex that is not settled
// pulls: it looks at its in-edges, and stops at the first that comes from the frontier.
// Method: S. Beamer, K. Asanovic, D. Patterson, "Direction-Optimizing Breadth-First Search", SC 2012,
// doi:10.1109/SC.2012.50.
#pragma once

#include <utility>
#include <vector>

#include "gaspipe/engine/direction.h"
#include "gaspipe/engine/edge_map.h"
#include "gaspipe/engine/first_hit.h"
#include "gaspipe/engine/state.h"

namespace gaspipe {
namespace engine {

constexpr EdgeCount kMostEdgesPushedAlone = 1 << 13;  // below, waking the threads gains nothing
constexpr std::uint64_t kSampledVertices = 1 << 9;
constexpr EdgeCount kMostEdgesSampled = 1 << 8;  // of a vertex
constexpr EdgeCount kMostEdgesPerHit = 4;

template <class Program>
class FirstHitStep {
  using Traits = gaspipe::Traits<typename Program::Hooks>;
  using EdgeProperty = typename Traits::EdgeProperty;
  using Arg = typename Traits::Arg;

 public:
  // Begins with the frontier of `state`.
  explicit FirstHitStep(State<Program>& state)
      : state_(state),
        next_(state.csr(), state.workers.size()),
        counts_(state.workers.size()),
        direction_(state.csr()),
        policy_{kMostEdgesPushedAlone, FirstHit<Program>::kBranchless && are_hits_unpredictable()} {}

  abi::Superstep operator()(int step) {
    const Arg arg = read_arg(state_.program, step, state_.extras.total());
    Workers& workers = state_.workers;
    Frontier& frontier = state_.frontier;
    choose_direction();  // it may make in-edges: that is preparation
    Stopwatch watch;
    abi::Superstep stats{direction_.pulls() ? abi::kPullStep : abi::kPushStep, frontier.size(), frontier.edges(), {}};
    const FirstHit<Program> first_hit(state_, arg, counts_.data());
    if (direction_.pulls()) {
      stats.edges = with_rows<EdgeProperty>(*in_edges_, [&](const auto& rows) {
        return edge_map_pull(workers, rows, frontier, next_, open_, first_hit);
      });
    } else {
      direction_.count_pushed(frontier.edges());
      with_rows<EdgeProperty>(state_.csr(),
                              [&](const auto& rows) { edge_map(workers, rows, frontier, next_, first_hit, policy_); });
    }
    std::swap(frontier, next_);
    sum_extras();
    stats.seconds[abi::kScatterGather] = watch.lap();
    return stats;
  }

 private:
  // Whether most edges may hit, and the branch on it is unpredictable: as in road networks. Branchless updates of small
  // frontiers take 0.7 of the time then. On grids, whose hits are predictable, they would take 2.6 times as long.
  bool are_hits_unpredictable() const {
    return state_.csr().num_edges / kMostEdgesPerHit <= state_.num_vertices() && has_uneven_rows(state_.rows);
  }

  void choose_direction() {
    const auto pull_pays = [&] { return pull_looks_at_fewer() && find_in_edges(); };
    if (!direction_.choose(state_.frontier, kMostEdgesPushedAlone, pull_pays)) return;
    if (direction_.pulls()) {
      state_.frontier.to_bitmap(state_.workers);
    } else {
      state_.frontier.to_queue(state_.workers);
    }
  }
  // Whether a pull would look at fewer edges than a push, by a sample of the vertices: in web crawls and road networks
  // most of those that are not settled have no neighbor in the frontier yet. In a symmetric graph their settled
  // neighbors are just that, and rows are what a pull would walk; for others it is a guess.
  bool pull_looks_at_fewer() const {
    const std::uint64_t n = state_.num_vertices(), stride = n / kSampledVertices + 1;
    EdgeCount looked_at = 0;
    for (std::uint64_t v = stride / 2; v < n; v += stride) {
      if (Traits::is_source(state_.property[v])) continue;
      for (const auto edge : state_.rows[static_cast<VertexId>(v)].first(kMostEdgesSampled)) {
        ++looked_at;
        if (Traits::is_source(state_.property[edge.neighbor()])) break;
      }
    }
    return looked_at * stride + n <= state_.frontier.edges() / 2;
  }
  // False where there are none to be had; asked for once.
  bool find_in_edges() {
    if (!std::exchange(asked_, true)) {
      in_edges_ = state_.run.forms->in_edges(state_.run.forms->self, false);
      if (in_edges_ == nullptr && state_.workers.poll(0)) state_.workers.cancel();
    }
    return in_edges_ != nullptr;
  }

  void sum_extras() {
    state_.extras.start(counts_.size());
    for (std::size_t w = 0; w < counts_.size(); ++w) {
      for (int k = 0; k < Traits::kExtraSlots; ++k) state_.extras.set(w, k, counts_[w].extra[k]);
      counts_[w] = {};
    }
    state_.extras.finish();
  }

  State<Program>& state_;
  Frontier next_;
  std::vector<FirstHitCounts<Traits>> counts_;  // per worker
  Direction direction_;
  const PushPolicy policy_;
  OpenVertices open_;
  bool asked_ = false;  // for in_edges_
  const abi::Csr* in_edges_ = nullptr;
};

}  // namespace engine
}  // namespace gaspipe
