// SPDX-License-Identifier: Apache-2.0
// The one super-step of programs that declare kComponents: the core finds the components by union-find, and every
// vertex takes the gather of its component's initial properties. Nothing is counted: nothing would change any more.
#pragma once

#include "gaspipe/engine/state.h"
#include "gaspipe/engine/vertex_map.h"

namespace gaspipe {
namespace engine {

// Beside other threads that may change it.
template <class T>
T load_beside_others(T* entry) {
  T found;
  __atomic_load(entry, &found, __ATOMIC_RELAXED);
  return found;
}
template <class Program>
void gather_into(typename Program::Hooks::Property* entry, const typename Program::Hooks::Property& property) {
  auto before = load_beside_others(entry);
  typename Program::Hooks::Property after;
  do {
    after = Program::Hooks::gatherFunc(before, property);
    if (after == before) return;
  } while (!__atomic_compare_exchange(entry, &before, &after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

template <class Program>
class ComponentStep {
  using Traits = gaspipe::Traits<typename Program::Hooks>;
  using Property = typename Traits::Property;
  static_assert(std::is_same_v<Property, typename Traits::Update>, "kComponents: a property must be an update as well");
  static_assert(ViewOf<Program>::value == View::kUndirected && !AsksDegrees<Program>::value,
                "kComponents is for undirected views and programs that never ask for degrees");

 public:
  explicit ComponentStep(State<Program>& state) : state_(state) {}

  abi::Superstep operator()(int /*step*/) {
    const VertexId n = state_.num_vertices();
    abi::Superstep stats{abi::kComponentStep, n, state_.csr().num_edges, {}};
    Stopwatch watch;
    const Block<VertexId> smallest = room();
    const abi::Forms& forms = *state_.run.forms;
    if (forms.components(forms.self, smallest.get()) != 0) state_.workers.cancel();
    stats.seconds[abi::kScatterGather] = watch.lap();
    // First into the property of the smallest vertex; most properties add nothing to it. Pointers are the loops' own:
    // after an atomic operation members would be read again. Where it does no harm no vertex is left out: which are
    // alone cannot be predicted.
    Property* const property = state_.property.get();
    const VertexId* const roots = smallest.get();
    vertex_map(state_.workers, n, [property, roots](VertexId v, int) {
      if (!Traits::kIdempotent && roots[v] == v) return;
      gather_into<Program>(property + roots[v], load_beside_others(property + v));
    });
    vertex_map(state_.workers, n, [property, roots](VertexId v, int) { take_from(property + roots[v], property + v); });
    state_.extras.clear();
    stats.seconds[abi::kApply] = watch.lap();
    return stats;
  }

 private:
  // Beside other threads that read `root`.
  static void take_from(Property* root, Property* own) {
    if constexpr (sizeof(Property) <= sizeof(std::uint64_t)) {
      Property found = load_beside_others(root);
      __atomic_store(own, &found, __ATOMIC_RELAXED);
    } else if (own != root) {
      *own = *root;
    }
  }
  // For an id per vertex: the memory of the answers, which are written last, unless they begin as properties.
  Block<VertexId> room() const {
    using Value = typename Program::Value;
    if (sizeof(Value) < sizeof(VertexId) || HasPasses<Program>::value || state_.values_are_lent)
      return make_block<VertexId>(state_.num_vertices());
    return Block<VertexId>(static_cast<VertexId*>(state_.run.values), FreeBlock{true});
  }

  State<Program>& state_;
};

}  // namespace engine
}  // namespace gaspipe
