// SPDX-License-Identifier: Apache-2.0
// A worker's local store: memory of a fixed size, from which its buffers are taken once. What does not fit is refused.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

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

// Memory of a store, from the beginning of a line. A large one is the system's again when it ends: the allocator would
// keep it, in pieces that the stores of the next search may not fit.
class StoreMemory {
 public:
  explicit StoreMemory(std::uint64_t num_bytes) {
    if (num_bytes < kHugePage) {
      allocated_ = allocate_pages<Line>(num_bytes / kLine + 1);
      data_ = allocated_.get()->bytes;
      return;
    }
    mapped_bytes_ = num_bytes + kHugePage;
    mapped_ = ::mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped_ == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::uint8_t*>(mapped_) + (-reinterpret_cast<std::uintptr_t>(mapped_) % kHugePage);
#ifdef MADV_HUGEPAGE
    (void)::madvise(data_, num_bytes / kHugePage * kHugePage, MADV_HUGEPAGE);  // a wish
#endif
  }
  ~StoreMemory() {
    if (mapped_bytes_ > 0) ::munmap(mapped_, mapped_bytes_);
  }
  StoreMemory(const StoreMemory&) = delete;
  StoreMemory& operator=(const StoreMemory&) = delete;

  std::uint8_t* data() const { return data_; }

 private:
  struct alignas(kLine) Line {
    std::uint8_t bytes[kLine];
  };

  std::unique_ptr<Line[], FreePages> allocated_;
  void* mapped_ = nullptr;
  std::uint64_t mapped_bytes_ = 0;
  std::uint8_t* data_ = nullptr;
};

class Arena {
 public:
  explicit Arena(std::uint64_t num_bytes) : memory_(num_bytes), num_bytes_(num_bytes) {}

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
    std::uint8_t* const memory = memory_.data() + begin;
    std::memset(memory, 0, num_bytes);
    return {reinterpret_cast<T*>(memory), num_bytes / sizeof(T)};
  }

  std::uint64_t size() const { return num_bytes_; }
  std::uint64_t used() const { return used_; }

 private:
  StoreMemory memory_;
  std::uint64_t num_bytes_;
  std::uint64_t used_ = 0;
};

}  // namespace local_store
}  // namespace gaspipe
