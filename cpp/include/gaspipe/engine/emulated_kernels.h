// SPDX-License-Identifier: Apache-2.0
// A program's kernels behind abi::Kernels: the very sources that Vitis reads, run by the emulator on this thread, or
// their fast composition (fast_kernels.h).
#pragma once

#include <cstring>
#include <type_traits>

#include "gaspipe/abi.h"
#include "gaspipe/engine/fast_kernels.h"
#include "hls/kernel/apply.h"
#include "hls/kernel/gather_scatter.h"

namespace gaspipe {
namespace engine {

using KernelConfig = Config<8, 8>;

inline void tell_use(const abi::Emulation& emulation, const emulator::RunStats& stats,
                     const emulator::MemoryMap& memory) {
  std::vector<abi::StreamUse> streams;
  for (const emulator::StreamStats& s : stats.streams) {
    streams.push_back({s.name.c_str(), s.depth, s.most, s.token_bytes, s.num_tokens, s.reader_waited, s.writer_waited});
  }
  std::vector<abi::TaskUse> tasks;
  for (const emulator::TaskStats& t : stats.tasks) {
    tasks.push_back({t.name.c_str(), t.call.c_str(), t.finish, t.waited_in, t.waited_out, t.waited_memory});
  }
  std::vector<abi::MemoryUse> memories;
  for (const emulator::MemoryStats& m : stats.memories) {
    memories.push_back({m.name.c_str(), m.task.c_str(), m.num_words, m.word_bytes, static_cast<std::int32_t>(m.kind)});
  }
  std::vector<double> bytes;
  double cycles = 0;
  for (const emulator::Channel& channel : memory.channels()) {
    bytes.push_back(channel.num_bytes());
    cycles += channel.busy_cycles();
  }
  const abi::KernelUse use = {streams.size(), tasks.size(),    memories.size(), bytes.size(), streams.data(),
                              tasks.data(),   memories.data(), bytes.data(),    cycles};
  emulation.used(emulation.self, &use);
}

// Runs f() with the emulator set up as asked, and says in the table's terms how it ended.
template <class F>
std::int32_t emulate(abi::Emulation* emulation, emulator::MemoryMap& memory, const F& f) {
  emulator::Options& options = emulator::Engine::current_options();
  const emulator::Options outer = options;
  options.shallow = emulation->execution == abi::kExactShallow;
  options.stopped_self = emulation;
  options.stopped = [](void* self) {
    const auto* asked = static_cast<const abi::Emulation*>(self);
    return asked->stopped(asked->self) != 0;
  };
  emulator::MemoryMap::current() = &memory;
  emulator::RunStats stats;
  if (emulation->used != nullptr) emulator::Engine::statistics() = &stats;
  std::int32_t status = abi::kOk;
  try {
    f();
    emulation->cycles = emulator::Engine::last_cycles();
    if (emulation->used != nullptr) tell_use(*emulation, stats, memory);
  } catch (const emulator::DesignError& error) {
    std::strncpy(emulation->report, error.what(), emulation->report_size - 1);
    status = abi::kBadDesign;
  } catch (const emulator::Stopped&) {
    status = abi::kCancelled;
  } catch (const std::bad_alloc&) {
    status = abi::kOutOfMemory;
  }
  emulator::Engine::statistics() = nullptr;
  emulator::MemoryMap::current() = nullptr;
  options = outer;
  return status;
}

inline emulator::MemoryMap memory_of(const abi::Emulation& emulation, std::size_t num_units) {
  emulator::ChannelConfig channel;
  channel.bytes_per_cycle = emulation.bytes_per_cycle;
  channel.latency = emulation.latency;
  channel.burst_gap = emulation.burst_gap;
  channel.switch_penalty = emulation.switch_penalty;
  const std::size_t num_banks = num_units * static_cast<std::size_t>(emulation.banks_per_unit);
  return emulator::MemoryMap(std::vector<emulator::Channel>(num_banks, emulator::Channel(channel)));
}

template <class T>
std::size_t bytes_of_words(std::uint64_t num_values) {
  return (num_values + Word<T>::kSize - 1) / Word<T>::kSize * sizeof(Word<T>);
}

template <class Hooks>
std::int32_t emulated_gather_scatter(const abi::GatherScatterCall* call, abi::Emulation* emulation) {
  using Traits = gaspipe::Traits<Hooks>;
  using Property = typename Traits::Property;
  using Weight = typename Traits::EdgeProperty;
  using Update = typename Traits::Update;
  const auto* sources = static_cast<const Word<VertexId>*>(call->sources);
  const auto* destinations = static_cast<const Word<VertexId>*>(call->destinations);
  const auto* weights = static_cast<const Word<Weight>*>(call->weights);
  const auto* properties = static_cast<const Word<Property>*>(call->properties);
  auto* gathered = static_cast<Word<Update>*>(call->gathered);
  if (emulation->execution == abi::kFast) {
    emulation->cycles = 0;
    try {
      fast_gather_scatter<Hooks, KernelConfig>(sources, destinations, weights, properties, gathered, call->num_words,
                                               call->first_vertex, call->last_vertex);
    } catch (const std::bad_alloc&) {
      return abi::kOutOfMemory;
    }
    return emulation->stopped(emulation->self) != 0 ? abi::kCancelled : abi::kOk;
  }
  emulator::MemoryMap memory = memory_of(*emulation, 1);
  const std::uint64_t num_edges = std::uint64_t(call->num_words) * Word<VertexId>::kSize;
  const auto vertices = static_cast<std::size_t>(emulation->banks_per_unit - 1);
  const std::size_t apart = vertices > 0 ? 1 : 0;
  memory.add("sources", sources, call->num_words * sizeof(Word<VertexId>), 0, false);
  memory.add("destinations", destinations, call->num_words * sizeof(Word<VertexId>), apart, false);
  memory.add("properties", properties, bytes_of_words<Property>(call->num_vertices), vertices, false);
  memory.add("gathered", gathered, bytes_of_words<Update>(call->last_vertex - call->first_vertex), vertices, true);
  const bool has_weights = weights != nullptr && Traits::kReadsEdgeProperty;
  if (has_weights) memory.add("weights", weights, bytes_of_words<Weight>(num_edges), 2 * apart, false);
  const auto run = [&](auto weighted) {
    gather_scatter<Hooks, KernelConfig, decltype(weighted)::value>(
        sources, destinations, weights, properties, gathered, call->num_words, call->first_vertex, call->last_vertex);
  };
  return emulate(emulation, memory, [&] {
    if constexpr (Traits::kReadsEdgeProperty) {
      has_weights ? run(std::true_type()) : run(std::false_type());
    } else {
      run(std::false_type());
    }
  });
}

template <class Hooks>
std::int32_t emulated_apply(const abi::ApplyCall* call, abi::Emulation* emulation) {
  using Traits = gaspipe::Traits<Hooks>;
  using Properties = Word<typename Traits::Property>;
  using Values = Word<typename Traits::Update>;
  using Inputs = Word<typename Traits::Aux>;
  using Sum = typename Traits::Sum;
  using Sums = Word<Sum>;
  constexpr int kSumWords = ApplyShape<Hooks>::kSumWords;
  const Values* gathered[kMostUnits];
  Properties* updated[kMostUnits];
  const Inputs* inputs[Traits::kAuxSlots] = {};
  for (int unit = 0; unit < call->num_units; ++unit) {
    gathered[unit] = static_cast<const Values*>(call->gathered[unit]);
    updated[unit] = static_cast<Properties*>(call->updated[unit]);
  }
  for (int k = 0; k < Traits::kAux; ++k) inputs[k] = static_cast<const Inputs*>(call->aux[k]);
  const auto* properties = static_cast<const Properties*>(call->properties);
  typename Traits::Arg arg;
  std::memcpy(&arg, call->arg, sizeof arg);
  Sums sums[kSumWords];
  std::int32_t status = abi::kOk;
  if (emulation->execution == abi::kFast) {
    emulation->cycles = 0;
    fast_apply<Hooks>(gathered, call->num_units, properties, inputs, updated[0], sums, call->first_vertex,
                      call->last_vertex, arg);
  } else {
    // Every compute unit's vertices lie in a bank of its own, as on the board; properties and inputs in the first's.
    emulator::MemoryMap memory = memory_of(*emulation, static_cast<std::size_t>(call->num_units));
    const std::uint64_t width = call->last_vertex - call->first_vertex;
    const auto first_bank = static_cast<std::size_t>(emulation->banks_per_unit - 1);
    for (int unit = 0; unit < call->num_units; ++unit) {
      const auto bank = static_cast<std::size_t>(unit * emulation->banks_per_unit) + first_bank;
      memory.add("gathered", gathered[unit], bytes_of_words<typename Traits::Update>(width), bank, false);
      memory.add("updated", updated[unit], bytes_of_words<typename Traits::Property>(call->num_vertices), bank, true);
    }
    memory.add("properties", properties, bytes_of_words<typename Traits::Property>(call->num_vertices), first_bank,
               false);
    for (int k = 0; k < Traits::kAux; ++k) {
      memory.add("inputs", inputs[k], bytes_of_words<typename Traits::Aux>(call->num_vertices), first_bank, false);
    }
    memory.add("sums", sums, sizeof sums, first_bank, true);
    status = emulate(emulation, memory, [&] {
      apply<Hooks>(gathered, AnyUnits{call->num_units}, properties, inputs, updated, sums, call->first_vertex,
                   call->last_vertex, arg);
    });
  }
  auto* total = static_cast<Sum*>(call->sums);
  for (int k = 0; k < Traits::kExtraSlots; ++k) total[k] += sums[k / Sums::kSize].lane[k % Sums::kSize];
  return status;
}

template <class Hooks>
std::uint64_t sent_updates(const abi::GatherScatterCall* call, std::uint32_t* destinations) {
  using Traits = gaspipe::Traits<Hooks>;
  using Weight = typename Traits::EdgeProperty;
  const auto* sources = static_cast<const VertexId*>(call->sources);
  const auto* stored = static_cast<const VertexId*>(call->destinations);
  const auto* weights = Traits::kReadsEdgeProperty ? static_cast<const Weight*>(call->weights) : nullptr;
  const auto* properties = static_cast<const typename Traits::Property*>(call->properties);
  const std::uint64_t num_ids = std::uint64_t(call->num_words) * Word<VertexId>::kSize;
  std::uint64_t num_sent = 0;
  Update<typename Traits::Update> update;
  for (std::uint64_t i = 0; i < num_ids; ++i) {
    const bool sent = form_update<Hooks>(source_property<Hooks>(properties[sources[i]]), stored[i],
                                         weights != nullptr ? weights[i] : Weight(1), update);
    destinations[i] = sent ? stored[i] : PlainEdgeCodec::kPadding;
    num_sent += sent;
  }
  return num_sent;
}

template <class Hooks>
constexpr abi::Kernels emulated_kernels() {
  return {emulated_gather_scatter<Hooks>, emulated_apply<Hooks>,
          Traits<Hooks>::kFilters ? sent_updates<Hooks> : nullptr};
}

}  // namespace engine
}  // namespace gaspipe
