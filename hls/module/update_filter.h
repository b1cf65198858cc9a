// SPDX-License-Identifier: Apache-2.0
// tupleFilter: packed sets become single updates, one a cycle, in order. The next set is taken in the cycle of the
// last update of the one before, so a PE that gets an update a cycle never pauses.
// Names: X. Chen et al., "ThunderGP", FPGA 2021.
#pragma once

#include "hls/module/tokens.h"
#include "hls/platform.h"
#include "hls/stream.h"

namespace gaspipe {

template <int lanes, class Value>
void tupleFilter(stream<PackedSet<Value, lanes>>& in, stream<UpdateToken<Value>>& out) {
  PackedSet<Value, lanes> set;
  set.num = 0;
  UpdateToken<Value> token;
  token.end = false;
  std::uint32_t at = 0;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 4194304);
    if (at == set.num) {
      read_from_stream(in, set);
      if (set.end) break;
      at = 0;
    }
    if (at != set.num) {  // an empty set, which the shuffle does not send, costs a cycle
      token.update = set.update[at];
      write_to_stream(out, token);
      ++at;
    }
  }
  token.end = true;
  write_to_stream(out, token);
}

}  // namespace gaspipe
