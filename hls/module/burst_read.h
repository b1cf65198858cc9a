// SPDX-License-Identifier: Apache-2.0
// Memory to stream: words [first, last) of a buffer, in order, one a cycle. Each word goes on as it arrives, so the
// bursts that follow are under way while the consumer works. Names: X. Chen et al., "ThunderGP", FPGA 2021, where a
// burst is read in full before its first word goes on.
#pragma once

#include "hls/module/tokens.h"
#include "hls/platform.h"

namespace gaspipe {

// As the published design reads: a burst fills a buffer, then leaves it.
template <class T>
void burstReadWhole(const Word<T>* memory, std::uint32_t first, std::uint32_t last, stream<WordToken<T>>& out) {
  constexpr std::uint32_t kBufferWords = 128;
  GASPIPE_READ_PORT(port, memory);
  GASPIPE_ON_CHIP(Word<T>, buffer, kBufferWords);
  WordToken<T> token;
  token.end = false;
  for (std::uint32_t from = first; from < last; from += kBufferWords) {
    GASPIPE_TRIPCOUNT(0, 8192);
    const std::uint32_t num = last - from < kBufferWords ? last - from : kBufferWords;
    for (std::uint32_t i = 0; i < num; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_TRIPCOUNT(1, 128);
      GASPIPE_WORD(port, from + i, from + num);
      buffer[i] = memory[from + i];
    }
    for (std::uint32_t i = 0; i < num; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_TRIPCOUNT(1, 128);
      token.word = buffer[i];
      out.write(token);
    }
  }
  token.end = true;
  out.write(token);
}

// Ends with an end token. Without `overlaps` as the published design.
template <class T, bool overlaps = true>
void burstRead(const Word<T>* memory, std::uint32_t first, std::uint32_t last, stream<WordToken<T>>& out) {
  if (!overlaps) {
    burstReadWhole(memory, first, last, out);
    return;
  }
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
