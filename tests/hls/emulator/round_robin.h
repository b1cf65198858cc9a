// SPDX-License-Identifier: Apache-2.0
// A module that polls, as arbiters do: the subject of the tests of such modules.
#pragma once

#include "hls/module/tokens.h"
#include "hls/platform.h"
#include "hls/types.h"

namespace gaspipe {
namespace testing {

// Polls: passes on a token a cycle, of the inputs in turn where both have one; every token once, but in what order
// depends on when they come. What follows may not depend on the order.
template <class Value>
void roundRobin(stream<UpdateToken<Value>>& a, stream<UpdateToken<Value>>& b, stream<UpdateToken<Value>>& out) {
  bool a_ended = false, b_ended = false, b_next = false;
  UpdateToken<Value> token = {{0, 0}, true};
  while (!a_ended || !b_ended) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 4194304);
    const bool a_has = !a_ended && !a.empty(), b_has = !b_ended && !b.empty();
    if (a_has && (!b_has || !b_next)) {
      a.read(token);
      a_ended = token.end;
      b_next = true;
      if (!token.end) out.write(token);
    } else if (b_has) {
      b.read(token);
      b_ended = token.end;
      b_next = false;
      if (!token.end) out.write(token);
    }
  }
  out.write(token);
}

}  // namespace testing
}  // namespace gaspipe
