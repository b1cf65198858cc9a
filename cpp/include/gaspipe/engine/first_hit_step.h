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
#include "gaspipe/engine/thread_lists.h"

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
    sum_extras(counts_.size());
    stats.seconds[abi::kScatterGather] = watch.lap();
    return stats;
  }

  // Super-steps of a few edges each, as loop.h asks for them: on grids and road networks, and in the tails of other
  // graphs, nearly all are. What a large frontier needs takes twenty times as long as a step along a path.
  template <class Judge>
  int series(int step, abi::Superstep* taken, int most, const Judge& judge) {
    Frontier& frontier = state_.frontier;
    if (frontier.is_bitmap() || !map_.is_small(frontier.edges())) return 0;
    return with_rows<EdgeProperty>(state_.csr(), [&](const auto& rows) {
      const int num_lists = lists_for(frontier);
      if (num_lists > 1) {
        lists_.start(frontier, num_lists);
        const int count = take_series(lists_, num_lists, rows, step, taken, most, judge);
        lists_.finish(frontier);
        return count;
      }
      Alone alone{&frontier, &next_, map_.policy()};
      const int count = take_series(alone, 1, rows, step, taken, most, judge);
      if (alone.front != &frontier) std::swap(frontier, next_);
      return count;
    });
  }

 private:
  static constexpr EdgeCount kMostEdgesUntimed = 64;  // reading the clock would take as long as the step
  static constexpr EdgeCount kFewestEdgesOfList = 128;
  // Each costs the caller a tenth of a microsecond or two, and all have at most kMostEdgesPushedAlone edges. Chosen so
  // by reckoning: measured are two.
  static constexpr EdgeCount kMostLists = 8;

  // One thread's.
  struct Alone {
    Frontier *front, *next;
    const PushPolicy& policy;

    std::uint64_t size() const { return front->size(); }
    EdgeCount edges() const { return front->edges(); }
    template <class AnyRows, class Functor>
    void push(Workers& /*workers*/, const AnyRows& rows, const Functor& functor) {
      push_small(rows, *front, *next, functor, policy);
      std::swap(front, next);
    }
  };
  template <class Front>
  int lists_for(const Front& front) const {
    const EdgeCount most = front.size() > kMostEdgesPushedAlone ? 1 : front.edges() / kFewestEdgesOfList;
    return static_cast<int>(std::clamp<EdgeCount>(most, 1, std::min<EdgeCount>(kMostLists, state_.workers.size())));
  }
  template <class Front>
  bool is_right(int num_lists, const Front& front) const {
    const int best = lists_for(front);
    return num_lists == 1 || best == 1 ? best == num_lists : best < 2 * num_lists && num_lists < 2 * best;
  }

  template <class Front, class AnyRows, class Judge>
  int take_series(Front& front, int num_lists, const AnyRows& rows, int step, abi::Superstep* taken, int most,
                  const Judge& judge) {
    Stopwatch watch;
    int count = 0, num_timed = 0;
    // Steps since the last time get the mean of theirs.
    const auto time = [&] {
      if (num_timed == count) return;
      const double seconds = watch.lap() / (count - num_timed);
      while (num_timed < count) taken[num_timed++].seconds[abi::kScatterGather] = seconds;
    };
    bool goes_on = true;
    do {
      const EdgeCount edges = front.edges();
      const bool is_timed = edges > kMostEdgesUntimed || front.size() > kMostEdgesUntimed;
      if (is_timed) time();
      taken[count] = {abi::kPushStep, front.size(), edges, {}};
      const Arg arg = read_arg(state_.program, step + count, state_.extras.total());
      front.push(state_.workers, rows, FirstHit<Program>(state_, arg, counts_.data()));
      map_.count_pushed(edges);
      sum_extras(num_lists);
      goes_on = judge(step + count++);
      if (is_timed) time();
    } while (goes_on && count < most && !state_.workers.cancelled() && map_.is_small(front.edges()) &&
             is_right(num_lists, front));
    time();
    return count;
  }
  const abi::Csr* find_in_edges() {
    const abi::Csr* const in_edges = state_.run.forms->in_edges(state_.run.forms->self, false);
    if (in_edges == nullptr && state_.workers.poll(0)) state_.workers.cancel();
    return in_edges;
  }

  // Of the first so many workers.
  void sum_extras(std::size_t num_workers) {
    state_.extras.start(num_workers);
    for (std::size_t w = 0; w < num_workers; ++w) {
      for (int k = 0; k < Traits::kExtraSlots; ++k) state_.extras.set(w, k, counts_[w].extra[k]);
      counts_[w] = {};
    }
    state_.extras.finish();
  }

  State<Program>& state_;
  Frontier next_;
  std::vector<FirstHitCounts<Traits>> counts_;  // per worker
  FirstHitMap map_;
  ThreadLists lists_{kMostEdgesPushedAlone};
};

}  // namespace engine
}  // namespace gaspipe
