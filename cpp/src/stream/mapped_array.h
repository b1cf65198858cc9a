// SPDX-License-Identifier: Apache-2.0
// Large arrays within a budget: pages of their own, which the system has back as soon as the array is gone. What is
// freed to the heap may stay with the process, between blocks that are in use.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "gaspipe/engine/pages.h"

namespace gaspipe {
namespace detail {

struct Unmap {
  std::size_t num_bytes = 0;
  void operator()(void* memory) const { ::munmap(memory, num_bytes); }
};

template <class T>
using MappedArray = std::unique_ptr<T[], Unmap>;

// `n` elements, on huge pages where the system gives them on request.
template <class T>
MappedArray<T> map_array(std::size_t n) {
  if (n > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
  const std::size_t num_bytes = (n * sizeof(T) + kHugePage - 1) / kHugePage * kHugePage;
  void* const mapped =
      ::mmap(nullptr, num_bytes + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* const first = static_cast<std::uint8_t*>(mapped);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(first) % kHugePage;
  if (before > 0) ::munmap(first, before);
  ::munmap(first + before + num_bytes, kHugePage - before);
#ifdef MADV_HUGEPAGE
  // A wish; the end gets a page too where the array fills more than half of it.
  ::madvise(first + before, (n * sizeof(T) + kHugePage / 2) / kHugePage * kHugePage, MADV_HUGEPAGE);
#endif
  return MappedArray<T>(reinterpret_cast<T*>(first + before), Unmap{num_bytes});
}

}  // namespace detail
}  // namespace gaspipe
