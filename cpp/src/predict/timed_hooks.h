// SPDX-License-Identifier: Apache-2.0
// The hooks of kernels that are only timed, and what running one takes.
#pragma once

#include <utility>

#include "hls/emulator/memory.h"
#include "hls/types.h"
#include "timed_kernels.h"

namespace gaspipe {
namespace predict {

template <class Value, bool weighted, int num_aux = 0>
struct TimedHooks {
  using Property = Value;
  static constexpr Property kIdentity = 0;
  static constexpr bool kReadsEdgeProperty = weighted;
  static constexpr int kAux = num_aux;
  static Property preprocessProperty(Property property) { return property; }
  static Property scatterFunc(Property property, Property /*edge*/) { return property; }
  static Property updateMergeInRAWSolver(Property a, Property b) { return a | b; }
  static Property gatherFunc(Property a, Property b) { return a | b; }
  static Property applyMerge(Property a, Property b) { return a | b; }
  template <class Aux>
  static Property applyFunc(Property tProp, Property source, const Aux& /*aux*/, unsigned& extra, unsigned /*arg*/) {
    extra += tProp != source;
    return tProp;
  }
};

// Runs f() as a kernel over `memory`; what it took.
template <class F>
KernelTiming timed(const Surroundings& around, emulator::MemoryMap& memory, const F& f) {
  emulator::Options& options = emulator::Engine::current_options();
  const emulator::Options outer = options;
  options = {};
  if (around.fifo_depths != nullptr) options.depths = *around.fifo_depths;
  options.stopped = around.stopped;
  options.stopped_self = around.stopped_self;
  KernelTiming timing;
  struct Restore {
    emulator::Options &options, outer;
    ~Restore() {
      options = outer;
      emulator::MemoryMap::current() = nullptr;
      emulator::Engine::statistics() = nullptr;
    }
  } restore{options, outer};
  emulator::MemoryMap::current() = &memory;
  emulator::Engine::statistics() = &timing.stats;
  f();
  timing.cycles = emulator::Engine::last_cycles();
  for (const emulator::Channel& channel : memory.channels()) {
    timing.bytes.push_back(channel.num_bytes());
    timing.channel_cycles += channel.busy_cycles();
  }
  return timing;
}

inline emulator::MemoryMap memory_of(const Surroundings& around, std::size_t num_channels) {
  return emulator::MemoryMap(std::vector<emulator::Channel>(num_channels, emulator::Channel(around.channel)));
}
template <class T>
std::size_t words_of(std::uint64_t num_values) {
  return static_cast<std::size_t>((num_values + Word<T>::kSize - 1) / Word<T>::kSize);
}

// Kernels have names of their own in every file: GCC (bug 70413) takes templates of anonymous namespaces that are
// passed to templates for one.
//
// A gather-scatter kernel that takes one sub-partition; `Kernel<Hooks, weighted>::run(sources, destinations, weights,
// properties, gathered, num_words, first, last, num_lines)`, `num_lines` being the words of properties. The values of
// weights and properties are whatever lies there: zero.
template <class Value, template <class, bool> class Kernel>
struct OneSubPartition {
  template <bool weighted>
  static KernelTiming run(const GatherScatterLaunch& launch, const Surroundings& around, VertexId last) {
    const TimedSubPartition& sub_partition = launch.sub_partitions[0];
    const std::size_t hbm = around.is_hbm ? 1 : 0;
    emulator::MemoryMap memory = memory_of(around, num_channels(around.is_hbm));
    const std::vector<Word<Value>> properties(words_of<Value>(launch.num_vertices));
    std::vector<Word<Value>> gathered(words_of<Value>(last - sub_partition.first));
    const std::vector<Word<Value>> weights(
        weighted ? std::size_t(sub_partition.num_words) * sizeof(Value) / sizeof(VertexId) : 0);
    const std::size_t id_bytes = sub_partition.num_words * sizeof(Word<VertexId>);
    memory.add("sources", sub_partition.sources, id_bytes, 0, false);
    memory.add("destinations", sub_partition.destinations, id_bytes, hbm, false);
    if (weighted) memory.add("weights", weights.data(), weights.size() * sizeof weights[0], 2 * hbm, false);
    memory.add("properties", properties.data(), properties.size() * sizeof properties[0], 3 * hbm, false);
    memory.add("gathered", gathered.data(), gathered.size() * sizeof gathered[0], 3 * hbm, true);
    return timed(around, memory, [&] {
      Kernel<TimedHooks<Value, weighted>, weighted>::run(
          sub_partition.sources, sub_partition.destinations, weights.data(), properties.data(), gathered.data(),
          sub_partition.num_words, sub_partition.first, last, static_cast<std::uint32_t>(properties.size()));
    });
  }
  static KernelTiming run(const GatherScatterLaunch& launch, const Surroundings& around, VertexId last) {
    return launch.weighted ? run<true>(launch, around, last) : run<false>(launch, around, last);
  }
};

}  // namespace predict
}  // namespace gaspipe
