// SPDX-License-Identifier: Apache-2.0
// The plain pipeline: one super-step over all partitions, every hook at its own stage. A compute unit streams its
// sub-partition of a partition's edges (preprocessProperty once per source read, scatterFunc per edge, isActive in the
// shuffle, updateMergeInRAWSolver on updates that meet on their way to one vertex, gatherFunc into its buffer);
// applyMerge joins the buffers of a partition's compute units; applyFunc makes the next property. Partitions are
// destination ranges, so no two threads write one vertex, and a buffer of 2^16 vertices stays in a core's cache.
// Method: X. Chen et al., "ThunderGP", FPGA 2021; K. Lakhotia et al., "PCPM", USENIX ATC 2018 (the same shape on CPUs).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include "gaspipe/engine/apply_block.h"
#include "gaspipe/engine/long_sums.h"

namespace gaspipe {
namespace engine {

constexpr std::uint32_t kBlockEdges = 1024;   // their sources stay in the L1 cache
constexpr std::uint32_t kRunGrain = 8;        // kron20: 85 % of the runs of a 2^16 partition are not longer
constexpr EdgeCount kEdgesPerPoll = 1 << 20;  // about 2 ms of streaming

template <class Program>
class GasStep {
  using Hooks = typename Program::Hooks;
  using Traits = gaspipe::Traits<Hooks>;
  using Property = typename Traits::Property;
  using EdgeProperty = typename Traits::EdgeProperty;
  using Update = typename Traits::Update;
  using Extra = typename Traits::Extra;
  using Arg = typename Traits::Arg;

 public:
  GasStep(State<Program>& state, const abi::Partitioning& partitioning)
      : state_(state), parts_(partitioning), next_(state.properties()), merges_(state.run.method == abi::kGas) {
    // One compute unit: a worker takes whole partitions and needs one buffer. Several: every unit of every partition
    // gathers first, then all are merged and applied.
    stride_ = (std::uint64_t(parts_.capacity) + 1 + 15) / 16 * 16;  // one spare entry; whole cache lines
    const std::uint64_t units =
        fused() ? std::uint64_t(state.workers.size()) : parts_.num_partitions * parts_.num_sub_partitions;
    buffers_ = make_block<Update>(units * stride_);
    chunk_first_.resize(parts_.num_partitions + 1);
    for (std::uint64_t p = 0; p < parts_.num_partitions; ++p) {
      const std::uint64_t width = parts_.partitions[p].last - parts_.partitions[p].first;
      chunk_first_[p + 1] = chunk_first_[p] + (width + kVertexGrain - 1) / kVertexGrain;
    }
    if constexpr (kGatherRounds<Hooks>) plan_long_sums();
  }

  abi::Superstep operator()(int step) {
    Workers& workers = state_.workers;
    abi::Superstep stats{abi::kGasStep, state_.frontier.size(), state_.csr().num_edges, {}};
    const Arg arg = read_arg(state_.program, step, state_.extras.total());
    state_.extras.start(chunk_first_.back());
    if constexpr (Traits::kIdempotent) state_.frontier.clear();
    Stopwatch watch;
    if (fused()) {
      std::vector<Seconds> seconds(workers.size());
      workers.each(parts_.num_partitions, 1, [&](std::uint64_t p, std::uint64_t, int worker) {
        Stopwatch lap;
        Update* buffer = buffers_.get() + worker * stride_;
        if (!gather(p, 0, buffer, worker)) return;
        seconds[worker].gather += lap.lap();
        const std::uint64_t chunks = chunk_first_[p + 1] - chunk_first_[p];
        for (std::uint64_t c = 0; c < chunks; ++c) apply(p, c, buffer, arg, worker);
        seconds[worker].apply += lap.lap();
      });
      // The phases of different partitions overlap: the wall time is split in proportion to the workers' time.
      double gathering = 0, applying = 0;
      for (const Seconds& part : seconds) gathering += part.gather, applying += part.apply;
      const double wall = watch.seconds();
      const double share = gathering + applying > 0 ? gathering / (gathering + applying) : 0;
      stats.seconds[abi::kScatterGather] = wall * share;
      stats.seconds[abi::kApply] = wall - stats.seconds[abi::kScatterGather];
    } else {
      workers.each(parts_.num_partitions * parts_.num_sub_partitions, 1,
                   [&](std::uint64_t unit, std::uint64_t, int worker) {
                     gather(unit / parts_.num_sub_partitions, unit % parts_.num_sub_partitions,
                            buffers_.get() + unit * stride_, worker);
                   });
      stats.seconds[abi::kScatterGather] = watch.lap();
      workers.each(chunk_first_.back(), 1, [&](std::uint64_t chunk, std::uint64_t, int worker) {
        const std::uint64_t p =
            std::upper_bound(chunk_first_.begin(), chunk_first_.end(), chunk) - chunk_first_.begin() - 1;
        apply(p, chunk - chunk_first_[p], buffers_.get() + p * parts_.num_sub_partitions * stride_, arg, worker);
      });
      stats.seconds[abi::kApply] = watch.lap();
    }
    state_.extras.finish();
    if constexpr (Traits::kIdempotent) state_.frontier.collect();
    std::swap(state_.property, next_);
    return stats;
  }

 private:
  struct Seconds {  // of a worker
    double gather = 0, apply = 0;
  };

  // Holds the update on its way to gather, so that one to the same vertex can meet it. It starts with one to the spare
  // entry past the range.
  struct RawSolver {
    Update* buffer;
    std::uint32_t destination;
    Update update;

    void take(std::uint32_t arriving_at, Update arriving) {
      if (arriving_at == destination) {
        update = Hooks::updateMergeInRAWSolver(update, arriving);
      } else {
        flush();
        destination = arriving_at;
        update = arriving;
      }
    }
    // Ends with nothing held, as at the start.
    void settle(std::uint32_t spare) {
      flush();
      destination = spare;
      update = Traits::identity();
    }
    void flush() const { buffer[destination] = Hooks::gatherFunc(buffer[destination], update); }
  };

  bool fused() const { return parts_.num_sub_partitions == 1; }

  void plan_long_sums() {
    const std::uint64_t units = parts_.num_partitions * parts_.num_sub_partitions;
    long_sums_.resize(units);
    std::vector<typename LongSums<Hooks>::Scratch> scratch(state_.workers.size());
    std::atomic<bool> out_of_memory{false};
    state_.workers.each(units, 1, [&](std::uint64_t unit, std::uint64_t, int worker) {
      const abi::Partition& part = parts_.partitions[unit / parts_.num_sub_partitions];
      const abi::SubPartition& sub_partition = part.sub_partitions[unit % parts_.num_sub_partitions];
      const auto plan = [&](const auto* destinations) {
        long_sums_[unit].plan(sub_partition, destinations, part.last - part.first, kBlockEdges, scratch[worker]);
      };
      try {
        parts_.destination_bytes == 2 ? plan(static_cast<const std::uint16_t*>(part.destinations))
                                      : plan(static_cast<const std::uint32_t*>(part.destinations));
      } catch (const std::bad_alloc&) {
        out_of_memory = true;  // nothing may be thrown in a loop of the workers
      }
    });
    if (out_of_memory) throw std::bad_alloc();
  }

  // Streams sub-partition `sub_partition` of partition `p` into `buffer`; false when the run was cancelled on the way.
  bool gather(std::uint64_t p, std::uint64_t sub_partition, Update* buffer, int worker) {
    const abi::Partition& part = parts_.partitions[p];
    LongSums<Hooks>* long_sums =
        kGatherRounds<Hooks> ? &long_sums_[p * parts_.num_sub_partitions + sub_partition] : nullptr;
    return parts_.destination_bytes == 2
               ? gather(part, part.sub_partitions[sub_partition], static_cast<const std::uint16_t*>(part.destinations),
                        long_sums, buffer, worker)
               : gather(part, part.sub_partitions[sub_partition], static_cast<const std::uint32_t*>(part.destinations),
                        long_sums, buffer, worker);
  }

  template <class Local>
  bool gather(const abi::Partition& part, const abi::SubPartition& sub_partition, const Local* destinations,
              LongSums<Hooks>* long_sums, Update* buffer, int worker) const {
    const std::uint32_t width = part.last - part.first;
    std::fill_n(buffer, width + 1, Traits::identity());
    const Weights<EdgeProperty> weights{static_cast<const EdgeProperty*>(part.weights)};
    const Property* property = state_.property.get();
    RawSolver raw{buffer, width, Traits::identity()};
    std::uint64_t run = sub_partition.first_run;
    std::uint32_t skip = sub_partition.skip;
    EdgeCount edge = sub_partition.first_edge, next_poll = edge + kEdgesPerPoll, next_set_aside = 0;
    if constexpr (kGatherRounds<Hooks>) next_set_aside = long_sums->start();
    while (edge < sub_partition.last_edge) {
      if constexpr (Traits::kFilters) {
        // Run by run: whether updates are active is mostly the same for a whole run.
        const Property source = Hooks::preprocessProperty(property[part.run_sources[run]]);
        EdgeCount end = std::min<EdgeCount>(edge + part.run_lengths[run++] - skip, sub_partition.last_edge);
        if constexpr (kGatherRounds<Hooks>) {
          if (end > next_set_aside) {  // the rest of the run comes after what is due
            end = next_set_aside;
            skip += static_cast<std::uint32_t>(end - edge);
            --run;
          } else {
            skip = 0;
          }
        } else {
          skip = 0;
        }
        for (; edge < end; ++edge) {
          const Update update = Hooks::scatterFunc(source, weights[edge]);
          if (Traits::is_active(update)) raw.take(destinations[edge], update);
        }
      } else if (!merges_) {
        // Block by block, and without a branch that hangs on a run: one that ends with each is mispredicted each time.
        const auto size = static_cast<std::uint32_t>(std::min<EdgeCount>(kBlockEdges, sub_partition.last_edge - edge));
        std::uint8_t starts[kBlockEdges];  // whether a run starts there
        Property sources[kBlockEdges + 1];
        std::memset(starts, 0, size);
        sources[0] = Hooks::preprocessProperty(property[part.run_sources[run]]);
        Property* source = sources;
        std::uint32_t at = part.run_lengths[run] - skip;
        while (at < size) {
          starts[at] = 1;
          *++source = Hooks::preprocessProperty(property[part.run_sources[++run]]);
          at += part.run_lengths[run];
        }
        skip = at == size ? 0 : part.run_lengths[run] - (at - size);
        run += at == size;
        source = sources;
        for (std::uint32_t i = 0; i < size; ++i) {
          source += starts[i];
          Update& sum = buffer[destinations[edge + i]];
          sum = Hooks::gatherFunc(sum, Hooks::scatterFunc(*source, weights[edge + i]));
        }
        edge += size;
      } else {
        // Block by block, with the source of every edge laid out first, kRunGrain at a time: most runs are shorter, and
        // a loop that ends with each of them is mispredicted each time.
        Property sources[kBlockEdges + kRunGrain];
        const auto size = static_cast<std::uint32_t>(std::min<EdgeCount>(kBlockEdges, sub_partition.last_edge - edge));
        for (std::uint32_t filled = 0; filled < size;) {
          const Property source = Hooks::preprocessProperty(property[part.run_sources[run]]);
          const std::uint32_t left = part.run_lengths[run] - skip, taken = std::min(left, size - filled);
          std::uint32_t i = 0;
          do {
            std::fill_n(sources + filled + i, kRunGrain, source);
            i += kRunGrain;
          } while (i < taken);
          filled += taken;
          skip = taken == left ? 0 : skip + taken;
          run += taken == left;
        }
        for (std::uint32_t i = 0; i < size; ++i) {
          raw.take(destinations[edge + i], Hooks::scatterFunc(sources[i], weights[edge + i]));
        }
        edge += size;
      }
      if constexpr (kGatherRounds<Hooks>) {
        if (edge >= next_set_aside) {
          raw.settle(width);
          next_set_aside = long_sums->set_aside(edge, buffer);
        }
      }
      if (edge >= next_poll) {
        if (state_.workers.poll(worker)) return false;
        next_poll = edge + kEdgesPerPoll;
      }
    }
    raw.flush();
    if constexpr (kGatherRounds<Hooks>) long_sums->finish(buffer);
    return true;
  }

  // Merges the compute units' buffers and applies, for one chunk of a partition's vertices.
  void apply(std::uint64_t p, std::uint64_t chunk, const Update* buffers, const Arg& arg, int worker) {
    const abi::Partition& part = parts_.partitions[p];
    const std::uint64_t first = part.first + chunk * kVertexGrain;
    const std::uint64_t last = std::min<std::uint64_t>(first + kVertexGrain, part.last);
    const ApplyBlock<Program> apply_block(state_);
    const Property* property = state_.property.get();
    Property* next = next_.get();
    Extra extra[Traits::kExtraSlots] = {};
    for (std::uint64_t v = first; v < last; v += kApplyBlock) {
      const auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>(kApplyBlock, last - v));
      const Update* gathered = buffers + (v - part.first);
      Update merged[kApplyBlock];
      if (parts_.num_sub_partitions > 1) {
        std::copy_n(gathered, size, merged);
        for (std::uint32_t unit = 1; unit < parts_.num_sub_partitions; ++unit) {
          const Update* more = gathered + unit * stride_;
          for (std::uint32_t i = 0; i < size; ++i) merged[i] = Hooks::applyMerge(merged[i], more[i]);
        }
        gathered = merged;
      }
      apply_block(static_cast<VertexId>(v), size, gathered, property + v, next + v, arg, extra);
      if constexpr (Traits::kIdempotent) {
        for (std::uint64_t u = v; u < v + size; ++u) {
          if (next[u] == property[u]) continue;
          state_.frontier.add(static_cast<VertexId>(u), worker);
        }
      }
    }
    for (int k = 0; k < Traits::kExtraSlots; ++k) state_.extras.set(chunk_first_[p] + chunk, k, extra[k]);
  }

  State<Program>& state_;
  const abi::Partitioning& parts_;
  Block<Property> next_;
  Block<Update> buffers_;
  std::vector<LongSums<Hooks>> long_sums_;  // one per sub-partition; none where no order of gathers shows
  const bool merges_;                       // updates that meet on their way, as the hardware does
  std::uint64_t stride_ = 0;
  std::vector<std::uint64_t> chunk_first_;  // first chunk of every partition, in the order of their vertices
};

}  // namespace engine
}  // namespace gaspipe
