// SPDX-License-Identifier: Apache-2.0
// XRT's headers, and calls into it. XRT 2.13 is what it is tested with, newer headers differ in where they lie.
#pragma once

#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>
#if __has_include(<xrt/experimental/xrt_system.h>)
#include <xrt/experimental/xrt_system.h>
#include <xrt/experimental/xrt_xclbin.h>
#else
#include <experimental/xrt_system.h>
#include <experimental/xrt_xclbin.h>
#endif

#include <exception>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gaspipe/card.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace fpga {

// Text out of a file or a card, fit for a message.
inline std::string printable(std::string text) {
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text;
}

// Calls into XRT. What it throws becomes a DeviceError that starts with what was being done; `what` is asked only then.
template <class Call, class What>
auto attempt(const Call& call, const What& what) -> decltype(call()) {
  try {
    return call();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    std::string text = error.what();
    while (!text.empty() && (text.back() == '\n' || text.back() == '.')) text.pop_back();
    throw DeviceError(message(what(), ": ", printable(text)));
  }
}

inline MemoryBank bank_of(const xrt::xclbin::mem& memory) {
  return {memory.get_index(), memory.get_tag(), memory.get_size_kb() * 1024};
}

inline bool holds_buffers(const xrt::xclbin::mem& memory) {
  using Type = xrt::xclbin::mem::memory_type;
  return memory.get_type() != Type::streaming && memory.get_type() != Type::streaming_connection && memory.get_used();
}

inline std::string names(const std::vector<MemoryBank>& banks) {
  std::string text;
  for (const MemoryBank& bank : banks) text += (text.empty() ? "" : ", ") + bank.name;
  return text;
}

// Keeps what XRT must not destroy while the card may still use it.
template <class T>
void abandon(T&& handle) {
  static_cast<void>(new std::decay_t<T>(std::forward<T>(handle)));
}

}  // namespace fpga
}  // namespace gaspipe
