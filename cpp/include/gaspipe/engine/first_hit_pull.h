// SPDX-License-Identifier: Apache-2.0
// The pulls of a first_hit_step: every vertex that is not settled looks back along its in-edges, and stops at the first
// that comes from the frontier, a bit per vertex. Method: as there.
#pragma once

#include "gaspipe/engine/state.h"

namespace gaspipe {
namespace engine {

constexpr std::uint64_t kPrefetchDistance = 8;  // rows ahead, of lists of vertices

// What a worker found in a super-step.
template <class Traits>
struct FirstHitCounts {
  EdgeCount size, edges, looked_at;
  typename Traits::Extra extra[Traits::kExtraSlots];

  void clear() {
    size = edges = looked_at = 0;
    std::fill_n(extra, Traits::kExtraSlots, typename Traits::Extra{});
  }
};

template <class Program>
class FirstHitPull {
  using Hooks = typename Program::Hooks;
  using Traits = gaspipe::Traits<Hooks>;
  using Property = typename Traits::Property;
  using EdgeProperty = typename Traits::EdgeProperty;
  using Update = typename Traits::Update;
  using Arg = typename Traits::Arg;
  using Counts = FirstHitCounts<Traits>;

 public:
  explicit FirstHitPull(State<Program>& state) : state_(state) {}

  // False where there are none to be had; asked for once.
  bool find_in_edges() {
    if (in_edges_ == nullptr && !asked_) {
      in_edges_ = state_.run.forms->in_edges(state_.run.forms->self, false);
      asked_ = true;
      if (in_edges_ == nullptr && state_.workers.poll(0)) state_.workers.cancel();
    }
    return in_edges_ != nullptr;
  }
  // Goes on from a frontier in a list.
  void begin(const VertexId* frontier, std::uint64_t size) {
    if (!bits_) {
      bits_ = make_block<std::uint64_t>(num_words());
      next_bits_ = make_block<std::uint64_t>(num_words());
    }
    std::fill_n(bits_.get(), num_words(), 0);
    state_.workers.each(size, kVertexGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t i = first; i < last; ++i) {
        const VertexId v = frontier[i];
        __atomic_fetch_or(&bits_[v / 64], std::uint64_t(1) << (v % 64), __ATOMIC_RELAXED);
      }
    });
  }
  // Calls add(vertex, worker) for the frontier's vertices.
  template <class Add>
  void list(const Add& add) {
    state_.workers.each(num_words(), kWordGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
      for (std::uint64_t w = first; w < last; ++w) {
        for (std::uint64_t bits = bits_[w]; bits != 0; bits &= bits - 1) {
          add(static_cast<VertexId>(64 * w + static_cast<unsigned>(__builtin_ctzll(bits))), worker);
        }
      }
    });
  }
  // The next frontier; counts_of(worker) takes what was found.
  template <class CountsOf>
  void operator()(const Arg& arg, const CountsOf& counts_of) {
    const bool starts = !open_;
    if (starts) open_ = make_block<std::uint64_t>(num_words());
    const std::uint64_t n = state_.num_vertices();
    state_.workers.each(num_words(), kWordGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
      // The vertices that may still be hit come first: their rows can be fetched ahead.
      VertexId waiting[64 * kWordGrain];
      std::uint32_t num_waiting = 0;
      for (std::uint64_t w = first; w < last; ++w) {
        std::uint64_t open = 0;
        if (starts) {
          const std::uint64_t end = std::min<std::uint64_t>(64, n - 64 * w);
          for (std::uint64_t i = 0; i < end; ++i) {
            const std::uint64_t v = 64 * w + i;
            const bool may_be_hit = !Traits::is_source(state_.property[v]) && in_offset(v) < in_offset(v + 1);
            open |= std::uint64_t(may_be_hit) << i;
          }
          open_[w] = open;
        } else {
          open = open_[w];
        }
        for (; open != 0; open &= open - 1) {
          waiting[num_waiting++] = static_cast<VertexId>(64 * w + static_cast<unsigned>(__builtin_ctzll(open)));
        }
        next_bits_[w] = 0;
      }
      Counts found;  // on this worker's own stack
      found.clear();
      for (std::uint32_t i = 0; i < num_waiting; ++i) {
        if (i + kPrefetchDistance < num_waiting) {
          __builtin_prefetch(in_edges_->targets + in_offset(waiting[i + kPrefetchDistance]));
        }
        const VertexId v = waiting[i];
        const std::uint64_t bit = std::uint64_t(1) << (v % 64);
        if (Traits::is_source(state_.property[v])) {  // by a push meanwhile
          open_[v / 64] &= ~bit;
        } else if (gather(v, found, arg)) {
          open_[v / 64] &= ~bit;
          next_bits_[v / 64] |= bit;
          ++found.size;
        }
      }
      Counts& part = counts_of(worker);
      part.size += found.size;
      part.looked_at += found.looked_at;
      for (int k = 0; k < Traits::kExtraSlots; ++k) part.extra[k] += found.extra[k];
    });
    std::swap(bits_, next_bits_);
  }

 private:
  static constexpr std::uint64_t kWordGrain = 64;

  // True if v has been settled.
  bool gather(VertexId v, Counts& part, const Arg& arg) {
    const Weights<EdgeProperty> weights{static_cast<const EdgeProperty*>(in_edges_->weights)};
    const EdgeCount first = in_offset(v), last = in_offset(std::uint64_t(v) + 1);
    for (EdgeCount e = first; e < last; ++e) {
      const VertexId u = in_edges_->targets[e];
      if ((bits_[u / 64] >> (u % 64) & 1) == 0) continue;
      const Update update = Hooks::scatterFunc(Hooks::preprocessProperty(state_.property[u]), weights[e]);
      if (!Traits::is_active(update)) continue;
      part.looked_at += e + 1 - first;
      typename Traits::Aux aux[Traits::kAuxSlots];
      read_aux(state_.program, v, Traits::kAux > 0 ? state_.degree(v) : 0, aux);
      const Property after =
          Traits::apply(Hooks::gatherFunc(Traits::identity(), update), state_.property[v], aux, part.extra, arg);
      state_.property[v] = after;
      return Traits::is_source(after);
    }
    part.looked_at += last - first;
    return false;
  }

  std::uint64_t num_words() const { return (std::uint64_t(state_.num_vertices()) + 63) / 64; }
  EdgeCount in_offset(std::uint64_t i) const {
    return in_edges_->offset_bytes == 8 ? static_cast<const std::uint64_t*>(in_edges_->offsets)[i]
                                        : static_cast<const std::uint32_t*>(in_edges_->offsets)[i];
  }

  State<Program>& state_;
  bool asked_ = false;
  const abi::Csr* in_edges_ = nullptr;
  Block<std::uint64_t> bits_, next_bits_;  // the frontier
  Block<std::uint64_t> open_;              // what may still be hit: of the vertices that are not settled, all
};

}  // namespace engine
}  // namespace gaspipe
