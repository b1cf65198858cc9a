// SPDX-License-Identifier: Apache-2.0
// cuMerge: what several compute units gathered for the same vertices becomes one, lane by lane, a word a cycle.
// Names: X. Chen et al., "ThunderGP", FPGA 2021.
#pragma once

#include "hls/platform.h"
#include "hls/stream.h"
#include "hls/types.h"
#include "hls/word.h"

namespace gaspipe {

template <class Hooks>
void merge_word(Word<typename Traits<Hooks>::Update>& merged, const Word<typename Traits<Hooks>::Update>& other) {
  GASPIPE_PRAGMA(HLS INLINE);
  for (int i = 0; i < Word<typename Traits<Hooks>::Update>::kSize; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    merged.lane[i] = Hooks::applyMerge(merged.lane[i], other.lane[i]);
  }
}

// Two units; chains of these serve units that lie in different regions of the chip.
template <class Hooks>
void cuMerge(stream<Word<typename Traits<Hooks>::Update>>& a, stream<Word<typename Traits<Hooks>::Update>>& b,
             std::uint32_t num_words, stream<Word<typename Traits<Hooks>::Update>>& out) {
  Word<typename Traits<Hooks>::Update> merged, other;
  for (std::uint32_t w = 0; w < num_words; ++w) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 65536);
    read_from_stream(a, merged);
    read_from_stream(b, other);
    merge_word<Hooks>(merged, other);
    write_to_stream(out, merged);
  }
}

}  // namespace gaspipe
