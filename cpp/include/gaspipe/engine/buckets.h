// SPDX-License-Identifier: Apache-2.0
// Super-steps of programs that declare priority(property) and kIdempotent: vertices wait in buckets of `width` of
// priority, and the lowest bucket goes first, for work done too early would be done again. Updates are applied where
// they land; vertices that fall into the bucket at work are sent in the same super-step while they are few.
// Method: U. Meyer, P. Sanders, "Delta-stepping", J. Algorithms 49, 2003, doi:10.1016/S0196-6774(03)00076-2, without
// its split of light and heavy edges; Y. Zhang et al., "Optimizing Ordered Graph Algorithms with GraphIt", CGO 2020,
// doi:10.1145/3368826.3377909 (bucket fusion).
#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include "gaspipe/engine/state.h"

namespace gaspipe {
namespace engine {

// Width in mean weights per mean degree: the theory's choice up to a factor. CPU time of SSSP on Kronecker 18 and 20, a
// uniform graph and a grid, EPYC: 0.25 to 2 tie; on Kronecker 20, 4 takes 1.2 and 8 takes 1.8 times as long.
constexpr double kBucketWidth = 2;
constexpr EdgeCount kSampledEdges = 1024;
constexpr std::uint64_t kMostVerticesPushedAlone = 1 << 9;  // below, waking the threads gains nothing

template <class Program>
class BucketStep {
  using Hooks = typename Program::Hooks;
  using Traits = gaspipe::Traits<Hooks>;
  using Property = typename Traits::Property;
  using EdgeProperty = typename Traits::EdgeProperty;
  using Update = typename Traits::Update;
  using Extra = typename Traits::Extra;
  using Arg = typename Traits::Arg;

 public:
  // Begins with the frontier of `state`.
  explicit BucketStep(State<Program>& state)
      : state_(state),
        per_width_(1 / choose_width()),
        waits_(make_block<std::uint8_t>(state.num_vertices())),
        parts_(state.workers.size()) {
    state.workers.each(state.num_vertices(), kVertexGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      std::fill(waits_.get() + first, waits_.get() + last, std::uint8_t(0));
    });
    for (const VertexId v : state.frontier.vertices) {
      waits_[v] = 1;
      parts_[0].far.push_back(v);
    }
    take_lowest();
  }

  bool empty() const { return frontier_.empty(); }

  abi::Superstep operator()(int step) {
    const Arg arg = read_arg(state_.program, step, state_.extras.total());
    Stopwatch watch;
    Workers& workers = state_.workers;
    for (Part& part : parts_) part.clear();
    if (workers.size() == 1 || frontier_.size() <= kMostVerticesPushedAlone) {
      Part& part = parts_[0];
      send<false>(frontier_.data(), frontier_.size(), part, arg);
      send_what_fell_in<false>(part, arg, 0);
    } else {
      workers.each(frontier_.size(), 64, [&](std::uint64_t first, std::uint64_t last, int worker) {
        send<true>(frontier_.data() + first, last - first, parts_[worker], arg);
      });
      // A part belongs to one chunk here, whichever worker takes it.
      workers.each(parts_.size(), 1, [&](std::uint64_t i, std::uint64_t, int worker) {
        send_what_fell_in<true>(parts_[i], arg, worker);
      });
    }
    abi::Superstep stats{abi::kPushStep, 0, 0, 0, 0};
    state_.extras.start(parts_.size());
    for (std::size_t w = 0; w < parts_.size(); ++w) {
      const Part& part = parts_[w];
      stats.active_vertices += part.size;
      stats.edges += part.edges;
      for (int k = 0; k < Traits::kExtraSlots; ++k) state_.extras.set(w, k, part.extra[k]);
    }
    state_.extras.finish();
    take_lowest();
    stats.scatter_gather_seconds = watch.lap();
    return stats;
  }

 private:
  using Key = std::int64_t;
  static constexpr std::size_t kNear = 256;  // buckets with a list of their own; what lies beyond is sorted in later

  // A worker's share of the buckets, and what it did in a super-step. Entries may be out of date, or there twice.
  struct alignas(64) Part {
    std::vector<VertexId> near[kNear];  // bucket base_ + i
    std::vector<VertexId> far;
    std::vector<VertexId> sent;  // spare memory
    EdgeCount size, edges;
    Extra extra[Traits::kExtraSlots];

    void clear() {
      size = edges = 0;
      std::fill_n(extra, Traits::kExtraSlots, Extra{});
    }
  };

  Key bucket_of(const Property& property) const {
    const double bucket = static_cast<double>(Hooks::priority(property)) * per_width_;
    return static_cast<Key>(std::min(std::max(bucket, -9e18), 9e18));
  }
  Property load(VertexId v) const {
    Property property;
    __atomic_load(&state_.property[v], &property, __ATOMIC_RELAXED);
    return property;
  }

  // A property that has fallen below the bucket at work goes with it.
  void insert(VertexId v, Key bucket, Part& part) {
    const Key lowest = base_ + static_cast<Key>(at_);
    if (bucket < lowest) bucket = lowest;
    if (static_cast<std::uint64_t>(bucket) - static_cast<std::uint64_t>(base_) < kNear) {
      part.near[bucket - base_].push_back(v);
    } else {
      part.far.push_back(v);
    }
  }

  template <bool shared>
  void send(const VertexId* vertices, std::size_t size, Part& part, const Arg& arg) {
    const abi::Csr& csr = state_.csr();
    const auto* weights = static_cast<const EdgeProperty*>(csr.weights);
    constexpr std::size_t kAhead = 8;
    for (std::size_t i = 0; i < size; ++i) {
      if (i + kAhead < size) {
        const EdgeCount e = state_.offset(vertices[i + kAhead]);
        __builtin_prefetch(csr.targets + e);
        if (Traits::kReadsEdgeProperty && weights != nullptr) __builtin_prefetch(weights + e);
      }
      const VertexId v = vertices[i];
      if constexpr (shared) {
        if (__atomic_exchange_n(&waits_[v], std::uint8_t(0), __ATOMIC_ACQ_REL) == 0) continue;
      } else {
        if (waits_[v] == 0) continue;
        waits_[v] = 0;
      }
      scatter<shared>(v, part, arg);
    }
  }
  template <bool shared>
  void send_what_fell_in(Part& part, const Arg& arg, int worker) {
    std::vector<VertexId>& fallen = part.near[at_];
    while (!fallen.empty() && fallen.size() <= kMostVerticesPushedAlone && !state_.workers.poll(worker)) {
      part.sent.swap(fallen);
      fallen.clear();
      send<shared>(part.sent.data(), part.sent.size(), part, arg);
    }
  }

  template <bool shared>
  void scatter(VertexId v, Part& part, const Arg& arg) {
    const abi::Csr& csr = state_.csr();
    const Weights<EdgeProperty> weights{static_cast<const EdgeProperty*>(csr.weights)};
    const Property source = Hooks::preprocessProperty(load(v));
    const EdgeCount first = state_.offset(v), last = state_.offset(std::uint64_t(v) + 1);
    ++part.size;
    part.edges += last - first;
    for (EdgeCount e = first; e < last; ++e) {
      const Update update = Hooks::scatterFunc(source, weights[e]);
      if (Traits::kFilters && !Traits::is_active(update)) continue;
      land<shared>(csr.targets[e], Hooks::gatherFunc(Traits::identity(), update), part, arg);
    }
  }
  template <bool shared>
  void land(VertexId v, const Update& gathered, Part& part, const Arg& arg) {
    Property before = load(v);
    typename Traits::Aux aux[Traits::kAuxSlots];
    read_aux(state_.program, v, Traits::kAux > 0 ? state_.degree(v) : 0, aux);
    for (;;) {
      if (Traits::kSettles && Traits::is_source(before)) return;
      Extra extra[Traits::kExtraSlots] = {};
      Property after = Traits::apply(gathered, before, aux, extra, arg);
      if (after == before) return;
      if constexpr (shared) {
        if (!__atomic_compare_exchange(&state_.property[v], &before, &after, false, __ATOMIC_RELEASE,
                                       __ATOMIC_RELAXED)) {
          continue;
        }
      } else {
        state_.property[v] = after;
      }
      for (int k = 0; k < Traits::kExtraSlots; ++k) part.extra[k] += extra[k];
      std::uint8_t waited;
      if constexpr (shared) {
        waited = __atomic_exchange_n(&waits_[v], std::uint8_t(1), __ATOMIC_ACQ_REL);
      } else {
        waited = std::exchange(waits_[v], std::uint8_t(1));
      }
      const Key bucket = bucket_of(after);
      if (waited == 0 || bucket != bucket_of(before)) insert(v, bucket, part);
      return;
    }
  }

  // Makes the vertices of the lowest bucket the frontier; it is empty only if nothing waits.
  void take_lowest() {
    frontier_.clear();
    for (;;) {
      for (; at_ < kNear; ++at_) {
        for (Part& part : parts_) {
          frontier_.insert(frontier_.end(), part.near[at_].begin(), part.near[at_].end());
          part.near[at_].clear();
        }
        if (!frontier_.empty()) return;
      }
      if (!sort_in_far()) return;
    }
  }
  // Moves the window of near buckets on to the lowest that waits; false where none does.
  bool sort_in_far() {
    Key lowest = std::numeric_limits<Key>::max();
    bool found = false;
    for (Part& part : parts_) {
      const auto done = [&](VertexId v) { return waits_[v] == 0; };
      part.far.erase(std::remove_if(part.far.begin(), part.far.end(), done), part.far.end());
      for (const VertexId v : part.far) lowest = std::min(lowest, bucket_of(state_.property[v]));
      found |= !part.far.empty();
    }
    if (!found) return false;
    base_ = lowest;
    at_ = 0;
    for (Part& part : parts_) {
      part.sent.swap(part.far);
      part.far.clear();
      for (const VertexId v : part.sent) insert(v, bucket_of(state_.property[v]), part);
    }
    return true;
  }

  double choose_width() const {
    const abi::Csr& csr = state_.csr();
    if (!Traits::kReadsEdgeProperty || csr.weights == nullptr || csr.num_edges == 0) return 1;
    const auto* weights = static_cast<const EdgeProperty*>(csr.weights);
    const EdgeCount stride = (csr.num_edges + kSampledEdges - 1) / kSampledEdges;
    double sum = 0, count = 0;
    for (EdgeCount e = 0; e < csr.num_edges; e += stride) {
      const double weight = static_cast<double>(weights[e]);
      if (!std::isfinite(weight)) continue;
      sum += weight;
      ++count;
    }
    const double degree = static_cast<double>(csr.num_edges) / csr.num_vertices;
    const double width = kBucketWidth * sum / count / std::max(degree, 1.0);
    if (!(width > std::numeric_limits<double>::min())) return 1;  // all weights are 0, or none is finite
    return std::is_integral_v<EdgeProperty> ? std::max(width, 1.0)
                                            : std::min(width, std::numeric_limits<double>::max());
  }

  State<Program>& state_;
  double per_width_;
  Block<std::uint8_t> waits_;  // per vertex, whether its property is still to be sent
  std::vector<Part> parts_;
  std::vector<VertexId> frontier_;
  Key base_ = std::numeric_limits<Key>::min();  // bucket of near[0]
  std::size_t at_ = kNear;                      // the bucket at work, from base_ on
};

}  // namespace engine
}  // namespace gaspipe
