// SPDX-License-Identifier: Apache-2.0
// A rendered top as the device process calls it: GASPIPE_CARD_KERNEL(name) after it exports what kernel_abi.h says. The
// top is run by the emulator (hls/emulator), exactly, in a memory map of the card's buffers. Streams to other kernels,
// which run on other threads, are carried by a task each, in a region around the top's.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "device/kernel_abi.h"
#include "hls/platform.h"

namespace gaspipe {
namespace card {

// The other end of a stream, as a task that looks for words whenever no task of the top can do anything.
class Carrier {
 public:
  virtual ~Carrier() = default;
  virtual void declare(emulator::Region& region, std::size_t number) = 0;
  void carry(const bool& done) {
    emulator::Task* const task = emulator::Engine::running();
    for (emulator::Cycle at = kFar;; at += kFar) {
      task->clock = std::max(task->clock, at);
      emulator::Engine::current()->park(task->clock, nullptr);
      const bool has_moved = move();
      if (done) return;
      if (!has_moved) std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

 protected:
  static constexpr emulator::Cycle kFar = emulator::Cycle(1) << 36;  // longer than any run
  static constexpr std::uint32_t kDepth = 64;

 private:
  virtual bool move() = 0;
};
template <class Word>
class CarrierOf : public Carrier {
 public:
  explicit CarrierOf(const CardStream& to) : to_(to) { static_assert(sizeof(Word) == 64, "a word of memory"); }
  void declare(emulator::Region& region, std::size_t number) override {
    region.declare(stream, ("stream_" + std::to_string(number)).c_str(), kDepth);
  }
  emulator::Fifo<Word> stream;

 private:
  bool move() override {
    bool has_moved = false;
    Word word;
    if (to_.sends != 0) {
      while (stream.size() > 0 && stream.read_nb(word)) {
        to_.push(to_.self, &word);
        has_moved = true;
      }
    } else {
      while (stream.size() < kDepth && to_.pop(to_.self, &word) != 0) {
        stream.write(word);
        has_moved = true;
      }
    }
    return has_moved;
  }
  const CardStream to_;
};

using Carriers = std::vector<std::unique_ptr<Carrier>>;

// An argument as it lies in memory; of a stream, one that has a carrier.
template <class T>
struct Given {
  static T& get(void* at, Carriers&) { return *static_cast<T*>(at); }
};
template <class Word>
struct Given<stream<Word>&> {
  static stream<Word>& get(void* at, Carriers& carriers) {
    auto made = std::make_unique<CarrierOf<Word>>(*static_cast<CardStream*>(at));
    stream<Word>& found = made->stream;
    carriers.push_back(std::move(made));
    return found;
  }
};

template <class... Arguments, std::size_t... i>
void call_top(void (*top)(Arguments...), void* const* arguments, std::index_sequence<i...>) {
  Carriers carriers;
  std::tuple<decltype(Given<Arguments>::get(nullptr, carriers))...> given{
      Given<Arguments>::get(arguments[i], carriers)...};
  if (carriers.empty()) return top(std::get<i>(given)...);
  bool done = false;
  emulator::Region around;
  for (std::size_t k = 0; k < carriers.size(); ++k) carriers[k]->declare(around, k);
  around.add("top", -1, [&] {
    top(std::get<i>(given)...);
    done = true;
  });
  for (auto& carrier : carriers) {
    Carrier* const each = carrier.get();
    around.add("carry", int(&carrier - carriers.data()), [each, &done] { each->carry(done); });
  }
  around.run();
}

template <class... Arguments>
constexpr int arity(void (*)(Arguments...)) {
  return sizeof...(Arguments);
}

template <class... Arguments>
int run_top(void (*top)(Arguments...), const CardCall& call) {
  emulator::MemoryMap memory(std::vector<emulator::Channel>(call.num_banks));
  for (std::uint32_t i = 0; i < call.num_buffers; ++i) {
    const CardBuffer& buffer = call.buffers[i];
    memory.add(buffer.name, buffer.data, buffer.num_bytes, buffer.bank, true);
  }
  memory.watch([&call](const void* data, std::size_t num_bytes, bool writes) -> std::string {
    const char* wrong = call.watch(call.self, data, num_bytes, writes ? 1 : 0);
    return wrong == nullptr ? "" : wrong;
  });
  emulator::MemoryMap::current() = &memory;
  int status = 0;
  try {
    call_top(top, call.arguments, std::index_sequence_for<Arguments...>());
  } catch (const std::exception& error) {
    std::strncpy(call.report, error.what(), call.report_size - 1);
    status = 1;
  }
  emulator::MemoryMap::current() = nullptr;
  return status;
}

}  // namespace card
}  // namespace gaspipe

#define GASPIPE_CARD_KERNEL(name)                                                                         \
  extern "C" {                                                                                            \
  __attribute__((visibility("default"))) int card_arity_##name() { return ::gaspipe::card::arity(name); } \
  __attribute__((visibility("default"))) int card_call_##name(const CardCall* call) {                     \
    return ::gaspipe::card::run_top(name, *call);                                                         \
  }                                                                                                       \
  }
