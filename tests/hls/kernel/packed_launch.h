// SPDX-License-Identifier: Apache-2.0
// Shares of partitions as a launch of the packed kernel gets them, in the banks of one channel.
#pragma once

#include <vector>

#include "hls/kernel/packed_gather_scatter.h"
#include "tests/hls/kernel/share.h"

namespace gaspipe {
namespace testing {

template <class Hooks>
struct PackedLaunch {
  using Property = typename Hooks::Property;
  using Value = typename Traits<Hooks>::Update;
  using Weight = typename Traits<Hooks>::EdgeProperty;

  std::vector<Share<Hooks>> shares;  // all with the same properties
  std::vector<Word<std::uint32_t>> edges, slices;
  std::vector<Word<Weight>> weights;
  std::vector<Word<Value>> gathered;
  emulator::ChannelConfig channel;
  std::uint32_t num_cleared = 0;

  explicit PackedLaunch(std::vector<Share<Hooks>> all) : shares(std::move(all)) {
    constexpr std::size_t kWeights = Word<Weight>::kSize;
    std::size_t num_gathered = 0;
    for (const Share<Hooks>& share : shares) {
      const VertexId base = share.edges.empty() ? 0 : share.edges[0].source / 2;
      Word<std::uint32_t> slice{};
      slice.lane[SliceLane::kFirstEdgeWord] = static_cast<std::uint32_t>(edges.size());
      slice.lane[SliceLane::kFirstWeightWord] = static_cast<std::uint32_t>(weights.size());
      slice.lane[SliceLane::kFirstVertex] = share.first;
      slice.lane[SliceLane::kLastVertex] = share.last;
      slice.lane[SliceLane::kFirstGatheredWord] = static_cast<std::uint32_t>(num_gathered);
      slice.lane[SliceLane::kBaseSource] = base;
      const std::size_t first_edge = edges.size(), first_weight = weights.size();
      const EdgeCount places = PackedEdgeCodec::encode(
          share.edges.size(), base, [&](EdgeCount i) { return share.edges[i].source; },
          [&](EdgeCount i) { return share.edges[i].destination - share.first; },
          [&](EdgeCount place, std::uint32_t word, EdgeCount edge) {
            if (place % 16 == 0) {
              edges.emplace_back();
              weights.resize(weights.size() + 16 / kWeights);
            }
            edges[first_edge + place / 16].lane[place % 16] = word;
            weights[first_weight + place / kWeights].lane[place % kWeights] =
                edge == PackedEdgeCodec::kNoEdge ? Weight(0) : share.edges[edge].weight;
          });
      slice.lane[SliceLane::kNumEdgeWords] = static_cast<std::uint32_t>(places / 16);
      slices.push_back(slice);
      num_gathered += share.num_gathered_words();
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
    const auto& properties = shares.empty() ? none : shares[0].properties;
    add("edges", edges, false);
    add("weights", weights, false);
    add("properties", properties, false);
    add("slices", slices, false);
    add("gathered", gathered, true);
    emulator::MemoryMap::current() = &map;
    packed_gather_scatter<Hooks, Width, weighted>(edges.data(), weights.data(), properties.data(), slices.data(),
                                                  gathered.data(), static_cast<std::uint32_t>(slices.size()),
                                                  num_cleared);
    emulator::MemoryMap::current() = nullptr;
  }
  std::vector<Value> values(std::size_t slice) const {
    const auto first = gathered.begin() + slices[slice].lane[SliceLane::kFirstGatheredWord];
    return shares[slice].values_of({first, first + std::ptrdiff_t(shares[slice].num_gathered_words())});
  }
};

}  // namespace testing
}  // namespace gaspipe
