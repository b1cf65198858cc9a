// SPDX-License-Identifier: Apache-2.0
// Memory to stream: words [first, last) of a buffer, in order, one a cycle. Each word goes on as it arrives, so the
// bursts that follow are under way while the consumer works. Names: X. Chen et al., "ThunderGP", FPGA 2021, where a
// burst is read in full before its first word goes on (published_read.h).
#pragma once

#include "hls/module/tokens.h"
#include "hls/platform.h"

namespace gaspipe {

// Ends with an end token.
template <class T>
void burstRead(const Word<T>* memory, std::uint32_t first, std::uint32_t last, stream<WordToken<T>>& out) {
  GASPIPE_READ_PORT(port, memory);
  WordToken<T> token;
  token.end = false;
  for (std::uint32_t i = first; i < last; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_TRIPCOUNT(0, 1048576);
    GASPIPE_WORD(port, i, last);
    token.word = memory[i];
    out.write(token);
  }
  token.end = true;
  out.write(token);
}

// For consumers that know how many words come: no end token.
template <class T>
void burstReadLite(const Word<T>* memory, std::uint32_t first, std::uint32_t last, stream<Word<T>>& out) {
  GASPIPE_READ_PORT(port, memory);
  for (std::uint32_t i = first; i < last; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_TRIPCOUNT(0, 1048576);
    GASPIPE_WORD(port, i, last);
    out.write(memory[i]);
  }
}

}  // namespace gaspipe
