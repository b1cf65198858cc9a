// SPDX-License-Identifier: Apache-2.0
// Step 5 of Cell's search: a vertex that has no mark in its owner's bitmap gets one, and goes on. The bitmap is in
// UltraRAM, in eight banks, so that a word of memory is loaded in a cycle.
//
// The hazard: a word is read kMemoryRead cycles before its new value is known, and that takes kMemoryWrite cycles to be
// there. A vertex that comes again within kMarkWindow iterations, or another one of the same word, would find the old
// word: it would be marked twice, or lose another's mark. So the last kMarkWindow words that were written are kept in
// registers, and a word that is among them is taken from there, the newest first.
#pragma once

#include "hls/local_store/code.h"
#include "hls/module/latency.h"

namespace gaspipe {

// Iterations that a word is read too early for.
constexpr int kMarkWindow = kMemoryRead + kMemoryWrite;
constexpr std::uint32_t kNoMarkRow = 0xffffffffu;

struct MarkWindow {
  std::uint32_t row[kMarkWindow];  // the newest last
  std::uint64_t word[kMarkWindow];

  void start() {
    GASPIPE_PRAGMA(HLS INLINE);
    for (int i = 0; i < kMarkWindow; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      row[i] = kNoMarkRow;
      word[i] = 0;
    }
  }
  // Marks a bit of a row, which memory has as `read`; the row as it is now. Whether the bit is new.
  bool mark(std::uint32_t at, std::uint32_t bit, std::uint64_t read, std::uint64_t& marked) {
    GASPIPE_PRAGMA(HLS INLINE);
    std::uint64_t held = read;
    for (int i = 0; i < kMarkWindow; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      if (row[i] == at) held = word[i];
    }
    marked = held | std::uint64_t(1) << bit;
    for (int i = 0; i + 1 < kMarkWindow; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      row[i] = row[i + 1];
      word[i] = word[i + 1];
    }
    row[kMarkWindow - 1] = at;
    word[kMarkWindow - 1] = marked;
    return marked != held;
  }
};

// The bitmap is `num_state_words` - 1 words, which come first; it leaves again after the end token.
template <VertexId capacity>
void markCodes(std::uint32_t num_state_words, stream<Word<std::uint64_t>>& marks_in, stream<CodeMessage>& in,
               stream<CodeMessage>& out, stream<Word<std::uint64_t>>& marks_out) {
  static_assert(capacity % kMarksPerWord == 0, "whole words");
  GASPIPE_ON_CHIP(std::uint64_t, marks, capacity / kMarksPerRow, URAM);
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = marks cyclic factor = 8);
  for (std::uint32_t i = 0; i + 1 < num_state_words; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 32768);
    Word<std::uint64_t> word;
    read_from_stream(marks_in, word);
    for (std::uint32_t k = 0; k < 8; ++k) {
      GASPIPE_PRAGMA(HLS UNROLL);
      marks[8 * i + k] = word.lane[k];
    }
  }
  MarkWindow window;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = window.row complete);
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = window.word complete);
  window.start();
  CodeMessage message;
  message.end = false;
  while (!message.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 268435456);
    // A row that was written within kMarkWindow iterations comes from the window.
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = marks inter RAW true distance = kMarkWindow + 1);  // see above
    read_from_stream(in, message);
    bool is_new = message.end;
    if (!message.end) {
      const std::uint32_t index = code_index(message.code), row = index / kMarksPerRow;
      std::uint64_t marked;
      is_new = window.mark(row, index % kMarksPerRow, marks[row], marked);
      marks[row] = marked;
    }
    if (is_new) write_to_stream(out, message);
  }
  for (std::uint32_t i = 0; i + 1 < num_state_words; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 32768);
    Word<std::uint64_t> word;
    for (std::uint32_t k = 0; k < 8; ++k) {
      GASPIPE_PRAGMA(HLS UNROLL);
      word.lane[k] = marks[8 * i + k];
    }
    write_to_stream(marks_out, word);
  }
}

}  // namespace gaspipe
