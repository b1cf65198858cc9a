// SPDX-License-Identifier: Apache-2.0
// How the published apply kernel reads and writes memory: the `Memory` of gaspipe::apply (hls/kernel/apply.h).
#pragma once

#include "hls/thundergp/gather.h"
#include "hls/thundergp/read.h"

namespace gaspipe {
namespace thundergp {

struct BufferedMemory {
  static constexpr bool kWritesActivity = false;

  template <class T>
  static void burstReadLite(std::uint32_t first, std::uint32_t last, const Word<T>* memory, stream<Word<T>>& out) {
    GASPIPE_PRAGMA(HLS INLINE);
    thundergp::burstReadLite(first, last, memory, out);
  }
  template <class T>
  static void writeBackLite(std::uint32_t first, std::uint32_t last, Word<T>* memory, stream<Word<T>>& in) {
    GASPIPE_PRAGMA(HLS INLINE);
    thundergp::writeBackLite(first, last, memory, in);
  }
};

}  // namespace thundergp
}  // namespace gaspipe
