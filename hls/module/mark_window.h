// SPDX-License-Identifier: Apache-2.0
// A bitmap on the chip, in which a vertex is marked in every iteration of a loop, without the hazard of that.
//
// The hazard: a word is read kMemoryRead cycles before its new value is known, and that takes kMemoryWrite cycles to be
// there. A vertex that comes again within kMarkWindow iterations, or another one of the same word, would find the old
// word: it would be marked twice, or lose another's mark. So the last kMarkWindow words that were written are kept in
// registers, and a word that is among them is taken from there, the newest first. Which one that is follows from the
// vertices alone: a task before finds it, so that no comparison is in the loop that words go round in.
#pragma once

#include "hls/module/latency.h"
#include "hls/platform.h"
#include "hls/types.h"

namespace gaspipe {

// Iterations that a word is read too early for.
constexpr int kMarkWindow = kMemoryRead + kMemoryWrite;
constexpr std::uint32_t kNoMarkRow = 0xffffffffu;

// Words of the last iterations, the newest first; kNoMarkRow of one without a vertex.
struct RowWindow {
  std::uint32_t row[kMarkWindow];

  void start() {
    GASPIPE_PRAGMA(HLS INLINE);
    for (int i = 0; i < kMarkWindow; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      row[i] = kNoMarkRow;
    }
  }
  // Takes a vertex of word `at`. A bit, the lowest one for the iteration before, if the newest of the last kMarkWindow
  // words that is this one is that; none if the word comes from memory.
  std::uint8_t take(std::uint32_t at) {
    GASPIPE_PRAGMA(HLS INLINE);
    std::uint32_t held = 0;
    for (int i = kMarkWindow - 1; i >= 0; --i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      if (row[i] == at) held = 1u << i;
      row[i] = i == 0 ? at : row[i - (i != 0)];
    }
    return static_cast<std::uint8_t>(held);
  }
};
struct MarkWindow {
  std::uint64_t word[kMarkWindow];  // as written, the newest first

  void start() {
    GASPIPE_PRAGMA(HLS INLINE);
    for (int i = 0; i < kMarkWindow; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      word[i] = 0;
    }
  }
  // Marks a bit of a word, which memory has as `read`; in `marked`, the word as it is now. Whether the bit is new.
  bool mark(std::uint8_t held, std::uint32_t bit, std::uint64_t read, std::uint64_t& marked) {
    GASPIPE_PRAGMA(HLS INLINE);
    std::uint64_t before = held == 0 ? read : 0;
    for (int i = 0; i < kMarkWindow; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      if ((held >> i & 1u) != 0) before |= word[i];
    }
    for (int i = kMarkWindow - 1; i > 0; --i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      word[i] = word[i - 1];
    }
    marked = word[0] = before | std::uint64_t(1) << bit;
    return (before >> bit & 1u) == 0;
  }
};

}  // namespace gaspipe
