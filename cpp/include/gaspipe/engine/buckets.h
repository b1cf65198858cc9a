// SPDX-License-Identifier: Apache-2.0
// Super-steps of programs that declare priority(property) and kIdempotent: vertices wait in buckets of `width` of
// priority, and the lowest bucket goes first, for work done too early would be done again. Updates are applied where
// they land; vertices that fall into the bucket at work are sent in the same super-step while they are few.
// Method: U. Meyer, P. Sanders, "Delta-stepping", J. Algorithms 49, 2003, doi:10.1016/S0196-6774(03)00076-2, without
// its split of light and heavy edges; Y. Zhang et al., "Optimizing Ordered Graph Algorithms with GraphIt", CGO 2020,
// doi:10.1145/3368826.3377909 (bucket fusion).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "gaspipe/engine/bucket_width.h"
#include "gaspipe/engine/fetch_rows.h"
#include "gaspipe/engine/rows.h"
#include "gaspipe/engine/shares.h"
#include "gaspipe/engine/state.h"
#include "gaspipe/engine/vertex_map.h"

namespace gaspipe {
namespace engine {

// Buckets of few vertices are not worth their barriers, and little work is done too early in them: the width doubles
// while they are, to at most 16 times the first, and halves again when they are not. Grid and road network: 0.85 and
// 0.75 of the time.
constexpr double kMostTimesWider = 16;
constexpr std::uint64_t kFewVertices = 1 << 9, kManyVertices = 1 << 13;  // sent per step and worker
constexpr std::uint64_t kStepsPerWidth = 32;

constexpr std::uint64_t kMostVerticesPushedAlone = 1 << 7;  // below, waking the threads gains nothing
constexpr std::uint64_t kMostVerticesFused = 1 << 9;        // of the bucket at work, sent on without a barrier
constexpr std::uint64_t kVerticesPerShare = 64;
constexpr EdgeCount kLongRow = 64, kEdgesAhead = 16;  // of a long row, their destinations are fetched

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
        per_narrowest_(1 / bucket_width<Program>(state.csr())),
        per_width_(per_narrowest_),
        parts_(state.workers.size()) {
    for (const VertexId v : state.frontier) parts_[0].far.push_back({v, state.property[v]});
    if (is_domain()) {
      has_changed_ = make_block<std::uint8_t>(state.num_vertices());
      vertex_map(state.workers, state.num_vertices(), [&](VertexId v, int) { has_changed_[v] = 0; });
    } else {
      take_lowest();
    }
  }

  bool empty() const { return num_taken_ == 0; }

  // Of a domain, for the exchange after a super-step: the priority of the lowest bucket, infinity where nothing waits.
  double lowest_waiting() {
    while (find_lowest()) {
      bool is_found = false;
      for (Part& part : parts_) {
        std::vector<Waiting>& waiting = part.near[at_];
        drop_stale(waiting);
        is_found |= !waiting.empty();
      }
      if (!is_found) continue;
      const double middle = (static_cast<double>(bucket_at_work()) + 0.5) / per_width_;
      return own_lowest_ = std::min(middle, std::numeric_limits<double>::max());
    }
    return own_lowest_ = std::numeric_limits<double>::infinity();
  }
  // After it: ghosts that have changed, which wait as well.
  void join_arrived(const abi::Exchange& what) {
    lowest_of_all_ = what.lowest_waiting;
    for (std::uint64_t i = 0; i < what.num_arrived; ++i) {
      const VertexId ghost = what.arrived[i];
      insert(ghost, state_.property[ghost], parts_[0]);
    }
  }

  abi::Superstep operator()(int step) {
    const Arg arg = read_arg(state_.program, step, state_.extras.total());
    Stopwatch watch;
    if (is_domain()) {
      begin_in_domain();
      for (take_lowest(); num_taken_ > 0 && !state_.workers.cancelled(); take_lowest()) send_taken(arg);
    } else {
      send_taken(arg);
    }
    abi::Superstep stats{abi::kPushStep, 0, 0, {}};
    state_.extras.start(parts_.size());
    for (std::size_t w = 0; w < parts_.size(); ++w) {
      Part& part = parts_[w];
      stats.active_vertices += part.size;
      stats.edges += part.edges;
      for (int k = 0; k < Traits::kExtraSlots; ++k) state_.extras.set(w, k, part.extra[k]);
      part.clear_counts();
    }
    state_.extras.finish();
    adapt_width(stats.active_vertices);
    if (is_domain()) {
      end_in_domain();
    } else {
      take_lowest();
    }
    stats.seconds[abi::kScatterGather] = watch.lap();
    return stats;
  }

 private:
  using Key = std::int64_t;
  static constexpr std::size_t kNear = 256;  // buckets with a list of their own; what lies beyond is sorted in later

  // A vertex that waits, and the property with which it is to be sent. Once it has another, it waits with that as well,
  // and this is stale. So nothing has to be marked per vertex: marks that threads exchange took a quarter of the time
  // on a road network.
  struct Waiting {
    VertexId vertex;
    Property property;
  };
  // A worker's share of the buckets, and what it did in a super-step.
  struct alignas(64) Part {
    std::vector<Waiting> near[kNear];  // bucket base_ + i
    std::vector<Waiting> far;
    std::vector<Waiting> taken;     // of the bucket at work
    Share share;                    // of `taken`
    std::vector<Waiting> sent;      // spare memory
    std::vector<VertexId> changed;  // of a domain, in this super-step
    bool is_behind = false;         // near buckets before the one at work have entries
    bool is_below = false;          // those far away include some below base_
    EdgeCount size = 0, edges = 0;
    Extra extra[Traits::kExtraSlots] = {};

    void clear_counts() {
      size = edges = 0;
      std::fill_n(extra, Traits::kExtraSlots, Extra{});
    }
  };

  Key bucket_of(const Property& property) const {
    return key(static_cast<double>(Hooks::priority(property)) * per_width_);
  }
  static constexpr double kHighest = 9e18;
  static Key key(double bucket) {  // NaN goes last
    if (!(bucket < kHighest)) return static_cast<Key>(kHighest);
    return bucket > -kHighest ? static_cast<Key>(bucket) : static_cast<Key>(-kHighest);
  }
  Property load(VertexId v) const {
    Property property;
    __atomic_load(&state_.property[v], &property, __ATOMIC_RELAXED);
    return property;
  }
  bool is_stale(const Waiting& waiting) const {
    const Property property = load(waiting.vertex);
    return std::memcmp(&property, &waiting.property, sizeof property) != 0;
  }
  void drop_stale(std::vector<Waiting>& waiting) {
    const auto stale = [&](const Waiting& entry) { return is_stale(entry); };
    waiting.erase(std::remove_if(waiting.begin(), waiting.end(), stale), waiting.end());
  }
  Key bucket_at_work() const { return base_ + static_cast<Key>(at_); }
  bool is_near(Key bucket) const {
    return static_cast<std::uint64_t>(bucket) - static_cast<std::uint64_t>(base_) < kNear;
  }

  void insert(VertexId v, const Property& property, Part& part) {
    const Key bucket = bucket_of(property);
    if (is_near(bucket)) {
      const auto i = static_cast<std::size_t>(bucket - base_);
      part.near[i].push_back({v, property});
      part.is_behind |= i < at_;
    } else {
      part.far.push_back({v, property});
      part.is_below |= bucket < base_;
    }
  }

  template <bool shared>
  void send(const Waiting* waiting, std::size_t size, Part& part, const Arg& arg) {
    const auto rows = state_.rows;
    const auto fetch = fetch_rows<Traits::kReadsEdgeProperty>(
        rows, state_.property.get(), size, [=](std::size_t i) { return waiting[i].vertex; },
        [&](std::size_t i) { return !is_stale(waiting[i]); });
    fetch.begin();
    for (std::size_t i = 0; i < size; ++i) {
      fetch.at(i);
      if (!is_stale(waiting[i])) scatter<shared>(waiting[i], part, arg);
    }
  }
  template <bool shared>
  void send_what_fell_in(Part& part, const Arg& arg, int worker) {
    std::vector<Waiting>& fallen = part.near[at_];
    while (!fallen.empty() && fallen.size() <= kMostVerticesFused && !state_.workers.poll(worker)) {
      part.sent.swap(fallen);
      fallen.clear();
      send<shared>(part.sent.data(), part.sent.size(), part, arg);
    }
  }

  void send_taken(const Arg& arg) {
    Workers& workers = state_.workers;
    if (num_taken_ == 0) {
      // Nothing waits; the program may still want another look at its sums.
    } else if (workers.size() == 1 || num_taken_ <= kMostVerticesPushedAlone) {
      for (const Part& from : parts_) {
        for (std::uint64_t i = 0; i < from.taken.size() && !workers.poll(0); i += kVertexGrain) {
          send<false>(from.taken.data() + i, std::min(kVertexGrain, from.taken.size() - i), parts_[0], arg);
        }
      }
      send_what_fell_in<false>(parts_[0], arg, 0);
    } else {
      // A part belongs to one chunk here, whichever worker takes it.
      workers.each(parts_.size(), 1, [&](std::uint64_t own, std::uint64_t, int worker) {
        for (std::size_t i = 0; i < parts_.size(); ++i) {
          Part& from = parts_[(own + i) % parts_.size()];
          from.share.take(workers, worker, kVerticesPerShare, [&](std::uint64_t first, std::uint64_t last) {
            send<true>(from.taken.data() + first, last - first, parts_[own], arg);
          });
        }
        send_what_fell_in<true>(parts_[own], arg, worker);
      });
    }
  }

  bool is_domain() const { return state_.run.domain != nullptr; }
  // Domains have buckets of their own, and a super-step takes all up to the lowest that waited in any of them after the
  // last one, with what has arrived since. To let that count as well would leave less to be done again, but take half
  // as many super-steps more.
  void begin_in_domain() {
    const bool is_any_left = std::isfinite(lowest_of_all_);
    highest_at_work_ = is_any_left ? key(lowest_of_all_ * per_width_) : std::numeric_limits<Key>::min();
    // Rounding must not keep the lowest from being taken; and where none is left, there is what has arrived.
    const bool is_lowest = own_lowest_ <= lowest_of_all_;
    if (is_lowest && find_lowest()) highest_at_work_ = std::max(highest_at_work_, bucket_at_work());
  }
  // The frontier has what others are to be told.
  void end_in_domain() {
    state_.frontier.clear();
    for (Part& part : parts_) {
      for (const VertexId v : part.changed) has_changed_[v] = 0;
      state_.frontier.append(part.changed.data(), part.changed.size());
      part.changed.clear();
    }
  }

  template <bool shared>
  void scatter(const Waiting& sent, Part& part, const Arg& arg) {
    // In registers: no store of the loop can change where these are.
    const auto rows = state_.rows;
    Property* const property = state_.property.get();
    const VertexId v = sent.vertex;
    const Property source = Hooks::preprocessProperty(sent.property);
    const auto row = rows[v];
    part.size += v < state_.num_own();
    part.edges += row.size();
    const EdgeCount reached = row.size() < kLongRow ? 0 : row.last_edge() - kEdgesAhead;
    for (const auto edge : row) {
      if (edge.index() < reached) {
        __builtin_prefetch(property + rows.edge(edge.index() + kEdgesAhead).neighbor());
        rows.template fetch_ahead<Traits::kReadsEdgeProperty>(edge.index());
      }
      const VertexId u = edge.neighbor();
      const Update update = Hooks::scatterFunc(source, edge.weight());
      if (Traits::kFilters && !Traits::is_active(update)) continue;
      land<shared>(u, property + u, Hooks::gatherFunc(Traits::identity(), update), part, arg);
    }
  }
  template <bool shared>
  void land(VertexId v, Property* property, const Update& gathered, Part& part, const Arg& arg) {
    Property before;
    __atomic_load(property, &before, __ATOMIC_RELAXED);
    typename Traits::Aux aux[Traits::kAuxSlots];
    read_aux(state_.program, Traits::kAux > 0 ? state_.id(v) : v, Traits::kAux > 0 ? state_.out_degree(v) : 0, aux);
    for (;;) {
      if (Traits::kSettles && Traits::is_source(before)) return;
      Extra extra[Traits::kExtraSlots] = {};
      Property after = Traits::apply(gathered, before, aux, extra, arg);
      if (after == before) return;
      if constexpr (shared) {
        if (!__atomic_compare_exchange(property, &before, &after, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) continue;
      } else {
        *property = after;
      }
      for (int k = 0; k < Traits::kExtraSlots; ++k) part.extra[k] += extra[k];
      if (has_changed_ && __atomic_exchange_n(&has_changed_[v], 1, __ATOMIC_RELAXED) == 0) part.changed.push_back(v);
      insert(v, after, part);
      return;
    }
  }

  void adapt_width(std::uint64_t num_sent) {
    num_sent_ += num_sent;
    if (++num_steps_ < kStepsPerWidth) return;
    const std::uint64_t average = num_sent_ / (kStepsPerWidth * parts_.size());
    if (average < kFewVertices && per_width_ * kMostTimesWider > per_narrowest_) {
      set_width(0.5);
    } else if (average > kManyVertices && per_width_ < per_narrowest_) {
      set_width(2);
    }
    num_sent_ = num_steps_ = 0;
  }
  // All waiting vertices are sorted in again.
  void set_width(double factor) {
    per_width_ *= factor;
    clear_window();
  }
  void clear_window() {
    for (Part& part : parts_) {
      for (std::vector<Waiting>& bucket : part.near) {
        part.far.insert(part.far.end(), bucket.begin(), bucket.end());
        bucket.clear();
      }
      part.is_behind = false;
    }
    at_ = kNear;
  }

  // Takes the vertices of the lowest bucket; there are none only if nothing waits or, in a domain, nothing low enough.
  void take_lowest() {
    num_taken_ = 0;
    for (Part& part : parts_) part.taken.clear();
    if (!find_lowest() || bucket_at_work() > highest_at_work_) return;
    for (Part& part : parts_) {
      part.taken.swap(part.near[at_]);
      part.share = {0, part.taken.size()};
      num_taken_ += part.taken.size();
    }
  }
  // Goes to the lowest bucket with entries; false where there is none.
  bool find_lowest() {
    bool is_below = false;
    for (Part& part : parts_) is_below |= std::exchange(part.is_below, false);
    if (is_below) clear_window();
    for (Part& part : parts_) {
      if (std::exchange(part.is_behind, false)) at_ = 0;
    }
    for (;;) {
      for (; at_ < kNear; ++at_) {
        for (const Part& part : parts_) {
          if (!part.near[at_].empty()) return true;
        }
      }
      if (!sort_in_far()) return false;
    }
  }
  // Moves the window of near buckets, which are empty, on to the lowest that waits; false where none does.
  bool sort_in_far() {
    Key lowest = std::numeric_limits<Key>::max();
    bool found = false;
    for (Part& part : parts_) {
      drop_stale(part.far);
      for (const Waiting& waiting : part.far) lowest = std::min(lowest, bucket_of(waiting.property));
      found |= !part.far.empty();
    }
    if (!found) return false;
    base_ = lowest;
    at_ = 0;
    for (Part& part : parts_) {
      part.sent.swap(part.far);
      part.far.clear();
      for (const Waiting& waiting : part.sent) insert(waiting.vertex, waiting.property, part);
    }
    return true;
  }

  State<Program>& state_;
  const double per_narrowest_;
  double per_width_;
  std::uint64_t num_sent_ = 0, num_steps_ = 0;  // since the width was last looked at
  std::vector<Part> parts_;
  std::uint64_t num_taken_ = 0;
  Key base_ = std::numeric_limits<Key>::min();  // bucket of near[0]
  std::size_t at_ = kNear;                      // the bucket at work, from base_ on
  // Of a domain.
  Block<std::uint8_t> has_changed_;                                                            // in this super-step
  double own_lowest_ = std::numeric_limits<double>::infinity(), lowest_of_all_ = own_lowest_;  // that waited
  Key highest_at_work_ = std::numeric_limits<Key>::max();
};

}  // namespace engine
}  // namespace gaspipe
