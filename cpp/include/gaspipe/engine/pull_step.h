// SPDX-License-Identifier: Apache-2.0
// A super-step of all vertices along their in-edges: no partitions are needed, and nothing but the sums is written.
// The sources' properties are read at random, which partitions are there to avoid; while they fit a core's cache there
// is nothing to avoid.
#pragma once

#include <utility>

#include "gaspipe/engine/apply_block.h"
#include "gaspipe/engine/long_sums.h"

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
  // `in_edges` has rows of the own vertices.
  PullStep(State<Program>& state, const abi::Csr& in_edges) : state_(state), in_edges_(in_edges) {}

  abi::Superstep operator()(int step) {
    if (!next_) next_ = state_.properties();
    return with_rows<EdgeProperty>(in_edges_, [&](const auto& rows) { return pull(step, rows); });
  }

 private:
  static constexpr std::uint64_t kGrain = 1 << 11;
  static constexpr EdgeCount kShortRow = 4, kLongRow = 16;
  static constexpr EdgeCount kPiece = 1 << 11;  // in four sums
  static constexpr int kSortedRow = 12;
  static_assert(kGrain % kApplyBlock == 0 && kApplyBlock == 256, "places in a block are of 8 bits");
  enum class Order { kEven, kUneven, kSorted };

  template <class InRows>
  abi::Superstep pull(int step, const InRows& rows) {
    if (num_steps_++ == 0) is_uneven_ = has_uneven_rows(rows);
    if (is_uneven_ && num_steps_ == 2) sort_rows(rows);
    return order_       ? pull<Order::kSorted>(step, rows)
           : is_uneven_ ? pull<Order::kUneven>(step, rows)
                        : pull<Order::kEven>(step, rows);
  }
  // The rows of every block by length, up to kSortedRow: the branch at the end of each would be unpredictable.
  template <class InRows>
  void sort_rows(const InRows& rows) {
    const std::uint64_t n = state_.num_own();
    order_ = make_block<std::uint8_t>(n);
    state_.workers.each(n, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t block = first; block < last; block += kApplyBlock) {
        const std::uint64_t end = std::min(block + kApplyBlock, last);
        const auto length = [&](std::uint64_t v) {
          return std::min<EdgeCount>(rows.degree(static_cast<VertexId>(v)), kSortedRow + 1);
        };
        std::uint32_t place[kSortedRow + 3] = {};
        for (std::uint64_t v = block; v < end; ++v) ++place[length(v) + 1];
        for (EdgeCount k = 0; k <= kSortedRow; ++k) place[k + 1] += place[k];
        for (std::uint64_t v = block; v < end; ++v) {
          order_[block + place[length(v)]++] = static_cast<std::uint8_t>(v - block);
        }
      }
    });
  }
  template <Order order, class InRows>
  abi::Superstep pull(int step, const InRows& rows) {
    const std::uint64_t n = state_.num_own();
    abi::Superstep stats{abi::kPullStep, n, in_edges_.num_edges, {}};
    Stopwatch watch;
    const auto arg = read_arg(state_.program, step, state_.extras.total());
    state_.extras.start((n + kGrain - 1) / kGrain);
    const auto pull_some = [&](std::uint64_t first, std::uint64_t last) {
      const ApplyBlock<Program> apply(state_);
      Extra extra[Traits::kExtraSlots] = {};
      Update gathered[kApplyBlock];
      for (std::uint64_t v = first; v < last; v += kApplyBlock) {
        const auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>(kApplyBlock, last - v));
        const Gather<InRows> gather(*this, rows, static_cast<VertexId>(v), gathered);
        gather.template all<order>(size);
        apply(static_cast<VertexId>(v), size, gathered, state_.property.get() + v, next_.get() + v, arg, extra);
      }
      for (int k = 0; k < Traits::kExtraSlots; ++k) state_.extras.set(first / kGrain, k, extra[k]);
    };
    const std::uint64_t early = state_.run.domain != nullptr ? state_.run.domain->early_end : 0;
    if (early > 0) {
      state_.workers.each(early, kGrain, [&](std::uint64_t first, std::uint64_t last, int) { pull_some(first, last); });
      begin_exchange(*state_.run.domain, next_.get(), state_.workers);
    }
    state_.workers.each(n - early, kGrain,
                        [&](std::uint64_t first, std::uint64_t last, int) { pull_some(early + first, early + last); });
    state_.extras.finish();
    std::swap(state_.property, next_);
    if (std::exchange(state_.property_is_borrowed, false)) next_.reset();
    stats.seconds[abi::kScatterGather] = watch.lap();
    return stats;
  }

  // What the vertices of a block gather.
  template <class InRows>
  class Gather {
   public:
    Gather(const PullStep& step, const InRows& rows, VertexId block, Update* gathered)
        : property_(step.state_.property.get()),
          rows_(rows.from(block)),
          order_(step.order_ ? step.order_.get() + block : nullptr),
          gathered_(gathered) {}

    template <Order order>
    void all(std::uint32_t size) const {
      if constexpr (order == Order::kUneven) {
        for (std::uint32_t i = 0; i < size; ++i) {
          const EdgeCount first = begin(i), end = begin(i + 1);
          gathered_[i] = end - first <= kShortRow ? short_row(first, end) : row(first, end);
        }
      } else {
        for (std::uint32_t at = 0; at < size;) {
          at = by_length<order>(at, size, std::make_integer_sequence<int, kSortedRow + 1>());
          const auto is_long = [&](std::uint32_t i) { return begin(i + 1) - begin(i) > kSortedRow; };
          for (; at < size && is_long(place<order>(at)); ++at) {
            const std::uint32_t i = place<order>(at);
            gathered_[i] = row(begin(i), begin(i + 1));
          }
        }
      }
    }

   private:
    // Of vertex i of the block; that of its row's end is begin(i + 1).
    EdgeCount begin(std::uint32_t i) const { return rows_.offset(i); }
    template <Order order>
    std::uint32_t place(std::uint32_t at) const {
      return order == Order::kSorted ? order_[at] : at;
    }
    template <Order order, int... lengths>
    std::uint32_t by_length(std::uint32_t at, std::uint32_t size, std::integer_sequence<int, lengths...>) const {
      ((at = equal_rows<order, lengths>(at, size)), ...);
      return at;
    }
    // The rows of one length that lie together from `at` on; returns where they end. Loops of known length need no
    // branch that depends on a row.
    template <Order order, int length>
    std::uint32_t equal_rows(std::uint32_t at, std::uint32_t size) const {
      for (; at < size; ++at) {
        const std::uint32_t i = place<order>(at);
        const EdgeCount first = begin(i);
        if (begin(i + 1) - first != length) break;
        Update sum = Traits::identity();
        for (int k = 0; k < length; ++k) sum = gather(sum, first + k);
        gathered_[i] = sum;
      }
      return at;
    }
    Update short_row(EdgeCount first, EdgeCount end) const {
      // Always as many, and the sum that counts is picked.
      Update sums[kShortRow + 1];
      sums[0] = Traits::identity();
      for (EdgeCount k = 0; k < kShortRow; ++k)
        sums[k + 1] = gather(sums[k], std::min(first + k, rows_.num_edges() - 1));
      return sums[end - first];
    }
    Update row(EdgeCount e, EdgeCount end) const {
      if constexpr (kGatherRounds<Hooks>) {
        if (end - e > kPiece) return in_pieces(e, end);
      }
      return piece(e, end);
    }
    __attribute__((noinline)) Update in_pieces(EdgeCount e, EdgeCount end) const {
      Update partials[64];
      std::uint64_t count = 0;
      for (; end - e > kPiece; e += kPiece) push_partial<Hooks>(partials, count++, piece(e, e + kPiece));
      return join_partials<Hooks>(partials, count, piece(e, end));
    }
    Update piece(EdgeCount e, EdgeCount end) const {
      Update sum = Traits::identity();
      if (end - e >= kLongRow) {
        // Like compute units: sums that do not wait for each other, merged at the end.
        Update second = sum, third = sum, fourth = sum;
        for (; e + 4 <= end; e += 4) {
          rows_.template fetch_ahead<Traits::kReadsEdgeProperty>(e);
          sum = gather(sum, e);
          second = gather(second, e + 1);
          third = gather(third, e + 2);
          fourth = gather(fourth, e + 3);
        }
        sum = Hooks::applyMerge(Hooks::applyMerge(sum, second), Hooks::applyMerge(third, fourth));
      }
      for (; e < end; ++e) sum = gather(sum, e);
      return sum;
    }
    Update gather(const Update& sum, EdgeCount e) const {
      const auto edge = rows_.edge(e);
      const Update update = Hooks::scatterFunc(Hooks::preprocessProperty(property_[edge.neighbor()]), edge.weight());
      return Traits::is_active(update) ? Hooks::gatherFunc(sum, update) : sum;
    }

    const Property* property_;
    const InRows rows_;  // from the block on
    const std::uint8_t* order_;
    Update* gathered_;
  };

  State<Program>& state_;
  const abi::Csr& in_edges_;
  Block<Property> next_;
  int num_steps_ = 0;
  bool is_uneven_ = false;
  Block<std::uint8_t> order_;  // of a block's rows, from the second step on: for one alone it does not pay
};

}  // namespace engine
}  // namespace gaspipe
