// SPDX-License-Identifier: Apache-2.0
// A run on the CPU: the super-steps that loop.h drives. Which kind they are of follows from what the program declares:
//
//   kComponents                   component_step.h, once; over domains domain_component_step.h
//   priority, kIdempotent         buckets.h
//   kFinalOnceSet, kIdempotent    first_hit_step.h, which pushes or pulls
//   kIdempotent                   push_step.h while the frontier is small
//   none of these                 pull_step.h where properties are cheap to read at random, and where edges are walked
//                                 in reverse and no degrees are asked for
//
// and gas_step.h for all else, and for everything where method="gas".
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

#include "gaspipe/engine/buckets.h"
#include "gaspipe/engine/component_step.h"
#include "gaspipe/engine/domain_component_step.h"
#include "gaspipe/engine/first_hit_step.h"
#include "gaspipe/engine/gas_step.h"
#include "gaspipe/engine/pull_step.h"
#include "gaspipe/engine/push_step.h"
#include "gaspipe/engine/vertex_map.h"

namespace gaspipe {
namespace engine {

// A frontier is pushed while its edges are fewer than all edges / this, for streaming an edge is that much cheaper than
// visiting it at random.
constexpr EdgeCount kPushShare = 4;

// Per vertex, of a graph in domains. With more, an exchange for every bucket costs what buckets save: grids of 90,000
// and 360,000 vertices take a third and a fifth of the time with them, Kronecker 18 takes 1.07 times as long, in 50
// super-steps, not 15 (4 domains).
constexpr EdgeCount kMostEdgesInBuckets = 8;

constexpr EdgeCount kReadsOfCopy = 8;

template <class Program>
constexpr abi::Walk walk_of() {
  using Traits = gaspipe::Traits<typename Program::Hooks>;
  constexpr bool needs_degrees = AsksDegrees<Program>::value || (Traits::kAux > 0 && !HasAux<Program>::value);
  if (Traits::kComponents) return abi::kComponents;
  if (!Traits::kIdempotent && !needs_degrees && ViewOf<Program>::value == View::kReverse) return abi::kInEdges;
  return abi::kRows;
}

template <class Program>
class Engine {
  using Hooks = typename Program::Hooks;
  using Traits = gaspipe::Traits<Hooks>;
  using Property = typename Traits::Property;
  static constexpr abi::Walk kWalk = walk_of<Program>();
  static constexpr bool kBuckets = kWalk == abi::kRows && Traits::kIdempotent && Traits::kHasPriority;
  static constexpr bool kFirstHit = kWalk == abi::kRows && Traits::kIdempotent && Traits::kSettles && !kBuckets;
  static constexpr bool kPull = kWalk == abi::kInEdges || !Traits::kIdempotent;
  // Also what domains of many edges do in place of buckets. Updates wider than a machine word cannot be pushed: threads
  // change them at once.
  static constexpr bool kPush =
      kWalk == abi::kRows && Traits::kIdempotent && !kFirstHit && sizeof(typename Traits::Update) <= 8;
  static constexpr bool kComponents = kWalk == abi::kComponents;

 public:
  Engine(Program& program, const abi::Run& run, Workers& workers)
      : program_(program),
        workers_(workers),
        state_(program, run, workers),
        domain_(run.domain),
        plain_(run.method != abi::kAuto) {
    if (plain_) return;
    if (kFirstHit || has_buckets() || (kComponents && domain_ != nullptr))
      state_.frontier.list_up_to(Frontier::kAnyEdges);
    if (pushes()) state_.frontier.list_up_to((run.csr->num_edges + run.csr->num_vertices) / kPushShare + 1);
  }

  const typename Traits::Sum* sums() const { return state_.extras.total(); }
  // While vertices wait in buckets, a step that changed nothing ends nothing.
  bool is_complete() const { return domain_ != nullptr ? !some_wait_ : !buckets_ || buckets_->empty(); }

  abi::Superstep superstep(int step) {
    abi::Superstep stats = take_step(step);
    if (domain_ != nullptr) {
      stats.active_vertices = Traits::kIdempotent ? stats.active_vertices - num_active_ghosts_ : state_.num_own();
      meet_others();
    }
    return stats;
  }

  static constexpr bool kTakesSeries = kFirstHit;
  template <class Judge>
  int series(int step, abi::Superstep* taken, int most, const Judge& judge) {
    if (state_.run.in_series == 0 || domain_ != nullptr || !first_hit_step_) return 0;
    return first_hit_step_->series(step, taken, most, judge);
  }

  void start() {
    begin();
    if (state_.run.relabeling != nullptr) {
      const VertexId* const ids = state_.run.relabeling->ids;
      read_relabeled_aux(ids);
      return fill([&](VertexId v) { return program_.initial(ids[v]); }, [](VertexId) { return true; });
    }
    if constexpr (kWalk == abi::kInEdges && HasInitialValues<Program>::value) {
      const Property* initial = program_.initial_values();
      // Read often, properties are worth a copy on huge pages.
      const bool is_read_often = state_.csr().num_edges / kReadsOfCopy >= state_.num_vertices();
      if (!plain_ && domain_ == nullptr && initial != nullptr && !is_read_often) {
        state_.property = Block<Property>(const_cast<Property*>(initial), FreeBlock{true});
        state_.property_is_borrowed = true;
        state_.frontier.fill();
        return;
      }
    }
    const auto all = [](VertexId) { return true; };
    if (domain_ == nullptr) return fill([&](VertexId v) { return program_.initial(v); }, all);
    const VertexId* const ghost_ids = domain_->ghost_ids;
    fill([&](VertexId v) { return program_.initial(domain_id(*domain_, v)); }, all,
         [&](VertexId ghost) { return program_.initial(ghost_ids[ghost]); });  // as their owners do
    count_known_ghosts(*domain_, state_.property.get(), workers_);
  }
  void resume(const abi::Snapshot& snapshot) {
    begin();
    std::memcpy(state_.extras.total(), snapshot.sums, Traits::kExtras * sizeof(typename Traits::Sum));
    const auto* const properties = static_cast<const Property*>(snapshot.properties);
    const std::uint64_t* const active = snapshot.active;
    const auto may_be_active = [&](VertexId v) { return active == nullptr || (active[v / 64] >> v % 64 & 1) != 0; };
    fill([&](VertexId v) { return properties[v]; }, may_be_active);
    if (domain_ != nullptr) resume_ghosts(may_be_active);
  }
  void snapshot(abi::Snapshot* snapshot) {
    snapshot->sums = state_.extras.total();
    snapshot->properties = state_.property.get();
    const Frontier& frontier = state_.frontier;
    if (!Traits::kIdempotent || buckets_ || !(frontier.is_bitmap() || frontier.is_listed())) return;
    own_active_.assign((std::uint64_t(state_.num_own()) + 63) / 64, 0);
    const auto add = [&](VertexId v) {
      if (v < state_.num_own()) own_active_[v / 64] |= std::uint64_t(1) << v % 64;
    };
    if (frontier.is_bitmap()) {
      frontier.bits().each_in_words(0, own_active_.size(), add);
    } else {
      std::for_each(frontier.begin(), frontier.end(), add);
    }
    snapshot->active = own_active_.data();
  }

  void finish(typename Program::Value* values) {
    gas_step_.reset();  // their memory is not needed any more
    push_step_.reset();
    pull_step_.reset();
    first_hit_step_.reset();
    buckets_.reset();
    domain_component_step_.reset();
    if (state_.run.relabeling != nullptr) {
      const VertexId* const ids = state_.run.relabeling->ids;
      return vertex_map(workers_, state_.num_own(),
                        [&](VertexId v, int) { values[ids[v]] = value_of(program_, state_.property[v], ids[v]); });
    }
    if (!HasFinish<Program>::value && static_cast<const void*>(values) == state_.property.get()) return;
    vertex_map(workers_, state_.num_own(),
               [&](VertexId v, int) { values[v] = value_of(program_, state_.property[v], state_.id(v)); });
  }
  abi::Status read_properties(void* data) const {
    std::memcpy(data, state_.property.get(), state_.num_own() * sizeof(Property));
    return abi::kOk;
  }

 private:
  // What a program never uses is not even instantiated.
  struct Nothing {
    bool empty() const { return true; }
    double lowest_waiting() const { return 0; }
    void join_arrived(const abi::Exchange& /*what*/) const {}
  };
  template <bool used, class Step>
  using Used = std::optional<std::conditional_t<used, Step, Nothing>>;

  void begin() {
    state_.extras.clear();
    first_hit_step_.reset();
    buckets_.reset();
    domain_component_step_.reset();
  }
  bool has_frontier() const { return Traits::kIdempotent && has_rows(); }
  // Properties of own vertices, and the frontier of those that are sources and may be active; `property_of_ghost(i)`:
  // also of the i-th ghost, which may.
  template <class PropertyOf, class MayBeActive, class PropertyOfGhost = std::nullptr_t>
  void fill(const PropertyOf& property_of, const MayBeActive& may_be_active,
            const PropertyOfGhost& property_of_ghost = nullptr) {
    if (!state_.property) {
      const bool in_place = Traits::kIdempotent;
      state_.property = in_place ? state_.properties() : make_block<Property>(state_.num_vertices());
    }
    const bool has_frontier = this->has_frontier();
    state_.frontier.clear();
    num_active_ghosts_ = 0;
    const VertexId num_own = state_.num_own();
    vertex_map(workers_, num_own, [&](VertexId v, int worker) {
      const Property property = property_of(v);
      state_.property[v] = property;
      if (Traits::kIdempotent && has_frontier && Traits::is_source(property) && may_be_active(v)) {
        state_.frontier.add(v, worker);
      }
    });
    if constexpr (!std::is_null_pointer_v<PropertyOfGhost>) {
      vertex_map(workers_, state_.num_vertices() - num_own, [&](VertexId ghost, int worker) {
        const Property property = property_of_ghost(ghost);
        state_.property[num_own + ghost] = property;
        if (Traits::kIdempotent && has_frontier && Traits::is_source(property)) {
          state_.frontier.add(num_own + ghost, worker);
          __atomic_fetch_add(&num_active_ghosts_, 1, __ATOMIC_RELAXED);
        }
      });
    }
    if (has_frontier) {
      state_.frontier.collect();
    } else {
      state_.frontier.fill();
    }
  }

  // Inputs are the same in all steps.
  void read_relabeled_aux(const VertexId* ids) {
    if constexpr (Traits::kAux > 0 && HasAux<Program>::value) {
      if (state_.aux) return;
      const std::uint64_t n = state_.num_vertices();
      state_.aux = make_block<typename Traits::Aux>(Traits::kAux * n);
      for (int k = 0; k < Traits::kAux; ++k) {
        typename Traits::Aux* const aux = state_.aux.get() + k * n;
        vertex_map(workers_, state_.num_vertices(), [&](VertexId v, int) { aux[v] = program_.aux(k, ids[v]); });
      }
    }
  }
  bool has_buckets() const {
    return kBuckets && (domain_ == nullptr || domain_->num_edges / kMostEdgesInBuckets <= domain_->num_vertices);
  }
  bool pushes() const { return kPush && !has_buckets(); }
  bool has_rows() const { return plain_ || kWalk == abi::kRows || domain_ != nullptr; }

  abi::Superstep take_step(int step) {
    if (!plain_) {
      if constexpr (kComponents) {
        if (domain_ == nullptr) return ComponentStep<Program>(state_)(step);
        if (!domain_component_step_) domain_component_step_.emplace(state_);
        return (*domain_component_step_)(step);
      }
      if constexpr (kPull) {
        if (kWalk == abi::kInEdges || pulls()) {
          if (pull_step_ || make_pull_step()) return (*pull_step_)(step);
          return {};
        }
      }
      if constexpr (kBuckets) {
        if (has_buckets()) {
          if (!buckets_) buckets_.emplace(state_);
          num_active_ghosts_ = 0;  // are not counted
          return (*buckets_)(step);
        }
      }
      if constexpr (kFirstHit) {
        if (!first_hit_step_) first_hit_step_.emplace(state_);
        return (*first_hit_step_)(step);
      }
      if constexpr (kPush) {
        if (pushes() && state_.frontier.is_listed()) {
          if (!push_step_) push_step_.emplace(state_);
          return (*push_step_)(step);
        }
      }
    }
    if (!gas_step_ && !make_gas_step()) return {};
    return (*gas_step_)(step);
  }

  // The end of a super-step of domains: every ghost gets what its owner has, and every domain what all have counted.
  void meet_others() {
    abi::Exchange what = exchange_of(state_.property.get());
    add_sums(what, state_.extras.total(), ExtraSums<Hooks>::kSlots);
    if (Traits::kIdempotent) send_changed(what, state_.frontier);
    if (buckets_) what.lowest_waiting = buckets_->lowest_waiting();
    exchange(*domain_, what, workers_);
    some_wait_ = std::isfinite(what.lowest_waiting);
    if (!Traits::kIdempotent || workers_.cancelled()) return;
    if (buckets_) return buckets_->join_arrived(what);
    join_arrived(what, state_.frontier);
    num_active_ghosts_ = what.num_arrived;
  }
  template <class MayBeActive>
  void resume_ghosts(const MayBeActive& may_be_active) {
    abi::Exchange what = exchange_of(state_.property.get());
    exchange(*domain_, what, workers_);
    if constexpr (Traits::kIdempotent) {
      const std::vector<std::uint32_t> active = active_ghosts(*domain_, state_.num_vertices(), may_be_active, workers_);
      if (!has_frontier() || workers_.cancelled()) return;
      std::vector<VertexId> sources;
      for (VertexId v = state_.num_own(); v < state_.num_vertices(); ++v) {
        if (Traits::is_source(state_.property[v]) && active[v] != 0) sources.push_back(v);
      }
      state_.frontier.append(sources.data(), sources.size());
      num_active_ghosts_ = sources.size();
    }
  }
  // Whether to pull rather than to stream partitions: if the properties that neighbours have will mostly be near
  // (Workers::near_bytes), as all fit, or most edges are short (grids, road networks and web crawls in the order in
  // which they were made). Decided by the graph and the machine's caches, not by threads or by times, for the way to
  // walk it is the order in which floating-point sums are rounded: with equal caches answers are the same bits. A
  // relabeled graph has its hubs first, and so a partition that gets a large part of all edges, from one thread. Its
  // short edges lead to hubs, which stay in the cache: pulls took 1.09, 0.93, 0.55 and 0.45 of the time where 0.54,
  // 0.71, 0.82 and 0.90 of the edges were short (PageRank of Kronecker 22 and 20, 2 threads), and more threads gain.
  bool pulls() {
    if (pulls_) return *pulls_;
    constexpr std::uint64_t kSampledRows = 1 << 12, kEdgesPerRow = 256;
    const std::uint64_t n = state_.num_vertices(), near = workers_.near_bytes() / sizeof(Property) / 2;
    EdgeCount num_near = 0, num_seen = 0;
    for (std::uint64_t i = 0; n > 2 * near && i < kSampledRows; ++i) {
      const auto v = static_cast<VertexId>(n * i / kSampledRows);
      const auto row = state_.rows[v].first(kEdgesPerRow);
      for (const auto edge : row) {
        const VertexId u = edge.neighbor();
        num_near += (u < v ? v - u : u - v) < near;
      }
      num_seen += row.size();
    }
    pulls_ = num_near >= num_seen - num_seen / (state_.run.relabeling != nullptr ? 2 : 8);
    return *pulls_;
  }
  bool make_gas_step() {
    const abi::Partitioning* partitioning = state_.run.forms->partitioning(state_.run.forms->self);
    if (partitioning == nullptr) {
      workers_.cancel();
      return false;
    }
    gas_step_.emplace(state_, *partitioning);
    return true;
  }
  bool make_pull_step() {
    const abi::Csr* in_edges = state_.run.forms->in_edges(state_.run.forms->self, true);
    if (in_edges == nullptr) {
      workers_.cancel();
      return false;
    }
    if constexpr (kPull) pull_step_.emplace(state_, *in_edges);
    return true;
  }

  Program& program_;
  Workers& workers_;
  State<Program> state_;
  const abi::Domain* const domain_;
  std::uint64_t num_active_ghosts_ = 0;  // of the frontier
  const bool plain_;
  bool some_wait_ = false;                 // in buckets of any domain
  std::vector<std::uint64_t> own_active_;  // of a snapshot
  std::optional<bool> pulls_;
  std::optional<GasStep<Program>> gas_step_;
  Used<kPush, PushStep<Program>> push_step_;
  Used<kPull, PullStep<Program>> pull_step_;
  Used<kFirstHit, FirstHitStep<Program>> first_hit_step_;
  Used<kBuckets, BucketStep<Program>> buckets_;
  Used<kComponents, DomainComponentStep<Program>> domain_component_step_;
};

}  // namespace engine
}  // namespace gaspipe
