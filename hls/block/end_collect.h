// SPDX-License-Identifier: Apache-2.0
// end_collect: the last words of a chain's blocks and memory units, written to memory when all have come. Each producer
// sends one when it has ended, so that all words together are the end of the chain; there is nothing to time, as
// GraphOps' EndSignal times how long its producers stay idle. Its watchdog is kept: a chain that hangs on a card still
// tells the host which of its producers have ended.
#pragma once

#include "hls/block/types.h"
#include "hls/stream.h"

namespace gaspipe {
namespace block {

constexpr std::uint32_t kAllEnded = 1, kTimedOut = 2;  // in lane 0 of the first line

// Words of producer i are lane 2 + i of the lines of `status`, counted through; lane 0 is kAllEnded or kTimedOut, lane
// 1 has a bit for each producer that has ended.
template <int num>
constexpr int end_lines() {
  return (2 + num + Line<FinalWord>::kSize - 1) / Line<FinalWord>::kSize;
}

// Polls: with a watchdog, ends come in any order, and the words lie where their producer's are whatever the order.
// After `watchdog` cycles without an end it gives up; 0 waits for ever.
template <int num>
void end_collect(std::uint32_t watchdog, stream<FinalWord> (&ends)[num], Line<FinalWord>* status) {
  static_assert(num <= 32, "a bit for each producer");
  constexpr std::uint32_t kAll = num == 32 ? 0xffffffffu : (1u << (num % 32)) - 1;
  GASPIPE_PORT(Write, port, status);
  FinalWord words[end_lines<num>() * Line<FinalWord>::kSize] = {};
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = words complete);
  std::uint32_t ended = 0, idle = 0;
  bool waits = true;
  while (waits) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 1048576);
    bool came = false;
    for (int i = 0; i < num; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      if ((ended >> i & 1u) == 0 && (watchdog == 0 || !ends[i].empty())) {
        read_from_stream(ends[i], words[2 + i]);
        ended |= 1u << i;
        came = true;
      }
    }
    idle = came ? 0 : idle + 1;
    waits = ended != kAll && (watchdog == 0 || idle < watchdog);
  }
  words[0] = ended == kAll ? kAllEnded : kTimedOut;
  words[1] = ended;
  for (int i = 0; i < end_lines<num>(); ++i) {
    GASPIPE_PIPELINE(1);
    Line<FinalWord> line;
    for (int lane = 0; lane < Line<FinalWord>::kSize; ++lane) {
      GASPIPE_PRAGMA(HLS UNROLL);
      line.lane[lane] = words[i * Line<FinalWord>::kSize + lane];
    }
    GASPIPE_WORD(port, i, end_lines<num>());
    status[i] = line;
  }
}

}  // namespace block
}  // namespace gaspipe
