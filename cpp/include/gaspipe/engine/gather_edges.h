// SPDX-License-Identifier: Apache-2.0
// The inner loop of the plain pipeline: edges of a partition, sorted by source, into the buffer of its destinations.
#pragma once

#include <algorithm>

#include "gaspipe/engine/active_runs.h"
#include "gaspipe/engine/long_sums.h"
#include "gaspipe/engine/run_starts.h"
#include "gaspipe/engine/state.h"

namespace gaspipe {
namespace engine {

constexpr std::uint32_t kBlockEdges = 1024;   // their sources stay in the L1 cache
constexpr std::uint32_t kRunGrain = 8;        // kron20: 85 % of the runs of a 2^16 partition are not longer
constexpr EdgeCount kEdgesPerPoll = 1 << 20;  // about 2 ms of streaming

template <class Program>
class GatherEdges {
  using Hooks = typename Program::Hooks;
  using Traits = gaspipe::Traits<Hooks>;
  using Property = typename Traits::Property;
  using EdgeProperty = typename Traits::EdgeProperty;
  using Update = typename Traits::Update;

 public:
  // `merges`: updates that meet on their way, as the hardware does. `filters`: run by run, those that are not active;
  // else they are gathered as identities, without a branch.
  GatherEdges(const State<Program>& state, bool merges, bool filters)
      : state_(state), merges_(merges), filters_(filters) {}

  // What is made before, of a sub-partition whose edges come block by block without merging.
  struct Inputs {
    const std::uint8_t* starts = nullptr;  // its RunStarts
    const Property* bin = nullptr;         // its partition's SourceBins; null: sources are read where they are
  };
  bool takes_inputs() const { return !merges_ && !(Traits::kFilters && filters_); }

  // The edges of some runs of a piece.
  template <class Local>
  void operator()(const abi::Partition& part, const ActiveRuns& runs, const Local* destinations, Update* buffer) const {
    const Weights<EdgeProperty> weights{static_cast<const EdgeProperty*>(part.weights)};
    const Property* property = state_.property.get();
    for (const ActiveRuns::Run& run : runs) {
      const Property source = Hooks::preprocessProperty(property[run.source]);
      for (std::uint32_t edge = run.first_edge; edge < run.first_edge + run.num_edges; ++edge) {
        gather(Hooks::scatterFunc(source, weights[edge]), buffer[destinations[edge]]);
      }
    }
  }

  // Adds edges to what `buffer` has of their partition, `width` destinations wide.
  template <class Local>
  bool operator()(const abi::Partition& part, const abi::SubPartition& sub_partition, std::uint32_t width,
                  const Local* destinations, LongSums<Hooks>* long_sums, EdgeCount next_set_aside, const Inputs& inputs,
                  Update* buffer, int worker) const {
    const Weights<EdgeProperty> weights{static_cast<const EdgeProperty*>(part.weights)};
    const Property* property = state_.property.get();
    RawSolver raw{buffer, width, Traits::identity()};
    std::uint64_t run = sub_partition.first_run;
    std::uint32_t skip = sub_partition.skip;
    EdgeCount edge = sub_partition.first_edge, next_poll = edge + kEdgesPerPoll;
    while (edge < sub_partition.last_edge) {
      if (Traits::kFilters && filters_) {
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
        // Block by block, and without a branch that hangs on a run.
        const auto size = static_cast<std::uint32_t>(std::min<EdgeCount>(kBlockEdges, sub_partition.last_edge - edge));
        const std::uint8_t* const starts = inputs.starts + (edge - sub_partition.first_edge) / 8;
        if (inputs.bin != nullptr) {
          run += gather_block(starts, inputs.bin + run, weights, edge, size, destinations, buffer);
        } else {
          Property sources[kBlockEdges + 1];
          const std::uint32_t num_starts = RunStarts::count(starts, (size + 7) / 8);
          for (std::uint32_t k = 0; k <= num_starts; ++k) {
            sources[k] = Hooks::preprocessProperty(property[part.run_sources[run + k]]);
          }
          run += gather_block(starts, sources, weights, edge, size, destinations, buffer);
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
    return true;
  }

 private:
  // `size` edges from `edge` on. `starts`: the bits of their runs' starts; `source`: what the run of the edge before
  // sends, and those of later runs after it. Returns how many runs start.
  template <class Local>
  static std::uint64_t gather_block(const std::uint8_t* starts, const Property* const first_source,
                                    const Weights<EdgeProperty>& weights, EdgeCount edge, std::uint32_t size,
                                    const Local* destinations, Update* buffer) {
    const Property* source = first_source;
    const Local* const to = destinations + edge;
    std::uint32_t i = 0;
    const auto take = [&](std::uint32_t k, const std::uint8_t* num_starts) {
      gather(Hooks::scatterFunc(source[num_starts[k]], weights[edge + i + k]), buffer[to[i + k]]);
    };
    for (; i + 8 <= size; i += 8) {
      const std::uint8_t* const num_starts = kStartsUpTo.counts[*starts++];
      for (std::uint32_t k = 0; k < 8; ++k) take(k, num_starts);
      source += num_starts[7];
    }
    if (i < size) {
      const std::uint8_t* const num_starts = kStartsUpTo.counts[*starts];
      for (std::uint32_t k = 0; k < size - i; ++k) take(k, num_starts);
      source += num_starts[7];
    }
    return static_cast<std::uint64_t>(source - first_source);
  }

  static void gather(const Update& update, Update& sum) {
    if constexpr (Traits::kFilters) {
      sum = Hooks::gatherFunc(sum, Traits::is_active(update) ? update : Traits::identity());
    } else {
      sum = Hooks::gatherFunc(sum, update);
    }
  }

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

  const State<Program>& state_;
  const bool merges_, filters_;
};

}  // namespace engine
}  // namespace gaspipe
