// SPDX-License-Identifier: Apache-2.0
// A run on a device (abi::Device) that streams the edges itself: the host makes the properties and inputs of the
// vertices, says when to stop, and reads the answer. The same for the emulator and a card.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "gaspipe/engine/domain.h"
#include "gaspipe/engine/optional.h"
#include "gaspipe/engine/state.h"
#include "gaspipe/engine/workers.h"
#include "hls/kernel/units.h"
#include "hls/word.h"

namespace gaspipe {
namespace engine {

template <class Program>
class DeviceEngine {
  using Hooks = typename Program::Hooks;
  using Traits = gaspipe::Traits<Hooks>;
  using Property = typename Traits::Property;
  using Aux = typename Traits::Aux;
  using Sum = typename Traits::Sum;

 public:
  DeviceEngine(Program& program, const abi::DeviceRun& run, Workers& workers)
      : program_(program),
        run_(run),
        workers_(workers),
        domain_(run.domain),
        num_vertices_(run.csr->num_vertices),
        num_own_(domain_ != nullptr ? domain_->num_own : num_vertices_) {}

  void start() {
    if (!has_aux_) write_aux();  // which no pass changes
    has_aux_ = true;
    std::fill(std::begin(sums_), std::end(sums_), Sum{});
    if (domain_ == nullptr) {
      write_properties(filled<Property>(num_vertices_, [&](VertexId v) { return program_.initial(id(v)); }));
      return;
    }
    // Ghosts start as their owners do.
    known_ = filled<Property>(num_vertices_, [&](VertexId v) { return program_.initial(domain_any_id(*domain_, v)); });
    count_known_ghosts(*domain_, values_of(known_), workers_);
    write_properties(known_);
  }
  void resume(const abi::Snapshot& snapshot) {
    if (!has_aux_) write_aux();
    has_aux_ = true;
    std::memcpy(sums_, snapshot.sums, Traits::kExtras * sizeof(Sum));
    const auto* const properties = static_cast<const Property*>(snapshot.properties);
    const std::uint64_t* const active = snapshot.active;
    known_ = filled<Property>(num_own_, [&](VertexId v) { return properties[v]; });
    if (domain_ != nullptr) {
      abi::Exchange what = exchange_of(values_of(known_));
      exchange(*domain_, what, workers_);
    }
    write_properties(known_);
    // A device sends all; CPUs among the domains want to know what has changed.
    if (domain_ == nullptr || !Traits::kIdempotent) return;
    active_ghosts(
        *domain_, num_vertices_, [&](VertexId v) { return active == nullptr || (active[v / 64] >> v % 64 & 1) != 0; },
        workers_);
  }
  void snapshot(abi::Snapshot* snapshot) {
    snapshot->sums = sums_;
    if (domain_ == nullptr) {
      known_ = words_of<Property>();
      check(read_properties(known_.data()));
    }
    snapshot->properties = values_of(known_);
  }
  static constexpr bool kTakesSeries = false;
  abi::Superstep superstep(int step) {
    abi::Superstep stats{abi::kGasStep, num_own_, run_.csr->num_edges, {}};
    const auto arg = read_arg(program_, step, sums_);
    std::uint32_t words[kArgWords] = {};
    static_assert(sizeof arg <= sizeof words, "Arg has at most 32 bytes; pass more per vertex, as Aux");
    std::memcpy(words, &arg, sizeof arg);
    // By what the last one counted, which a program may read again: until() is const.
    const bool may_be_last = domain_ != nullptr || program_.until(step, sums_) != Until::kGoOn;
    if (!may_be_last) run_.device->expect_another(run_.device->self);
    check(run_.device->superstep(run_.device->self, words, sums_, &stats));
    if (domain_ != nullptr) meet_others();
    return stats;
  }
  const Sum* sums() const { return sums_; }
  bool is_complete() const { return !others_wait_; }
  void finish(typename Program::Value* values) {
    const std::vector<Word<Property>> words = properties();
    workers_.each(num_own_, kVertexGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t v = first; v < last; ++v) {
        const Property property = words[v / Word<Property>::kSize].lane[v % Word<Property>::kSize];
        const VertexId called = id(static_cast<VertexId>(v));
        values[run_.relabeling != nullptr ? called : v] = value_of(program_, property, called);
      }
    });
  }
  abi::Status read_properties(void* data) const {
    constexpr std::uint64_t size = Word<Property>::kSize;
    const std::uint64_t num_words = (std::uint64_t(num_vertices_) + size - 1) / size;
    return static_cast<abi::Status>(
        run_.device->read_properties(run_.device->self, data, num_words * sizeof(Word<Property>)));
  }

 private:
  // As the program calls an own vertex.
  VertexId id(VertexId v) const {
    return run_.relabeling != nullptr ? run_.relabeling->ids[v] : domain_ != nullptr ? domain_id(*domain_, v) : v;
  }
  template <class T>
  std::vector<Word<T>> words_of() const {
    return std::vector<Word<T>>((std::uint64_t(num_vertices_) + Word<T>::kSize - 1) / Word<T>::kSize, Word<T>{});
  }
  static Property* values_of(std::vector<Word<Property>>& words) { return words.empty() ? nullptr : words[0].lane; }
  // A value of each of vertices 0 to n - 1 in whole words; the lanes past them are zero.
  template <class T, class F>
  std::vector<Word<T>> filled(VertexId n, const F& f) {
    constexpr std::uint64_t size = Word<T>::kSize;
    std::vector<Word<T>> words = words_of<T>();
    workers_.each(words.size(), kVertexGrain / size, [&](std::uint64_t first, std::uint64_t last, int) {
      const std::uint64_t end = std::min<std::uint64_t>(last * size, n);
      for (std::uint64_t v = first * size; v < end; ++v) {
        words[v / size].lane[v % size] = f(static_cast<VertexId>(v));
      }
    });
    return words;
  }
  void write_aux() {
    for (int k = 0; k < Traits::kAux; ++k) {
      const std::vector<Word<Aux>> words = filled<Aux>(num_own_, [&](VertexId v) {
        Aux aux[Traits::kAuxSlots];
        read_aux(program_, id(v), degree(v), aux);
        return aux[k];
      });
      check(run_.device->write_aux(run_.device->self, k, words.data(), words.size() * sizeof(Word<Aux>)));
    }
  }
  std::vector<Word<Property>> properties() {
    std::vector<Word<Property>> words = words_of<Property>();
    check(read_properties(words.data()));
    return words;
  }
  void write_properties(const std::vector<Word<Property>>& words) {
    check(run_.device->write_properties(run_.device->self, words.data(), words.size() * sizeof(Word<Property>)));
  }
  // The end of a super-step of domains: every ghost gets what its owner has, and every domain what all have counted.
  void meet_others() {
    std::vector<Word<Property>> words = properties();
    // A super-step leaves ghosts undefined, and not all of them need to come anew.
    if (num_own_ < num_vertices_) {
      std::copy(values_of(known_) + num_own_, values_of(known_) + num_vertices_, values_of(words) + num_own_);
    }
    abi::Exchange what = exchange_of(values_of(words));
    add_sums(what, sums_, Traits::kExtraSlots);
    // As the CPU's engine has it, for there may be CPUs among the domains.
    what.only_changed = Traits::kIdempotent;
    exchange(*domain_, what, workers_);
    others_wait_ = std::isfinite(what.lowest_waiting);
    if (!workers_.cancelled()) write_properties(words);
    known_ = std::move(words);
  }
  EdgeCount degree(VertexId v) const {
    if (domain_ != nullptr) return domain_degree(*domain_, v);
    const abi::Csr& csr = *run_.csr;
    const auto offset = [&](std::uint64_t i) -> EdgeCount {
      return csr.offset_bytes == 8 ? static_cast<const std::uint64_t*>(csr.offsets)[i]
                                   : static_cast<const std::uint32_t*>(csr.offsets)[i];
    };
    return offset(std::uint64_t(v) + 1) - offset(v);
  }
  // A device that failed keeps what happened; here the run is cancelled.
  void check(std::int32_t status) {
    if (status != abi::kOk) workers_.cancel();
  }

  Program& program_;
  const abi::DeviceRun& run_;
  Workers& workers_;
  const abi::Domain* const domain_;
  const VertexId num_vertices_, num_own_;
  std::vector<Word<Property>>
      known_;  // of a domain: what own vertices and ghosts had after the last exchange; else of a snapshot
  bool has_aux_ = false;
  bool others_wait_ = false;  // domains of the CPU have work for a later super-step
  Sum sums_[Traits::kExtraSlots] = {};
};

}  // namespace engine
}  // namespace gaspipe
