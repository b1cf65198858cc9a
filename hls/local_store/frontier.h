// SPDX-License-Identifier: Apache-2.0
// The frontier of a level that is pulled, as a bitmap of all vertices: those that the launch before marked, in which a
// PE's two states differ. Every PE's words go to all PEs: along a chain to the last one, and back along another.
#pragma once

#include "hls/local_store/code.h"

namespace gaspipe {

constexpr std::uint32_t kStateBurst = 64;  // words: 4 KB, the most AXI allows

// The marks of this level's state, and the frontier of this PE; then the marks once more, `ahead`, as fast as they are
// taken. `next_first` is where the queue's next level begins.
inline void readStates(std::uint32_t num_state_words, std::uint32_t level, const Word<std::uint64_t>* queue,
                       stream<Word<std::uint64_t>>& marks, stream<std::uint32_t>& next_first,
                       stream<Word<std::uint64_t>>& frontier, stream<Word<std::uint64_t>>& ahead) {
  GASPIPE_PORT(Read, port, queue);
  GASPIPE_ON_CHIP(Word<std::uint64_t>, before, kStateBurst, BRAM);
  GASPIPE_PRAGMA(HLS AGGREGATE variable = before);
  const std::uint32_t state = level % 2 == 0 ? 0 : num_state_words, other = num_state_words - state;
  GASPIPE_WORD(port, state, state + 1);
  const Word<std::uint64_t> control = queue[state];
  const auto num_entries = static_cast<std::uint32_t>(control.lane[ControlLane::kNumEntries]);
  write_to_stream(next_first, static_cast<std::uint32_t>(control.lane[ControlLane::kFirstWord]) +
                                  (num_entries + kEntriesPerWord - 1) / kEntriesPerWord);
  for (std::uint32_t first = 1; first < num_state_words; first += kStateBurst) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 512);
    const std::uint32_t left = num_state_words - first, num = left < kStateBurst ? left : kStateBurst;
    for (std::uint32_t i = 0; i < num; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 64);
      GASPIPE_WORD(port, other + first + i, other + first + num);
      before[i] = queue[other + first + i];
    }
    for (std::uint32_t i = 0; i < num; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 64);
      GASPIPE_WORD(port, state + first + i, state + first + num);
      Word<std::uint64_t> word = queue[state + first + i];
      write_to_stream(marks, word);
      const Word<std::uint64_t> old = before[i];
      for (int k = 0; k < Word<std::uint64_t>::kSize; ++k) {
        GASPIPE_PRAGMA(HLS UNROLL);
        word.lane[k] ^= old.lane[k];
      }
      write_to_stream(frontier, word);
    }
  }
  for (std::uint32_t i = 1; i < num_state_words; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 32768);
    GASPIPE_WORD(port, state + i, state + num_state_words);
    write_to_stream(ahead, queue[state + i]);
  }
}

// The words of `num_before` PEs, then those of this one.
inline void joinFrontier(std::uint32_t num_state_words, std::uint32_t num_before, stream<Word<std::uint64_t>>& before,
                         stream<Word<std::uint64_t>>& own, stream<Word<std::uint64_t>>& out) {
  const std::uint32_t first = num_before * (num_state_words - 1), last = first + num_state_words - 1;
  for (std::uint32_t i = 0; i < last; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 32768);
    Word<std::uint64_t> word;
    if (i < first) {
      read_from_stream(before, word);
    } else {
      read_from_stream(own, word);
    }
    write_to_stream(out, word);
  }
}

// The words of all PEs: to what looks them up in this PE, and to the next PE where there is one.
template <class... Out>
void spreadFrontier(std::uint32_t num_state_words, std::uint32_t num_pes, stream<Word<std::uint64_t>>& in,
                    Out&... out) {
  const std::uint32_t num_words = num_pes * (num_state_words - 1);
  for (std::uint32_t i = 0; i < num_words; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 32768);
    Word<std::uint64_t> word;
    read_from_stream(in, word);
    write_to_all(word, out...);
  }
}

// A source, whether it is in the frontier. `last`: of those that a vertex has.
struct PulledSource {
  VertexId source;
  bool last, end;
};
struct FoundSource {
  VertexId source;
  bool found, last, end;
};

// A source a cycle. The bitmap of all PEs, of up to `capacity` vertices each, comes first: word w is row w of all eight
// banks, which are frontier_a to frontier_h.
template <VertexId capacity, int num_pes>
void lookUp(std::uint32_t num_state_words, stream<Word<std::uint64_t>>& frontier, stream<PulledSource>& in,
            stream<FoundSource>& out) {
  constexpr std::uint32_t kRows = num_pes * capacity / kMarksPerWord;
  GASPIPE_ON_CHIP(std::uint64_t, frontier_a, kRows, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, frontier_b, kRows, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, frontier_c, kRows, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, frontier_d, kRows, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, frontier_e, kRows, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, frontier_f, kRows, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, frontier_g, kRows, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, frontier_h, kRows, URAM);
  const std::uint32_t num_words = num_pes * (num_state_words - 1);
  for (std::uint32_t i = 0; i < num_words; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 32768);
    Word<std::uint64_t> word;
    read_from_stream(frontier, word);
    frontier_a[i] = word.lane[0];
    frontier_b[i] = word.lane[1];
    frontier_c[i] = word.lane[2];
    frontier_d[i] = word.lane[3];
    frontier_e[i] = word.lane[4];
    frontier_f[i] = word.lane[5];
    frontier_g[i] = word.lane[6];
    frontier_h[i] = word.lane[7];
  }
  PulledSource token;
  FoundSource found;
  token.end = false;
  while (!token.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 268435456);
    read_from_stream(in, token);
    found.source = token.source;
    found.found = false;
    found.last = token.last;
    found.end = token.end;
    if (!token.end) {
      const std::uint32_t row = token.source / kMarksPerWord;
      const std::uint64_t read[8] = {frontier_a[row], frontier_b[row], frontier_c[row], frontier_d[row],
                                     frontier_e[row], frontier_f[row], frontier_g[row], frontier_h[row]};
      GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = read complete);
      found.found = (read[token.source / kMarksPerRow % 8] >> (token.source % kMarksPerRow) & 1) != 0;
    }
    write_to_stream(out, found);
  }
}

}  // namespace gaspipe
