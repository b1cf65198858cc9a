// SPDX-License-Identifier: Apache-2.0
// A super-step of all vertices along their in-edges: no partitions are needed, and nothing but the sums is written.
// The sources' properties are read at random, which partitions are there to avoid; while they are near
// (Host::near_bytes) there is nothing to avoid.
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
  static constexpr int kSortedLengths = 13;     // from 0 on; longer rows come after them as they are
  static constexpr std::make_integer_sequence<int, kSortedLengths> kLengths{};
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
  // The rows of every block by length, below kSortedLengths: the branch at the end of each would be unpredictable.
  template <class InRows>
  void sort_rows(const InRows& rows) {
    const std::uint64_t n = state_.num_own();
    order_ = make_block<std::uint8_t>(n);
    ends_ = make_block<std::uint16_t>((n + kApplyBlock - 1) / kApplyBlock * kSortedLengths);
    state_.workers.each(n, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t block = first; block < last; block += kApplyBlock) {
        const auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>(kApplyBlock, last - block));
        const InRows in_block = rows.from(static_cast<VertexId>(block));
        std::uint8_t length[kApplyBlock];
        for (std::uint32_t i = 0; i < size; ++i) {
          const EdgeCount degree = in_block.offset(i + 1) - in_block.offset(i);
          length[i] = static_cast<std::uint8_t>(std::min<EdgeCount>(degree, kSortedLengths));
        }
        std::uint16_t place[kSortedLengths + 2] = {};
        for (std::uint32_t i = 0; i < size; ++i) ++place[length[i] + 1];
        for (int k = 0; k < kSortedLengths; ++k) place[k + 1] = static_cast<std::uint16_t>(place[k + 1] + place[k]);
        std::copy_n(place + 1, kSortedLengths, ends_.get() + block / kApplyBlock * kSortedLengths);
        std::uint8_t* const order = order_.get() + block;
        for (std::uint32_t i = 0; i < size; ++i) order[place[length[i]]++] = static_cast<std::uint8_t>(i);
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
          ends_(step.order_ ? step.ends_.get() + block / kApplyBlock * kSortedLengths : nullptr),
          gathered_(gathered) {}

    template <Order order>
    void all(std::uint32_t size) const {
      if constexpr (order == Order::kUneven) {
        for (std::uint32_t i = 0; i < size; ++i) {
          const EdgeCount first = begin(i), end = begin(i + 1);
          gathered_[i] = end - first <= kShortRow ? short_row(first, end) : row(first, end);
        }
      } else if constexpr (order == Order::kSorted) {
        for (std::uint32_t at = sorted_rows(kLengths); at < size; ++at) {
          const std::uint32_t i = order_[at];
          gathered_[i] = row(begin(i), begin(i + 1));
        }
      } else {
        for (std::uint32_t i = 0; i < size;) {
          i = by_length(i, size, kLengths);
          for (; i < size && begin(i + 1) - begin(i) >= kSortedLengths; ++i) gathered_[i] = row(begin(i), begin(i + 1));
        }
      }
    }

   private:
    // Of vertex i of the block; that of its row's end is begin(i + 1).
    EdgeCount begin(std::uint32_t i) const { return rows_.offset(i); }
    // Rows of each length, the shortest first; returns where longer ones begin. Loops of known length need no branch
    // that depends on a row.
    template <int... lengths>
    std::uint32_t sorted_rows(std::integer_sequence<int, lengths...>) const {
      std::uint32_t at = 0;
      ((at = sorted_rows<lengths>(at)), ...);
      return at;
    }
    template <int length>
    std::uint32_t sorted_rows(std::uint32_t at) const {
      for (const std::uint32_t end = ends_[length]; at < end; ++at) {
        const std::uint32_t i = order_[at];
        gathered_[i] = row_of<length>(begin(i));
      }
      return at;
    }
    // Likewise where rows of a length mostly lie together, from i on.
    template <int... lengths>
    std::uint32_t by_length(std::uint32_t i, std::uint32_t size, std::integer_sequence<int, lengths...>) const {
      ((i = equal_rows<lengths>(i, size)), ...);
      return i;
    }
    template <int length>
    std::uint32_t equal_rows(std::uint32_t i, std::uint32_t size) const {
      for (; i < size && begin(i + 1) - begin(i) == length; ++i) gathered_[i] = row_of<length>(begin(i));
      return i;
    }
    template <int length>
    Update row_of(EdgeCount first) const {
      Update sum = Traits::identity();
      for (int k = 0; k < length; ++k) sum = gather(sum, first + k);
      return sum;
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
    const std::uint16_t* ends_;
    Update* gathered_;
  };

  State<Program>& state_;
  const abi::Csr& in_edges_;
  Block<Property> next_;
  int num_steps_ = 0;
  bool is_uneven_ = false;
  // Of a block's rows, from the second step on, and where those of each length end: for one step it does not pay.
  Block<std::uint8_t> order_;
  Block<std::uint16_t> ends_;
};

}  // namespace engine
}  // namespace gaspipe
