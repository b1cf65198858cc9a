// SPDX-License-Identifier: Apache-2.0
// The kernels for packed edges (hls/kernel/packed_gather_scatter.h), timed.
#pragma once

#include "gaspipe/timing/hooks.h"
#include "hls/kernel/packed_gather_scatter.h"
#include "hls/kernel/pipelines.h"

namespace gaspipe {
namespace timing {

// The sub-partitions' edges, packed, with their descriptors.
struct PackedSubPartitions {
  std::vector<Word<std::uint32_t>> edges, descriptors;

  void add(const SubPartition& sub_partition, std::size_t first_weight_word, std::size_t first_gathered_word) {
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
std::int32_t packed(const Launch* launch, abi::Emulation* emulation) {
  using Width = PipelineConfig<kPackedPipeline>;
  constexpr std::size_t kWeightWords = weighted ? sizeof(Value) / sizeof(VertexId) : 0;  // of a word of edges
  PackedSubPartitions all;
  std::vector<std::size_t> first_gathered;
  std::size_t num_gathered = 0;
  for (std::uint64_t i = 0; i < launch->num_sub_partitions; ++i) {
    const SubPartition& sub_partition = launch->sub_partitions[i];
    all.add(sub_partition, all.edges.size() * kWeightWords, num_gathered);
    first_gathered.push_back(num_gathered);
    num_gathered += std::size_t(rows_per_pe<Value, Width::kPes>(sub_partition.first, sub_partition.last)) *
                    words_per_row<Width::kPes>();
  }
  first_gathered.push_back(num_gathered);
  const std::vector<Word<Value>> properties(words_of<Value>(launch->num_vertices));
  const std::vector<Word<Value>> weights(all.edges.size() * kWeightWords);
  std::vector<Word<Value>> gathered(num_gathered);
  const std::size_t hbm = emulation->banks_per_unit > 1 ? 1 : 0;
  emulator::MemoryMap memory = memory_of(*emulation);
  const auto add = [&](const char* name, const auto& array, std::size_t bank, bool writable) {
    if (!array.empty()) memory.add(name, array.data(), array.size() * sizeof array[0], bank, writable);
  };
  add("edges", all.edges, 0, false);
  add("weights", weights, 2 * hbm, false);
  add("properties", properties, 3 * hbm, false);
  add("sub_partitions", all.descriptors, hbm, false);
  add("gathered", gathered, 3 * hbm, true);
  std::vector<std::size_t> parts;
  for (std::size_t i = 0; i + 1 < first_gathered.size(); ++i) {
    parts.push_back(memory.add_part(gathered.data() + first_gathered[i],
                                    (first_gathered[i + 1] - first_gathered[i]) * sizeof gathered[0]));
  }
  const std::int32_t status = timed(*launch, emulation, memory, [&] {
    packed_gather_scatter<Hooks<Value, weighted, is_idempotent>, Width, weighted>(
        all.edges.data(), weights.data(), properties.data(), all.descriptors.data(), gathered.data(),
        static_cast<std::uint32_t>(launch->num_sub_partitions), 0);
  });
  for (std::size_t i = 0; i < parts.size(); ++i) launch->sub_partition_ends[i] = memory.use_of_part(parts[i]).last_done;
  if (!parts.empty()) launch->sub_partition_ends[parts.size() - 1] = emulation->cycles;
  return status;
}

}  // namespace timing
}  // namespace gaspipe
