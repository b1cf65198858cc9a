// SPDX-License-Identifier: Apache-2.0
// cuDuplicate: the new properties, identical to every compute unit's bank. Names: X. Chen et al., "ThunderGP", FPGA
// 2021.
#pragma once

#include "hls/module/tokens.h"
#include "hls/platform.h"

namespace gaspipe {

template <class T, int units>
void cuDuplicate(stream<Word<T>>& in, std::uint32_t num_words, stream<Word<T>> (&out)[units]) {
  Word<T> word;
  for (std::uint32_t w = 0; w < num_words; ++w) {
    GASPIPE_PIPELINE(1);
    GASPIPE_TRIPCOUNT(1, 65536);
    in.read(word);
    for (int unit = 0; unit < units; ++unit) {
      GASPIPE_UNROLL;
      out[unit].write(word);
    }
  }
}

}  // namespace gaspipe
