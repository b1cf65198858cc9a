// SPDX-License-Identifier: Apache-2.0
// Step 5 of Cell's search: a vertex that has no mark in its owner's bitmap gets one, and goes on. The bitmap is in
// UltraRAM, in eight banks, so that a word of memory is loaded in a cycle.
//
// A vertex that comes again within kMarkWindow iterations, or another one of the same word, would find the old word
// (hls/module/mark_window.h). Which of the words in registers it takes instead, a task before finds.
#pragma once

#include "hls/local_store/code.h"
#include "hls/module/latency.h"
#include "hls/module/mark_window.h"

namespace gaspipe {

// A vertex to be marked. `held`: a bit, the lowest one for the vertex before, if the newest of the last kMarkWindow
// vertices in this one's word is that; none if its word comes from memory.
struct MarkRequest {
  ListCode code;
  VertexId parent;
  std::uint8_t held;
  bool end;
};

// A vertex, and whether it had no mark. Those that had one go on too: whether a token is sent would otherwise depend on
// what was read, and the loop's clock on whether there is a place for it.
struct MarkedCode {
  ListCode code;
  VertexId parent;
  bool is_new, end;
};

inline void watchRows(stream<CodeMessage>& in, stream<MarkRequest>& out) {
  RowWindow window;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = window.row complete);
  window.start();
  CodeMessage message;
  MarkRequest request;
  message.end = false;
  while (!message.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 268435456);
    read_from_stream(in, message);
    request.code = message.code;
    request.parent = message.parent;
    request.held = window.take(code_index(message.code) / kMarksPerRow);
    request.end = message.end;
    write_to_stream(out, request);
  }
}

// The bitmap is `num_state_words` - 1 words, which come first; it leaves again after the end token. Word w of it is row
// w / 8 of bank w % 8: marks_a to marks_h.
template <VertexId capacity>
void markCodes(std::uint32_t num_state_words, stream<Word<std::uint64_t>>& marks_in, stream<MarkRequest>& in,
               stream<MarkedCode>& out, stream<Word<std::uint64_t>>& marks_out) {
  static_assert(capacity % kMarksPerWord == 0, "whole words");
  GASPIPE_ON_CHIP(std::uint64_t, marks_a, capacity / kMarksPerWord, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, marks_b, capacity / kMarksPerWord, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, marks_c, capacity / kMarksPerWord, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, marks_d, capacity / kMarksPerWord, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, marks_e, capacity / kMarksPerWord, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, marks_f, capacity / kMarksPerWord, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, marks_g, capacity / kMarksPerWord, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, marks_h, capacity / kMarksPerWord, URAM);
  for (std::uint32_t i = 0; i + 1 < num_state_words; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 32768);
    Word<std::uint64_t> word;
    read_from_stream(marks_in, word);
    marks_a[i] = word.lane[0];
    marks_b[i] = word.lane[1];
    marks_c[i] = word.lane[2];
    marks_d[i] = word.lane[3];
    marks_e[i] = word.lane[4];
    marks_f[i] = word.lane[5];
    marks_g[i] = word.lane[6];
    marks_h[i] = word.lane[7];
  }
  MarkWindow window;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = window.word complete);
  window.start();
  MarkRequest request;
  MarkedCode token;
  request.end = false;
  while (!request.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 268435456);
    // A row that was written within kMarkWindow iterations comes from the window.
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = marks_a inter RAW true distance = kMarkWindow + 1);  // see above
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = marks_b inter RAW true distance = kMarkWindow + 1);  // see above
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = marks_c inter RAW true distance = kMarkWindow + 1);  // see above
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = marks_d inter RAW true distance = kMarkWindow + 1);  // see above
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = marks_e inter RAW true distance = kMarkWindow + 1);  // see above
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = marks_f inter RAW true distance = kMarkWindow + 1);  // see above
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = marks_g inter RAW true distance = kMarkWindow + 1);  // see above
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = marks_h inter RAW true distance = kMarkWindow + 1);  // see above
    read_from_stream(in, request);
    const std::uint32_t index = code_index(request.code), row = index / kMarksPerWord;
    const std::uint32_t bank = index / kMarksPerRow % 8;
    token.code = request.code;
    token.parent = request.parent;
    token.is_new = false;
    token.end = request.end;
    if (!request.end) {
      const std::uint64_t read[8] = {marks_a[row], marks_b[row], marks_c[row], marks_d[row],
                                     marks_e[row], marks_f[row], marks_g[row], marks_h[row]};
      GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = read complete);
      std::uint64_t marked;
      token.is_new = window.mark(request.held, index % kMarksPerRow, read[bank], marked);
      if (bank == 0) marks_a[row] = marked;
      if (bank == 1) marks_b[row] = marked;
      if (bank == 2) marks_c[row] = marked;
      if (bank == 3) marks_d[row] = marked;
      if (bank == 4) marks_e[row] = marked;
      if (bank == 5) marks_f[row] = marked;
      if (bank == 6) marks_g[row] = marked;
      if (bank == 7) marks_h[row] = marked;
    }
    write_to_stream(out, token);
  }
  for (std::uint32_t i = 0; i + 1 < num_state_words; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 32768);
    write_to_stream(marks_out,
                    {{marks_a[i], marks_b[i], marks_c[i], marks_d[i], marks_e[i], marks_f[i], marks_g[i], marks_h[i]}});
  }
}

}  // namespace gaspipe
