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

#include "gaspipe/engine/first_hit_map.h"
#include "gaspipe/engine/vertex_map.h"
#include "gaspipe/frontier/edge_functors.h"
#include "gaspipe/frontier/options.h"
#include "gaspipe/frontier/vertex_functors.h"
#include "gaspipe/frontier/vertex_subset.h"
#include "gaspipe/phases.h"

namespace gaspipe {
namespace frontier {

// A graph that a host lends. The weight of an in-edge is the index that the same edge has in `csr`, where it is asked
// for `with_places`. Null where in-edges are not at hand and not needed.
struct LentGraph {
  abi::Csr csr;
  void* self;
  const abi::Csr* (*in_edges)(void* self, bool with_places, bool are_needed);
};

// Sets with more edges than all edges / this are pulled: no atomics, and every vertex reduces in the order of its row,
// for any number of threads.
constexpr EdgeCount kGatherShare = 4;

template <class VertexValue, class EdgeValue, class AccumValue>
class Loops {
  static_assert(
      std::is_trivially_copyable_v<VertexValue> && std::is_trivially_copyable_v<EdgeValue> &&
          std::is_trivially_copyable_v<AccumValue>,
      "the values of a FrontierEngine are plain structs (trivially copyable): without members that own memory, "
      "such as strings and vectors, and without copy constructors");
  using Direction = FrontierOptions::Direction;

 public:
  Loops(const AccumValue& default_accumulator, FrontierOptions options)
      : identity_(default_accumulator), options_(std::move(options)) {
    check(options_);
  }
  Loops(const Loops&) = delete;
  Loops& operator=(const Loops&) = delete;

  VertexId getVertexCount() const { return csr_ ? csr_->num_vertices : 0; }
  EdgeCount getEdgeCount() const { return csr_ ? csr_->num_edges : 0; }
  std::uint64_t getWorkqueueSize() const { return workqueue_size_; }
  void clearWorkqueue() { workqueue_size_ = 0; }
  bool allVerticesInactive() const { return workqueue_size_ == 0; }

  const VertexValue* vertex_values() const { return values_.get(); }
  VertexValue* vertex_values() {
    search_.reset();
    return values_.get();
  }
  const EdgeValue* edge_values() const { return edge_values_.get(); }
  EdgeValue* edge_values() { return edge_values_.get(); }
  const AccumValue* accumulators() const { return accums_ ? accums_->values() : nullptr; }

  const FrontierOptions& options() const { return options_; }
  double seconds() const { return seconds_; }
  const PhaseSeconds& phases() const { return phases_; }

  template <class F>
  void edgeFilter(VertexSubset& dst, const VertexSubset& src, F f) {
    if constexpr (has_edge_functions<F, VertexValue, EdgeValue, AccumValue>()) {
      call("edgeFilter", src, &dst, [&](Call& now, VertexSubset* to) {
        search_.reset();
        bind(*to).copy(gather(now, f, src), now.workers);
      });
    }
  }

  template <class F>
  void edgeMap(const VertexSubset& src, F f) {
    if constexpr (has_edge_functions<F, VertexValue, EdgeValue, AccumValue>()) {
      call("edgeMap", src, nullptr, [&](Call& now, VertexSubset*) {
        search_.reset();
        gather(now, f, src);
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
        const MapVertex<F, VertexValue, AccumValue> map{f, values_.get(), accums_->values()};
        each(now, bind(src), map);
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
          filter(now, f, gather(now, f, src), bind(*to));
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
      const std::uint64_t num_chunks = std::max(engine::num_chunks(from), engine::num_chunks(csr_->num_vertices));
      const std::unique_ptr<T[]> sums(new T[num_chunks]);
      std::fill_n(sums.get(), num_chunks, identity);
      each(now, from, ReduceVertex<T, Map, Reduce, VertexValue>{map, reduce, values_.get(), sums.get(), identity});
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
    for (VertexId v = 0; v < csr_->num_vertices; ++v) f(v, static_cast<const VertexValue&>(values_[v]));
  }

 protected:
  // Takes the place of the graph before, if nothing throws. The host outlives the engine.
  void attach(const LentGraph& graph, const abi::Host& host, engine::Block<EdgeValue> edge_values) {
    Call now(host);
    auto csr = std::make_shared<const abi::Csr>(graph.csr);
    auto accums = std::make_unique<Accumulators<AccumValue>>(*csr, host.num_threads, identity_);
    accums->reset(now.workers);
    auto values = engine::make_block<VertexValue>(csr->num_vertices);
    engine::vertex_map(now.workers, csr->num_vertices, [&](VertexId v, int) { values[v] = VertexValue{}; });
    throw_if_cancelled(now);
    host_ = &host;
    graph_ = graph;
    values_ = std::move(values);
    edge_values_ = std::move(edge_values);
    sent_.reset();
    value_locks_ = kIsWord<VertexValue> ? Locks() : Locks(csr->num_vertices);
    accums_ = std::move(accums);
    pulled_.emplace(*csr, host.num_threads, 0);
    search_.reset();
    in_edges_ = nullptr;
    workqueue_size_ = 0;
    policy_ = {engine::kMostEdgesPushedAlone, engine::are_hits_unpredictable(*csr),
               engine::kPushGrain / static_cast<unsigned>(options_.group)};
    csr_ = std::move(csr);
    now.lap(abi::kStart);
    finish(now);
    log(LogLevel::kInfo, [&] { return message(getVertexCount(), " vertices, ", getEdgeCount(), " edges"); });
  }
  // Text is made only where somebody reads it.
  template <class Text>
  void log(LogLevel level, const Text& text) const {
    if (options_.log && level <= options_.log_level) options_.log(level, text());
  }

 private:
  static constexpr bool kHasEdgeValues = !std::is_empty_v<EdgeValue>;

  // What one call does, and how long it takes.
  struct Call {
    explicit Call(const abi::Host& host) : workers(host) {}
    void lap(abi::Phase phase) { seconds[phase] += watch.lap(); }

    engine::Workers workers;
    engine::Stopwatch total, watch;
    double seconds[abi::kNumPhases] = {};
    EdgeCount edges = 0;
    const char* how = "";
  };

  template <class Body>
  void call(const char* name, const VertexSubset& src, VertexSubset* dst, const Body& body) {
    check_graph(name);
    check_set(name, "source", src);
    if (dst == &src) {
      VertexSubset next(csr_->num_vertices);
      call(name, src, &next, body);
      *dst = std::move(next);
      return;
    }
    if (dst != nullptr) {
      if (dst->capacity() == 0) *dst = VertexSubset(csr_->num_vertices);
      check_set(name, "destination", *dst);
    }
    Call now(*host_);
    try {
      body(now, dst);
      throw_if_cancelled(now);
    } catch (...) {
      accums_->discard();
      search_.reset();
      if (dst != nullptr) *dst = VertexSubset(csr_->num_vertices);
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
  static void throw_if_cancelled(const Call& now) {
    if (now.workers.cancelled()) throw Cancelled();
  }
  void check_graph(const char* name) const {
    if (!csr_) throw InputError(message(name, ": this engine has no graph; call readGraph first"));
  }
  void check_set(const char* name, const char* which, const VertexSubset& set) const {
    if (set.capacity() == csr_->num_vertices) return;
    throw InputError(message(name, ": the ", which, " set is of ", set.capacity(), " vertices, the graph has ",
                             csr_->num_vertices, "; make it with getVertexCount()"));
  }
  engine::Frontier& bind(const VertexSubset& set) const { return set.bind(csr_, host_->num_threads); }

  template <class Functor>
  void each(Call& now, const engine::Frontier& from, const Functor& functor) const {
    if (from.size() == csr_->num_vertices) {
      engine::vertex_map(now.workers, csr_->num_vertices, functor);
    } else {
      engine::vertex_map(now.workers, from, functor);
    }
  }

  // The accumulators become what `src` sends. Returns the vertices that it reaches.
  template <class F>
  const engine::Frontier& gather(Call& now, F& f, const VertexSubset& src) {
    engine::Frontier& from = bind(src);
    now.edges = num_edges(now, from);
    const abi::Csr* const in_edges = gather_pulls(now.edges) ? find_in_edges(!kIsOrderFree) : nullptr;
    const GatherEdge<F, VertexValue, EdgeValue> edge{f, values_.get(), {edge_values_.get()}, engine::Rows<>(*csr_)};
    return in_edges != nullptr ? pull(now, from, edge, *in_edges) : push(now, from, edge);
  }
  // Sums of integers are the same in any order.
  static constexpr bool kIsOrderFree = std::is_integral_v<AccumValue>;
  bool gather_pulls(EdgeCount edges) const {
    if (edges == 0) return false;
    if (options_.direction != Direction::kAuto) return options_.direction == Direction::kPull;
    return edges > csr_->num_edges / kGatherShare && !(kIsOrderFree && edges <= engine::kMostEdgesPushedAlone);
  }
  const abi::Csr* find_in_edges(bool are_needed) {
    if (options_.direction == Direction::kPull) are_needed = true;
    if (in_edges_ == nullptr) in_edges_ = graph_.in_edges(graph_.self, kHasEdgeValues, are_needed);
    return in_edges_;
  }
  EdgeCount num_edges(Call& now, const engine::Frontier& from) const {
    if (!from.is_bitmap()) return from.edges();
    if (from.size() == csr_->num_vertices) return csr_->num_edges;
    EdgeCount total = 0;
    engine::vertex_map(now.workers, from, CountEdges{engine::Rows<>(*csr_), &total});
    return total;
  }

  template <class F>
  const engine::Frontier& push(Call& now, engine::Frontier& from, const GatherEdge<F, VertexValue, EdgeValue>& edge) {
    now.how = ", push";
    accums_->reset(now.workers);
    from.to_queue(now.workers);
    now.lap(abi::kFrontier);
    engine::Frontier& hits = accums_->hits();
    accums_->set_written(options_.scan ? Written::kListed : Written::kMarked);
    const PushEdge<F, VertexValue, EdgeValue, AccumValue> functor{edge, *accums_, options_.scan};
    engine::with_rows(*csr_, [&](const auto& rows) {
      engine::edge_map(now.workers, rows, from, hits, functor,
                       {policy_.most_edges_alone, /*is_branchless=*/false, policy_.grain});
    });
    now.lap(abi::kScatterGather);
    if (options_.scan) return hits;
    pulled_->start_bitmap();
    pulled_->bits().copy_words(accums_->marks(), 0, accums_->marks().num_words());
    pulled_->set_bitmap_size(pulled_->bits().count());
    return *pulled_;
  }

  template <class F>
  const engine::Frontier& pull(Call& now, engine::Frontier& from, const GatherEdge<F, VertexValue, EdgeValue>& edge,
                               const abi::Csr& in_edges) {
    now.how = ", pull";
    const bool is_all = from.size() == csr_->num_vertices;
    if (!is_all) from.to_bitmap(now.workers);
    now.lap(abi::kFrontier);
    accums_->set_written(Written::kAll);
    const auto gather_from = [&](const auto& functor) {
      engine::with_rows<PlaceOf<EdgeValue>>(in_edges, [&](const auto& rows) {
        engine::edge_map_gather(now.workers, rows, is_all ? nullptr : &from.bits(), *pulled_, functor);
      });
    };
    if constexpr (kHasEdgeValues) {
      gather_from(PullEdges<F, VertexValue, EdgeValue, AccumValue>{edge, accums_->values(), identity_});
    } else {
      if (!sent_) sent_ = engine::make_block<AccumValue>(csr_->num_vertices);
      each(now, from, SendOnce<GatherEdge<F, VertexValue, EdgeValue>, AccumValue>{edge, sent_.get()});
      gather_from(PullSent<F, AccumValue>{edge.f, sent_.get(), accums_->values(), identity_});
    }
    now.lap(abi::kScatterGather);
    return *pulled_;
  }

  // `to` becomes the vertices of `from` that F's condition holds for, in the same form.
  template <class F>
  void filter(Call& now, F& f, const engine::Frontier& from, engine::Frontier& to) const {
    const FilterVertex<F, VertexValue, AccumValue> functor{f, values_.get(), accums_->values()};
    if (from.is_bitmap()) {
      std::uint64_t size = 0;
      to.start_bitmap();
      to.bits().clear();
      each(now, from, FilterToBits<decltype(functor)>{functor, to.bits(), &size});
      to.set_bitmap_size(size);
    } else {
      to.clear();
      each(now, from, FilterToQueue<decltype(functor)>{functor, to});
      to.collect();
    }
    now.lap(abi::kApply);
  }

  // A call goes on from the one before where its source set is what that one made, and nothing was called between.
  template <class F>
  void search(Call& now, F& f, const VertexSubset& src, VertexSubset& dst) {
    engine::Frontier &from = bind(src), &to = bind(dst);
    if (src.empty()) return to.clear();
    const HitVertex<F, VertexValue, EdgeValue, AccumValue> functor{
        {f, values_.get(), {edge_values_.get()}, engine::Rows<>(*csr_)}, values_.get(), identity_, value_locks_};
    if (!search_ || src.round_ != round_ || search_functor_ != &kTag<F>) {
      search_.emplace(*csr_, policy_);
      search_functor_ = &kTag<F>;
      if (options_.direction == Direction::kPull) search_->always_pull(*find_in_edges(true));
    }
    if (!search_->pulls()) from.to_queue(now.workers);
    auto asked = functor;
    search_->choose(
        now.workers, from, [&](VertexId v) { return !asked.is_open(v); },
        [&] { return options_.direction == Direction::kPush ? nullptr : find_in_edges(false); });
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
  LentGraph graph_{};
  std::shared_ptr<const abi::Csr> csr_;  // null without a graph
  engine::Block<VertexValue> values_;
  engine::Block<EdgeValue> edge_values_;
  engine::Block<AccumValue> sent_;  // of every vertex that a pull reads
  std::unique_ptr<Accumulators<AccumValue>> accums_;
  Locks value_locks_;
  std::optional<engine::Frontier> pulled_;
  std::optional<engine::FirstHitMap> search_;
  const void* search_functor_ = nullptr;
  std::uint64_t round_ = 0;
  const abi::Csr* in_edges_ = nullptr;
  engine::PushPolicy policy_{};
  std::uint64_t workqueue_size_ = 0;
  double seconds_ = 0;
  PhaseSeconds phases_{};
};

}  // namespace frontier
}  // namespace gaspipe
