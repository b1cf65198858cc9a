// SPDX-License-Identifier: Apache-2.0
// rawSolver: keeps updates of one vertex apart, so that the gather behind it can read, add and write in a pipeline
// without reading what is still being written. The last kRawWindow updates wait; one that arrives for a vertex that
// waits is merged into it, any other pushes out the oldest. Between two updates of a vertex at least kRawWindow others
// leave: the later one came after the earlier one had left, and was then the youngest of those that wait. Updates whose
// merge takes more than a cycle are not merged but held back: raw_stall.h, with the same tasks.
// Names: X. Chen et al., "ThunderGP", FPGA 2021.
#pragma once

#include "hls/module/latency.h"
#include "hls/module/raw_stall.h"
#include "hls/module/tokens.h"
#include "hls/platform.h"
#include "hls/stream.h"

namespace gaspipe {

template <class Hooks>
struct RawSolver {
  using Value = typename Traits<Hooks>::Update;

  Update<Value> pending[kRawWindow];  // oldest first; nothing waits where the destination is kNoVertex

  void start() {
    GASPIPE_PRAGMA(HLS INLINE);
    for (int i = 0; i < kRawWindow; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      pending[i].destination = kNoVertex;
      pending[i].value = Traits<Hooks>::identity();
    }
  }
  // Takes an update; whether one left, in `out`.
  bool step(const Update<Value>& in, Update<Value>& out) {
    GASPIPE_PRAGMA(HLS INLINE);
    bool merged = false;
    for (int i = 0; i < kRawWindow; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      if (pending[i].destination == in.destination) {
        pending[i].value = Hooks::updateMergeInRAWSolver(pending[i].value, in.value);
        merged = true;
      }
    }
    return !merged && push(in, out);
  }
  // Gives up the oldest; false if nothing waited there. After kRawWindow calls nothing waits.
  bool flush(Update<Value>& out) {
    GASPIPE_PRAGMA(HLS INLINE);
    const Update<Value> nothing = {kNoVertex, Traits<Hooks>::identity()};
    return push(nothing, out);
  }

 private:
  bool push(const Update<Value>& in, Update<Value>& out) {
    GASPIPE_PRAGMA(HLS INLINE);
    out = pending[0];
    for (int i = 0; i + 1 < kRawWindow; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      pending[i] = pending[i + 1];
    }
    pending[kRawWindow - 1] = in;
    return out.destination != kNoVertex;
  }
};

// The cycle is a comparison and one merge, which the next update may need: II = 1 where updateMergeInRAWSolver takes a
// cycle, as in integers and fixed point.
template <class Hooks, EnableIf<merges_at_once<Hooks>(), int> = 0>
void rawSolver(stream<UpdateToken<typename Traits<Hooks>::Update>>& in,
               stream<UpdateToken<typename Traits<Hooks>::Update>>& out) {
  RawSolver<Hooks> window;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = window.pending dim = 1 complete);
  window.start();
  UpdateToken<typename Traits<Hooks>::Update> token, solved;
  solved.end = false;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 4194304);
    read_from_stream(in, token);
    if (token.end) break;
    if (window.step(token.update, solved.update)) write_to_stream(out, solved);
  }
  for (int i = 0; i < kRawWindow; ++i) {
    GASPIPE_PIPELINE(1);
    if (window.flush(solved.update)) write_to_stream(out, solved);
  }
  solved.end = true;
  write_to_stream(out, solved);
}

}  // namespace gaspipe
