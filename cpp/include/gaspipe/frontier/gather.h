// SPDX-License-Identifier: Apache-2.0
// The edge phase of a frontier program: the accumulators become what a set sends along its edges. A small set is
// pushed. A large one is pulled, where that takes less time: without atomics, and every vertex reduces in the order of
// its row, for any number of threads.
#pragma once

#include <type_traits>
#include <utility>

#include "gaspipe/frontier/options.h"
#include "gaspipe/frontier/state.h"
#include "gaspipe/frontier/vertex_functors.h"

namespace gaspipe {
namespace frontier {

// Sets with more edges than all edges / this are pulled, where edges have no values. Measured on Kronecker 18 with 2
// threads: a pull from a part of the vertices takes as long as a push of a third of the edges (13 ms), a pull from all
// 8 ms. With values that gather reads, a pull pays from all vertices only.
constexpr EdgeCount kGatherShare = 3;

template <class VertexValue, class EdgeValue, class AccumValue>
class Gather {
  using Direction = FrontierOptions::Direction;
  using TheState = State<VertexValue, EdgeValue, AccumValue>;
  template <class F>
  using TheEdge = GatherEdge<F, VertexValue, EdgeValue>;

 public:
  Gather(TheState& state, const FrontierOptions& options)
      : state_(state),
        direction_(options.direction),
        lists_(options.scan),
        policy_{engine::kMostEdgesPushedAlone, /*is_branchless=*/false,
                engine::kPushGrain / static_cast<unsigned>(options.group)},
        marked_(*state.csr, state.num_workers, 0) {}

  // Returns the vertices that `from` reaches.
  template <class F>
  const engine::Frontier& operator()(Call& now, const F& f, engine::Frontier& from) {
    if constexpr (!kOnlyReads<F>) edges_are_written();
    now.edges = num_edges(now, from);
    const bool are_needed = !kIsOrderFree || direction_ == Direction::kPull;
    const abi::Csr* const in_edges =
        pulls<F>(now.edges, state_.is_all(from)) ? state_.find_in_edges(are_needed) : nullptr;
    now.how = in_edges != nullptr ? ", pull" : ", push";
    return in_edges != nullptr ? pull(now, from, state_.gather_edge(f), *in_edges)
                               : push(now, from, state_.gather_edge(f));
  }
  // By others.
  void edges_are_written() { are_in_values_current_ = false; }

 private:
  // Sums of integers are the same in any order.
  static constexpr bool kIsOrderFree = std::is_integral_v<AccumValue>;
  template <class F>
  static constexpr bool kOnlyReads = kOnlyReadsEdges<F, VertexValue, EdgeValue, AccumValue>;

  template <class F>
  bool pulls(EdgeCount edges, bool is_all) const {
    if (edges == 0) return false;
    if (direction_ != Direction::kAuto) return direction_ == Direction::kPull;
    if (TheState::kHasEdgeValues && !(is_all && kOnlyReads<F>)) return false;
    if (kIsOrderFree && edges <= policy_.most_edges_alone) return false;
    return edges > state_.csr->num_edges / kGatherShare;
  }
  EdgeCount num_edges(Call& now, const engine::Frontier& from) const {
    if (!from.is_bitmap()) return from.edges();
    if (state_.is_all(from)) return state_.csr->num_edges;
    EdgeCount total = 0;
    engine::vertex_map(now.workers, from, CountEdges{engine::Rows<>(*state_.csr), &total});
    return total;
  }

  template <class F>
  const engine::Frontier& push(Call& now, engine::Frontier& from, const TheEdge<F>& edge) {
    Accumulators<AccumValue>& accums = state_.accums;
    accums.reset(now.workers);
    from.to_queue(now.workers);
    now.lap(abi::kFrontier);
    accums.set_written(lists_ ? Written::kListed : Written::kMarked);
    engine::with_rows(*state_.csr, [&](const auto& rows) {
      const PushEdge<F, VertexValue, EdgeValue, AccumValue> functor{edge, accums, lists_};
      engine::edge_map(now.workers, rows, from, accums.hits(), functor, policy_);
    });
    now.lap(abi::kScatterGather);
    if (lists_) return accums.hits();
    marked_.start_bitmap();
    marked_.bits().copy_words(accums.marks(), 0, accums.marks().num_words());
    marked_.set_bitmap_size(marked_.bits().count());
    return marked_;
  }

  template <class F>
  const engine::Frontier& pull(Call& now, engine::Frontier& from, const TheEdge<F>& edge, const abi::Csr& in_edges) {
    const bool is_all = state_.is_all(from);
    if (!is_all) from.to_bitmap(now.workers);
    now.lap(abi::kFrontier);
    const engine::Bitmap* const front = is_all ? nullptr : &from.bits();
    using InRows = engine::Rows<std::conditional_t<kOnlyReads<F>, engine::Unweighted, PlaceOf<EdgeValue>>>;
    const auto gather_by = [&](const auto& functor) {
      engine::edge_map_gather(now.workers, InRows(in_edges), front, marked_, functor);
    };
    AccumValue* const accums = state_.accums.values();
    state_.accums.set_written(Written::kAll);
    if constexpr (TheState::kHasEdgeValues) {
      TheEdge<F> in_edge = edge;
      if (kOnlyReads<F>) in_edge.edges = {in_values(now, in_edges)};
      gather_by(PullEdges<F, VertexValue, EdgeValue, AccumValue>{in_edge, accums, state_.identity});
    } else {
      if (!sent_) sent_ = engine::make_block<AccumValue>(state_.num_vertices());
      engine::vertex_map(now.workers, state_.num_vertices(),
                         SendOnce<TheEdge<F>, AccumValue>{edge, sent_.get(), state_.identity, front});
      if (is_all || is_neutral(edge.f, state_.identity)) {
        gather_by(PullSent<true, F, AccumValue>{edge.f, sent_.get(), accums, state_.identity});
      } else {
        gather_by(PullSent<false, F, AccumValue>{edge.f, sent_.get(), accums, state_.identity});
      }
    }
    now.lap(abi::kScatterGather);
    return marked_;
  }

  // A copy of the edge values in the order of the in-edges.
  EdgeValue* in_values(Call& now, const abi::Csr& in_edges) {
    if (!in_values_) in_values_ = engine::make_block<EdgeValue>(in_edges.num_edges);
    if (std::exchange(are_in_values_current_, true)) return in_values_.get();
    const auto* const places = static_cast<const Place*>(in_edges.weights);
    now.workers.each(in_edges.num_edges, engine::kVertexGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t e = first; e < last; ++e) in_values_[e] = state_.edge_values[places[e]];
    });
    return in_values_.get();
  }

  TheState& state_;
  const Direction direction_;
  const bool lists_;
  const engine::PushPolicy policy_;
  engine::Frontier marked_;  // a bitmap
  engine::Block<AccumValue> sent_;
  engine::Block<EdgeValue> in_values_;
  bool are_in_values_current_ = false;
};

}  // namespace frontier
}  // namespace gaspipe
