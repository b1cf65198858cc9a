// SPDX-License-Identifier: Apache-2.0
// The hooks of kernels that are only timed, and what running one takes. When a token moves depends on words and on
// which updates are valid, never on what hooks compute, so one set of kernels times every program of the same numbers:
// their hooks copy, and an edge whose update the program would drop comes as padding. (A test holds their cycles
// against those of the programs' own kernels.)
#pragma once

#include <type_traits>
#include <vector>

#include "gaspipe/engine/emulation.h"
#include "gaspipe/timing/launch.h"
#include "hls/bit_set.h"
#include "hls/emulator/memory.h"
#include "hls/module/tokens.h"

namespace gaspipe {
namespace timing {

// `is_idempotent`: updates merge by a comparison. What merging and counting take follows from the types.
template <class Value, bool weighted, bool is_idempotent = false, int num_aux = 0, class Count = unsigned>
struct Hooks {
  using Property = Value;
  using EdgeProperty = std::conditional_t<fills_word<Value>(), std::uint32_t, Value>;  // else not read
  using Extra = Count;
  static constexpr bool kReadsEdgeProperty = weighted;
  static constexpr bool kIdempotent = is_idempotent;
  static constexpr int kAux = num_aux;
  static Property preprocessProperty(Property property) { return property; }
  static Property scatterFunc(Property property, EdgeProperty /*edge*/) { return property; }
  static Property updateMergeInRAWSolver(Property /*a*/, Property b) { return b; }
  static Property gatherFunc(Property /*a*/, Property b) { return b; }
  static Property applyMerge(Property /*a*/, Property b) { return b; }
  template <class Aux>
  static Property applyFunc(Property tProp, Property source, const Aux& /*aux*/, Extra& extra, unsigned /*arg*/) {
    extra += Extra(!(tProp == source));
    return tProp;
  }
};

// Runs f() as a kernel over `memory`.
template <class F>
std::int32_t timed(const Launch& launch, abi::Emulation* emulation, emulator::MemoryMap& memory, const F& f) {
  emulator::Options& options = emulator::Engine::current_options();
  const emulator::Options outer = options;
  options = {};
  for (std::uint64_t i = 0; i < launch.num_fifo_depths; ++i) {
    options.depths.emplace_back(launch.fifo_depths[i].stream, launch.fifo_depths[i].depth);
  }
  const std::int32_t status = engine::emulate(emulation, memory, f);
  options = outer;
  return status;
}

inline emulator::MemoryMap memory_of(const abi::Emulation& emulation, std::size_t num_units = 1) {
  emulator::ChannelConfig channel;
  channel.bytes_per_cycle = emulation.bytes_per_cycle;
  channel.latency = emulation.latency;
  channel.burst_gap = emulation.burst_gap;
  channel.switch_penalty = emulation.switch_penalty;
  const auto per_unit = static_cast<std::size_t>(emulation.banks_per_unit);
  return emulator::MemoryMap(std::vector<emulator::Channel>(num_units * per_unit, emulator::Channel(channel)));
}
template <class T>
std::size_t words_of(std::uint64_t num_values) {
  return static_cast<std::size_t>((num_values + Word<T>::kSize - 1) / Word<T>::kSize);
}

// A gather-scatter kernel that takes one sub-partition, up to `last`; `Kernel<Hooks, weighted>::run(sources,
// destinations, weights, properties, gathered, num_words, first, last, num_lines)`, `num_lines` being the words of
// properties. The values of weights and properties are whatever lies there: zero.
template <template <class, bool> class Kernel, class Value, bool weighted, bool is_idempotent>
std::int32_t one_sub_partition(const Launch& launch, abi::Emulation* emulation, VertexId last) {
  const SubPartition& sub_partition = launch.sub_partitions[0];
  const std::size_t hbm = emulation->banks_per_unit > 1 ? 1 : 0;
  emulator::MemoryMap memory = memory_of(*emulation);
  const std::vector<Word<Value>> properties(words_of<Value>(launch.num_vertices));
  std::vector<Word<Value>> gathered(words_of<Value>(last - sub_partition.first));
  using Weight = typename Hooks<Value, weighted, is_idempotent>::EdgeProperty;
  const std::vector<Word<Weight>> weights(
      weighted ? std::size_t(sub_partition.num_words) * sizeof(Weight) / sizeof(VertexId) : 0);
  const std::size_t id_bytes = sub_partition.num_words * sizeof(Word<VertexId>);
  memory.add("sources", sub_partition.sources, id_bytes, 0, false);
  memory.add("destinations", sub_partition.destinations, id_bytes, hbm, false);
  if (weighted) memory.add("weights", weights.data(), weights.size() * sizeof weights[0], 2 * hbm, false);
  memory.add("properties", properties.data(), properties.size() * sizeof properties[0], 3 * hbm, false);
  memory.add("gathered", gathered.data(), gathered.size() * sizeof gathered[0], 3 * hbm, true);
  return timed(launch, emulation, memory, [&] {
    Kernel<Hooks<Value, weighted, is_idempotent>, weighted>::run(
        sub_partition.sources, sub_partition.destinations, weights.data(), properties.data(), gathered.data(),
        sub_partition.num_words, sub_partition.first, last, static_cast<std::uint32_t>(properties.size()));
  });
}

}  // namespace timing
}  // namespace gaspipe
