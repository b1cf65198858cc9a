// SPDX-License-Identifier: Apache-2.0
// Memory for large arrays, on huge pages where the system gives them on request: fewer pages to be zeroed at first
// touch, fewer misses of the TLB at random reads. Pages go to the threads that touch them first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace gaspipe {

constexpr std::size_t kHugePage = std::size_t(1) << 21;

struct FreePages {
  void operator()(void* memory) const { std::free(memory); }
};

// `n` elements that are not initialised.
template <class T>
std::unique_ptr<T[], FreePages> allocate_pages(std::size_t n) {
  static_assert(std::is_trivially_destructible_v<T>);
  if (n > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
  const std::size_t num_bytes = n * sizeof(T);
  const bool large = num_bytes >= kHugePage;
  const std::size_t alignment = large ? kHugePage : std::max(alignof(T), alignof(std::max_align_t));
  void* memory =
      std::aligned_alloc(alignment, (std::max(num_bytes, alignment) + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  // A wish; that it fails does not matter. The end gets a page too where it fills more than half of it.
  if (large) madvise(memory, (num_bytes + kHugePage / 2) / kHugePage * kHugePage, MADV_HUGEPAGE);
#endif
  return std::unique_ptr<T[], FreePages>(static_cast<T*>(memory));
}

}  // namespace gaspipe
