// SPDX-License-Identifier: Apache-2.0
// Step 1 of Cell's search: the PE's bitmap comes from memory, then this level's part of Q. The FIFO behind it is bQ.
#pragma once

#include "hls/local_store/code.h"

namespace gaspipe {

// Codes of a word of the queue; the first `num` are there.
struct FetchedCodes {
  ListCode code[kEntriesPerWord];
  std::uint8_t num;
  bool end;
};

// `queue` begins with two states of `num_state_words`. `next_first` is where the queue's next level begins.
inline void fetchQueue(std::uint32_t num_state_words, std::uint32_t level, const Word<std::uint64_t>* queue,
                       stream<Word<std::uint64_t>>& marks, stream<std::uint32_t>& next_first,
                       stream<FetchedCodes>& out) {
  GASPIPE_PORT(Read, port, queue);
  std::uint32_t first = 0, num_entries = 0;
  const std::uint32_t state = level % 2 == 0 ? 0 : num_state_words, end_of_state = state + num_state_words;
  for (std::uint32_t i = state; i < end_of_state; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 32769);
    GASPIPE_WORD(port, i, end_of_state);
    const Word<std::uint64_t> word = queue[i];
    if (i == state) {
      first = static_cast<std::uint32_t>(word.lane[ControlLane::kFirstWord]);
      num_entries = static_cast<std::uint32_t>(word.lane[ControlLane::kNumEntries]);
    } else {
      write_to_stream(marks, word);
    }
  }
  const std::uint32_t last = first + (num_entries + kEntriesPerWord - 1) / kEntriesPerWord;
  write_to_stream(next_first, last);
  FetchedCodes token = {};
  for (std::uint32_t i = first; i < last; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 4194304);
    GASPIPE_WORD(port, i, last);
    const Word<std::uint64_t> word = queue[i];
    for (std::uint32_t k = 0; k < kEntriesPerWord; ++k) {
      GASPIPE_PRAGMA(HLS UNROLL);
      token.code[k] = word.lane[2 * k];
    }
    token.num = static_cast<std::uint8_t>(num_entries < kEntriesPerWord ? num_entries : kEntriesPerWord);
    num_entries -= token.num;
    write_to_stream(out, token);
  }
  token.end = true;
  write_to_stream(out, token);
}

}  // namespace gaspipe
