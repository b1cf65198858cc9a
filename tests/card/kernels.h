// SPDX-License-Identifier: Apache-2.0
// A rendered top as the device process calls it: GASPIPE_CARD_KERNEL(name) after it exports what kernel_abi.h says. The
// top is run by the emulator (hls/emulator), exactly, in a memory map of the card's buffers.
#pragma once

#include <cstddef>
#include <cstring>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "device/kernel_abi.h"
#include "hls/emulator/memory.h"

namespace gaspipe {
namespace card {

template <class... Arguments, std::size_t... i>
void call_top(void (*top)(Arguments...), void* const* arguments, std::index_sequence<i...>) {
  top(*static_cast<Arguments*>(arguments[i])...);
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
