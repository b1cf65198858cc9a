// SPDX-License-Identifier: Apache-2.0
// A word of memory as ports see it: 512 bits, of lanes of 32 or 64.
#pragma once

namespace gaspipe {

template <class T>
struct alignas(64) Word {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "words of 32 or 64 bits");
  static constexpr int kSize = 64 / sizeof(T);
  T lane[kSize];
};

}  // namespace gaspipe
