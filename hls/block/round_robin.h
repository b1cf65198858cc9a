// SPDX-License-Identifier: Apache-2.0
// Several queues to one: which are ready, who is next, and a token of that. GraphOps' FifoKernelSM says exactly which
// of its FIFOs have data, also with one element; a stream here does so itself (empty()).
#pragma once

#include "hls/block/types.h"
#include "hls/stream.h"

namespace gaspipe {
namespace block {

// Grants one of the ready lanes, the first from the one after the last granted: no lane waits for more than num grants.
template <int num>
class RoundRobin {
  static_assert(num >= 1 && num <= 32, "a bit for each lane");

 public:
  // A set bit of `ready`, as its number; -1 where there is none.
  int grant(std::uint32_t ready) {
    GASPIPE_PRAGMA(HLS INLINE);
    int found = -1;
    for (int i = num - 1; i >= 0; --i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      const int lane = next_ + i < num ? next_ + i : next_ + i - num;
      if ((ready >> lane & 1u) != 0) found = lane;
    }
    if (found >= 0) next_ = found + 1 == num ? 0 : found + 1;
    return found;
  }

 private:
  int next_ = 0;
};

// Polls: passes on a token a cycle, of the lanes in turn; a lane's tokens keep their order, and what follows may not
// depend on the order between lanes. Ends when all lanes have ended.
template <class Token, int num>
void merge_lanes(stream<Token> (&in)[num], stream<Token>& out) {
  RoundRobin<num> turns;
  std::uint32_t ended = 0;
  constexpr std::uint32_t kAll = num == 32 ? 0xffffffffu : (1u << (num % 32)) - 1;
  Token token;
  token.end = true;
  while (ended != kAll) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 4194304);
    std::uint32_t ready = 0;
    for (int i = 0; i < num; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      if ((ended >> i & 1u) == 0 && !in[i].empty()) ready |= 1u << i;
    }
    const int granted = turns.grant(ready);
    for (int i = 0; i < num; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      if (i == granted) {
        read_from_stream(in[i], token);
        if (token.end) ended |= 1u << i;
        if (!token.end) write_to_stream(out, token);
      }
    }
  }
  token.end = true;
  write_to_stream(out, token);
}

}  // namespace block
}  // namespace gaspipe
