// SPDX-License-Identifier: Apache-2.0
// Floating-point sums of many terms. Added one after the other, terms lose a rounding each, and all of them upwards or
// downwards where they are alike: 2^20 equal floats can sum to several percent too much. Here, as between compute
// units, applyMerge joins partial sums of about kTermsPerPartial terms, pairwise: partial sums of equal size meet, so
// that log2(terms) roundings come on top of those inside a partial sum.
//
// A pull has a vertex's terms in a row and cuts it. A stream of edges sorted by source has them anywhere: a plan, made
// once per sub-partition and run from a 64th of its destinations, says after which blocks of edges which vertex's
// partial sum is set aside. Every set-aside stands for kTermsPerPartial terms, so it costs nothing where no vertex has
// many terms, and 1 % on Kronecker 20 (5 % with 512 terms; a plan from an eighth of the destinations took as long
// again). A plan depends on the edges alone, never on threads.
// Method: N. J. Higham, "The accuracy of floating point summation", SIAM J. Sci. Comput. 14 (1993).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "gaspipe/abi.h"
#include "hls/types.h"

namespace gaspipe {
namespace engine {

constexpr EdgeCount kTermsPerPartial = 2048;

// Whether the order of a program's gathers shows in its answer. Idempotent merges pick one of their arguments.
template <class Hooks>
constexpr bool kGatherRounds = std::is_floating_point_v<typename Traits<Hooks>::Update> && !Traits<Hooks>::kIdempotent;

// A binary counter of partial sums: where bit k of `count` is set, partials[k] is the merge of 2^k of them.
template <class Hooks, class Update>
void push_partial(Update* partials, std::uint64_t count, Update partial) {
  for (; count & 1; count >>= 1) partial = Hooks::applyMerge(*partials++, partial);
  *partials = partial;
}
// All of them, and one more.
template <class Hooks, class Update>
Update join_partials(const Update* partials, std::uint64_t count, Update partial) {
  for (; count != 0; count >>= 1, ++partials) {
    if (count & 1) partial = Hooks::applyMerge(*partials, partial);
  }
  return partial;
}

// The partial sums of the vertices with many edges in a sub-partition.
template <class Hooks>
class LongSums {
  using Update = typename Traits<Hooks>::Update;

 public:
  // Of a worker, for making plans one after the other.
  struct Scratch {
    std::vector<std::uint8_t> num_sampled;
    std::vector<std::uint32_t> sum_of;  // index of a destination's sum

    void clear(std::uint32_t width) {
      num_sampled.assign(width, 0);
      sum_of.assign(width, kNone);
    }
  };

  // `destinations` are those of the partition, below `width`; partial sums are set aside after a whole number of
  // blocks of `block_edges`, counted from the sub-partition's first edge.
  template <class Local>
  void plan(const abi::SubPartition& sub_partition, const Local* destinations, std::uint32_t width,
            std::uint32_t block_edges, Scratch& scratch) {
    first_edge_ = sub_partition.first_edge;
    block_edges_ = block_edges;
    if (sub_partition.last_edge - sub_partition.first_edge <= kTermsPerPartial) return;
    scratch.clear(width);
    each_sampled(sub_partition.first_edge, sub_partition.last_edge, destinations, scratch, [&](EdgeCount e) {
      set_aside_after(static_cast<std::uint32_t>((e - first_edge_) / block_edges), destinations[e], scratch);
    });
    std::uint32_t num_partials = 0;
    for (Sum& sum : sums_) {
      sum.first_partial = num_partials;
      for (; sum.count != 0; sum.count >>= 1) ++num_partials;
    }
    partials_.resize(num_partials);
  }

  // For a partition that comes in pieces, once it has begun: plans the next one, whose edges count from
  // `num_before` on, a whole number of strata where it is not the last one. What is planned is as in one piece.
  void begin(std::uint32_t width, Scratch& scratch) {
    scratch.clear(width);
    sums_.clear();
    partials_.clear();
  }
  template <class Local>
  void plan_piece(EdgeCount num_before, std::uint32_t num_edges, const Local* destinations, std::uint32_t block_edges,
                  Scratch& scratch) {
    first_edge_ = 0;
    block_edges_ = block_edges;
    plan_.clear();
    const Local* const from_first = destinations - num_before;
    each_sampled(num_before, num_before + num_edges, from_first, scratch, [&](EdgeCount e) {
      const auto block = static_cast<std::uint32_t>(e / block_edges);
      std::uint32_t& index = scratch.sum_of[from_first[e]];
      if (index == kNone) {
        index = static_cast<std::uint32_t>(sums_.size());
        sums_.push_back({from_first[e], kNone, static_cast<std::uint32_t>(partials_.size()), 0});
        partials_.resize(partials_.size() + kMostPartials);
      }
      if (sums_[index].last_block == block) return;
      sums_[index].last_block = block;
      plan_.push_back({block - static_cast<std::uint32_t>(num_before / block_edges), index});
    });
    next_ = 0;
  }
  // The edge, counted in the piece, up to which nothing is due.
  EdgeCount start_piece() const { return due(); }

  // Before the sub-partition is streamed; returns the edge up to which nothing is due.
  EdgeCount start() {
    for (Sum& sum : sums_) sum.count = 0;
    next_ = 0;
    return due();
  }
  // With all edges before `edge` gathered in `buffer`: sets aside what is due, and returns the edge of the next time.
  __attribute__((noinline)) EdgeCount set_aside(EdgeCount edge, Update* buffer) {
    for (; due() <= edge; ++next_) {
      Sum& sum = sums_[plan_[next_].sum];
      push_partial<Hooks>(partials_.data() + sum.first_partial, sum.count++, buffer[sum.destination]);
      buffer[sum.destination] = Traits<Hooks>::identity();
    }
    return due();
  }
  // After the sub-partition.
  __attribute__((noinline)) void finish(Update* buffer) const {
    for (const Sum& sum : sums_) {
      Update& last = buffer[sum.destination];
      last = join_partials<Hooks>(partials_.data() + sum.first_partial, sum.count, last);
    }
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  static constexpr EdgeCount kSampledShare = 64, kSampledRun = 32;  // of 2 bytes: a line of the cache
  static constexpr std::uint8_t kSamplesPerPartial = kTermsPerPartial / kSampledShare;
  static constexpr std::size_t kMostPartials = 32;  // of a sum that no plan has counted

  // Calls found(e) for the edges where another kTermsPerPartial of a destination are likely to have come.
  template <class Local, class Found>
  static void each_sampled(EdgeCount first_edge, EdgeCount last_edge, const Local* destinations, Scratch& scratch,
                           const Found& found) {
    constexpr EdgeCount kStratum = kSampledShare * kSampledRun;
    for (EdgeCount stratum = first_edge; stratum < last_edge; stratum += kStratum) {
      // One run of every stratum, another one each time, lest a pattern in the graph meets one in the sample.
      const EdgeCount first = stratum + kSampledRun * ((stratum * 0x9e3779b97f4a7c15u) >> 58);
      const EdgeCount end = std::min(first + kSampledRun, last_edge);
      for (EdgeCount e = first; e < end; ++e) {
        if (++scratch.num_sampled[destinations[e]] < kSamplesPerPartial) continue;
        scratch.num_sampled[destinations[e]] = 0;
        found(e);
      }
    }
  }

  struct Sum {
    std::uint32_t destination, last_block, first_partial, count;
  };
  struct SetAside {
    std::uint32_t block, sum;
  };

  __attribute__((noinline)) void set_aside_after(std::uint32_t block, std::uint32_t destination, Scratch& scratch) {
    std::uint32_t& index = scratch.sum_of[destination];
    if (index == kNone) {
      index = static_cast<std::uint32_t>(sums_.size());
      sums_.push_back({destination, kNone, 0, 0});
    }
    Sum& sum = sums_[index];
    if (sum.last_block == block) return;
    sum.last_block = block;
    ++sum.count;
    plan_.push_back({block, index});
  }
  EdgeCount due() const {
    if (next_ == plan_.size()) return std::numeric_limits<EdgeCount>::max();
    return first_edge_ + (EdgeCount(plan_[next_].block) + 1) * block_edges_;
  }

  EdgeCount first_edge_ = 0;
  std::uint32_t block_edges_ = 1;
  std::vector<SetAside> plan_;  // in the order of the blocks
  std::vector<Sum> sums_;
  std::vector<Update> partials_;
  std::size_t next_ = 0;
};

}  // namespace engine
}  // namespace gaspipe
