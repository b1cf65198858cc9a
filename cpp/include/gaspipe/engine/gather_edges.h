// SPDX-License-Identifier: Apache-2.0
// The inner loop of the plain pipeline: edges of a partition, sorted by source, into the buffer of its destinations.
#pragma once

#include <algorithm>
#include <cstring>

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

  // Whether edges come block by block without merging, so that it pays to keep where their runs start.
  bool takes_starts() const { return !merges_ && !(Traits::kFilters && filters_); }

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

  // Adds edges to what `buffer` has of their partition, `width` destinations wide. `starts`: of the sub-partition,
  // noted by the first call and read by later ones; null where there will be none.
  template <class Local>
  bool operator()(const abi::Partition& part, const abi::SubPartition& sub_partition, std::uint32_t width,
                  const Local* destinations, LongSums<Hooks>* long_sums, EdgeCount next_set_aside, RunStarts* starts,
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
        // Block by block, and without a branch that hangs on a run: one that ends with each is mispredicted each time.
        const auto size = static_cast<std::uint32_t>(std::min<EdgeCount>(kBlockEdges, sub_partition.last_edge - edge));
        std::uint8_t is_start[kBlockEdges];  // whether another run starts there
        Property sources[kBlockEdges + 1];
        if (starts != nullptr && starts->are_known()) {
          const std::uint32_t later_runs = starts->read(size, is_start, run);
          const std::uint32_t* const run_sources = part.run_sources + run;
          for (std::uint32_t k = 0; k <= later_runs; ++k) {
            sources[k] = Hooks::preprocessProperty(property[run_sources[k]]);
          }
          run += later_runs;
        } else {
          std::memset(is_start, 0, size);
          sources[0] = Hooks::preprocessProperty(property[part.run_sources[run]]);
          Property* source = sources;
          std::uint32_t at = part.run_lengths[run] - skip;
          while (at < size) {
            is_start[at] = 1;
            *++source = Hooks::preprocessProperty(property[part.run_sources[++run]]);
            at += part.run_lengths[run];
          }
          if (starts != nullptr) starts->add(size, is_start, at == size);
          skip = at == size ? 0 : part.run_lengths[run] - (at - size);
          run += at == size;
        }
        const Property* source = sources;
        for (std::uint32_t i = 0; i < size; ++i) {
          source += is_start[i];
          gather(Hooks::scatterFunc(*source, weights[edge + i]), buffer[destinations[edge + i]]);
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
