// SPDX-License-Identifier: Apache-2.0
// What the macros of hls/platform.h expand to: a dataflow region on an engine, the clock, ports and memory of the chip.
#pragma once

#include "hls/emulator/ahead_port.h"
#include "hls/emulator/engine.h"
#include "hls/emulator/memory.h"

namespace gaspipe {
namespace emulator {

// A region that a task opens, as a module of several tasks does, joins that task's engine: its tasks run beside the
// others and may use the streams that the module was given. Of a task in a loop its tasks and streams have the number
// too. Any other region has an engine of its own.
class Region {
 public:
  // What only prepares a run is kept small: the code of regions has more of it than of anything else.
  [[gnu::cold, gnu::noinline]] Region() {
    if (Engine* around = Engine::current()) opener_ = around->own_task();
    if (opener_ == nullptr) own_ = std::make_unique<Engine>();
  }
  template <class T>
  void declare(Fifo<T>& stream, const char* name, std::uint32_t depth, std::uint32_t shallowest = 1) {
    declare_all(&stream, sizeof stream, 0, Fifo<T>::make_room, name, depth, shallowest);
  }
  template <class T, std::size_t n>
  void declare(Fifo<T> (&streams)[n], const char* name, std::uint32_t depth, std::uint32_t shallowest = 1) {
    declare_all(streams, sizeof *streams, n, Fifo<T>::make_room, name, depth, shallowest);
  }
  // `call` is the text of the task's call; a task is called by the function's name, with its index in a loop.
  template <class F>
  void add(const char* call, int index, const F& function) {
    add_body(call, index, Body::invoke<F>, &function, sizeof function);
  }
  void run() { opener_ == nullptr ? own_->run() : engine().run_inside(); }

 private:
  // An array of `num` of so many bytes each; 0: one by itself.
  [[gnu::cold, gnu::noinline]] void declare_all(FifoBase* streams, std::size_t num_bytes, std::size_t num,
                                                FifoBase::MakeRoom make_room, const char* name, std::uint32_t depth,
                                                std::uint32_t shallowest) {
    const std::string whole = name + opened_by();
    if (num == 0) return streams->declare_as(engine(), whole, depth, shallowest, 0, make_room);
    char* const first = reinterpret_cast<char*>(streams);
    for (std::size_t i = 0; i < num; ++i) {
      reinterpret_cast<FifoBase*>(first + i * num_bytes)
          ->declare_as(engine(), whole + numbered(i), depth, shallowest, 0, make_room);
    }
  }
  [[gnu::cold, gnu::noinline]] void add_body(const char* call, int index, Body::Invoke invoke, const void* object,
                                             std::size_t num_bytes) {
    const std::string text(call);
    std::string name = text.substr(0, text.find_first_of("<( "));
    if (name.rfind("::") != std::string::npos) name.erase(0, name.rfind("::") + 2);
    const std::string suffix = index < 0 ? "" : numbered(std::size_t(index));
    engine().add_task(name + opened_by() + suffix, Body(invoke, object, num_bytes), text + suffix, index);
  }
  [[gnu::cold, gnu::noinline]] static std::string numbered(std::size_t i) { return "[" + std::to_string(i) + "]"; }
  [[gnu::cold, gnu::noinline]] std::string opened_by() const {
    return opener_ == nullptr || opener_->index < 0 ? "" : numbered(std::size_t(opener_->index));
  }

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
