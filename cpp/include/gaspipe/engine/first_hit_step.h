// SPDX-License-Identifier: Apache-2.0
// Super-steps of programs that declare kFinalOnceSet, isSource and kIdempotent: a vertex is settled by its first hit.
// A small frontier is pushed, its updates applied where they land. For a large one every vertex that is not settled
// looks back along its in-edges, and stops at the first that comes from the frontier: most edges are never looked at.
// Method: S. Beamer, K. Asanovic, D. Patterson, "Direction-Optimizing Breadth-First Search", SC 2012,
// doi:10.1109/SC.2012.50.
#pragma once

#include "gaspipe/engine/first_hit_pull.h"

namespace gaspipe {
namespace engine {

// Pull once the frontier has more edges than the unexplored part of the graph / kPullShare; push again once the
// frontier shrinks and is below n / kPushVertices. As published; GAPBS has 15 and 18.
constexpr EdgeCount kPullShare = 15;
constexpr EdgeCount kPushVertices = 18;
constexpr EdgeCount kMostEdgesPushedAlone = 1 << 13;  // below, waking the threads gains nothing
constexpr std::uint64_t kSampledVertices = 1 << 9;
constexpr EdgeCount kMostEdgesSampled = 1 << 8;  // of a vertex
constexpr EdgeCount kMostEdgesPerHit = 4;
constexpr std::uint64_t kPushGrain = 64;

template <class Program>
class FirstHitStep {
  using Hooks = typename Program::Hooks;
  using Traits = gaspipe::Traits<Hooks>;
  using Property = typename Traits::Property;
  using EdgeProperty = typename Traits::EdgeProperty;
  using Update = typename Traits::Update;
  using Extra = typename Traits::Extra;
  using Arg = typename Traits::Arg;

 public:
  // Begins with the frontier of `state`.
  explicit FirstHitStep(State<Program>& state)
      : state_(state),
        frontier_(new VertexId[state.num_vertices()]),
        next_(new VertexId[state.num_vertices()]),
        parts_(state.workers.size()),
        hits_are_unforeseeable_(Traits::kAux == 0 && are_hits_unforeseeable()),
        unexplored_(state.csr().num_edges),
        pull_(state) {
    const Frontier& first = state.frontier;
    std::copy(first.vertices.begin(), first.vertices.end(), frontier_.get());
    size_ = first.size;
    edges_ = first.edges - first.size;  // which counts one per vertex besides
  }

  abi::Superstep operator()(int step) {
    const Arg arg = read_arg(state_.program, step, state_.extras.total());
    choose_direction();  // which may make in-edges: that is preparation
    Stopwatch watch;
    abi::Superstep stats{pulls_ ? abi::kPullStep : abi::kPushStep, size_, pulls_ ? 0 : edges_, 0, 0};
    for (Part& part : parts_) part.clear();
    if (pulls_) {
      pull_(arg, [&](int worker) -> Part& { return parts_[worker]; });
    } else {
      unexplored_ -= std::min(unexplored_, edges_);
      push(arg);
    }
    size_ = edges_ = 0;
    state_.extras.start(parts_.size());
    for (std::size_t w = 0; w < parts_.size(); ++w) {
      const Part& part = parts_[w];
      size_ += part.size;
      edges_ += part.edges;
      stats.edges += part.looked_at;
      for (int k = 0; k < Traits::kExtraSlots; ++k) state_.extras.set(w, k, part.extra[k]);
    }
    state_.extras.finish();
    state_.frontier.size = size_;
    stats.scatter_gather_seconds = watch.lap();
    return stats;
  }

 private:
  struct alignas(64) Part : FirstHitCounts<Traits> {
    static constexpr std::uint32_t kBuffered = 1 << 10;
    VertexId buffer[kBuffered];
    std::uint32_t buffered = 0;
    std::uint64_t next = 0;  // of its share of the frontier
  };

  // Whether each edge may well hit, and nobody can say which: as in road networks. Without a branch small frontiers
  // take 0.7 of the time then. On grids, where hits can be foreseen, it would be 2.6 times as long.
  bool are_hits_unforeseeable() const {
    return state_.csr().num_edges / kMostEdgesPerHit <= state_.num_vertices() &&
           has_uneven_rows(state_.num_vertices(), [&](std::uint64_t v) { return state_.offset(v); });
  }

  void choose_direction() {
    if (!pulls_) {
      if (edges_ <= unexplored_ / kPullShare || edges_ <= kMostEdgesPushedAlone || !pull_pays() ||
          !pull_.find_in_edges())
        return;
      pulls_ = true;
      pull_.begin(frontier_.get(), size_);
    } else if (size_ < last_size_ && size_ <= state_.num_vertices() / kPushVertices) {
      pulls_ = false;
      list_frontier();
    }
    last_size_ = size_;
  }
  // Whether a pull would look at fewer edges than a push, by a sample of the vertices: in web crawls and road networks
  // most of those that are not settled have no neighbour in the frontier yet. In a symmetric graph their settled
  // neighbours are just that, and rows are what a pull would walk; for others it is a guess.
  bool pull_pays() const {
    const std::uint64_t n = state_.num_vertices(), stride = n / kSampledVertices + 1;
    EdgeCount looked_at = 0;
    for (std::uint64_t v = stride / 2; v < n; v += stride) {
      if (Traits::is_source(state_.property[v])) continue;
      const EdgeCount first = state_.offset(v), last = std::min(state_.offset(v + 1), first + kMostEdgesSampled);
      EdgeCount e = first;
      while (e < last && !Traits::is_source(state_.property[state_.csr().targets[e]])) ++e;
      looked_at += std::min(e + 1, last) - first;
    }
    return looked_at * stride + n <= edges_ / 2;
  }
  void add(VertexId v, Part& part) {
    __builtin_prefetch(static_cast<const char*>(state_.csr().offsets) + std::size_t(v) * state_.csr().offset_bytes);
    part.buffer[part.buffered++] = v;
    if (part.buffered == Part::kBuffered) flush(part);
  }
  void flush(Part& part) {
    const std::uint64_t at = __atomic_fetch_add(&end_, part.buffered, __ATOMIC_RELAXED);
    std::copy_n(part.buffer, part.buffered, next_.get() + at);
    part.edges += state_.csr().offset_bytes == 8 ? count_edges<std::uint64_t>(part.buffer, part.buffered)
                                                 : count_edges<std::uint32_t>(part.buffer, part.buffered);
    part.size += part.buffered;
    part.buffered = 0;
  }
  template <class Offset>
  EdgeCount count_edges(const VertexId* vertices, std::uint64_t size) const {
    const Offset* offsets = static_cast<const Offset*>(state_.csr().offsets);
    EdgeCount edges = 0;
    for (std::uint64_t i = 0; i < size; ++i) edges += offsets[std::size_t(vertices[i]) + 1] - offsets[vertices[i]];
    return edges;
  }
  // The list that the workers have added to becomes the frontier.
  void take_list() {
    for (Part& part : parts_) flush(part);
    end_ = 0;
    std::swap(frontier_, next_);
  }

  void list_frontier() {
    for (Part& part : parts_) part.clear();
    pull_.list([&](VertexId v, int worker) { add(v, parts_[worker]); });
    take_list();
    edges_ = 0;
    for (const Part& part : parts_) edges_ += part.edges;
  }

  void push(const Arg& arg) {
    const bool alone = state_.workers.size() == 1 || edges_ <= kMostEdgesPushedAlone;
    if (state_.csr().offset_bytes == 8) {
      alone ? push<false, std::uint64_t>(arg) : push<true, std::uint64_t>(arg);
    } else {
      alone ? push<false, std::uint32_t>(arg) : push<true, std::uint32_t>(arg);
    }
    take_list();
  }
  template <bool shared, class Offset>
  void push(const Arg& arg) {
    Workers& workers = state_.workers;
    const std::uint64_t num_workers = workers.size();
    if (!shared) {
      const std::uint64_t grain = num_workers == 1 ? kVertexGrain : size_;
      const bool blindly = hits_are_unforeseeable_ && edges_ <= kMostEdgesPushedAlone;
      workers.each(size_, grain, [&](std::uint64_t first, std::uint64_t last, int worker) {
        if (blindly) {
          scatter_blindly<Offset>(first, last, parts_[worker], arg);
        } else {
          scatter_alone<Offset>(first, last, parts_[worker], arg);
        }
      });
      return;
    }
    // What a worker has found lies together in the list: it goes on there, where its cache has the surroundings, and
    // then helps the others.
    for (std::uint64_t w = 0; w < num_workers; ++w) parts_[w].next = size_ * w / num_workers;
    workers.each(num_workers, 1, [&](std::uint64_t, std::uint64_t, int worker) {
      for (std::uint64_t i = 0; i < num_workers; ++i) {
        const std::uint64_t share = (worker + i) % num_workers, end = size_ * (share + 1) / num_workers;
        for (;;) {
          const std::uint64_t first = __atomic_fetch_add(&parts_[share].next, kPushGrain, __ATOMIC_RELAXED);
          if (first >= end || workers.poll(worker)) break;
          scatter_shared<Offset>(first, std::min(first + kPushGrain, end), parts_[worker], arg);
        }
      }
    });
  }
  // Along the edges of the frontier's vertices [first, last), while no other thread does.
  template <class Offset>
  void scatter_alone(std::uint64_t first, std::uint64_t last, Part& part, const Arg& arg) {
    const abi::Csr& csr = state_.csr();
    const Offset* offsets = static_cast<const Offset*>(csr.offsets);
    const VertexId *targets = csr.targets, *frontier = frontier_.get();
    const Weights<EdgeProperty> weights{static_cast<const EdgeProperty*>(csr.weights)};
    Property* property = state_.property.get();
    VertexId *const found = next_.get() + end_, *next = found;
    Extra sums[Traits::kExtraSlots] = {};
    for (std::uint64_t i = first; i < last; ++i) {
      if (i + kPrefetchDistance < size_) __builtin_prefetch(targets + offsets[frontier[i + kPrefetchDistance]]);
      const VertexId v = frontier[i];
      const Property source = Hooks::preprocessProperty(property[v]);
      const Offset end = offsets[std::size_t(v) + 1];
      for (Offset e = offsets[v]; e < end; ++e) {
        const VertexId u = targets[e];
        const Property before = property[u];
        if (Traits::is_source(before)) continue;
        const Update update = Hooks::scatterFunc(source, weights[e]);
        if (!Traits::is_active(update)) continue;
        typename Traits::Aux aux[Traits::kAuxSlots];
        read_aux(state_.program, u, Traits::kAux > 0 ? state_.degree(u) : 0, aux);
        Extra extra[Traits::kExtraSlots] = {};
        const Property after = Traits::apply(Hooks::gatherFunc(Traits::identity(), update), before, aux, extra, arg);
        if (after == before) continue;
        property[u] = after;
        for (int k = 0; k < Traits::kExtraSlots; ++k) sums[k] += extra[k];
        if (Traits::is_source(after)) *next++ = u;
      }
    }
    for (int k = 0; k < Traits::kExtraSlots; ++k) part.extra[k] += sums[k];
    part.edges += count_edges<Offset>(found, next - found);
    part.size += next - found;
    end_ += next - found;
  }
  // The same beside other threads.
  template <class Offset>
  void scatter_shared(std::uint64_t first, std::uint64_t last, Part& part, const Arg& arg) {
    const abi::Csr& csr = state_.csr();
    const Offset* offsets = static_cast<const Offset*>(csr.offsets);
    const VertexId *targets = csr.targets, *frontier = frontier_.get();
    const Weights<EdgeProperty> weights{static_cast<const EdgeProperty*>(csr.weights)};
    const Property* property = state_.property.get();
    for (std::uint64_t i = first; i < last; ++i) {
      if (i + kPrefetchDistance < size_) __builtin_prefetch(targets + offsets[frontier[i + kPrefetchDistance]]);
      const VertexId v = frontier[i];
      const Property source = Hooks::preprocessProperty(property[v]);  // settled: nobody writes it
      const Offset end = offsets[std::size_t(v) + 1];
      for (Offset e = offsets[v]; e < end; ++e) {
        const VertexId u = targets[e];
        Property before;
        __atomic_load(&property[u], &before, __ATOMIC_RELAXED);
        if (Traits::is_source(before)) continue;
        const Update update = Hooks::scatterFunc(source, weights[e]);
        if (Traits::is_active(update) && settles(u, before, update, part, arg)) add(u, part);
      }
    }
  }
  // Alone, and without a branch on who is settled: every edge writes its destination, most of them what was there. It
  // adds to the part's buffer and not to the list, for there GCC 12 makes a branch of it again.
  template <class Offset>
  void scatter_blindly(std::uint64_t first, std::uint64_t last, Part& part, const Arg& arg) {
    const abi::Csr& csr = state_.csr();
    const Offset* offsets = static_cast<const Offset*>(csr.offsets);
    const VertexId *targets = csr.targets, *frontier = frontier_.get();
    const Weights<EdgeProperty> weights{static_cast<const EdgeProperty*>(csr.weights)};
    Property* property = state_.property.get();
    Extra sums[Traits::kExtraSlots] = {};
    for (std::uint64_t i = first; i < last; ++i) {
      if (i + kPrefetchDistance < size_) __builtin_prefetch(targets + offsets[frontier[i + kPrefetchDistance]]);
      const VertexId v = frontier[i];
      const Property source = Hooks::preprocessProperty(property[v]);
      const Offset end = offsets[std::size_t(v) + 1];
      for (Offset e = offsets[v]; e < end; ++e) {
        const VertexId u = targets[e];
        const Update sent = Hooks::scatterFunc(source, weights[e]);
        const Update update = Traits::is_active(sent) ? sent : Traits::identity();
        const Property before = property[u];
        const typename Traits::Aux aux[Traits::kAuxSlots] = {};
        Extra extra[Traits::kExtraSlots] = {};
        const Property after = Traits::apply(Hooks::gatherFunc(Traits::identity(), update), before, aux, extra, arg);
        const bool is_hit = !Traits::is_source(before) & !(after == before);
        property[u] = is_hit ? after : before;
        for (int k = 0; k < Traits::kExtraSlots; ++k) sums[k] += is_hit ? extra[k] : Extra{};
        part.buffer[part.buffered] = u;
        part.buffered += is_hit & Traits::is_source(after);
        if (part.buffered == Part::kBuffered) flush(part);
      }
    }
    for (int k = 0; k < Traits::kExtraSlots; ++k) part.extra[k] += sums[k];
  }
  // Whether the destination is settled by this update.
  bool settles(VertexId destination, Property before, const Update& update, Part& part, const Arg& arg) {
    typename Traits::Aux aux[Traits::kAuxSlots];
    read_aux(state_.program, destination, Traits::kAux > 0 ? state_.degree(destination) : 0, aux);
    while (!Traits::is_source(before)) {
      Extra extra[Traits::kExtraSlots] = {};
      Property after = Traits::apply(Hooks::gatherFunc(Traits::identity(), update), before, aux, extra, arg);
      if (after == before) return false;
      if (!__atomic_compare_exchange(&state_.property[destination], &before, &after, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED)) {
        continue;
      }
      for (int k = 0; k < Traits::kExtraSlots; ++k) part.extra[k] += extra[k];
      return Traits::is_source(after);
    }
    return false;
  }

  State<Program>& state_;
  // While pushing. On small pages: of most frontiers little is ever touched.
  std::unique_ptr<VertexId[]> frontier_, next_;
  std::uint64_t end_ = 0;  // of `next_`
  std::vector<Part> parts_;
  EdgeCount size_, edges_;  // of the frontier; edges only while pushing
  EdgeCount last_size_ = 0;
  const bool hits_are_unforeseeable_;
  EdgeCount unexplored_;  // edges that no push has walked
  bool pulls_ = false;
  FirstHitPull<Program> pull_;
};

}  // namespace engine
}  // namespace gaspipe
