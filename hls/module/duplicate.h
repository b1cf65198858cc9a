// SPDX-License-Identifier: Apache-2.0
// cuDuplicate: the new properties, identical to every compute unit's bank. Names: X. Chen et al., "ThunderGP", FPGA
// 2021.
#pragma once

#include "hls/platform.h"
#include "hls/stream.h"
#include "hls/types.h"
#include "hls/word.h"

namespace gaspipe {

// To the first `units` of the streams: all of them in hardware.
template <class T, int most>
void cuDuplicate(stream<Word<T>>& in, std::uint32_t num_words, int units, stream<Word<T>> (&out)[most]) {
  Word<T> word;
  for (std::uint32_t w = 0; w < num_words; ++w) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 65536);
    read_from_stream(in, word);
    for (int unit = 0; unit < most; ++unit) {
      GASPIPE_PRAGMA(HLS UNROLL);
      if (unit < units) write_to_stream(out[unit], word);
    }
  }
}

}  // namespace gaspipe
