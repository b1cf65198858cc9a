// SPDX-License-Identifier: Apache-2.0
// applyFunc for a block of vertices at once: inputs first, then the hook, then its sums, each in a loop of its own over
// arrays, which compilers turn into vector code. Sums are added up in four interleaved parts, on any compiler.
#pragma once

#include <algorithm>
#include <utility>

#include "gaspipe/engine/state.h"

namespace gaspipe {
namespace engine {

constexpr std::uint32_t kApplyBlock = 256;  // vertices; what is kept per vertex stays in the L1 cache

template <class Program>
class ApplyBlock {
  using Hooks = typename Program::Hooks;
  using Traits = gaspipe::Traits<Hooks>;
  using Property = typename Traits::Property;
  using Update = typename Traits::Update;
  using Extra = typename Traits::Extra;
  using Aux = typename Traits::Aux;
  using Arg = typename Traits::Arg;

 public:
  explicit ApplyBlock(const State<Program>& state) : state_(state) {
    if constexpr (kPicksSums) {
      used_ = 0;
      for (int k = 0; k < Traits::kExtras; ++k) {
        used_ |= unsigned(k == Saturations<Program>::value || state.program.uses_sum(k)) << k;
      }
    }
  }

  // Of `size` vertices from `first` on, at most kApplyBlock: properties and what was gathered for them, the next
  // properties, and the sums to add to.
  void operator()(VertexId first, std::uint32_t size, const Update* gathered, const Property* property, Property* next,
                  const Arg& arg, Extra (&extra)[Traits::kExtraSlots]) const {
    read(first, size);
    if constexpr (kSumsApart) {
      if constexpr (kPicksSums) {
        map_used(size, gathered, property, next, arg, std::make_integer_sequence<unsigned, 1u << Traits::kExtras>());
      } else {
        map<kAll>(size, gathered, property, next, arg);
      }
      for (int k = 0; k < Traits::kExtras; ++k) {
        if (used_ >> k & 1) extra[k] += sum(extras_[k], size);
      }
    } else {
      Extra sums[Traits::kExtraSlots] = {};
      for (std::uint32_t i = 0; i < size; ++i) {
        Aux aux[Traits::kAuxSlots];
        for (int k = 0; k < Traits::kAuxSlots; ++k) aux[k] = aux_[k][i];
        next[i] = Traits::apply(gathered[i], property[i], aux, sums, arg);
      }
      for (int k = 0; k < Traits::kExtraSlots; ++k) extra[k] += sums[k];
    }
  }

 private:
  static constexpr bool kSumsApart = Traits::kExtraSlots <= 4;
  static constexpr bool kPicksSums = HasUsesSum<Program>::value && Traits::kExtras > 0 && Traits::kExtras <= 3;
  static constexpr unsigned kAll = ~0u;

  void read(VertexId first, std::uint32_t size) const {
    if constexpr (Traits::kAux > 0 && HasAux<Program>::value) {
      read(first, size, std::make_integer_sequence<int, Traits::kAux>());
    } else if constexpr (Traits::kAux > 0) {
      static_assert(Traits::kAux == 1, "a program with several aux inputs must define aux(k, v)");
      for (std::uint32_t i = 0; i < size; ++i) aux_[0][i] = static_cast<Aux>(state_.out_degree(first + i));
    }
  }
  // One loop for each: what hangs on k and on the program's parameters is decided outside.
  template <int... k>
  void read(VertexId first, std::uint32_t size, std::integer_sequence<int, k...>) const {
    const abi::Domain* const domain = state_.run.domain;
    if (state_.aux) {
      (std::copy_n(state_.aux.get() + std::uint64_t(k) * state_.num_vertices() + first, size, aux_[k]), ...);
    } else if (domain == nullptr || domain->ids == nullptr) {
      const VertexId by = domain == nullptr ? 0 : domain->first_id;
      (read_one<k>(state_.program, [](VertexId v) { return v; }, first + by, size, aux_[k]), ...);
    } else {
      (read_one<k>(state_.program, [ids = domain->ids](VertexId v) { return ids[v]; }, first, size, aux_[k]), ...);
    }
  }
  template <int k, class Id>
  static void read_one(const Program& program, const Id id, VertexId first, std::uint32_t size, Aux* __restrict aux) {
    // By the vertex, which does not wrap around: compilers see that what it is read of lies side by side.
    for (VertexId v = first; v < first + size; ++v) *aux++ = program.aux(k, id(v));
  }
  // One loop for every choice of sums: what is not stored is not computed.
  template <unsigned... sets>
  void map_used(std::uint32_t size, const Update* gathered, const Property* property, Property* next, const Arg& arg,
                std::integer_sequence<unsigned, sets...>) const {
    ((used_ == sets ? map<sets>(size, gathered, property, next, arg) : void()), ...);
  }
  template <unsigned used>
  void map(std::uint32_t size, const Update* __restrict gathered, const Property* __restrict property,
           Property* __restrict next, const Arg the_arg) const {
    const Arg arg = the_arg;
    for (std::uint32_t i = 0; i < size; ++i) {
      Extra extra[Traits::kExtraSlots] = {};
      Aux aux[Traits::kAuxSlots];
      for (int k = 0; k < Traits::kAuxSlots; ++k) aux[k] = Traits::kAux > 0 ? aux_[k][i] : Aux{};
      next[i] = Traits::apply(gathered[i], property[i], aux, extra, arg);
      for (int k = 0; k < Traits::kExtras; ++k) {
        if (used >> k & 1) extras_[k][i] = extra[k];
      }
    }
  }
  static Extra sum(const Extra* values, std::uint32_t size) {
    Extra even{}, odd{}, even2{}, odd2{};
    std::uint32_t i = 0;
    for (; i + 4 <= size; i += 4) {
      even += values[i];
      odd += values[i + 1];
      even2 += values[i + 2];
      odd2 += values[i + 3];
    }
    for (; i < size; ++i) even += values[i];
    return (even + odd) + (even2 + odd2);
  }

  const State<Program>& state_;
  unsigned used_ = kAll;  // a bit for every sum
  mutable Aux aux_[Traits::kAuxSlots][kApplyBlock] = {};
  mutable Extra extras_[kSumsApart ? Traits::kExtraSlots : 1][kApplyBlock];
};

}  // namespace engine
}  // namespace gaspipe
