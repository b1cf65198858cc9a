// SPDX-License-Identifier: Apache-2.0
// tupleFilter: what is listed of a set becomes single updates, one a cycle, in order. The next set is taken in the
// cycle after the last update of the one before, so a PE that gets an update a cycle never pauses. Names: X. Chen et
// al., "ThunderGP", FPGA 2021.
#pragma once

#include "hls/module/tokens.h"
#include "hls/platform.h"
#include "hls/stream.h"

namespace gaspipe {

template <int lanes, class Value>
void tupleFilter(stream<ListedSet<Value, lanes>>& in, stream<UpdateToken<Value>>& out) {
  ListedSet<Value, lanes> set;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = set.update complete);
  UpdateToken<Value> token;
  token.end = false;
  std::uint8_t left = 0;  // of what the set lists
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 4194304);
    if (left == 0) {
      read_from_stream(in, set);
      if (set.end) break;
      left = set.num;
    }
    if (left != 0) {  // an empty set, which the shuffle does not send, costs a cycle
      token.update = set.update[set.lane % lanes];
      write_to_stream(out, token);
      --left;
    }
    set.lane >>= 4;
  }
  token.end = true;
  write_to_stream(out, token);
}

}  // namespace gaspipe
