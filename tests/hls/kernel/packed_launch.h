// SPDX-License-Identifier: Apache-2.0
// Sub-partitions as a launch of the packed kernel gets them, in the banks of one channel.
#pragma once

#include <vector>

#include "hls/kernel/packed_gather_scatter.h"
#include "tests/hls/kernel/sub_partition.h"

namespace gaspipe {
namespace testing {

template <class Hooks>
struct PackedLaunch {
  using Property = typename Hooks::Property;
  using Value = typename Traits<Hooks>::Update;
  using Weight = typename Traits<Hooks>::EdgeProperty;

  std::vector<SubPartition<Hooks>> sub_partitions;  // all with the same properties
  std::vector<Word<std::uint32_t>> edges, descriptors;
  std::vector<Word<Weight>> weights;
  std::vector<Word<Value>> gathered;
  emulator::ChannelConfig channel;
  std::uint32_t num_cleared = 0;

  explicit PackedLaunch(std::vector<SubPartition<Hooks>> all) : sub_partitions(std::move(all)) {
    constexpr std::size_t kWeights = Word<Weight>::kSize;
    std::size_t num_gathered = 0;
    for (const SubPartition<Hooks>& sub_partition : sub_partitions) {
      const VertexId base = sub_partition.edges.empty() ? 0 : sub_partition.edges[0].source / 2;
      Word<std::uint32_t> descriptor{};
      descriptor.lane[SubPartitionLane::kFirstEdgeWord] = static_cast<std::uint32_t>(edges.size());
      descriptor.lane[SubPartitionLane::kFirstWeightWord] = static_cast<std::uint32_t>(weights.size());
      descriptor.lane[SubPartitionLane::kFirstVertex] = sub_partition.first;
      descriptor.lane[SubPartitionLane::kLastVertex] = sub_partition.last;
      descriptor.lane[SubPartitionLane::kFirstGatheredWord] = static_cast<std::uint32_t>(num_gathered);
      descriptor.lane[SubPartitionLane::kBaseSource] = base;
      const std::size_t first_edge = edges.size(), first_weight = weights.size();
      const EdgeCount places = PackedEdgeCodec::encode(
          sub_partition.edges.size(), base, [&](EdgeCount i) { return sub_partition.edges[i].source; },
          [&](EdgeCount i) { return sub_partition.edges[i].destination - sub_partition.first; },
          [&](EdgeCount place, std::uint32_t word, EdgeCount edge) {
            if (place % 16 == 0) {
              edges.emplace_back();
              weights.resize(weights.size() + 16 / kWeights);
            }
            edges[first_edge + place / 16].lane[place % 16] = word;
            weights[first_weight + place / kWeights].lane[place % kWeights] =
                edge == PackedEdgeCodec::kNoEdge ? Weight(0) : sub_partition.edges[edge].weight;
          });
      descriptor.lane[SubPartitionLane::kNumEdgeWords] = static_cast<std::uint32_t>(places / 16);
      descriptors.push_back(descriptor);
      num_gathered += sub_partition.num_gathered_words();
    }
    gathered.resize(num_gathered);
  }
  template <class Width, bool weighted>
  void run() {
    emulator::MemoryMap map({emulator::Channel(channel)});
    const auto add = [&](const char* name, const auto& array, bool writable) {
      if (!array.empty()) map.add(name, array.data(), array.size() * sizeof(array[0]), 0, writable);
    };
    static const std::vector<Word<Property>> none;
    const auto& properties = sub_partitions.empty() ? none : sub_partitions[0].properties;
    add("edges", edges, false);
    add("weights", weights, false);
    add("properties", properties, false);
    add("descriptors", descriptors, false);
    add("gathered", gathered, true);
    emulator::MemoryMap::current() = &map;
    packed_gather_scatter<Hooks, Width, weighted>(edges.data(), weights.data(), properties.data(), descriptors.data(),
                                                  gathered.data(), static_cast<std::uint32_t>(descriptors.size()),
                                                  num_cleared);
    emulator::MemoryMap::current() = nullptr;
  }
  std::vector<Value> values(std::size_t number) const {
    const auto first = gathered.begin() + descriptors[number].lane[SubPartitionLane::kFirstGatheredWord];
    return sub_partitions[number].values_of(
        {first, first + std::ptrdiff_t(sub_partitions[number].num_gathered_words())});
  }
};

}  // namespace testing
}  // namespace gaspipe
