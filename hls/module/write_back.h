// SPDX-License-Identifier: Apache-2.0
// Stream to memory, in bursts; words that the stream does not hold are not touched.
// Names and order of arguments (range, memory, stream): X. Chen et al., "ThunderGP", FPGA 2021.
#pragma once

#include "hls/module/tokens.h"
#include "hls/platform.h"
#include "hls/stream.h"

namespace gaspipe {

constexpr std::uint32_t kWriteBurst = 64;  // words: 4 KB, the most AXI allows

// Writes what comes up to the end token, from word `first` on. A burst has to say its length before its first word, so
// words wait on chip until there are kWriteBurst of them or the end: filling and writing take turns, two cycles a word.
// Where the number is known, writeBackLite is twice as fast.
template <class T>
void writeBack(std::uint32_t first, Word<T>* memory, stream<WordToken<T>>& in) {
  GASPIPE_PORT(Write, port, memory);
  GASPIPE_ON_CHIP(Word<T>, burst, kWriteBurst, BRAM);
  GASPIPE_PRAGMA(HLS AGGREGATE variable = burst);
  WordToken<T> token;
  token.end = false;
  while (!token.end) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16384);
    std::uint32_t num = 0;
    while (num < kWriteBurst) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 64);
      read_from_stream(in, token);
      if (token.end) break;
      burst[num++] = token.word;
    }
    const std::uint32_t last = first + num;
    for (std::uint32_t i = 0; i < num; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 64);
      GASPIPE_WORD(port, first + i, last);
      memory[first + i] = burst[i];
    }
    first = last;
  }
}

// Writes words [first, last), as they come.
template <class T>
void writeBackLite(std::uint32_t first, std::uint32_t last, Word<T>* memory, stream<Word<T>>& in) {
  GASPIPE_PORT(Write, port, memory);
  for (std::uint32_t i = first; i < last; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 1048576);
    Word<T> word;
    read_from_stream(in, word);
    GASPIPE_WORD(port, i, last);
    memory[i] = word;
  }
}

}  // namespace gaspipe
