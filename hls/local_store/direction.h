// SPDX-License-Identifier: Apache-2.0
// Whether a level is pushed or pulled. The kernel decides it between two levels, from the control words of the PEs.
//
// A level is pulled where its edges are more than a fifteenth of those of the vertices behind it, and the PEs then take
// fewer cycles, by what they take at the least: the frontier goes to all of them, a word a cycle; one that pulls looks
// for vertices without a mark in a row of the bitmap a cycle, and at one of them a cycle; one that pushes takes a
// vertex a cycle from a list. Method: S. Beamer, K. Asanovic, D. Patterson, "Direction-optimizing breadth-first
// search", SC 2012.
#pragma once

#include "hls/local_store/code.h"

namespace gaspipe {

constexpr std::uint32_t kAlpha = 15;

struct LevelControl {
  std::uint32_t words_left, headed_left;  // of lists of vertices in no level yet; of vertices with sources
  std::uint32_t num_entries, num_words;   // of this level

  void start(std::uint32_t num_list_words, std::uint32_t num_headed) {
    GASPIPE_PRAGMA(HLS INLINE);
    words_left = num_list_words;
    headed_left = num_headed;
    num_entries = num_words = 0;
  }
  // A level begins; take() the control word of every PE then, and end.
  void begin() {
    GASPIPE_PRAGMA(HLS INLINE);
    num_entries = num_words = 0;
  }
  void take(const Word<std::uint64_t>& control) {
    GASPIPE_PRAGMA(HLS INLINE);
    num_entries += static_cast<std::uint32_t>(control.lane[ControlLane::kNumEntries]);
    num_words += static_cast<std::uint32_t>(control.lane[ControlLane::kListWords]);
  }
  void end() {
    GASPIPE_PRAGMA(HLS INLINE);
    words_left -= num_words < words_left ? num_words : words_left;
    headed_left -= num_entries < headed_left ? num_entries : headed_left;
  }
  bool pulls(std::uint32_t num_state_words, std::uint32_t num_pes) const {
    GASPIPE_PRAGMA(HLS INLINE);
    const std::uint64_t pushed = std::uint64_t(num_words) * kCodesPerWord;
    const std::uint32_t of_a_pe = (num_pes + Word<std::uint64_t>::kSize) * num_state_words;
    const std::uint64_t pulled = std::uint64_t(num_pes) * of_a_pe + headed_left;
    return num_words > words_left / kAlpha && pulled < pushed;
  }
};

}  // namespace gaspipe
