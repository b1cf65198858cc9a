// SPDX-License-Identifier: Apache-2.0
// A super-step of all vertices along their in-edges: no partitions are needed, and nothing but the sums is written.
// The sources' properties are read at random, which partitions are there to avoid; while they fit a core's cache there
// is nothing to avoid.
#pragma once

#include <utility>

#include "gaspipe/engine/state.h"

namespace gaspipe {
namespace engine {

template <class Program>
class PullStep {
  using Hooks = typename Program::Hooks;
  using Traits = gaspipe::Traits<Hooks>;
  using Property = typename Traits::Property;
  using EdgeProperty = typename Traits::EdgeProperty;
  using Update = typename Traits::Update;
  using Extra = typename Traits::Extra;

 public:
  PullStep(State<Program>& state, const abi::Csr& in_edges) : state_(state), in_edges_(in_edges) {}

  abi::Superstep operator()(int step) {
    if (!next_) next_ = state_.properties();
    return in_edges_.offset_bytes == 8 ? pull(step, static_cast<const std::uint64_t*>(in_edges_.offsets))
                                       : pull(step, static_cast<const std::uint32_t*>(in_edges_.offsets));
  }

 private:
  static constexpr std::uint64_t kGrain = 1 << 11;
  static constexpr std::uint64_t kSampledRows = 1 << 10;
  static constexpr EdgeCount kShortRow = 4, kLongRow = 16;
  static constexpr bool kAsksDegrees = Traits::kAux > 0 && !HasAux<Program>::value;  // of the rows in `state`

  template <class Offset>
  abi::Superstep pull(int step, const Offset* offsets) {
    return is_uneven(offsets) ? pull<true>(step, offsets) : pull<false>(step, offsets);
  }
  // Whether a row is seldom as long as the one before, as in road networks.
  template <class Offset>
  bool is_uneven(const Offset* offsets) const {
    const std::uint64_t n = state_.num_vertices(), stride = n / kSampledRows + 1;
    std::uint64_t num_uneven = 0, num_seen = 0;
    for (std::uint64_t v = 1; v < n; v += stride, ++num_seen) {
      num_uneven += offsets[v + 1] - offsets[v] != offsets[v] - offsets[v - 1];
    }
    return num_uneven > num_seen / 4;
  }
  template <bool uneven, class Offset>
  abi::Superstep pull(int step, const Offset* offsets) {
    const std::uint64_t n = state_.num_vertices();
    abi::Superstep stats{abi::kPullStep, n, in_edges_.num_edges, 0, 0};
    Stopwatch watch;
    const auto arg = read_arg(state_.program, step, state_.extras.total());
    state_.extras.start((n + kGrain - 1) / kGrain);
    const Weights<EdgeProperty> weights{static_cast<const EdgeProperty*>(in_edges_.weights)};
    const VertexId* sources = in_edges_.targets;
    const EdgeCount last_edge = in_edges_.num_edges - 1;
    state_.workers.each(n, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      const Property* property = state_.property.get();
      Property* next = next_.get();
      Extra extra[Traits::kExtraSlots] = {};
      typename Traits::Aux aux[Traits::kAuxSlots];
      for (std::uint64_t v = first; v < last; ++v) {
        const EdgeCount end = offsets[v + 1];
        EdgeCount e = offsets[v];
        const auto gather = [&](Update sum, EdgeCount at) {
          const Update update = Hooks::scatterFunc(Hooks::preprocessProperty(property[sources[at]]), weights[at]);
          return Traits::is_active(update) ? Hooks::gatherFunc(sum, update) : sum;
        };
        Update sum = Traits::identity();
        if (uneven && end - e <= kShortRow) {
          // Always as many, and the sum that counts is picked: nobody could foresee where each row ends.
          Update sums[kShortRow + 1];
          sums[0] = sum;
          for (EdgeCount k = 0; k < kShortRow; ++k) sums[k + 1] = gather(sums[k], std::min(e + k, last_edge));
          sum = sums[end - e];
          e = end;
        } else if (end - e >= kLongRow) {
          // Like compute units: sums that do not wait for each other, merged at the end.
          Update second = sum, third = sum, fourth = sum;
          for (; e + 4 <= end; e += 4) {
            sum = gather(sum, e);
            second = gather(second, e + 1);
            third = gather(third, e + 2);
            fourth = gather(fourth, e + 3);
          }
          sum = Hooks::applyMerge(Hooks::applyMerge(sum, second), Hooks::applyMerge(third, fourth));
        }
        for (; e < end; ++e) sum = gather(sum, e);
        const EdgeCount out_degree = kAsksDegrees ? state_.degree(static_cast<VertexId>(v)) : 0;
        read_aux(state_.program, static_cast<VertexId>(v), out_degree, aux);
        next[v] = Traits::apply(sum, property[v], aux, extra, arg);
      }
      for (int k = 0; k < Traits::kExtraSlots; ++k) state_.extras.set(first / kGrain, k, extra[k]);
    });
    state_.extras.finish();
    std::swap(state_.property, next_);
    if (std::exchange(state_.property_is_borrowed, false)) next_.reset();
    stats.scatter_gather_seconds = watch.lap();
    return stats;
  }

  State<Program>& state_;
  const abi::Csr& in_edges_;
  Block<Property> next_;
};

}  // namespace engine
}  // namespace gaspipe
