// SPDX-License-Identifier: Apache-2.0
// Memory to stream: words [first, last) of a buffer, in order, one a cycle. Each word goes on as it arrives, so the
// bursts that follow are under way while the consumer works. Names and order of arguments (range, memory, stream): X.
// Chen et al., "ThunderGP", FPGA 2021, where the range counts values, not words, and a burst is read in full before its
// first word goes on (hls/thundergp/read.h).
#pragma once

#include "hls/module/tokens.h"
#include "hls/platform.h"
#include "hls/stream.h"

namespace gaspipe {

// Ends with an end token.
template <class T>
void burstRead(std::uint32_t first, std::uint32_t last, const Word<T>* memory, stream<WordToken<T>>& out) {
  GASPIPE_PORT(Read, port, memory);
  WordToken<T> token;
  token.end = false;
  for (std::uint32_t i = first; i < last; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 1048576);
    GASPIPE_WORD(port, i, last);
    token.word = memory[i];
    write_to_stream(out, token);
  }
  token.end = true;
  write_to_stream(out, token);
}

// For consumers that know how many words come: no end token.
template <class T>
void burstReadLite(std::uint32_t first, std::uint32_t last, const Word<T>* memory, stream<Word<T>>& out) {
  GASPIPE_PORT(Read, port, memory);
  for (std::uint32_t i = first; i < last; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 1048576);
    GASPIPE_WORD(port, i, last);
    write_to_stream(out, memory[i]);
  }
}

}  // namespace gaspipe
