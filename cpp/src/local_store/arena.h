// SPDX-License-Identifier: Apache-2.0
// A worker's local store: memory of a fixed size, from which its buffers are taken once. What does not fit is refused.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "gaspipe/engine/pages.h"
#include "gaspipe/error.h"
#include "gaspipe/local_store/layout.h"

namespace gaspipe {
namespace local_store {

// Part of a local store.
template <class T>
struct Buffer {
  T* data = nullptr;
  std::size_t size = 0;

  T* begin() const { return data; }
  T* end() const { return data + size; }
  T& operator[](std::size_t i) const { return data[i]; }
};

class Arena {
 public:
  explicit Arena(std::uint64_t num_bytes)
      : memory_(allocate_pages<Line>(num_bytes / kLine + 1)), num_bytes_(num_bytes) {}

  // So many bytes as elements, from the beginning of a line; cleared. CapacityError where the store does not hold them.
  template <class T>
  Buffer<T> take(std::uint64_t num_bytes, const char* what) {
    const std::uint64_t begin = (used_ + kLine - 1) / kLine * kLine;
    if (begin > num_bytes_ || num_bytes > num_bytes_ - begin) {
      throw CapacityError(message(what, " needs ", num_bytes, " bytes, and of the local store's ", num_bytes_,
                                  " bytes ", begin > num_bytes_ ? 0 : num_bytes_ - begin, " are free; at least ",
                                  begin + num_bytes, " are needed"));
    }
    used_ = begin + num_bytes;
    std::uint8_t* const memory = memory_.get()->bytes + begin;
    std::memset(memory, 0, num_bytes);
    return {reinterpret_cast<T*>(memory), num_bytes / sizeof(T)};
  }

  std::uint64_t size() const { return num_bytes_; }
  std::uint64_t used() const { return used_; }

 private:
  struct alignas(kLine) Line {
    std::uint8_t bytes[kLine];
  };

  std::unique_ptr<Line[], FreePages> memory_;
  std::uint64_t num_bytes_;
  std::uint64_t used_ = 0;
};

}  // namespace local_store
}  // namespace gaspipe
