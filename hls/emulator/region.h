// SPDX-License-Identifier: Apache-2.0
// What the macros of hls/platform.h expand to: a dataflow region on an engine, the clock, ports and memory of the chip.
#pragma once

#include "hls/emulator/ahead_port.h"
#include "hls/emulator/engine.h"
#include "hls/emulator/memory.h"

namespace gaspipe {
namespace emulator {

// A region that a task opens, as a module of several tasks does, joins that task's engine: its tasks run beside the
// others and may use the streams that the module was given. Any other has an engine of its own.
class Region {
 public:
  Region() {
    if (Engine* around = Engine::current()) opener_ = around->own_task();
    if (opener_ == nullptr) own_ = std::make_unique<Engine>();
  }
  template <class T>
  void declare(Fifo<T>& stream, const char* name, std::uint32_t depth, std::uint32_t shallowest = 1) {
    stream.declare(engine(), name, depth, shallowest);
  }
  template <class T, std::size_t n>
  void declare(Fifo<T> (&streams)[n], const char* name, std::uint32_t depth, std::uint32_t shallowest = 1) {
    for (std::size_t i = 0; i < n; ++i) streams[i].declare(engine(), numbered(name, i), depth, shallowest);
  }
  // `call` is the text of the task's call; a task is called by the function's name, with its index in a loop.
  void add(const char* call, int index, std::function<void()> body) {
    const std::string text(call);
    std::string name = text.substr(0, text.find_first_of("<( "));
    if (name.rfind("::") != std::string::npos) name.erase(0, name.rfind("::") + 2);
    const std::string suffix = index < 0 ? "" : "[" + std::to_string(index) + "]";
    engine().add_task(name + suffix, std::move(body), text + suffix, index);
  }
  void run() { opener_ == nullptr ? own_->run() : engine().run_inside(); }

 private:
  static std::string numbered(const std::string& name, std::size_t i) { return name + "[" + std::to_string(i) + "]"; }

  Engine& engine() { return own_ ? *own_ : *Engine::current(); }

  std::unique_ptr<Engine> own_;
  Task* opener_ = nullptr;
};

// An iteration of a pipelined loop starts.
inline void tick(std::uint32_t cycles) {
  if (Task* task = Engine::running()) task->clock += cycles;
}

// Kinds of memory, as the vendor's pragma calls them.
namespace on_chip {
constexpr MemoryKind URAM = MemoryKind::kUram, BRAM = MemoryKind::kBram, LUTRAM = MemoryKind::kLutram;
}  // namespace on_chip

// Memory of the chip: its content is as undefined as in hardware.
template <class T>
class OnChip {
  static_assert(std::is_trivially_copyable<T>::value, "memory of the chip holds plain words");

 public:
  OnChip(const char* name, std::size_t size, MemoryKind kind) : data_(new T[size]) {
    if (Engine* engine = Engine::current()) engine->add_memory(name, size, sizeof(T), kind);
  }
  T* data() const { return data_.get(); }
  void fill(std::size_t size, const T& value) const { std::fill_n(data(), size, value); }

 private:
  std::unique_ptr<T[]> data_;
};

template <class Pointed>
using ReadPort = Port<typename std::decay<Pointed>::type, false>;
template <class Pointed>
using WritePort = Port<typename std::decay<Pointed>::type, true>;
template <class Pointed>
using EagerWritePort = Port<typename std::decay<Pointed>::type, true, true>;
template <class Pointed>
using AheadReadPort = AheadPort<typename std::decay<Pointed>::type, false>;
template <class Pointed>
using AheadWritePort = AheadPort<typename std::decay<Pointed>::type, true>;

}  // namespace emulator
}  // namespace gaspipe
