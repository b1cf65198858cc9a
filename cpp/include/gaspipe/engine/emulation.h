// SPDX-License-Identifier: Apache-2.0
// A kernel of hls/kernel behind abi::Kernel: the very sources that Vitis reads, run by the emulator on this thread, or
// their fast composition. A kernel is described by a struct (one per file of gaspipe/engine/kernel):
//
//   static constexpr const char* kName          as the file of hls/kernel
//   static constexpr const Port (&kPorts)[n]    hls/kernel/<name>.ports.h
//   static constexpr Each kInstances
//   static constexpr int kAux                   inputs per vertex, on which the number of ports depends
//   static void run(const Arguments&)           the region, on the emulator's fibers
//   static void fast(const Arguments&)          the same bits without streams, fibers or clocks
#pragma once

#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "gaspipe/abi.h"
#include "hls/emulator/engine.h"
#include "hls/emulator/memory.h"
#include "hls/kernel/port.h"

namespace gaspipe {
namespace engine {

// The arguments of a call by the names of their ports.
class Arguments {
 public:
  Arguments(const Port* ports, std::size_t num_ports, const KernelShape& shape, const abi::KernelCall& call)
      : ports_(ports), num_ports_(num_ports), shape_(shape), call_(call) {}

  // Of several, number `i`; null where there is none.
  template <class T>
  T* buffer(const char* name, int i = 0) const {
    const Place place = find(name);
    return i < place.number ? static_cast<T*>(call_.buffers[place.first + i].data) : nullptr;
  }
  std::uint32_t scalar(const char* name) const { return call_.scalars[find(name).first]; }
  const std::uint32_t* scalars(const char* name) const { return call_.scalars + find(name).first; }
  int units() const { return shape_.units; }
  bool is_weighted() const { return shape_.weighted; }

  // visit(port, number, buffer)
  template <class Visit>
  void each_buffer(const Visit& visit) const {
    const abi::Buffer* buffer = call_.buffers;
    for (std::size_t p = 0; p < num_ports_; ++p) {
      if (!is_memory(ports_[p].kind)) continue;
      for (int i = 0; i < num_of(ports_[p].each, shape_); ++i) visit(ports_[p], i, *buffer++);
    }
  }

 private:
  struct Place {
    int first, number;  // among the buffers or the scalars
  };
  Place find(const char* name) const {
    Place buffer{0, 0}, scalar{0, 0}, streams{0, 0};
    for (std::size_t p = 0; p < num_ports_; ++p) {
      const PortKind kind = ports_[p].kind;
      Place& place = kind == PortKind::kScalar ? scalar : is_memory(kind) ? buffer : streams;
      place.first += place.number;
      place.number = num_of(ports_[p].each, shape_);
      if (std::strcmp(ports_[p].name, name) == 0) return place;
    }
    throw emulator::DesignError(std::string("the kernel has no port ") + name);
  }

  const Port* ports_;
  std::size_t num_ports_;
  KernelShape shape_;
  const abi::KernelCall& call_;
};

// The channel of a compute unit's memory: one for all, one for edges and one for vertices, or four.
inline std::size_t channel_of(Bank bank, std::int32_t banks_per_unit) {
  if (banks_per_unit == 1) return 0;
  if (banks_per_unit == 2) return bank == Bank::kVertices ? 1 : 0;
  return bank == Bank::kSources || bank == Bank::kRows            ? 0
         : bank == Bank::kDestinations || bank == Bank::kReplicas ? 1
         : bank == Bank::kWeights                                 ? 2
                                                                  : 3;  // vertices, sets
}

// The buffers of a call in their banks: of one compute unit, or of all; behind them apply's own.
inline emulator::MemoryMap memory_of(const Arguments& arguments, Each instances, const abi::Emulation& emulation) {
  emulator::ChannelConfig channel;
  channel.bytes_per_cycle = emulation.bytes_per_cycle;
  channel.latency = emulation.latency;
  channel.burst_gap = emulation.burst_gap;
  channel.switch_penalty = emulation.switch_penalty;
  const auto per_unit = static_cast<std::size_t>(emulation.banks_per_unit);
  const std::size_t num_units = instances == Each::kUnit ? 1 : static_cast<std::size_t>(arguments.units());
  const bool has_own = per_unit == 2 && instances == Each::kOne;
  const std::size_t num_channels = num_units * per_unit + (has_own ? kMemoriesOfApply : 0);
  emulator::MemoryMap memory(std::vector<emulator::Channel>(num_channels, emulator::Channel(channel)));
  arguments.each_buffer([&](const Port& port, int number, const abi::Buffer& buffer) {
    if (buffer.data == nullptr) return;  // of a pipeline with no edges
    const auto unit =
        instances == Each::kUnit ? 0 : static_cast<std::size_t>(unit_of_memory(port.each, number, arguments.units()));
    const int of_apply = port.bank == Bank::kOld      ? 0
                         : port.bank == Bank::kNew    ? 1
                         : port.bank == Bank::kInputs ? 2 + number % 2
                                                      : -1;
    const std::size_t place = of_apply >= 0 ? num_units * per_unit + static_cast<std::size_t>(of_apply)
                                            : unit * per_unit + channel_of(port.bank, emulation.banks_per_unit);
    memory.add(port.name, buffer.data, static_cast<std::size_t>(buffer.num_bytes), place,
               port.kind == PortKind::kWrite);
  });
  return memory;
}

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

// Calls f() with the emulator set up as asked, and returns how it ended as a Status.
inline std::int32_t emulate(abi::Emulation* emulation, emulator::MemoryMap& memory, void (*f)(const void* self),
                            const void* self) {
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
    f(self);
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

template <class F>
std::int32_t emulate(abi::Emulation* emulation, emulator::MemoryMap& memory, const F& f) {
  return emulate(emulation, memory, [](const void* self) { (*static_cast<const F*>(self))(); }, &f);
}

// All that differs among kernels: what is around them is compiled once.
struct KernelCode {
  const Port* ports;
  std::size_t num_ports;
  Each instances;
  int num_aux;
  void (*fast)(const Arguments& arguments);
  void (*run)(const Arguments& arguments);
};

[[gnu::noinline]] inline std::int32_t run_kernel(const KernelCode& kernel, const abi::KernelCall* call,
                                                 abi::Emulation* emulation) {
  const KernelShape shape = {call->is_weighted != 0, static_cast<int>(call->num_units), kernel.num_aux};
  const Arguments arguments(kernel.ports, kernel.num_ports, shape, *call);
  if (emulation->execution != abi::kFast) {
    emulator::MemoryMap memory = memory_of(arguments, kernel.instances, *emulation);
    return emulate(emulation, memory, [&] { kernel.run(arguments); });
  }
  emulation->cycles = 0;
  try {
    kernel.fast(arguments);
  } catch (const std::bad_alloc&) {
    return abi::kOutOfMemory;
  }
  return emulation->stopped(emulation->self) != 0 ? abi::kCancelled : abi::kOk;
}

template <class Kernel>
std::int32_t run_kernel(const abi::KernelCall* call, abi::Emulation* emulation) {
  static constexpr KernelCode kCode = {
      Kernel::kPorts, std::size(Kernel::kPorts), Kernel::kInstances, Kernel::kAux, Kernel::fast, Kernel::run};
  return run_kernel(kCode, call, emulation);
}

template <class Kernel>
constexpr abi::Kernel emulated_kernel() {
  return {Kernel::kName, run_kernel<Kernel>};
}

}  // namespace engine
}  // namespace gaspipe
