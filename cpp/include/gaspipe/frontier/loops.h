// SPDX-License-Identifier: Apache-2.0
// The calls of a frontier program (gaspipe/frontier.h says what each does), over the rows and threads that a host
// lends: nothing here needs the core.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "gaspipe/frontier/gather.h"
#include "gaspipe/frontier/vertex_subset.h"
#include "gaspipe/phases.h"

namespace gaspipe {
namespace frontier {

template <class VertexValue, class EdgeValue, class AccumValue>
class Loops {
  static_assert(
      std::is_trivially_copyable_v<VertexValue> && std::is_trivially_copyable_v<EdgeValue> &&
          std::is_trivially_copyable_v<AccumValue>,
      "the values of a FrontierEngine are plain structs (trivially copyable): without members that own memory, "
      "such as strings and vectors, and without copy constructors");
  using Direction = FrontierOptions::Direction;
  using TheState = State<VertexValue, EdgeValue, AccumValue>;

 public:
  Loops(const AccumValue& default_accumulator, FrontierOptions options)
      : identity_(default_accumulator), options_(std::move(options)) {
    check(options_);
  }
  Loops(const Loops&) = delete;
  Loops& operator=(const Loops&) = delete;

  VertexId getVertexCount() const { return state_ ? state_->num_vertices() : 0; }
  EdgeCount getEdgeCount() const { return state_ ? state_->csr->num_edges : 0; }
  std::uint64_t getWorkqueueSize() const { return workqueue_size_; }
  void clearWorkqueue() { workqueue_size_ = 0; }
  bool allVerticesInactive() const { return workqueue_size_ == 0; }

  // Null without a graph, and where edges have no values. What is written through these pointers is seen by the calls
  // that follow; ask again before writing after a call.
  const VertexValue* vertex_values() const { return state_ ? state_->values.get() : nullptr; }
  VertexValue* vertex_values() {
    search_.reset();
    return state_ ? state_->values.get() : nullptr;
  }
  const EdgeValue* edge_values() const { return state_ ? state_->edge_values.get() : nullptr; }
  EdgeValue* edge_values() {
    if (gather_) gather_->edges_are_written();
    return state_ ? state_->edge_values.get() : nullptr;
  }
  const AccumValue* accumulators() const { return state_ ? state_->accums.values() : nullptr; }

  const FrontierOptions& options() const { return options_; }
  double seconds() const { return seconds_; }
  const PhaseSeconds& phases() const { return phases_; }

  template <class F>
  void edgeFilter(VertexSubset& dst, const VertexSubset& src, F f) {
    if constexpr (has_edge_functions<F, VertexValue, EdgeValue, AccumValue>()) {
      call("edgeFilter", src, &dst, [&](Call& now, VertexSubset* to) {
        search_.reset();
        bind(*to).copy((*gather_)(now, f, bind(src)), now.workers);
      });
    }
  }

  template <class F>
  void edgeMap(const VertexSubset& src, F f) {
    if constexpr (has_edge_functions<F, VertexValue, EdgeValue, AccumValue>()) {
      call("edgeMap", src, nullptr, [&](Call& now, VertexSubset*) {
        search_.reset();
        (*gather_)(now, f, bind(src));
      });
    }
  }

  template <class F>
  void vertexFilter(VertexSubset& dst, const VertexSubset& src, F f) {
    if constexpr (has_vertex_functions<F, VertexValue, AccumValue>()) {
      call("vertexFilter", src, &dst, [&](Call& now, VertexSubset* to) {
        search_.reset();
        filter(now, f, bind(src), bind(*to));
      });
    }
  }

  template <class F>
  void vertexMap(const VertexSubset& src, F f) {
    if constexpr (is_vertex_function<F, VertexValue, AccumValue>()) {
      call("vertexMap", src, nullptr, [&](Call& now, VertexSubset*) {
        search_.reset();
        state_->each(now, bind(src),
                     MapVertex<F, VertexValue, AccumValue>{f, values(), state_->accums.values(), state_->ids()});
        now.lap(abi::kApply);
      });
    }
  }

  template <class F>
  void edgeVertexFilter(VertexSubset& dst, const VertexSubset& src, F f) {
    if constexpr (has_edge_functions<F, VertexValue, EdgeValue, AccumValue>() &&
                  has_vertex_functions<F, VertexValue, AccumValue>()) {
      call("edgeVertexFilter", src, &dst, [&](Call& now, VertexSubset* to) {
        if constexpr (FinalOnceSet<F>::value) {
          search(now, f, src, *to);
        } else {
          search_.reset();
          filter(now, f, (*gather_)(now, f, bind(src)), bind(*to));
        }
      });
    }
  }

  template <class T, class Map, class Reduce>
  T vertexReduce(const VertexSubset& src, const T& identity, Map map, Reduce reduce) {
    T total = identity;
    call("vertexReduce", src, nullptr, [&](Call& now, VertexSubset*) {
      engine::Frontier& from = bind(src);
      from.to_bitmap(now.workers);  // in the order of the vertices
      const std::uint64_t num_chunks = std::max(engine::num_chunks(from), engine::num_chunks(getVertexCount()));
      const std::unique_ptr<T[]> sums(new T[num_chunks]);
      std::fill_n(sums.get(), num_chunks, identity);
      state_->each(
          now, from,
          ReduceVertex<T, Map, Reduce, VertexValue>{map, reduce, values(), sums.get(), identity, state_->ids()});
      for (std::uint64_t i = 0; i < num_chunks; ++i) total = reduce(total, sums[i]);
      now.lap(abi::kApply);
    });
    return total;
  }
  template <class T, class Map, class Reduce>
  T vertexReduce(const T& identity, Map map, Reduce reduce) {
    return vertexReduce(VertexSubset(getVertexCount(), true), identity, map, reduce);
  }

  template <class F>
  void vertexTransform(F f) const {
    check_graph("vertexTransform");
    for (VertexId v = 0; v < getVertexCount(); ++v) f(state_->ids()[v], static_cast<const VertexValue&>(values()[v]));
  }

 protected:
  // Takes the place of the graph before, if nothing throws. The host outlives the engine.
  void attach(const LentGraph& graph, const abi::Host& host, engine::Block<EdgeValue> edge_values) {
    Call now(host);
    auto state = std::make_unique<TheState>(graph, now, host.num_threads, identity_, std::move(edge_values));
    now.throw_if_cancelled();
    auto gather = std::make_unique<Gather<VertexValue, EdgeValue, AccumValue>>(*state, options_);
    search_.reset();
    spare_ = VertexSubset();
    gather_ = std::move(gather);
    state_ = std::move(state);
    host_ = &host;
    workqueue_size_ = 0;
    search_policy_ = {engine::kMostEdgesPushedAlone, engine::are_hits_unpredictable(*state_->csr),
                      engine::kPushGrain / static_cast<unsigned>(options_.group)};
    now.lap(abi::kStart);
    finish(now);
  }
  // Text is made only where somebody reads it.
  template <class Text>
  void log(LogLevel level, const Text& text) const {
    if (options_.log && level <= options_.log_level) options_.log(level, text());
  }

 private:
  template <class Body>
  void call(const char* name, const VertexSubset& src, VertexSubset* dst, const Body& body) {
    check_graph(name);
    check_set(name, "source", src);
    if (dst == &src) {
      call(name, src, &spare_, body);
      std::swap(*dst, spare_);
      return;
    }
    if (dst != nullptr) {
      if (dst->capacity() == 0) *dst = VertexSubset(getVertexCount());
      check_set(name, "destination", *dst);
    }
    Call now(*host_);
    try {
      body(now, dst);
      now.throw_if_cancelled();
    } catch (...) {
      state_->accums.discard();
      gather_->edges_are_written();
      search_.reset();
      if (dst != nullptr) *dst = VertexSubset(getVertexCount());
      throw;
    }
    if (dst != nullptr) workqueue_size_ = dst->size();
    finish(now);
    log(LogLevel::kDebug, [&] {
      return message(name, now.how, ": ", src.size(), " vertices, ", now.edges, " edges",
                     dst != nullptr ? message(" -> ", dst->size(), " vertices") : std::string(), ", ",
                     now.total.seconds() * 1e6, " us");
    });
  }
  void finish(Call& now) {
    now.lap(abi::kFrontier);
    for (int phase = 0; phase < abi::kNumPhases; ++phase) phases_[phase] += now.seconds[phase];
    seconds_ += now.total.seconds();
  }
  void check_graph(const char* name) const {
    if (!state_) throw InputError(message(name, ": this engine has no graph; call readGraph first"));
  }
  void check_set(const char* name, const char* which, const VertexSubset& set) const {
    if (set.capacity() == getVertexCount()) return;
    throw InputError(message(name, ": the ", which, " set is of ", set.capacity(), " vertices, the graph has ",
                             getVertexCount(), "; make it with getVertexCount()"));
  }
  engine::Frontier& bind(const VertexSubset& set) const { return set.bind(state_->csr, state_->num_workers); }
  VertexValue* values() const { return state_->values.get(); }

  // `to` becomes the vertices of `from` that F's condition holds for, in the same form.
  template <class F>
  void filter(Call& now, F& f, const engine::Frontier& from, engine::Frontier& to) const {
    const FilterVertex<F, VertexValue, AccumValue> functor{f, values(), state_->accums.values(), state_->ids()};
    if (from.is_bitmap()) {
      std::uint64_t size = 0;
      to.start_bitmap();
      to.bits().clear();
      state_->each(now, from, FilterToBits<decltype(functor)>{functor, to.bits(), &size});
      to.set_bitmap_size(size);
    } else {
      to.clear();
      state_->each(now, from, FilterToQueue<decltype(functor)>{functor, to});
      to.collect();
    }
    now.lap(abi::kApply);
  }

  // A call goes on from the one before where its source set is what that one made, and nothing was called between.
  template <class F>
  void search(Call& now, F& f, const VertexSubset& src, VertexSubset& dst) {
    engine::Frontier &from = bind(src), &to = bind(dst);
    if (src.empty()) return to.clear();
    if constexpr (!kOnlyReadsEdges<F, VertexValue, EdgeValue, AccumValue>) gather_->edges_are_written();
    const HitVertex<F, VertexValue, EdgeValue, AccumValue> functor{state_->gather_edge(f), values(), identity_,
                                                                   state_->locks, state_->ids()};
    if (!search_ || src.round_ != round_ || search_functor_ != &kTag<F>) {
      search_.emplace(*state_->csr, state_->csr->num_vertices, search_policy_);
      search_functor_ = &kTag<F>;
      if (options_.direction == Direction::kPull) {
        const abi::Csr* const in_edges = state_->find_in_edges(true);
        if (in_edges == nullptr) throw Cancelled();
        search_->always_pull(*in_edges);
      }
    }
    search_->pulls() ? from.to_bitmap(now.workers) : from.to_queue(now.workers);
    auto asked = functor;
    search_->choose(
        now.workers, from, [&](VertexId v) { return !asked.is_open(v); },
        [&] { return options_.direction == Direction::kPush ? nullptr : state_->find_in_edges(false); });
    now.how = search_->pulls() ? ", pull" : ", push";
    now.lap(abi::kFrontier);
    now.edges = search_->template step<engine::Unweighted, PlaceOf<EdgeValue>>(now.workers, from, to, functor);
    now.lap(abi::kScatterGather);
    dst.round_ = ++round_;
  }
  template <class F>
  static constexpr char kTag = 0;

  const AccumValue identity_;
  const FrontierOptions options_;
  const abi::Host* host_ = nullptr;
  std::unique_ptr<TheState> state_;  // null without a graph
  std::unique_ptr<Gather<VertexValue, EdgeValue, AccumValue>> gather_;
  VertexSubset spare_;  // where a source set is the destination set too
  std::optional<engine::FirstHitMap> search_;
  engine::PushPolicy search_policy_{};
  const void* search_functor_ = nullptr;
  std::uint64_t round_ = 0;
  std::uint64_t workqueue_size_ = 0;
  double seconds_ = 0;
  PhaseSeconds phases_{};
};

}  // namespace frontier
}  // namespace gaspipe
