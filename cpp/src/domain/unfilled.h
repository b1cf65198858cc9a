// SPDX-License-Identifier: Apache-2.0
// A vector whose elements have no value until they are written, on huge pages where it is large: what a run's exchanges
// need room for is mostly written once, or not at all.
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "gaspipe/engine/pages.h"

namespace gaspipe {
namespace detail {

template <class T>
struct UnfilledAllocator {
  using value_type = T;
  UnfilledAllocator() = default;
  template <class Other>
  UnfilledAllocator(const UnfilledAllocator<Other>& /*other*/) {}

  T* allocate(std::size_t n) { return allocate_pages<T>(n).release(); }
  void deallocate(T* memory, std::size_t /*n*/) { FreePages()(memory); }
  template <class Element>
  void construct(Element* place) {
    ::new (static_cast<void*>(place)) Element;
  }
  template <class Element, class... Arguments>
  void construct(Element* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) Element(std::forward<Arguments>(arguments)...);
  }
  bool operator==(const UnfilledAllocator& /*other*/) const { return true; }
  bool operator!=(const UnfilledAllocator& /*other*/) const { return false; }
};

template <class T>
using Unfilled = std::vector<T, UnfilledAllocator<T>>;

}  // namespace detail
}  // namespace gaspipe
