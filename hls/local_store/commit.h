// SPDX-License-Identifier: Apache-2.0
// Step 6 of Cell's search: what was marked goes to Qnext in memory, behind this level's part of the queue. The FIFO of
// words between the two tasks is bQnext: words are packed while a burst is written. The PE's state follows, for the
// launch of the next level.
#pragma once

#include "hls/local_store/code.h"
#include "hls/local_store/mark.h"
#include "hls/module/write_back.h"

namespace gaspipe {

// Entries of the queue, as words, of the codes that are new. The end token's lanes: their number, and the words of
// their lists.
inline void packCodes(std::uint32_t level, stream<MarkedCode>& in, stream<WordToken<std::uint64_t>>& out) {
  WordToken<std::uint64_t> token = {};
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = token.word.lane complete);
  MarkedCode found;
  std::uint32_t num = 0, num_words = 0;
  found.end = false;
  while (!found.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    read_from_stream(in, found);
    const std::uint32_t place = num % kEntriesPerWord;
    bool is_full = found.end && place != 0;
    if (found.is_new) {
      for (std::uint32_t k = 0; k < kEntriesPerWord; ++k) {
        GASPIPE_PRAGMA(HLS UNROLL);
        if (k == place) {
          token.word.lane[2 * k] = found.code;
          token.word.lane[2 * k + 1] = std::uint64_t(level + 1) << 32 | found.parent;
        }
      }
      ++num;
      num_words += likely_words(found.code);
      is_full = place == kEntriesPerWord - 1;
    }
    if (is_full) write_to_stream(out, token);
  }
  token.word.lane[0] = num;
  token.word.lane[1] = num_words;
  token.end = true;
  write_to_stream(out, token);
}

// Writes the words from the one on that `next_first` has, then the state, where that of `level` is not. A burst says
// its length before its first word, so words wait on chip until there are kWriteBurst of them or the end.
inline void commitCodes(std::uint32_t num_state_words, std::uint32_t level, stream<std::uint32_t>& next_first,
                        stream<WordToken<std::uint64_t>>& in, stream<Word<std::uint64_t>>& marks,
                        Word<std::uint64_t>* next_queue) {
  GASPIPE_PORT(Write, port, next_queue);
  GASPIPE_ON_CHIP(Word<std::uint64_t>, burst, kWriteBurst, BRAM);
  GASPIPE_PRAGMA(HLS AGGREGATE variable = burst);
  std::uint32_t begin;
  read_from_stream(next_first, begin);
  WordToken<std::uint64_t> token;
  token.end = false;
  std::uint32_t first = begin;
  while (!token.end) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 65536);
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
      next_queue[first + i] = burst[i];
    }
    first = last;
  }
  Word<std::uint64_t> word = {};
  word.lane[ControlLane::kFirstWord] = begin;
  word.lane[ControlLane::kNumEntries] = token.word.lane[0];
  word.lane[ControlLane::kListWords] = token.word.lane[1];
  const std::uint32_t state = level % 2 == 0 ? num_state_words : 0, end_of_state = state + num_state_words;
  for (std::uint32_t i = state; i < end_of_state; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 32769);
    if (i != state) read_from_stream(marks, word);
    GASPIPE_WORD(port, i, end_of_state);
    next_queue[i] = word;
  }
}

}  // namespace gaspipe
