// SPDX-License-Identifier: Apache-2.0
// What an edge does where the first hit settles a vertex: a functor of edge_map.h. The update is applied where it
// lands.
#pragma once

#include "gaspipe/engine/edge_map.h"
#include "gaspipe/engine/state.h"

namespace gaspipe {
namespace engine {

// What a worker's hits counted.
template <class Traits>
struct alignas(64) FirstHitCounts {
  typename Traits::Extra extra[Traits::kExtraSlots] = {};
};

template <class Program>
class FirstHit {
  using Hooks = typename Program::Hooks;
  using Traits = gaspipe::Traits<Hooks>;
  using Property = typename Traits::Property;
  using Update = typename Traits::Update;
  using Extra = typename Traits::Extra;
  using Arg = typename Traits::Arg;
  using TheEdge = Edge<typename Traits::EdgeProperty>;

 public:
  static constexpr bool kBranchless = Traits::kAux == 0;

  FirstHit(const State<Program>& state, const Arg& arg, FirstHitCounts<Traits>* counts)
      : state_(state), property_(state.property.get()), arg_(arg), counts_(counts) {}

  bool is_open(VertexId v) const { return !Traits::is_source(property_[v]); }
  // Settled: no thread writes it.
  Property source(VertexId v) const { return Hooks::preprocessProperty(property_[v]); }

  void prefetch(VertexId v) const { __builtin_prefetch(property_ + v); }

  bool update(const Property& source, const TheEdge& edge) {
    const Property before = property_[edge.neighbor()];
    if (Traits::is_source(before)) return false;
    const Update sent = Hooks::scatterFunc(source, edge.weight());
    if (!Traits::is_active(sent)) return false;
    Extra extra[Traits::kExtraSlots] = {};
    const Property after = apply(edge.neighbor(), before, sent, extra);
    if (after == before) return false;
    property_[edge.neighbor()] = after;
    count(extra);
    return Traits::is_source(after);
  }
  bool update_atomic(const Property& source, const TheEdge& edge) {
    Property* const entry = property_ + edge.neighbor();
    Property before;
    __atomic_load(entry, &before, __ATOMIC_RELAXED);
    if (Traits::is_source(before)) return false;
    const Update sent = Hooks::scatterFunc(source, edge.weight());
    if (!Traits::is_active(sent)) return false;
    do {
      Extra extra[Traits::kExtraSlots] = {};
      Property after = apply(edge.neighbor(), before, sent, extra);
      if (after == before) return false;
      if (__atomic_compare_exchange(entry, &before, &after, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        count(extra);
        return Traits::is_source(after);
      }
    } while (!Traits::is_source(before));
    return false;
  }
  // Every edge writes its destination, mostly what was there.
  bool update_branchless(const Property& source, const TheEdge& edge) {
    const Update received = Hooks::scatterFunc(source, edge.weight());
    const Update sent = Traits::is_active(received) ? received : Traits::identity();
    const Property before = property_[edge.neighbor()];
    Extra extra[Traits::kExtraSlots] = {};
    const Property after = apply(edge.neighbor(), before, sent, extra);
    const bool is_hit = !Traits::is_source(before) & !(after == before);
    property_[edge.neighbor()] = is_hit ? after : before;
    for (int k = 0; k < Traits::kExtraSlots; ++k) extra_[k] += is_hit ? extra[k] : Extra{};
    return is_hit & Traits::is_source(after);
  }
  Pulled pull(VertexId v, const TheEdge& edge) {
    const Update sent = Hooks::scatterFunc(source(edge.neighbor()), edge.weight());
    if (!Traits::is_active(sent)) return Pulled::kNothing;
    property_[v] = apply(v, property_[v], sent, extra_);
    return is_open(v) ? Pulled::kEnough : Pulled::kJoins;
  }

  void finish(int worker) {
    for (int k = 0; k < Traits::kExtraSlots; ++k) counts_[worker].extra[k] += extra_[k];
  }

 private:
  Property apply(VertexId v, const Property& before, const Update& update, Extra (&extra)[Traits::kExtraSlots]) const {
    typename Traits::Aux aux[Traits::kAuxSlots];
    read_aux(state_.program, Traits::kAux > 0 ? state_.id(v) : v, Traits::kAux > 0 ? state_.out_degree(v) : 0, aux);
    return Traits::apply(Hooks::gatherFunc(Traits::identity(), update), before, aux, extra, arg_);
  }
  void count(const Extra (&extra)[Traits::kExtraSlots]) {
    for (int k = 0; k < Traits::kExtraSlots; ++k) extra_[k] += extra[k];
  }

  const State<Program>& state_;
  Property* const property_;
  const Arg arg_;
  FirstHitCounts<Traits>* const counts_;
  Extra extra_[Traits::kExtraSlots] = {};
};

}  // namespace engine
}  // namespace gaspipe
