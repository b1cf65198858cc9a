// SPDX-License-Identifier: Apache-2.0
// The hooks of kernels that are only timed, and what running one takes.
#pragma once

#include <type_traits>
#include <utility>

#include "hls/emulator/memory.h"
#include "hls/types.h"
#include "timed_kernels.h"

namespace gaspipe {
namespace predict {

// `is_idempotent`: updates merge by a comparison. What merging and counting take follows from the types.
template <class Value, bool weighted, bool is_idempotent = false, int num_aux = 0, class Count = unsigned>
struct TimedHooks {
  using Property = Value;
  using Extra = Count;
  static constexpr Property kIdentity = 0;
  static constexpr bool kReadsEdgeProperty = weighted;
  static constexpr bool kIdempotent = is_idempotent;
  static constexpr int kAux = num_aux;
  static Property preprocessProperty(Property property) { return property; }
  static Property scatterFunc(Property property, Property /*edge*/) { return property; }
  static Property updateMergeInRAWSolver(Property /*a*/, Property b) { return b; }
  static Property gatherFunc(Property /*a*/, Property b) { return b; }
  static Property applyMerge(Property /*a*/, Property b) { return b; }
  template <class Aux>
  static Property applyFunc(Property tProp, Property source, const Aux& /*aux*/, Extra& extra, unsigned /*arg*/) {
    extra += Extra(tProp < source);
    return tProp;
  }
};

// f(Value(), is_idempotent) for the numbers of a program, the latter as a type.
template <class F>
KernelTiming with_numbers(const TimedNumbers& numbers, const F& f) {
  const auto choose = [&](auto value) {
    return numbers.is_idempotent ? f(value, std::true_type()) : f(value, std::false_type());
  };
  if (numbers.is_floating) return numbers.word_bytes == 8 ? choose(double()) : choose(float());
  // Integers merge in a cycle, whatever they do.
  return numbers.word_bytes == 8 ? f(std::uint64_t(), std::false_type()) : f(std::uint32_t(), std::false_type());
}

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
template <class Value, template <class, bool> class Kernel, bool is_idempotent = false>
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
      Kernel<TimedHooks<Value, weighted, is_idempotent>, weighted>::run(
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
