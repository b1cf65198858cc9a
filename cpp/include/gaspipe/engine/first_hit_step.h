// SPDX-License-Identifier: Apache-2.0
// Super-steps of programs that declare kFinalOnceSet, isSource and kIdempotent: a vertex is settled by its first hit,
// and updates are applied where they land.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "gaspipe/engine/first_hit.h"
#include "gaspipe/engine/first_hit_map.h"
#include "gaspipe/engine/state.h"

namespace gaspipe {
namespace engine {

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
        map_(state.csr(), state.num_own(),
             {kMostEdgesPushedAlone, FirstHit<Program>::kBranchless && are_hits_unpredictable(state.csr())}) {}

  abi::Superstep operator()(int step) {
    const Arg arg = read_arg(state_.program, step, state_.extras.total());
    Workers& workers = state_.workers;
    Frontier& frontier = state_.frontier;
    // It may make in-edges: that is preparation.
    map_.choose(
        workers, frontier, [&](VertexId v) { return Traits::is_source(state_.property[v]); },
        [&] { return find_in_edges(); });
    Stopwatch watch;
    abi::Superstep stats{map_.pulls() ? abi::kPullStep : abi::kPushStep, frontier.size(), 0, {}};
    stats.edges = map_.template step<EdgeProperty, EdgeProperty>(workers, frontier, next_,
                                                                 FirstHit<Program>(state_, arg, counts_.data()));
    std::swap(frontier, next_);
    sum_extras();
    stats.seconds[abi::kScatterGather] = watch.lap();
    return stats;
  }

  // Super-steps of a few edges each, as loop.h asks for them: along a path or in a tail a super-step is a vertex or
  // two, and what a large frontier needs would take twenty times as long as its edges.
  template <class Judge>
  int series(int step, abi::Superstep* taken, int most, const Judge& judge) {
    Frontier& frontier = state_.frontier;
    if (frontier.is_bitmap() || map_.pulls() || !is_short(frontier.size(), frontier.edges())) return 0;
    VertexId lists[2][kMostEdgesOfShort];
    VertexId *front = lists[0], *next = lists[1];
    std::uint64_t size = frontier.size();
    EdgeCount edges = frontier.edges();
    std::copy_n(frontier.begin(), size, front);
    int count = 0;
    bool goes_on = true;
    while (goes_on && count < most && is_short(size, edges)) {
      FirstHit<Program> hit(state_, read_arg(state_.program, step + count, state_.extras.total()), counts_.data());
      std::uint64_t num_hit = 0;
      EdgeCount edges_of_hit = 0;
      for (std::uint64_t i = 0; i < size; ++i) {
        const auto source = hit.source(front[i]);
        for (const auto edge : state_.rows[front[i]]) {
          if (!hit.update(source, edge)) continue;
          next[num_hit++] = edge.neighbor();
          edges_of_hit += state_.rows.degree(edge.neighbor());
        }
      }
      hit.finish(0);
      sum_extras();
      map_.count_pushed(edges);
      taken[count] = {abi::kPushStep, size, edges, {}};
      goes_on = judge(step + count++);
      std::swap(front, next);
      size = num_hit;
      edges = edges_of_hit;
    }
    frontier.clear();
    frontier.append(front, size);
    return count;
  }

 private:
  static constexpr EdgeCount kMostEdgesOfShort = 64;

  static bool is_short(std::uint64_t size, EdgeCount edges) {
    return size <= kMostEdgesOfShort && edges <= kMostEdgesOfShort;
  }
  const abi::Csr* find_in_edges() {
    const abi::Csr* const in_edges = state_.run.forms->in_edges(state_.run.forms->self, false);
    if (in_edges == nullptr && state_.workers.poll(0)) state_.workers.cancel();
    return in_edges;
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
  FirstHitMap map_;
};

}  // namespace engine
}  // namespace gaspipe
