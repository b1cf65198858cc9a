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
#include <optional>

#include "gaspipe/engine/apply_block.h"
#include "gaspipe/engine/gather_edges.h"
#include "gaspipe/engine/source_bins.h"
#include "gaspipe/engine/vertex_map.h"

namespace gaspipe {
namespace engine {

template <class Program>
class GasStep {
  using Hooks = typename Program::Hooks;
  using Traits = gaspipe::Traits<Hooks>;
  using Property = typename Traits::Property;
  using EdgeProperty = typename Traits::EdgeProperty;
  using Update = typename Traits::Update;
  using Extra = typename Traits::Extra;
  using Arg = typename Traits::Arg;
  using Inputs = typename GatherEdges<Program>::Inputs;

 public:
  GasStep(State<Program>& state, const abi::Partitioning& partitioning)
      : state_(state),
        parts_(partitioning),
        next_(state.properties()),
        gather_edges_(state, state.run.method == abi::kGas, parts_.stream == nullptr) {
    if (parts_.stream != nullptr) {
      pieces_.resize(static_cast<std::size_t>(state.workers.size()));
      if constexpr (Traits::kIdempotent)
        active_ = Bitmap(state.num_vertices()), changed_ = Bitmap(state.num_vertices());
    }
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
    if (parts_.stream == nullptr) {
      plan_units();
      if (gather_edges_.takes_inputs() && SourceBins<Program>::pay(state_)) bins_.emplace(state_, parts_);
    }
  }

  abi::Superstep operator()(int step) {
    Workers& workers = state_.workers;
    abi::Superstep stats{abi::kGasStep, state_.frontier.size(), state_.csr().num_edges, {}};
    const Arg arg = read_arg(state_.program, step, state_.extras.total());
    state_.extras.start(chunk_first_.back());
    if constexpr (Traits::kIdempotent) state_.frontier.clear();
    Stopwatch watch;
    if (parts_.stream != nullptr) {
      stats.edges = stream_all(step, arg, stats);
    } else if (fused()) {
      std::vector<Seconds> seconds(workers.size());
      each_unit([&](std::uint64_t p, int worker) {
        Stopwatch lap;
        Update* buffer = buffers_.get() + worker * stride_;
        if (!gather(p, buffer, worker)) return;
        seconds[worker].gather += lap.lap();
        apply_all(p, buffer, arg, worker);
        seconds[worker].apply += lap.lap();
      });
      split(watch.seconds(), seconds, stats);
    } else {
      each_unit([&](std::uint64_t unit, int worker) { gather(unit, buffers_.get() + unit * stride_, worker); });
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
    // Ghosts are no destinations. Of programs whose every value is sent in every super-step they come anew.
    if (Traits::kIdempotent && state_.num_own() < state_.num_vertices()) {
      std::copy(state_.property.get() + state_.num_own(), state_.property.get() + state_.num_vertices(),
                next_.get() + state_.num_own());
    }
    std::swap(state_.property, next_);
    return stats;
  }

 private:
  struct Seconds {  // of a worker
    double gather = 0, apply = 0;
  };

  // Of a worker, while a partition comes to it in pieces.
  struct Pieces {
    ActiveRuns active_runs;
    LongSums<Hooks> long_sums;
    typename LongSums<Hooks>::Scratch scratch;
    RunStarts starts;
  };

  bool fused() const { return parts_.num_sub_partitions == 1; }

  // The phases of different partitions overlap: the wall time is split in proportion to the workers' time.
  static void split(double wall, const std::vector<Seconds>& seconds, abi::Superstep& stats) {
    double gathering = 0, applying = 0;
    for (const Seconds& part : seconds) gathering += part.gather, applying += part.apply;
    const double share = gathering + applying > 0 ? gathering / (gathering + applying) : 0;
    stats.seconds[abi::kScatterGather] = wall * share;
    stats.seconds[abi::kApply] = wall - stats.seconds[abi::kScatterGather];
  }

  // Partitions from a stream, each to the worker that asks for it; returns the number of edges.
  EdgeCount stream_all(int step, const Arg& arg, abi::Superstep& stats) {
    Workers& workers = state_.workers;
    const abi::EdgeStream& stream = *parts_.stream;
    Stopwatch watch;
    if (Traits::kIdempotent && (step == 0 || !has_marked_)) mark_sources();
    if (stream.begin(stream.self, Traits::kIdempotent ? active_.words() : nullptr) < 0) {
      workers.cancel();
      return 0;
    }
    if constexpr (Traits::kIdempotent) selects_runs_ = active_.count() < state_.num_vertices() / 2;
    std::vector<Seconds> seconds(workers.size());
    std::atomic<EdgeCount> num_edges{0};
    std::atomic<bool> has_failed{false}, out_of_memory{false};
    // Together, as workers sleep while they wait for the disk: in each() that time counts as taken by other programs.
    workers.together([&](int worker, int) {
      try {
        EdgeCount own = 0;
        while (true) {
          Stopwatch lap;
          const std::int64_t p = stream.next_partition(stream.self, worker);
          if (p < 0) has_failed = true;
          if (p < 0 || static_cast<std::uint64_t>(p) == parts_.num_partitions) break;
          Update* buffer = buffers_.get() + worker * stride_;
          const std::int64_t streamed = gather_pieces(static_cast<std::uint64_t>(p), buffer, worker);
          if (streamed < 0) {
            has_failed = true;
            break;
          }
          own += static_cast<EdgeCount>(streamed);
          seconds[worker].gather += lap.lap();
          apply_all(static_cast<std::uint64_t>(p), buffer, arg, worker);
          seconds[worker].apply += lap.lap();
        }
        num_edges += own;
      } catch (const std::bad_alloc&) {
        out_of_memory = true;  // nothing may be thrown in a loop of the workers
      }
    });
    if (out_of_memory) throw std::bad_alloc();
    if (has_failed) workers.cancel();
    if constexpr (Traits::kIdempotent) std::swap(active_, changed_);
    split(watch.seconds(), seconds, stats);
    return num_edges;
  }
  // Which vertices have updates to send in a first step, of a run that goes on too. Later ones are marked where they
  // change.
  void mark_sources() {
    has_marked_ = true;
    state_.workers.each(active_.num_words(), kWordGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      active_.assign_words(first, last, [&](VertexId v) { return Traits::is_source(state_.property[v]); });
    });
  }
  // The number of edges; negative where the stream has failed.
  std::int64_t gather_pieces(std::uint64_t p, Update* buffer, int worker) {
    const abi::EdgeStream& stream = *parts_.stream;
    const std::uint32_t width = parts_.partitions[p].last - parts_.partitions[p].first;
    std::fill_n(buffer, width + 1, Traits::identity());
    Pieces& pieces = pieces_[static_cast<std::size_t>(worker)];
    if constexpr (kGatherRounds<Hooks>) pieces.long_sums.begin(parts_.capacity, pieces.scratch);
    EdgeCount num_edges = 0;
    while (true) {
      abi::Partition piece;
      const std::int32_t is_there = stream.next_piece(stream.self, worker, &piece);
      if (is_there < 0) return -1;
      if (is_there == 0) break;
      const auto* destinations = static_cast<const std::uint16_t*>(piece.destinations);
      num_edges += piece.num_edges;
      if constexpr (Traits::kIdempotent) {
        if (selects_runs_ && pieces.active_runs.select(piece, active_)) {
          gather_edges_(piece, pieces.active_runs, destinations, buffer);
          continue;
        }
      }
      EdgeCount next_set_aside = 0;
      if constexpr (kGatherRounds<Hooks>) {
        pieces.long_sums.plan_piece(num_edges - piece.num_edges, static_cast<std::uint32_t>(piece.num_edges),
                                    destinations, kBlockEdges, pieces.scratch);
        next_set_aside = pieces.long_sums.start_piece();
      }
      if (gather_edges_.takes_inputs()) pieces.starts.note(piece, *piece.sub_partitions);
      if (!gather_edges_(piece, *piece.sub_partitions, width, destinations, &pieces.long_sums, next_set_aside,
                         Inputs{pieces.starts.bits(), nullptr}, buffer, worker)) {
        return -1;
      }
    }
    if constexpr (kGatherRounds<Hooks>) pieces.long_sums.finish(buffer);
    return static_cast<std::int64_t>(num_edges);
  }

  // What streams of edges in memory read besides, in every super-step.
  void plan_units() {
    const std::uint64_t units = parts_.num_partitions * parts_.num_sub_partitions;
    if (kGatherRounds<Hooks>) long_sums_.resize(units);
    if (gather_edges_.takes_inputs()) starts_.resize(units);
    std::vector<typename LongSums<Hooks>::Scratch> scratch(state_.workers.size());
    std::atomic<bool> out_of_memory{false};
    state_.workers.each(units, 1, [&](std::uint64_t unit, std::uint64_t, int worker) {
      const abi::Partition& part = parts_.partitions[unit / parts_.num_sub_partitions];
      const auto plan = [&](const auto* destinations) {
        long_sums_[unit].plan(sub_partition(unit), destinations, part.last - part.first, kBlockEdges, scratch[worker]);
      };
      try {
        if (!starts_.empty()) starts_[unit].note(part, sub_partition(unit));
        if (!kGatherRounds<Hooks>) return;
        parts_.destination_bytes == 2 ? plan(static_cast<const std::uint16_t*>(part.destinations))
                                      : plan(static_cast<const std::uint32_t*>(part.destinations));
      } catch (const std::bad_alloc&) {
        out_of_memory = true;  // nothing may be thrown in a loop of the workers
      }
    });
    if (out_of_memory) throw std::bad_alloc();
  }

  // Calls body(unit, worker) for all of them, with what their sources send at hand.
  template <class Body>
  void each_unit(Body&& body) {
    const auto each = [&](std::uint64_t first_partition, std::uint64_t last_partition) {
      const std::uint64_t first = first_partition * parts_.num_sub_partitions;
      const std::uint64_t size = (last_partition - first_partition) * parts_.num_sub_partitions;
      state_.workers.each(size, 1, [&](std::uint64_t i, std::uint64_t, int worker) { body(first + i, worker); });
    };
    if (!bins_) return each(0, parts_.num_partitions);
    for (std::uint64_t round = 0; round < bins_->num_rounds(); ++round) {
      bins_->fill(round);
      each(bins_->first_of(round), bins_->first_of(round + 1));
    }
  }

  const abi::SubPartition& sub_partition(std::uint64_t unit) const {
    return parts_.partitions[unit / parts_.num_sub_partitions].sub_partitions[unit % parts_.num_sub_partitions];
  }
  // Streams a compute unit's edges into `buffer`; false when the run was cancelled on the way.
  bool gather(std::uint64_t unit, Update* buffer, int worker) {
    const abi::Partition& part = parts_.partitions[unit / parts_.num_sub_partitions];
    return parts_.destination_bytes == 2
               ? gather(unit, part, static_cast<const std::uint16_t*>(part.destinations), buffer, worker)
               : gather(unit, part, static_cast<const std::uint32_t*>(part.destinations), buffer, worker);
  }
  template <class Local>
  bool gather(std::uint64_t unit, const abi::Partition& part, const Local* destinations, Update* buffer, int worker) {
    const std::uint32_t width = part.last - part.first;
    std::fill_n(buffer, width + 1, Traits::identity());
    LongSums<Hooks>* const long_sums = kGatherRounds<Hooks> ? &long_sums_[unit] : nullptr;
    EdgeCount next_set_aside = 0;
    if constexpr (kGatherRounds<Hooks>) next_set_aside = long_sums->start();
    Inputs inputs;
    if (!starts_.empty()) inputs.starts = starts_[unit].bits();
    if (bins_) inputs.bin = bins_->of(unit / parts_.num_sub_partitions);
    if (!gather_edges_(part, sub_partition(unit), width, destinations, long_sums, next_set_aside, inputs, buffer,
                       worker)) {
      return false;
    }
    if constexpr (kGatherRounds<Hooks>) long_sums->finish(buffer);
    return true;
  }

  void apply_all(std::uint64_t p, const Update* buffer, const Arg& arg, int worker) {
    const std::uint64_t chunks = chunk_first_[p + 1] - chunk_first_[p];
    for (std::uint64_t c = 0; c < chunks; ++c) apply(p, c, buffer, arg, worker);
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
        const auto has_changed = [&](std::uint64_t u) { return !(next[u] == property[u]); };
        const auto add = [&](std::uint64_t u) { state_.frontier.add(static_cast<VertexId>(u), worker); };
        if (parts_.stream != nullptr) {  // blocks are of whole words
          const std::uint64_t word = v / Bitmap::kWordBits, end = (v + size - 1) / Bitmap::kWordBits + 1;
          changed_.assign_words(word, end, has_changed);
          changed_.each_in_words(word, end, add);
        } else {
          for (std::uint64_t u = v; u < v + size; ++u) {
            if (has_changed(u)) add(u);
          }
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
  std::vector<RunStarts> starts_;           // one per sub-partition, where edges come block by block
  std::optional<SourceBins<Program>> bins_;
  std::vector<Pieces> pieces_;  // by worker, of a stream
  bool has_marked_ = false;
  Bitmap active_, changed_;    // of a stream: vertices that changed in the last step, and in this one
  bool selects_runs_ = false;  // few are
  const GatherEdges<Program> gather_edges_;
  std::uint64_t stride_ = 0;
  std::vector<std::uint64_t> chunk_first_;  // first chunk of every partition, in the order of their vertices
};

}  // namespace engine
}  // namespace gaspipe
