// SPDX-License-Identifier: Apache-2.0
// rawSolver where a merge takes several cycles, as of floating-point numbers. To merge on the way would make the solver
// itself wait for its last merge: 7 cycles an update. So nothing is merged. An update for an address that is among the
// last ones is held back, and tokens without an update leave in its place until the gather behind has written what it
// depends on; that takes a token a cycle. Updates keep their order.
//
// Addresses that differ cost a cycle each; one alone gets an update every update_distance() cycles. In graphs whose
// edges are sorted by source, few come again so soon, and the queues before the solvers let one wait while others go
// on.
#pragma once

#include "hls/module/latency.h"
#include "hls/module/tokens.h"
#include "hls/platform.h"
#include "hls/stream.h"

namespace gaspipe {

// Addresses of the last `distance` - 1 tokens, the newest first.
template <int distance>
struct RawStall {
  static_assert(distance > 1, "there is something to wait for");
  static constexpr int kRecent = distance - 1;
  static constexpr std::uint32_t kNone = 0xffffffffu;

  std::uint32_t recent[kRecent];

  void start() {
    GASPIPE_PRAGMA(HLS INLINE);
    for (int i = 0; i < kRecent; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      recent[i] = kNone;
    }
  }
  // Whether an update of `address`, none of which is kNone, has to wait; bits that are not in `mask` are alike in all.
  // What leaves is `address`, or nothing.
  bool step(std::uint32_t address, bool updates, std::uint32_t mask) {
    GASPIPE_PRAGMA(HLS INLINE);
    bool waits = false;
    for (int i = 0; i < kRecent; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      waits |= ((recent[i] ^ address) & mask) == 0;
    }
    waits &= updates;
    for (int i = kRecent - 1; i > 0; --i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      recent[i] = recent[i - 1];
    }
    recent[0] = updates && !waits ? address : kNone;
    return waits;
  }
};

// Where a token has no update, its destination is kNoVertex.
template <class Hooks, EnableIf<!merges_at_once<Hooks>(), int> = 0>
void rawSolver(stream<UpdateToken<typename Traits<Hooks>::Update>>& in,
               stream<UpdateToken<typename Traits<Hooks>::Update>>& out) {
  RawStall<update_distance<Hooks>()> stall;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = stall.recent dim = 1 complete);
  stall.start();
  UpdateToken<typename Traits<Hooks>::Update> token, sent;
  token.end = false;
  bool holds = false;
  while (holds || !token.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 4194304);
    if (!holds) read_from_stream(in, token);
    holds = stall.step(token.update.destination, !token.end, ~std::uint32_t(0));
    sent = token;
    if (holds) sent.update.destination = kNoVertex;
    write_to_stream(out, sent);
  }
}

}  // namespace gaspipe
