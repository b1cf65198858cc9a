// SPDX-License-Identifier: Apache-2.0
// Arrays of a run: on huge pages, or in memory that the caller owns.
#pragma once

#include <cstddef>
#include <memory>

#include "gaspipe/engine/pages.h"

namespace gaspipe {
namespace engine {

struct FreeBlock {
  bool is_lent = false;  // the owner frees it
  void operator()(void* memory) const {
    if (!is_lent) FreePages()(memory);
  }
};
template <class T>
using Block = std::unique_ptr<T[], FreeBlock>;
template <class T>
Block<T> make_block(std::size_t n) {
  return Block<T>(allocate_pages<T>(n).release());
}

}  // namespace engine
}  // namespace gaspipe
