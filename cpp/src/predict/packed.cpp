// SPDX-License-Identifier: Apache-2.0
// The kernels for packed edges (hls/kernel/packed_gather_scatter.h), timed; and, for an ablation, with a launch for
// every sub-partition, and without passing over those that no vertex sends along.
#include "hls/kernel/packed_gather_scatter.h"
#include "hls/kernel/pipelines.h"
#include "resources.h"
#include "timed_hooks.h"

namespace gaspipe {
namespace predict {
namespace {

using Width = PipelineConfig<kPackedPipeline>;

// The sub-partitions' edges, packed, with their descriptors.
struct PackedSubPartitions {
  std::vector<Word<std::uint32_t>> edges, descriptors;

  void add(const TimedSubPartition& sub_partition, std::size_t first_weight_word, std::size_t first_gathered_word) {
    const auto num_edges = static_cast<EdgeCount>(sub_partition.num_words) * Word<VertexId>::kSize;
    const VertexId* const sources = num_edges == 0 ? nullptr : sub_partition.sources->lane;
    const VertexId* const destinations = num_edges == 0 ? nullptr : sub_partition.destinations->lane;
    const VertexId base = num_edges == 0 ? 0 : sources[0];
    const std::size_t first_word = edges.size();
    edges.resize(first_word + static_cast<std::size_t>(
                                  PackedEdgeCodec::padded(num_edges, base, [&](EdgeCount i) { return sources[i]; }) /
                                  PackedEdgeCodec::kEdgesPerWord));
    std::uint32_t* const words = edges.empty() ? nullptr : edges[0].lane + first_word * PackedEdgeCodec::kEdgesPerWord;
    PackedEdgeCodec::encode(
        num_edges, base, [&](EdgeCount i) { return sources[i]; },
        [&](EdgeCount i) {  // an update that is not sent is padding
          return destinations[i] == kNoVertex ? PackedEdgeCodec::kPadding : destinations[i] - sub_partition.first;
        },
        [&](EdgeCount place, std::uint32_t word, EdgeCount /*edge*/) { words[place] = word; });
    Word<std::uint32_t> descriptor{};
    descriptor.lane[SubPartitionLane::kFirstEdgeWord] = static_cast<std::uint32_t>(first_word);
    descriptor.lane[SubPartitionLane::kNumEdgeWords] = static_cast<std::uint32_t>(edges.size() - first_word);
    descriptor.lane[SubPartitionLane::kFirstWeightWord] = static_cast<std::uint32_t>(first_weight_word);
    descriptor.lane[SubPartitionLane::kFirstVertex] = sub_partition.first;
    descriptor.lane[SubPartitionLane::kLastVertex] = sub_partition.last;
    descriptor.lane[SubPartitionLane::kFirstGatheredWord] = static_cast<std::uint32_t>(first_gathered_word);
    descriptor.lane[SubPartitionLane::kBaseSource] = base;
    descriptors.push_back(descriptor);
  }
};

template <class Value, bool weighted, bool is_idempotent>
KernelTiming time_launch(const GatherScatterLaunch& launch, const Surroundings& around) {
  constexpr std::size_t kWeightWords = weighted ? sizeof(Value) / sizeof(VertexId) : 0;  // of a word of edges
  PackedSubPartitions packed;
  std::vector<std::size_t> first_gathered;
  std::size_t num_gathered = 0;
  for (const TimedSubPartition& sub_partition : launch.sub_partitions) {
    packed.add(sub_partition, packed.edges.size() * kWeightWords, num_gathered);
    first_gathered.push_back(num_gathered);
    num_gathered += std::size_t(rows_per_pe<Value, Width::kPes>(sub_partition.first, sub_partition.last)) *
                    words_per_row<Width::kPes>();
  }
  first_gathered.push_back(num_gathered);
  const std::vector<Word<Value>> properties(words_of<Value>(launch.num_vertices));
  const std::vector<Word<Value>> weights(packed.edges.size() * kWeightWords);
  std::vector<Word<Value>> gathered(num_gathered);
  const std::size_t hbm = around.is_hbm ? 1 : 0;
  emulator::MemoryMap memory = memory_of(around, num_channels(around.is_hbm));
  const auto add = [&](const char* name, const auto& array, std::size_t bank, bool writable) {
    if (!array.empty()) memory.add(name, array.data(), array.size() * sizeof array[0], bank, writable);
  };
  add("edges", packed.edges, 0, false);
  add("weights", weights, 2 * hbm, false);
  add("properties", properties, 3 * hbm, false);
  add("sub_partitions", packed.descriptors, hbm, false);
  add("gathered", gathered, 3 * hbm, true);
  std::vector<std::size_t> parts;
  for (std::size_t i = 0; i + 1 < first_gathered.size(); ++i) {
    parts.push_back(memory.add_part(gathered.data() + first_gathered[i],
                                    (first_gathered[i + 1] - first_gathered[i]) * sizeof gathered[0]));
  }
  KernelTiming timing = timed(around, memory, [&] {
    packed_gather_scatter<TimedHooks<Value, weighted, is_idempotent>, Width, weighted>(
        packed.edges.data(), weights.data(), properties.data(), packed.descriptors.data(), gathered.data(),
        static_cast<std::uint32_t>(launch.sub_partitions.size()), 0);
  });
  for (const std::size_t part : parts) timing.sub_partition_ends.push_back(memory.use_of_part(part).last_done);
  timing.sub_partition_ends.back() = timing.cycles;
  return timing;
}

KernelTiming gather_scatter_time(const GatherScatterLaunch& launch, const Surroundings& around,
                                 const TimedNumbers& numbers) {
  return with_numbers(numbers, [&](auto value, auto is_idempotent) {
    return launch.weighted ? time_launch<decltype(value), true, decltype(is_idempotent)::value>(launch, around)
                           : time_launch<decltype(value), false, decltype(is_idempotent)::value>(launch, around);
  });
}

// Two banks of rows of 64 bits in every PE.
int uram(VertexId capacity, int word_bytes) {
  const std::uint64_t rows = capacity / Width::kPes * static_cast<unsigned>(word_bytes) / 8;
  return Width::kPes * 2 * blocks(rows, 8, kUramRows, kUramBits);
}

constexpr KernelConfig config(const char* name, const char* summary, bool one_launch, bool skips_idle) {
  return {{name, summary, Width::kLanes, Width::kPes, Width::kMaxCapacity, 4},
          one_launch,
          skips_idle,
          false,
          {1.2, 1.2, 1},
          "filtered",
          uram,
          gather_scatter_time};
}

}  // namespace

const KernelConfig kPacked =
    config("packed",
           "4 bytes an edge, 16 edges a cycle, a sub-partition sent while the next is gathered, idle ones passed over",
           true, true);
const KernelConfig kPackedSingle =
    config("packed-single", "as packed, but a launch per sub-partition, none passed over", false, false);
const KernelConfig kPackedAll = config("packed-all", "as packed, but no sub-partition is passed over", true, false);

}  // namespace predict
}  // namespace gaspipe
