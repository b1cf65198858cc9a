// SPDX-License-Identifier: Apache-2.0
// What the steps of a run share: the program, its graph, the properties and the frontier.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "gaspipe/engine/block.h"
#include "gaspipe/engine/domain.h"
#include "gaspipe/engine/frontier.h"
#include "gaspipe/engine/optional.h"
#include "gaspipe/engine/rows.h"
#include "gaspipe/engine/workers.h"
#include "hls/types.h"

namespace gaspipe {
namespace engine {

// Sums of the extras of a super-step. Chunks add up on their own and are summed in the order of their first vertex, so
// that a floating-point sum does not depend on which thread took which chunk.
template <class Hooks>
class ExtraSums {
  using Traits = gaspipe::Traits<Hooks>;

 public:
  using Sum = typename Traits::Sum;
  static constexpr int kSlots = Traits::kExtraSlots;

  void start(std::size_t num_chunks) {
    chunks_.resize(num_chunks * kSlots);
    std::fill(chunks_.begin(), chunks_.end(), Sum{});
  }
  // By value: an array whose address leaves a loop is kept in memory there, not in registers.
  void set(std::size_t chunk, int k, typename Traits::Extra extra) {
    chunks_[chunk * kSlots + k] = static_cast<Sum>(extra);
  }
  const Sum* finish() {
    for (int k = 0; k < kSlots; ++k) total_[k] = Sum{};
    for (std::size_t i = 0; i < chunks_.size(); ++i) total_[i % kSlots] += chunks_[i];
    return total_;
  }
  const Sum* total() const { return total_; }
  Sum* total() { return total_; }
  void clear() { std::fill(total_, total_ + kSlots, Sum{}); }

 private:
  std::vector<Sum> chunks_;
  Sum total_[kSlots] = {};
};

template <class Program>
struct State {
  using Hooks = typename Program::Hooks;
  using Traits = gaspipe::Traits<Hooks>;
  using Property = typename Traits::Property;
  using EdgeProperty = typename Traits::EdgeProperty;

  State(const Program& the_program, const abi::Run& the_run, Workers& the_workers)
      : program(the_program),
        run(the_run),
        workers(the_workers),
        rows(*the_run.csr),
        frontier(*the_run.csr, the_workers.size(), 0) {}

  const Program& program;
  const abi::Run& run;
  Workers& workers;
  const Rows<EdgeProperty> rows;  // of runs that walk rows
  bool values_are_lent = false;
  bool property_is_borrowed = false;  // from an argument, and only to be read
  Block<Property> property;           // of every vertex, as of the last super-step
  ExtraSums<Hooks> extras;
  // Of relabeled vertices, whose inputs a program has elsewhere: all of them, one input after the other, where every
  // step reads them.
  Block<typename Traits::Aux> aux;
  // Vertices whose property changed in the last super-step, of programs that declare kIdempotent; of others all. It is
  // listed while it is small enough to be pushed: else the next step streams everything anyway.
  Frontier frontier;

  const abi::Csr& csr() const { return *run.csr; }
  VertexId num_vertices() const { return run.csr->num_vertices; }  // with ghosts
  VertexId num_own() const { return run.domain != nullptr ? run.domain->num_own : run.csr->num_vertices; }
  // As the program calls an own vertex, and its out-degree.
  VertexId id(VertexId v) const {
    return run.relabeling != nullptr ? run.relabeling->ids[v] : run.domain != nullptr ? domain_id(*run.domain, v) : v;
  }
  EdgeCount out_degree(VertexId v) const {
    return run.domain != nullptr ? domain_degree(*run.domain, v) : rows.degree(v);
  }
  // An own vertex takes what it has gathered; if its property changes, it joins the frontier.
  void apply(VertexId v, const typename Traits::Update& gathered, const typename Traits::Arg& arg,
             typename Traits::Extra (&extra)[Traits::kExtraSlots], int worker) {
    const Property before = property[v];
    typename Traits::Aux aux[Traits::kAuxSlots];
    read_aux(program, id(v), out_degree(v), aux);
    const Property after = Traits::apply(gathered, before, aux, extra, arg);
    if (after == before) return;
    property[v] = after;
    frontier.add(v, worker);
  }
  // Memory for a property per vertex. One call gets the memory of the answers, if it fits: they are written last. It is
  // for steps that change properties in place, and for the second block of those that alternate.
  Block<Property> properties() {
    using Value = typename Program::Value;
    constexpr bool is_like =
        std::is_same_v<Property, Value> ||
        (std::is_integral_v<Property> && std::is_integral_v<Value> && sizeof(Property) == sizeof(Value));
    // Relabeled answers are not where their properties are.
    if (!is_like || HasPasses<Program>::value || run.keeps_properties != 0 || values_are_lent ||
        run.domain != nullptr || run.relabeling != nullptr)
      return make_block<Property>(num_vertices());
    values_are_lent = true;
    return Block<Property>(static_cast<Property*>(run.values), FreeBlock{true});
  }
};

}  // namespace engine
}  // namespace gaspipe
